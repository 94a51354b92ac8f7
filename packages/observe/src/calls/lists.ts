/** Makes pods with their sandboxes and containers from a pair of lists, as GetPods does. */
import type { Json } from '@syncloop/core/trace';
import { list, text } from '../cri/subjects.js';

/** States as the PLEG names them. upstream: pkg/kubelet/pleg/generic.go plegContainerState */
export type PlegState = 'running' | 'exited' | 'unknown' | 'non-existent';

export interface Listed {
  readonly id: string;
  /** '' for a sandbox. */
  readonly name: string;
  readonly sandbox: boolean;
  readonly state: PlegState;
}
export interface ListedPod {
  readonly uid: string;
  /** `namespace/name`; '' if unknown. */
  readonly pod: string;
  /** Containers, then sandboxes. */
  readonly items: readonly Listed[];
}

const LABEL = {
  uid: 'io.kubernetes.pod.uid',
  name: 'io.kubernetes.pod.name',
  namespace: 'io.kubernetes.pod.namespace',
};

/** upstream: pkg/kubelet/pleg/generic.go convertState: what was only created is unknown to the PLEG. */
const containerState = (item: Json): PlegState => {
  const state = text(item, 'state');
  return state === 'CONTAINER_RUNNING' ? 'running' : state === 'CONTAINER_EXITED' ? 'exited' : 'unknown';
};

/** The pods of two answers, of ListPodSandbox and ListContainers. */
export function podsOf(sandboxes: Json, containers: Json): Map<string, ListedPod> {
  const pods = new Map<string, { uid: string; pod: string; containers: Listed[]; sandboxes: Listed[] }>();
  const of = (uid: string, pod: string) => {
    let one = pods.get(uid);
    if (!one) {
      one = { uid, pod, containers: [], sandboxes: [] };
      pods.set(uid, one);
    }
    return one;
  };
  for (const item of list(sandboxes, 'items')) {
    const [id, uid] = [text(item, 'id'), text(item, 'metadata', 'uid')];
    const [namespace, name] = [text(item, 'metadata', 'namespace'), text(item, 'metadata', 'name')];
    if (id === '' || uid === '') continue;
    // READY is the zero value.
    const state = text(item, 'state') === 'SANDBOX_NOTREADY' ? 'exited' : 'running';
    of(uid, name === '' ? '' : `${namespace}/${name}`).sandboxes.push({ id, name: '', sandbox: true, state });
  }
  for (const item of list(containers, 'containers')) {
    const [id, uid] = [text(item, 'id'), text(item, 'labels', LABEL.uid)];
    const [namespace, name] = [text(item, 'labels', LABEL.namespace), text(item, 'labels', LABEL.name)];
    if (id === '' || uid === '') continue;
    of(uid, name === '' ? '' : `${namespace}/${name}`).containers.push({
      id,
      name: text(item, 'metadata', 'name'),
      sandbox: false,
      state: containerState(item),
    });
  }
  return new Map(
    [...pods].map(([uid, { pod, containers, sandboxes }]) => [uid, { uid, pod, items: [...containers, ...sandboxes] }]),
  );
}

export interface Change {
  readonly item: Listed;
  readonly old: PlegState;
  readonly new: PlegState;
}

/** Returns the changes of a pod between two looks. upstream: pkg/kubelet/pleg/generic.go computeEvents */
export function changesOf(before: ListedPod | undefined, after: ListedPod | undefined): Change[] {
  const changes: Change[] = [];
  const old = new Map(before?.items.map((item) => [item.id, item]));
  for (const item of after?.items ?? []) {
    const was = old.get(item.id)?.state ?? 'non-existent';
    old.delete(item.id);
    if (was !== item.state) changes.push({ item, old: was, new: item.state });
  }
  for (const item of old.values()) changes.push({ item, old: item.state, new: 'non-existent' });
  return changes;
}

/**
 * upstream: pkg/kubelet/pleg/generic.go generateEvents. The PLEG sends no ContainerChanged; the loop receives
 * ContainerRemoved, but neither acts on it nor logs it, so that no source could confirm it.
 */
export function eventTypes({ old, new: now }: Change): readonly string[] {
  switch (now) {
    case 'running':
      return ['ContainerStarted'];
    case 'exited':
      return ['ContainerDied'];
    case 'unknown':
      return [];
    case 'non-existent':
      return old === 'exited' ? [] : ['ContainerDied'];
  }
}
