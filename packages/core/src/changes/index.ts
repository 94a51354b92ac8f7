/**
 * The changes of the kubelet from v1.12 to v1.36: each with the reason why it was made, and with a scenario whose run
 * differs before and since. One home of these facts: the page, docs/users/eras.md and the tests read them here.
 */
import type { MinorSpan } from '../kubelet/era/nearest.js';
import { type EraVersion, eraVersions } from '../kubelet/era/versions.js';
import { ending } from './table/ending.js';
import { handlers } from './table/handlers.js';
import { loop } from './table/loop.js';
import { pleg } from './table/pleg.js';
import { runtime } from './table/runtime.js';
import { sources } from './table/sources.js';
import { start } from './table/start.js';
import { status } from './table/status.js';
import { syncing } from './table/syncing.js';
import { workers } from './table/workers.js';
import type { Change, ChangePart, MinorVersion, Upstream } from './types.js';
import { changeParts } from './types.js';

export { oldNames } from './table/old-names.js';
export type { Change, ChangePart, Evidence, MinorVersion, OldName, ShownBy, Upstream } from './types.js';
export { changeParts } from './types.js';

/** The versions of which a kubelet runs here, oldest first. */
export const runningVersions: readonly EraVersion[] = eraVersions;

/** A version as a number that can be compared: 22 for v1.22. */
export const minorOf = (version: MinorVersion): number => Number(version.slice('v1.'.length));

const tables: Readonly<Record<ChangePart, readonly Omit<Change, 'part'>[]>> = {
  start,
  loop,
  handlers,
  workers,
  ending,
  syncing,
  status,
  pleg,
  runtime,
  sources,
};

/** All changes, oldest first; those of one version by parts. */
export const changes: readonly Change[] = changeParts
  .flatMap((part) => tables[part].map((change) => ({ ...change, part })))
  .sort((a, b) => minorOf(a.since) - minorOf(b.since));

/** A change by its id. */
export const changeOf = (id: string): Change | undefined => changes.find((change) => change.id === id);

/** The newest version that runs and does not have the change. */
export const eraBefore = ({ since }: Pick<Change, 'since'>): EraVersion =>
  eraVersions.findLast((version) => minorOf(version) < minorOf(since)) ?? eraVersions[0];

/** The versions that run and have the change, oldest first. */
export const erasWith = ({ since, until }: Pick<Change, 'since' | 'until'>): readonly EraVersion[] =>
  eraVersions.filter((v) => minorOf(v) >= minorOf(since) && (!until || minorOf(v) < minorOf(until)));

/**
 * Returns the changes that may lie between a kubelet of these minor versions and that of an era: those that were made,
 * or taken back, after the older and up to the newer of both.
 */
export function changesBetween(span: MinorSpan | null, era: EraVersion): readonly Change[] {
  if (!span) return [];
  const of = minorOf(era);
  const [low, high] = [Math.min(span.since, of), Math.max(span.until, of)];
  const between = (version: MinorVersion | undefined) =>
    version !== undefined && minorOf(version) > low && minorOf(version) <= high;
  return changes.filter(({ since, until }) => between(since) || between(until));
}

/** The text and address of upstream's page on a change. */
export function linkOf(upstream: Upstream): { readonly text: string; readonly href: string } {
  if ('kep' in upstream)
    return { text: `KEP-${upstream.kep}`, href: `https://github.com/kubernetes/enhancements/issues/${upstream.kep}` };
  const [number, kind] = 'pull' in upstream ? [upstream.pull, 'pull'] : [upstream.issue, 'issues'];
  return { text: `#${number}`, href: `https://github.com/kubernetes/kubernetes/${kind}/${number}` };
}
