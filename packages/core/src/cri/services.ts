/**
 * The CRI as two interfaces. The mock runtime, the gRPC client and every decorator between them
 * and the kubelet (tracing, faults, recordings) implement these.
 *
 * A method is a kernel operation: `const r = yield* runtime.version(ctx, {})`. It ends with the
 * answer or throws a {@link CRIError}; a cancelled or expired `ctx` ends it with code Canceled or
 * DeadlineExceeded. Messages belong to whoever receives them and are never changed after sending.
 *
 * A server-streaming method ends with a channel as soon as the call is under way. The channel
 * carries the answers in order. A stream that fails sends its CRIError as the last value; in
 * either case the channel is then closed. Cancel `ctx` to end a stream early: the channel closes,
 * and since its receiver may have left, nobody insists on delivering that error.
 */
import type { Chan, Context, Go } from '../kernel/index.js';
import type { CRIError } from './errors.js';
import type {
  AttachRequest,
  AttachResponse,
  CheckpointContainerRequest,
  CheckpointContainerResponse,
  CheckpointPodRequest,
  CheckpointPodResponse,
  ContainerEventResponse,
  ContainerStatsRequest,
  ContainerStatsResponse,
  ContainerStatusRequest,
  ContainerStatusResponse,
  CreateContainerRequest,
  CreateContainerResponse,
  ExecRequest,
  ExecResponse,
  ExecSyncRequest,
  ExecSyncResponse,
  GetEventsRequest,
  ImageFsInfoRequest,
  ImageFsInfoResponse,
  ImageStatusRequest,
  ImageStatusResponse,
  ListContainerStatsRequest,
  ListContainerStatsResponse,
  ListContainersRequest,
  ListContainersResponse,
  ListImagesRequest,
  ListImagesResponse,
  ListMetricDescriptorsRequest,
  ListMetricDescriptorsResponse,
  ListPodSandboxMetricsRequest,
  ListPodSandboxMetricsResponse,
  ListPodSandboxRequest,
  ListPodSandboxResponse,
  ListPodSandboxStatsRequest,
  ListPodSandboxStatsResponse,
  PodSandboxStatsRequest,
  PodSandboxStatsResponse,
  PodSandboxStatusRequest,
  PodSandboxStatusResponse,
  PortForwardRequest,
  PortForwardResponse,
  PullImageRequest,
  PullImageResponse,
  RemoveContainerRequest,
  RemoveContainerResponse,
  RemoveImageRequest,
  RemoveImageResponse,
  RemovePodSandboxRequest,
  RemovePodSandboxResponse,
  ReopenContainerLogRequest,
  ReopenContainerLogResponse,
  RestorePodRequest,
  RestorePodResponse,
  RunPodSandboxRequest,
  RunPodSandboxResponse,
  RuntimeConfigRequest,
  RuntimeConfigResponse,
  StartContainerRequest,
  StartContainerResponse,
  StatusRequest,
  StatusResponse,
  StopContainerRequest,
  StopContainerResponse,
  StopPodSandboxRequest,
  StopPodSandboxResponse,
  StreamContainerStatsRequest,
  StreamContainerStatsResponse,
  StreamContainersRequest,
  StreamContainersResponse,
  StreamImagesRequest,
  StreamImagesResponse,
  StreamPodSandboxesRequest,
  StreamPodSandboxesResponse,
  StreamPodSandboxMetricsRequest,
  StreamPodSandboxMetricsResponse,
  StreamPodSandboxStatsRequest,
  StreamPodSandboxStatsResponse,
  UpdateContainerResourcesRequest,
  UpdateContainerResourcesResponse,
  UpdatePodSandboxResourcesRequest,
  UpdatePodSandboxResourcesResponse,
  UpdateRuntimeConfigRequest,
  UpdateRuntimeConfigResponse,
  VersionRequest,
  VersionResponse,
} from './types.js';

/**
 * Sandboxes, containers and the node's runtime settings: 37 RPCs.
 *
 * upstream: staging/src/k8s.io/cri-api/pkg/apis/services.go RuntimeService
 */
