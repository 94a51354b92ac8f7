/** Concludes how often a container is probed, and how patiently, if no list shows it. */
import { countBefore } from '@syncloop/core/base';
import type { Micros } from '@syncloop/core/trace';
import { byPod } from './by-pod.js';
import type { Seen, SeenPod } from './seen.js';

/** The period of a probe that has none in its specification. */
export const USUAL: Micros = 10_000_000;

/**
 * Returns the period of a probe: the time between two results of one container. If a single failure ended the
 * container, it was asked often: the shortest period, with which the twin fails at that moment.
 */
export function periodOf(uid: string, container: string, type: string, seen: Seen): Micros {
  const index = byPod(seen);
  const results = index.probes.of(uid).filter((p) => p.container === container && p.probeType === type);
  const starts = index.containers
    .of(uid)
    .flatMap(({ name, ran }) => (name === container && ran !== undefined ? [ran] : []));
  const between = results.slice(1).flatMap(({ time }, i) => {
    const before = results[i]?.time ?? 0;
    return starts.some((start) => start > before && start < time) ? [] : [time - before];
  });
  between.sort((a, b) => a - b);
  const usual = between[Math.floor(between.length / 2)];
  if (usual !== undefined) return Math.max(1, Math.round(usual / 1e6)) * 1e6;
  const pod = seen.pods.get(uid);
  return pod && killedAfter(pod, container, type, seen) === 1 ? 1_000_000 : USUAL;
}

/** Returns the number of failures in a row after which the kubelet stopped the container; null: it never did. */
export function killedAfter(pod: SeenPod, container: string, type: string, seen: Seen): number | null {
  let least: number | null = null;
  const index = byPod(seen);
  const probes = index.probes.of(pod.uid).filter((p) => p.container === container && p.probeType === type);
  const killing = index.events.of(pod.uid).filter(({ reason }) => reason === 'Killing');
  // Below -v=3 there are no events.
  for (const { container: of, message, time } of killing.length > 0 ? killing : index.kills.of(pod.uid)) {
    if (of !== container || !message.includes(`failed ${type} probe`)) continue;
    let n = 0;
    for (
      let i = countBefore(probes.length, (at) => (probes[at] as { time: number }).time <= time + 20_000) - 1;
      i >= 0;
      i--
    ) {
      if (probes[i]?.outcome !== 'failure') break;
      n++;
    }
    if (n > 0 && (least === null || n < least)) least = n;
  }
  return least;
}
