/**
 * The RPCs of the proto as a table, for code that treats them all alike: tracing, fault injection, the gRPC
 * client and server, recordings.
 */
import type { Chan } from '../kernel/index.js';
import type { Micros } from '../trace/index.js';
import type { CRIError } from './errors.js';
import type { CRIServices, ImageService, RuntimeService } from './services.js';

/** Name of an RPC's method: `runPodSandbox`. */
export type RpcMethod = keyof CRIServices;

/**
 * The time that the kubelet lets a call take, given its runtimeRequestTimeout `t` (2 min):
 * - `default`: t
 * - `double`: 2t
 * - `plusTimeout`: t + the request's own timeout
 * - `plusTimeoutOrNone`: the same, but no limit if the request has none
 * - `atLeastTimeout`: the larger of t and the request's own timeout
 * - `none`: no limit
 *
 * upstream: staging/src/k8s.io/cri-client/pkg/remote_runtime.go, remote_image.go
 */
export type DeadlineClass = 'default' | 'double' | 'plusTimeout' | 'plusTimeoutOrNone' | 'atLeastTimeout' | 'none';

/** One RPC. */
export interface Rpc {
  /** Service it belongs to; on the wire `runtime.v1.<service>`. */
  readonly service: 'RuntimeService' | 'ImageService';
  /** Name on the wire: `RunPodSandbox`. */
  readonly name: string;
  /** Message type of the request: `RunPodSandboxRequest`. */
  readonly request: string;
  /** Message type of an answer. */
  readonly response: string;
  /** True if the server streams its answers. */
  readonly streaming: boolean;
  readonly deadline: DeadlineClass;
}

type Service = Rpc['service'];

const unary = <S extends Service, N extends string>(service: S, name: N, deadline: DeadlineClass = 'default') =>
  ({
    service,
    name,
    request: `${name}Request`,
    response: `${name}Response`,
    streaming: false,
    deadline,
  }) as const;

const stream = <S extends Service, N extends string>(service: S, name: N) =>
  ({ ...unary(service, name), streaming: true }) as const;

/** Every RPC by its method name, RuntimeService first, in the order of runtime.proto. */
export const rpcs = {
  version: unary('RuntimeService', 'Version'),
  runPodSandbox: unary('RuntimeService', 'RunPodSandbox', 'double'),
  stopPodSandbox: unary('RuntimeService', 'StopPodSandbox'),
  removePodSandbox: unary('RuntimeService', 'RemovePodSandbox'),
  podSandboxStatus: unary('RuntimeService', 'PodSandboxStatus'),
  listPodSandbox: unary('RuntimeService', 'ListPodSandbox'),
  streamPodSandboxes: stream('RuntimeService', 'StreamPodSandboxes'),
  createContainer: unary('RuntimeService', 'CreateContainer'),
  startContainer: unary('RuntimeService', 'StartContainer'),
  stopContainer: unary('RuntimeService', 'StopContainer', 'plusTimeout'),
  removeContainer: unary('RuntimeService', 'RemoveContainer'),
  listContainers: unary('RuntimeService', 'ListContainers'),
  streamContainers: stream('RuntimeService', 'StreamContainers'),
  containerStatus: unary('RuntimeService', 'ContainerStatus'),
  updateContainerResources: unary('RuntimeService', 'UpdateContainerResources'),
  reopenContainerLog: unary('RuntimeService', 'ReopenContainerLog'),
  execSync: unary('RuntimeService', 'ExecSync', 'plusTimeoutOrNone'),
  exec: unary('RuntimeService', 'Exec'),
  attach: unary('RuntimeService', 'Attach'),
  portForward: unary('RuntimeService', 'PortForward'),
  containerStats: unary('RuntimeService', 'ContainerStats'),
  listContainerStats: unary('RuntimeService', 'ListContainerStats'),
  streamContainerStats: stream('RuntimeService', 'StreamContainerStats'),
  podSandboxStats: unary('RuntimeService', 'PodSandboxStats'),
  listPodSandboxStats: unary('RuntimeService', 'ListPodSandboxStats'),
  streamPodSandboxStats: stream('RuntimeService', 'StreamPodSandboxStats'),
  updateRuntimeConfig: unary('RuntimeService', 'UpdateRuntimeConfig'),
  status: unary('RuntimeService', 'Status'),
  checkpointContainer: unary('RuntimeService', 'CheckpointContainer', 'atLeastTimeout'),
  checkpointPod: unary('RuntimeService', 'CheckpointPod'),
  restorePod: unary('RuntimeService', 'RestorePod'),
  getContainerEvents: {
    service: 'RuntimeService',
    name: 'GetContainerEvents',
    request: 'GetEventsRequest',
    response: 'ContainerEventResponse',
    streaming: true,
    deadline: 'none',
  },
  listMetricDescriptors: unary('RuntimeService', 'ListMetricDescriptors'),
  listPodSandboxMetrics: unary('RuntimeService', 'ListPodSandboxMetrics'),
  streamPodSandboxMetrics: stream('RuntimeService', 'StreamPodSandboxMetrics'),
  runtimeConfig: unary('RuntimeService', 'RuntimeConfig'),
  updatePodSandboxResources: unary('RuntimeService', 'UpdatePodSandboxResources'),
  listImages: unary('ImageService', 'ListImages'),
  streamImages: stream('ImageService', 'StreamImages'),
  imageStatus: unary('ImageService', 'ImageStatus'),
  pullImage: unary('ImageService', 'PullImage', 'none'),
  removeImage: unary('ImageService', 'RemoveImage'),
  imageFsInfo: unary('ImageService', 'ImageFsInfo'),
} as const satisfies Record<keyof RuntimeService, Rpc & { service: 'RuntimeService' }> &
  Record<keyof ImageService, Rpc & { service: 'ImageService' }>;

