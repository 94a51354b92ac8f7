/**
 * Feature gates of v1.36: names, stages, defaults. The list has the gates of all components, because a kubelet accepts
 * each of them and refuses only unknown names.
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
  | 'AllowDNSOnlyNodeCSR'
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
  | 'KubeletCgroupDriverFromCRI'
  | 'NodeDeclaredFeatures'
  | 'NodeLogQuery'
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
  | 'PodObservedGenerationTracking'
  | 'PodReadyToStartContainersCondition'
  | 'PreventStaticPodAPIReferences'
  | 'ReduceDefaultCrashLoopBackOffDecay'
  | 'ResourceHealthStatus'
  | 'KubeletPodResourcesGet'
  | 'KubeletPodResourcesListUseActivePods'
  | 'ReloadKubeletClientCAFile'
  | 'ReloadKubeletServerCertificateFile'
  | 'RecursiveReadOnlyMounts'
  | 'RestartAllContainersOnContainerExits'
  | 'RotateKubeletServerCertificate'
  | 'TaintTolerationComparisonOperators'
  | 'RuntimeClassInImageCriApi'
  | 'SidecarContainers'
  | 'SupplementalGroupsPolicy'
  | 'UserNamespacesSupport';

type FeatureRows = readonly (readonly [stage: FeatureSpec['stage'], on: boolean, locked: boolean, names: string])[];

/** Gates by name, of rows that have the names of all of one kind. */
export const featureTable = (rows: FeatureRows): ReadonlyMap<string, FeatureSpec> =>
  new Map(
    rows.flatMap(([stage, on, locked, names]) =>
      names
        .trim()
        .split(/\s+/)
        .map((name) => [name, { stage, default: on, locked }] as const),
    ),
  );

/** Every gate by name. */
export const knownFeatures = featureTable([
  [
    'Alpha',
    false,
    false,
    `
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
    `,
  ],
  [
    'Beta',
    true,
    false,
    `
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
    `,
  ],
  [
    'Beta',
    false,
    false,
    `
      ClusterTrustBundle ClusterTrustBundleProjection ConcurrentWatchObjectDecode CoordinatedLeaderElection
      DRADeviceTaintRules LocalStorageCapacityIsolationFSQuotaMonitoring MaxUnavailableStatefulSet
      PodCertificateRequest SchedulerAsyncAPICalls SELinuxMount StorageVersionMigrator
    `,
  ],
  [
    'GA',
    true,
    true,
    `
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
    `,
  ],
  [
    'GA',
    true,
    false,
    `
      AllowServiceExternalIPs CustomCPUCFSQuotaPeriod DRAPrioritizedList InformerResourceVersion
      MutatingAdmissionPolicy
    `,
  ],
  [
    'Deprecated',
    false,
    false,
    `
      AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests ChangeContainerStatusOnKubeletRestart
      DeclarativeValidationTakeover KMSv1 KubeletRegistrationGetOnExistsOnly WindowsHostNetwork
    `,
  ],
  [
    'Deprecated',
    true,
    false,
    `
      DisableCPUQuotaWithExclusiveCPUs KubeletPodResourcesListUseActivePods ServiceCIDRStatusFieldWiping
      StorageNamespaceIndex
    `,
  ],
  [
    'Deprecated',
    false,
    true,
    `
      AllowOverwriteTerminationGracePeriodSeconds GitRepoVolumeDriver SeparateCacheWatchRPC
    `,
  ],
  [
    'Deprecated',
    true,
    true,
    `
      AggregatedDiscoveryRemoveBetaType DisableNodeKubeProxyVersion
    `,
  ],
]);

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

/** The gates that were set, by name. */
export type FeatureGates = Readonly<Record<string, boolean>>;

/** Returns true if a gate is on. upstream: utilfeature.DefaultFeatureGate.Enabled */
export function featureEnabled(config: FeatureConfig, feature: Feature): boolean {
  return enabled(config.featureGates, feature, config.eraFeatures);
}

/** Returns true if a gate is on that only an older version has; false in all others. */
export function olderFeatureEnabled({ featureGates, eraFeatures }: FeatureConfig, feature: string): boolean {
  return eraFeatures?.has(feature) === true && enabled(featureGates, feature, eraFeatures);
}

/** The gates that were set, and those of the version that runs, if it is an older one. */
export interface FeatureConfig {
  readonly featureGates: FeatureGates;
  readonly eraFeatures?: ReadonlyMap<string, FeatureSpec>;
}

/** Every gate as it is by default. */
export const defaultGates: FeatureConfig = { featureGates: {} };

function enabled(gates: FeatureGates, name: string, known: ReadonlyMap<string, FeatureSpec> = knownFeatures): boolean {
  const spec = known.get(name);
  // An older version has never heard of it.
  if (!spec && known !== knownFeatures) return false;
  // A locked gate keeps its value even when AllAlpha or AllBeta is set.
  if (spec?.locked) return spec.default;
  const own = gates[name];
  if (own !== undefined) return own;
  const all = spec?.stage === 'Alpha' ? gates.AllAlpha : spec?.stage === 'Beta' ? gates.AllBeta : undefined;
  return all ?? spec?.default ?? false;
}

/**
 * Returns the errors in a set of gates, in upstream's words; empty if there are none.
 * upstream: (*featureGate).SetFromMap
 */
export function validateFeatureGates(gates: FeatureGates, known = knownFeatures): string[] {
  const errors: string[] = [];
  for (const [name, value] of Object.entries(gates)) {
    if (name === 'AllAlpha' || name === 'AllBeta') continue;
    const spec = known.get(name);
    if (!spec) errors.push(`unrecognized feature gate: ${name}`);
    else if (spec.locked && spec.default !== value)
      errors.push(`cannot set feature gate ${name} to ${value}, feature is locked to ${spec.default}`);
  }
  // Dependencies are known for v1.36 alone.
  if (errors.length > 0 || known !== knownFeatures) return errors;
  for (const [name, needs] of Object.entries(dependencies)) {
    if (!enabled(gates, name)) continue;
    const off = needs.filter((n) => !enabled(gates, n));
    if (off.length > 0)
      errors.push(`${name} is enabled, but depends on features that are disabled: [${off.join(' ')}]`);
  }
  return errors;
}

/** The gates that were set and will be removed some day: the kubelet warns about them. */
export function vanishingFeatures(gates: FeatureGates): { name: string; value: boolean; stage: 'GA' | 'Deprecated' }[] {
  return Object.entries(gates).flatMap(([name, value]) => {
    const stage = knownFeatures.get(name)?.stage;
    return stage === 'GA' || stage === 'Deprecated' ? [{ name, value, stage }] : [];
  });
}
