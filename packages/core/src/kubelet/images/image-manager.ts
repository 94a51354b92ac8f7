import { type Container, kObj, type Pod, type PullPolicy, podRef } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import type { ImageService, ImageSpec, PodSandboxConfig } from '../../cri/index.js';
import type { OSInterface } from '../../host/os.js';
import {
  type Context,
  frame,
  type Go,
  type Kernel,
  Millisecond,
  makeChan,
  receive,
  Second,
} from '../../kernel/index.js';
import type { KubeletConfig } from '../config.js';
import { containerFieldPath, implicitContainerPrefix } from '../container/helpers.js';
import { ReasonError } from '../container/sync-result.js';
import { type DockerKeyring, makeDockerKeyring } from '../credentialprovider/keyring.js';
import { EventReason, type EventRecorder } from '../events.js';
import { featureEnabled } from '../features.js';
import { type EventTexts, runtimeRules } from '../kuberuntime/rules.js';
import { imageSizeBucket, metricsOf } from '../metrics/kubelet-metrics.js';
import { BackOff } from '../util/backoff.js';
import { applyDefaultImageTag, parseImageName } from './parse-image-name.js';
import { ImagePullManager } from './pull-manager.js';
import {
  type ImagePuller,
  ParallelImagePuller,
  type PullResult,
  SerialImagePuller,
  throttleImagePulling,
} from './puller.js';
import { type Credential, ImageReason, type KubeletImageService } from './types.js';

/** An image is not there: `reason` is the container's waiting reason, `message` its message. */
export class EnsureImageError extends ReasonError {
  constructor(
    reason: string,
    readonly detail: string,
  ) {
    super(reason);
  }
}

export interface EnsureImageRequest {
  readonly pod: Pod;
  /** The container that events name; null for the pod itself (image volumes). */
  readonly container: Container | null;
  /** The image name as in the spec. */
  readonly image: string;
  readonly pullSecrets: readonly unknown[];
  readonly podSandboxConfig: PodSandboxConfig;
  readonly runtimeHandler: string;
  readonly pullPolicy: PullPolicy | undefined;
}

/** The knowledge about a request: the image is present, it must be pulled. */
interface Seen {
  present?: boolean;
  pull?: boolean;
}

export interface ImageManagerDeps {
  readonly kernel: Kernel;
  readonly config: Pick<
    KubeletConfig,
    | 'serializeImagePulls'
    | 'maxParallelImagePulls'
    | 'registryPullQPS'
    | 'registryBurst'
    | 'featureGates'
    | 'rootDirectory'
    | 'imagePullCredentialsVerificationPolicy'
    | 'preloadedImagesVerificationAllowlist'
  >;
  readonly os: OSInterface;
  /** The runtime's image service, for calls that are not pulls. */
  readonly images: Pick<ImageService, 'listImages'>;
  /** Credentials of the node: its files, and its plug-ins. */
  readonly nodeKeyring: DockerKeyring;
  readonly recorder: EventRecorder;
  readonly imageService: KubeletImageService;
  /** Default: those of v1.36. */
  readonly texts?: EventTexts;
}

/**
 * Makes sure that a container's image is on the node (fidelity 2, section 13).
 * upstream: pkg/kubelet/images/image_manager.go imageManager
 */
export class ImageManager {
  /** Counted from the last failure of a pod's image: 10 s doubling to 300 s (fidelity 2:M-07). */
  readonly backOff: BackOff;
  private readonly prevPullErrMsg = new Map<string, string>();
  private readonly puller: ImagePuller;
  readonly imagePullManager: ImagePullManager;
  private readonly nodeKeyring: DockerKeyring;
  private readonly kernel: Kernel;
  private readonly config: ImageManagerDeps['config'];
  private readonly recorder: EventRecorder;
  private readonly imageService: KubeletImageService;
  private readonly texts: EventTexts;

