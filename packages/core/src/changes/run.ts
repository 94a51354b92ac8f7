import { parseDocument } from 'yaml';
import type { EraVersion } from '../kubelet/era/versions.js';
import type { Count, RecordPattern } from '../scenario/document/scenario.js';
import { eraBefore } from './index.js';
import type { Change, ShownBy } from './types.js';

/** True if such records come at all, by the number that is to come. */
const comes = ({ exactly, atLeast }: Count): boolean => (exactly ?? atLeast ?? 0) > 0;

/** The record at which a run of that version is to be looked at; undefined for where the scenario opens. */
export function momentOf(change: Pick<Change, 'since'>, shown: ShownBy, era: EraVersion): RecordPattern | undefined {
  const { kind, where, before, since } = shown.evidence;
  const count = era === eraBefore(change) ? before : since;
  return comes(count) ? { kind, ...(where !== undefined && { where }) } : shown.moment;
}

/**
 * Returns a scenario's text that opens at the change's moment in that version. The caller who loads it names the
 * version.
 */
export function textAt(text: string, change: Pick<Change, 'since'>, shown: ShownBy, era: EraVersion): string {
  const moment = momentOf(change, shown, era);
  if (!moment) return text;
  const scenario = parseDocument(text);
  scenario.setIn(['spec', 'openAt'], scenario.createNode(moment));
  return scenario.toString({ lineWidth: 0 });
}
