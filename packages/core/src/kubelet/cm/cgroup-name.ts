/**
 * A cgroup by its parts from the root, whatever driver spells it: `['kubepods', 'burstable', 'pod1234']`.
 * upstream: pkg/kubelet/cm/types.go CgroupName
 */
export type CgroupName = readonly string[];

/** upstream: cm.RootCgroupName */
export const RootCgroupName: CgroupName = [];

const systemdSuffix = '.slice';

/**
 * A cgroup below another. Throws if a part has a `/`, or a `_`: for systemd dashes become underscores, and that has
 * to be undone without doubt.
 * upstream: cm.NewCgroupName, which panics
 */
export function newCgroupName(base: CgroupName, ...components: readonly string[]): CgroupName {
  for (const component of components)
    if (/[/_]/.test(component))
      throw new Error(`invalid character in component [${JSON.stringify(component)}] of CgroupName`);
  return [...base, ...components];
}

/** `/kubepods/burstable/pod1234`. upstream: CgroupName.ToCgroupfs */
export const toCgroupfs = (name: CgroupName): string => `/${name.filter((part) => part !== '').join('/')}`;

/** upstream: cm.ParseCgroupfsToCgroupName */
export function parseCgroupfs(path: string): CgroupName {
  const parts = path.replace(/^\//, '').split('/');
  return parts.length === 1 && parts[0] === '' ? [] : parts;
}

/**
 * Returns a path of systemd's slices: `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod12_34.slice`:
 * each slice carries the names of all that it is in.
 * upstream: CgroupName.ToSystemd, which expands slices as runc does
 */
export function toSystemd(name: CgroupName): string {
  if (name.length === 0 || (name.length === 1 && name[0] === '')) return '/';
  const escaped = name.map((part) => part.replaceAll('-', '_'));
  return `/${escaped.map((_, i) => escaped.slice(0, i + 1).join('-') + systemdSuffix).join('/')}`;
}

/** upstream: cm.ParseSystemdToCgroupName */
export function parseSystemd(path: string): CgroupName {
  const base = path.slice(path.lastIndexOf('/') + 1);
  const name = base.endsWith(systemdSuffix) ? base.slice(0, -systemdSuffix.length) : base;
  return name.split('-').map((part) => part.replaceAll('_', '-'));
}

/** Below the cgroup of its QoS class. upstream: cm.GetPodCgroupNameSuffix */
export const podCgroupNameSuffix = (uid: string): string => `${podCgroupNamePrefix}${uid}`;
/** upstream: cm.podCgroupNamePrefix */
export const podCgroupNamePrefix = 'pod';

/** Written as Go prints a CgroupName with %v. */
export const cgroupNameText = (name: CgroupName): string => `[${name.join(' ')}]`;
/** Written as Go prints a CgroupName with %q. */
export const quotedCgroupName = (name: CgroupName): string => `[${name.map((part) => JSON.stringify(part)).join(' ')}]`;
