/** Checks before the kubelet is created whether it may have this machine's cgroups. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Go } from '@syncloop/core/kernel';
import type { CgroupFS, KubeletConfig } from '@syncloop/core/kubelet';
import { SetupError } from '../base/errors.js';
import { type CgroupMounts, readCgroupMounts } from './cgroup-mounts.js';
import { nodeCgroups } from './cgroups.js';

const remedy =
  'Run as root on a host whose /sys/fs/cgroup is mounted for writing, or give cgroupsPerQOS: false in the KubeletConfiguration ' +
  '(the runtime then keeps containers in cgroups of its own, without QoS tiers)';

/** Returns the machine's cgroups. Throws a SetupError with the reason why they cannot be used, and the remedy. */
export function usableCgroups(mountinfo?: string): CgroupFS {
  let mounts: CgroupMounts;
  try {
    mounts = readCgroupMounts(mountinfo ?? readFileSync('/proc/self/mountinfo', 'utf8'));
  } catch (err) {
    throw new SetupError(
      `cgroupsPerQOS is true, but this machine's cgroups cannot be found: ${(err as Error).message}. ${remedy}`,
    );
  }
  const wanted = mounts.version === 2 ? ['cpu', 'memory'] : ['cpu', 'cpuacct', 'cpuset', 'memory'];
  const missing = wanted.filter((c) => !mounts.mountPoints.has(c));
  if (missing.length > 0)
    throw new SetupError(
      `cgroupsPerQOS is true, but the kernel's cgroups lack ${missing.join(', ')} (system validation failed - Following Cgroup subsystem not mounted: [${missing.join(' ')}]). ${remedy}`,
    );
  for (const at of new Set(mounts.mountPoints.values())) {
    try {
      accessSync(at, constants.W_OK);
    } catch (err) {
      throw new SetupError(
        `cgroupsPerQOS is true, but cgroups cannot be created below ${at}: ${(err as Error).message}. ${remedy}`,
      );
    }
  }
  return nodeCgroups({ mounts });
}

/**
 * A kubelet ends all processes in cgroups of pods that it does not know. So those of another kubelet must not be below
 * its root: throws a SetupError that names them. A pod is known when its folder is in the root directory.
 */
export function* refuseForeignCgroups(
  cgroups: CgroupFS,
  config: Pick<KubeletConfig, 'cgroupRoot' | 'rootDirectory'>,
): Go<void> {
  const parts = config.cgroupRoot.split('/').filter(Boolean);
  const under = (...more: string[]) => `/${[...parts, ...more].join('/')}`;
  // Both spellings are checked: the runtime decides the driver later.
  const slice = [...parts, 'kubepods'].map((p) => p.replaceAll('-', '_'));
  const slices = slice.map((_, i) => `${slice.slice(0, i + 1).join('-')}.slice`);
  const top = slice.join('-');
  const tiers = [
    ...['', 'burstable', 'besteffort'].map((tier) => under(...['kubepods', tier].filter(Boolean))),
    ...['', 'burstable', 'besteffort'].map(
      (tier) => `/${[...slices, ...(tier ? [`${top}-${tier}.slice`] : [])].join('/')}`,
    ),
  ];
  const foreign: string[] = [];
  for (const tier of tiers)
    for (const child of yield* cgroups.children(tier)) {
      const base = child.replace(/\.slice$/, '');
      const uid = (base === child ? base : (base.split('-').at(-1) ?? '').replaceAll('_', '-')).match(/^pod(.+)$/)?.[1];
      if (uid === undefined || existsSync(join(config.rootDirectory, 'pods', uid))) continue;
      const path = `${tier}/${child}`;
      if ((yield* cgroups.pids(path)).length > 0) foreign.push(path);
    }
  if (foreign.length === 0) return;
  const more = foreign.length > 3 ? ` and ${foreign.length - 3} more` : '';
  throw new SetupError(
    `processes run in cgroups of pods that were not started from ${config.rootDirectory}: ${foreign.slice(0, 3).join(', ')}${more}. ` +
      'A kubelet ends what runs in cgroups of pods that it does not know. Give a cgroupRoot of its own (cgroupRoot: /syncloop ' +
      'in the KubeletConfiguration; the cgroup must exist), or cgroupsPerQOS: false; to let this kubelet end them, give --adopt-pods',
  );
}
