/** What runs do not show by themselves: names of fields, constants and locals, and the versions that have a name. */
import type { Place } from './types.js';

/** Names that are used at a place: where somebody who looks for one of them stops. */
export const within: { readonly [P in Place]?: string } = {
  'function syncLoop': [
    'syncTicker housekeepingTicker runtimeErrors syncLoopMonitor dnsConfigurer ResolverConfig KObjSlice',
    'PodsWithDeletionTimestamps',
  ].join(' '),
  'channel housekeepingCh': 'housekeepingPeriod houseKeepingCh housekeepingWarningDuration',
  'channel configCh': 'PodUpdate podConfig PodConfig',
  'function HandlePodSyncs': 'podsToSync SyncPodSync',
  'channel plegCh': 'PodLifecycleEvent eventedPleg',
  'pleg ContainerStarted': 'lastContainerStartedTime',
  'channel livenessManager': 'livenessManager.Updates',
  'function syncLoopIteration': 'GetPodByUID SyncHandler syncHandler',
  'record sources-ready': 'sourcesReady AllReady AddSource',
  'record runtime-state': [
    'runtimeState setNetworkState setRuntimeState setRuntimeSync networkReady runtimeReady GetRuntimeCondition',
    'NetworkReady RuntimeReady',
  ].join(' '),
  'record probe-result': 'PodUID ContainerID handleProbeSync',
  'function HandlePodAdditions': [
    'existingPods GetPods podManager AddPod activePods filterOutTerminatedPods filterOutInactivePods',
    'PodsByCreationTime IsPodTerminationRequested podCopy updateContainerResourceAllocation SetPodAllocation',
    'podResizeMutex wasMirror GetPodAndMirrorPod mirrorPod GetMirrorPodByPod StartTime',
  ].join(' '),
  'function handleMirrorPod': 'IsMirrorPod',
  'function dispatchWork': 'podIsTerminated syncType SyncPodType',
  'function UpdatePod': [
    'SyncPodCreate SyncPodUpdate UpdatePodOptions PodWorkers podWorkers podLock isWorking UpdateType MirrorPod',
    'RunningPod waitingToStartStaticPodsByFullname workerChannelFn outCh pendingUpdate WorkType IsStaticPod',
    'podUID',
  ].join(' '),
  'record pod-update': 'lastUndeliveredWorkUpdate',
  'function podKiller': 'podPair PodPair',
  'function deletePod': 'runningPods runningPod FindPod',
  'function HandlePodReconcile': 'NeedToReconcilePodReadiness PodIsEvicted',
  'function cleanUpContainersInPod':
    'containerDeletor deleteContainersInPod exitedContainerID removeAll ShouldPodContentBeRemoved podID',
  'function HandlePodCleanups': [
    'runtimeCache cgroupPods CgroupName cgroupsPerQOS GetAllPodsFromCgroups allPods mirrorPods',
    'GetPodsAndMirrorPods desiredPods removeOrphanedPodStatuses cleanupOrphanedPodDirs',
    'cleanupOrphanedPodCgroups',
  ].join(' '),
  'function killPod': 'killPodOptions KillPodOptions SyncPodKill podKilled KillPod',
  'function managePodLoop': 'syncPodFn syncPodFnType syncPodOptions',
  'record work-start':
    'isTerminal podUIDAndRefForUpdate podRef canStart canEverStart updateType',
  'function initNetworkUtil': 'makeIPTablesUtilChains',
  'function StartedPodsTotal.Inc': 'StartedPodsTotal',
  'function ContainersPerPodCount.Observe': 'ContainersPerPodCount',
  'function NewMainKubelet': 'newPodWorkers kubeDeps kubeletConfiguration DefaultFeatureGate',
  'record queue': 'workQueue WorkQueue resyncInterval backOffPeriod',
  'function GetNewerThan': 'lastSyncTime podCache FailedSync',
  'record cache': 'podStatus',
  'record status': 'statusManager apiPodStatus',
  'function Kubelet.Run': 'kubeClient NeverStop Run',
  'function initializeModules': 'ContainerLogsDir KubeletSetupFailed',
  'function syncNodeStatus': 'JitterUntil nodeStatusUpdateFrequency setNodeStatusFuncs nodeName GetNode nodeRef',
  'function nodeLeaseController.sync': 'nodeLeaseController',
  'function fastStatusUpdateOnce': 'stopCh fastNodeStatusUpdate nodeReadyGracePeriod',
  'function updateRuntimeUp': 'updateRuntimeMux containerRuntime setRuntimeHandlers setRuntimeFeatures klogErrorS',
  'function initializeRuntimeDependentModules': 'oneTimeInitializer',
  'record manager': 'oomWatcher resourceAnalyzer imageManager containerLogManager pluginManager evictionManager',
  'record volume': 'volumeManager',
  'cri ListImages': 'detectImages realImageGCManager ImageService',
  'channel imageCacheTicker': 'imageCache',
  'function kuberuntime.SyncPod': [
    'kubeGenericRuntimeManager PodSyncResult SyncResults AddPodSyncResult NewSyncResult AddSyncResult',
    'CreatePodSandbox ConfigPodSandbox createSandboxResult configPodSandboxResult WithoutCancel',
    'purgeInitContainers pruneInitContainersBeforeStart getImageVolumes imageVolumes ImageVolumes',
    'imageVolumePullResults',
  ].join(' '),
  'record pod-actions': [
    'podContainerChanges CreateSandbox ContainersToKill EphemeralContainersToStart NextInitContainerToStart',
    'InitContainersToStart ContainersToUpdate UpdatePodResources ContainersToStart SandboxID containerInfo',
  ].join(' '),
  'function killPodWithSyncResult': 'killResult ConvertPodStatusToRunningPod',
  'function killContainer': 'KillContainer ErrKillContainer killContainerResult containerID',
  'function createPodSandbox': 'ConvertPodSysctlsVariableToDotsSeparator podSandboxID',
  'function generatePodSandboxConfig': 'podSandboxConfig PodSandboxConfig SecurityContext',
  'step kuberuntime.SyncPod/start ephemeral container':
    'EphemeralContainer EphemeralContainers ephemeralContainerStartSpec',
  'step kuberuntime.SyncPod/start init container':
    'InitContainer InitContainers SidecarContainers IsRestartableInitContainer',
  'step kuberuntime.SyncPod/start container': 'containerStartSpec',
  'function doPodResizeAction': 'isInPlacePodVerticalScalingAllowed InPlacePodVerticalScaling',
  'function startContainer': [
    'startSpec getTargetID internalLifecycle PreCreateContainer PreStartContainer ErrPreCreateHook',
    'ErrPreStartHook containerMeta sandboxMeta legacySymlink legacyLogSymlink containerLog LogDirectory LogPath',
    'osInterface podIP podIPs recordContainerEvent podRuntimeHandler getPodRuntimeHandler GenerateContainerRef',
  ].join(' '),
  'function EnsureImageExists': 'imagePuller imageRef ImagePullPolicy',
  'step startContainer/create container':
    'containerStatus FindContainerStatusByName RestartCount logDir BuildContainerLogsDirectory podLogsDirectory',
  'function generateContainerConfig': 'containerConfig cleanupAction ErrCreateContainerConfig',
  'cri CreateContainer': 'ErrCreateContainer runtimeService',
  'event Created': 'CreatedContainer',
  'event Started': 'StartedContainer',
  'event Failed': 'FailedToCreateContainer FailedToStartContainer',
  'cri StartContainer': 'ErrRunContainer',
  'function handlerRunner.Run': 'PostStart postStart kubeContainerID runtimeName handlerErr',
  'event FailedPostStartHook': 'reasonFailedPostStartHook ErrPostStartHook',
  'event FailedMount': 'FailedMountVolume',
  'record kube-event': 'EventRecorder EventTypeWarning EventTypeNormal',
  'step SyncPod/pod IPs': 'PodIPs PodIP ipInfo',
  'step SyncPod/network check': 'networkErrors IsHostNetworkPod NetworkNotReadyErrorMsg',
  'step SyncPod/pod cgroup': 'firstSync NewPodContainerManager UpdateQOSCgroups RestartPolicyNever',
  'step SyncPod/mirror pod':
    'mirrorPodClient DeleteMirrorPod CreateMirrorPod IsMirrorPodOf podFullName GetPodFullName ObjectMeta',
  'step SyncPod/data directories': 'makePodDataDirs FailedToMakePodDataDirectories',
  'step SyncPod/pull secrets': 'getPullSecretsForPod pullSecrets',
  'step SyncPod/reason cache': 'reasonCache',
  'step SyncPod/container runtime': 'getRuntime',
  'record probe': 'probeManager LivenessProbe ReadinessProbe',
  'record backoff': 'backOff ErrCrashLoopBackOff ErrImagePullBackOff',
  'decision ShouldContainerBeRestarted': 'RestartPolicy restartPolicy',
  'function generateAPIPodStatus': 'ContainerStatuses PodStatus',
  'op DELETE': 'DeletionTimestamp',
  'op ADD': 'PodSpec',
  'record cri-call': 'gRPC RuntimeService',
  'channel containerManager': 'PodUIDs containerManager.Updates',
  'function containerManager.Start': 'containerManager',
  'function makePodSourceConfig': 'staticPodPath',
  'function reconcilePodRecord': 'relist',
  'record log': 'InfoS ErrorS',
  'function rotateLogs': 'ReopenContainerLog ReopenContainerLogRequest ReopenContainerLogResponse',
  'cri ListContainerStats': 'StatsProvider ListPodStats',
  'channel watch /apis/node.k8s.io/v1/runtimeclasses': 'runtimeClassManager',
  'function podContainerManager.EnsureExists': 'FailedToCreatePodContainer',
};

