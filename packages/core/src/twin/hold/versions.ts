import type { TraceRecord } from '../../trace/index.js';
import { objectOf, textOf } from '../base/json.js';

/** The version whose decisions our kubelet makes: 1.36. */
const OURS = 36;

/**
 * What kubelets of other versions ask or show otherwise: places in the details of a call or a status, and the first
 * minor version of 1 that does it as ours does.
 */
const rows: readonly { readonly path: RegExp; readonly since: number }[] = [
  { path: /\.namespaceOptions\.usernsOptions(\.|$)/, since: 33 },
  // Deprecated in favour of `seccomp`.
  { path: /\.seccompProfilePath$/, since: 29 },
  { path: /\.(maskedPaths|readonlyPaths)$/, since: OURS },
  // Before, only the image's id was sent.
  { path: /^config\.image$/, since: 29 },
  { path: /^config\.(CDIDevices|podIp)/, since: 30 },
  { path: /^conditions\.PodReadyToStartContainers$/, since: 29 },
  // A failed pod's containers were not ready for a reason of their own.
  { path: /^conditions\.(Ready|ContainersReady)$/, since: 24 },
];
/** Fields of requests that come and go with the versions: where all requests part alike, it is the version. */
const CONFIG = /^config\.(linux|annotations|labels)\./;

/** "v1.25.9" as the kubelet's log has it; '' where nothing tells. */
export function versionOf(records: readonly TraceRecord[]): string {
  for (const r of records)
    if (r.kind === 'log' && r.msg === 'Kubelet version') return textOf(objectOf(r.kv).kubeletVersion);
  return '';
}

/** Before 1.22 a pod's end was nobody's sync: it was killed beside its worker. */
export const hasTerminatingSyncs = (version: string): boolean => !(minorOf(version) < 22);
const minorOf = (version: string): number => Number(/^v?1\.(\d+)/.exec(version)?.[1] ?? Number.NaN);

/** Whether the versions of two kubelets explain that they part at this place of a request or of a status. */
export function isOfVersion(version: string, path: string, oneIsAbsent: boolean): boolean {
  const minor = minorOf(version);
  // A version that is not known may be any.
  if (minor >= OURS) return false;
  if (rows.some((row) => row.path.test(path) && !(minor >= row.since))) return true;
  return minor < OURS && oneIsAbsent && CONFIG.test(path);
}