/** The methods of `rpcs`, and their names on the wire, in its order. */
export const rpcMethods = Object.keys(rpcs) as RpcMethod[];
export const rpcNames: readonly string[] = Object.values(rpcs).map(({ name }) => name);

/** Methods that answer with a channel. */
export type StreamMethod = {
  [M in RpcMethod]: (typeof rpcs)[M]['streaming'] extends true ? M : never;
}[RpcMethod];

/** Type of the request of method `M`. */
export type RpcRequest<M extends RpcMethod> = Parameters<CRIServices[M]>[1];

/** Type of an answer of method `M`; of one message, if it streams. */
export type RpcResponse<M extends RpcMethod> = M extends StreamMethod
  ? RpcResult<M> extends Chan<infer T>
    ? Exclude<T, CRIError>
    : never
  : RpcResult<M>;

/** The result of `yield* service[method](…)`: an answer, or the channel of a streaming method. */
export type RpcResult<M extends RpcMethod> =
  ReturnType<CRIServices[M]> extends Generator<unknown, infer R, unknown> ? R : never;

/** Returns true if a method answers with a channel. */
export function isStreaming(method: RpcMethod): method is StreamMethod {
  return rpcs[method].streaming;
}

/** The kubelet's runtimeRequestTimeout unless configured: 2 min, in Micros. */
export const defaultRequestTimeout: Micros = 120_000_000;

/**
 * Returns the time that a call may take, in Micros; undefined for no limit.
 *
 * `timeout` is the kubelet's runtimeRequestTimeout. The request's own `timeout` is in seconds, as
 * on the wire. See {@link DeadlineClass} for the rules.
 */
export function callTimeout(
  method: RpcMethod,
  request: object,
  timeout: Micros = defaultRequestTimeout,
): Micros | undefined {
  const own = Number((request as { timeout?: string }).timeout ?? 0) * 1_000_000;
  switch (rpcs[method].deadline) {
    case 'default':
      return timeout;
    case 'double':
      return 2 * timeout;
    case 'plusTimeout':
      return timeout + own;
    case 'plusTimeoutOrNone':
      return own !== 0 ? timeout + own : undefined;
    case 'atLeastTimeout':
      return Math.max(timeout, own);
    case 'none':
      return undefined;
  }
}
