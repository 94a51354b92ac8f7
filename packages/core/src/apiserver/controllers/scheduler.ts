import type { Taint } from '../../api/cluster-types.js';
import { matchesNodeAffinity } from '../../api/pod/node-affinity.js';
import { findUntoleratedTaint } from '../../api/pod/taints.js';
import type { Pod } from '../../api/types.js';
import { parseQuantity } from '../../base/index.js';
import type { ServerCore } from '../http/core.js';
import { bindPod } from '../http/subresources.js';
import { copyJSON, equalJSON, type JsonObject } from '../json.js';
import type { Env } from '../registry/resource.js';
import { nodes, pods } from '../resources/index.js';
import { asPod } from '../resources/pod.js';
import { StatusError } from '../status.js';
import type { ApiObject } from '../types.js';
import { createEvent } from './create-event.js';

/** Waiting pods that one pass looks at. */
const triedAtOnce = 20;

/** The requests of all pods of a node; cpu and memory in billionths. */
interface Usage {
  readonly pods: number;
  readonly cpu: bigint;
  readonly memory: bigint;
}

interface NodeShape {
  spec?: { taints?: Taint[]; unschedulable?: boolean };
  status?: { conditions?: { type: string; status: string }[]; allocatable?: Record<string, string> };
}

/**
 * Binds pods to the first node, by name, that takes them, and keeps the taints of nodes in step with their conditions.
 * It knows node selectors, required node affinity, taints, cpu, memory and the number of pods; nothing of scores,
 * spreading or preemption.
 */
export class Scheduler {
  /** The number of waiting pods for which this round has found no node; the next pass goes on behind them. */
  private next = 0;
  /** The usage of each node, while a pass goes on. */
  private usage: Map<string, Usage> | null = null;

  constructor(private readonly server: ServerCore) {}

  /** True if it changed something. */
  pass(env: Env): boolean {
    let changed = false;
    for (const node of [...this.server.store.list('nodes')]) changed = this.taint(node, env) || changed;
    this.usage = null;
    const all = this.server.store.list('pods');
    const waiting = all.filter((o) => {
      const { spec, metadata } = asPod(o);
      if (spec.nodeName || metadata.deletionTimestamp || spec.schedulerName !== 'default-scheduler') return false;
      return !(o.spec as { schedulingGates?: unknown[] }).schedulingGates?.length;
    });
    const rest = waiting.length - this.next - triedAtOnce;
    const turn = waiting.slice(this.next, this.next + triedAtOnce);
    for (const o of turn) {
      try {
        if (this.schedule(o, env)) changed = true;
        else this.next++;
      } catch (error) {
        // One pod that cannot be written, as in a namespace that is going, does not keep the others waiting.
        if (!(error instanceof StatusError)) throw error;
        this.next++;
      }
    }
    // Those that were bound are no longer among the waiting ones; a round that is through begins again with the next
    // change.
    if (rest <= 0) this.next = 0;
    return changed || rest > 0;
  }

  /** upstream: pkg/controller/nodelifecycle doNoScheduleTaintingPass */
  private taint(node: ApiObject, env: Env): boolean {
    const { spec = {}, status = {} } = node as unknown as NodeShape;
    const is = (type: string) => status.conditions?.find((c) => c.type === type)?.status;
    const ready = is('Ready');
    const wanted: string[] = [];
    if (ready === undefined || ready === 'False') wanted.push('node.kubernetes.io/not-ready');
    if (ready === 'Unknown') wanted.push('node.kubernetes.io/unreachable');
    for (const [type, key] of [
      ['MemoryPressure', 'memory-pressure'],
      ['DiskPressure', 'disk-pressure'],
      ['PIDPressure', 'pid-pressure'],
      ['NetworkUnavailable', 'network-unavailable'],
    ] as const)
      if (is(type) === 'True') wanted.push(`node.kubernetes.io/${key}`);
    if (spec.unschedulable) wanted.push('node.kubernetes.io/unschedulable');
    const ours =
      /^node\.kubernetes\.io\/(not-ready|unreachable|memory-pressure|disk-pressure|pid-pressure|network-unavailable|unschedulable)$/;
    const kept = (spec.taints ?? []).filter(
      (t) => t.effect !== 'NoSchedule' || !ours.test(t.key) || wanted.includes(t.key),
    );
    const added = wanted
      .filter((key) => !kept.some((t) => t.key === key && t.effect === 'NoSchedule'))
      .map((key) => ({ key, effect: 'NoSchedule', timeAdded: env.now }));
    const taints = [...kept, ...added];
    if (equalJSON(taints, spec.taints ?? [])) return false;
    const change = (old: ApiObject): ApiObject => {
      const next = copyJSON(old);
      const s = next.spec as { taints?: unknown[] };
      if (taints.length > 0) s.taints = taints;
      else delete s.taints;
      return next;
    };
    this.server.registry.update(nodes, '', node.metadata.name, change, env, {
      dryRun: false,
      manager: 'kube-controller-manager',
    });
    return true;
  }

  private schedule(o: ApiObject, env: Env): boolean {
    const pod = asPod(o);
    const all = this.server.store.list('nodes');
    const reasons = new Map<string, number>();
    for (const node of all) {
      const why = this.refuses(node, pod);
      if (why === null) {
        const { namespace, name } = o.metadata as { namespace: string; name: string };
        bindPod(this.server, namespace, name, node.metadata.name, env);
        this.take(node.metadata.name, pod);
        this.event(
          o,
          env,
          'Normal',
          'Scheduled',
          'Binding',
          `Successfully assigned ${namespace}/${name} to ${node.metadata.name}`,
        );
        return true;
      }
      reasons.set(why, (reasons.get(why) ?? 0) + 1);
    }
    const why = [...reasons].map(([text, n]) => `${n} ${text}`).sort();
    const message =
      all.length === 0
        ? 'no nodes available to schedule pods'
        : `0/${all.length} nodes are available: ${why.join(', ')}. no new claims to deallocate, preemption: 0/${all.length} nodes are available: ${all.length} Preemption is not helpful for scheduling.`;
    return this.unschedulable(o, env, message);
  }

