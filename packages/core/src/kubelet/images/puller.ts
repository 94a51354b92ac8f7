import type { ImageSpec, PodSandboxConfig } from '../../cri/index.js';
import { type Chan, type Context, type Go, type Kernel, makeChan, receive, send } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import { TokenBucket } from '../client/flowcontrol.js';
import type { Credential, KubeletImageService } from './types.js';

/** upstream: pullResult */
export interface PullResult {
  readonly imageRef: string;
  readonly imageSize: number;
  readonly err: Error | null;
  /** Duration of the pull and of reading the size, without the wait in the queue. */
  readonly pullDuration: Micros;
  readonly credentialsUsed: Credential | null;
}

interface ImagePullRequest {
  readonly ctx: Context;
  readonly spec: ImageSpec;
  readonly credentials: readonly Credential[];
  readonly pullChan: Chan<PullResult>;
  readonly podSandboxConfig: PodSandboxConfig;
}

/** Asks for a pull; its result comes over `pullChan`. upstream: imagePuller */
export interface ImagePuller {
  /** Starts what must be running before the first pull. */
  start(): void;
  pullImage(request: ImagePullRequest): Go<void>;
}

/** Most pulls that wait in the queue; further callers block. upstream: maxImagePullRequests */
const maxImagePullRequests = 10;

function* doPull(kernel: Kernel, images: KubeletImageService, r: ImagePullRequest): Go<PullResult> {
  const started = kernel.now();
  let result: { imageRef: string; credentials: Credential | null } | null = null;
  let err: Error | null = null;
  let imageSize = 0;
  try {
    result = yield* images.pullImage(r.ctx, r.spec, r.credentials, r.podSandboxConfig);
  } catch (e) {
    err = e instanceof Error ? e : new Error(String(e));
  }
  if (result?.imageRef) {
    try {
      imageSize = yield* images.getImageSize(r.ctx, r.spec);
    } catch {
      // The size is needed only for the event.
    }
  }
  return {
    imageRef: result?.imageRef ?? '',
    imageSize,
    err,
    pullDuration: kernel.now() - started,
    credentialsUsed: result?.credentials ?? null,
  };
}

/** One pull at a time for the whole node (fidelity 2:M-10). upstream: serialImagePuller */
export class SerialImagePuller implements ImagePuller {
  private readonly pullRequests: Chan<ImagePullRequest>;
  private started = false;
  constructor(
    private readonly kernel: Kernel,
    private readonly images: KubeletImageService,
  ) {
    this.pullRequests = makeChan<ImagePullRequest>(kernel, 'pullRequests', maxImagePullRequests, {
      describe: (r) => r.spec.image ?? '',
    });
  }
  start(): void {
    if (this.started) return;
    this.started = true;
    const { kernel, images, pullRequests } = this;
    kernel.go(
      'processImagePullRequests',
      function* () {
        for (;;) {
          const [request] = yield* receive(pullRequests);
          if (!request) return;
          yield* send(request.pullChan, yield* doPull(kernel, images, request));
        }
      },
      { place: 'images', daemon: true },
    );
  }
  *pullImage(request: ImagePullRequest): Go<void> {
    this.start();
    yield* send(this.pullRequests, request);
  }
}

/** All at once, or at most so many. upstream: parallelImagePuller */
export class ParallelImagePuller implements ImagePuller {
  private readonly tokens: Chan<null> | null;
  constructor(
    private readonly kernel: Kernel,
    private readonly images: KubeletImageService,
    maxParallelImagePulls: number | null,
  ) {
    this.tokens =
      maxParallelImagePulls !== null && maxParallelImagePulls >= 1
        ? makeChan<null>(kernel, 'pullTokens', maxParallelImagePulls)
        : null;
  }
  start(): void {}
  *pullImage(request: ImagePullRequest): Go<void> {
    const { kernel, images, tokens } = this;
    kernel.go(
      `pullImage ${request.spec.image ?? ''}`,
      function* () {
        if (tokens) yield* send(tokens, null);
        try {
          yield* send(request.pullChan, yield* doPull(kernel, images, request));
        } finally {
          if (tokens) yield* receive(tokens);
        }
      },
      { place: 'images' },
    );
  }
}

/** The service with its pulls limited (fidelity 2:M-11); qps 0: no limit. upstream: throttleImagePulling */
export function throttleImagePulling(
  kernel: Kernel,
  images: KubeletImageService,
  qps: number,
  burst: number,
): KubeletImageService {
  if (qps === 0) return images;
  const limiter = new TokenBucket(kernel, qps, burst);
  return {
    getImageRef: (ctx, image) => images.getImageRef(ctx, image),
    getImageSize: (ctx, image) => images.getImageSize(ctx, image),
    *pullImage(ctx, image, credentials, config) {
      if (limiter.tryAccept()) return yield* images.pullImage(ctx, image, credentials, config);
      throw new Error('pull QPS exceeded');
    },
  };
}