export interface RuntimeService {
  /** Names the runtime and its versions. The first call on every connection. */
  version(ctx: Context, request: VersionRequest): Go<VersionResponse>;
  /**
   * Creates and starts a pod sandbox. When it returns, the sandbox is READY and its network is set
   * up.
   */
  runPodSandbox(ctx: Context, request: RunPodSandboxRequest): Go<RunPodSandboxResponse>;
  /** Stops the sandbox and whatever still runs in it, and gives its network back. Idempotent. */
  stopPodSandbox(ctx: Context, request: StopPodSandboxRequest): Go<StopPodSandboxResponse>;
  /** Removes the sandbox and all of its containers, by force if they run. Idempotent. */
  removePodSandbox(ctx: Context, request: RemovePodSandboxRequest): Go<RemovePodSandboxResponse>;
  /** One sandbox in full, with its IPs. NOT_FOUND if there is none. */
  podSandboxStatus(ctx: Context, request: PodSandboxStatusRequest): Go<PodSandboxStatusResponse>;
  /** Lists all sandboxes that pass the filter. Short form: no IPs. */
  listPodSandbox(ctx: Context, request: ListPodSandboxRequest): Go<ListPodSandboxResponse>;
  /** ListPodSandbox in chunks, for lists larger than one message may be. */
  streamPodSandboxes(ctx: Context, request: StreamPodSandboxesRequest): Go<Chan<StreamPodSandboxesResponse | CRIError>>;
  /** Creates a container in a sandbox; nothing runs yet. */
  createContainer(ctx: Context, request: CreateContainerRequest): Go<CreateContainerResponse>;
  /** Starts a created container. A container starts once: a restart is a new container. */
  startContainer(ctx: Context, request: StartContainerRequest): Go<StartContainerResponse>;
  /** Sends the stop signal, waits up to the timeout, then kills. Idempotent. */
  stopContainer(ctx: Context, request: StopContainerRequest): Go<StopContainerResponse>;
  /** Removes a container, by force if it runs. Idempotent. */
  removeContainer(ctx: Context, request: RemoveContainerRequest): Go<RemoveContainerResponse>;
  /** Lists all containers that pass the filter. Short form: no exit code. */
  listContainers(ctx: Context, request: ListContainersRequest): Go<ListContainersResponse>;
  /** ListContainers in chunks. */
  streamContainers(ctx: Context, request: StreamContainersRequest): Go<Chan<StreamContainersResponse | CRIError>>;
  /** One container in full. NOT_FOUND if there is none. */
  containerStatus(ctx: Context, request: ContainerStatusRequest): Go<ContainerStatusResponse>;
  /** Changes the limits of a container in place, without a restart. */
  updateContainerResources(
    ctx: Context,
    request: UpdateContainerResourcesRequest,
  ): Go<UpdateContainerResourcesResponse>;
  /** Closes and reopens the log file at log_path, after the kubelet has moved it away. */
  reopenContainerLog(ctx: Context, request: ReopenContainerLogRequest): Go<ReopenContainerLogResponse>;
  /** Runs a command in a container and waits for it. Exec probes and hooks use this. */
  execSync(ctx: Context, request: ExecSyncRequest): Go<ExecSyncResponse>;
  /** Prepares an interactive exec; the answer is the URL at which to stream it. */
  exec(ctx: Context, request: ExecRequest): Go<ExecResponse>;
  /** Prepares an attach to a running container; the answer is a URL. */
  attach(ctx: Context, request: AttachRequest): Go<AttachResponse>;
  /** Prepares a port forward into a sandbox; the answer is a URL. */
  portForward(ctx: Context, request: PortForwardRequest): Go<PortForwardResponse>;
  /** Usage of one container. The kubelet never calls it. */
  containerStats(ctx: Context, request: ContainerStatsRequest): Go<ContainerStatsResponse>;
  /** Usage of all running containers that pass the filter. */
  listContainerStats(ctx: Context, request: ListContainerStatsRequest): Go<ListContainerStatsResponse>;
  /** ListContainerStats in chunks. */
  streamContainerStats(
    ctx: Context,
    request: StreamContainerStatsRequest,
  ): Go<Chan<StreamContainerStatsResponse | CRIError>>;
  /** Usage of one sandbox. */
  podSandboxStats(ctx: Context, request: PodSandboxStatsRequest): Go<PodSandboxStatsResponse>;
  /** Usage of all sandboxes that pass the filter. */
  listPodSandboxStats(ctx: Context, request: ListPodSandboxStatsRequest): Go<ListPodSandboxStatsResponse>;
  /** ListPodSandboxStats in chunks. */
  streamPodSandboxStats(
    ctx: Context,
    request: StreamPodSandboxStatsRequest,
  ): Go<Chan<StreamPodSandboxStatsResponse | CRIError>>;
  /** Hands the node's pod CIDR to the runtime once it is known. */
  updateRuntimeConfig(ctx: Context, request: UpdateRuntimeConfigRequest): Go<UpdateRuntimeConfigResponse>;
  /** Health of the runtime as conditions (RuntimeReady, NetworkReady), and its handlers. */
  status(ctx: Context, request: StatusRequest): Go<StatusResponse>;
  /** Writes a checkpoint of a running container to a file. */
  checkpointContainer(ctx: Context, request: CheckpointContainerRequest): Go<CheckpointContainerResponse>;
  /** Writes a checkpoint of a whole pod. Newer than kubelet 1.36, which does not call it. */
  checkpointPod(ctx: Context, request: CheckpointPodRequest): Go<CheckpointPodResponse>;
  /** Recreates a pod from a checkpoint. Newer than kubelet 1.36, which does not call it. */
  restorePod(ctx: Context, request: RestorePodRequest): Go<RestorePodResponse>;
  /**
   * Streams container events for as long as the call is open. Optional: many runtimes answer
   * UNIMPLEMENTED.
   */
  getContainerEvents(ctx: Context, request: GetEventsRequest): Go<Chan<ContainerEventResponse | CRIError>>;
  /**
   * Describes the metrics that ListPodSandboxMetrics returns. The list may not change while the
   * runtime runs.
   */
  listMetricDescriptors(ctx: Context, request: ListMetricDescriptorsRequest): Go<ListMetricDescriptorsResponse>;
  /** Current metrics of all sandboxes and their containers. */
  listPodSandboxMetrics(ctx: Context, request: ListPodSandboxMetricsRequest): Go<ListPodSandboxMetricsResponse>;
  /** ListPodSandboxMetrics in chunks. */
  streamPodSandboxMetrics(
    ctx: Context,
    request: StreamPodSandboxMetricsRequest,
  ): Go<Chan<StreamPodSandboxMetricsResponse | CRIError>>;
  /** Settings the kubelet must follow, asked once at start: the cgroup driver. */
  runtimeConfig(ctx: Context, request: RuntimeConfigRequest): Go<RuntimeConfigResponse>;
  /** Tells the runtime that the resources of a pod have changed. Informative. */
  updatePodSandboxResources(
    ctx: Context,
    request: UpdatePodSandboxResourcesRequest,
  ): Go<UpdatePodSandboxResourcesResponse>;
}

/**
 * Images: 6 RPCs.
 *
 * upstream: staging/src/k8s.io/cri-api/pkg/apis/services.go ImageManagerService
 */
export interface ImageService {
  /** Lists all images that pass the filter. */
  listImages(ctx: Context, request: ListImagesRequest): Go<ListImagesResponse>;
  /** ListImages in chunks. */
  streamImages(ctx: Context, request: StreamImagesRequest): Go<Chan<StreamImagesResponse | CRIError>>;
  /** One image. An image that is not there is an answer without `image`, not an error. */
  imageStatus(ctx: Context, request: ImageStatusRequest): Go<ImageStatusResponse>;
  /** Pulls an image and returns its reference. May take as long as it takes. */
  pullImage(ctx: Context, request: PullImageRequest): Go<PullImageResponse>;
  /** Removes an image. Idempotent. */
  removeImage(ctx: Context, request: RemoveImageRequest): Go<RemoveImageResponse>;
  /** Usage of the file systems that hold images and writable layers. */
  imageFsInfo(ctx: Context, request: ImageFsInfoRequest): Go<ImageFsInfoResponse>;
}

/** Both services of a runtime, as one: every RPC has a name of its own. */
export type CRIServices = RuntimeService & ImageService;
