/**
 * Serves /configz: the whole effective configuration, as a KubeletConfiguration. upstream: component-base configz,
 * pkg/kubelet/apis/config/v1beta1/defaults.go
 */
import { formatDuration, isObject } from '@syncloop/core/base';
import type { AgentConfig } from '../config/agent-config.js';

type Fields = Record<string, unknown>;

/** Fields that nothing here looks at, with upstream's defaults, so that readers of a kubelet's /configz find them. */
const defaults: Fields = {
  enableContentionProfiling: true,
  enableProfilingHandler: true,
  enableSystemLogHandler: true,
  enableSystemLogQuery: false,
  oomScoreAdj: -999,
  streamingConnectionIdleTimeout: '4h0m0s',
  nodeStatusReportFrequency: '5m0s',
  nodeLeaseDurationSeconds: 40,
  imageMinimumGCAge: '2m0s',
  imageMaximumGCAge: '0s',
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  volumeStatsAggPeriod: '1m0s',
  cpuManagerPolicy: 'none',
  cpuManagerReconcilePeriod: '10s',
  memoryManagerPolicy: 'None',
  topologyManagerPolicy: 'none',
  topologyManagerScope: 'container',
  hairpinMode: 'promiscuous-bridge',
  podPidsLimit: -1,
  cpuCFSQuota: true,
  cpuCFSQuotaPeriod: '100ms',
  nodeStatusMaxImages: 50,
  maxOpenFiles: 1000000,
  contentType: 'application/vnd.kubernetes.protobuf',
  kubeAPIQPS: 50,
  kubeAPIBurst: 100,
  eventRecordQPS: 50,
  eventBurst: 100,
  evictionHard: {
    'imagefs.available': '15%',
    'imagefs.inodesFree': '5%',
    'memory.available': '100Mi',
    'nodefs.available': '10%',
    'nodefs.inodesFree': '5%',
  },
  evictionPressureTransitionPeriod: '5m0s',
  mergeDefaultEvictionSettings: false,
  enableControllerAttachDetach: true,
  makeIPTablesUtilChains: true,
  iptablesMasqueradeBit: 14,
  iptablesDropBit: 15,
  failSwapOn: true,
  memorySwap: {},
  containerLogMaxSize: '10Mi',
  containerLogMaxWorkers: 1,
  containerLogMonitorInterval: '10s',
  configMapAndSecretChangeDetectionStrategy: 'Watch',
  enforceNodeAllocatable: ['pods'],
  volumePluginDir: '/usr/libexec/kubernetes/kubelet-plugins/volume/exec/',
  logging: {
    format: 'text',
    flushFrequency: '5s',
    verbosity: 0,
    options: { text: { infoBufferSize: '0' }, json: { infoBufferSize: '0' } },
  },
  shutdownGracePeriod: '0s',
  shutdownGracePeriodCriticalPods: '0s',
  memoryThrottlingFactor: 0.9,
  registerNode: true,
  localStorageCapacityIsolation: true,
  failCgroupV1: true,
};

/** `over` laid over `under`, maps into each other. */
function laidOver(under: Fields, over: Readonly<Fields>): Fields {
  const out: Fields = { ...under };
  for (const [key, value] of Object.entries(over)) {
    if (value === null || value === undefined) continue;
    const below = Object.hasOwn(under, key) ? under[key] : undefined;
    const maps = isObject(value) && isObject(below) && key !== 'evictionHard';
    Object.defineProperty(out, key, {
      value: maps ? laidOver(below, value) : value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return out;
}

/**
 * Returns the effective configuration, over the file's, over the defaults. Values of headers are not shown, as
 * upstream.
 */
export function effectiveConfiguration(config: AgentConfig, hasAPI: boolean): Fields {
  const { kubelet: k, server } = config;
  const { apiVersion: _apiVersion, kind: _kind, ...raw } = config.raw;
  const { authentication: authn, authorization: authz } = server;
  const headers = isObject(raw.staticPodURLHeader)
    ? {
        staticPodURLHeader: Object.fromEntries(Object.keys(raw.staticPodURLHeader).map((name) => [name, ['<masked>']])),
      }
    : {};
  return laidOver(laidOver(laidOver(defaults, raw), headers), {
    enableServer: config.enableServer,
    staticPodPath: k.staticPodPath,
    ...(k.staticPodURL && { staticPodURL: k.staticPodURL }),
    podLogsDir: k.podLogsDir,
    syncFrequency: formatDuration(k.syncFrequency),
    fileCheckFrequency: formatDuration(k.fileCheckFrequency),
    httpCheckFrequency: formatDuration(k.httpCheckFrequency),
    address: config.address,
    port: config.port,
    ...(config.readOnlyPort && { readOnlyPort: config.readOnlyPort }),
    ...(server.tlsCertFile && { tlsCertFile: server.tlsCertFile, tlsPrivateKeyFile: server.tlsPrivateKeyFile }),
    tlsMinVersion: server.tlsMinVersion,
    rotateCertificates: config.rotateCertificates,
    serverTLSBootstrap: server.serverTLSBootstrap,
    authentication: {
      x509: authn.clientCAFile ? { clientCAFile: authn.clientCAFile } : {},
      webhook: { enabled: authn.webhook ?? hasAPI, cacheTTL: formatDuration(authn.webhookCacheTTL) },
      anonymous: { enabled: authn.anonymous },
    },
    authorization: {
      mode: authz.mode ?? (hasAPI ? 'Webhook' : 'AlwaysAllow'),
      webhook: {
        cacheAuthorizedTTL: formatDuration(authz.cacheAuthorizedTTL),
        cacheUnauthorizedTTL: formatDuration(authz.cacheUnauthorizedTTL),
      },
    },
    enableDebuggingHandlers: server.enableDebuggingHandlers,
    enableDebugFlagsHandler: server.enableDebugFlagsHandler,
    // Off, whatever the file says: see the routes.
    enableProfilingHandler: false,
    enableSystemLogHandler: k.enableSystemLogHandler ?? false,
    enableSystemLogQuery: k.enableSystemLogQuery ?? false,
    healthzPort: config.healthzPort,
    healthzBindAddress: config.healthzBindAddress,
    clusterDomain: k.clusterDomain,
    clusterDNS: k.clusterDNS,
    cgroupRoot: k.cgroupRoot,
    cgroupsPerQOS: k.cgroupsPerQOS,
    cgroupDriver: k.cgroupDriver,
    runtimeRequestTimeout: formatDuration(k.runtimeRequestTimeout),
    nodeStatusUpdateFrequency: formatDuration(k.nodeStatusUpdateFrequency),
    maxPods: k.maxPods,
    resolvConf: config.resolvConf,
    serializeImagePulls: k.serializeImagePulls,
    ...(k.maxParallelImagePulls !== null && { maxParallelImagePulls: k.maxParallelImagePulls }),
    registryPullQPS: k.registryPullQPS,
    registryBurst: k.registryBurst,
    containerLogMaxFiles: k.containerLogMaxFiles,
    seccompDefault: k.seccompDefault,
    crashLoopBackOff: { maxContainerRestartPeriod: formatDuration(k.maxContainerRestartPeriod) },
    featureGates: k.featureGates,
    containerRuntimeEndpoint: config.containerRuntimeEndpoint,
    ...(config.imageServiceEndpoint && { imageServiceEndpoint: config.imageServiceEndpoint }),
  });
}