  constructor(deps: ImageManagerDeps) {
    const { kernel, config } = deps;
    this.kernel = kernel;
    this.config = config;
    this.recorder = deps.recorder;
    this.texts = deps.texts ?? runtimeRules.texts;
    this.nodeKeyring = deps.nodeKeyring;
    this.imagePullManager = new ImagePullManager({ kernel, config, os: deps.os, imageService: deps.images });
    this.imageService = throttleImagePulling(kernel, deps.imageService, config.registryPullQPS, config.registryBurst);
    this.backOff = new BackOff(kernel, 10 * Second, 300 * Second);
    this.puller = config.serializeImagePulls
      ? new SerialImagePuller(kernel, this.imageService)
      : new ParallelImagePuller(kernel, this.imageService, config.maxParallelImagePulls);
  }

  /** Starts the puller, in the caller's process. */
  start(): void {
    this.puller.start();
  }

  /**
   * Returns the reference of the image, pulled if need be; throws an EnsureImageError.
   * upstream: pkg/kubelet/images/image_manager.go (*imageManager).EnsureImageExists
   */
  *ensureImageExists(ctx: Context, request: EnsureImageRequest): Go<string> {
    const { pod, container } = request;
    return yield* frame(
      'EnsureImageExists',
      {
        pod: kObj(pod),
        container: container?.name ?? null,
        image: request.image,
        pullPolicy: request.pullPolicy ?? null,
      },
      () => this.ensure(ctx, request),
      (ref) => ref,
    );
  }

  private *ensure(ctx: Context, request: EnsureImageRequest): Go<string> {
    const seen: Seen = {};
    try {
      return yield* this.ensureSeen(ctx, request, seen);
    } finally {
      metricsOf(this.kernel).ensureImageRequests.add(1, {
        pull_policy: (request.pullPolicy ?? '').toLowerCase(),
        present_locally: String(seen.present ?? 'unknown'),
        pull_required: String(seen.pull ?? 'unknown'),
      });
    }
  }

  /** Writes into `seen` what became known on the way, however it ends. */
  private *ensureSeen(ctx: Context, request: EnsureImageRequest, seen: Seen): Go<string> {
    const { pod, image: requestedImage, pullPolicy } = request;
    let image: string;
    try {
      image = applyDefaultImageTag(requestedImage);
    } catch (err) {
      const msg = `Failed to apply default image tag "${requestedImage}": ${messageOf(err)}`;
      this.event(request, 'Warning', EventReason.FailedToInspectImage, msg);
      throw this.decided(request, 'applyDefaultImageTag', new EnsureImageError(ImageReason.ErrInvalidImageName, msg));
    }
    const spec: ImageSpec = { image };
    const annotations = pod.metadata.annotations;
    if (annotations && Object.keys(annotations).length > 0) spec.annotations = { ...annotations };
    if (request.runtimeHandler) spec.runtimeHandler = request.runtimeHandler;

    const imageRef = yield* this.imagePullPrecheck(ctx, request, spec, seen);
    if (imageRef) seen.pull = false;
    let credentials: readonly Credential[] | null = null;
    const { nodeKeyring } = this;
    // Once, and no earlier than needed.
    const lookup = function* (): Go<readonly Credential[]> {
      if (credentials) return credentials;
      try {
        const keyring = makeDockerKeyring(request.pullSecrets, nodeKeyring);
        credentials = yield* keyring.lookup(parseImageName(image).repo);
      } catch (err) {
        // Upstream's error has no reason of its own, and so it is its own reason.
        throw new EnsureImageError(messageOf(err), messageOf(err));
      }
      return credentials;
    };
    if (imageRef && !featureEnabled(this.config, 'KubeletEnsureSecretPulledImages')) {
      this.event(
        request,
        'Normal',
        EventReason.PulledImage,
        `Container image "${requestedImage}" already present on machine`,
      );
      this.finishedPulling(pod);
      return imageRef;
    }
    if (imageRef) {
      delete seen.pull;
      const mustPull = yield* this.imagePullManager.mustAttemptImagePull(requestedImage, imageRef, lookup);
      seen.pull = mustPull;
      this.decision(request, 'MustAttemptImagePull', mustPull ? 'pull' : 'present', { imageRef });
      if (!mustPull) {
        this.event(
          request,
          'Normal',
          EventReason.PulledImage,
          `Container image "${requestedImage}" already present on machine and can be accessed by the pod`,
        );
        this.finishedPulling(pod);
        return imageRef;
      }
    }
    seen.pull = true;
    if (pullPolicy === 'Never') throw this.notPresentOnNeverPolicy(request);
    return yield* this.pullImage(ctx, request, spec, yield* lookup());
  }

