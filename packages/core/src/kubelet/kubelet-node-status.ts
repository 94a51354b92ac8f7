import type { NodeObject } from '../api/cluster-types.js';
import { deepCopy } from '../base/deep.js';
import { messageOf } from '../base/index.js';
import type { NodeInfo } from '../host/os.js';
import {
  background,
  type Context,
  formatDuration,
  frame,
  type Go,
  type Kernel,
  Millisecond,
  Mutex,
  Second,
  sleep,
} from '../kernel/index.js';
import type { Micros } from '../trace/index.js';
import type { KubeClient, NodeLister } from './client/kube-client.js';
import type { KubeletConfig } from './config.js';
import type { EventRecorder } from './events.js';
import { Logger } from './klog.js';
import { bareNode, patchFailed, registerWithAPIServer, setRequiredLabels } from './kubelet-node-registration.js';
import { metricsOf } from './metrics/kubelet-metrics.js';
import { nodeStatusHasChanged } from './nodestatus/changed.js';
import { hostnameOf } from './nodestatus/default-setters.js';
import { isIPv4 } from './nodestatus/node-ip.js';
import { nodeStatusPatch } from './nodestatus/patch.js';
import { type NodeStatusRules, nodeStatusRules } from './nodestatus/rules.js';
import { NodeTrace } from './nodestatus/trace.js';
import type { NodeDraft, Setter } from './nodestatus/types.js';
import type { RuntimeState } from './runtime-state.js';
import { jitter } from './util/jitter.js';

/** upstream: kubelet.go nodeStatusUpdateRetry, nodeReadyGracePeriod */
const nodeStatusUpdateRetry = 5;
const nodeReadyGracePeriod = 120 * Second;

/**
 * The node as Kubernetes Events name it: its uid is not known when it has to be named first.
 * upstream: NewMainKubelet nodeRef
 */
export const nodeReference = (config: Pick<KubeletConfig, 'nodeName'>) => ({
  metadata: { name: config.nodeName, namespace: '', uid: '' },
});

/** The parts of the kubelet that {@link NodeStatusManager} is built from. */
export interface NodeStatusDeps {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly host: NodeInfo;
  readonly recorder: EventRecorder;
  /** Null: stand-alone. upstream: heartbeatClient */
  readonly client: KubeClient | null;
  /** Default: `client`. upstream: kubeClient */
  readonly registrationClient?: KubeClient | null;
  /** The node from its watch; set if there is a client. */
  readonly lister: NodeLister | null;
  readonly runtimeState: RuntimeState;
  readonly setters: readonly { readonly name: string; readonly set: Setter }[];
  /** Returns the features that the node declares; null: it declares none. */
  readonly declaredFeatures: () => readonly string[] | null;
  /** Tells the runtime the addresses of its pods. upstream: (*kubeGenericRuntimeManager).UpdatePodCIDR */
  readonly updatePodCIDR: (cidr: string) => Go<void>;
  /** Returns true if an existing node's extended resources begin at zero. Default: they do. */
  readonly shouldResetExtendedResources?: () => Go<boolean>;
  readonly updateRuntimeUp: () => Go<void>;
  /** Makes the kubelet log a runtime that is not ready from now on. upstream: containerRuntimeReadyExpected */
  readonly runtimeReadyExpected: () => Go<void>;
  /** Called when heartbeats fail repeatedly. upstream: onRepeatedHeartbeatFailure */
  readonly onRepeatedHeartbeatFailure?: () => void;
  /** Default: those of v1.36. */
  readonly rules?: NodeStatusRules;
}

/** Writes the node's status, at the times upstream does. upstream: pkg/kubelet/kubelet_node_status.go */
export class NodeStatusManager {
  private readonly log: Logger;
  private readonly trace: NodeTrace;
  private readonly syncNodeStatusMux: Mutex;
  private readonly rules: NodeStatusRules;
  private readonly hostname: string;
  private readonly arch: string;
  private registrationCompleted = false;
  private lastStatusReportTime: Micros | null = null;
  private delayAfterNodeStatusChange: Micros = 0;
  private lastNodeUnschedulable = false;
  private cachedNode: NodeObject | null = null;

