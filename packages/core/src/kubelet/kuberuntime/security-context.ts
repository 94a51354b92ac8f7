import { type Container, formatPod, type Pod, type SecurityContext } from '../../api/types.js';
import type { LinuxContainerSecurityContext, NamespaceOption, SecurityProfile } from '../../cri/index.js';
import type { OSInterface } from '../../host/os.js';
import type { Go } from '../../kernel/index.js';
import { appArmorProfileOf } from '../util/apparmor.js';
import { fieldSeccompProfile, withoutZeros } from './helpers.js';
import { namespacesForPod } from './util.js';

/** upstream: pkg/securitycontext defaultMaskedPaths */
const maskedPaths = [
  '/proc/asound',
  '/proc/acpi',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
];
/**
 * The paths at which the host reports that its CPUs were too hot. upstream: pkg/securitycontext defaultMaskedPaths,
 * possibleCPUs
 */
export function* thermalThrottlePaths(os: Pick<OSInterface, 'stat' | 'readFile'>, cpuMillis: number): Go<string[]> {
  let ranges = `0-${Math.max(1, Math.floor(cpuMillis / 1000)) - 1}`;
  try {
    ranges = (yield* os.readFile('/sys/devices/system/cpu/possible')).trim();
  } catch {
    // The ranges stay the guess above.
  }
  const out: string[] = [];
  for (const range of ranges.split(',')) {
    const [first = 0, last = first] = range.split('-').map(Number);
    for (let cpu = first; cpu <= Math.min(last, first + 1023); cpu++) {
      const path = `/sys/devices/system/cpu/cpu${cpu}/thermal_throttle`;
      if ((yield* os.stat(path)) !== null) out.push(path);
    }
  }
  return out;
}

/** upstream: pkg/securitycontext defaultReadonlyPaths */
const readonlyPaths = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

/**
 * A container's security context, what it leaves open taken from the pod's.
 * upstream: DetermineEffectiveSecurityContext
 */
export function determineEffectiveSC(pod: Pod, container: Container): SecurityContext {
  const p = pod.spec.securityContext ?? {};
  const fromPod: SecurityContext = {};
  if (p.seLinuxOptions) fromPod.seLinuxOptions = p.seLinuxOptions;
  if (p.runAsUser !== undefined) fromPod.runAsUser = p.runAsUser;
  if (p.runAsGroup !== undefined) fromPod.runAsGroup = p.runAsGroup;
  if (p.runAsNonRoot !== undefined) fromPod.runAsNonRoot = p.runAsNonRoot;
  return { ...fromPod, ...container.securityContext };
}

export interface SecurityContextInput {
  readonly pod: Pod;
  readonly container: Container;
  /** The image's user: a number, else a name. */
  readonly uid: number | null;
  readonly username: string;
  readonly seccompProfileRoot: string;
  readonly seccompDefault: boolean;
  readonly userNamespace: NamespaceOption['usernsOptions'];
  readonly extraSupplementalGroups: readonly number[];
  /** Further paths that this host masks: see thermalThrottlePaths. */
  readonly hostMaskedPaths: readonly string[];
}

/** Throws with upstream's text if a profile is not usable. upstream: determineEffectiveSecurityContext */
export function determineEffectiveSecurityContext(input: SecurityContextInput): LinuxContainerSecurityContext {
  const { pod, container, uid, username } = input;
  const effective = determineEffectiveSC(pod, container);
  const podSc = pod.spec.securityContext;
  const groups = [
    ...(podSc?.fsGroup !== undefined ? [podSc.fsGroup] : []),
    ...(podSc?.supplementalGroups ?? []),
    ...input.extraSupplementalGroups,
  ];
  const { capabilities: caps, seLinuxOptions: se } = effective;
  const apparmor = appArmorProfile(pod, container);
  const sc: LinuxContainerSecurityContext = withoutZeros({
    privileged: effective.privileged ?? false,
    readonlyRootfs: effective.readOnlyRootFilesystem ?? false,
    noNewPrivs: effective.allowPrivilegeEscalation === false,
    supplementalGroups: groups.map(String),
    maskedPaths: effective.procMount === 'Unmasked' ? [] : [...maskedPaths, ...input.hostMaskedPaths],
    readonlyPaths: effective.procMount === 'Unmasked' ? [] : readonlyPaths,
    apparmorProfile: apparmor?.legacy ?? '',
  });
  if (caps) sc.capabilities = withoutZeros({ addCapabilities: caps.add ?? [], dropCapabilities: caps.drop ?? [] });
  if (se)
    sc.selinuxOptions = withoutZeros({
      user: se.user ?? '',
      role: se.role ?? '',
      type: se.type ?? '',
      level: se.level ?? '',
    });
  if (podSc?.supplementalGroupsPolicy === 'Strict') sc.supplementalGroupsPolicy = 'Strict';
  if (apparmor) sc.apparmor = apparmor.profile;
  sc.seccomp = fieldSeccompProfile(
    container.securityContext?.seccompProfile ?? podSc?.seccompProfile,
    input.seccompProfileRoot,
    input.seccompDefault,
  );
  // run_as_user: the spec's, else the image's number, else the image's name (fidelity 2:G-11).
  if (effective.runAsUser !== undefined) sc.runAsUser = int64Value(effective.runAsUser);
  else {
    if (uid !== null) sc.runAsUser = int64Value(uid);
    if (username) sc.runAsUsername = username;
  }
  if (effective.runAsGroup !== undefined) sc.runAsGroup = int64Value(effective.runAsGroup);
  sc.namespaceOptions = namespacesForPod(pod, input.userNamespace);
  return sc;
}

/** A wrapped number; 0 is an empty message. */
export const int64Value = (value: number): { value?: string } => (value === 0 ? {} : { value: String(value) });

/** upstream: getAppArmorProfile */
function appArmorProfile(pod: Pod, container: Container): { profile: SecurityProfile; legacy: string } | null {
  const profile = appArmorProfileOf(pod, container);
  if (!profile) return null;
  if (profile.type === 'RuntimeDefault') return { profile: {}, legacy: 'runtime/default' };
  if (profile.type === 'Unconfined') return { profile: { profileType: 'Unconfined' }, legacy: 'unconfined' };
  if (!profile.localhostProfile) throw new Error('missing localhost apparmor profile name');
  return {
    profile: { profileType: 'Localhost', localhostRef: profile.localhostProfile },
    legacy: `localhost/${profile.localhostProfile}`,
  };
}

/**
 * Throws if runAsNonRoot is set and the user is, or may be, root (fidelity 2:G-10).
 * upstream: verifyRunAsNonRoot
 */
export function verifyRunAsNonRoot(pod: Pod, container: Container, uid: number | null, username: string): void {
  const sc = determineEffectiveSC(pod, container);
  if (!sc.runAsNonRoot) return;
  const where = `(pod: ${JSON.stringify(formatPod(pod))}, container: ${container.name})`;
  if (sc.runAsUser !== undefined) {
    if (sc.runAsUser === 0) throw new Error(`container's runAsUser breaks non-root policy ${where}`);
    return;
  }
  if (uid === null && username)
    throw new Error(
      `container has runAsNonRoot and image has non-numeric user (${username}), cannot verify user is non-root ${where}`,
    );
  if (uid === 0) throw new Error(`container has runAsNonRoot and image will run as root ${where}`);
  if (uid !== null && (uid < 0 || uid > 0x7fffffff))
    throw new Error(
      `container has runAsNonRoot and image has an invalid user id (${uid}). (Must be 1-(2147483647)): must be between 0 and 2147483647, inclusive ${where}`,
    );
}
