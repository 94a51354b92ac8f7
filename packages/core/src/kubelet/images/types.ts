import type { ImageSpec, PodSandboxConfig } from '../../cri/index.js';
import type { Context, Go } from '../../kernel/index.js';

/** Reasons why a container has no image. upstream: pkg/kubelet/images/types.go, cri-api errors */
export const ImageReason = {
  ErrImagePullBackOff: 'ImagePullBackOff',
  ErrImageInspect: 'ImageInspectError',
  ErrImagePull: 'ErrImagePull',
  ErrImageNeverPull: 'ErrImageNeverPull',
  ErrInvalidImageName: 'InvalidImageName',
  ErrRegistryUnavailable: 'RegistryUnavailable',
  ErrSignatureValidationFailed: 'SignatureValidationFailed',
} as const;

/** One credential for a registry. upstream: credentialprovider.TrackedAuthConfig */
export interface Credential {
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly serverAddress?: string;
  readonly identityToken?: string;
  readonly registryToken?: string;
  /** Secret that it comes from. */
  readonly source?: { readonly uid: string; readonly name: string; readonly namespace: string };
}

/** The runtime's images as the image manager sees them. upstream: kubecontainer.ImageService */
export interface KubeletImageService {
  /** Returns the reference of the pulled image, and the credential that worked. Throws the runtime's error. */
  pullImage(
    ctx: Context,
    image: ImageSpec,
    credentials: readonly Credential[],
    podSandboxConfig: PodSandboxConfig,
  ): Go<{ imageRef: string; credentials: Credential | null }>;
  /** Returns the ID of a present image, '' if it is absent. */
  getImageRef(ctx: Context, image: ImageSpec): Go<string>;
  /** Bytes, 0 if unknown. */
  getImageSize(ctx: Context, image: ImageSpec): Go<number>;
}
