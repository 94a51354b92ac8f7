/** Concludes which init containers are sidecars, if no list shows the pod. */
import type { Json } from '@syncloop/core/trace';
import { byPod } from './by-pod.js';
import { heldBack } from './kills.js';
import type { Seen, SeenPod } from './seen.js';

/** Fields that the API allows only in sidecars and regular containers. */
const PROBED = ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'] as const;

/**
 * Returns true if only a sidecar explains what was seen of an init container: it has probes or hooks, or it still ran
 * when a regular container had been started.
 */
export function isSidecar(
  name: string,
  fields: { readonly [field: string]: Json | undefined },
  { pod, seen, inits }: { readonly pod: SeenPod; readonly seen: Seen; readonly inits: ReadonlySet<string> },
): boolean {
  if (PROBED.some((field) => fields[field] !== undefined)) return true;
  if (heldBack(pod.uid, seen).some(({ by, step }) => by === 'sidecar' && step.container === name)) return true;
  const all = byPod(seen).containers.of(pod.uid);
  const [first] = all.flatMap((c) => (c.ran === undefined || inits.has(c.name) ? [] : [c.ran])).sort((a, b) => a - b);
  if (first === undefined) return false;
  return all.some(
    ({ name: of, ran, ended }) =>
      of === name && ran !== undefined && ran <= first && (ended === undefined || ended > first + NEXT_RELIST),
  );
}

/** A container that has ended is seen so by the next relist. */
const NEXT_RELIST = 1_000_000;