  /**
   * Notes the end of a pull that the pod waited for; another pod may have made it.
   * upstream: RecordImageFinishedPulling
   */
  private finishedPulling(pod: Pod): void {
    metricsOf(this.kernel).podStartup.imageFinishedPulling(pod.metadata.uid);
  }

  /**
   * Asks for the image unless the policy is Always (fidelity 2:M-02): its ID, '' if it is to be pulled.
   * upstream: imagePullPrecheck
   */
  private *imagePullPrecheck(ctx: Context, request: EnsureImageRequest, spec: ImageSpec, seen: Seen): Go<string> {
    if (request.pullPolicy === 'Always') {
      this.decision(request, 'imagePullPrecheck', 'pull', { pullPolicy: 'Always' });
      return '';
    }
    let imageRef: string;
    try {
      imageRef = yield* this.imageService.getImageRef(ctx, spec);
    } catch (err) {
      const msg = `Failed to inspect image "": ${messageOf(err)}`;
      this.event(request, 'Warning', EventReason.FailedToInspectImage, msg);
      throw this.decided(request, 'imagePullPrecheck', new EnsureImageError(ImageReason.ErrImageInspect, msg));
    }
    seen.present = imageRef !== '';
    this.decision(request, 'imagePullPrecheck', imageRef ? 'present' : 'absent', {
      pullPolicy: request.pullPolicy ?? null,
      imageRef,
    });
    if (!imageRef && request.pullPolicy === 'Never') throw this.notPresentOnNeverPolicy(request);
    return imageRef;
  }

  /** upstream: imageNotPresentOnNeverPolicyError */
  private notPresentOnNeverPolicy(request: EnsureImageRequest): EnsureImageError {
    const msg = `Container image "${request.image}" is not present with pull policy of Never`;
    this.event(request, 'Warning', EventReason.ErrImageNeverPullPolicy, msg);
    return this.decided(
      request,
      'imageNotPresentOnNeverPolicyError',
      new EnsureImageError(ImageReason.ErrImageNeverPull, msg),
    );
  }

