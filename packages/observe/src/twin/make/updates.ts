/** Concludes an update of a pod from what its kubelet did after it, if no list shows what changed. */
import type { Micros } from '@syncloop/core/trace';
import { type JsonObject, objectOf, objectsOf } from '../base/json.js';
import { byPod } from './by-pod.js';
import type { Seen, SeenPod } from './seen.js';

/** An image of another name, as a new image must have. */
const otherImage = (image: string): string => (image.endsWith('-updated') ? image.slice(0, -8) : `${image}-updated`);

/**
 * Returns the manifest after an update: with other images of the containers that were restarted because their
 * definition had changed, and with the deadline that the pod then exceeded. Other changes let the kubelet do nothing.
 */
export function updateOfDoings(
  before: JsonObject,
  { pod, seen, from, to }: { pod: SeenPod; seen: Seen; from: Micros; to: Micros },
): JsonObject {
  const index = byPod(seen);
  const later = index.events.of(pod.uid).filter(({ time }) => time >= from && time < to);
  const changed = new Map<string, string | undefined>();
  for (const { container, message, time } of index.kills.of(pod.uid)) {
    if (time < from || time >= to || !message.includes('definition changed')) continue;
    const pulled = later.find((e) => e.container === container && e.time >= time && /^Pull(ed|ing)$/.test(e.reason));
    changed.set(container, /image "([^"]+)"/.exec(pulled?.message ?? '')?.[1]);
  }
  const spec = objectOf(before.spec);
  const late = later.find(({ reason }) => reason === 'DeadlineExceeded');
  const began = pod.ops[0]?.time ?? pod.first;
  const containers = objectsOf(spec.containers).map((c) => {
    const name = String(c.name);
    if (!changed.has(name)) return c;
    const old = String(c.image);
    const image = changed.get(name);
    return { ...c, image: image === undefined || image === old ? otherImage(old) : image };
  });
  const { metadata, ...rest } = before;
  const annotations = { ...objectOf(objectOf(metadata).annotations), 'syncloop.dev/updated': String(from) };
  return {
    ...rest,
    metadata: { ...objectOf(metadata), annotations },
    spec: {
      ...spec,
      containers,
      ...(late && { activeDeadlineSeconds: Math.max(1, Math.round((late.time - began) / 1e6)) }),
    },
  } as JsonObject;
}
