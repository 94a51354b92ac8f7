import { Millisecond, Second, type TimerHandle } from '../../kernel/index.js';
import type { AuthorizationMode } from '../authorization/index.js';
import { bootstrapClusterRoleBindings, bootstrapClusterRoles } from '../authorization/policy.js';
import type { ServerCore } from '../http/core.js';
import { copyJSON, type JsonObject } from '../json.js';
import { type Env, type Resource, storageName } from '../registry/resource.js';
import {
  configMaps,
  endpointsResource,
  namespaces,
  priorityClasses,
  serviceAccounts,
  services,
} from '../resources/index.js';
import { clusterRoleBindings, clusterRoles } from '../resources/rbac.js';
import { StatusError } from '../status.js';
import { setTimer } from '../storage/timers.js';
import type { ApiObject, UserInfo } from '../types.js';
import { type CertificateOptions, Certificates } from './certificates.js';
import { ClusterRoleAggregation } from './cluster-roles.js';
import { EventTTL } from './event-ttl.js';
import { withoutFinalizer } from './finalizers.js';
import { JobController } from './jobs.js';
import { Scheduler } from './scheduler.js';

export interface ControllerOptions extends CertificateOptions {
  readonly authorizationModes?: readonly AuthorizationMode[];
  readonly rootCA?: string;
  readonly schedulePods?: boolean;
  readonly runJobs?: boolean;
  readonly collectGarbage?: boolean;
}

export const system: UserInfo = { name: 'system:apiserver', groups: ['system:masters'] };
/** The time that a controller takes to see a change and act on it. */
const pace = 10 * Millisecond;

/** Objects of a namespace that one pass deletes. */
const emptiedAtOnce = 50;

/** The controllers of the cluster: default objects, owners, namespaces, and the scheduler. */
export class Controllers {
  private readonly scheduler: Scheduler | null;
  private timer: TimerHandle | null = null;
  /** Uids of what is gone, whose dependents are to be looked at. */
  private goneOwners = new Set<string>();
  /** Changes were taken back, some of them ours. */
  private lost = false;

  constructor(
    private readonly server: ServerCore,
    private readonly options: ControllerOptions,
  ) {
    this.scheduler = options.schedulePods ? new Scheduler(server) : null;
  }
  private env(): Env {
    return this.server.env({ method: 'PUT', path: '', user: system }, { dryRun: false, warn() {} });
  }