  constructor(private readonly deps: NodeStatusDeps) {
    const { kernel, config, host } = deps;
    this.log = new Logger(kernel, 'kubelet_node_status.go');
    this.trace = new NodeTrace(kernel);
    this.syncNodeStatusMux = new Mutex(kernel, 'syncNodeStatusMux');
    this.rules = deps.rules ?? nodeStatusRules;
    this.hostname = hostnameOf(config, host);
    this.arch = host.architecture ?? 'amd64';
  }

  // --- the node --------------------------------------------------------------------------------------------------

  /**
   * The node as its watch shows it; stand-alone it is made again each time, and never sent. Throws an APIError if it
   * is not there.
   * upstream: (*Kubelet).GetNode
   */
  *getNode(): Go<NodeObject> {
    const { client, lister } = this.deps;
    return client && lister ? lister.get() : yield* this.initialNode();
  }

  /** Returns the node like getNode, but makes one if none exists. upstream: (*Kubelet).getNodeAnyWay */
  *getNodeAnyWay(): Go<NodeObject> {
    const { client, lister } = this.deps;
    if (client && lister)
      try {
        return lister.get();
      } catch {
        // Made below.
      }
    return yield* this.initialNode();
  }

  /**
   * Returns the node; with `useCache` false it reads it from the API server.
   * upstream: kubelet_nodecache.go (*Kubelet).GetCachedNode
   */
  *getCachedNode(useCache: boolean): Go<NodeObject> {
    const { client, lister, config } = this.deps;
    if (!client || !lister) return yield* this.initialNode();
    if (!useCache) {
      this.cachedNode = yield* client.getNode(config.nodeName);
      return this.cachedNode;
    }
    let informed: NodeObject;
    try {
      informed = lister.get();
    } catch (err) {
      if (!this.cachedNode) return yield* this.initialNode();
      new Logger(this.deps.kernel, 'kubelet_nodecache.go').error(err, 'failed to list node; using cached node');
      return this.cachedNode;
    }
    const version = (n: NodeObject) => Number(n.metadata.resourceVersion);
    if (!this.cachedNode || !(version(informed) <= version(this.cachedNode))) this.cachedNode = informed;
    return this.cachedNode;
  }

  /**
   * Addresses that pods on the host's network have: internal ones first, at most one of each family.
   * upstream: nodeutil.GetNodeHostIPs
   */
  hostIPs(): readonly string[] {
    let node: NodeObject | null = null;
    try {
      node = this.deps.lister?.get() ?? null;
    } catch {
      // The lister does not have the node yet.
    }
    const of = (type: string) => (node?.status?.addresses ?? []).filter((a) => a.type === type).map((a) => a.address);
    const all = [...of('InternalIP'), ...of('ExternalIP')];
    const [first] = all;
    if (first === undefined) return this.deps.host.addresses;
    const second = all.find((ip) => isIPv4(ip) !== isIPv4(first));
    return second === undefined ? [first] : [first, second];
  }

  /** The addresses that the node had when it was read last. upstream: (*Kubelet).getLastObservedNodeAddresses */
  lastObservedAddresses(): readonly { readonly type: string; readonly address: string }[] {
    try {
      return this.deps.lister?.get().status?.addresses ?? [];
    } catch {
      return [];
    }
  }

  /** The node as it would be registered. upstream: (*Kubelet).initialNode */
  *initialNode(): Go<NodeObject> {
    const node = bareNode(this.deps.config, this.hostname, this.arch, this.log);
    return yield* this.setNodeStatus(node);
  }

