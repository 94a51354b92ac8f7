/**
 * Feature gates as v1.36 knows them: names, stages, defaults. Kept whole, those of other components too, because a
 * kubelet takes any of them and refuses only what nobody knows.
 * upstream: pkg/features/kube_features.go, component-base/featuregate
 */

/** `locked`: it cannot be set to anything but its default. upstream: featuregate.FeatureSpec */
export interface FeatureSpec {
  readonly stage: 'Alpha' | 'Beta' | 'GA' | 'Deprecated';
  readonly default: boolean;
  readonly locked: boolean;
}

/** The gates that decide something here. */
export type Feature =
  | 'ContainerCheckpoint'
  | 'ChangeContainerStatusOnKubeletRestart'
  | 'ContainerRestartRules'
  | 'ContainerStopSignals'
  | 'CRIListStreaming'
  | 'EventedPLEG'
  | 'GracefulNodeShutdown'
  | 'GracefulNodeShutdownBasedOnPodPriority'
  | 'InPlacePodVerticalScaling'
  | 'InPlacePodVerticalScalingInitContainers'
  | 'KubeletCrashLoopBackOffMax'
  | 'KubeletEnsureSecretPulledImages'
  | 'NodeDeclaredFeatures'
  | 'PLEGOnDemandRelist'
  | 'EnvFiles'
  | 'ContainerCheckpoint'
  | 'ExtendWebSocketsToKubelet'
  | 'KubeletFineGrainedAuthz'
  | 'PodLogsQuerySplitStreams'
  | 'InPlacePodLevelResourcesVerticalScaling'
  | 'KubeletRegistrationGetOnExistsOnly'
  | 'UserNamespacesHostNetworkSupport'
  | 'HostnameOverride'
  | 'PodLevelResources'
  | 'PodReadyToStartContainersCondition'
  | 'PreventStaticPodAPIReferences'
  | 'ReduceDefaultCrashLoopBackOffDecay'
  | 'RestartAllContainersOnContainerExits'
  | 'TaintTolerationComparisonOperators'
  | 'RuntimeClassInImageCriApi'
  | 'SidecarContainers'
  | 'UserNamespacesSupport';

const names = (text: string): string[] => text.trim().split(/\s+/);

