import type { Container, EnvVar, Pod } from '../api/types.js';
import { base64Decode, parseQuantity, resourceOf } from '../base/index.js';
import type { NodeInfo, OSInterface } from '../host/os.js';
import type { Go } from '../kernel/index.js';
import type { ObjectManagers } from './client/objects.js';
import { type Expanded, expandWithin, maxRequestSize, plain, RequestTooLarge } from './container/expansion.js';
import { sortPodIPs } from './kubelet-pods-status.js';
import { isStaticPod } from './types/pod-update.js';
import { parseEnv } from './util/env.js';
import { fileType, pathWithinBase, realpath } from './volume/host-util.js';

export interface EnvInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly podIP: string;
  readonly podIPs: readonly string[];
  /** Null: there is no API server. */
  readonly objects: ObjectManagers | null;
  readonly nodeInfo: NodeInfo;
  /** Volumes by name, for variables that are read from files; null: there are none. */
  readonly files: { readonly os: OSInterface; readonly volumes: Volumes } | null;
}
type Volumes = ReadonlyMap<string, { readonly hostPath: string }>;

interface Ref {
  readonly name?: string;
  readonly optional?: boolean;
}

/**
 * A container's environment: envFrom, then env over it, then the services' (upstream's order is random). Throws
 * RequestTooLarge, before it is built, if no request to the runtime could hold it.
 * upstream: makeEnvironmentVariables
 */
export function* makeEnvironmentVariables(input: EnvInput): Go<{ name: string; value: string }[]> {
  const { pod, container, objects } = input;
  const { namespace } = pod.metadata;
  const { enableServiceLinks } = pod.spec;
  if (enableServiceLinks === undefined)
    throw new Error('nil pod.spec.enableServiceLinks encountered, cannot construct envvars');
  // A pod from the API server can wait for services: without them its containers would not find their way back there.
  if (objects && !isStaticPod(pod) && !objects.servicesHaveSynced())
    throw new Error('services have not yet been read at least once, cannot construct envvars');
  const services = objects?.getServiceEnvVarMap(namespace, enableServiceLinks) ?? new Map<string, string>();
  const env = new Map<string, Expanded>();
  /** Characters of all values, whether they were built or not. */
  let total = 0;
  const put = (name: string, value: Expanded) => {
    const old = env.get(name);
    total += value.length - (old ? old.length : -name.length);
    env.set(name, value);
  };
  const service = (name: string): Expanded | undefined => {
    const value = services.get(name);
    return value === undefined ? undefined : plain(value);
  };
  const cache = new Map<string, { readonly [key: string]: string }>();
  /** Null: it is missing and may be. */
  const read = function* (kind: 'configMap' | 'secret', ref: Ref): Go<{ readonly [key: string]: string } | null> {
    const name = ref.name ?? '';
    const known = cache.get(`${kind}/${name}`);
    if (known) return known;
    if (!objects) throw new Error(`couldn't get ${kind} ${namespace}/${name}, no kubeClient defined`);
    try {
      const { data = {} } =
        kind === 'configMap' ? yield* objects.getConfigMap(namespace, name) : yield* objects.getSecret(namespace, name);
      const texts =
        kind === 'configMap' ? data : Object.fromEntries(Object.entries(data).map(([k, v]) => [k, base64Decode(v)]));
      cache.set(`${kind}/${name}`, texts);
      return texts;
    } catch (err) {
      if (ref.optional && objects.isNotFound(err)) return null;
      throw err;
    }
  };

  for (const from of container.envFrom ?? []) {
    const data = from.configMapRef
      ? yield* read('configMap', from.configMapRef)
      : from.secretRef
        ? yield* read('secret', from.secretRef)
        : null;
    for (const [k, v] of Object.entries(data ?? {})) put(`${from.prefix ?? ''}${k}`, plain(v));
  }
  for (const variable of container.env ?? []) {
    if (variable.value) {
      const value = expandWithin(variable.value, (name) => env.get(name) ?? service(name), maxRequestSize - total);
      put(variable.name, value);
      continue;
    }
    const value = yield* resolve(input, variable, read);
    if (value !== null) put(variable.name, plain(value));
  }
  for (const [name, value] of services) if (!env.has(name)) put(name, plain(value));
  if (total > maxRequestSize) throw new RequestTooLarge(total);
  return [...env].map(([name, value]) => ({ name, value: value.text as string }));
}

/** Returns the value of a variable that has none of its own; null if it is left out. */
function* resolve(
  input: EnvInput,
  variable: EnvVar,
  read: (kind: 'configMap' | 'secret', ref: Ref) => Go<{ readonly [key: string]: string } | null>,
): Go<string | null> {
  const from = variable.valueFrom;
  if (from?.fieldRef) return podFieldSelectorRuntimeValue(input, from.fieldRef.fieldPath);
  if (from?.resourceFieldRef) return containerResourceRuntimeValue(input, from.resourceFieldRef);
  if (from?.fileKeyRef && input.files) return yield* fileKey(input.files, from.fileKeyRef);
  const ref = from?.configMapKeyRef ?? from?.secretKeyRef;
  if (!ref) return '';
  const data = yield* read(from?.configMapKeyRef ? 'configMap' : 'secret', ref);
  if (data === null) return null;
  const value = data[ref.key];
  if (value !== undefined) return value;
  if (ref.optional) return null;
  throw new Error(
    `couldn't find key ${ref.key} in ${from?.configMapKeyRef ? 'ConfigMap' : 'Secret'} ${input.pod.metadata.namespace}/${ref.name ?? ''}`,
  );
}

