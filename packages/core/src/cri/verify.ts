/**
 * The checks and changes that the kubelet's CRI client makes to an answer or an error before the kubelet sees it. Pure,
 * so that the gRPC client and an in-process runtime treat them alike.
 */
import type { Micros } from '../trace/index.js';
import { CRIError, GrpcCode } from './errors.js';
import type { RpcMethod, RpcRequest, RpcResponse } from './rpcs.js';
import type { ContainerStatus, PodSandboxStatus } from './types.js';
import { int64 } from './values.js';

type Check<M extends RpcMethod> = (response: RpcResponse<M>, request: RpcRequest<M>) => string | undefined;

const urlIsSet = (response: { url?: string }) => (response.url ? undefined : 'URL is not set');

/** Per method: what is wrong with an answer, as text. */
const checks: { readonly [M in RpcMethod]?: Check<M> } = {
  version(r) {
    const missing = [
      r.version ? '' : 'Version',
      r.runtimeName ? '' : 'RuntimeName',
      r.runtimeApiVersion ? '' : 'RuntimeApiVersion',
      r.runtimeVersion ? '' : 'RuntimeVersion',
    ].filter(Boolean);
    return missing.length > 0 ? `not all fields are set in VersionResponse (missing ${missing.join(', ')})` : undefined;
  },
  status: (r) =>
    (r.status?.conditions?.length ?? 0) < 2 ? 'RuntimeReady or NetworkReady condition are not set' : undefined,
  runPodSandbox: (r, req) =>
    r.podSandboxId ? undefined : `PodSandboxId is not set for sandbox "${req.config?.metadata?.name ?? ''}"`,
  podSandboxStatus: (r) => (r.status ? verifySandboxStatus(r.status) : undefined),
  createContainer: (r, req) =>
    r.containerId ? undefined : `ContainerId is not set for container "${req.config?.metadata?.name ?? ''}"`,
  containerStatus: (r) => (r.status ? verifyContainerStatus(r.status) : undefined),
  exec: urlIsSet,
  attach: urlIsSet,
  portForward: urlIsSet,
  imageStatus: (r, req) =>
    r.image && (!r.image.id || int64(r.image.size) === 0n)
      ? `Id or size of image "${req.image?.image ?? ''}" is not set`
      : undefined,
  pullImage: (r, req) => (r.imageRef ? undefined : `imageRef of image "${req.image?.image ?? ''}" is not set`),
};

/** upstream: staging/src/k8s.io/cri-client/pkg/utils.go verifySandboxStatus */
function verifySandboxStatus(status: PodSandboxStatus): string | undefined {
  const { id, metadata, createdAt } = status;
  if (!id) return 'status.Id is not set';
  if (!metadata) return 'status.Metadata is not set';
  if (!metadata.name || !metadata.namespace || !metadata.uid) {
    return `metadata.Name, metadata.Namespace or metadata.Uid is not in metadata ${JSON.stringify(metadata)}`;
  }
  return int64(createdAt) === 0n ? 'status.CreatedAt is not set' : undefined;
}

/** upstream: staging/src/k8s.io/cri-client/pkg/utils.go verifyContainerStatus */
function verifyContainerStatus(status: ContainerStatus): string | undefined {
  const { id, metadata, createdAt, image, imageRef } = status;
  if (!id) return 'status.Id is not set';
  if (!metadata) return 'status.Metadata is not set';
  if (!metadata.name) return `metadata.Name is not in metadata ${JSON.stringify(metadata)}`;
  if (int64(createdAt) === 0n) return 'status.CreatedAt is not set';
  if (!image?.image) return 'status.Image is not set';
  return imageRef ? undefined : 'status.ImageRef is not set';
}

/**
 * Returns the answer if the kubelet can use it; throws a local {@link CRIError} (code Unknown, the
 * bare text as message) that names the missing field if not.
 *
 * upstream: staging/src/k8s.io/cri-client/pkg/utils.go, remote_runtime.go, remote_image.go
 */
export function verifyResponse<M extends RpcMethod>(
  method: M,
  request: RpcRequest<M>,
  response: RpcResponse<M>,
): RpcResponse<M> {
  const check = checks[method] as Check<M> | undefined;
  const problem = check?.(response, request);
  if (problem !== undefined) throw new CRIError(GrpcCode.Unknown, problem, { method, local: true });
  return response;
}

/**
 * The request as the kubelet puts it on the wire: CheckpointContainer's timeout is never less than
 * runtimeRequestTimeout (`timeout`); a negative one throws InvalidArgument.
 *
 * upstream: staging/src/k8s.io/cri-client/pkg/remote_runtime.go CheckpointContainer
 */
export function outgoingRequest<M extends RpcMethod>(
  method: M,
  request: RpcRequest<M>,
  timeout: Micros,
): RpcRequest<M> {
  if (method !== 'checkpointContainer') return request;
  const own = int64((request as { timeout?: string }).timeout);
  if (own < 0n) {
    const text = 'CheckpointContainer requires the timeout value to be > 0';
    throw new CRIError(GrpcCode.InvalidArgument, text, { method, local: true });
  }
  const least = BigInt(Math.trunc(timeout / 1_000_000));
  return { ...request, timeout: String(own > least ? own : least) };
}

/**
 * An error as the kubelet sees it: PullImage's code Unknown says nothing, so its prefix goes and
 * the runtime's own text is left for Events and statuses.
 *
 * upstream: staging/src/k8s.io/cri-client/pkg/remote_image.go pullImageV1
 */
export function incomingError(method: RpcMethod, err: CRIError): CRIError {
  if (method !== 'pullImage' || err.code !== GrpcCode.Unknown) return err;
  return new CRIError(err.code, err.details, { method, local: true, cause: err.cause });
}
