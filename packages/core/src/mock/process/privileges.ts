import type { ContainerConfig } from '../../cri/index.js';

/** Numbers of ids inside a user namespace, and outside of it. */
export interface IDRange {
  readonly containerId: number;
  readonly hostId: number;
  readonly length: number;
}

/** The privileges that the kernel gives the processes of a container. */
export interface Privileges {
  /** Bounding set, by name without CAP_. */
  readonly capabilities: ReadonlySet<string>;
  /** The value that /proc/PID/status has: 0 without a filter, 2 with one. */
  readonly seccomp: 0 | 2;
  /** Returns true if the seccomp profile refuses a system call. */
  refuses(call: string): boolean;
  readonly noNewPrivs: boolean;
  readonly uids: IDRange;
  readonly gids: IDRange;
}

/** All that Linux has, by their numbers. */
const capabilities = (
  'CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE ' +
  'NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN ' +
  'SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE ' +
  'MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE'
).split(' ');

/** upstream (containerd): pkg/oci defaultUnixCaps */
const defaultCapabilities = (
  'CHOWN DAC_OVERRIDE FSETID FOWNER MKNOD NET_RAW SETGID SETUID SETFCAP SETPCAP NET_BIND_SERVICE SYS_CHROOT KILL ' +
  'AUDIT_WRITE'
).split(' ');

/** All ids there are, as they are. */
const allIDs: IDRange = { containerId: 0, hostId: 0, length: 2 ** 32 - 1 };

/** Those of the node itself. */
export const nodePrivileges: Privileges = {
  capabilities: new Set(capabilities),
  seccomp: 0,
  refuses: () => false,
  noNewPrivs: false,
  uids: allIDs,
  gids: allIDs,
};

/**
 * Returns the privileges of a container. `profile`: the text of its own seccomp profile, null without one. Throws a
 * SyntaxError if that is not JSON.
 * upstream: containerd internal/cri/server (*criService).buildContainerSpec, generateSeccompSpecOpts
 */
export function privilegesOf(
  config: ContainerConfig,
  profile: string | null,
  ids: { readonly uids: IDRange | null; readonly gids: IDRange | null },
): Privileges {
  const security = config.linux?.securityContext;
  const { uids, gids } = { uids: ids.uids ?? allIDs, gids: ids.gids ?? allIDs };
  const noNewPrivs = security?.noNewPrivs ?? false;
  // A privileged container has no filter, whatever is asked for.
  if (security?.privileged) return { ...nodePrivileges, noNewPrivs, uids, gids };
  const { addCapabilities: added = [], dropCapabilities: dropped = [] } = security?.capabilities ?? {};
  let own = new Set(added.includes('ALL') ? capabilities : defaultCapabilities);
  if (dropped.includes('ALL')) own = new Set();
  for (const name of added) if (capabilities.includes(bare(name))) own.add(bare(name));
  for (const name of dropped) own.delete(bare(name));
  const filtered =
    security?.seccomp !== undefined && (security.seccomp.profileType ?? 'RuntimeDefault') !== 'Unconfined';
  const refuses = profile === null ? () => false : refusedBy(JSON.parse(profile) as SeccompProfile);
  return { capabilities: own, seccomp: filtered ? 2 : 0, refuses, noNewPrivs, uids, gids };
}

const bare = (name: string): string => name.toUpperCase().replace(/^CAP_/, '');

/** The fields of a seccomp profile that are read here. upstream (runtime-spec): LinuxSeccomp */
interface SeccompProfile {
  readonly defaultAction?: string;
  readonly syscalls?: readonly { readonly names?: readonly string[]; readonly action?: string }[];
}

function refusedBy({ defaultAction, syscalls = [] }: SeccompProfile): (call: string) => boolean {
  const allows = (action: string | undefined) => action === 'SCMP_ACT_ALLOW' || action === 'SCMP_ACT_LOG';
  return (call) => {
    const rule = syscalls.find(({ names = [] }) => names.includes(call));
    return !allows(rule ? rule.action : defaultAction);
  };
}

/** True if a process of that world has a capability in effect: root has those of the bounding set, others have none. */
export const isCapable = (
  world: { readonly user: { readonly uid: number }; readonly privileges: Privileges },
  name: string,
): boolean => world.user.uid === 0 && world.privileges.capabilities.has(name);

/** Capabilities as /proc/PID/status has them: sixteen hexadecimal digits. */
export function capabilityMask(names: ReadonlySet<string>): string {
  let mask = 0n;
  for (const [i, name] of capabilities.entries()) if (names.has(name)) mask |= 1n << BigInt(i);
  return mask.toString(16).padStart(16, '0');
}
