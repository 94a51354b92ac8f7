import { base64Encode, isObject, own } from '@syncloop/core/base';
import { redacted } from '@syncloop/core/cri';
import type { Json } from '@syncloop/core/trace';
import { items, objectOf, textOf } from '../base/json.js';
import { containerStatuses } from './names.js';

/** The form in the twin's requests, whose values are bytes, of a secret that is redacted in the observed run. */
const REDACTED = base64Encode(redacted);

/**
 * Returns a text without what differs from run to run: UIDs, ids, digests, the kubelet's folder, durations in errors.
 */
export const scrub = (text: string): string =>
  text
    .replaceAll(REDACTED, redacted)
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/sha256:[0-9a-f]+/g, 'DIGEST')
    .replace(/\b[0-9a-f]{64}\b/g, 'ID')
    .replace(/\b[0-9a-f]{32}\b/g, 'UID')
    .replace(/\b[0-9a-f]{12,13}\b/g, 'ID')
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/g, 'TIME')
    .replace(/\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b/g, 'IP')
    .replace(/(?<=->\s?)IP|\bpid:? \d+/g, 'X')
    // "Successfully pulled image ... in 1.2s (1.2s including waiting)"; a back-off's length stays: it is decided.
    .replace(/\b\d+(\.\d+)?(m|µ)?s\b(?= \(| including|\.)/g, 'DUR')
    .trim();

/** Removes the run's own folders and hashes from a path or a value of a request. */
const scrubPath = (path: string): string =>
  path
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}/g, 'UID')
    .replace(/^.*?(?=\/pods\/|\/containers\/)/, 'ROOT')
    .replace(/^.*\/(?=[^/]*_[^/]*_)/, 'LOGS/')
    .replace(/[0-9a-f]{8}$/, 'RANDOM');

const PATHS = new Set(['hostPath', 'logDirectory', 'host_path', 'log_directory']);
/** Annotations and fields that belong to one run, or to one machine. */
const NOISE = new Set([
  'kubernetes.io/config.seen',
  'kubernetes.io/config.hash',
  'io.kubernetes.container.hash',
  'dnsConfig',
  'hugepageLimits',
  'cgroupParent',
]);

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === '0' ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0);

/** Returns the configuration of a sandbox or container from a request, without what no two runs have in common. */
export function cleanConfig(config: Json | undefined): { [key: string]: Json } {
  const out = walk(config ?? {}, '') as { [key: string]: Json };
  const { image } = out;
  if (image !== undefined && typeof image === 'object') {
    const { userSpecifiedImage, image: ref } = objectOf(image);
    out.image = (userSpecifiedImage ?? ref ?? '') as Json;
  }
  return out;
}

function walk(value: Json, key: string): Json {
  if (typeof value === 'string') return PATHS.has(key) ? scrubPath(value) : scrub(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return list(value as readonly Json[], key);
  const out: { [key: string]: Json } = {};
  for (const name of Object.keys(value).sort()) {
    if (NOISE.has(name)) continue;
    const under = (value as { readonly [key: string]: Json | undefined })[name];
    if (isEmpty(under)) continue;
    const walked = walk(under as Json, name);
    if (!isEmpty(walked)) out[name] = walked;
  }
  return out;
}

/** The order of Go's maps and of the kubelet's environment and mounts is random: both are compared by name. */
function list(value: readonly Json[], key: string): Json {
  if (key === 'envs') {
    const out: { [key: string]: Json } = {};
    for (const env of value) {
      const { key: name, value: of } = objectOf(env);
      // The services of a cluster are its own; the values are secrets, and not always the same bytes in a record.
      if (!/_SERVICE_|_PORT(_|$)/.test(textOf(name))) out[textOf(name)] = typeof of === 'string' ? scrub(of) : 'set';
    }
    return out;
  }
  if (key === 'mounts') {
    const out: { [key: string]: Json } = {};
    for (const mount of value) {
      const { containerPath, ...rest } = objectOf(mount);
      out[textOf(containerPath)] = walk(rest as Json, '');
    }
    return out;
  }
  return value.map((one) => walk(one, ''));
}

/** One condition as a text: "True", "False:ContainersNotReady:containers with unready status: [app]". */
const condition = (of: unknown): string => {
  const { status, reason, message } = objectOf(of);
  return [status, reason, message && scrub(textOf(message))].filter((x) => x).join(':');
};

const state = (of: unknown): Json => {
  const { waiting, running, terminated } = objectOf(of);
  if (running) return { running: true };
  const { reason, message, exitCode, signal } = objectOf(waiting ?? terminated);
  const said = { ...(reason ? { reason } : {}), ...(message ? { message: scrub(textOf(message)) } : {}) };
  if (terminated)
    return { terminated: { exitCode: exitCode ?? 0, ...(signal ? { signal } : {}), ...said } } as unknown as Json;
  return waiting ? ({ waiting: said } as Json) : null;
};

/** A pod's status with all that a kubelet decides in it, by name. */
export function cleanStatus(status: Json): { [key: string]: Json } {
  const of = objectOf(status);
  const out: { [key: string]: Json } = { phase: textOf(of.phase) };
  if (of.reason) out.reason = of.reason;
  if (of.message) out.message = scrub(textOf(of.message));
  const conditions: { [key: string]: Json } = {};
  for (const one of items(of.conditions)) conditions[textOf(objectOf(one).type)] = condition(one);
  if (Object.keys(conditions).length > 0) out.conditions = sorted(conditions);
  const containers: { [key: string]: Json } = {};
  for (const one of containerStatuses(of)) {
    const c = objectOf(one);
    const last = state(c.lastState);
    containers[textOf(c.name)] = {
      state: state(c.state),
      ...(last !== null && { lastState: last }),
      restartCount: Number(c.restartCount ?? 0),
      ready: c.ready === true,
      started: c.started === true,
    };
  }
  if (Object.keys(containers).length > 0) out.containers = sorted(containers);
  return out;
}
const sorted = (of: { [key: string]: Json }) =>
  Object.fromEntries(Object.entries(of).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));

/** Returns the paths at which two values differ, each once, with both values; null means "missing". */
export function divergences(seen: Json, twin: Json, path = ''): { path: string; seen: Json; twin: Json }[] {
  if (Array.isArray(seen) && Array.isArray(twin)) {
    if (seen.length !== twin.length) return [{ path, seen, twin }];
    return seen.flatMap((one, i) => divergences(one as Json, (twin as readonly Json[])[i] as Json, `${path}[${i}]`));
  }
  if (isObject(seen) && isObject(twin)) {
    const names = [...new Set([...Object.keys(seen), ...Object.keys(twin)])].sort();
    return names.flatMap((name) =>
      divergences(own(seen, name) ?? null, own(twin, name) ?? null, path === '' ? name : `${path}.${name}`),
    );
  }
  return seen === twin ? [] : [{ path, seen, twin }];
}