const table: readonly (readonly [stage: FeatureSpec['stage'], on: boolean, locked: boolean, names: string[]])[] = [
  [
    'Alpha',
    false,
    false,
    names(`
      AllowUnsafeMalformedObjectDeletion APIServingWithRoutine CBORServingAndStorage ClientsAllowCBOR
      ClientsPreferCBOR CloudControllerManagerWatchBasedRoutesReconciliation CloudControllerManagerWebhook
      ContainerStopSignals CPUManagerPolicyAlphaOptions CRIListStreaming CrossNamespaceVolumeDataSource
      CSIVolumeHealth DRAListTypeAttributes DRANodeAllocatableResources DRAResourcePoolStatus
      DRAWorkloadResourceClaims EventedPLEG GangScheduling GenericWorkload HPAScaleToZero ImageVolumeWithDigest
      InPlacePodVerticalScalingExclusiveCPUs InPlacePodVerticalScalingExclusiveMemory KubeletInUserNamespace
      LoggingAlphaOptions ManifestBasedAdmissionControlConfig MemoryQoS MutablePVNodeAffinity
      PersistentVolumeClaimUnusedSinceTime PodAndContainerStatsFromCRI PodLevelResourceManagers
      PodLogsQuerySplitStreams PodsAPI QOSReserved ReduceDefaultCrashLoopBackOffDecay RuntimeClassInImageCriApi
      ShardedListAndWatch StorageCapacityScoring StorageVersionAPI TaintTolerationComparisonOperators
      TopologyAwareWorkloadScheduling TopologyManagerPolicyAlphaOptions UserNamespacesHostNetworkSupport
      VolumeLimitScaling WindowsCPUAndMemoryAffinity WorkloadAwarePreemption WorkloadWithJob
    `),
  ],
  [
    'Beta',
    true,
    false,
    names(`
      AllowParsingUserUIDFromCertAuth APIResponseCompression APIServerIdentity AtomicFIFO
      AuthorizePodWebsocketUpgradeCreatePermission ClearingNominatedNodeNameAfterBinding ClientsAllowCARotation
      ClientsAllowTLSCacheGC ComponentFlagz ComponentStatusz ConstrainedImpersonation ContainerCheckpoint
      ContainerRestartRules ContextualLogging CPUManagerPolicyBetaOptions CRDObservedGenerationTracking
      DeclarativeValidationBeta DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency
      DRAConsumableCapacity DRADeviceBindingConditions DRADeviceTaints DRAExtendedResource
      DRAPartitionableDevices DRAResourceClaimDeviceStatus DRAResourceClaimGranularStatusAuthorization
      DRASchedulerFilterTimeout EnvFiles ExtendWebSocketsToKubelet GracefulNodeShutdown
      GracefulNodeShutdownBasedOnPodPriority HostnameOverride HPAConfigurableTolerance
      InOrderInformersBatchProcess InPlacePodLevelResourcesVerticalScaling
      InPlacePodVerticalScalingInitContainers KubeletCrashLoopBackOffMax KubeletEnsureSecretPulledImages
      KubeletSeparateDiskGC KubeletServiceAccountTokenForCredentialProviders ListFromCacheSnapshot
      LoggingBetaOptions MatchLabelKeysInPodTopologySpread MatchLabelKeysInPodTopologySpreadSelectorMerge
      MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs NodeDeclaredFeatures
      NominatedNodeNameForExpectation OpenAPIEnums OpportunisticBatching PLEGOnDemandRelist PodDeletionCost
      PodLevelResources PodReadyToStartContainersCondition PodTopologyLabelsAdmission PortForwardWebsockets
      PreventStaticPodAPIReferences RelaxedServiceNameValidation ReloadKubeletClientCAFile
      ReloadKubeletServerCertificateFile RemoteRequestHeaderUID ResourceHealthStatus ResourceHealthStatusMessage
      RestartAllContainersOnContainerExits RotateKubeletServerCertificate SchedulerAsyncPreemption
      SchedulerPopFromBackoffQ ServiceAccountNodeAudienceRestriction SizeBasedListCostEstimate
      StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet
      StaleControllerConsistencyStatefulSet StatefulSetSemanticRevisionComparison StorageVersionHash
      StrictIPCIDRValidation StructuredAuthenticationConfigurationEgressSelector
      StructuredAuthenticationConfigurationJWKSMetrics TokenRequestServiceAccountUIDValidation
      TopologyManagerPolicyBetaOptions TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation
      UnknownVersionInteroperabilityProxy UnlockWhileProcessingFIFO WatchCacheInitializationPostStartHook
      WatchList WatchListClient WindowsGracefulNodeShutdown
    `),
  ],
  [
    'Beta',
    false,
    false,
    names(`
      ClusterTrustBundle ClusterTrustBundleProjection ConcurrentWatchObjectDecode CoordinatedLeaderElection
      DRADeviceTaintRules LocalStorageCapacityIsolationFSQuotaMonitoring MaxUnavailableStatefulSet
      PodCertificateRequest SchedulerAsyncAPICalls SELinuxMount StorageVersionMigrator
    `),
  ],
  [
    'GA',
    true,
    true,
    names(`
      AnonymousAuthConfigurableEndpoints AnyVolumeDataSource APIServerTracing AuthorizeNodeWithSelectors
      AuthorizeWithSelectors BtreeWatchCache ConsistentListFromCache CPUManagerPolicyOptions
      CRDValidationRatcheting CSIServiceAccountTokenSecrets CustomResourceFieldSelectors DeclarativeValidation
      DisableAllocatorDualWrite DRAAdminAccess DynamicResourceAllocation ExecProbeTimeout
      ExternalServiceAccountTokenSigner ImageMaximumGCAge ImageVolume InOrderInformers InPlacePodVerticalScaling
      JobBackoffLimitPerIndex JobManagedBy JobPodReplacementPolicy JobSuccessPolicy KubeletCgroupDriverFromCRI
      KubeletFineGrainedAuthz KubeletPodResourcesDynamicResources KubeletPodResourcesGet KubeletPSI
      KubeletTracing LogarithmicScaleDown MatchLabelKeysInPodAffinity MultiCIDRServiceAllocator
      MutableCSINodeAllocatableCount NFTablesProxyMode NodeInclusionPolicyInPodTopologySpread NodeLogQuery
      NodeSwap OrderedNamespaceDeletion PodLifecycleSleepAction PodLifecycleSleepActionAllowZero
      PodObservedGenerationTracking PodSchedulingReadiness PreferSameTrafficDistribution ProcMountType
      RecoverVolumeExpansionFailure RecursiveReadOnlyMounts RelaxedDNSSearchValidation
      RelaxedEnvironmentVariableValidation ResilientWatchCacheInitialization RetryGenerateName
      SchedulerQueueingHints SELinuxChangePolicy SELinuxMountReadWriteOncePod SeparateTaintEvictionController
      ServiceAccountTokenJTI ServiceAccountTokenNodeBinding ServiceAccountTokenNodeBindingValidation
      ServiceAccountTokenPodNodeInfo SidecarContainers StreamingCollectionEncodingToJSON
      StreamingCollectionEncodingToProtobuf StructuredAuthenticationConfiguration SupplementalGroupsPolicy
      SystemdWatchdog TopologyManagerPolicyOptions UserNamespacesSupport VolumeAttributesClass WinDSR WinOverlay
    `),
  ],
  [
    'GA',
    true,
    false,
    names(`
      AllowServiceExternalIPs CustomCPUCFSQuotaPeriod DRAPrioritizedList InformerResourceVersion
      MutatingAdmissionPolicy
    `),
  ],
  [
    'Deprecated',
    false,
    false,
    names(`
      AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests ChangeContainerStatusOnKubeletRestart
      DeclarativeValidationTakeover KMSv1 KubeletRegistrationGetOnExistsOnly WindowsHostNetwork
    `),
  ],
  [
    'Deprecated',
    true,
    false,
    names(`
      DisableCPUQuotaWithExclusiveCPUs KubeletPodResourcesListUseActivePods ServiceCIDRStatusFieldWiping
      StorageNamespaceIndex
    `),
  ],
  [
    'Deprecated',
    false,
    true,
    names(`
      AllowOverwriteTerminationGracePeriodSeconds GitRepoVolumeDriver SeparateCacheWatchRPC
    `),
  ],
  [
    'Deprecated',
    true,
    true,
    names(`
      AggregatedDiscoveryRemoveBetaType DisableNodeKubeProxyVersion
    `),
  ],
];

