import { messageOf } from '../../base/index.js';
import type { AuthConfig, ImageService, ImageSpec, PodSandboxConfig } from '../../cri/index.js';
import { type Context, frame, type Go } from '../../kernel/index.js';
import { AggregateSyncError } from '../container/sync-result.js';
import type { Credential, KubeletImageService } from '../images/types.js';
import { withoutZeros } from './helpers.js';
import type { KubeRuntimeLoggers } from './types.js';

/** upstream: internalapi.ImageManagerService */
interface ImageServiceDeps {
  readonly imageService: ImageService;
  readonly log: KubeRuntimeLoggers;
}

/** The runtime's images for the image manager. upstream: pkg/kubelet/kuberuntime/kuberuntime_image.go */
export function kubeletImageService(m: ImageServiceDeps): KubeletImageService {
  return {
    *pullImage(ctx, image, credentials, podSandboxConfig) {
      return yield* frame('PullImage', { image: image.image ?? '', credentials: credentials.length }, () =>
        pullImage(m, ctx, image, credentials, podSandboxConfig),
      );
    },
    *getImageRef(ctx, image) {
      return (yield* imageStatus(m, ctx, image))?.id ?? '';
    },
    *getImageSize(ctx, image) {
      return Number((yield* imageStatus(m, ctx, image))?.size ?? 0);
    },
  };
}

function* imageStatus(m: ImageServiceDeps, ctx: Context, image: ImageSpec) {
  try {
    return (yield* m.imageService.imageStatus(ctx, { image })).image;
  } catch (err) {
    m.log.image.error(err, 'Failed to get image status', { image: image.image ?? '' });
    throw err;
  }
}

/**
 * Pulls an image with each credential in turn until one works; without any, once without (fidelity 2:M-12).
 * upstream: pkg/kubelet/kuberuntime/kuberuntime_image.go (*kubeGenericRuntimeManager).PullImage
 */
function* pullImage(
  m: ImageServiceDeps,
  ctx: Context,
  image: ImageSpec,
  credentials: readonly Credential[],
  sandboxConfig: PodSandboxConfig,
): Go<{ imageRef: string; credentials: Credential | null }> {
  if (credentials.length === 0) {
    m.log.image.info(3, 'Pulling image without credentials', { image: image.image ?? '' });
    try {
      const { imageRef } = yield* m.imageService.pullImage(ctx, { image, sandboxConfig });
      return { imageRef: imageRef ?? '', credentials: null };
    } catch (err) {
      m.log.image.error(err, 'Failed to pull image', { image: image.image ?? '' });
      throw err;
    }
  }
  const errors: Error[] = [];
  for (const c of credentials) {
    const { source: _source, ...login } = c;
    const auth: AuthConfig = withoutZeros(login);
    try {
      const { imageRef } = yield* m.imageService.pullImage(ctx, { image, auth, sandboxConfig });
      return { imageRef: imageRef ?? '', credentials: c };
    } catch (err) {
      errors.push(err instanceof Error ? err : new Error(messageOf(err)));
    }
  }
  throw new AggregateSyncError(errors);
}
