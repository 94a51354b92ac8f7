import { featureTable } from '../../features.js';

/**
 * The gates of v1.12, as v1.15 tells since when there is which.
 * upstream: v1.15 pkg/features/kube_features.go
 */
export const features = featureTable([
  [
    'Alpha',
    false,
    false,
    `
      DryRun
      APIResponseCompression BalanceAttachedNodeVolumes BlockVolume CSIBlockVolume CSIDriverRegistry CSINodeInfo
      CustomCPUCFSQuotaPeriod DebugContainers
      ExperimentalCriticalPodAnnotation ExperimentalHostUserNamespaceDefaulting HyperVContainer MountContainers
      NodeLease ProcMountType QOSReserved ResourceLimitsPriorityFunction RuntimeClass
      SCTPSupport ServiceNodeExclusion SupportPodPidsLimit TTLAfterFinished
      VolumeSnapshotDataSource
    `,
  ],
  [
    'Beta',
    true,
    false,
    `
      APIListChunking AppArmor AttachVolumeLimit CPUManager CRIContainerLogRotation
      CustomResourceSubresources CustomResourceValidation DevicePlugins
      DynamicKubeletConfig ExpandPersistentVolumes HugePages LocalStorageCapacityIsolation
      PersistentLocalVolumes PodPriority PodShareProcessNamespace ResourceQuotaScopeSelectors
      RotateKubeletClientCertificate RotateKubeletServerCertificate ScheduleDaemonSetPods
      StreamingProxyRedirects Sysctls TaintNodesByCondition TokenRequest TokenRequestProjection
      ValidateProxyRedirects
    `,
  ],
  [
    'GA',
    true,
    false,
    `
      AdvancedAuditing StorageObjectInUseProtection SupportIPVSProxyMode VolumeSubpath
    `,
  ],
]);
