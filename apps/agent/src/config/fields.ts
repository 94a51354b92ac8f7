/** Fields of KubeletConfiguration v1beta1 that exist upstream and have no effect here. */
export const unsupportedFields: ReadonlySet<string> = new Set(
  `staticPodURLHeader volumePluginDir tlsCipherSuites tlsCurvePreferences
   enableContentionProfiling oomScoreAdj
  streamingConnectionIdleTimeout   volumeStatsAggPeriod kubeletCgroups systemCgroups singleProcessOOMKill cpuManagerPolicy
  cpuManagerPolicyOptions cpuManagerReconcilePeriod memoryManagerPolicy topologyManagerPolicy topologyManagerScope
  topologyManagerPolicyOptions qosReserved hairpinMode podCIDR  runOnce  
  maxOpenFiles contentType   protectKernelDefaults
  makeIPTablesUtilChains iptablesMasqueradeBit iptablesDropBit failSwapOn memorySwap containerLogMaxWorkers
  containerLogMonitorInterval configMapAndSecretChangeDetectionStrategy kernelMemcgNotification 
      reservedSystemCPUs
  showHiddenMetricsForVersion reservedMemory enableProfilingHandler
  memoryThrottlingFactor memoryReservationPolicy   userNamespaces`.split(/\s+/),
);
