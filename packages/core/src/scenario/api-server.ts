import {
  type Chan,
  type Context,
  type Go,
  type Kernel,
  Millisecond,
  makeChan,
  messageOf,
  Random,
  Second,
  sleep,
} from '../kernel/index.js';
import { podFromJSON } from '../kubelet/api/decode.js';
import { toTime } from '../kubelet/api/time.js';
import type { Pod, PodStatus } from '../kubelet/api/types.js';
import { validatePod } from '../kubelet/api/validation.js';
import { APIError, type KubeClient, type NodeObject, type PodWatchEvent } from '../kubelet/client/kube-client.js';
import type { EnvObjects } from '../kubelet/pod-env.js';
import { deepCopy, deepEqual } from '../kubelet/util/deep.js';
import { ScenarioError, suggest } from './errors.js';

const latency = 2 * Millisecond;
const host = '10.96.0.1:443';
/** Events that a watch may be behind before it is ended. */
const watchBuffer = 1000;

/** upstream: pkg/kubelet/envvars FromServices, for default/kubernetes */
const kubernetesService: ReadonlyMap<string, string> = new Map([
  ['KUBERNETES_SERVICE_HOST', '10.96.0.1'],
  ['KUBERNETES_SERVICE_PORT', '443'],
  ['KUBERNETES_SERVICE_PORT_HTTPS', '443'],
  ['KUBERNETES_PORT', `tcp://${host}`],
  ['KUBERNETES_PORT_443_TCP', `tcp://${host}`],
  ['KUBERNETES_PORT_443_TCP_PROTO', 'tcp'],
  ['KUBERNETES_PORT_443_TCP_PORT', '443'],
  ['KUBERNETES_PORT_443_TCP_ADDR', '10.96.0.1'],
]);

const key = (namespace: string, name: string) => `${namespace}/${name}`;

/** The API server of a simulated cluster, as far as one kubelet needs it: its node, and pods. In memory. */
export class ApiServer implements KubeClient {
  private readonly pods = new Map<string, Pod>();
  private readonly node: NodeObject;
  private readonly random: Random;
  private watches: Chan<PodWatchEvent>[] = [];
  private version = 1;
  /** Who cut it off; it is reachable while nobody does. */
  private cuts = 0;

  constructor(
    private readonly kernel: Kernel,
    private readonly nodeName: string,
    seed: number,
  ) {
    this.random = new Random((seed ^ 0xbb67ae85) >>> 0);
    this.node = { metadata: { name: nodeName, uid: this.newUid() } };
  }

