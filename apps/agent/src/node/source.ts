/** What the endpoints serve, taken from a running kubelet. */
import { background } from '@syncloop/core/kernel';
import { isStaticPod } from '@syncloop/core/kubelet';
import type { AgentConfig } from '../config/kubelet-configuration.js';
import type { EndpointSource } from './endpoints.js';
import type { RunningNode } from './kubelet-runner.js';
import { KubeletMetrics, type WorkerLabels } from './metrics.js';

/** Metrics of a node's kubelet; its sink is added to the kernel here. */
export function nodeMetrics(node: RunningNode): KubeletMetrics {
  const metrics = new KubeletMetrics(
    {
      nodeName: node.name,
      cgroupVersion: node.info.cgroupVersion,
      desired: () => node.kubelet.podManager.getPods().map(isStaticPod),
      active: () => node.kubelet.getActivePods().map(isStaticPod),
      workers: () => workerLabels(node),
      isInitContainer: (uid, container) =>
        node.kubelet.podManager.getPodByUID(uid)?.spec.initContainers?.some(({ name }) => name === container) ?? false,
    },
    node.kernel.clock.epochMillis,
  );
  node.addSink(metrics.sink);
  return metrics;
}

function workerLabels({ kubelet }: RunningNode): WorkerLabels[] {
  const pods = new Map(kubelet.podManager.getPods().map((pod) => [pod.metadata.uid, pod]));
  return kubelet.podWorkers.snapshot().map(({ uid, state }) => {
    const pod = pods.get(uid);
    return {
      lifecycle: state === 'finished' ? 'terminated' : state,
      config: pod ? 'desired' : 'orphan',
      static: pod ? (isStaticPod(pod) ? 'true' : '') : 'unknown',
    };
  });
}

/** The kubelet's own answers. */
export function endpointSource(node: RunningNode, config: AgentConfig, metrics: KubeletMetrics): EndpointSource {
  return {
    checks: {
      ping: () => null,
      log: () => null,
      syncloop: () => node.kubelet.syncLoopHealthCheck(),
    },
    pods: () => node.kubelet.getPods(),
    runningPods: () => node.run('runningpods', () => node.kubelet.getRunningPods()),
    metrics: () => metrics.text(),
    probeMetrics: () => metrics.probeText(),
    configz: () => effectiveConfiguration(config),
    statsSummary: () => statsSummary(node),
  };
}

/** The configuration in force, in the words of KubeletConfiguration. */
function effectiveConfiguration(config: AgentConfig): object {
  const k = config.kubelet;
  const seconds = (micros: number) => `${micros / 1e6}s`;
  const { apiVersion: _apiVersion, kind: _kind, ...raw } = config.raw;
  return {
    ...raw,
    enableServer: config.enableServer,
    staticPodPath: k.staticPodPath,
    podLogsDir: k.podLogsDir,
    syncFrequency: seconds(k.syncFrequency),
    fileCheckFrequency: seconds(k.fileCheckFrequency),
    httpCheckFrequency: seconds(k.httpCheckFrequency),
    address: config.address,
    port: config.port,
    readOnlyPort: config.readOnlyPort,
    healthzPort: config.healthzPort,
    healthzBindAddress: config.healthzBindAddress,
    clusterDomain: k.clusterDomain,
    clusterDNS: k.clusterDNS,
    cgroupRoot: k.cgroupRoot,
    cgroupsPerQOS: k.cgroupsPerQOS,
    cgroupDriver: k.cgroupDriver,
    runtimeRequestTimeout: seconds(k.runtimeRequestTimeout),
    nodeStatusUpdateFrequency: seconds(k.nodeStatusUpdateFrequency),
    maxPods: k.maxPods,
    resolvConf: config.resolvConf,
    serializeImagePulls: k.serializeImagePulls,
    registryPullQPS: k.registryPullQPS,
    registryBurst: k.registryBurst,
    containerLogMaxFiles: k.containerLogMaxFiles,
    seccompDefault: k.seccompDefault,
    crashLoopBackOff: { maxContainerRestartPeriod: seconds(k.maxContainerRestartPeriod) },
    featureGates: k.featureGates,
    containerRuntimeEndpoint: config.containerRuntimeEndpoint,
  };
}

/** The part of /stats/summary that the runtime's own statistics give. upstream: pkg/kubelet/server/stats/summary.go */
async function statsSummary(node: RunningNode): Promise<object> {
  const { kubelet, connection } = node;
  const { stats = [] } = await node.run('stats', () => connection.runtime.listContainerStats(background, {}));
  const time = (nanos: string | undefined) => new Date(Number(BigInt(nanos ?? 0) / 1_000_000n)).toISOString();
  const whole = (value: { value?: string } | undefined) => Number(value?.value ?? 0);
  const containers = (uid: string) =>
    stats
      .filter((s) => s.attributes?.labels?.['io.kubernetes.pod.uid'] === uid)
      .map((s) => ({
        name: s.attributes?.metadata?.name,
        cpu: { time: time(s.cpu?.timestamp), usageCoreNanoSeconds: whole(s.cpu?.usageCoreNanoSeconds) },
        memory: { time: time(s.memory?.timestamp), workingSetBytes: whole(s.memory?.workingSetBytes) },
        rootfs: { time: time(s.writableLayer?.timestamp), usedBytes: whole(s.writableLayer?.usedBytes) },
      }));
  return {
    node: { nodeName: kubelet.config.nodeName, startTime: new Date(node.kernel.clock.epochMillis).toISOString() },
    pods: kubelet.getPods().map(({ metadata, status }) => ({
      podRef: { name: metadata.name, namespace: metadata.namespace, uid: metadata.uid },
      startTime: status.startTime ?? null,
      containers: containers(metadata.uid),
    })),
  };
}
