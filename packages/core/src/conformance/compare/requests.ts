/** Compares requests field by field, and leaves out values that differ between any two runs. */
import { utf8Text } from '../../base/index.js';
import { scrub } from './names.js';
import { at, type Loose } from './recording.js';

/** Hashes and times that differ from run to run. */
const unstable = new Set(['kubernetes.io/config.seen', 'kubernetes.io/config.hash', 'io.kubernetes.container.hash']);

/** Replaces the parts of a host's path that differ from run to run: the folder it is in, and UIDs. */
function normalPath(path: string): string {
  return path
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}/g, 'UID')
    .replace(/^.*?(?=\/pods\/|\/containers\/)/, '$ROOT')
    .replace(/^.*\/(?=[^/]*_[^/]*_)/, '$LOGS/')
    .replace(/[0-9a-f]{8}$/, 'RAND');
}

const zero = (value: unknown) =>
  value === undefined || value === null || value === '' || value === 0 || value === '0' || value === false;

const hollow = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const by = (key: string) => (a: unknown, b: unknown) => (String(at(a, key)) < String(at(b, key)) ? -1 : 1);

function normal(value: unknown, key: string, uids: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => normal(item, '', uids));
    if (key === 'mounts') return items.sort(by('containerPath'));
    // Variables of services depend on the services of the cluster; the kubelet's order of the others is random.
    if (key === 'envs') return items.filter((env) => !/^KUBERNETES_/.test(String(at(env, 'key')))).sort(by('key'));
    return items;
  }
  if (typeof value === 'object' && value !== null) {
    // Bytes in newer versions of the API, text in older ones.
    if (at(value, 'type') === 'Buffer') return scrub(utf8Text(Uint8Array.from(at(value, 'data') as number[])), uids);
    const out: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(value)) {
      if (unstable.has(name) || zero(field)) continue;
      const made = normal(field, name, uids);
      if (!hollow(made)) out[name] = made;
    }
    return out;
  }
  if (key === 'hostPath' || key === 'logDirectory') return normalPath(String(value));
  return typeof value === 'string' ? scrub(value, uids) : value;
}

/** The configuration in a request as `path: value` pairs that can be compared between runs. */
export function normalRequest(
  config: Loose,
  kind: 'sandbox' | 'container',
  uids: readonly string[],
): Map<string, string> {
  const out = normal(config, '', uids) as Record<string, unknown>;
  // These depend on the node: resolv.conf, huge pages, the cgroup tree.
  delete out.dnsConfig;
  delete out.cgroupParent;
  const resources = at(out, 'linux', 'resources') as Record<string, unknown> | undefined;
  if (resources) delete resources.hugepageLimits;
  if (kind === 'container' && out.image)
    out.image = at(out, 'image', 'userSpecifiedImage') ?? at(out, 'image', 'image');
  return new Map(leaves(out, ''));
}

function leaves(value: unknown, path: string): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[path, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, field]) => leaves(field, path ? `${path}.${key}` : key));
}

/** Returns the differences between two normalised requests, in words. */
export function requestDifferences(want: Map<string, string>, got: Map<string, string>): string[] {
  const out: string[] = [];
  for (const [path, value] of want) {
    if (got.get(path) !== value) out.push(`${path}: want ${value}, got ${got.get(path) ?? 'nothing'}`);
  }
  for (const [path, value] of got) if (!want.has(path)) out.push(`${path}: want nothing, got ${value}`);
  return out;
}
