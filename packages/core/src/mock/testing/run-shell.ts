import { Kernel, Random, seeded } from '../../kernel/index.js';
import { rootAccount } from '../fs/accounts.js';
import { ContainerFS } from '../fs/container-fs.js';
import { MemFS } from '../fs/memfs.js';
import { Network } from '../network/network.js';
import { nodeMemory } from '../process/budget.js';
import { find } from '../process/find.js';
import { nodePrivileges } from '../process/privileges.js';
import { Proc, ProcGroup } from '../process/process.js';
import { Capture, nullStream } from '../process/streams.js';
import type { World } from '../process/world.js';
import { busyboxPrograms, programNamed } from '../programs/programs.js';

export interface ShellRun {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
  /** Seconds until the first process ended; null if it still ran at the limit. */
  readonly took: number | null;
  readonly fs: ContainerFS;
  readonly steps: number;
  readonly oom: boolean;
  /** The budget that ended the first process. */
  readonly exceeded: string | null;
  /** Characters that its programs hold of the budget of memory, now and at most. */
  readonly held: { readonly now: number; readonly most: number };
  /** Most units of work between two turns of the kernel. */
  readonly work: number;
}

export interface ShellRunOptions {
  /** Seconds to signal, to the first process. */
  readonly signals?: readonly (readonly [number, string])[];
  readonly files?: Readonly<Record<string, string>>;
  /** Seconds after which to stop looking. */
  readonly limit?: number;
  readonly ownPids?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly memoryLimit?: number;
  /** Turns of the kernel after which to stop looking. */
  readonly maxSteps?: number;
}

/** Runs a command as the first process of a container, on virtual time. */
export function runCommand(argv: readonly string[], options: ShellRunOptions = {}): ShellRun {
  const kernel = new Kernel({ policy: seeded(1) });
  const fs = new ContainerFS(
    ContainerFS.layer(() => new MemFS(kernel)),
    [],
    false,
  );
  for (const [path, data] of Object.entries(options.files ?? {})) {
    const f = fs.open(path, 'truncate');
    f.fs.append(f.node, data);
  }
  const out = new Capture();
  const err = new Capture();
  const network = new Network(kernel, '10.89.0', ['192.168.0.10'], 100);
  const net = network.allocate() ?? network.host;
  let oom = false;
  const group = new ProcGroup(kernel, kernel.main, 'test', options.ownPids ?? true, { next: 1 });
  const world: World = {
    fs,
    has: (p) => busyboxPrograms().has(p),
    programNamed,
    net,
    dial: (host, port) => network.dial(null, host, port, 1_000_000, net),
    hostname: 'box',
    setHostname: () => {},
    privileges: nodePrivileges,
    sysctls: {},
    user: rootAccount,
    memoryLimit: options.memoryLimit ?? null,
    oom: (p) => {
      oom = true;
      p.die('KILL');
    },
    nowMillis: () => kernel.clock.epochMillis + Math.floor(kernel.now() / 1000),
    random: new Random(1),
    initOut: out,
    initErr: err,
  };
  const env = new Map(Object.entries({ PATH: '/usr/bin:/bin', HOME: '/root', ...options.env }));
  const proc = new Proc(group, null, { argv, env, cwd: '/', streams: { in: nullStream, out, err } });
  group.init = proc;
  let ended: number | null = null;
  group.onEnd = () => {
    ended = kernel.now();
  };
  const found = find(world, argv[0] as string, '/', env.get('PATH'));
  if ('error' in found) throw new Error(found.error);
  group.spawn(proc, (p) => found.program(p, world, found.args(argv)));
  for (const [at, signal] of options.signals ?? []) kernel.addTimer(at * 1e6, () => proc.signal(signal));
  let [most, work] = [0, 0];
  kernel.run({
    until: (options.limit ?? 3600) * 1e6,
    maxSteps: options.maxSteps ?? Number.POSITIVE_INFINITY,
    stop: () => {
      most = Math.max(most, nodeMemory(kernel).held);
      for (const p of group.procs.values()) work = Math.max(work, p.meter.work);
      return ended !== null;
    },
  });
  return {
    code: proc.exit?.code ?? null,
    signal: proc.exit?.signal ?? null,
    out: out.text,
    err: err.text,
    took: ended === null ? null : ended / 1e6,
    fs,
    steps: kernel.steps,
    oom,
    exceeded: proc.exceeded,
    held: { now: nodeMemory(kernel).held, most },
    work,
  };
}

export const sh = (script: string, options?: ShellRunOptions): ShellRun => runCommand(['sh', '-c', script], options);
