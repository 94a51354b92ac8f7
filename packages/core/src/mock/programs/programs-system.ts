import type { Go } from '../../kernel/index.js';
import { isCapable } from '../process/privileges.js';
import type { Proc } from '../process/process.js';
import type { Program, World } from '../process/world.js';
import { options } from './programs-files.js';

/** Signals at which busybox' top sets the terminal right, and ends. */
const fatalSignals = ['HUP', 'INT', 'QUIT', 'PIPE', 'ALRM', 'TERM'];
const fatalCodes: Readonly<Record<string, number>> = { HUP: 129, INT: 130, QUIT: 131, PIPE: 141, ALRM: 142, TERM: 143 };

/** busybox' top: a table of the processes, every so often (`-d`), this many times (`-n`). */
function* top(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const { flags } = options(args, 'dn');
  const pause = Math.max(1, Number(flags.get('d') ?? 5) || 5) * 1_000_000;
  const times = flags.has('n') ? Number(flags.get('n')) || 1 : Number.POSITIVE_INFINITY;
  for (const s of fatalSignals) proc.caught.add(s);
  for (let i = 0; i < times; i++) {
    proc.write(table(proc, world));
    if (i + 1 === times) break;
    const until = proc.kernel.now() + pause;
    while (proc.kernel.now() < until) {
      yield* proc.park(until);
      const signal = proc.pending.shift();
      if (signal !== undefined) return fatalCodes[signal] ?? 1;
    }
    yield* proc.rest();
  }
  return 0;
}

function table(proc: Proc, world: World): string {
  const peers = proc.group.peers();
  proc.spend(peers.length);
  const head = [
    'Mem: 2097152K used, 6291456K free, 0K shrd, 0K buff, 0K cached',
    'CPU:   0% usr   0% sys   0% nic 100% idle   0% io   0% irq   0% sirq',
    `Load average: 0.00 0.00 0.00 1/${peers.length} ${proc.pid}`,
    '  PID  PPID USER     STAT   VSZ %VSZ CPU %CPU COMMAND',
  ];
  const user = world.user.name.padEnd(8).slice(0, 8);
  const rows = peers.map(
    (p) => `${String(p.pid).padStart(5)}     0 ${user} S     4400   0%   0   0% ${p.argv.join(' ')}`,
  );
  return `${[...head, ...rows].join('\n')}\n`;
}

/** netstat: the ports at which somebody listens in this network. */
function* netstat(proc: Proc, world: World): Go<number> {
  const line = (port: number) =>
    `tcp        0      0 ${`0.0.0.0:${port}`.padEnd(23)} 0.0.0.0:*               LISTEN      \n`;
  proc.write(
    'Active Internet connections (only servers)\n' +
      'Proto Recv-Q Send-Q Local Address           Foreign Address         State       \n' +
      world.net.ports().map(line).join(''),
  );
  return 0;
}

/** ipcs: System V objects, of which no program here makes any. */
function* ipcs(proc: Proc, _world: World, args: readonly string[]): Go<number> {
  const { flags } = options(args);
  const all = !flags.has('m') && !flags.has('q') && !flags.has('s');
  if (all || flags.has('q'))
    proc.write(
      '\n------ Message Queues --------\nkey        msqid      owner      perms      used-bytes   messages    \n',
    );
  if (all || flags.has('m'))
    proc.write(
      '\n------ Shared Memory Segments --------\nkey        shmid      owner      perms      bytes      nattch     status      \n',
    );
  if (all || flags.has('s'))
    proc.write('\n------ Semaphore Arrays --------\nkey        semid      owner      perms      nsems     \n');
  proc.write('\n');
  return 0;
}

/** brctl, as far as it says whether its user may manage the network. */
function* brctl(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const [, verb = 'show', bridge = ''] = args;
  if (verb === 'show') {
    proc.write('bridge name\tbridge id\t\tSTP enabled\tinterfaces\n');
    return 0;
  }
  if (isCapable(world, 'NET_ADMIN')) return 0;
  proc.warn(`brctl: bridge ${bridge}: Operation not permitted\n`);
  return 1;
}

/** The image nonewprivs: a program of root's that whoever starts it runs as root, unless that is forbidden. */
function* nonewprivs(proc: Proc, world: World): Go<number> {
  proc.write(`Effective uid: ${world.privileges.noNewPrivs ? world.user.uid : 0}\n`);
  return 0;
}

/** The programs of busybox that look at the system. */
export const systemPrograms: Readonly<Record<string, Program>> = { top, netstat, ipcs, brctl };

/** Programs of images that try what a container may do. */
export const trialPrograms: Readonly<Record<string, Program>> = { nnp: nonewprivs };
