import { featureTable } from '../../features.js';

/** The gates of v1.25. upstream: v1.25 pkg/features/kube_features.go */
export const features = featureTable([
  [
    'Alpha',
    false,
    false,
    `
      CPUManagerPolicyAlphaOptions CSIMigrationRBD CSINodeExpandSecret CSIVolumeHealth ContainerCheckpoint
      CustomCPUCFSQuotaPeriod DisableCloudProviders DisableKubeletCloudCredentialProviders ExpandedDNSConfig
      HPAContainerMetrics HPAScaleToZero HonorPVReclaimPolicy IPTablesOwnershipCleanup InTreePluginAWSUnregister
      InTreePluginAzureDiskUnregister InTreePluginAzureFileUnregister InTreePluginGCEUnregister
      InTreePluginOpenStackUnregister InTreePluginPortworxUnregister InTreePluginRBDUnregister
      InTreePluginvSphereUnregister JobPodFailurePolicy KubeletInUserNamespace KubeletTracing
      LocalStorageCapacityIsolationFSQuotaMonitoring MatchLabelKeysInPodTopologySpread MaxUnavailableStatefulSet
      MemoryQoS MultiCIDRRangeAllocator NetworkPolicyStatus NodeInclusionPolicyInPodTopologySpread
      NodeOutOfServiceVolumeDetach NodeSwap PodAndContainerStatsFromCRI PodDisruptionConditions
      PodHasNetworkCondition ProcMountType ProxyTerminatingEndpoints QOSReserved ReadWriteOncePod
      RecoverVolumeExpansionFailure RetroactiveDefaultStorageClass SELinuxMountReadWriteOncePod
      StatefulSetAutoDeletePVC UserNamespacesStatelessPodsSupport VolumeCapacityPriority WinDSR
    `,
  ],
  [
    'Beta',
    true,
    false,
    `
      APIListChunking APIPriorityAndFairness APIResponseCompression AnyVolumeDataSource AppArmor CPUManager
      CPUManagerPolicyBetaOptions CPUManagerPolicyOptions CSIMigrationAzureFile CSIMigrationvSphere
      CronJobTimeZone CustomResourceValidationExpressions DelegateFSGroupToCSIDriver DevicePlugins
      DownwardAPIHugePages EndpointSliceTerminatingCondition GRPCContainerProbe GracefulNodeShutdown
      GracefulNodeShutdownBasedOnPodPriority JobMutableNodeSchedulingDirectives JobReadyPods
      JobTrackingWithFinalizers KubeletCredentialProviders KubeletPodResources KubeletPodResourcesGetAllocatable
      LegacyServiceAccountTokenNoAutoGeneration LogarithmicScaleDown MemoryManager MixedProtocolLBService
      OpenAPIEnums OpenAPIV3 PodDeletionCost ProbeTerminationGracePeriod RotateKubeletServerCertificate
      SeccompDefault ServerSideFieldValidation ServiceIPStaticSubrange ServiceInternalTrafficPolicy
      SizeMemoryBackedVolumes TopologyAwareHints TopologyManager WinOverlay WindowsHostProcessContainers
    `,
  ],
  [
    'Beta',
    false,
    false,
    `
      CSIMigrationPortworx ExperimentalHostUserNamespaceDefaulting MinDomainsInPodTopologySpread
    `,
  ],
  [
    'GA',
    true,
    false,
    `
      AdvancedAuditing DryRun ExecProbeTimeout ExpandCSIVolumes ExpandInUsePersistentVolumes
      ExpandPersistentVolumes ServerSideApply
    `,
  ],
  [
    'GA',
    true,
    true,
    `
      CSIInlineVolume CSIMigration CSIMigrationAWS CSIMigrationAzureDisk CSIMigrationGCE CSIMigrationOpenStack
      CSIStorageCapacity CSRDuration ControllerManagerLeaderMigration DaemonSetUpdateSurge
      DefaultPodTopologySpread DisableAcceleratorUsageMetrics EphemeralContainers IdentifyPodOS IndexedJob
      LocalStorageCapacityIsolation NetworkPolicyEndPort NonPreemptingPriority PodAffinityNamespaceSelector
      PodOverhead PodSecurity PreferNominatedNode ServiceLBNodePortControl ServiceLoadBalancerClass
      StatefulSetMinReadySeconds SuspendJob
    `,
  ],
  [
    'Deprecated',
    false,
    false,
    `
      DynamicKubeletConfig
    `,
  ],
]);
