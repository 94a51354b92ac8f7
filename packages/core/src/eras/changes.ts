/** The changes of design as a comparison names them: what and when and why are told in `../changes`. */
import { type Change, minorOf as minor, changes as table, type Upstream } from '../changes/index.js';
import type { EraVersion } from '../kubelet/era/types.js';

export interface EraText {
  readonly en: string;
  readonly zh: string;
}

export interface EraChange {
  /** Of the table of changes. */
  readonly id: string;
  /** The minor version of 1 that was the first to have it, or the first that was seen with it. */
  readonly since: number;
  /** Its title, and what has been since: a few sentences. */
  readonly text: EraText;
  /** Where upstream decided it: pull requests and issues (kubernetes#) and enhancements (KEP-). */
  readonly upstream: readonly string[];
}

const nameOf = (place: Upstream): string =>
  'kep' in place ? `KEP-${place.kep}` : `kubernetes#${'pull' in place ? place.pull : place.issue}`;

const plain = (text: string): string => text.replaceAll('`', '');

const told = ({ id, since, title, after, upstream }: Change): EraChange => ({
  id,
  since: minor(since),
  text: { en: plain(`${title.en}. ${after.en}`), zh: plain(`${title.zh}。${after.zh}`) },
  upstream: upstream.map(nameOf),
});

/** Oldest first. */
export const changes: readonly EraChange[] = table.map(told);

export const minorOf = (version: EraVersion): number => minor(version);

/** Changes that one of two versions has and the other has not, oldest first. */
export function changesBetween(one: EraVersion, other: EraVersion): readonly EraChange[] {
  const [from, to] = [minorOf(one), minorOf(other)].sort((a, b) => a - b) as [number, number];
  return changes.filter(({ since }) => since > from && since <= to);
}

/** Where a pull request or an enhancement is read. */
export function upstreamLink(name: string): string {
  const [, kep] = /^KEP-(\d+)$/.exec(name) ?? [];
  if (kep !== undefined) return `https://github.com/kubernetes/enhancements/issues/${kep}`;
  return `https://github.com/kubernetes/kubernetes/pull/${name.slice(name.indexOf('#') + 1)}`;
}
