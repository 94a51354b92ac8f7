import type { KubeletParts, RuntimeContainer, RuntimePod } from '@syncloop/core/kubelet/parts';
import { list, object, oneOf, text } from '@syncloop/core/shape';
import type { Json } from '@syncloop/core/trace';
import type { Seam } from './seam.js';

const types = ['ContainerStarted', 'ContainerDied', 'ContainerRemoved', 'ContainerChanged'] as const;
type Events = ReturnType<NonNullable<KubeletParts['plegEvents']>>;

export const plegEvents: Seam<Events> = {
  part: 'plegEvents',
  fn: 'computeEvents',
  result: list(object({ type: oneOf(...types), data: text }), 10_000),
  // The order of containers is free, that of one container's events is not.
  canonical: (events) =>
    (events as readonly { readonly data: string }[]).toSorted((a, b) =>
      a.data < b.data ? -1 : Number(a.data > b.data),
    ) as unknown as Json,
};

const listed = ({ id, name, state }: RuntimeContainer): Json => ({ id: id.id, name, state });

/** A pod as the learner's function sees it: sandboxes are listed next to its containers. */
export const podOfList = (pod: RuntimePod | null): Json =>
  pod && {
    uid: pod.id,
    name: pod.namespace ? `${pod.namespace}/${pod.name}` : pod.name,
    containers: pod.containers.map(listed),
    sandboxes: pod.sandboxes.map(listed),
  };
