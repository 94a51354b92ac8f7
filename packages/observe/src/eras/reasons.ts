/** The reasons why two versions differ: the list of changes, in the words of a comparison. */
import { type Change, changes, linkOf, minorOf } from '@syncloop/core/changes';
import type { EraVersion } from '@syncloop/core/kubelet/era/versions';
import type { EraReason } from './types.js';

const reasons: ReadonlyMap<string, Change> = new Map(changes.map((change) => [change.id, change]));

const has = ({ since, until }: Change, era: EraVersion): boolean =>
  minorOf(era) >= minorOf(since) && (!until || minorOf(era) < minorOf(until));

/** Returns a change by its id, if one of the two versions has it and the other has not. */
export function reasonBetween(id: string, [one, other]: readonly [EraVersion, EraVersion]): EraReason | null {
  const change = reasons.get(id);
  if (!change || has(change, one) === has(change, other)) return null;
  const { since, title, after, upstream } = change;
  return { id, since, title, text: after, links: upstream.map(linkOf) };
}
