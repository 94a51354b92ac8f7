import type { NodeObject, NodeStatus } from '../api/cluster-types.js';
import { deepCopy } from '../base/deep.js';
import { messageOf, resourceOf } from '../base/index.js';
import { background, frame, type Go, type Kernel, Millisecond, Second, sleep } from '../kernel/index.js';
import { APIError, type KubeClient } from './client/kube-client.js';
import type { KubeletConfig } from './config.js';
import { featureEnabled } from './features.js';
import type { Logger } from './klog.js';
import { metricsOf } from './metrics/kubelet-metrics.js';
import { isExtendedResource, isHugePage } from './nodestatus/allocatable.js';
import { nodeStatusPatch } from './nodestatus/patch.js';

/** upstream: volutil.ControllerManagedAttachAnnotation */
export const ControllerManagedAttachAnnotation = 'volumes.kubernetes.io/controller-managed-attach-detach';

const labels = {
  hostname: 'kubernetes.io/hostname',
  os: 'kubernetes.io/os',
  arch: 'kubernetes.io/arch',
  betaOS: 'beta.kubernetes.io/os',
  betaArch: 'beta.kubernetes.io/arch',
} as const;

/** The labels that an existing node gets again. upstream: updateDefaultLabels */
const defaultLabels = [
  labels.hostname,
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  labels.os,
  labels.arch,
  'node.kubernetes.io/windows-build',
  labels.betaOS,
  labels.betaArch,
];

/** Adds the labels that a node must have; true if one was missing. upstream: within (*Kubelet).updateNode */
export function setRequiredLabels(node: NodeObject, arch: string): boolean {
  let changed = false;
  for (const [label, value] of [
    [labels.os, 'linux'],
    [labels.arch, arch],
  ] as const) {
    if (node.metadata.labels?.[label] === value) continue;
    node.metadata.labels = { ...node.metadata.labels, [label]: value };
    changed = true;
  }
  return changed;
}

/** A node without status, made from the configuration. upstream: (*Kubelet).initialNode, but for the setters */
export function bareNode(config: KubeletConfig, hostname: string, arch: string, log: Logger): NodeObject {
  const own: Record<string, string> = {
    [labels.hostname]: hostname,
    [labels.os]: 'linux',
    [labels.arch]: arch,
    [labels.betaOS]: 'linux',
    [labels.betaArch]: arch,
  };
  const annotations: Record<string, string> = {};
  if (config.enableControllerAttachDetach) {
    log.info(2, 'Setting node annotation to enable volume controller attach/detach');
    annotations[ControllerManagedAttachAnnotation] = 'true';
  } else log.info(2, 'Controller attach/detach is disabled for this node; Kubelet will attach and detach volumes');
  for (const [labelKey, value] of Object.entries(config.nodeLabels)) {
    if (Object.hasOwn(own, labelKey))
      log.info(0, 'the node label will overwrite default setting', {
        labelKey,
        labelValue: value,
        default: own[labelKey],
      });
    Object.defineProperty(own, labelKey, { value, enumerable: true, configurable: true, writable: true });
  }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: config.nodeName,
      labels: own,
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: {
      ...(config.registerWithTaints.length > 0 && { taints: config.registerWithTaints.map((t) => ({ ...t })) }),
      ...(config.providerID !== '' && { providerID: config.providerID }),
    },
  };
}

/** The dependencies of {@link registerWithAPIServer}. */
export interface RegistrationDeps {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly client: KubeClient;
  readonly log: Logger;
  readonly initialNode: () => Go<NodeObject>;
  /** Returns true if an existing node's extended resources begin at zero. Default: they do. */
  readonly shouldResetExtendedResources?: () => Go<boolean>;
}

/**
 * Tries until the node is registered (fidelity 3:NODE-19).
 * upstream: pkg/kubelet/kubelet_node_status.go (*Kubelet).registerWithAPIServer
 */
export function* registerWithAPIServer(deps: RegistrationDeps): Go<void> {
  const { log, kernel } = deps;
  let step = 100 * Millisecond;
  for (;;) {
    yield* sleep(step);
    step = Math.min(step * 2, 7 * Second);
    let node: NodeObject;
    try {
      node = yield* deps.initialNode();
    } catch (err) {
      log.error(err, 'Unable to construct v1.Node object for kubelet');
      continue;
    }
    const kv = { node: node.metadata.name };
    log.info(0, 'Attempting to register node', kv);
    const registered = yield* frame('tryRegisterWithAPIServer', kv, () => tryRegister(deps, node));
    if (!registered) continue;
    log.info(0, 'Successfully registered node', kv);
    kernel.emit({ kind: 'node-status', op: 'registered', node: node.metadata.name });
    return;
  }
}

/**
 * Makes the node, or brings one that is there up to date; false if it has to be tried again.
 * upstream: pkg/kubelet/kubelet_node_status.go (*Kubelet).tryRegisterWithAPIServer
 */
