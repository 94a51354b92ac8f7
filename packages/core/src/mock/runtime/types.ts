import type { ContainerEventResponse, ImageService, RuntimeService } from '../../cri/index.js';
import type { NodeInfo, ProbeTransport } from '../../host/os.js';
import type { Context, Go, Process } from '../../kernel/index.js';
import type { ContainerScript, ScriptedCall } from '../container-scripts/types.js';
import type { FaultInjector } from '../faults/faults.js';
import type { PullFaults } from '../faults/pull-faults.js';
import type { MemFS } from '../fs/memfs.js';
import type { ImageSpecification, RegistryBehaviour } from '../images/types.js';

/** Time that the runtime takes for its calls, in Micros. `jitter` is the part of it that varies, 0 to 1. */
export interface Latencies {
  readonly read: number;
  readonly runPodSandbox: number;
  readonly stopPodSandbox: number;
  readonly removePodSandbox: number;
  readonly createContainer: number;
  readonly startContainer: number;
  /** From a process' end to the container's EXITED: the runtime deletes its task. */
  readonly exit: number;
  readonly removeContainer: number;
  readonly execSync: number;
  readonly removeImage: number;
  readonly jitter: number;
}

export interface MockRuntimeOptions {
  /** Seed of ids, jitter and the like. Default: drawn from kernel.random. */
  readonly seed?: number;
  readonly nodeName?: string;
  /** Node facts that differ from the defaults. */
  readonly node?: Partial<NodeInfo>;
  readonly latencies?: Partial<Latencies>;
  /** Images that the node has at the start, besides localhost/busybox:dev and localhost/pause:dev. */
  readonly images?: readonly ImageSpecification[];
  /** True: nothing but `images` is there. */
  readonly noDefaultImages?: boolean;
  /** Ref to behaviour, besides the well-known images. */
  readonly registry?: Readonly<Record<string, RegistryBehaviour>>;
  /** No registry can be reached, as on a node without a network. */
  readonly offline?: boolean;
  /** Default pull speed, bytes per second. */
  readonly pullBytesPerSecond?: number;
  /** First three numbers of the pod network; .1 is the bridge. Default 10.89.0 */
  readonly podNetwork?: string;
  /** Size of the node's image disk in bytes. */
  readonly imageDiskBytes?: number;
  /** The node's root is mounted privately, not shared as systemd does: containers cannot have mounts propagated. */
  readonly privateMounts?: boolean;
  /** Default true; false with a runc before 1.2. */
  readonly userNamespaces?: boolean;
  readonly runtimeVersion?: string;
  readonly cgroupDriver?: 'systemd' | 'cgroupfs';
  /** False: GetContainerEvents and RuntimeConfig are Unimplemented, as in containerd 1.6. Default true. */
  readonly modern?: boolean;
  /** The scripts of containers, whatever their images and commands are. */
  readonly lives?: readonly ContainerScript[];
  /** The durations and failures of calls. */
  readonly calls?: readonly ScriptedCall[];
  /** The URL at which clients find what Exec and Attach stream. Without it both are Unimplemented. */
  readonly streams?: (what: StreamRequest) => string;
  /** The file system. Default: a new one. */
  readonly fs?: MemFS;
}

