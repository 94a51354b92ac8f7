import { rpcMethods, rpcSince, rpcs } from '../../../cri/index.js';
import type { Json, TraceRecord } from '../../../trace/index.js';
import { minorOfEra } from '../../era/nearest.js';
import type { EraVersion } from '../../era/versions.js';

/** Since when something is there: the version that brought it, and, if a gate kept it off, the one with it on. */
interface Since {
  readonly since: number;
  readonly on?: number;
  readonly gate?: string;
}

const from = (since: number, on?: number, gate?: string): Since => ({
  since,
  ...(on !== undefined && { on }),
  ...(gate !== undefined && { gate }),
});
const resizing = from(27, 33, 'InPlacePodVerticalScaling');
const user = from(31, 33, 'SupplementalGroupsPolicy');
const mounts = from(30, 31, 'RecursiveReadOnlyMounts');
const generation = from(33, 34, 'PodObservedGenerationTracking');
const ofPod = from(35, 36, 'InPlacePodLevelResourcesVerticalScaling');

/**
 * Fields of a pod's status that came after v1.12, by their path; what stands under one of them came with it. All others
 * are of v1.12.
 * upstream: staging/src/k8s.io/api/core/v1/types.go, pkg/features/kube_features.go, pkg/kubelet/kubelet_pods.go
 */
export const statusFields: { readonly [path: string]: Since } = {
  observedGeneration: generation,
  'conditions.observedGeneration': generation,
  podIPs: from(16),
  hostIPs: from(28, 29, 'PodHostIPs'),
  ephemeralContainerStatuses: from(16, 23, 'EphemeralContainers'),
  resize: resizing,
  resources: ofPod,
  allocatedResources: ofPod,
  'containerStatuses.started': from(16),
  'containerStatuses.resources': resizing,
  'containerStatuses.allocatedResources': resizing,
  'containerStatuses.allocatedResourcesStatus': from(31, 36, 'ResourceHealthStatus'),
  'containerStatuses.volumeMounts': mounts,
  'containerStatuses.user': user,
  'containerStatuses.stopSignal': from(33, 36, 'ContainerStopSignals'),
  'initContainerStatuses.started': from(28, 29, 'SidecarContainers'),
  'initContainerStatuses.resources': resizing,
  'initContainerStatuses.allocatedResources': resizing,
  'initContainerStatuses.volumeMounts': mounts,
  'initContainerStatuses.user': user,
  'ephemeralContainerStatuses.resources': resizing,
  'ephemeralContainerStatuses.volumeMounts': mounts,
  'ephemeralContainerStatuses.user': user,
};

/** Types of conditions that a kubelet sets. */
export const conditions: { readonly [type: string]: Since } = {
  PodScheduled: from(0),
  Initialized: from(0),
  Ready: from(0),
  ContainersReady: from(11),
  PodHasNetwork: from(25, 28, 'PodHasNetworkCondition'),
  DisruptionTarget: from(25, 26),
  PodReadyToStartContainers: from(28, 29),
  PodResizePending: from(33),
  PodResizeInProgress: from(33),
  AllContainersRestarting: from(35, 36, 'RestartAllContainersOnContainerExits'),
};

/** The words of an event, and the versions that have them, both ends included. */
interface EventText {
  readonly reason: string;
  readonly text: RegExp;
  readonly since: number;
  readonly until: number;
}
const event = (reason: string, text: RegExp, since = 0, until = 1000): EventText => ({ reason, text, since, until });

