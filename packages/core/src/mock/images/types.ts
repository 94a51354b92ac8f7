/**
 * The behaviour of a container whose own program the simulation does not have.
 * - runs: until it is stopped.
 * - serves: the same, and answers HTTP, HTTPS, TCP and gRPC health checks on its ports; HTTP with `status`, or 200.
 * - needs: until it is stopped; it holds this many bytes of memory soon after its start.
 * - exits: with a code, after this many Micros.
 * - command: what the manifest's command says, with a shell and its tools.
 */
export type ImageBehaviour =
  | { readonly kind: 'runs' }
  | { readonly kind: 'serves'; readonly ports: readonly number[]; readonly status?: number }
  | { readonly kind: 'needs'; readonly memory: number }
  | { readonly kind: 'exits'; readonly code: number; readonly after: number }
  | { readonly kind: 'command' };

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
  /** A number or a name, as in a Dockerfile's USER. */
  readonly user?: string;
  /** The users that its /etc/passwd has besides root and nobody. */
  readonly users?: readonly {
    readonly name: string;
    readonly uid: number;
    readonly gid: number;
    readonly home: string;
    /** Groups that the user belongs to besides. */
    readonly groups?: readonly number[];
  }[];
  readonly entrypoint?: readonly string[];
  readonly cmd?: readonly string[];
  readonly env?: readonly string[];
  readonly workingDir?: string;
  /** The signal's name or number, as in a Dockerfile's STOPSIGNAL. */
  readonly stopSignal?: string;
  /** `busybox`: sh and its tools. Else the names of programs, by absolute path or in $PATH. */
  readonly programs?: 'busybox' | readonly string[];
  /** The behaviour of its containers, whatever their command is. Default: their command. */
  readonly does?: ImageBehaviour;
  /** The same by the name of a container, if that one does something else. */
  readonly doesIn?: Readonly<Record<string, ImageBehaviour>>;
  /** Nobody said what its containers do: it was concluded from the manifest. */
  readonly assumed?: true;
  /** Image GC must leave it alone. */
  readonly pinned?: boolean;
}

/** The answer of a registry for an image. */
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