/** Every gate by name. */
export const knownFeatures: ReadonlyMap<string, FeatureSpec> = new Map(
  table.flatMap(([stage, on, locked, list]) => list.map((name) => [name, { stage, default: on, locked }] as const)),
);

/** Gates that need others. Only such as may be broken by setting what is not locked. */
const dependencies: Readonly<Record<string, readonly string[]>> = {
  ClusterTrustBundleProjection: ['ClusterTrustBundle'],
  DRADeviceBindingConditions: ['DRAResourceClaimDeviceStatus'],
  DRADeviceTaintRules: ['DRADeviceTaints'],
  DRAResourceClaimGranularStatusAuthorization: ['DRAResourceClaimDeviceStatus'],
  DRAWorkloadResourceClaims: ['GenericWorkload'],
  DeclarativeValidationBeta: ['DeclarativeValidation'],
  DeclarativeValidationTakeover: ['DeclarativeValidation'],
  ExtendWebSocketsToKubelet: ['NodeDeclaredFeatures'],
  GangScheduling: ['GenericWorkload'],
  GracefulNodeShutdownBasedOnPodPriority: ['GracefulNodeShutdown'],
  ImageVolumeWithDigest: ['ImageVolume'],
  InPlacePodLevelResourcesVerticalScaling: ['InPlacePodVerticalScaling', 'PodLevelResources', 'NodeDeclaredFeatures'],
  InPlacePodVerticalScalingInitContainers: ['InPlacePodVerticalScaling', 'NodeDeclaredFeatures'],
  PodLevelResourceManagers: ['PodLevelResources'],
  ResourceHealthStatusMessage: ['ResourceHealthStatus'],
  RestartAllContainersOnContainerExits: ['ContainerRestartRules', 'NodeDeclaredFeatures'],
  StaleControllerConsistencyDaemonSet: ['AtomicFIFO'],
  StaleControllerConsistencyJob: ['AtomicFIFO'],
  StaleControllerConsistencyReplicaSet: ['AtomicFIFO'],
  StaleControllerConsistencyStatefulSet: ['AtomicFIFO'],
  StorageVersionAPI: ['APIServerIdentity'],
  TopologyAwareWorkloadScheduling: ['GenericWorkload'],
  UnknownVersionInteroperabilityProxy: ['APIServerIdentity'],
  UserNamespacesHostNetworkSupport: ['UserNamespacesSupport', 'NodeDeclaredFeatures'],
  WindowsGracefulNodeShutdown: ['GracefulNodeShutdown'],
  WorkloadAwarePreemption: ['GangScheduling'],
  WorkloadWithJob: ['GenericWorkload'],
};

