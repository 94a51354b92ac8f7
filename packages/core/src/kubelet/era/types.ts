import type { Pod, PodStatus } from '../../api/types.js';
import type { CRIServices } from '../../cri/index.js';
import type { NodeInfo } from '../../host/os.js';
import type { Chan, Go, Process } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { AllocationManager } from '../allocation/allocation-manager.js';
import type { Foundation } from '../builders/types.js';
import type { KubeletConfig } from '../config.js';
import type { FeatureConfig } from '../features.js';
import type { LogWords } from '../klog.js';
import type { generateAPIPodStatus } from '../kubelet-pods-status.js';
import type { KubeGenericRuntimeManager } from '../kuberuntime/kuberuntime-manager.js';
import type { RuntimeRules } from '../kuberuntime/rules.js';
import type { NodeStatusRules } from '../nodestatus/rules.js';
import type { Cache, PodLifecycleEventGenerator } from '../pleg/types.js';
import type { KillPodFunc } from '../podworkers/kill-pod-now.js';
import type { PodWorkers, WorkerSnapshot } from '../podworkers/types.js';
import type { RuntimeState, RuntimeStateRules } from '../runtime-state.js';
import type { newStatusManager } from '../status/status-manager.js';
import type { SyncLoopDeps } from '../sync-loop.js';
import type { PodSyncerDeps } from '../sync-pod.js';
import type { PodUpdate } from '../types/pod-update.js';
import type { WorkQueue } from '../util/queue/work-queue.js';
import type { EraVersion } from './versions.js';

/** The parts of the kubelet that those of an era use; they are there once the kubelet is built. */
export interface EraHandle extends SyncLoopDeps, PodSyncerDeps {
  readonly containerManager: SyncLoopDeps['containerManager'] & PodSyncerDeps['containerManager'];
  readonly containerRuntime: PodSyncerDeps['containerRuntime'] & Pick<KubeGenericRuntimeManager, 'getPods'>;
  readonly eraParts: EraParts;
  readonly nodeInfo: NodeInfo;
  readonly pleg: PodLifecycleEventGenerator;
  readonly runtimeHelper: SyncLoopDeps['runtimeHelper'] & PodSyncerDeps['runtimeHelper'];
  readonly runtimeState: RuntimeState;
  readonly volumeManager: SyncLoopDeps['volumeManager'] & PodSyncerDeps['volumeManager'];
}

/** The parts of the kubelet that an era's own parts are built from, besides those that come after them. */
export interface EraMaterial extends Pick<Foundation, 'kernel' | 'config' | 'recorder' | 'parts'> {
  readonly process: Process;
  readonly podCache: Cache;
  readonly allocationManager: Pick<AllocationManager, 'updatePodFromAllocation'>;
}

/** The parts of one kubelet whose design changed from version to version. */
export interface EraParts {
  readonly workQueue: WorkQueue;
  readonly podWorkers: PodWorkers & { snapshot(): WorkerSnapshot[] };
  readonly killPodNow: KillPodFunc;
  /** Starts goroutines that only this version runs next to the loop. Called within Run, before the status manager. */
  start?(): void;
  /** Returns true if nothing of a deleted pod is left on the node. upstream: PodResourcesAreReclaimed, up to v1.26 */
  podResourcesAreReclaimed?(pod: Pod, status: PodStatus): Go<boolean>;
  /** Ends only when the channel is closed. */
  syncLoop(configCh: Chan<PodUpdate>): Go<void>;
  /** Makes the workers of these pods sync. upstream: SyncHandler */
  handlePodSyncs(pods: readonly Pod[]): void;
}

/**
 * A part of the kubelet that came later than some versions: those that Run starts, CSINode's goroutine, the topology
 * manager's admission, the wait of a shutdown for volumes, and the wait of the API source for the node.
 * upstream: (*Kubelet).Run, NewMainKubelet
 */
export type StartUpPart =
  | 'cgroupVersionCheck'
  | 'healthChecker'
  | 'NodeLogQuery'
  | 'allocationManager'
  | 'nodeLeaseController'
  | 'fastStaticPodsRegistration'
  | 'runtimeClassManager'
  | 'csiNode'
  | 'topologyManager'
  | 'waitForAllPodsUnmount'
  | 'nodeHasSynced';

