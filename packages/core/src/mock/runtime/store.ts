import type {
  ContainerConfig,
  ContainerStatus,
  LinuxContainerResources,
  Container as ListedContainer,
  PodSandbox,
  PodSandboxConfig,
  PodSandboxStatus,
} from '../../cri/index.js';
import type { LivingContainer } from '../container-scripts/container-scripts.js';
import type { Account } from '../fs/accounts.js';
import type { ContainerFS } from '../fs/container-fs.js';
import type { MemFS } from '../fs/memfs.js';
import type { StoredImage } from '../images/images.js';
import type { Namespace } from '../network/network.js';
import type { IDRange, Privileges } from '../process/privileges.js';
import type { ProcGroup } from '../process/process.js';
import type { ByteSink } from '../process/streams.js';
import type { World } from '../process/world.js';
import type { LogWriter } from './log-writer.js';

/** A pod sandbox, as the runtime keeps it. */
export interface Sandbox {
  readonly id: string;
  readonly config: PodSandboxConfig;
  readonly uid: string;
  readonly pod: string;
  readonly namespace: string;
  readonly attempt: number;
  readonly name: string;
  readonly createdAt: string;
  readonly runtimeHandler: string;
  /** The name of the machine that its processes see. */
  hostname: string;
  /** Its user namespace; null for the node's own. */
  readonly uids: IDRange | null;
  readonly gids: IDRange | null;
  /** /etc/hosts, /etc/hostname and /etc/resolv.conf of its containers, by their bare names. */
  readonly files: MemFS;
  readonly containers: Set<Container>;
  readonly hostNetwork: boolean;
  /** Process ids of a shared PID namespace, from after the pause process on. */
  readonly pids: { next: number };
  ready: boolean;
  /** True while its own process lives; the runtime learns of the end a little later. */
  alive: boolean;
  /** null once the network was torn down. */
  net: Namespace | null;
  listed: PodSandbox | null;
  status: PodSandboxStatus | null;
}

/** A container, as the runtime keeps it. */
export interface Container {
  readonly id: string;
  readonly sandbox: Sandbox;
  readonly config: ContainerConfig;
  readonly name: string;
  readonly attempt: number;
  /** Linux will not take its arguments and environment: they are not kept. */
  readonly tooLong: boolean;
  /** Name that the runtime reserves. */
  readonly reserved: string;
  readonly image: StoredImage;
  readonly createdAt: string;
  readonly logPath: string;
  readonly stopSignal: string;
  /** It lives as a scenario says; null: it does what its image and command do. */
  readonly living: LivingContainer | null;
  readonly privileges: Privileges;
  /** The end of its standard input that somebody may hold; null without one. */
  stdin: ByteSink | null;
  readonly account: Account;
  readonly fs: ContainerFS;
  /** The size of its layer before anybody wrote into it. */
  readonly fresh: { readonly usedBytes: number; readonly inodesUsed: number };
  state: 'created' | 'running' | 'exited';
  starting: boolean;
  removing: boolean;
  startedAt: string;
  finishedAt: string;
  exitCode: number;
  reason: string;
  message: string;
  oomKilled: boolean;
  resources: LinuxContainerResources;
  /** True if its CPU time was asked for before: its rate is known from the second time on. */
  sampled: boolean;
  group: ProcGroup | null;
  world: World | null;
  log: LogWriter | null;
  /** Called when the runtime has seen the end. */
  readonly onExited: Set<() => void>;
  listed: ListedContainer | null;
  status: ContainerStatus | null;
}

/** Sandboxes and containers by id, in the order they were made. */
export class Store {
  readonly sandboxes = new Map<string, Sandbox>();
  readonly containers = new Map<string, Container>();
  /** Reserved names to the ids that hold them. */
  readonly names = new Map<string, string>();
  /** Counts changes, for caches of lists. */
  version = 0;

  changed(what: Sandbox | Container): void {
    what.listed = null;
    what.status = null;
    this.version++;
  }

  /** Finds a sandbox by id, or a prefix of it that only one has. */
  sandbox(id: string): Sandbox | null {
    return this.sandboxes.get(id) ?? byPrefix(this.sandboxes, id);
  }
  container(id: string): Container | null {
    return this.containers.get(id) ?? byPrefix(this.containers, id);
  }
}

function byPrefix<T>(map: ReadonlyMap<string, T>, id: string): T | null {
  if (id === '') return null;
  let found: T | null = null;
  for (const [key, value] of map) {
    if (!key.startsWith(id)) continue;
    if (found) return null;
    found = value;
  }
  return found;
}
