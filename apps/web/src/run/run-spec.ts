/** Runs in the session's form and in its loads': their common part. */
import type { Position, RunSpec } from '@syncloop/core/debug';

/** Returns the part of a run that had happened at a position, the same as the session's answer to `spec` there. */
export function upTo({ deviations = [], interventions = [], ...request }: RunSpec, { step, seq }: Position): RunSpec {
  const kept = {
    deviations: deviations.filter((d) => d.decision <= step),
    interventions: interventions.filter((i) => i.after < seq && i.step <= step),
  };
  return {
    ...request,
    ...(kept.deviations.length > 0 && { deviations: kept.deviations }),
    ...(kept.interventions.length > 0 && { interventions: kept.interventions }),
  };
}

/** Returns true if two runs are the same, to the byte. */
export function sameRun(a: RunSpec, b: RunSpec): boolean {
  return JSON.stringify(inOrder(a)) === JSON.stringify(inOrder(b));
}
const inOrder = ({ scenario, text, seed, era, deviations = [], interventions = [] }: RunSpec) => [
  scenario,
  text ?? null,
  seed ?? null,
  era ?? null,
  deviations.map((d) => [d.decision, d.goroutine ?? null, d.case ?? null]),
  interventions.map((i) => [i.step, i.after, i.time, canonical(i.command)]),
];
/** Returns a value that does not depend on the order of keys: a link and a session write them in different ones. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.entries(value)
    .filter(([, v]) => v !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([k, v]) => [k, canonical(v)]);
}