/** What was set, by name. */
export type FeatureGates = Readonly<Record<string, boolean>>;

/** Who can be asked about gates; a kubelet's configuration can. */
export interface Gates {
  readonly featureGates: FeatureGates;
}

/** Every gate as it is by default. */
export const defaultGates: Gates = { featureGates: {} };

/** Whether a gate is on. upstream: utilfeature.DefaultFeatureGate.Enabled */
export function featureEnabled(config: Gates, feature: Feature): boolean {
  return enabled(config.featureGates, feature);
}

function enabled(gates: FeatureGates, name: string): boolean {
  const spec = knownFeatures.get(name);
  // A locked gate keeps its value even when AllAlpha or AllBeta is set.
  if (spec?.locked) return spec.default;
  const own = gates[name];
  if (own !== undefined) return own;
  const all = spec?.stage === 'Alpha' ? gates.AllAlpha : spec?.stage === 'Beta' ? gates.AllBeta : undefined;
  return all ?? spec?.default ?? false;
}

/**
 * What is wrong with a set of gates, in upstream's words; empty where it will do.
 * upstream: (*featureGate).SetFromMap
 */
export function validateFeatureGates(gates: FeatureGates): string[] {
  const errors: string[] = [];
  for (const [name, value] of Object.entries(gates)) {
    if (name === 'AllAlpha' || name === 'AllBeta') continue;
    const spec = knownFeatures.get(name);
    if (!spec) errors.push(`unrecognized feature gate: ${name}`);
    else if (spec.locked && spec.default !== value)
      errors.push(`cannot set feature gate ${name} to ${value}, feature is locked to ${spec.default}`);
  }
  if (errors.length > 0) return errors;
  for (const [name, needs] of Object.entries(dependencies)) {
    if (!enabled(gates, name)) continue;
    const off = needs.filter((n) => !enabled(gates, n));
    if (off.length > 0)
      errors.push(`${name} is enabled, but depends on features that are disabled: [${off.join(' ')}]`);
  }
  return errors;
}

/** Of gates that were set, those that will go away some day: what the kubelet warns of. */
export function vanishingFeatures(gates: FeatureGates): { name: string; value: boolean; stage: 'GA' | 'Deprecated' }[] {
  return Object.entries(gates).flatMap(([name, value]) => {
    const stage = knownFeatures.get(name)?.stage;
    return stage === 'GA' || stage === 'Deprecated' ? [{ name, value, stage }] : [];
  });
}
