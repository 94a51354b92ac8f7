import { featureTable } from '../../features.js';

/** The gates of v1.32. upstream: v1.32 pkg/features/kube_features.go */
export const features = featureTable([
  [
    'Alpha',
    true,
    false,
    `
      WindowsHostNetwork
    `,
  ],
  [
    'Alpha',
    false,
    false,
    `
      APIServingWithRoutine AllowUnsafeMalformedObjectDeletion CBORServingAndStorage
      CPUManagerPolicyAlphaOptions CSIVolumeHealth CloudControllerManagerWebhook ClusterTrustBundle
      ClusterTrustBundleProjection ComponentFlagz ComponentStatusz CoordinatedLeaderElection
      CrossNamespaceVolumeDataSource CustomCPUCFSQuotaPeriod DRAAdminAccess DRAResourceClaimDeviceStatus
      DisableAllocatorDualWrite EventedPLEG ExternalServiceAccountTokenSigner HPAScaleToZero ImageVolume
      InPlacePodVerticalScaling InPlacePodVerticalScalingAllocatedStatus InPlacePodVerticalScalingExclusiveCPUs
      InTreePluginPortworxUnregister KubeletCrashLoopBackOffMax KubeletFineGrainedAuthz KubeletInUserNamespace
      KubeletPodResourcesDynamicResources KubeletPodResourcesGet MaxUnavailableStatefulSet MemoryQoS
      MutatingAdmissionPolicy PodAndContainerStatsFromCRI PodLevelResources PodLifecycleSleepActionAllowZero
      PodLogsQuerySplitStreams QOSReserved RelaxedDNSSearchValidation RemoteRequestHeaderUID
      ResourceHealthStatus RuntimeClassInImageCriApi SELinuxChangePolicy SELinuxMount SchedulerAsyncPreemption
      StorageVersionAPI StorageVersionMigrator SupplementalGroupsPolicy TopologyManagerPolicyAlphaOptions
      UnknownVersionInteroperabilityProxy UserNamespacesPodSecurityStandards VolumeCapacityPriority WinDSR
      WindowsCPUAndMemoryAffinity WindowsGracefulNodeShutdown
    `,
  ],
  [
    'Beta',
    true,
    false,
    `
      APIResponseCompression APIServerIdentity APIServerTracing AnonymousAuthConfigurableEndpoints
      AnyVolumeDataSource AuthorizeNodeWithSelectors AuthorizeWithSelectors BtreeWatchCache
      CPUManagerPolicyBetaOptions CPUManagerPolicyOptions CRDValidationRatcheting CSIMigrationPortworx
      ConsistentListFromCache ContainerCheckpoint GracefulNodeShutdown GracefulNodeShutdownBasedOnPodPriority
      HonorPVReclaimPolicy ImageMaximumGCAge JobBackoffLimitPerIndex JobManagedBy JobPodReplacementPolicy
      JobSuccessPolicy KubeletCgroupDriverFromCRI KubeletSeparateDiskGC KubeletTracing
      MatchLabelKeysInPodAffinity MatchLabelKeysInPodTopologySpread NFTablesProxyMode
      NodeInclusionPolicyInPodTopologySpread NodeLogQuery NodeSwap OpenAPIEnums PodDeletionCost
      PodLifecycleSleepAction PodReadyToStartContainersCondition PortForwardWebsockets
      RecoverVolumeExpansionFailure RecursiveReadOnlyMounts RelaxedEnvironmentVariableValidation
      ReloadKubeletServerCertificateFile ResilientWatchCacheInitialization RotateKubeletServerCertificate
      SELinuxMountReadWriteOncePod SchedulerQueueingHints SeparateCacheWatchRPC SeparateTaintEvictionController
      ServiceAccountTokenNodeBinding ServiceTrafficDistribution SidecarContainers StorageNamespaceIndex
      StorageVersionHash StructuredAuthenticationConfiguration SystemdWatchdog TopologyAwareHints
      TopologyManagerPolicyBetaOptions TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation
      WatchList WinOverlay
    `,
  ],
  [
    'Beta',
    false,
    false,
    `
      ConcurrentWatchObjectDecode DynamicResourceAllocation LocalStorageCapacityIsolationFSQuotaMonitoring
      MultiCIDRServiceAllocator OrderedNamespaceDeletion ProcMountType ServiceAccountNodeAudienceRestriction
      StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf UserNamespacesSupport
      VolumeAttributesClass WatchCacheInitializationPostStartHook WatchFromStorageWithoutResourceVersion
    `,
  ],
  [
    'GA',
    true,
    false,
    `
      ExecProbeTimeout TopologyManagerPolicyOptions
    `,
  ],
  [
    'GA',
    true,
    true,
    `
      APIListChunking AdmissionWebhookMatchConditions AggregatedDiscoveryEndpoint AppArmor AppArmorFields
      CPUManager CronJobsScheduledAnnotation CustomResourceFieldSelectors DevicePluginCDIDevices
      DisableCloudProviders DisableKubeletCloudCredentialProviders EfficientWatchResumption ElasticIndexedJob
      JobPodFailurePolicy KubeProxyDrainingTerminatingNodes LoadBalancerIPMode LogarithmicScaleDown
      MemoryManager PDBUnhealthyPodEvictionPolicy PersistentVolumeLastPhaseTransitionTime
      PodDisruptionConditions PodIndexLabel PodSchedulingReadiness RemainingItemCount RetryGenerateName
      ServiceAccountTokenJTI ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo
      SizeMemoryBackedVolumes StatefulSetAutoDeletePVC StatefulSetStartOrdinal StrictCostEnforcementForVAP
      StrictCostEnforcementForWebhooks StructuredAuthorizationConfiguration WatchBookmark
    `,
  ],
  [
    'Deprecated',
    false,
    false,
    `
      AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests
      AllowOverwriteTerminationGracePeriodSeconds DisableNodeKubeProxyVersion KMSv1
      KubeletRegistrationGetOnExistsOnly
    `,
  ],
  [
    'Deprecated',
    false,
    true,
    `
      AllowServiceLBStatusOnNonLB
    `,
  ],
]);

/** Gates that decide something, and the version since which they are on. upstream: pkg/features/kube_features.go */
const onSince: Readonly<Record<string, number>> = {
  PodLifecycleSleepAction: 30,
  PodReadyToStartContainersCondition: 29,
  RecursiveReadOnlyMounts: 31,
  SidecarContainers: 29,
  UserNamespacesSupport: 33,
};

/** The gates of another version of the same design: those of v1.32, if they were not on earlier or later. */
export const featuresOf = (minor: number): typeof features =>
  new Map(
    [...features].map(([name, spec]) => {
      const since = onSince[name];
      return [name, since === undefined ? spec : { ...spec, default: minor >= since }];
    }),
  );