function* tryRegister(deps: RegistrationDeps, node: NodeObject): Go<boolean> {
  const { kernel, client, config, log } = deps;
  const kv = { node: node.metadata.name };
  try {
    yield* client.createNode(background, node);
    metricsOf(kernel).nodeStartupLatency.registeredNewNode();
    return true;
  } catch (err) {
    const reason = err instanceof APIError ? err.reason : '';
    if (reason === 'Forbidden') {
      // The node may exist nevertheless, and be readable.
      if (featureEnabled(config, 'KubeletRegistrationGetOnExistsOnly')) {
        log.error(err, 'Unable to register node with API server, reason is forbidden', kv);
        return false;
      }
    } else if (reason !== 'AlreadyExists') {
      log.error(err, 'Unable to register node with API server', kv);
      return false;
    }
  }
  let original: NodeObject;
  try {
    original = yield* client.getNode(config.nodeName);
  } catch (err) {
    log.error(err, 'Unable to register node with API server, error getting existing node', kv);
    return false;
  }
  const existing = deepCopy(original);
  log.info(0, 'Node was previously registered', kv);
  const reset = deps.shouldResetExtendedResources ? yield* deps.shouldResetExtendedResources() : true;
  if (!reconcileNode(node, existing, log, reset)) return true;
  try {
    yield* client.patchNodeStatus(background, config.nodeName, nodeStatusPatch(original, existing));
    return true;
  } catch (err) {
    log.error(err, 'Unable to reconcile node with API server,error updating node', kv);
    return false;
  }
}

/** Updates an existing node for this kubelet; false if nothing changed. */
export function reconcileNode(
  initial: NodeObject,
  existing: NodeObject,
  log: Logger,
  /** Extended resources begin at zero. */
  reset = true,
): boolean {
  existing.status ??= {};
  const { status } = existing;
  const changes = [
    reconcileAnnotation(initial, existing, log),
    updateDefaultLabels(initial, existing),
    updateDefaultResources(initial.status ?? {}, status),
    reset && resetExtendedResources(existing, log),
    reconcileHugePages(initial.status ?? {}, status, log),
  ];
  return changes.some(Boolean);
}

/** upstream: reconcileCMADAnnotationWithExistingNode */
function reconcileAnnotation(node: NodeObject, existing: NodeObject, log: Logger): boolean {
  const wanted = node.metadata.annotations?.[ControllerManagedAttachAnnotation];
  const there = existing.metadata.annotations?.[ControllerManagedAttachAnnotation];
  if ((wanted ?? '') === (there ?? '')) return false;
  log.info(0, `Controller attach-detach setting changed to ${wanted !== undefined}; updating existing Node`);
  existing.metadata.annotations ??= {};
  if (wanted === undefined) delete existing.metadata.annotations[ControllerManagedAttachAnnotation];
  else existing.metadata.annotations[ControllerManagedAttachAnnotation] = wanted;
  return true;
}

/** upstream: updateDefaultLabels */
function updateDefaultLabels(initial: NodeObject, existing: NodeObject): boolean {
  const wanted = initial.metadata.labels ?? {};
  existing.metadata.labels ??= {};
  const there = existing.metadata.labels;
  let changed = false;
  for (const label of defaultLabels) {
    const value = wanted[label];
    if (value === undefined) continue;
    if (there[label] !== value) {
      there[label] = value;
      changed = true;
    }
    if (there[label] === '') delete there[label];
  }
  return changed;
}

/** upstream: updateDefaultResources */
function updateDefaultResources(initial: NodeStatus, existing: NodeStatus): boolean {
  let changed = false;
  for (const list of ['capacity', 'allocatable'] as const) {
    if (existing[list] !== undefined) continue;
    existing[list] = { ...initial[list] };
    changed ||= initial[list] !== undefined;
  }
  return changed;
}

/**
 * Sets extended resources to zero: on a node that was made again no device plug-in has registered yet.
 * upstream: reconcileExtendedResource, ShouldResetExtendedResourceCapacity
 */
function resetExtendedResources({ metadata, status = {} }: NodeObject, log: Logger): boolean {
  const names = Object.keys(status.capacity ?? {}).filter(isExtendedResource);
  for (const resourceName of names) {
    log.info(0, 'Zero out resource capacity in existing node', { resourceName, node: metadata.name });
    for (const list of [status.capacity, status.allocatable]) if (list) list[resourceName] = '0';
  }
  return names.length > 0;
}

/** upstream: reconcileHugePageResource */
function reconcileHugePages(initial: NodeStatus, existing: NodeStatus, log: Logger): boolean {
  const { capacity = {}, allocatable = {} } = existing;
  let changed = false;
  for (const [name, amount] of Object.entries(initial.capacity ?? {})) {
    if (!isHugePage(name)) continue;
    const known = Object.hasOwn(capacity, name);
    const given = initial.allocatable?.[name] ?? '0';
    if (!known || resourceOf(capacity, name) !== resourceOf(initial.capacity, name)) {
      capacity[name] = amount;
      changed = true;
    }
    if (!known || resourceOf(allocatable, name) !== resourceOf(initial.allocatable, name)) {
      allocatable[name] = given;
      changed = true;
    }
  }
  for (const resourceName of Object.keys(capacity)) {
    if (!isHugePage(resourceName) || Object.hasOwn(initial.capacity ?? {}, resourceName)) continue;
    delete capacity[resourceName];
    delete allocatable[resourceName];
    log.info(0, 'Removing huge page resource which is no longer supported', { resourceName });
    changed = true;
  }
  return changed;
}

/** Returns the error for a patch that the server did not take. upstream: component-helpers PatchNodeStatus */
export const patchFailed = (patch: object, node: string, err: unknown): Error =>
  new Error(
    `failed to patch status ${JSON.stringify(JSON.stringify(patch))} for node ${JSON.stringify(node)}: ${messageOf(err)}`,
    {
      cause: err,
    },
  );