/** Texts that are written at a place: lines of the log that no run of the library writes, and parts of errors. */
export const texts: { readonly [P in Place]?: readonly string[] } = {
  'step startContainer/create container': [
    'Cannot calculate restartCount from the log directory',
    'Log directory exists but could not calculate restartCount',
  ],
  'function updateRuntimeUp': [
    'Container runtime not ready',
    'Container runtime status is nil',
    'container runtime network not ready: %v',
    'container runtime not ready: %v',
  ],
  'event Created': ['Created container %s'],
  'event Started': ['Started container %s'],
  'event Failed': ['Error: %v'],
  'function HandlePodCleanups': [
    'Failed cleaning up orphaned pod directories: %v',
    'failed to get list of pods that still exist on cgroup mounts: %v',
  ],
  'step SyncPod/mirror pod': [
    'Failed creating a mirror pod for',
    'Failed deleting mirror pod',
    'No need to create a mirror pod, since failed to get node info from the cluster',
    'No need to create a mirror pod, since node has been removed from the cluster',
  ],
  'function startContainer': [
    'Failed to create legacy symbolic link',
    'Internal PreCreateContainer hook failed: %v',
    'Internal PreStartContainer hook failed: %v',
  ],
  'function initializeModules': [
    'Failed to initialize internal modules',
    'failed to create directory %q: %v',
    'failed to start OOM watcher: %w',
  ],
  'event FailedPostStartHook': ['Failed to kill container', 'PostStartHook failed'],
  'cri ListImages': ['Failed to monitor images'],
  'step kuberuntime.SyncPod/start init container': [
    'Failed to start the restartable init container for the pod, skipping',
  ],
  'step SyncPod/pod cgroup': [
    'Failed to update QoS cgroups while syncing pod',
    'unable to ensure pod container exists: %v',
    'failed to ensure that the pod: %v cgroups exist and are correctly applied: %v',
    'KillPod failed',
  ],
  'channel housekeepingCh': [
    'Housekeeping took longer than 15s',
    'housekeeping took too long',
    "SyncLoop (housekeeping, skipped): sources aren't ready yet",
    "SyncLoop (housekeeping, skipped): sources aren't ready yet.",
  ],
  'channel configCh': [
    'Update channel is closed, exiting the sync loop',
    'Update channel is closed. Exiting the sync loop.',
    'SyncLoop (RESTORE, %q): %q',
  ],
  'function HandlePodAdditions': ['SetPodAllocation failed'],
  'step SyncPod/volumes': [
    'Unable to attach or mount volumes for pod; skipping pod',
    'Unable to attach or mount volumes: %v',
  ],
  'step SyncPod/data directories': [
    'Unable to make pod data directories for pod',
    'error making pod data directories: %v',
  ],
  'function GetNewerThan': ['error determining status: %v'],
  'function deletePod': [
    'deletePod does not allow nil pod',
    "skipping delete because sources aren't ready yet",
    'error listing containers: %v',
    'pod not found',
  ],
  'function killContainer': ['killContainer for pod failed'],
  'function killPodWithSyncResult': ['killPodWithSyncResult failed'],
};

