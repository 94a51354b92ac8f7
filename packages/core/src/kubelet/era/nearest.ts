/** Finds the kubelet here that is nearest to a given version, by the design of its pod loop. */
import { defaultEra, type EraVersion, eraVersions } from './versions.js';

/** Later than every minor version: the end of a span that has none. A number that JSON has. */
export const laterThanAll = 1_000_000;

/** Minor versions of Kubernetes 1, both included; `until` may be {@link laterThanAll}. */
export interface MinorSpan {
  readonly since: number;
  readonly until: number;
}

/**
 * The last minor version that each era stands for.
 *
 * Up to 1.18 the pod killer's channel, 1.19 to 1.21 the marked killer, 1.22 to 1.26 workers with the work in their
 * channels, from 1.27 on workers with a pending update. 1.33 and 1.34 have the event texts, the waits after a back-off
 * and the relists of 1.32. In 1.35 a worker comes back when a back-off ends, and events have the words of 1.36: only
 * the relist on demand is missing, which is a feature gate.
 */
const lastMinor: Readonly<Record<EraVersion, number>> = {
  'v1.12': 18,
  'v1.21': 21,
  'v1.25': 26,
  'v1.32': 34,
  'v1.36': laterThanAll,
};

/** The minor version of a text as "v1.27.3+k3s1", "1.25" or "v1.25.10-eks-0a21954"; null if it names none. */
export function minorOf(version: string): number | null {
  const found = /^\s*v?(\d{1,4})\.(\d{1,4})(?!\d)/.exec(version);
  if (!found) return null;
  const [major, minor] = [Number(found[1]), Number(found[2])];
  // There is no other major version; what claims one is older or newer than all.
  return major === 1 ? minor : major === 0 ? 0 : laterThanAll;
}

/** The version of the CRI's API that the kubelet of a minor version prefers: v1 since v1.23. */
export const criApiOf = (minor: number): 'v1' | 'v1alpha2' => (minor <= 22 ? 'v1alpha2' : 'v1');

const ofMinor = (minor: number): EraVersion =>
  eraVersions.find((era) => minor <= lastMinor[era]) ?? (eraVersions.at(-1) as EraVersion);

/** The nearest era to a version, whatever a vendor appends to it; null if the text names no version. */
export function nearestEra(version: string): EraVersion | null {
  const minor = minorOf(version);
  return minor === null ? null : ofMinor(minor);
}

/**
 * The nearest era to a kubelet of which only a span of versions is known: the one that stands for most of them, the
 * newer one of two that stand for as many.
 */
export function nearestEraOfSpan({ since, until }: MinorSpan): EraVersion {
  const last = Math.min(until, minorOfEra(defaultEra));
  const counts = new Map<EraVersion, number>();
  for (let minor = Math.min(since, last); minor <= last; minor++)
    counts.set(ofMinor(minor), (counts.get(ofMinor(minor)) ?? 0) + 1);
  let best: EraVersion = ofMinor(last);
  for (const era of eraVersions) if ((counts.get(era) ?? 0) >= (counts.get(best) ?? 0)) best = era;
  return best;
}

/** Such as 25 for v1.25. */
export const minorOfEra = (era: EraVersion): number => minorOf(era) as number;
