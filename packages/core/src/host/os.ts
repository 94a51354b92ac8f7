import type { Chan, Context, Go } from '../kernel/index.js';

/** A change in a watched folder. upstream: fsnotify ops as file_linux.go maps them. */
export interface FileEvent {
  readonly path: string;
  readonly op: 'add' | 'modify' | 'delete';
}

/** Errors of OSInterface carry Node's codes: ENOENT, EEXIST, EACCES... */
export class OSError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Facts of one file or folder. `mode`: the permission bits, with setuid, setgid and sticky (0o7777). */
export interface FileStat {
  readonly dir: boolean;
  readonly size: number;
  readonly mtimeMillis: number;
  /** Default: 'dir' or 'file', as `dir` says. */
  readonly type?: 'file' | 'dir' | 'link' | 'socket' | 'char' | 'block' | 'pipe';
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Operations of a host that may mount. Errors are OSErrors whose text says what is missing.
 * upstream: k8s.io/mount-utils Interface
 */
export interface Mounter {
  /** upstream: Mount(source, target, fstype, options) */
  mount(source: string, target: string, fstype: string, options: readonly string[]): Go<void>;
  unmount(target: string): Go<void>;
  /** Returns the type of the file system that is mounted right there; null: nothing is, or there is no such path. */
  mountAt(path: string): Go<{ readonly type: string } | null>;
  /**
   * Mounts the file or folder at `path` on the existing `target`. It is opened step by step below `base`, following no
   * link, and mounted through what was opened: nobody can lead it elsewhere meanwhile.
   * upstream: pkg/volume/util/subpath doBindSubPath
   */
  bindInside(base: string, path: string, target: string): Go<void>;
}

/**
 * The node's file system as far as the kubelet touches it. The agent gives the real one, a simulation an in-memory one
 * (shared with the mock runtime, which writes the logs into it). Paths are absolute.
 * upstream: kubecontainer.OSInterface
 */
export interface OSInterface {
  mkdirAll(path: string, mode: number): Go<void>;
  writeFile(path: string, data: string, mode: number): Go<void>;
  /**
   * Reads at most `limit` bytes, from the end if `tail`, else from the start; OSError ENOENT if missing. Text is UTF-8.
   */
  readFile(path: string, options?: { limit?: number; tail?: boolean }): Go<string>;
  /** Names in a folder, sorted; OSError ENOENT if missing. */
  readDir(path: string): Go<{ name: string; dir: boolean }[]>;
  stat(path: string): Go<FileStat | null>;
  /** Reads a file's state like stat, but that of a link itself. Default: stat. */
  lstat?(path: string): Go<FileStat | null>;
  /** Returns the target of a link, as it was written. Absent: there are no links. */
  readlink?(path: string): Go<string>;
  /** Returns the path without any link on the way; OSError ENOENT if missing. Absent: there are no links. */
  realpath?(path: string): Go<string>;
  /** Follows a link at the end. Absent: modes are not kept. */
  chmod?(path: string, mode: number): Go<void>;
  /** Changes a link itself, not its target; -1 leaves an id unchanged. Absent: owners are not kept. */
  lchown?(path: string, uid: number, gid: number): Go<void>;
  /**
   * Writes and reads bytes like writeFile and readFile, for what is not a text. Absent: bytes are kept as text, as far
   * as they are UTF-8.
   */
  writeBytes?(path: string, data: Uint8Array, mode: number): Go<void>;
  readBytes?(path: string): Go<Uint8Array>;
  /**
   * Folders on the way to `base/subdir`, each of exactly that mode; follows no link below `base`. Default: checked by
   * realpath.
   * upstream: SafeMakeDir
   */
  makeDirInside?(base: string, subdir: string, mode: number): Go<void>;
  /** Absent: the host may not mount. */
  readonly mounter?: Mounter;
  /** Waits until what was written to a file is on the disk. Absent: nothing is lost but with the whole host. */
  syncFile?(path: string): Go<void>;
  rename(from: string, to: string): Go<void>;
  remove(path: string): Go<void>;
  removeAll(path: string): Go<void>;
  symlink(target: string, link: string): Go<void>;
  /** Compresses `from` into the new file `to`; absent if the host cannot. */
  gzip?(from: string, to: string): Go<void>;
  /**
   * Events of a folder until ctx ends; null if watching is not possible (then only the periodic list finds changes).
   */
  watch(ctx: Context, path: string): Go<Chan<FileEvent> | null>;
}

/** Network side of probes and http hooks. Times in Micros. */
export interface ProbeTransport {
  /**
   * Sends a GET and returns any HTTP answer; a transport failure throws an Error with a text such as Go's. Redirects
   * are not followed here.
   */
  httpGet(
    ctx: Context,
    request: {
      scheme: 'http' | 'https';
      host: string;
      port: number;
      path: string;
      headers: readonly { name: string; value: string }[];
      timeout: number;
      /** Bytes: a longer body is an error. Default: the first 10 KiB are the body, which is all that a probe wants. */
      maxBody?: number;
    },
  ): Go<{ status: number; body: string; location?: string; statusText?: string }>;
  /** Resolves when connected, throws otherwise. */
  tcpConnect(ctx: Context, host: string, port: number, timeout: number): Go<void>;
  /** Calls Check of grpc.health.v1 and returns the serving status by name; throws on transport failure. */
  grpcCheck(
    ctx: Context,
    host: string,
    port: number,
    service: string,
    timeout: number,
  ): Go<'SERVING' | 'NOT_SERVING' | 'UNKNOWN' | 'SERVICE_UNKNOWN'>;
}

/** Facts of the machine. */
export interface NodeInfo {
  readonly hostname: string;
  /** Addresses of the node, first is the primary; may be empty without an API client. */
  readonly addresses: readonly string[];
  readonly memoryCapacityBytes: number;
  readonly cpuMillis: number;
  readonly cgroupVersion: 1 | 2;
  /** The kernel accounts for swap, so that containers can be kept from it. Default: it does. */
  readonly swapControllerAvailable?: boolean;
  /** Size of the disk that holds images, bytes. Default: unknown, and images are never removed for lack of room. */
  readonly imageFsCapacityBytes?: number;
  /** The host can confine with AppArmor. Default: it can. */
  readonly appArmorEnabled?: boolean;
  /** The ephemeral-storage that pods may request, bytes. Default: not looked at. */
  readonly ephemeralStorageBytes?: number;
  /** Ids of the machine from /etc/machine-id, the firmware and the kernel. Default: none. */
  readonly machineID?: string;
  readonly systemUUID?: string;
  readonly bootID?: string;
  /** The time at which the machine booted, milliseconds since 1970. */
  readonly bootTimeMillis?: number;
  /** `uname -r`. */
  readonly kernelVersion?: string;
  /** PRETTY_NAME of os-release. */
  readonly osImage?: string;
  /** Written as Go names it. Default: amd64. */
  readonly architecture?: string;
  /** Each size that the kernel knows, used or not. Default: none. */
  readonly hugePages?: readonly { readonly pageSizeKB: number; readonly pages: number }[];
  /** The kernel's limit of processes. Default: not known. */
  readonly maxPID?: number;
  /** 0 or missing: no swap. */
  readonly swapCapacityBytes?: number;
  /** All addresses of the machine's interfaces, also loopback, for validating node IPs. Default: `addresses`. */
  readonly interfaceAddresses?: readonly string[];
  /** Resolves a name; empty if it is unknown. Default: names are not resolved. */
  readonly lookupIP?: (name: string) => Go<readonly string[]>;
  /** The node's resolv.conf, for dnsPolicy Default. */
  readonly resolvConf: string;
  /** Path that it was read from; '': by request there is none. Default: /etc/resolv.conf. */
  readonly resolverConfig?: string;
}