  /** Overwrites the parts of the status that the kubelet owns. upstream: (*Kubelet).setNodeStatus */
  private *setNodeStatus(node: NodeObject): Go<NodeObject> {
    node.status ??= {};
    const draft = node as NodeDraft;
    const kv = { node: node.metadata.name };
    let position = 0;
    for (const { set } of this.deps.setters) {
      this.log.info(5, 'Setting node status condition code', { position: position++, ...kv });
      try {
        yield* set(draft);
      } catch (err) {
        this.log.error(err, 'Failed to set some node status fields', kv);
      }
    }
    this.recordNodeSchedulableEvent(node);
    const declared = this.deps.declaredFeatures();
    if (declared) draft.status.declaredFeatures = [...declared];
    this.trace.show(draft);
    return draft;
  }

  /** upstream: (*Kubelet).recordNodeSchedulableEvent */
  private recordNodeSchedulableEvent(node: NodeObject): void {
    const unschedulable = node.spec?.unschedulable ?? false;
    if (this.lastNodeUnschedulable === unschedulable) return;
    this.lastNodeUnschedulable = unschedulable;
    this.recordNodeStatusEvent(unschedulable ? 'NodeNotSchedulable' : 'NodeSchedulable');
  }

  /** upstream: (*Kubelet).recordNodeStatusEvent */
  recordNodeStatusEvent(event: string): void {
    recordNodeStatusEvent(this.log, this.deps.recorder, this.deps.config, event);
  }

  // --- status updates --------------------------------------------------------------------------------------------

  /** Runs the regular updates, only with a client. upstream: within (*Kubelet).Run */
  *run(): Go<void> {
    const { kernel, config } = this.deps;
    const { checksRuntimeFirst, jitterFactor } = this.rules;
    // The runtime first: after a restart the node would otherwise be reported not ready.
    if (checksRuntimeFirst) yield* this.deps.updateRuntimeUp();
    for (;;) {
      yield* this.syncOnce();
      const period = config.nodeStatusUpdateFrequency;
      yield* sleep(jitterFactor > 0 ? jitter(kernel, period, jitterFactor) : period);
    }
  }

  private syncOnce(): Go<void> {
    return frame('syncNodeStatus', undefined, () => this.syncNodeStatus(background));
  }

  /**
   * Registers the node if needed, then updates its status.
   * upstream: pkg/kubelet/kubelet_node_status.go (*Kubelet).syncNodeStatus
   */
  *syncNodeStatus(ctx: Context): Go<void> {
    const { client, config } = this.deps;
    if (!client) return;
    yield* this.syncNodeStatusMux.lock();
    try {
      if (config.registerNode && !this.registrationCompleted) {
        const { kernel, registrationClient, shouldResetExtendedResources } = this.deps;
        metricsOf(kernel).nodeStartupLatency.attemptRegisterNode();
        const initialNode = () => this.initialNode();
        const deps = {
          kernel,
          config,
          client: registrationClient ?? client,
          log: this.log,
          initialNode,
          ...(shouldResetExtendedResources && { shouldResetExtendedResources }),
        };
        yield* frame('registerWithAPIServer', undefined, () => registerWithAPIServer(deps));
        this.registrationCompleted = true;
      }
      try {
        yield* this.updateNodeStatus(ctx, client);
      } catch (err) {
        this.log.error(err, 'Unable to update node status');
      }
    } finally {
      this.syncNodeStatusMux.unlock();
    }
  }

  /** upstream: (*Kubelet).updateNodeStatus */
  private *updateNodeStatus(ctx: Context, client: KubeClient): Go<void> {
    this.log.info(5, 'Updating node status');
    for (let i = 0; i < nodeStatusUpdateRetry; i++) {
      try {
        yield* this.tryUpdateNodeStatus(ctx, client, i);
        return;
      } catch (err) {
        if (i > 0) this.deps.onRepeatedHeartbeatFailure?.();
        this.log.error(err, 'Error updating node status, will retry');
      }
    }
    throw new Error('update node status exceeds retry count');
  }

