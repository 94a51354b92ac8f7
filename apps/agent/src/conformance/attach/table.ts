/** The table of docs/users/attach.md: precision and recall by kind and source, and the promised values. */
import { KINDS, type Kind, type Score } from './facts.js';

/** Scores by source, then by kind. A log is one source for each verbosity. */
export type Scores = Map<string, Map<Kind, Score>>;

/** The least recall by source: the share of true facts that it reports. Kinds that are missing are not promised. */
const RECALL: { readonly [source: string]: { readonly [K in Kind]?: number } } = {
  'log -v4': {
    processes: 1,
    'config operations': 1,
    'turns of the loop': 1,
    'PLEG events': 1,
    'pod updates': 1,
    'worker syncs': 0.99,
    sandboxes: 0.9,
    'containers that ran': 0.9,
    'containers that ended, with code': 0.9,
    'names of containers': 0.9,
    restarts: 0.9,
    'phases of pods': 0.95,
    RunPodSandbox: 0.99,
    CreateContainer: 0.95,
    StartContainer: 0.95,
    StopContainer: 0.95,
    'failed syncs': 1,
    'failed calls': 1,
    'back-offs': 1,
    probes: 1,
    'Kubernetes events': 1,
  },
  cri: {
    processes: 1,
    'PLEG events': 0.99,
    sandboxes: 0.95,
    'containers that ran': 0.95,
    'containers that ended, with code': 0.95,
    'names of containers': 0.95,
    restarts: 0.9,
    RunPodSandbox: 0.99,
    CreateContainer: 0.99,
    StartContainer: 0.99,
    StopContainer: 0.99,
    'failed calls': 0.99,
  },
  'log -v2': {
    processes: 1,
    'config operations': 1,
    'turns of the loop': 1,
    'PLEG events': 1,
    'failed syncs': 1,
    'failed calls': 1,
    'back-offs': 1,
    'containers that ended, with code': 0.9,
  },
  spans: {
    'worker syncs': 0.9,
    'failed syncs': 0.9,
    RunPodSandbox: 0.99,
    CreateContainer: 0.99,
    StartContainer: 0.99,
    StopContainer: 0.99,
  },
  pods: { 'phases of pods': 0.95 },
};

/** The promises that are not kept, in words. Precision is promised everywhere: the observer invents nothing. */
export function promised(source: string, kind: Kind, { observed, right, truth }: Score): string[] {
  const failures: string[] = [];
  if (right < observed) failures.push(`precision ${percent(right, observed)}, 100 % is promised`);
  const least = leastRecall(source, kind);
  if (least !== undefined && right < truth * least)
    failures.push(`recall ${percent(right, truth)}, ${least * 100} % is promised`);
  return failures;
}

export function percent(part: number, whole: number): string {
  if (whole === 0) return '–';
  // A part is never rounded up to the whole.
  const value = Math.floor((part / whole) * 1000) / 10;
  return `${value} %`;
}

/** The source of truth of each kind. */
const AGAINST: { readonly [K in Kind]: string } = {
  processes: 'lines of the log',
  'config operations': 'lines of the log',
  'turns of the loop': 'lines of the log',
  'PLEG events': 'lines of the log',
  'pod updates': 'lines of the log',
  'worker syncs': 'spans, and lines of the log',
  'failed syncs': 'lines of the log',
  sandboxes: "the runtime's events",
  'containers that ran': "the runtime's events",
  'containers that ended, with code': "the runtime's events, statuses",
  'names of containers': "the runtime's events, statuses",
  restarts: 'statuses',
  'phases of pods': 'statuses',
  RunPodSandbox: 'spans',
  CreateContainer: 'spans',
  StartContainer: 'spans',
  StopContainer: 'spans',
  'failed calls': 'lines of the log',
  'back-offs': 'lines of the log',
  probes: 'lines of the log',
  'Kubernetes events': 'lines of the log',
};

/** A row for each kind, a column for each source: precision, recall, and of how many. `*`: that recall is promised. */
export function makeTable(scores: Scores): string[] {
  // A source that reports nothing in the table, such as counters, has no column.
  const reports = (source: string) => [...(scores.get(source)?.values() ?? [])].some((one) => one.observed > 0);
  const sources = [...scores.keys()].filter((source) => reports(source) || source.includes('log')).sort();
  const cell = (source: string, kind: Kind): string => {
    const one = scores.get(source)?.get(kind);
    if (!one || one.truth + one.observed === 0) return '';
    const least = leastRecall(source, kind);
    if (one.observed === 0 && least === undefined) return source.includes('log') ? `not reported (${one.truth})` : '';
    return `${percent(one.right, one.observed)} · ${percent(one.right, one.truth)}${least === undefined ? '' : '*'} (${one.truth})`;
  };
  const head = ['kind', 'compared with', ...sources];
  const rows = KINDS.map((kind) => [kind, AGAINST[kind], ...sources.map((source) => cell(source, kind))]);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}
const leastRecall = (source: string, kind: Kind): number | undefined => RECALL[source.replace(/^all, /, '')]?.[kind];
