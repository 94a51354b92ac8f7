/** The facts about a run, by kind: as texts, or as moments that are matched in time. */

/** The kinds in the order of the table. */
export const KINDS = [
  'processes',
  'config operations',
  'turns of the loop',
  'PLEG events',
  'pod updates',
  'worker syncs',
  'failed syncs',
  'sandboxes',
  'containers that ran',
  'containers that ended, with code',
  'names of containers',
  'restarts',
  'phases of pods',
  'RunPodSandbox',
  'CreateContainer',
  'StartContainer',
  'StopContainer',
  'failed calls',
  'back-offs',
  'probes',
  'Kubernetes events',
] as const;
export type Kind = (typeof KINDS)[number];

/** A fact is matched by its text and, if it has a time (ms since 1970), by the nearest one within {@link NEAR}. */
export interface Fact {
  readonly key: string;
  readonly at?: number;
  /** The end of what took a while: a log says that it is over, a socket that it begins. */
  readonly until?: number;
  /** It happened inside the kubelet: neither the socket nor a span has it. */
  readonly inside?: true;
}
export type Facts = { [K in Kind]?: Fact[] };

/** Two sources say when something happened with this many milliseconds between. */
const NEAR = 1_500;

export interface Score {
  /** The number of conclusions, of those that are true, and of facts that could be known. */
  observed: number;
  right: number;
  truth: number;
  /** A few that are wrong, and that are missing. */
  readonly wrong: string[];
  readonly missing: string[];
  /** Observed facts that are not true. */
  readonly rest: Fact[];
}
export const noScore = (): Score => ({ observed: 0, right: 0, truth: 0, wrong: [], missing: [], rest: [] });

/** Milliseconds from one fact to another; 0 within the time that the other took. */
function between({ at }: Fact, other: Fact): number {
  if (at === undefined || other.at === undefined) return 0;
  if (at > other.at && at <= (other.until ?? other.at)) return 0;
  return Math.min(Math.abs(at - other.at), Math.abs(at - (other.until ?? other.at)));
}

/** Compares observed facts with the truth: each counts once. */
export function score(observed: readonly Fact[], truth: readonly Fact[], name: string): Score {
  const result = noScore();
  const open = new Map<string, Fact[]>();
  for (const fact of truth) {
    const list = open.get(fact.key);
    if (list) list.push(fact);
    else open.set(fact.key, [fact]);
  }
  result.truth = truth.length;
  result.observed = observed.length;
  for (const fact of observed) {
    const list = open.get(fact.key) ?? [];
    let best = -1;
    list.forEach((other, i) => {
      const apart = between(fact, other);
      const before = list[best];
      if (apart <= NEAR && (before === undefined || apart < between(fact, before))) best = i;
    });
    if (best >= 0) {
      list.splice(best, 1);
      result.right++;
    } else {
      result.wrong.push(`${name}: ${fact.key}`);
      result.rest.push(fact);
    }
  }
  for (const list of open.values()) for (const { key } of list) result.missing.push(`${name}: ${key}`);
  return result;
}
