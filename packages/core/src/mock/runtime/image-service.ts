import type {
  ImageFsInfoResponse,
  ImageStatusRequest,
  ImageStatusResponse,
  ListImagesResponse,
  PullImageRequest,
  PullImageResponse,
  RemoveImageRequest,
} from '../../cri/index.js';
import { CRIError, GrpcCode } from '../../cri/index.js';
import { type Context, type Go, sleep } from '../../kernel/index.js';
import {
  imageMessage,
  parseReference,
  type Reference,
  referenceProblem,
  type StoredImage,
  wellKnownImage,
} from '../images/images.js';
import { type Core, unknown } from './core.js';
import { imageDiskUsage } from './stats.js';

const mountpoint = '/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs';

/** upstream: containerd internal/cri/server/images ListImages, which has no eye for the filter. */
export function listImages(core: Core): ListImagesResponse {
  const images = core.images.messages();
  return images.length > 0 ? { images: images as NonNullable<ListImagesResponse['images']> } : {};
}

/** upstream: containerd internal/cri/server/images ImageStatus. An image that is not there is an empty answer. */
export function imageStatus(core: Core, request: ImageStatusRequest): ImageStatusResponse {
  if (!request.image?.image) throw unknown('can not resolve "" locally: ambiguous digest string');
  const image = core.images.find(request.image.image);
  if (!image) return {};
  return {
    image: imageMessage(image),
    ...(request.verbose && {
      info: { info: JSON.stringify({ chainID: '', imageSpec: { config: imageConfig(image) } }) },
    }),
  };
}

/** Returns the configuration as an OCI image has it. */
function imageConfig({ spec }: StoredImage): object {
  return {
    ...(spec.user && { User: spec.user }),
    ...(spec.env && { Env: spec.env }),
    ...(spec.entrypoint && { Entrypoint: spec.entrypoint }),
    ...(spec.cmd && { Cmd: spec.cmd }),
    ...(spec.workingDir && { WorkingDir: spec.workingDir }),
    ...(spec.stopSignal && { StopSignal: spec.stopSignal }),
  };
}

/** upstream: containerd internal/cri/server/images PullImage */
export function* pullImage(core: Core, request: PullImageRequest, ctx: Context): Go<PullImageResponse> {
  const text = request.image?.image ?? '';
  const ref = parseReference(text);
  if (!ref) throw unknown(`failed to parse image reference "${text}": ${referenceProblem(text)}`);
  core.emitImage(ref.full, 'pulling');
  try {
    const fault = core.pullFaults.decide([text, ref.full]);
    const behaviour =
      (fault && { kind: fault }) ?? core.registry.get(ref.full) ?? wellKnownImage(ref, core.options.offline ?? false);
    // Whoever answers is some round trips away; that nobody does is soon known.
    yield* sleep(core.callTime(behaviour.kind === 'refused' || behaviour.kind === 'no-such-host' ? 12_000 : 400_000));
    if (behaviour.kind === 'hang') yield* forever(core, ctx);
    if (behaviour.kind === 'timeout') yield* sleep(30_000_000);
    if (behaviour.kind !== 'serve') throw pullError(core, ref, behaviour.kind);
    const size = behaviour.image.size ?? 5_000_000;
    const speed = behaviour.bytesPerSecond ?? core.options.pullBytesPerSecond ?? 40_000_000;
    const until = core.kernel.now() + core.callTime(Math.round((size / speed) * 1_000_000));
    while (core.kernel.now() < until) {
      if (ctx.err())
        throw new CRIError(GrpcCode.Canceled, `failed to pull and unpack image "${ref.full}": context canceled`);
      yield* sleep(Math.min(until - core.kernel.now(), 1_000_000));
    }
    const image = core.images.add({ ...behaviour.image, ref: ref.full });
    core.emitImage(ref.full, 'present');
    return { imageRef: image.id };
  } catch (error) {
    if (error instanceof CRIError) core.emitImage(ref.full, 'failed', error.details);
    throw error;
  }
}

function* forever(core: Core, ctx: Context): Go<never> {
  for (;;) {
    if (ctx.err()) throw new CRIError(GrpcCode.Canceled, 'context canceled');
    yield {
      start(_k, g) {
        const stop = ctx.afterFunc(() => core.kernel.ready(g));
        core.kernel.park(g, { op: 'call', name: 'registry' }, () => stop(), true);
        return false;
      },
    };
  }
}

/** Returns the error of a failed pull. `ref.full` is in every text, as the kubelet shows them. */
function pullError(
  core: Core,
  ref: Reference,
  kind: 'not-found' | 'unauthorized' | 'refused' | 'timeout' | 'too-many-requests' | 'no-such-host' | 'hang',
): CRIError {
  const slash = ref.name.indexOf('/');
  const domain = ref.name.slice(0, slash);
  const host = domain === 'docker.io' ? 'registry-1.docker.io' : domain;
  const url = `https://${host}/v2/${ref.name.slice(slash + 1)}/manifests/${ref.digest || ref.tag}`;
  const server = /^nameserver\s+(\S+)/m.exec(core.nodeInfo.resolvConf)?.[1];
  const nameserver = server ? ` on ${server}:53` : '';
  const head = `failed to pull and unpack image "${ref.full}": failed to resolve image: `;
  const address = /^localhost(:|$)/.test(host) ? `127.0.0.1:${host.split(':')[1] ?? '443'}` : `203.0.113.10:443`;
  switch (kind) {
    case 'not-found':
      return new CRIError(GrpcCode.NotFound, `${head}${ref.full}: not found`);
    case 'unauthorized':
      return unknown(
        `${head}pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`,
      );
    case 'refused':
      return unknown(`${head}failed to do request: Head "${url}": dial tcp ${address}: connect: connection refused`);
    case 'too-many-requests':
      return unknown(`${head}unexpected status from HEAD request to ${url}: 429 Too Many Requests`);
    case 'no-such-host':
      return unknown(
        `${head}failed to do request: Head "${url}": dial tcp: lookup ${host.split(':')[0]}${nameserver}: no such host`,
      );
    default:
      return unknown(`${head}failed to do request: Head "${url}": dial tcp ${address}: i/o timeout`);
  }
}

/** upstream: RemoveImage. Idempotent. */
export function* removeImage(core: Core, request: RemoveImageRequest): Go<object> {
  const image = core.images.find(request.image?.image ?? '');
  yield* sleep(core.callTime(image ? core.latencies.removeImage : core.latencies.read));
  if (!image) return {};
  core.images.remove(image);
  core.emitImage(image.repoTags[0] ?? image.id, 'removed');
  return {};
}

export function imageFsInfo(core: Core): ImageFsInfoResponse {
  const { bytes, inodes } = imageDiskUsage(core);
  const usage = {
    timestamp: core.nowNs(),
    fsId: { mountpoint },
    usedBytes: { value: String(bytes) },
    inodesUsed: { value: String(inodes) },
  };
  return { imageFilesystems: [usage], containerFilesystems: [usage] };
}
