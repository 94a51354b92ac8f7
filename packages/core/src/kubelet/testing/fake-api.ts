import { type Chan, type Context, type Go, type Kernel, Millisecond, makeChan, sleep } from '../../kernel/index.js';
import type { Pod, PodStatus } from '../api/types.js';
import { APIError, type KubeClient, type NodeObject, type PodWatchEvent } from '../client/kube-client.js';
import { deepCopy } from '../util/deep.js';

const key = (namespace: string, name: string) => `${namespace}/${name}`;

/** An API server with pods and one node, in memory. Every call takes 1 ms. */
export class FakeAPI implements KubeClient {
  readonly pods = new Map<string, Pod>();
  /** `create default/web-node1`, in order. */
  readonly log: string[] = [];
  node: NodeObject | null = { metadata: { name: 'node1', uid: 'node-uid' } };
  synced = true;
  /** Calls by name that fail, and how. */
  readonly failing = new Map<'createPod' | 'deletePodWith' | 'listPods', Error>();
  private watches: Chan<PodWatchEvent>[] = [];
  private version = 0;
  constructor(private readonly kernel: Kernel) {}

  private notify(type: PodWatchEvent['type'], pod: Pod): void {
    this.version++;
    for (const w of this.watches) w.trySend({ type, pod: deepCopy(pod) });
  }
  /** As somebody else would. */
  put(pod: Pod): void {
    const k = key(pod.metadata.namespace, pod.metadata.name);
    const type = this.pods.has(k) ? 'MODIFIED' : 'ADDED';
    this.pods.set(k, deepCopy(pod));
    this.notify(type, pod);
  }
  remove(namespace: string, name: string): void {
    const pod = this.pods.get(key(namespace, name));
    this.pods.delete(key(namespace, name));
    if (pod) this.notify('DELETED', pod);
  }
  /** Ends all watches. */
  hangUp(): void {
    for (const w of this.watches) w.close();
    this.watches = [];
  }
  private *call(name: Parameters<typeof this.failing.get>[0]): Go<void> {
    yield* sleep(Millisecond);
    const err = this.failing.get(name);
    if (err) throw err;
  }

  nodeHasSynced(): boolean {
    return this.synced;
  }
  *getNode(name: string): Go<NodeObject> {
    yield* sleep(Millisecond);
    if (!this.node) throw new APIError('NotFound', `node "${name}" not found`);
    return this.node;
  }
  *createPod(_ctx: Context, pod: Pod): Go<Pod> {
    const { namespace, name } = pod.metadata;
    this.log.push(`create ${key(namespace, name)}`);
    yield* this.call('createPod');
    const there = this.pods.get(key(namespace, name));
    if (there) throw new APIError('AlreadyExists', `pods "${name}" already exists`, there);
    const made = { ...deepCopy(pod), metadata: { ...deepCopy(pod.metadata), uid: `api-${name}` } };
    this.put(made);
    return made;
  }
  *deletePodWith(
    _ctx: Context,
    namespace: string,
    name: string,
    { gracePeriodSeconds, uid }: { gracePeriodSeconds: number; uid: string | null },
  ): Go<void> {
    this.log.push(`delete ${key(namespace, name)} grace=${gracePeriodSeconds} uid=${uid}`);
    yield* this.call('deletePodWith');
    const there = this.pods.get(key(namespace, name));
    if (!there) throw new APIError('NotFound', `pods "${name}" not found`);
    if (uid !== null && there.metadata.uid !== uid)
      throw new APIError('Conflict', `the UID in the precondition (${uid}) does not match`);
    this.remove(namespace, name);
  }
  *listPods(): Go<{ pods: Pod[]; resourceVersion: string }> {
    this.log.push('list');
    yield* this.call('listPods');
    return { pods: [...this.pods.values()].map(deepCopy), resourceVersion: String(this.version) };
  }
  *watchPods(_ctx: Context, _node: string, resourceVersion: string): Go<Chan<PodWatchEvent>> {
    this.log.push(`watch ${resourceVersion}`);
    const ch = makeChan<PodWatchEvent>(this.kernel, 'watch pods', 100, { quiet: true });
    this.watches.push(ch);
    return ch;
  }

  *getPod(namespace: string, name: string): Go<Pod | null> {
    yield* sleep(Millisecond);
    const pod = this.pods.get(key(namespace, name));
    return pod ? deepCopy(pod) : null;
  }
  *patchPodStatus(pod: Pod, old: PodStatus, status: PodStatus): Go<{ pod: Pod; patch: string; unchanged: boolean }> {
    yield* sleep(Millisecond);
    const unchanged = JSON.stringify(old) === JSON.stringify(status);
    const there = this.pods.get(key(pod.metadata.namespace, pod.metadata.name));
    if (there && !unchanged) this.put({ ...there, status });
    return { pod: there ?? pod, patch: unchanged ? '{}' : JSON.stringify(status), unchanged };
  }
  *deletePod(namespace: string, name: string, uid: string): Go<void> {
    this.log.push(`finish ${key(namespace, name)} uid=${uid}`);
    yield* sleep(Millisecond);
    this.remove(namespace, name);
  }
}