/**
 * A variable out of a file in a volume; null: it is missing and may be.
 * upstream: makeEnvironmentVariables, FileKeyRef
 */
function* fileKey(
  { os, volumes }: NonNullable<EnvInput['files']>,
  ref: NonNullable<NonNullable<EnvVar['valueFrom']>['fileKeyRef']>,
): Go<string | null> {
  const volume = volumes.get(ref.volumeName);
  if (!volume) throw new Error(`cannot find the volume "${ref.volumeName}" referenced by FileKeyRef`);
  const path = `${volume.hostPath}/${ref.path}`;
  let value: string;
  try {
    // Containers write there: a link may lead out, a pipe may never end.
    const real = yield* realpath(os, path);
    if (!pathWithinBase(real, yield* realpath(os, volume.hostPath))) throw new Error(`${path} leads out of its volume`);
    if ((yield* fileType(os, real)) !== 'file') throw new Error(`${path} is not a file`);
    value = parseEnv(yield* os.readFile(real), ref.key);
  } catch (err) {
    // The details of a broken file are not for everybody to read.
    throw new Error("couldn't parse env file", { cause: err });
  }
  if (value !== '') return value;
  if (ref.optional) return null;
  throw new Error(`environment variable key "${ref.key}" not found in file "${path}"`);
}

/** A field of the pod as text; throws if there is no such field. upstream: podFieldSelectorRuntimeValue */
export function podFieldSelectorRuntimeValue(
  { pod, podIP, podIPs, nodeInfo }: Omit<EnvInput, 'container' | 'objects' | 'files'>,
  path: string,
): string {
  const own = metadataField(pod, path);
  if (own !== null) return own;
  // The address of the node's own family comes first.
  const ordered = sortPodIPs(podIPs, nodeInfo.addresses);
  switch (path) {
    case 'spec.nodeName':
      return pod.spec.nodeName ?? '';
    case 'spec.serviceAccountName':
      return pod.spec.serviceAccountName ?? '';
    case 'status.hostIP':
      return hostIPs(nodeInfo)[0] as string;
    case 'status.hostIPs':
      return hostIPs(nodeInfo).join(',');
    case 'status.podIP':
      return ordered[0] ?? podIP;
    case 'status.podIPs':
      return ordered.join(',');
    default:
      throw new Error(`field label not supported: ${path}`);
  }
}

/**
 * A field of the pod's metadata as a volume's file shows it; throws if there is no such field.
 * upstream: pkg/fieldpath ExtractFieldPathAsString
 */
export function extractFieldPathAsString(pod: Pod, path: string): string {
  const text = metadataField(pod, path);
  if (text === null) throw new Error(`unsupported fieldPath: ${path}`);
  return text;
}

/** Returns a field of the metadata; null for any other path. */
function metadataField(pod: Pod, path: string): string | null {
  const keyed = /^metadata\.(annotations|labels)\['(.+)'\]$/.exec(path);
  if (keyed) {
    const map = pod.metadata[keyed[1] as 'annotations' | 'labels'] ?? {};
    const key = keyed[2] as string;
    return (Object.hasOwn(map, key) ? map[key] : undefined) ?? '';
  }
  switch (path) {
    case 'metadata.name':
      return pod.metadata.name;
    case 'metadata.namespace':
      return pod.metadata.namespace;
    case 'metadata.uid':
      return pod.metadata.uid;
    case 'metadata.annotations':
    case 'metadata.labels': {
      const map = pod.metadata[path === 'metadata.labels' ? 'labels' : 'annotations'] ?? {};
      return Object.keys(map)
        .sort()
        .map((k) => `${k}=${JSON.stringify(map[k])}`)
        .join('\n');
    }
    default:
      return null;
  }
}

function hostIPs(nodeInfo: NodeInfo): readonly string[] {
  if (nodeInfo.addresses.length === 0) throw new Error('host IP unknown; known addresses: []');
  return nodeInfo.addresses;
}

/**
 * A request or limit in units of its divisor, rounded up; a missing limit is what the node has.
 * upstream: containerResourceRuntimeValue
 */
export function containerResourceRuntimeValue(
  { pod, container, nodeInfo }: { readonly pod: Pod; readonly container?: Container; readonly nodeInfo: NodeInfo },
  ref: { containerName?: string; resource: string; divisor?: string },
): string {
  const name = ref.containerName;
  const of = name
    ? [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find((c) => c.name === name)
    : container;
  if (!of) throw new Error(`container ${name ?? ''} not found`);
  const [kind, resource] = ref.resource.split('.') as [string, string | undefined];
  if ((kind !== 'limits' && kind !== 'requests') || !resource)
    throw new Error(`unsupported container resource : ${ref.resource}`);
  const milli = 10n ** 6n;
  const allocatable: { readonly [resource: string]: bigint } = {
    cpu: BigInt(nodeInfo.cpuMillis) * milli,
    memory: BigInt(nodeInfo.memoryCapacityBytes) * 10n ** 9n,
    'ephemeral-storage': BigInt(nodeInfo.ephemeralStorageBytes ?? 0) * 10n ** 9n,
  };
  let amount = resourceOf(of.resources?.[kind], resource);
  // Upstream gives the pod's or the node's own only to regular containers, and to the one that asks for itself.
  const mayDefault = of === container || pod.spec.containers.includes(of);
  if (amount === 0n && kind === 'limits' && mayDefault)
    amount = resourceOf(pod.spec.resources?.limits, resource) || (allocatable[resource] ?? 0n);
  const divisor = ref.divisor && ref.divisor !== '0' ? parseQuantity(ref.divisor) : 10n ** 9n;
  return String((amount + divisor - 1n) / divisor);
}
