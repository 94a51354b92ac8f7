/** Images that were on the node, and how registries answered. */
import { parseReference } from '@syncloop/core/mock';
import { type JsonObject, numberOf, objectOf, objectsOf, textOf } from '../base/json.js';
import { byPod } from './by-pod.js';
import type { Setting } from './pods.js';

export interface ImagesFound {
  readonly images: JsonObject[];
  readonly registry: JsonObject[];
}

export function imagesOf(setting: Setting): ImagesFound {
  const { seen, assumptions } = setting;
  const images: JsonObject[] = [];
  const registry: JsonObject[] = [];
  const about = byPod(seen);
  for (const ref of refsOf(setting)) {
    // A text that is not an image reference is on no node.
    if (!parseReference(ref)) continue;
    let answered: JsonObject | null = null;
    let absentFirst = false;
    let asked = false;
    for (const { method, response } of about.callsOfImage.of(ref)) {
      if (method !== 'ImageStatus' || !response) continue;
      const image = objectOf(response.image);
      const there = textOf(image.id) !== '';
      if (!asked) absentFirst = !there;
      asked = true;
      if (there) answered ??= image;
    }
    const pulls = about.callsOfImage.of(ref).filter(({ method }) => method === 'PullImage');
    const events = about.eventsThatQuote.of(ref);
    const pulled = events.some(({ reason }) => reason === 'Pulling') || pulls.length > 0;
    const present = events.some(({ reason, message }) => reason === 'Pulled' && /already present/.test(message));
    const absent = !present && !pulled && isMissed(ref, events, setting);
    if (absent) {
      registry.push({ ref, answer: 'not-found' });
      continue;
    }
    if (!asked && !present && !pulled) assumptions.assume('image.present', ref);
    const facts = factsOf(ref, answered);
    if (!answered) assumptions.assume('image.config', ref);
    const atStart = asked ? !absentFirst : !pulled || firstReported(events) === 'present';
    if (atStart) images.push(facts);
    if (pulled || !atStart) {
      const failed =
        !answered && !pulls.some(({ error }) => !error) && !events.some(({ reason }) => reason === 'Pulled');
      registry.push(failed ? { ref, answer: 'not-found' } : { ...facts, answer: 'serve' });
    }
  }
  return { images, registry };
}

/** True if the image was missing while the pull policy was Never. upstream: pkg/kubelet/images ErrImageNeverPull */
function isMissed(ref: string, events: readonly { readonly reason: string }[], { seen }: Setting): boolean {
  return events.some(({ reason }) => reason === 'ErrImageNeverPull') || byPod(seen).neverPulled.has(ref);
}

function firstReported(events: readonly { readonly reason: string; readonly message: string }[]): string {
  const first = events.find(({ reason }) => reason === 'Pulling' || reason === 'Pulled');
  return first?.reason === 'Pulled' && /already present/.test(first.message) ? 'present' : 'pulled';
}

/** Every image that a container was to have, in order of first sight. */
function refsOf({ seen, assumptions }: Setting): Set<string> {
  // The images that containers were given because no source reports one.
  const refs = new Set(assumptions.list.flatMap(({ code, about }) => (code === 'image.present' ? [about] : [])));
  for (const { objects } of seen.pods.values())
    for (const { object } of objects) {
      const spec = objectOf(object.spec);
      for (const list of ['initContainers', 'containers', 'ephemeralContainers'])
        for (const { image } of objectsOf(spec[list])) if (textOf(image)) refs.add(textOf(image));
    }
  for (const { image } of seen.containers.values()) if (image && !image.startsWith('sha256:')) refs.add(image);
  for (const { message } of seen.events) {
    const found = /^(?:Container|Pulling|Successfully pulled) image "([^"]+)"/.exec(message);
    if (found) refs.add(found[1] as string);
  }
  return refs;
}

function factsOf(ref: string, image: JsonObject | null): JsonObject {
  const digests = Array.isArray(image?.repoDigests) ? image.repoDigests.map(String) : [];
  const digest = digests[0]?.split('@')[1];
  const size = numberOf(image?.size);
  const uid = numberOf(objectOf(image?.uid).value);
  const user = textOf(image?.username) || (uid === undefined || uid === 0 ? '' : String(uid));
  return {
    ref,
    ...(image && textOf(image.id) && { id: textOf(image.id) }),
    ...(digest && { digest }),
    ...(size !== undefined && { size }),
    ...(user && { user }),
    ...(image?.pinned === true && { pinned: true }),
    // An image that no source describes runs until it is stopped, if no source reports how its container lived.
    ...(!image && { cmd: ['sleep', 'infinity'] }),
    programs: 'busybox',
  };
}
