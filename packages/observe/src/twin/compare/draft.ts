import type { Json, Micros, Seq } from '@syncloop/core/trace';
import type { Decision, DecisionKind } from '../base/types.js';
import type { Names, UnitName } from './names.js';

/** A decision while later records may still add to it. */
export interface Draft {
  readonly kind: DecisionKind;
  readonly seq: Seq;
  readonly time: Micros;
  readonly pod: string;
  readonly incarnation: number;
  container?: string;
  attempt?: number;
  readonly what: string;
  details?: { [key: string]: Json };
  took?: Micros;
}
export type Head = Pick<Draft, 'kind' | 'seq' | 'time' | 'what'>;

/** Collects the decisions of a run, in the order in which they were begun. */
export class Drafts {
  readonly list: Draft[] = [];
  constructor(readonly names: Names) {}

  of(head: Head, uid: string | undefined, pod: string | undefined, details?: { [key: string]: Json }): Draft {
    const draft: Draft = { ...head, ...this.names.pod(uid, pod) };
    if (details && Object.keys(details).length > 0) draft.details = details;
    this.list.push(draft);
    return draft;
  }
  /** Makes a decision about the container or sandbox of an id. */
  ofUnit(head: Head, unit: UnitName | undefined, pod: string | undefined, details?: { [key: string]: Json }): Draft {
    const draft = this.of(head, unit?.uid, pod, details);
    if (unit?.container) draft.container = unit.container;
    if (unit) draft.attempt = unit.attempt;
    return draft;
  }
  get decisions(): readonly Decision[] {
    return this.list;
  }
}
