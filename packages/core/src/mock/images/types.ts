/** An image: what it is, and which programs it has. */
export interface ImageSpecification {
  /** `localhost/busybox:dev`; short names are docker.io/library's. */
  readonly ref: string;
  /** `sha256:...`; made from ref when left out. */
  readonly id?: string;
  /** Manifest digest, for repoDigests; none for images that were imported. */
  readonly digest?: string;
  /** Bytes. */
  readonly size?: number;
  /** As in a Dockerfile's USER: a number, or a name. */
  readonly user?: string;
  readonly entrypoint?: readonly string[];
  readonly cmd?: readonly string[];
  readonly env?: readonly string[];
  readonly workingDir?: string;
  /** As in a Dockerfile's STOPSIGNAL. */
  readonly stopSignal?: string;
  /** `busybox`: sh and its tools. Else the names of programs, by absolute path or in $PATH. */
  readonly programs?: 'busybox' | readonly string[];
  /** Image GC must leave it alone. */
  readonly pinned?: boolean;
}

/** How a registry answers for an image. */
export type RegistryBehaviour =
  | { readonly kind: 'serve'; readonly image: ImageSpecification; readonly bytesPerSecond?: number }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'too-many-requests' }
  | { readonly kind: 'no-such-host' }
  /** Never answers. */
  | { readonly kind: 'hang' };
