/** The API objects that the printers take, as far as a run has them. */
import type { ContainerStatus, Pod, PodStatus } from '../api/types.js';
import type { NodeState, PodView } from '../trace/index.js';

/**
 * The pods that the kubelet gives a status to, in the order of their names. `known`: the objects, if the session could
 * be asked; the records alone have only the status, the name and the containers' names and images.
 */
export function podsOf(state: NodeState, node: string, known: readonly Pod[] = []): Pod[] {
  const byUid = new Map(known.map((p) => [p.metadata.uid, p]));
  return Object.values(state.pods)
    .filter((view) => view.status !== null)
    .map((view) => podOf(view, node, byUid.get(view.uid)))
    .sort((a, b) => {
      const [x, y] = [`${a.metadata.namespace}/${a.metadata.name}`, `${b.metadata.namespace}/${b.metadata.name}`];
      return x < y ? -1 : x > y ? 1 : 0;
    });
}

/** One pod with the status that the records have last. */
export function podOf(view: PodView, node: string, known: Pod | undefined): Pod {
  return withStatus(view, view.status as unknown as PodStatus, node, known);
}

/** A pod with a status that it had at some time. */
export function withStatus(
  view: Pick<PodView, 'uid' | 'pod'> & { readonly source?: string; readonly worker?: PodView['worker'] },
  status: PodStatus,
  node: string,
  known: Pod | undefined,
): Pod {
  // A pod that nobody created in an API server has no time of creation; since when the kubelet has it is what comes
  // nearest.
  const creationTimestamp = known?.metadata.creationTimestamp ?? status.startTime ?? null;
  if (known) return { ...known, metadata: { ...known.metadata, creationTimestamp }, status };
  const [namespace = '', name = ''] = split(view.pod);
  const spec = (list: readonly ContainerStatus[] | undefined) =>
    (list ?? []).map((c) => ({ name: c.name, image: c.image }));
  const init = spec(status.initContainerStatuses);
  // Only a pod of an API server is deleted with a time to go.
  const ends = view.source === 'api' && view.worker?.state === 'terminating';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid: view.uid,
      creationTimestamp,
      ...(ends && { deletionTimestamp: creationTimestamp }),
    },
    spec: {
      nodeName: node,
      containers: spec(status.containerStatuses),
      ...(init.length > 0 && { initContainers: init }),
    },
    status,
  };
}

function split(pod: string): [string, string] {
  const at = pod.indexOf('/');
  return at < 0 ? ['default', pod] : [pod.slice(0, at), pod.slice(at + 1)];
}

/** Returns the names of all containers of a pod. */
export function containerNames({ spec }: Pod): string[] {
  return [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])].map((c) => c.name);
}