  private unschedulable(o: ApiObject, env: Env, message: string): boolean {
    const before = asPod(o).status.conditions?.find((c) => c.type === 'PodScheduled');
    if (before?.reason === 'Unschedulable' && before.message === message) return false;
    const change = (old: ApiObject): ApiObject => {
      const next = copyJSON(old);
      const status = next.status as { conditions?: JsonObject[] };
      const same = status.conditions?.find((c) => c.type === 'PodScheduled' && c.status === 'False');
      const condition = {
        type: 'PodScheduled',
        observedGeneration: next.metadata.generation,
        status: 'False',
        lastProbeTime: null,
        lastTransitionTime: same?.lastTransitionTime ?? env.now,
        reason: 'Unschedulable',
        message,
      };
      status.conditions = [...(status.conditions ?? []).filter((c) => c.type !== 'PodScheduled'), condition];
      return next;
    };
    const { namespace = '', name } = o.metadata;
    const rules = pods.subresources?.status;
    if (!rules) return false;
    this.server.registry.update(pods, namespace, name, change, env, {
      dryRun: false,
      manager: 'kube-scheduler',
      subresource: { name: 'status', rules },
    });
    this.event(o, env, 'Warning', 'FailedScheduling', 'Scheduling', message);
    return false;
  }

  /** Says why the node does not take the pod; null if it does. */
  private refuses(node: ApiObject, pod: Pod): string | null {
    const { spec = {}, status = {} } = node as unknown as NodeShape;
    const untolerated = (taints: readonly Taint[]) =>
      findUntoleratedTaint(
        taints,
        pod.spec.tolerations ?? [],
        ({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute',
      );
    if (spec.unschedulable && untolerated([{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }]))
      return 'node(s) were unschedulable';
    const taint = untolerated(spec.taints ?? []);
    if (taint) return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
    if (!matchesNodeAffinity(pod, { name: node.metadata.name, labels: node.metadata.labels ?? {} }))
      return "node(s) didn't match Pod's node affinity/selector";
    return this.full(status.allocatable ?? {}, node.metadata.name, pod);
  }
  private full(allocatable: Readonly<Record<string, string>>, nodeName: string, pod: Pod): string | null {
    const here = this.usageOf(nodeName);
    if (allocatable.pods !== undefined && here.pods + 1 > Number(allocatable.pods)) return 'Too many pods';
    for (const name of ['cpu', 'memory'] as const) {
      const given = allocatable[name];
      const asked = requestOf(pod, name);
      if (given === undefined || asked === 0n) continue;
      if (here[name] + asked > parseQuantity(given)) return `Insufficient ${name}`;
    }
    return null;
  }

  /**
   * Returns the usage of a node, counted once in a pass: to count for each waiting pod again would take quadratic time.
   */
  private usageOf(nodeName: string): Usage {
    if (!this.usage) {
      this.usage = new Map();
      for (const o of this.server.store.list('pods')) {
        const { spec, status } = asPod(o);
        if (spec.nodeName && status.phase !== 'Failed' && status.phase !== 'Succeeded')
          this.take(spec.nodeName, asPod(o));
      }
    }
    return this.usage.get(nodeName) ?? { pods: 0, cpu: 0n, memory: 0n };
  }
  private take(nodeName: string, pod: Pod): void {
    const { pods: n, cpu, memory } = this.usage?.get(nodeName) ?? { pods: 0, cpu: 0n, memory: 0n };
    const [c, m] = [requestOf(pod, 'cpu'), requestOf(pod, 'memory')];
    this.usage?.set(nodeName, { pods: n + 1, cpu: cpu + c, memory: memory + m });
  }

  private event(o: ApiObject, env: Env, type: string, reason: string, action: string, message: string): void {
    createEvent(
      this.server,
      { kind: 'Pod', apiVersion: 'v1', metadata: o.metadata },
      {
        reason,
        message,
        source: {},
        firstTimestamp: null,
        lastTimestamp: null,
        type,
        eventTime: new Date(env.nowMillis).toISOString().replace('Z', '000Z'),
        action,
        reportingComponent: 'default-scheduler',
        reportingInstance: 'default-scheduler-syncloop',
      },
      { env, manager: 'kube-scheduler' },
    );
  }
}

/** Returns a pod's request for a resource, in billionths. upstream: resourcehelper.PodRequests */
function requestOf(pod: Pod, name: string): bigint {
  const of = (r: { requests?: Record<string, string> } | undefined): bigint => {
    const text = r?.requests?.[name];
    try {
      return text === undefined ? 0n : parseQuantity(text);
    } catch {
      return 0n;
    }
  };
  if (pod.spec.resources?.requests?.[name] !== undefined) return of(pod.spec.resources);
  const init = pod.spec.initContainers ?? [];
  const sidecars = init.filter((c) => c.restartPolicy === 'Always').reduce((n, c) => n + of(c.resources), 0n);
  const main = pod.spec.containers.reduce((n, c) => n + of(c.resources), 0n) + sidecars;
  const most = init
    .filter((c) => c.restartPolicy !== 'Always')
    .reduce((n, c) => (of(c.resources) > n ? of(c.resources) : n), 0n);
  const overhead = pod.spec.overhead?.[name];
  return (main > most ? main : most) + (overhead ? parseQuantity(overhead) : 0n);
}