/**
 * The minor versions that have a name, for names that not all versions have, as `FIRST..LAST`: the first and the last
 * one that was seen with it, of v1.12 (in excerpts), v1.21, v1.25, v1.27, v1.29 to v1.33 and v1.36. What has no end
 * goes on.
 */
export const spans: { readonly [span: string]: string } = {
  '..v1.21': [
    'ForgetNonExistingPodWorkers ForgetWorker filterOutTerminatedPods isWorking podIsTerminated podKiller',
    'podPair syncPodOptions wrapUp',
  ].join(' '),
  '..v1.25': 'dispatchWork handleMirrorPod lastContainerStartedTime lastUndeliveredWorkUpdate managePodLoop syncType',
  '..v1.31': 'existingPods',
  '..v1.33': 'NextInitContainerToStart configPodSandboxResult',
  'v1.12..v1.12': 'PodsWithDeletionTimestamps houseKeepingCh',
  'v1.25..': [
    'ConvertPodSysctlsVariableToDotsSeparator IsPodTerminationRequested ShouldPodContentBeRemoved',
    'StartedPodsTotal WorkType canEverStart canStart filterOutInactivePods housekeepingWarningDuration',
    'isTerminal outCh waitingToStartStaticPodsByFullname workerChannelFn',
  ].join(' '),
  'v1.27..v1.33': 'klogErrorS podResizeMutex',
  'v1.27..': [
    'ContainersToUpdate EventedPLEG GetPodAndMirrorPod InPlacePodVerticalScaling KObjSlice PodUIDs',
    'SetPodAllocation UpdatePodResources doPodResizeAction eventedPleg fastNodeStatusUpdate',
    'nodeReadyGracePeriod pendingUpdate podUIDAndRefForUpdate wasMirror',
  ].join(' '),
  'v1.29..v1.31': 'updateContainerResourceAllocation',
  'v1.29..': 'InitContainersToStart IsRestartableInitContainer SidecarContainers podRuntimeHandler',
  'v1.30..': 'WithoutCancel podLogsDirectory setRuntimeHandlers',
  'v1.31..': 'ImageVolumes getImageVolumes getPodRuntimeHandler imageVolumePullResults imageVolumes setRuntimeFeatures',
};
