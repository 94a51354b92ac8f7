/** Files below /proc: each is made when somebody reads it. */
import { baseName } from '../fs/path.js';
import { capabilityMask, type IDRange } from '../process/privileges.js';
import type { Peer, Proc } from '../process/process.js';
import type { World } from '../process/world.js';

/** Returns the text of a file below /proc for the process that reads it; null if there is no such file. */
export function procFile(proc: Proc, world: World, path: string): string | null {
  if (!path.startsWith('/proc/')) return null;
  if (path === '/proc/uptime') return `${(proc.kernel.now() / 1e6).toFixed(2)} 0.00\n`;
  if (path.startsWith('/proc/sys/')) {
    const value = world.sysctls[path.slice('/proc/sys/'.length).replaceAll('/', '.')];
    return value === undefined ? null : `${value}\n`;
  }
  const [, who = '', file = ''] = /^\/proc\/(self|\d+)\/(\w+)$/.exec(path) ?? [];
  const of = who === 'self' ? proc : proc.group.peers().find((p) => p.pid === Number(who));
  return of ? ofProcess(of, world, file) : null;
}

function ofProcess(of: Peer, world: World, file: string): string | null {
  switch (file) {
    case 'cmdline':
      return `${of.argv.join('\0')}\0`;
    case 'comm':
      return `${commandName(of.argv)}\n`;
    case 'status':
      return status(of, world);
    case 'uid_map':
      return mapLine(world.privileges.uids);
    case 'gid_map':
      return mapLine(world.privileges.gids);
    default:
      return null;
  }
}

const mapLine = ({ containerId, hostId, length }: IDRange): string =>
  `${[containerId, hostId, length].map((n) => String(n).padStart(10)).join(' ')}\n`;

/** The name of a process: that of its program, and of a title the part before its colon. */
export const commandName = (argv: readonly string[]): string => baseName((argv[0] ?? '').replace(/: .*$/s, ''));

function status(of: Peer, world: World): string {
  const { privileges, user } = world;
  const all = capabilityMask(privileges.capabilities);
  const none = capabilityMask(new Set());
  const effective = user.uid === 0 ? all : none;
  const four = (n: number) => Array(4).fill(n).join('\t');
  return [
    `Name:\t${commandName(of.argv)}`,
    'State:\tS (sleeping)',
    `Tgid:\t${of.pid}`,
    `Pid:\t${of.pid}`,
    `Uid:\t${four(user.uid)}`,
    `Gid:\t${four(user.gid)}`,
    `Groups:\t${user.groups.join(' ')} `,
    `CapInh:\t${none}`,
    `CapPrm:\t${effective}`,
    `CapEff:\t${effective}`,
    `CapBnd:\t${all}`,
    `CapAmb:\t${none}`,
    `NoNewPrivs:\t${privileges.noNewPrivs ? 1 : 0}`,
    `Seccomp:\t${privileges.seccomp}`,
    '',
  ].join('\n');
}
