/** Incidents compared with the troubles that were made: each of these is named, and nothing else is called wrong. */
import type { Incident } from '@syncloop/core/debug/incidents';
import type { Made } from './made.js';

export interface Judgement {
  readonly required: number;
  readonly named: number;
  /** Troubles that were made and that no incident names. */
  readonly missing: readonly string[];
  /** Incidents that count as wrong, and that the scenario did not make. */
  readonly invented: readonly string[];
}

export function judge(made: readonly Made[], incidents: readonly Incident[]): Judgement {
  const missing: string[] = [];
  const required = made.filter((one) => one.optional !== true);
  for (const one of required) if (!incidents.some((i) => names(i, one))) missing.push(one.what);
  const invented = incidents
    .filter((i) => !i.expected)
    .filter((i) => !made.some((one) => one.expected !== true && one.kinds.includes(i.kind) && isAt(i.pod, one.pod)))
    .map((i) => `${i.kind} ${i.pod}`.trim());
  const wronged = required.filter(
    (one) =>
      one.expected === true && incidents.some((i) => !i.expected && one.kinds.includes(i.kind) && isAt(i.pod, one.pod)),
  );
  return {
    required: required.length,
    named: required.length - missing.length,
    missing,
    invented: [...invented, ...wronged.map(({ what }) => `wrong: ${what}`)],
  };
}

/** True if the incident, or a consequence of it, is this trouble. */
function names(incident: Incident, { kinds, pod, expected = false }: Made): boolean {
  // A trouble has to count as wrong.
  if (incident.expected && !expected) return false;
  const all = [
    { kind: incident.kind, pods: incident.pod === '' ? incident.pods : [incident, ...incident.pods] },
    ...incident.consequences,
  ];
  return all.some((one) => kinds.includes(one.kind) && (pod === '' || one.pods.some((p) => isAt(p.pod, pod))));
}
const isAt = (incident: string, pod: string): boolean => pod === '' || incident === `default/${pod}`;