  /** upstream: (*Kubelet).tryUpdateNodeStatus */
  private *tryUpdateNodeStatus(ctx: Context, client: KubeClient, tryNumber: number): Go<void> {
    const { kernel, config, lister } = this.deps;
    let original: NodeObject;
    try {
      original =
        tryNumber === 0 && lister && this.rules.readsFromLister ? lister.get() : yield* client.getNode(config.nodeName);
    } catch (err) {
      throw new Error(`error getting node ${JSON.stringify(config.nodeName)}: ${messageOf(err)}`, { cause: err });
    }
    const { node, changed } = yield* this.updateNode(original);
    if (!changed && !this.isUpdateStatusPeriodExpired()) return;
    // After a plain expiry the times are spread already.
    const spread = this.rules.spreadsReports && (changed || this.lastStatusReportTime === null);
    this.delayAfterNodeStatusChange = spread
      ? Math.round(config.nodeStatusReportFrequency * (kernel.random.float() - 0.5))
      : 0;
    yield* this.patchNodeStatus(ctx, client, original, node);
  }

  /** upstream: isUpdateStatusPeriodExpired */
  private isUpdateStatusPeriodExpired(): boolean {
    const { kernel, config } = this.deps;
    return (
      this.lastStatusReportTime === null ||
      kernel.now() - this.lastStatusReportTime >= config.nodeStatusReportFrequency + this.delayAfterNodeStatusChange
    );
  }

  /**
   * A copy of the node as it should be; `changed`: that is something else than it is.
   * upstream: (*Kubelet).updateNode
   */
  private *updateNode(original: NodeObject): Go<{ node: NodeObject; changed: boolean }> {
    const node = deepCopy(original);
    let changed = false;
    const podCIDRs = node.spec?.podCIDRs ?? [];
    if (podCIDRs.length > 0)
      try {
        changed = yield* this.updatePodCIDR(podCIDRs.join(','));
      } catch (err) {
        // A change that failed may have been made.
        changed = true;
        this.log.error(err, 'Error updating pod CIDR');
      }
    if (setRequiredLabels(node, this.arch)) changed = true;
    yield* this.setNodeStatus(node);
    return { node, changed: changed || nodeStatusHasChanged(original.status, node.status) };
  }

  /** upstream: kubelet_network.go (*Kubelet).updatePodCIDR */
  private *updatePodCIDR(cidr: string): Go<boolean> {
    const { kernel, runtimeState } = this.deps;
    const before = runtimeState.podCIDR();
    if (before === cidr) return false;
    try {
      yield* this.deps.updatePodCIDR(cidr);
    } catch (err) {
      throw new Error(`failed to update pod CIDR: ${messageOf(err)}`, { cause: err });
    }
    new Logger(kernel, 'kubelet_network.go').info(0, 'Updating Pod CIDR', {
      originalPodCIDR: before,
      newPodCIDR: cidr,
    });
    runtimeState.setPodCIDR(cidr);
    return true;
  }

  /** upstream: (*Kubelet).patchNodeStatus */
  private *patchNodeStatus(ctx: Context, client: KubeClient, original: NodeObject, node: NodeObject): Go<void> {
    const { kernel, config } = this.deps;
    const patch = nodeStatusPatch(original, node);
    try {
      yield* client.patchNodeStatus(ctx, config.nodeName, patch);
    } catch (err) {
      kernel.emit({ kind: 'node-status', op: 'failed', node: config.nodeName, error: messageOf(err) });
      throw patchFailed(patch, config.nodeName, err);
    }
    this.lastStatusReportTime = kernel.now();
    const ready = node.status?.conditions?.find((c) => c.type === 'Ready');
    if (ready?.status === 'True') metricsOf(kernel).nodeStartupLatency.nodeReady();
    kernel.emit({ kind: 'node-status', op: 'reported', node: config.nodeName });
  }

  // --- the first minutes -------------------------------------------------------------------------------------------

