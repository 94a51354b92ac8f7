/** Reads facts from a Pod's JSON, which anybody may have written. */
import { isObject } from '@syncloop/core/base';
import type { Json } from '@syncloop/core/trace';

type JsonObject = { readonly [key: string]: Json | undefined };
const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/**
 * The pod as the kubelet knows it: `namespace/name`, and its UID; '' for what is missing. The API's image of a static
 * pod, its mirror pod, has a UID of its own; the kubelet goes by that of the static pod, which is in an annotation.
 * upstream: pkg/kubelet/types/constants.go ConfigMirrorAnnotationKey
 */
export function podIdentity(pod: Json): { readonly pod: string; readonly uid: string } {
  const metadata = object(object(pod).metadata);
  const name = text(metadata.name);
  const namespace = text(metadata.namespace);
  const mirrored = text(object(metadata.annotations)['kubernetes.io/config.mirror']);
  return {
    pod: name !== '' && namespace !== '' ? `${namespace}/${name}` : name,
    uid: mirrored || text(metadata.uid),
  };
}

/** Returns the status if it has any content. */
export function podStatus(pod: Json): Json | undefined {
  const { status } = object(pod);
  return isObject(status) && Object.keys(status).length > 0 ? status : undefined;
}

const SEEN = 'kubernetes.io/config.seen';

/**
 * The latest time in a pod, in microseconds since 1970: it was not read before then. Null: there is none.
 */
export function latestMention(pod: Json): number | null {
  const { metadata: m, status: s } = object(pod);
  const metadata = object(m);
  const status = object(s);
  const states = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'].flatMap((name) =>
    list(status[name]).flatMap((container) => {
      const { state, lastState } = object(container);
      return [state, lastState].flatMap((one) => Object.values(object(one)).map((value) => object(value)));
    }),
  );
  const times = [
    metadata.creationTimestamp,
    object(metadata.annotations)[SEEN],
    status.startTime,
    ...list(metadata.managedFields).map((field) => object(field).time),
    ...list(status.conditions).flatMap((c) => [object(c).lastTransitionTime, object(c).lastProbeTime]),
    ...states.flatMap(({ startedAt, finishedAt }) => [startedAt, finishedAt]),
  ].flatMap((time) => {
    const micros = typeof time === 'string' ? rfc3339Micros(time) : null;
    return micros === null ? [] : [micros];
  });
  return times.length > 0 ? Math.max(...times) : null;
}

/** A time of the API, in microseconds since 1970; null for a text that is not a time, and for Go's zero time. */
export function rfc3339Micros(time: string): number | null {
  const found = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d{1,9}))?(?:Z|[+-]\d\d:\d\d)$/.exec(time);
  if (!found) return null;
  const millis = Date.parse(found[1] === undefined ? time : time.replace(`.${found[1]}`, ''));
  if (!(millis > 0)) return null;
  return millis * 1000 + Number((found[1] ?? '').padEnd(6, '0').slice(0, 6));
}
