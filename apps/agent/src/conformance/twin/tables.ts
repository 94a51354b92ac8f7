/** The tables that `conformance --twin` prints: how much agreed, how much was not compared, and why. */
import { type DecisionKind, decisionKinds, type Verdict } from '@syncloop/observe/twin';
import type { Capture } from '../attach/capture.js';

export interface Tally {
  captures: number;
  readonly kinds: { readonly [K in DecisionKind]: { compared: number; same: number } };
  /** Decisions that were not compared, by the rule that says why. */
  readonly left: Map<string, { seen: number; twin: number }>;
}

/** The counts of a verdict that the tables add up. */
export interface Counts extends Pick<Verdict, 'kinds'> {
  readonly notCompared: readonly { readonly rule: string; readonly seen: number; readonly twin: number }[];
}

export function count(tallies: Map<string, Tally>, name: string, { kinds, notCompared }: Counts): void {
  const tally = tallies.get(name) ?? noTally();
  tallies.set(name, tally);
  tally.captures++;
  for (const kind of decisionKinds) {
    tally.kinds[kind].compared += kinds[kind].compared;
    tally.kinds[kind].same += kinds[kind].same;
  }
  for (const { rule, seen, twin } of notCompared) {
    const of = tally.left.get(rule) ?? { seen: 0, twin: 0 };
    tally.left.set(rule, { seen: of.seen + seen, twin: of.twin + twin });
  }
}
const noTally = (): Tally => ({
  captures: 0,
  kinds: Object.fromEntries(decisionKinds.map((kind) => [kind, { compared: 0, same: 0 }])) as Tally['kinds'],
  left: new Map(),
});

export function sum(tally: Pick<Tally, 'kinds'> | undefined): { compared: number; same: number } {
  const all = Object.values(tally?.kinds ?? {});
  return { compared: all.reduce((n, k) => n + k.compared, 0), same: all.reduce((n, k) => n + k.same, 0) };
}

/** The columns about decisions that were not compared: those of the real kubelet, of the twin, and why. */
const LEFT = ['not compared', "the twin's", 'why not'];
function leftCells({ left, kinds }: Tally): string[] {
  const of = [...left];
  const seen = of.reduce((n, [, { seen: one }]) => n + one, 0);
  const twins = of.reduce((n, [, { twin: one }]) => n + one, 0);
  const compared = sum({ kinds }).compared;
  const why = of
    .map(([rule, { seen: a, twin: b }]) => ({ rule, n: a + b }))
    .sort((a, b) => b.n - a.n)
    .map(({ rule, n }) => `${rule} ${n}`);
  return [
    `${seen} of ${compared + seen} (${percent(compared + seen === 0 ? 0 : seen / (compared + seen))})`,
    `${twins}`,
    why.join(', '),
  ];
}

export const minorOf = ({ kubelet, name }: Capture): string => /v?\d+\.\d+/.exec(kubelet || name)?.[0] ?? '?';

/** The table in Markdown: a row for each version and set of sources. */
export function versionTable(versions: ReadonlyMap<string, Tally>): string[] {
  const rows = [...versions]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, tally]) => `| ${[name, tally.captures, cell(sum(tally)), ...leftCells(tally)].join(' | ')} |`);
  const head = ['version', 'sources', 'captures', 'all', ...LEFT];
  return ['', `| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...rows];
}

/** The table in Markdown: a row for each set of sources, a column for each kind of decision. */
export function table(tallies: ReadonlyMap<string, Tally>): string[] {
  const rows = [...tallies].map(([name, tally]) => {
    const all = sum(tally);
    const cells = decisionKinds.map((kind) => cell(tally.kinds[kind]));
    return `| ${[name, tally.captures, ...cells, cell(all), ...leftCells(tally)].join(' | ')} |`;
  });
  const head = ['sources', 'captures', ...decisionKinds, 'all', ...LEFT];
  return [`| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...rows];
}
const cell = ({ compared, same }: { compared: number; same: number }): string =>
  compared === 0 ? '-' : `${same}/${compared} (${percent(same / compared)})`;
export const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;