  /**
   * Writes the status as soon as the node is ready, and then ends. Runs only with a client.
   * upstream: pkg/kubelet/kubelet.go (*Kubelet).fastStatusUpdateOnce (fidelity 3:NODE-18)
   */
  fastStatusUpdateOnce(): Go<void> {
    const waitsForReady = this.rules.fastUpdateWaitsFor === 'ready';
    const args = waitsForReady ? { nodeReadyGracePeriod: formatDuration(nodeReadyGracePeriod) } : undefined;
    const once = () => (waitsForReady ? this.updateOnceReady() : this.updateOncePodCIDR());
    return frame('fastStatusUpdateOnce', args, once);
  }

  /**
   * Waits until the node has addresses for its pods, for ever if nobody gives it any.
   * upstream: v1.25 pkg/kubelet/kubelet.go (*Kubelet).fastStatusUpdateOnce
   */
  private *updateOncePodCIDR(): Go<void> {
    const log = new Logger(this.deps.kernel, 'kubelet.go');
    for (;;) {
      yield* sleep(100 * Millisecond);
      let node: NodeObject;
      try {
        node = yield* this.getNode();
      } catch (err) {
        log.error(err, 'Error getting node');
        continue;
      }
      const CIDR = (node.spec?.podCIDRs ?? []).join(',');
      if (CIDR === '') continue;
      try {
        yield* this.updatePodCIDR(CIDR);
      } catch (err) {
        log.error(err, 'Pod CIDR update failed', { CIDR });
        continue;
      }
      yield* this.deps.updateRuntimeUp();
      yield* this.syncOnce();
      return;
    }
  }

  private *updateOnceReady(): Go<void> {
    const { kernel } = this.deps;
    const start = kernel.now();
    for (;;) {
      const timeout = kernel.now() - start >= nodeReadyGracePeriod;
      if (yield* this.fastNodeStatusUpdate(timeout)) {
        yield* this.deps.runtimeReadyExpected();
        return;
      }
      yield* sleep(100 * Millisecond);
    }
  }

  /** upstream: (*Kubelet).fastNodeStatusUpdate */
  private *fastNodeStatusUpdate(timeout: boolean): Go<boolean> {
    const { client } = this.deps;
    let sync = false;
    yield* this.syncNodeStatusMux.lock();
    try {
      if (timeout) {
        this.log.error(null, 'Node not becoming ready in time after startup');
        return true;
      }
      let original: NodeObject;
      try {
        original = yield* this.getNode();
      } catch (err) {
        this.log.error(err, 'Error getting the current node from lister');
        return false;
      }
      const ready = (node: NodeObject) => node.status?.conditions?.find((c) => c.type === 'Ready');
      const before = ready(original);
      if (!before) {
        this.log.error(null, 'Node does not have NodeReady condition', { originalNode: original.metadata.name });
        return false;
      }
      if (before.status === 'True') return true;
      yield* this.deps.updateRuntimeUp();
      const { node, changed } = yield* this.updateNode(original);
      if (!changed) return false;
      const after = ready(node);
      if (!after) {
        this.log.error(null, 'Node does not have NodeReady condition', { node: node.metadata.name });
        return false;
      }
      if (after.status === 'False') return false;
      this.log.info(0, 'Fast updating node status as it just became ready');
      try {
        yield* this.patchNodeStatus(background, client as KubeClient, original, node);
      } catch (err) {
        // The lister may be behind; the regular update reads the node from the API server.
        this.log.error(err, 'Error updating node status, will retry with syncNodeStatus');
        sync = true;
      }
    } finally {
      this.syncNodeStatusMux.unlock();
    }
    if (sync) yield* this.syncNodeStatus(background);
    return true;
  }
}

/** upstream: (*Kubelet).recordNodeStatusEvent */
export function recordNodeStatusEvent(
  log: Logger,
  recorder: EventRecorder,
  config: Pick<KubeletConfig, 'nodeName'>,
  event: string,
): void {
  const node = config.nodeName;
  log.info(2, 'Recording event message for node', { node, event });
  recorder.event(nodeReference(config), 'Normal', event, `Node ${node} status is now: ${event}`, '', 'Node');
}
