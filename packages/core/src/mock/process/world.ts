import type { Go, Random } from '../../kernel/index.js';
import type { Account } from '../fs/accounts.js';
import type { ContainerFS } from '../fs/container-fs.js';
import type { Listener, Namespace } from '../network/network.js';
import type { Privileges } from './privileges.js';
import type { Proc } from './process.js';
import type { ByteSink } from './streams.js';

/** A program: runs as `proc` with its arguments (the name first) and gives the exit code. */
export type Program = (proc: Proc, world: World, args: readonly string[]) => Go<number>;

/** The surroundings of a container's processes. */
export interface World {
  readonly fs: ContainerFS;
  /** Returns true if the image has a program of that name. */
  has(program: string): boolean;
  /** The program of that name, if the simulation knows it, whether the image has it or not. */
  programNamed(name: string): Program | undefined;
  /** Programs that are found nowhere else. */
  readonly programs?: Readonly<Record<string, Program>>;
  /** Answers for programs that the simulation does not have, in a container that only does what the scenario says. */
  readonly standIn?: Program;
  readonly net: Namespace;
  /** Connects from here; throws an Error with Go's text. */
  dial(host: string, port: number): Go<Listener>;
  readonly hostname: string;
  /** Names the pod, or the node if it shares its name, from now on. */
  setHostname(name: string): void;
  readonly privileges: Privileges;
  /** Kernel parameters of the pod, by name: `kernel.shm_rmid_forced`. */
  readonly sysctls: Readonly<Record<string, string>>;
  readonly user: Account;
  /** Bytes; null without a limit. */
  readonly memoryLimit: number | null;
  /** Kills a process as the kernel's OOM killer does. */
  oom(proc: Proc): void;
  /** Returns the wall time, ms since 1970. */
  nowMillis(): number;
  readonly random: Random;
  /** Standard output and error of the first process, as /proc/1/fd shows them. */
  readonly initOut: ByteSink;
  readonly initErr: ByteSink;
}