/**
 * A part of the start that v1.36 does not have any more: the cloud provider's (up to v1.33); the probe manager, which
 * takes the results of readiness itself (up to v1.20); the loop that syncs iptables' rules (up to v1.16), where later
 * versions make them once and watch them; and the plugin watcher in the plugin manager's place (up to v1.14).
 */
export type EarlierPart = 'cloudResourceSyncManager' | 'pluginWatcher' | 'probeManager' | 'syncNetworkUtil';

/** A field of a pod that a version leaves out, or a step of a scenario that it cannot do. Versions are minor ones. */
export interface UnknownField {
  /** The field's name in a manifest: `startupProbe`, `lifecycle.stopSignal`. */
  readonly field: string;
  /** The container that it belongs to; absent: the pod. */
  readonly container?: string;
  /** The version whose API has it. */
  readonly since: number;
  /** The version since which it works by default; absent: it is still behind its gate. */
  readonly on?: number;
  /** The gate that keeps it off, if the version knows the field. */
  readonly gate?: string;
  /** The effect on the pod, if it is not plain: in English and Simplified Chinese, no full stop. */
  readonly then?: { readonly en: string; readonly zh: string };
}

/** The fields that a version does not know. */
export interface UnknownFields {
  /** Returns those in a pod's spec, or in a part of one. */
  in(spec: unknown, gates: FeatureConfig): readonly UnknownField[];
  /** Takes them out of a pod that was just decoded, and returns what went. */
  drop(pod: Pod, gates: FeatureConfig): readonly UnknownField[];
}

/** Smaller differences, where the flow is the same. Missing: as in v1.36. */
export interface EraRules {
  /** The gates of that version, of which those that are not among them are off; and rules that go by its number. */
  readonly config?: Pick<KubeletConfig, 'emulatedVersion' | 'eraFeatures'> &
    Partial<Pick<KubeletConfig, 'nodeStatusReportFrequency'>>;
  /** The parts that it does not have. */
  readonly startsWithout?: readonly StartUpPart[];
  /** The parts that Run starts and that later versions do not have. */
  readonly startsToo?: readonly EarlierPart[];
  /** Without startup probes no probe waits for one, and no status says whether a container has started. */
  readonly startupProbes?: boolean;
  /** The fields of a pod that it does not know; missing: it knows all. */
  readonly fields?: UnknownFields;
  /** The greatest age of the list of running pods that deletions and housekeeping use. */
  readonly runtimeCachePeriod?: Micros;
  /** Seconds that a pod has which is evicted at once. */
  readonly immediateEvictionGracePeriod?: number;
  /** The message of an eviction does not name the threshold. */
  readonly plainEvictionMessage?: boolean;
  /** AppArmor is asked for at each sync (canRunPod), not when a pod is admitted. */
  readonly softAdmission?: boolean;
  /** Makes the log lines that it has instead of v1.36's; called once for each kubelet. */
  readonly newLogWords?: () => LogWords;
  /** The reasons that keep the loop from running, and their words. */
  readonly runtimeState?: RuntimeStateRules;
  /** When and how the node's status is written. */
  readonly nodeStatus?: NodeStatusRules;
  /** The rules by which containers are started and ended. */
  readonly runtime?: RuntimeRules;
  /** Another manager of statuses. */
  readonly newStatusManager?: typeof newStatusManager;
  /** Another way to make a pod's status. */
  readonly generateAPIPodStatus?: typeof generateAPIPodStatus;
  /** The runtime as it asks for it: its requests have other fields. */
  readonly services?: (services: CRIServices) => CRIServices;
}

/** One version of the kubelet: what differs from the modules of v1.36, which stand for all that does not. */
export interface Era {
  readonly version: EraVersion;
  readonly rules: EraRules;
  /** The rules that another minor version of 1 of its design has instead; missing: none. */
  rulesOf?(minor: number): EraRules;
  /** Called once for each kubelet, before the parts that `kl` gives are built: it may only be called later. */
  newParts(kl: () => EraHandle, material: EraMaterial): EraParts;
}
