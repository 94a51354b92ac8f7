import type { RestTransport } from '../../api/client/transport.js';
import { ApiServer, type InProcessTransport, inProcessTransport, type UserInfo } from '../../apiserver/index.js';
import { type Kernel, Millisecond, Random } from '../../kernel/index.js';
import { ScenarioError } from '../../scenario/document/errors.js';
import type { GoldenClusterRecord, GoldenPod, GoldenRequest, UnreadObject } from './types.js';

interface Obj {
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: UnreadObject;
  readonly status?: UnreadObject;
  readonly [field: string]: unknown;
}

const admin: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const namespace = 'default';
/** The API path of each kind, by kind in lower case. */
const resources: Readonly<Record<string, readonly [prefix: string, resource: string, namespaced: boolean]>> = {
  pod: ['/api/v1', 'pods', true],
  configmap: ['/api/v1', 'configmaps', true],
  secret: ['/api/v1', 'secrets', true],
  service: ['/api/v1', 'services', true],
  serviceaccount: ['/api/v1', 'serviceaccounts', true],
  event: ['/api/v1', 'events', true],
  node: ['/api/v1', 'nodes', false],
  namespace: ['/api/v1', 'namespaces', false],
  lease: ['/apis/coordination.k8s.io/v1', 'leases', true],
  runtimeclass: ['/apis/node.k8s.io/v1', 'runtimeclasses', false],
  csinode: ['/apis/storage.k8s.io/v1', 'csinodes', false],
  priorityclass: ['/apis/scheduling.k8s.io/v1', 'priorityclasses', false],
};

/** The API server of a golden run: an own one, in process, watched as the recorder watched a real one. */
export class GoldenCluster {
  private readonly server: ApiServer;
  private readonly node: UserInfo;
  private readonly links: InProcessTransport[] = [];
  private up = true;
  /** Somebody wrote something. */
  private dirty = true;
  private lastPods = '';
  private readonly record: { apiStatus: GoldenClusterRecord['apiStatus']; api: GoldenRequest[] } = {
    apiStatus: [],
    api: [],
  };

  constructor(
    private readonly kernel: Kernel,
    private readonly nodeName: string,
    /** ms since the recording's start. */
    private readonly at: () => number = () => Math.round(kernel.now() / Millisecond),
  ) {
    this.node = { name: `system:node:${nodeName}`, groups: ['system:nodes', 'system:authenticated'] };
    this.server = new ApiServer(kernel, {
      random: new Random(0x60_1d),
      // The same as in the recorded cluster.
      authorizationModes: ['Node'],
      onAudit: ({ verb, resource, subresource, namespace: ns, name, code, user, requestBody }) => {
        if (verb !== 'get' && verb !== 'list' && verb !== 'watch') this.dirty = true;
        if (user === this.node.name && verb !== 'watch')
          this.record.api.push({
            at: this.at(),
            verb,
            resource,
            ...(subresource && { subresource }),
            ...(ns && { namespace: ns }),
            ...(name && { name }),
            code,
            ...(requestBody !== null && requestBody !== undefined && { request: requestBody as UnreadObject }),
          });
      },
    });
  }

  /** The node's way to it, for a kubelet of that kernel. */
  connect(kernel: Kernel = this.kernel): RestTransport {
    const link = inProcessTransport(kernel, this.server, {
      user: this.node,
      host: 'https://127.0.0.1:6443',
      userAgent: 'kubelet/v1.36.2 (linux/amd64)',
      reachable: () => this.up,
    });
    this.links.push(link);
    return link;
  }

  // --- what the steps do ---------------------------------------------------------------------------------------------

