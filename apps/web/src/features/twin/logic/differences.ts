/** The panel's view of a verdict. */
import { type Decision, type DecisionKind, type Difference, decisionKinds, type Verdict } from '@syncloop/observe/twin';

export interface KindRow {
  readonly kind: DecisionKind;
  readonly compared: number;
  readonly same: number;
}
/** Returns the kinds with any compared decision, or with a difference. */
export const kindRows = ({ kinds }: Pick<Verdict, 'kinds'>): readonly KindRow[] =>
  decisionKinds.map((kind) => ({ kind, ...kinds[kind] })).filter(({ compared }) => compared > 0);

/** Returns the decision by which a difference is found: the observed one if there is one. */
export const decisionOf = ({ seen, twin }: Difference): Decision | null => seen ?? twin;

const key = (d: Difference): string => {
  const decision = decisionOf(d);
  const { kind, pod, container = '', attempt = 0, what } = decision ?? { kind: '', pod: '', what: '' };
  return [d.how, kind, pod, container, attempt, what, d.path ?? ''].join(' ');
};

/** Compares a branch's differences with those of the twin itself. */
export function changedBy(branch: Pick<Verdict, 'differences'>, twin: Pick<Verdict, 'differences'>) {
  const [ours, theirs] = [branch, twin].map(({ differences }) => differences.map(key)) as [string[], string[]];
  return {
    gone: twin.differences.filter((_, i) => !ours.includes(theirs[i] as string)),
    added: branch.differences.filter((_, i) => !theirs.includes(ours[i] as string)),
  };
}
