/** The folder with a link to every container's log, for log shippers. upstream: legacyContainerLogsDir */
export const legacyContainerLogsDir = '/var/log/containers';
export const legacyLogSuffix = 'log';
const ext4MaxFileNameLen = 255;

/**
 * Returns the path of a container's log link; its name is cut to what ext4 takes (fidelity 2:T-11).
 * upstream: legacyLogSymlink
 */
export function legacyLogSymlink(
  containerID: string,
  containerName: string,
  podName: string,
  podNamespace: string,
): string {
  const suffix = `.${legacyLogSuffix}`;
  const name = `${podName}_${podNamespace}_${containerName}-${containerID}`.slice(
    0,
    ext4MaxFileNameLen - suffix.length,
  );
  return `${legacyContainerLogsDir}/${name}${suffix}`;
}

/** The ID at the end of a link's name; null if there is none. upstream: getContainerIDFromLegacyLogSymlink */
export function getContainerIDFromLegacyLogSymlink(link: string): string | null {
  const last = link.split('-').at(-1) ?? '';
  const suffix = `.${legacyLogSuffix}`;
  if (!last.endsWith(suffix)) return null;
  const id = last.slice(0, -suffix.length);
  // The runtime finds a container by at least six characters.
  return id.length < 6 ? null : id;
}
