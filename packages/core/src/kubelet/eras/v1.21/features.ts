import { featureTable } from '../../features.js';

/** The gates of v1.21. upstream: v1.21 pkg/features/kube_features.go */
export const features = featureTable([
  [
    'Alpha',
    false,
    false,
    `
      AnyVolumeDataSource BalanceAttachedNodeVolumes CSIVolumeHealth CustomCPUCFSQuotaPeriod
      DaemonSetUpdateSurge EndpointSliceTerminatingCondition EphemeralContainers HPAContainerMetrics
      HPAScaleToZero InTreePluginAWSUnregister InTreePluginAzureDiskUnregister InTreePluginAzureFileUnregister
      InTreePluginGCEUnregister InTreePluginOpenStackUnregister InTreePluginvSphereUnregister IndexedJob
      IngressClassNamespacedParams KubeletCredentialProviders KubeletPodResourcesGetAllocatable
      LocalStorageCapacityIsolationFSQuotaMonitoring LogarithmicScaleDown MemoryManager MixedProtocolLBService
      NetworkPolicyEndPort PodAffinityNamespaceSelector PodDeletionCost PreferNominatedNode
      ProbeTerminationGracePeriod ProcMountType QOSReserved ServiceInternalTrafficPolicy
      ServiceLBNodePortControl ServiceLoadBalancerClass ServiceTopology SizeMemoryBackedVolumes SuspendJob
      TopologyAwareHints VolumeCapacityPriority WinDSR
    `,
  ],
  [
    'Beta',
    true,
    false,
    `
      APIListChunking APIPriorityAndFairness APIResponseCompression AppArmor BoundServiceAccountTokenVolume
      CPUManager CSIInlineVolume CSIMigration CSIServiceAccountToken CSIStorageCapacity CSIVolumeFSGroupPolicy
      ConfigurableFSGroupPolicy CronJobControllerV2 DefaultPodTopologySpread DevicePlugins
      DisableAcceleratorUsageMetrics DynamicKubeletConfig EndpointSliceProxying ExpandCSIVolumes
      ExpandInUsePersistentVolumes ExpandPersistentVolumes GenericEphemeralVolume GracefulNodeShutdown
      HugePageStorageMediumSize IPv6DualStack KubeletPodResources LocalStorageCapacityIsolation
      NamespaceDefaultLabelName NonPreemptingPriority PodOverhead RotateKubeletServerCertificate ServerSideApply
      SetHostnameAsFQDN TTLAfterFinished TopologyManager ValidateProxyRedirects WarningHeaders WinOverlay
      WindowsEndpointSliceProxying
    `,
  ],
  [
    'Beta',
    false,
    false,
    `
      CSIMigrationAWS CSIMigrationAzureDisk CSIMigrationAzureFile CSIMigrationGCE CSIMigrationOpenStack
      CSIMigrationvSphere CSIMigrationvSphereComplete DownwardAPIHugePages
      ExperimentalHostUserNamespaceDefaulting
    `,
  ],
  [
    'GA',
    true,
    false,
    `
      AdvancedAuditing DryRun ExecProbeTimeout StorageObjectInUseProtection VolumeSubpath
    `,
  ],
  [
    'GA',
    true,
    true,
    `
      AllowInsecureBackendProxy CRIContainerLogRotation EndpointSlice EndpointSliceNodeName
      ExternalPolicyForExternalIP ImmutableEphemeralVolumes NodeDisruptionExclusion NodeLease
      PodDisruptionBudget RootCAConfigMap RunAsGroup RuntimeClass SCTPSupport ServiceAccountIssuerDiscovery
      ServiceAppProtocol ServiceNodeExclusion StartupProbe SupportNodePidsLimit SupportPodPidsLimit Sysctls
      VolumeSnapshotDataSource
    `,
  ],
  [
    'GA',
    false,
    true,
    `
      LegacyNodeRoleBehavior
    `,
  ],
  [
    'Deprecated',
    true,
    false,
    `
      StreamingProxyRedirects
    `,
  ],
]);