/** Texts of all events that the library leads to. upstream: pkg/kubelet */
export const events: readonly EventText[] = [
  event('Created', /^Created container$/, 0, 13),
  event('Created', /^Created container \S+$/, 14, 32),
  event('Created', /^Created container: \S+$/, 29, 34),
  event('Created', /^Container created$/, 35),
  event('Started', /^Started container$/, 0, 13),
  event('Started', /^Started container \S+$/, 14, 34),
  event('Started', /^Container started$/, 35),
  event('Killing', /^Killing container with id \S+:/, 0, 13),
  event('Killing', /^Stopping container \S+$/, 14),
  event('Killing', /^Container \S+ (definition changed|failed liveness probe)(, will be restarted)?$/, 14),
  event('Killing', /^Container \S+ failed startup probe(, will be restarted)?$/, 16),
  event('Killing', /^FailedPostStartHook$/, 14),
  event('Killing', /^Container \S+ resize requires restart$/, 27),
  event('Killing', /^killing$/, 35),
  event('Pulling', /^pulling image "/, 0, 13),
  event('Pulling', /^Pulling image "/, 14),
  event('Pulled', /^Container image "[^"]*" already present on machine$/),
  event('Pulled', /^Container image "[^"]*" already present on machine and can be accessed by the pod$/, 33),
  event('Pulled', /^Successfully pulled image "[^"]*"$/, 0, 19),
  event('Pulled', /^Successfully pulled image "[^"]*" in \S+$/, 13, 24),
  event('Pulled', /^Successfully pulled image "[^"]*" in \S+ \(\S+ including waiting\)$/, 25, 29),
  event('Pulled', /^Successfully pulled image "[^"]*" in \S+ \(\S+ including waiting\)\. Image size: \d+ bytes\.$/, 30),
  event('BackOff', /^Back-off restarting failed container$/, 0, 25),
  event('BackOff', /^Back-off restarting failed container \S+ in pod \S+$/, 26),
  event('BackOff', /^Back-off pulling image "[^"]*"$/),
  event('FailedCreatePodSandBox', /^Failed create pod sandbox: /, 0, 14),
  event('FailedCreatePodSandBox', /^Failed to create pod sandbox: /, 15),
  event('FailedPostStartHook', /^(Exec|HTTP) lifecycle hook /, 0, 25),
  event('FailedPostStartHook', /^PostStartHook failed$/, 26),
  event('FailedPreStopHook', /^(Exec|HTTP) lifecycle hook /, 0, 25),
  event('FailedPreStopHook', /^PreStopHook failed$/, 26),
  event('Evicted', /^The node was low on resource: \S+\. Threshold quantity: /, 26),
  event('Evicted', /^The node was low on resource: \S+\. (?!Threshold)/, 0, 25),
  event('Evicted', /^The node had condition: /),
  event('ResizeDeferred', /^Pod resize /, 35),
  event('ResizeStarted', /^Pod resize started: /, 35),
  event('ResizeCompleted', /^Pod resize completed: /, 34),
  event('NodeShutdown', /^Shutdown manager detected shutdown (event|cancellation)$/, 21),
  event('NodeShutdown', /^Pod was rejected as the node is shutting down\.$/, 21),
  event('AppArmor', /^Cannot enforce AppArmor: /),
  event('Unhealthy', /^Startup probe /, 16),
  event('Unhealthy', /^(Liveness|Readiness) probe /),
  event('NetworkNotReady', /^network is not ready: \[runtime network not ready: .*\]$/, 0, 14),
  event('NetworkNotReady', /^network is not ready: container runtime network not ready: /, 21),
  event('NetworkNotReady', /^network is not ready: \[?network state unknown\]?$/),
  event('ExceededGracePeriod', /^Container runtime did not kill the pod within specified grace period\.$/),
  ...[
    'CheckLimitsForResolvConf',
    'ContainerGCFailed',
    'DNSConfigForming',
    'DeadlineExceeded',
    'ErrImageNeverPull',
    'EvictionThresholdMet',
    'Failed',
    'FailedKillPod',
    'FailedMount',
    'FailedSync',
    'InspectFailed',
    'NodeAllocatableEnforced',
    'NodeHasDiskPressure',
    'NodeHasInsufficientMemory',
    'NodeHasNoDiskPressure',
    'NodeHasSufficientMemory',
    'NodeHasSufficientPID',
    'NodeNotReady',
    'NodePorts',
    'NodeReady',
    'OutOfcpu',
    'OutOfexample.com/gpu',
    'Preempting',
    'SandboxChanged',
    'Starting',
    'UnexpectedAdmissionError',
  ].map((reason) => event(reason, /^/)),
];

/**
 * Decisions that came after v1.12, by their rule. A decision that had another name has the name of v1.36 in all
 * versions. upstream: pkg/kubelet
 */
export const decisions: { readonly [rule: string]: Since } = {
  calcRestartCountByLogDir: from(21),
  'SyncPod: terminal': from(22),
  allowPodStart: from(22),
  calculateEffectiveGracePeriod: from(22),
  'ephemeral container': from(16, 23, 'EphemeralContainers'),
  startupManager: from(16, 18, 'StartupProbe'),
  'nodeshutdown.killPods': from(20, 21),
  MustAttemptImagePull: from(33, 35, 'KubeletEnsureSecretPulledImages'),
  RestartAllContainers: from(35, 36, 'RestartAllContainersOnContainerExits'),
  computePodResizeAction: resizing,
};

/** Functions that a version cannot have called, by their name in the trace. upstream: pkg/kubelet */
export const functions: { readonly [fn: string]: Since } = {
  'topologyManager.Admit': from(16),
  InitializeCSINodeWithAnnotation: from(14),
  'nodeLeaseController.sync': from(12, 14),
  SetContainerStartup: from(16),
  processShutdownEvent: from(20, 21),
  PerformPodKillingWork: from(19),
  markPodTerminated: from(21),
  'podKiller.KillPod': from(19),
  SyncKnownPods: from(22),
  SyncTerminatedPod: from(22),
  SyncTerminatingPod: from(22),
  WaitForUnmount: from(22),
  SyncTerminatingRuntimePod: from(27),
  fastStaticPodsRegistration: from(32),
  retryPendingResizes: from(33),
  doPodResizeAction: resizing,
  relistPod: from(36),
};

/** RPCs of the CRI, by their name on the wire. */
const calls: { readonly [method: string]: Since } = Object.fromEntries(
  rpcMethods.map((method) => [rpcs[method].name, from(rpcSince(method))]),
);

/** Collects whatever in a run is younger than its version, or is in no table; each once, in words. */
export class Younger {
  readonly found = new Set<string>();
  private readonly minor: number;

  /** `gates`: those that the scenario sets. */
  constructor(
    era: EraVersion,
    private readonly gates: { readonly [gate: string]: boolean },
  ) {
    this.minor = minorOfEra(era);
  }

  take(r: TraceRecord): void {
    if (r.kind === 'status') this.status(r.status, '');
    else if (r.kind === 'kube-event') this.event(r.reason, r.message);
    else if (r.kind === 'decision') this.dated('decision', r.rule, decisions);
    else if (r.kind === 'enter') this.dated('function', r.fn, functions);
    else if (r.kind === 'cri-call') this.dated('call', r.method, calls);
  }

  private event(reason: string, message: string): void {
    const told = events.some((e) => e.reason === reason && e.text.test(message) && this.within(e));
    if (!told) this.found.add(`event ${reason}: ${message}`);
  }
  private within({ since, until }: EventText): boolean {
    return this.minor >= since && this.minor <= until;
  }

  private status(value: Json | undefined, path: string): void {
    if (Array.isArray(value)) for (const one of value) this.status(one, path);
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) {
        const name = path === '' ? key : `${path}.${key}`;
        this.dated('field', name, statusFields);
        if (name === 'conditions.type') {
          if (!Object.hasOwn(conditions, String(inner))) this.found.add(`condition ${String(inner)}: in no table`);
          this.dated('condition', String(inner), conditions);
        }
        this.status(inner, name);
      }
  }

  private dated(what: string, name: string, table: { readonly [name: string]: Since }): void {
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!row) return;
    const gated = row.gate !== undefined && this.gates[row.gate] === true;
    const since = gated ? row.since : (row.on ?? row.since);
    if (this.minor < since) this.found.add(`${what} ${name}: since v1.${since}`);
  }
}