/** A client's request to stream: a command, or (null) the container's first process. */
export interface StreamRequest {
  readonly containerId: string;
  readonly command: readonly string[] | null;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** The ends of such streams that are somebody's outside of the simulation. */
export interface StreamEnds {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Called at once with what feeds its standard input, if that is asked for. `null`: it ends. */
  readonly stdin: (feed: (text: string | null) => void) => void;
}

export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A container as it really is, for views and tests. */
export interface ContainerView {
  readonly id: string;
  readonly sandbox: string;
  readonly uid: string;
  readonly pod: string;
  readonly namespace: string;
  readonly name: string;
  readonly attempt: number;
  readonly state: 'created' | 'running' | 'exited';
  readonly exitCode: number;
  readonly reason: string;
  readonly image: string;
  /** '' if the container has none. */
  readonly logPath: string;
}
export interface ImageView {
  readonly id: string;
  /** `docker.io/library/busybox:1.36` */
  readonly tags: readonly string[];
  /** Bytes. */
  readonly size: number;
}
/** The usage of all that runs on the node, as its kernel would count it. */
export interface NodeUsage {
  /** By sandbox; a sandbox that has stopped is not among them. */
  readonly pods: readonly {
    readonly uid: string;
    readonly memoryBytes: number;
    readonly cpuCoreNanoSeconds: number;
    readonly cpuNanoCores: number;
    readonly processes: number;
  }[];
  /** Images and writable layers. */
  readonly imageDiskBytes: number;
  readonly imageDiskInodes: number;
}
export interface SandboxView {
  readonly id: string;
  readonly uid: string;
  readonly pod: string;
  readonly namespace: string;
  readonly attempt: number;
  readonly state: 'ready' | 'notready';
  readonly ip: string;
}

/**
 * A container runtime that lives in the simulation, behaving as containerd does seen through the CRI, and the node
 * around it. Pods are named by uid, name, `namespace/name`, or name without the node's suffix; of several attempts the
 * newest is meant. The methods act behind the kubelet's back, and at once.
 */
export interface MockRuntime {
  readonly runtime: RuntimeService;
  readonly image: ImageService;
  /** The node's files: manifests, logs, the kubelet's folder. */
  readonly fs: MemFS;
  readonly probeTransport: ProbeTransport;
  readonly nodeInfo: NodeInfo;
  readonly faults: FaultInjector;
  readonly pullFaults: PullFaults;

  /** True while the runtime's own process runs (containers go on without it). */
  readonly running: boolean;
  /** The process of the runtime's server side; a new one after each `start`. */
  readonly process: Process;
  /** Stops the runtime, like `systemctl stop containerd`: calls fail with Unavailable, containers go on. */
  stop(): void;
  start(): void;

  /**
   * Replaces a scenario's container scripts and rules for calls. Running containers go on by their new scripts; calls
   * that are under way are not changed.
   */
  replaceScript(said: { readonly lives: readonly ContainerScript[]; readonly calls: readonly ScriptedCall[] }): void;

  /** Signals the container's first process (default SIGKILL); false if none runs. */
  killContainer(pod: string, container: string, signal?: string): boolean;
  /** Kills the sandbox's own process; false if there is none. */
  killSandbox(pod: string, signal?: string): boolean;
  /** Has the kernel's OOM killer end the container. */
  oom(pod: string, container: string): boolean;
  /** Runs a command in a container through the runtime. Throws an Error if there is no such running container. */
  exec(pod: string, container: string, command: readonly string[]): Go<ExecResult>;
  /**
   * Streams as a client asked for, until the command, or the container, ends; gives the exit code. Throws as Exec does.
   * `feed` must be called in the kernel's own time.
   */
  stream(request: StreamRequest, ends: StreamEnds, ctx: Context): Go<number>;
  /** Runs a shell script on the node itself. `env` is added to the environment. */
  shell(script: string, env?: Readonly<Record<string, string>>): Go<ExecResult>;

  addImage(image: ImageSpecification): void;
  /** True if it was there. */
  removeImage(ref: string): boolean;
  setRegistry(ref: string, behaviour: RegistryBehaviour): void;
  /** Returns the registries' answers that were set, by full reference of the image. */
  registry(): readonly { readonly ref: string; readonly behaviour: RegistryBehaviour }[];
  /**
   * Sets what containers of the image do from their next start on; null: there is no such image. `present`: it is put
   * on the node, too.
   */
  setImage(ref: string, does: Pick<ImageSpecification, 'does' | 'doesIn' | 'assumed'> | null, present: boolean): void;
  /** Sets CNI ready or not, as Status and RunPodSandbox see it. */
  setNetworkReady(ready: boolean): void;

  /**
   * Calls `listener` for each event of GetContainerEvents, in addition to those who listen to the stream. The returned
   * function ends that.
   */
  onEvent(listener: (event: ContainerEventResponse) => void): () => void;

  /** Returns the usage of all that runs on the node. */
  usage(): NodeUsage;
  /** The images on the node. */
  images(): readonly ImageView[];
  sandboxes(): readonly SandboxView[];
  containers(): readonly ContainerView[];
  /** The log file's text of a container, '' if there is none. */
  logs(pod: string, container: string): string;
}