  /** upstream: (*imageManager).pullImage */
  private *pullImage(
    ctx: Context,
    request: EnsureImageRequest,
    spec: ImageSpec,
    credentials: readonly Credential[],
  ): Go<string> {
    const { kernel, imagePullManager } = this;
    const { image, pod } = request;
    const tracked = featureEnabled(this.config, 'KubeletEnsureSecretPulledImages');
    if (tracked) {
      try {
        yield* imagePullManager.recordPullIntent(image);
      } catch (err) {
        const why = `Failed to record image pull intent for container image "${image}": ${messageOf(err)}`;
        throw new EnsureImageError(messageOf(err), why);
      }
    }
    let pulled: PullResult | null = null;
    try {
      const backOffKey = `${pod.metadata.uid}_${image}`;
      const active = this.backOff.isInBackOffSinceUpdate(backOffKey, kernel.now());
      this.backOffRecord(request, backOffKey, active);
      if (active) {
        this.event(request, 'Normal', EventReason.BackOffPullImage, `Back-off pulling image "${image}"`);
        const msg = this.texts.pullBackOff(image, this.prevPullErrMsg.get(backOffKey));
        throw new EnsureImageError(ImageReason.ErrImagePullBackOff, msg);
      }
      this.prevPullErrMsg.delete(backOffKey);
      const metrics = metricsOf(kernel);
      metrics.podStartup.imageStartedPulling(pod.metadata.uid);
      this.event(request, 'Normal', EventReason.PullingImage, this.texts.pulling(image));
      const started = kernel.now();
      const pullChan = makeChan<PullResult>(kernel, `pullChan ${image}`, 0, {
        describe: (r) => (r.err ? { err: r.err.message } : { imageRef: r.imageRef }),
      });
      yield* this.puller.pullImage({ ctx, spec, credentials, pullChan, podSandboxConfig: request.podSandboxConfig });
      const [result] = yield* receive(pullChan);
      if (!result || result.err) {
        const err = result?.err ?? new Error('no result');
        this.event(
          request,
          'Warning',
          EventReason.FailedToPullImage,
          `Failed to pull image "${image}": ${err.message}`,
        );
        this.backOff.next(backOffKey, kernel.now());
        this.backOffRecord(request, backOffKey, true);
        const failure = evalCRIPullErr(image, err);
        this.prevPullErrMsg.set(backOffKey, `${failure.reason}: ${failure.detail}`);
        throw failure;
      }
      metrics.podStartup.imageFinishedPulling(pod.metadata.uid);
      const waited = kernel.now() - started;
      const duration = Math.trunc(waited / Millisecond) * Millisecond;
      metrics.imagePullDuration.observe(duration / Second, {
        image_size_in_bytes: imageSizeBucket(Number(result.imageSize)),
      });
      const { pullDuration, imageSize: size } = result;
      const text = this.texts.pulled({ image, pullDuration, waited, size });
      this.event(request, 'Normal', EventReason.PulledImage, text);
      this.backOff.gc();
      pulled = result;
      return result.imageRef;
    } finally {
      if (tracked && pulled) yield* imagePullManager.recordImagePulled(image, pulled.imageRef, pulled.credentialsUsed);
      else if (tracked) yield* imagePullManager.recordImagePullFailed(image);
    }
  }

  private backOffRecord(request: EnsureImageRequest, key: string, active: boolean): void {
    const entry = this.backOff.snapshot().find((e) => e.id === key);
    if (!entry && !active) return;
    const delay = entry?.backoff ?? 0;
    this.kernel.emit({
      kind: 'backoff',
      of: 'image-pull',
      container: request.container?.name ?? '',
      delay,
      until: (entry?.lastUpdate ?? 0) + delay,
      active,
      ...podRef(request.pod),
    });
  }

  /** Records an event, but none for containers that no spec names, as in upstream. upstream: FilterEventRecorder */
  private event(request: EnsureImageRequest, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const fieldPath = request.container ? containerFieldPath(request.pod, request.container) : '';
    if (!fieldPath.startsWith(implicitContainerPrefix))
      this.recorder.event(request.pod, type, reason, message, fieldPath);
  }

  private decision(
    request: EnsureImageRequest,
    rule: string,
    verdict: string,
    values: { readonly [key: string]: string | null },
  ): void {
    const container = request.container ? { container: request.container.name } : {};
    this.kernel.emit({
      kind: 'decision',
      rule,
      verdict,
      values: { image: request.image, ...values },
      ...container,
      ...podRef(request.pod),
    });
  }

  private decided(request: EnsureImageRequest, rule: string, error: EnsureImageError): EnsureImageError {
    this.decision(request, rule, error.reason, { message: error.detail });
    return error;
  }
}

/** Returns the reason for a runtime's error (fidelity 2:M-06). upstream: evalCRIPullErr */
export function evalCRIPullErr(image: string, err: Error): EnsureImageError {
  const special = [
    [ImageReason.ErrRegistryUnavailable, 'the registry is unavailable'],
    [ImageReason.ErrSignatureValidationFailed, 'the signature validation failed'],
  ] as const;
  for (const [reason, text] of special)
    if (err.message.startsWith(reason))
      return new EnsureImageError(
        reason,
        `image pull failed for ${image} because ${text}${err.message.slice(reason.length)}`,
      );
  return new EnsureImageError(ImageReason.ErrImagePull, err.message);
}
