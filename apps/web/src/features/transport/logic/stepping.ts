/** The target of a step, and the session's position, as the transport requests and shows them. */

import type { Command, GoTarget, RunState, StepUnit } from '@syncloop/core/debug';
import type { Micros, NodeState, TraceRecord } from '@syncloop/core/trace';
import type { Selection } from '../../../page/ui-store.js';
import { inThePast } from '../../../run/session-store.js';
import { podOf } from '../../../selection/subject.js';
import { shortPod } from '../../../units/text.js';

/** The steps of the menu; decisions and iterations have buttons of their own. */
export const CALL_STEPS = ['into', 'over', 'out'] as const;
export const RECORD_STEPS = ['channel', 'dispatch', 'cri', 'status', 'record'] as const;
export type MenuStep = (typeof CALL_STEPS)[number] | (typeof RECORD_STEPS)[number];

/** The subject that steps can be limited to. */
export interface Subject {
  /** The pod; '' if the selection belongs to none. */
  readonly uid: string;
  /** The goroutine whose calls into, over and out follow; 0 if there is none. */
  readonly goroutine: number;
  /** The pod, or the goroutine if there is no pod. */
  readonly name: string;
}

/** Returns the subject of the selection that limits steps, or null. */
export function subjectOf(
  state: NodeState,
  selection: Selection | null,
  record: TraceRecord | undefined,
): Subject | null {
  if (!selection) return null;
  const uid = podOf(state, selection, record);
  const alive = (id: number) => state.goroutines[id] !== undefined && state.goroutines[id]?.state !== 'dead';
  const chosen = selection.kind === 'goroutine' ? selection.id : selection.kind === 'record' ? (record?.g ?? 0) : 0;
  const worker = uid === '' ? undefined : Object.values(state.goroutines).find((g) => g.uid === uid && alive(g.id));
  const goroutine = alive(chosen) ? chosen : (worker?.id ?? 0);
  if (uid === '' && goroutine === 0) return null;
  const pod = uid === '' ? '' : shortPod(state.pods[uid]?.pod ?? uid);
  return { uid, goroutine, name: pod || (state.goroutines[goroutine]?.name ?? '') };
}

/** The command of a step; limited to a subject as far as that unit can be. */
export function stepCommand(unit: StepUnit, back: boolean, subject: Subject | null): Extract<Command, { do: 'step' }> {
  const calls = (CALL_STEPS as readonly StepUnit[]).includes(unit);
  const records = (RECORD_STEPS as readonly StepUnit[]).includes(unit);
  return {
    do: 'step',
    unit,
    ...(back && { back }),
    ...(calls && subject && subject.goroutine > 0 && { goroutine: subject.goroutine }),
    ...(records && subject && subject.uid !== '' && { pod: subject.uid }),
  };
}

export const GO_UNITS = ['time', 'seq', 'iteration', 'step'] as const;
export type GoUnit = (typeof GO_UNITS)[number];

const SECOND: Micros = 1_000_000;
const UNITS: Readonly<Record<string, Micros>> = {
  h: 3600 * SECOND,
  m: 60 * SECOND,
  s: SECOND,
  ms: 1_000,
  µs: 1,
  us: 1,
};

/** Parses a length of time since the start: `12.345`, `12.3 s`, `1m30s`, `250ms`. Null if the text is invalid. */
export function parseTime(text: string): Micros | null {
  const bare = text.trim().toLowerCase();
  if (/^\d{1,9}(\.\d{0,9})?$/.test(bare)) return Math.round(Number(bare) * SECOND);
  if (bare.length > 40 || !/^(\d+(\.\d+)?\s*(h|ms|m|s|µs|us)\s*)+$/.test(bare)) return null;
  let sum = 0;
  for (const [, n, unit] of bare.matchAll(/(\d+(?:\.\d+)?)\s*(h|ms|m|s|µs|us)/g))
    sum += Number(n) * (UNITS[unit ?? ''] ?? 0);
  const micros = Math.round(sum);
  return Number.isSafeInteger(micros) ? micros : null;
}

/** Reads the field "go to"; null when its text is not such a place. */
export function goTarget(unit: GoUnit, text: string): GoTarget | null {
  if (unit === 'time') {
    const time = parseTime(text);
    return time === null ? null : { time };
  }
  const bare = text.trim().replace(/^#\s*/, '');
  if (!/^\d{1,12}$/.test(bare)) return null;
  const n = Number(bare);
  return unit === 'seq' ? { seq: n } : unit === 'iteration' ? { iteration: n } : { step: n };
}

/** Returns the known end of the run when the session is before it; else null. */
export function knownEnd(run: RunState): NonNullable<RunState['end']> | null {
  return inThePast(run) && run.end ? run.end : null;
}