  create(object: unknown): void {
    const { kind } = this.kindOf(object);
    this.ask('POST', this.path(kind), {}, this.inDefault(kind, object));
  }
  patch(kind: string, name: string, body: unknown, subresource = ''): void {
    this.ask('PATCH', `${this.path(kind, name)}${subresource && `/${subresource}`}`, {}, body);
  }
  /** Deletes an object. `grace` in seconds; undefined for the object's own. */
  del(kind: string, name: string, grace?: number): void {
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...(grace !== undefined && { gracePeriodSeconds: grace }) };
    this.ask('DELETE', this.path(kind, name), {}, body);
  }
  stop(): void {
    this.up = false;
    for (const link of this.links) link.disconnect();
  }
  start(): void {
    this.server.restarted();
    this.up = true;
  }

  nodeReady(): boolean {
    const node = this.find('node', this.nodeName);
    const conditions = (node?.status?.conditions ?? []) as readonly { type: string; status: string }[];
    return conditions.some((c) => c.type === 'Ready' && c.status === 'True');
  }
  hasPhase(name: string, phase: string): boolean {
    return this.find('pod', name)?.status?.phase === phase;
  }
  isGone(name: string): boolean {
    return this.find('pod', name) === undefined;
  }
  /** Describes a pod, for messages. */
  describe(name: string): string {
    const pod = this.find('pod', name);
    if (pod) return `in the API its phase is ${String(pod.status?.phase ?? 'not set')}`;
    return `there is no such pod in the API; there are: ${
      this.pods()
        .map((p) => p.metadata.name)
        .join(', ') || 'none'
    }`;
  }

  // --- what was seen -------------------------------------------------------------------------------------------------

  /** Keeps what the API shows of pods, if it is other than before. */
  snapshot(): void {
    if (!this.up || !this.dirty) return;
    this.dirty = false;
    const pods: GoldenPod[] = this.pods().map((p) => ({
      name: p.metadata.name,
      uid: p.metadata.uid ?? '',
      deletionTimestamp: Boolean(p.metadata.deletionTimestamp),
      status: p.status ?? {},
    }));
    const text = JSON.stringify(pods);
    if (text === this.lastPods) return;
    this.lastPods = text;
    this.record.apiStatus.push({ at: this.at(), pods: JSON.parse(text) as GoldenPod[] });
  }

  result(): GoldenClusterRecord {
    const events = this.list(`/api/v1/namespaces/${namespace}/events`);
    const node = this.find('node', this.nodeName);
    const lease = this.get(`/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${this.nodeName}`);
    return {
      ...this.record,
      kubeEvents: events.map((e) => {
        const { kind, name, fieldPath } = e.involvedObject as { kind?: string; name?: string; fieldPath?: string };
        const { type, reason, message, count } = e as UnreadObject;
        return { object: `${kind}/${name}`, type, reason, message, count, ...(fieldPath && { fieldPath }) };
      }),
      ...(node && { node: node as UnreadObject }),
      ...(lease && { lease: lease as UnreadObject }),
    };
  }

  // --- the server ----------------------------------------------------------------------------------------------------

  private kindOf(object: unknown): { kind: string } {
    const kind = (object as { kind?: unknown } | null)?.kind;
    if (typeof kind !== 'string') throw new ScenarioError('the object has no kind');
    return { kind };
  }
  private place(kind: string): readonly [prefix: string, resource: string, namespaced: boolean] {
    const key = kind.toLowerCase();
    const found = Object.hasOwn(resources, key) ? resources[key] : undefined;
    if (!found) throw new ScenarioError(`unknown kind ${kind}; known: ${Object.keys(resources).join(', ')}`);
    return found;
  }
  private path(kind: string, name?: string): string {
    const [prefix, resource, namespaced] = this.place(kind);
    const collection = namespaced ? `${prefix}/namespaces/${namespace}/${resource}` : `${prefix}/${resource}`;
    return name === undefined ? collection : `${collection}/${encodeURIComponent(name)}`;
  }
  private inDefault(kind: string, object: unknown): unknown {
    const o = object as Obj;
    return this.place(kind)[2] ? { ...o, metadata: { ...o.metadata, namespace } } : o;
  }

  private get(path: string): Obj | undefined {
    const answer = this.server.handle({ method: 'GET', path, user: admin });
    return answer.kind === 'answer' && answer.code === 200 ? (answer.body as Obj) : undefined;
  }
  private find(kind: string, name: string): Obj | undefined {
    return this.get(this.path(kind, name));
  }
  private list(path: string): readonly Obj[] {
    return (this.get(path)?.items as readonly Obj[] | undefined) ?? [];
  }
  private pods(): readonly Obj[] {
    return this.list(`/api/v1/namespaces/${namespace}/pods`);
  }
  private ask(method: string, path: string, query: Readonly<Record<string, string>>, json: unknown): void {
    if (!this.up) throw new ScenarioError('the API server is stopped; startApi first');
    const contentType = method === 'PATCH' ? 'application/strategic-merge-patch+json' : 'application/json';
    const answer = this.server.handle({
      method,
      path,
      query,
      headers: { accept: 'application/json', 'content-type': contentType, 'user-agent': 'recorder' },
      json,
      user: admin,
    });
    if (answer.kind !== 'answer') throw new ScenarioError(`${method} ${path} is not a request with one answer`);
    if (answer.code < 400) return;
    const { message } = (answer.body ?? {}) as { message?: unknown };
    throw new ScenarioError(`the API server refuses it: ${typeof message === 'string' ? message : answer.code}`);
  }
}