  private newUid(): string {
    const hex = this.random.hex(32);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  // --- what people do ------------------------------------------------------------------------------------------------

  get reachable(): boolean {
    return this.cuts === 0;
  }
  /** Calls fail and watches end until `connect` was called as often. */
  disconnect(): void {
    this.cuts++;
    for (const w of this.watches) w.close();
    this.watches = [];
  }
  connect(): void {
    this.cuts = Math.max(0, this.cuts - 1);
  }

  list(): readonly Pod[] {
    return [...this.pods.values()];
  }
  /** By name, or `namespace/name`. Throws a ScenarioError that names the pods there are. */
  find(name: string): Pod {
    const pod =
      this.pods.get(name) ?? this.pods.get(key('default', name)) ?? this.list().find((p) => p.metadata.name === name);
    if (pod) return pod;
    throw new ScenarioError(
      `there is no pod "${name}" in the API server; ${suggest(
        name,
        this.list().map((p) => p.metadata.name),
      )}`,
    );
  }

  /** Creates a pod, bound to this node, or changes what may be changed of it. Throws a ScenarioError with the server's words. */
  apply(value: unknown): void {
    let pod: Pod;
    try {
      pod = podFromJSON(value);
    } catch (error) {
      throw new ScenarioError(`the API server refuses the pod: ${messageOf(error)}; correct the manifest`);
    }
    const { metadata } = pod;
    metadata.namespace ||= 'default';
    pod.spec.nodeName = this.nodeName;
    const before = this.pods.get(key(metadata.namespace, metadata.name));
    const errors = metadata.name ? validate(pod, before) : ['name is needed'];
    if (errors.length > 0)
      throw new ScenarioError(`the API server refuses the pod: ${errors.join(', ')}; correct the manifest`);
    if (!before) {
      metadata.uid = this.newUid();
      metadata.creationTimestamp = toTime(this.kernel, this.kernel.now());
      metadata.generation = 1;
      pod.status = { phase: 'Pending' };
      this.put(pod);
      return;
    }
    if (before.metadata.deletionTimestamp)
      throw new ScenarioError(`pod "${metadata.name}" is being deleted; wait until it is gone`);
    if (!deepEqual(immutable(before), immutable(pod)))
      throw new ScenarioError(
        `the API server refuses it: pod updates may not change fields other than images, resources, activeDeadlineSeconds, terminationGracePeriodSeconds, tolerations and ephemeralContainers of "${metadata.name}"; delete the pod first`,
      );
    const changed = !deepEqual(before.spec, pod.spec);
    this.put({
      ...before,
      metadata: {
        ...before.metadata,
        ...(metadata.labels && { labels: metadata.labels }),
        ...(metadata.annotations && { annotations: metadata.annotations }),
        ...(changed && { generation: (before.metadata.generation ?? 1) + 1 }),
      },
      spec: pod.spec,
    });
  }

  /** As `kubectl delete`: the kubelet ends it, then it goes. Throws a ScenarioError. */
  delete(name: string, gracePeriodSeconds?: number): void {
    const pod = this.find(name);
    const { metadata, spec } = pod;
    const grace = gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30;
    if (grace === 0) {
      this.drop(pod);
      return;
    }
    if (metadata.deletionTimestamp && grace >= (metadata.deletionGracePeriodSeconds ?? grace)) return;
    this.put({
      ...pod,
      metadata: {
        ...metadata,
        deletionTimestamp: toTime(this.kernel, this.kernel.now() + grace * Second),
        deletionGracePeriodSeconds: grace,
      },
    });
  }

  private put(pod: Pod): void {
    const k = key(pod.metadata.namespace, pod.metadata.name);
    const type = this.pods.has(k) ? 'MODIFIED' : 'ADDED';
    const stored = deepCopy(pod);
    stored.metadata.resourceVersion = String(++this.version);
    this.pods.set(k, stored);
    this.notify(type, stored);
  }
  private drop(pod: Pod): void {
    if (!this.pods.delete(key(pod.metadata.namespace, pod.metadata.name))) return;
    this.version++;
    this.notify('DELETED', pod);
  }
  private notify(type: PodWatchEvent['type'], pod: Pod): void {
    // One that does not keep up is ended, as a real server does.
    this.watches = this.watches.filter((w) => {
      if (w.trySend({ type, pod: deepCopy(pod) })) return true;
      w.close();
      return false;
    });
  }

  /** ConfigMaps and Secrets, of which there are none, and the one service that every cluster has. */
  envObjects(): EnvObjects {
    // The kubelet has them from a watch: it knows at once.
    function* missing(kind: string, name: string): Go<never> {
      throw new APIError('NotFound', `${kind} "${name}" not found`);
    }
    return {
      getConfigMap: (_, name) => missing('configmap', name),
      getSecret: (_, name) => missing('secret', name),
      isNotFound: (err) => err instanceof APIError && err.reason === 'NotFound',
      getServiceEnvVarMap: () => kubernetesService,
    };
  }

  // --- what the kubelet asks -----------------------------------------------------------------------------------------

  /** One call's way there and back; throws where there is no way. */
  private *call(method: string, path: string): Go<void> {
    yield* sleep(latency);
    if (!this.reachable)
      throw new APIError(
        'Unavailable',
        `${method} "https://${host}/api/v1/${path}": dial tcp ${host}: connect: connection refused`,
      );
  }

  nodeHasSynced(): boolean {
    return this.reachable;
  }
  *getNode(name: string): Go<NodeObject> {
    yield* this.call('Get', `nodes/${name}`);
    if (name !== this.nodeName) throw new APIError('NotFound', `nodes "${name}" not found`);
    return this.node;
  }
  *createPod(_ctx: Context, pod: Pod): Go<Pod> {
    const { namespace, name } = pod.metadata;
    yield* this.call('Post', `namespaces/${namespace}/pods`);
    const there = this.pods.get(key(namespace, name));
    if (there) throw new APIError('AlreadyExists', `pods "${name}" already exists`, deepCopy(there));
    const made = deepCopy(pod);
    made.metadata.uid = this.newUid();
    made.metadata.creationTimestamp = toTime(this.kernel, this.kernel.now());
    this.put(made);
    return deepCopy(made);
  }
  *deletePodWith(
    _ctx: Context,
    namespace: string,
    name: string,
    { uid }: { gracePeriodSeconds: number; uid: string | null },
  ): Go<void> {
    yield* this.call('Delete', `namespaces/${namespace}/pods/${name}`);
    const there = this.pods.get(key(namespace, name));
    if (!there) throw new APIError('NotFound', `pods "${name}" not found`);
    if (uid !== null && there.metadata.uid !== uid)
      throw new APIError(
        'Conflict',
        `Operation cannot be fulfilled on Pod "${name}": the UID in the precondition (${uid}) does not match the UID in record (${there.metadata.uid}). The object might have been deleted and then recreated`,
      );
    this.drop(there);
  }
  *listPods(): Go<{ pods: Pod[]; resourceVersion: string }> {
    yield* this.call('Get', `pods?fieldSelector=spec.nodeName%3D${this.nodeName}&limit=500&resourceVersion=0`);
    return { pods: this.list().map(deepCopy), resourceVersion: String(this.version) };
  }
  *watchPods(): Go<Chan<PodWatchEvent>> {
    yield* this.call('Get', `pods?fieldSelector=spec.nodeName%3D${this.nodeName}&watch=true`);
    const watch = makeChan<PodWatchEvent>(this.kernel, 'watch pods', watchBuffer, {
      describe: ({ type, pod: { metadata } }) => ({ type, pod: key(metadata.namespace, metadata.name) }),
    });
    this.watches.push(watch);
    return watch;
  }
  *getPod(namespace: string, name: string): Go<Pod | null> {
    yield* this.call('Get', `namespaces/${namespace}/pods/${name}`);
    const pod = this.pods.get(key(namespace, name));
    return pod ? deepCopy(pod) : null;
  }
  *patchPodStatus(pod: Pod, old: PodStatus, status: PodStatus): Go<{ pod: Pod; patch: string; unchanged: boolean }> {
    const { namespace, name, uid } = pod.metadata;
    const patch = JSON.stringify({
      metadata: { uid },
      ...(deepEqual(old, status) ? {} : { status: changes(old, status) }),
    });
    if (deepEqual(old, status)) return { pod, patch, unchanged: true };
    yield* this.call('Patch', `namespaces/${namespace}/pods/${name}/status`);
    const there = this.pods.get(key(namespace, name));
    if (!there || there.metadata.uid !== uid) throw new APIError('NotFound', `pods "${name}" not found`);
    this.put({ ...there, status });
    return { pod: deepCopy(this.pods.get(key(namespace, name)) ?? there), patch, unchanged: false };
  }
  *deletePod(namespace: string, name: string, uid: string): Go<void> {
    yield* this.call('Delete', `namespaces/${namespace}/pods/${name}`);
    const there = this.pods.get(key(namespace, name));
    if (there?.metadata.uid === uid) this.drop(there);
  }
}

/** The fields of a status that are other than before. */
function changes(old: PodStatus, status: PodStatus): object {
  const before = old as unknown as Record<string, unknown>;
  return Object.fromEntries(Object.entries(status).filter(([k, v]) => !deepEqual(before[k], v)));
}

/** What is wrong with a pod. Ephemeral containers come only later, as `kubectl debug` brings them, and stay. upstream: pkg/apis/core/validation ValidatePodEphemeralContainersUpdate */
function validate(pod: Pod, before: Pod | undefined): readonly string[] {
  if (!before) return validatePod(pod);
  const { ephemeralContainers: now = [], ...spec } = pod.spec;
  const errors = [...validatePod({ ...pod, spec })];
  const others = [...spec.containers, ...(spec.initContainers ?? [])].map((c) => c.name);
  for (const [i, c] of now.entries()) {
    const path = `spec.ephemeralContainers[${i}]`;
    if (!c.name || !c.image) errors.push(`${path}: Required value: name and image`);
    if ([...others, ...now.slice(0, i).map((o) => o.name)].includes(c.name))
      errors.push(`${path}.name: Duplicate value: "${c.name}"`);
  }
  if (!(before.spec.ephemeralContainers ?? []).every((c, i) => deepEqual(c, now[i])))
    errors.push('spec.ephemeralContainers: Forbidden: existing ephemeral containers may not be changed or removed');
  return errors;
}

/** A pod's spec without what an update may change. upstream: pkg/apis/core/validation ValidatePodUpdate */
function immutable(pod: Pod): object {
  const {
    activeDeadlineSeconds: _a,
    terminationGracePeriodSeconds: _t,
    tolerations: _o,
    resources: _r,
    ephemeralContainers: _e,
    ...spec
  } = pod.spec;
  const bare = (list: Pod['spec']['containers'] | undefined) => list?.map(({ image: _i, resources: _c, ...c }) => c);
  return { ...spec, containers: bare(spec.containers), initContainers: bare(spec.initContainers) };
}
