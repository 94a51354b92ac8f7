import { type Container, kObj, type Pod } from '../../api/types.js';
import type { ImageSpec, PodSandboxConfig } from '../../cri/index.js';
import type { Context, Go } from '../../kernel/index.js';
import type { SyncResult } from '../container/sync-result.js';
import type { EventRecorder } from '../events.js';
import { EventReason } from '../events.js';
import type { ImageManager } from '../images/image-manager.js';
import { EnsureImageError } from '../images/image-manager.js';
import { statusMessage } from './helpers.js';
import { recordContainerEvent } from './kuberuntime-container-event.js';
import type { KubeRuntimeLoggers, RuntimeHandlers } from './types.js';

/** The parts of the kubelet that pull the images of image volumes. */
export interface ImageVolumesDeps extends Pick<RuntimeHandlers, 'podRuntimeHandler'> {
  readonly imagePuller: Pick<ImageManager, 'ensureImageExists'>;
  readonly recorder: EventRecorder;
  readonly log: KubeRuntimeLoggers;
}

/** The result of the pull for one image volume. upstream: imageVolumePullResult */
export type ImageVolumePull = { readonly spec: ImageSpec } | { readonly error: EnsureImageError };

/**
 * Pulls every image volume's image, in every pass; a failure counts later, for the containers that mount it (fidelity
 * 2:P-07).
 * upstream: getImageVolumes
 */
export function* getImageVolumes(
  m: ImageVolumesDeps,
  ctx: Context,
  pod: Pod,
  podSandboxConfig: PodSandboxConfig,
  pullSecrets: readonly unknown[],
): Go<Map<string, ImageVolumePull>> {
  const out = new Map<string, ImageVolumePull>();
  for (const volume of pod.spec.volumes ?? []) {
    if (!volume.image) continue;
    const image = volume.image.reference ?? '';
    const runtimeHandler = m.podRuntimeHandler(pod);
    const { pullPolicy } = volume.image;
    const request = { pod, container: null, image, pullSecrets, podSandboxConfig, runtimeHandler, pullPolicy };
    try {
      const ref = yield* m.imagePuller.ensureImageExists(ctx, request);
      m.log.manager.info(4, 'Pulled image', { ref, pod: kObj(pod) });
      const spec: ImageSpec = { image: ref, userSpecifiedImage: image };
      if (runtimeHandler) spec.runtimeHandler = runtimeHandler;
      if (pod.metadata.annotations) spec.annotations = pod.metadata.annotations;
      out.set(volume.name, { spec });
    } catch (err) {
      if (!(err instanceof EnsureImageError)) throw err;
      m.log.manager.error(err, 'Failed to ensure image', { pod: kObj(pod) });
      out.set(volume.name, { error: err });
    }
  }
  return out;
}

/**
 * Returns the images that a container mounts, by volume, null without image volumes; a failure goes into the result.
 * upstream: toKubeContainerImageVolumes
 */
export function toKubeContainerImageVolumes(
  m: Pick<ImageVolumesDeps, 'recorder'>,
  pod: Pod,
  container: Container,
  pulls: ReadonlyMap<string, ImageVolumePull>,
  result: SyncResult,
): Map<string, ImageSpec> | null {
  if (pulls.size === 0) return null;
  const out = new Map<string, ImageSpec>();
  for (const { name } of container.volumeMounts ?? []) {
    const pull = pulls.get(name);
    if (!pull) continue;
    if ('spec' in pull) {
      out.set(name, pull.spec);
      continue;
    }
    const text = `Error: ${statusMessage(pull.error)}`;
    recordContainerEvent(m, pod, container, '', 'Warning', EventReason.FailedToCreateContainer, text);
    result.error = pull.error;
    result.message = pull.error.detail;
  }
  return out;
}
