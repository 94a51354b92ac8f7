/** The pod resources API on its socket. upstream: pkg/kubelet/server/server.go ListenAndServePodResources */
import { status } from '@grpc/grpc-js';
import type { Go } from '@syncloop/core/kernel';
import type { ContainerDevices, ContainerMemory, PodResources, PodResourcesLister } from '@syncloop/core/kubelet';
import { PodResourcesLister as Service } from './api/gen/podresources_pb.js';
import { type Failure, type SocketServer, serveAtSocket, served } from './socket-server.js';
import { TokenBucket } from './token-bucket.js';

/** upstream: pkg/kubelet/apis/podresources/constants.go DefaultQPS, DefaultBurstTokens */
const qps = 100;
const burst = 10;

export interface PodResourcesOptions {
  /** Runs `body` between the kubelet's steps. */
  run<T>(name: string, body: () => Go<T>): Promise<T>;
  /** Milliseconds. Default: performance.now. */
  now?(): number;
}

/** Serves `lister` at `path` until closed. Rejects if it cannot listen. */
export async function servePodResources(
  path: string,
  lister: PodResourcesLister,
  { run, now }: PodResourcesOptions,
): Promise<SocketServer> {
  const bucket = new TokenBucket(qps, burst, now);
  /** One limit for all methods and clients. upstream: pkg/kubelet/apis/grpc/ratelimit.go */
  const limited = <R, T>(name: string, body: (request: R) => Go<T>) => {
    const handle = (request: R, answer: (failure: Failure | null, response?: T) => void) => {
      if (!bucket.allow()) return answer({ code: status.RESOURCE_EXHAUSTED, details: 'rejected by rate limit' });
      run(`podresources ${name}`, () => body(request)).then(
        (response) => answer(null, response),
        (err: unknown) => answer({ code: status.UNKNOWN, details: err instanceof Error ? err.message : String(err) }),
      );
    };
    return handle;
  };
  const { list, get, getAllocatableResources } = Service.method;
  const listed = <T>(of: (pod: PodResources) => T) =>
    limited('List', function* () {
      return { podResources: (yield* lister.list()).map(of) };
    });
  return await serveAtSocket(path, [
    served(list, listed(podOf)),
    // Deprecated, and a part of v1 with the same numbers. upstream: server_v1alpha1.go
    served(list, listed(alphaPodOf), '/v1alpha1.PodResourcesLister/List'),
    served(
      get,
      limited('Get', function* ({ podNamespace, podName }: { podNamespace: string; podName: string }) {
        return { podResources: podOf(yield* lister.get(podNamespace, podName)) };
      }),
    ),
    served(
      getAllocatableResources,
      limited('GetAllocatableResources', function* () {
        return resourcesOf(yield* lister.getAllocatableResources());
      }),
    ),
  ]);
}

const podOf = ({ name, namespace, containers }: PodResources) => ({
  name,
  namespace,
  containers: containers.map((c) => ({ name: c.name, ...resourcesOf(c) })),
});

const alphaPodOf = ({ name, namespace, containers }: PodResources) => ({
  name,
  namespace,
  containers: containers.map((c) => ({ name: c.name, devices: c.devices.map(plainDevicesOf) })),
});

const resourcesOf = ({ devices, cpuIds, memory }: Omit<PodResources['containers'][number], 'name'>) => ({
  devices: devices.map(devicesOf),
  cpuIds: cpuIds.map(BigInt),
  memory: memory.map(memoryOf),
});

const topologyOf = (topology: ContainerDevices['topology']) =>
  topology && { topology: { nodes: topology.map((id) => ({ ID: BigInt(id) })) } };

const plainDevicesOf = ({ resourceName, deviceIds }: ContainerDevices) => ({ resourceName, deviceIds: [...deviceIds] });

const devicesOf = (devices: ContainerDevices) => ({ ...plainDevicesOf(devices), ...topologyOf(devices.topology) });

const memoryOf = ({ memoryType, size, topology }: ContainerMemory) => ({
  memoryType,
  size: BigInt(size),
  ...topologyOf(topology),
});
