import type { Go, Random } from '../kernel/index.js';
import type { Account } from './accounts.js';
import type { ContainerFS } from './container-fs.js';
import type { Listener, Namespace } from './network.js';
import type { Proc } from './process.js';
import type { Program } from './sh/find.js';
import type { ByteSink } from './streams.js';

/** What the processes of a container have around them. */
export interface World {
  readonly fs: ContainerFS;
  /** Whether the image has a program of that name. */
  has(program: string): boolean;
  /** Programs that are found nowhere else. */
  readonly programs?: Readonly<Record<string, Program>>;
  readonly net: Namespace;
  /** Connects from here; throws an Error with Go's text. */
  dial(host: string, port: number): Go<Listener>;
  readonly hostname: string;
  readonly user: Account;
  /** Bytes; null without a limit. */
  readonly memoryLimit: number | null;
  /** Kills a process as the kernel's OOM killer does. */
  oom(proc: Proc): void;
  /** ms since 1970. */
  nowMillis(): number;
  readonly random: Random;
  /** Standard output and error of the first process, as /proc/1/fd shows them. */
  readonly initOut: ByteSink;
  readonly initErr: ByteSink;
}