  /** Starts the controllers; with `again` they go on where an earlier run ended. */
  start(again: boolean): void {
    const { server } = this;
    this.furnishCluster();
    for (const r of server.resources.filter(({ view }) => !view))
      server.store.watch(storageName(r), { change: (c) => this.changed(r, c.object) });
    for (const ns of server.store.list('namespaces'))
      if (!ns.metadata.deletionTimestamp) this.furnish(ns.metadata.name);
    new EventTTL(server);
    const certificates = new Certificates(server, this.options);
    const roles = this.options.authorizationModes?.includes('RBAC') ? new ClusterRoleAggregation(server) : null;
    const jobs = this.options.runJobs ? new JobController(server) : null;
    server.store.onAbort = () => {
      this.lost = true;
      certificates.resync();
      roles?.resync();
      jobs?.resync();
      setTimer(server.kernel, Second, () => this.wake());
    };
    if (!again) return;
    this.findGoneOwners();
    this.wake();
    jobs?.resync();
  }
  /** Makes what every cluster has and is not there. */
  private furnishCluster(): void {
    const { server } = this;
    for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease'])
      this.provide(namespaces, { metadata: { name } });
    for (const [name, value, text] of [
      ['system-node-critical', 2_000_001_000, 'system critical pods that must not be moved from their current node.'],
      [
        'system-cluster-critical',
        2_000_000_000,
        'system critical pods that must run in the cluster, but can be moved to another node if necessary.',
      ],
    ] as const)
      this.provide(priorityClasses, { metadata: { name }, value, description: `Used for ${text}` });
    if (this.options.authorizationModes?.includes('RBAC')) this.furnishRBAC();
    const address = server.serverAddress.replace(/:\d+$/, '');
    const port = Number(/:(\d+)$/.exec(server.serverAddress)?.[1] ?? 443);
    const metadata = {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    };
    this.provide(services, {
      metadata,
      spec: {
        clusterIP: '10.96.0.1',
        ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }],
        type: 'ClusterIP',
      },
    });
    this.provide(endpointsResource, {
      metadata: copyJSON(metadata),
      subsets: [{ addresses: [{ ip: address }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
    });
  }
  /** Finds the owners that are gone, from the stored objects alone. */
  private findGoneOwners(): void {
    if (this.options.collectGarbage === false) return;
    const { server } = this;
    const there = new Set<string>();
    for (const [, o] of server.store.all()) there.add(o.metadata.uid as string);
    const kinds = new Set(server.resources.map((r) => r.kind));
    // This server cannot know whether an owner of a kind that it does not have is gone.
    for (const [, o] of server.store.all())
      for (const ref of o.metadata.ownerReferences ?? [])
        if (!there.has(ref.uid) && kinds.has(ref.kind)) this.goneOwners.add(ref.uid);
  }
  /** Makes an object, or gives one of an earlier run the content that it has now. */
  private provide(r: Resource, draft: ApiObject): void {
    const { namespace = '', name } = draft.metadata;
    const old = this.server.registry.find(r, namespace, name);
    if (!old) {
      this.create(r, draft);
      return;
    }
    // Nobody may change these, or whoever did wanted it.
    if (r.resource === 'namespaces' || r.resource === 'priorityclasses') return;
    const change = (): ApiObject => ({ ...copyJSON(old), ...copyJSON(draft), metadata: copyJSON(old.metadata) });
    this.server.registry.update(r, namespace, name, change, this.env(), { dryRun: false, manager: 'kube-apiserver' });
  }
  /** Roles and bindings that are there already stay as they are. */
  private furnishRBAC(): void {
    const missing = (r: Resource) => (o: ApiObject) => !this.server.registry.find(r, '', o.metadata.name);
    for (const o of bootstrapClusterRoles().filter(missing(clusterRoles))) this.create(clusterRoles, o);
    for (const o of bootstrapClusterRoleBindings().filter(missing(clusterRoleBindings)))
      this.create(clusterRoleBindings, o);
  }
  private create(r: Resource, draft: ApiObject): void {
    this.server.registry.create(
      r,
      { apiVersion: r.group ? `${r.group}/v1` : 'v1', kind: r.kind, ...draft },
      this.env(),
      {
        dryRun: false,
        manager: 'kube-apiserver',
      },
    );
  }
  /** Creates the objects that each namespace has. upstream: the service account and root CA controllers */
  private furnish(namespace: string): void {
    const has = (r: Resource, name: string) => this.server.registry.find(r, namespace, name) !== undefined;
    if (!has(serviceAccounts, 'default')) this.create(serviceAccounts, { metadata: { name: 'default', namespace } });
    const { rootCA } = this.options;
    if (rootCA === undefined) return;
    const found = this.server.registry.find(configMaps, namespace, 'kube-root-ca.crt');
    if ((found?.data as Record<string, string> | undefined)?.['ca.crt'] === rootCA) return;
    this.provide(configMaps, { metadata: { name: 'kube-root-ca.crt', namespace }, data: { 'ca.crt': rootCA } });
  }

  private changed({ resource }: Resource, { metadata }: ApiObject): void {
    const isPlaced = this.scheduler && (resource === 'pods' || resource === 'nodes');
    const waits = metadata.deletionTimestamp && metadata.finalizers?.includes('foregroundDeletion');
    if (resource === 'namespaces' || isPlaced || waits) this.wake();
  }
  /** Notes an object that is removed. */
  gone(resource: Resource, object: ApiObject): void {
    if (this.options.collectGarbage === false) return;
    // Most things own nothing: it takes looking at all others to know.
    if (resource.resource === 'events' || resource.resource === 'leases') return;
    this.goneOwners.add(object.metadata.uid as string);
    this.wake();
  }
  /** Takes an owner's mark off its dependents, so that they stay. */
  orphan(owner: ApiObject): void {
    const { uid } = owner.metadata;
    for (const [name, o] of [...this.server.store.all()]) {
      const refs = o.metadata.ownerReferences;
      if (!refs?.some((r) => r.uid === uid)) continue;
      const left = refs.filter((r) => r.uid !== uid);
      const metadata = { ...o.metadata, ownerReferences: left };
      if (left.length === 0) delete (metadata as { ownerReferences?: unknown }).ownerReferences;
      this.server.store.put(name, { ...o, metadata });
    }
  }

  private wake(): void {
    if (this.timer) return;
    this.timer = setTimer(this.server.kernel, pace, () => {
      this.timer = null;
      this.pass();
    });
  }
  private pass(): void {
    try {
      this.server.store.withReserve(() => this.work());
    } catch (error) {
      // No room, or a change that came between: it is tried again.
      if (!(error instanceof StatusError)) throw error;
      setTimer(this.server.kernel, Second, () => this.wake());
    }
  }
  private work(): void {
    if (this.lost) {
      this.furnishCluster();
      this.findGoneOwners();
      this.lost = false;
    }
    this.collect();
    this.foreground();
    for (const ns of [...this.server.store.list('namespaces')]) {
      if (ns.metadata.deletionTimestamp) this.empty(ns);
      else this.furnish(ns.metadata.name);
    }
    if (this.scheduler?.pass(this.env())) this.wake();
  }

  private resourceOf(storage: string): Resource | undefined {
    return this.server.resources.find((r) => !r.view && storageName(r) === storage);
  }
  private remove(storage: string, o: ApiObject): void {
    const r = this.resourceOf(storage);
    if (!r || o.metadata.deletionTimestamp) return;
    this.server.registry.delete(r, o.metadata.namespace ?? '', o.metadata.name, this.env(), { dryRun: false });
  }

  /** Dependents all of whose owners are gone go too. upstream: pkg/controller/garbagecollector */
  private collect(): void {
    if (this.goneOwners.size === 0) return;
    const gone = this.goneOwners;
    this.goneOwners = new Set();
    const dependents = [...this.server.store.linked()].filter(([, o]) =>
      o.metadata.ownerReferences?.some((r) => gone.has(r.uid)),
    );
    if (dependents.length === 0) return;
    const there = new Set<string>();
    for (const [, o] of this.server.store.all()) there.add(o.metadata.uid as string);
    for (const [name, o] of dependents)
      if (!o.metadata.ownerReferences?.some((r) => there.has(r.uid))) this.remove(name, o);
  }

  /** Owners that wait for their dependents. */
  private foreground(): void {
    const waiting = [...this.server.store.linked()].filter(([, o]) =>
      o.metadata.finalizers?.includes('foregroundDeletion'),
    );
    if (waiting.length === 0) return;
    const owned = new Map<string, (readonly [string, ApiObject])[]>(
      waiting.map(([, o]) => [o.metadata.uid as string, []]),
    );
    for (const [name, o] of this.server.store.linked())
      for (const uid of new Set(o.metadata.ownerReferences?.map((r) => r.uid))) owned.get(uid)?.push([name, o]);
    for (const [name, owner] of waiting) {
      const dependents = owned.get(owner.metadata.uid as string) ?? [];
      for (const [dependent, o] of dependents) this.remove(dependent, o);
      const r = this.resourceOf(name);
      if (
        !r ||
        dependents.some(([d, o]) =>
          this.server.store.get(
            d,
            o.metadata.namespace ? `${o.metadata.namespace}/${o.metadata.name}` : o.metadata.name,
          ),
        )
      )
        continue;
      const change = (old: ApiObject) => withoutFinalizer(old, 'foregroundDeletion');
      this.server.registry.update(r, owner.metadata.namespace ?? '', owner.metadata.name, change, this.env(), {
        dryRun: false,
        manager: 'kube-controller-manager',
      });
    }
  }

  /**
   * Deletes the contents of a namespace that is being deleted; once it is empty, it goes, too.
   * upstream: pkg/controller/namespace
   */
  private empty(ns: ApiObject): void {
    if (this.options.collectGarbage === false) return;
    const { name } = ns.metadata;
    let left = 0;
    let deleted = 0;
    for (const [storage, o] of [...this.server.store.all()]) {
      if (o.metadata.namespace !== name) continue;
      // The rest follows soon: a step of the kernel must be short.
      if (!o.metadata.deletionTimestamp && ++deleted > emptiedAtOnce) {
        this.wake();
        return;
      }
      this.remove(storage, o);
      if (this.server.store.get(storage, `${name}/${o.metadata.name}`)) left++;
    }
    if (left > 0) {
      setTimer(this.server.kernel, Second, () => this.wake());
      return;
    }
    const next = copyJSON(ns);
    (next.spec as JsonObject).finalizers = [];
    this.server.store.put('namespaces', next);
    if (!next.metadata.finalizers?.length) this.server.registry.remove(namespaces, next);
  }
}
