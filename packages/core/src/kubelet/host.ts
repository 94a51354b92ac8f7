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

/**
 * The node's file system as far as the kubelet touches it. The agent gives the real one, a simulation an in-memory one
 * (shared with the mock runtime, which writes the logs into it). Paths are absolute. upstream: kubecontainer.OSInterface
 */
export interface OSInterface {
  mkdirAll(path: string, mode: number): Go<void>;
  writeFile(path: string, data: string, mode: number): Go<void>;
  /** At most `limit` bytes from the end when `tail`, else from the start; OSError ENOENT if missing. Text is UTF-8. */
  readFile(path: string, options?: { limit?: number; tail?: boolean }): Go<string>;
  /** Names in a folder, sorted; OSError ENOENT if missing. */
  readDir(path: string): Go<{ name: string; dir: boolean }[]>;
  stat(path: string): Go<{ dir: boolean; size: number; mtimeMillis: number } | null>;
  rename(from: string, to: string): Go<void>;
  remove(path: string): Go<void>;
  removeAll(path: string): Go<void>;
  symlink(target: string, link: string): Go<void>;
  /** Compresses `from` into the new file `to`; absent where the host cannot. */
  gzip?(from: string, to: string): Go<void>;
  /** Events of a folder until ctx ends; null where watching is not possible (then only the periodic list finds changes). */
  watch(ctx: Context, path: string): Go<Chan<FileEvent> | null>;
}

/** Network side of probes and http hooks. Times in Micros. */
export interface ProbeTransport {
  /** Any HTTP answer is returned; a transport failure throws an Error with a text such as Go's. Redirects are not followed here. */
  httpGet(
    ctx: Context,
    request: {
      scheme: 'http' | 'https';
      host: string;
      port: number;
      path: string;
      headers: readonly { name: string; value: string }[];
      timeout: number;
    },
  ): Go<{ status: number; body: string; location?: string; statusText?: string }>;
  /** Resolves when connected, throws otherwise. */
  tcpConnect(ctx: Context, host: string, port: number, timeout: number): Go<void>;
  /** grpc.health.v1 Check: the serving status by name; throws on transport failure. */
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
  /** Size of the disk that holds images, bytes. Default: unknown, and images are never removed for want of room. */
  readonly imageFsCapacityBytes?: number;
  /** The host can confine with AppArmor. Default: it can. */
  readonly appArmorEnabled?: boolean;
  /** What pods may request of ephemeral-storage, bytes. Default: not looked at. */
  readonly ephemeralStorageBytes?: number;
  /** The node's resolv.conf, for dnsPolicy Default. */
  readonly resolvConf: string;
}
