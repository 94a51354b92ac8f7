/** The node and its kubelet's settings, as far as sources tell. */
import { isObject, parseDuration } from '@syncloop/core/base';
import { validateFeatureGates } from '@syncloop/core/kubelet';
import { defaultEra, type EraVersion, loadedEra } from '@syncloop/core/kubelet/era';
import { minorOfEra } from '@syncloop/core/kubelet/era/nearest';
import type { Json } from '@syncloop/core/trace';
import { type JsonObject, objectOf, objectsOf, textOf } from '../base/json.js';
import type { TwinScenario } from '../base/types.js';
import type { Assumptions } from './assumptions.js';
import type { Seen } from './seen.js';

type Settings = { [name: string]: Json };
type Read = (text: string) => Json | undefined;

const whole: Read = (text) => (/^\d+$/.test(text) ? Number(text) : undefined);
const flag: Read = (text) => (text === 'true' ? true : text === 'false' ? false : undefined);
const duration: Read = (text) => (parseDuration(text) === null ? undefined : text);
const plain: Read = (text) => text || undefined;
/** Written as Go prints a slice: [a b]; or with commas. */
const texts: Read = (text) => {
  const items = text
    .replace(/^\[|\]$/g, '')
    .split(/[\s,]+/)
    .filter((item) => item !== '');
  return items.length > 0 ? items : undefined;
};
const bytes: Read = (text) => {
  const found = /^(\d+)(Ki|Mi|Gi)?$/.exec(text);
  const power = { Ki: 1, Mi: 2, Gi: 3 }[found?.[2] ?? ''] ?? 0;
  return found ? Number(found[1]) * 1024 ** power : undefined;
};
const gates: Read = (text) => {
  const pairs = [...text.matchAll(/([A-Za-z0-9]+)[=:](true|false)/g)].map(([, name, on]) => [name, on === 'true']);
  return pairs.length > 0 ? (Object.fromEntries(pairs) as JsonObject as Json) : undefined;
};
/** cpu=100m,memory=1Gi */
const pairs: Read = (text) => {
  const found = [...text.matchAll(/([a-z0-9./-]+)=([^,]+)/g)].map(([, name, value]) => [name, value]);
  return found.length > 0 ? (Object.fromEntries(found) as JsonObject as Json) : undefined;
};
const integer: Read = (text) => (/^-?\d+$/.test(text) ? Number(text) : undefined);
/** memory.available<100Mi,nodefs.available<10% */
const thresholds: Read = (text) => {
  const pairs = [...text.matchAll(/([a-zA-Z.]+)[<=]([^,]+)/g)].map(([, signal, value]) => [signal, value]);
  return pairs.length > 0 ? (Object.fromEntries(pairs) as JsonObject as Json) : undefined;
};

/** Settings by the flag that has them; those of a configuration file (`KubeletConfiguration`) have the second name. */
const FLAGS: readonly (readonly [flag: string, setting: string, read: Read])[] = [
  ['sync-frequency', 'syncFrequency', duration],
  ['file-check-frequency', 'fileCheckFrequency', duration],
  ['runtime-request-timeout', 'runtimeRequestTimeout', duration],
  ['max-pods', 'maxPods', whole],
  ['cgroup-driver', 'cgroupDriver', plain],
  ['cgroups-per-qos', 'cgroupsPerQOS', flag],
  ['cluster-dns', 'clusterDNS', texts],
  ['cluster-domain', 'clusterDomain', plain],
  ['serialize-image-pulls', 'serializeImagePulls', flag],
  ['registry-qps', 'registryPullQPS', whole],
  ['registry-burst', 'registryBurst', whole],
  ['seccomp-default', 'seccompDefault', flag],
  ['container-log-max-size', 'containerLogMaxSizeBytes', bytes],
  ['container-log-max-files', 'containerLogMaxFiles', whole],
  ['eviction-hard', 'evictionHard', thresholds],
  ['eviction-soft', 'evictionSoft', thresholds],
  ['eviction-soft-grace-period', 'evictionSoftGracePeriod', thresholds],
  ['eviction-minimum-reclaim', 'evictionMinimumReclaim', thresholds],
  ['eviction-max-pod-grace-period', 'evictionMaxPodGracePeriod', whole],
  ['eviction-pressure-transition-period', 'evictionPressureTransitionPeriod', duration],
  ['image-gc-high-threshold', 'imageGCHighThresholdPercent', whole],
  ['image-gc-low-threshold', 'imageGCLowThresholdPercent', whole],
  ['minimum-image-ttl-duration', 'imageMinimumGCAge', duration],
  ['local-storage-capacity-isolation', 'localStorageCapacityIsolation', flag],
  ['feature-gates', 'featureGates', gates],
  ['root-dir', 'rootDirectory', plain],
  ['pod-manifest-path', 'staticPodPath', plain],
  ['fail-cgroupv1', 'failCgroupV1', flag],
  ['kube-reserved', 'kubeReserved', pairs],
  ['system-reserved', 'systemReserved', pairs],
  ['pods-per-core', 'podsPerCore', whole],
  ['pod-max-pids', 'podPidsLimit', integer],
  ['cpu-cfs-quota', 'cpuCFSQuota', flag],
  ['cpu-cfs-quota-period', 'cpuCFSQuotaPeriod', duration],
  ['register-node', 'registerNode', flag],
  ['node-status-update-frequency', 'nodeStatusUpdateFrequency', duration],
  ['kube-api-qps', 'kubeAPIQPS', whole],
  ['kube-api-burst', 'kubeAPIBurst', whole],
  ['event-qps', 'eventRecordQPS', whole],
  ['event-burst', 'eventBurst', whole],
];
/** The settings of a kubelet without flags and configuration. */
const DEFAULTS: Settings = {
  syncFrequency: '1m0s',
  fileCheckFrequency: '20s',
  runtimeRequestTimeout: '2m0s',
  maxPods: 110,
  cgroupDriver: 'cgroupfs',
  cgroupsPerQOS: true,
  serializeImagePulls: true,
  registryPullQPS: 5,
  registryBurst: 10,
  seccompDefault: false,
  containerLogMaxSizeBytes: 10 * 1024 * 1024,
  containerLogMaxFiles: 5,
  evictionMaxPodGracePeriod: 0,
  evictionPressureTransitionPeriod: '5m0s',
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  imageMinimumGCAge: '2m0s',
  localStorageCapacityIsolation: true,
  rootDirectory: '/var/lib/kubelet',
  failCgroupV1: true,
  podsPerCore: 0,
  podPidsLimit: -1,
  cpuCFSQuota: true,
  cpuCFSQuotaPeriod: '100ms',
  registerNode: true,
  nodeStatusUpdateFrequency: '10s',
  kubeAPIQPS: 50,
  kubeAPIBurst: 100,
  eventRecordQPS: 50,
  eventBurst: 100,
};

export interface NodeFound {
  readonly settings: Settings;
  readonly machine: Settings;
  readonly nodeName: string;
  readonly apiServer: boolean;
  /** The evidence that the settings rest on. */
  readonly why: string;
}

/**
 * `config`: the kubelet's own answer to `/configz`, or its configuration file; it takes precedence over the
 * other sources.
 */
export function nodeOf(
  seen: Seen,
  assumptions: Assumptions,
  { kubelet, era }: Pick<TwinScenario, 'kubelet' | 'era'>,
  config?: Json,
): NodeFound {
  const settings: Settings = {};
  if (era === defaultEra && kubelet.span) emulate(kubelet.span.until, settings);
  else if (kubelet.span && kubelet.era === era && kubelet.span.until !== minorOfEra(era))
    settings.emulatedVersion = `1.${kubelet.span.until}`;
  const rests: string[] = [];
  const flags = flagsOf(seen);
  for (const [name, setting, read] of FLAGS) {
    const found = read(flags.get(name) ?? '');
    const value =
      setting === 'featureGates' && isObject(found) ? { ...objectOf(settings.featureGates), ...found } : found;
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(DEFAULTS[setting])) settings[setting] = value;
  }
  if (flags.size > 0) rests.push('FLAG lines');
  const managed = ofContainerManager(seen, settings);
  if (managed) rests.push('the line of the container manager');
  if (managed) ofManaged(managed, settings);
  const path = textOf(seen.logs.find(({ msg }) => msg === 'Adding static pod path')?.kv.path);
  if (path) settings.staticPodPath = path;
  ofFeatureGates(seen, settings);
  ofFileChecks(seen, settings);
  ofShutdown(seen, settings);
  ofCalls(seen, settings);
  const given = objectOf(objectOf(config).kubeletconfig ?? config);
  for (const [, setting] of FLAGS) {
    const value = given[setting] ?? given[setting.replace(/Bytes$/, '')];
    if (value !== undefined && value !== null)
      settings[setting] = setting.endsWith('Bytes') ? (bytes(String(value)) ?? value) : value;
  }
  if (Object.keys(given).length > 0) rests.push('configz');
  else if (flags.size === 0) assumptions.assume('node.flags');
  else if ((flags.get('config') ?? '') !== '') assumptions.assume('node.config');
  const gatesGiven = isObject(settings.featureGates) ? settings.featureGates : {};
  const known = Object.entries(gatesGiven).filter(
    ([name, on]) => validateFeatureGates({ [name]: on === true }, gatesOf(era)).length === 0,
  );
  if (known.length > 0) settings.featureGates = Object.fromEntries(known);
  else delete settings.featureGates;
  if (settings.clusterDNS === undefined && hasClusterDNS(seen)) {
    settings.clusterDNS = ['10.96.0.10'];
    settings.clusterDomain ??= 'cluster.local';
    assumptions.assume('node.dns');
  }
  const apiServer = hasApiServer(seen);
  const nodeName = nameOf(seen, flags);
  const machine = machineOf(seen, assumptions, managed);
  // A kubelet that runs on such a machine was configured for it.
  if (machine.cgroupVersion === 1) settings.failCgroupV1 = false;
  // Folders have to be absolute paths; those of a log may have been replaced.
  for (const name of ['rootDirectory', 'podLogsDir', 'staticPodPath'])
    if (!/^(\/[^/]{1,255})+$/.test(String(settings[name] ?? '')) || settings[name] === DEFAULTS[name])
      delete settings[name];
  return { settings, machine, nodeName, apiServer, why: rests.join(', ') };
}

/** The gates that a version has; undefined: those of v1.36. */
const gatesOf = (era: EraVersion) => loadedEra(era).rules.config?.eraFeatures;

/** Gates that decide something in a twin, and since which version 1.x they are on. */
const ON_SINCE = { PodReadyToStartContainersCondition: 29, PLEGOnDemandRelist: 36 } as const;

/** Sets the kubelet of v1.36 up to behave as one of another version. */
function emulate(minor: number, settings: Settings): void {
  if (minor >= 36 || minor < 21) return;
  settings.emulatedVersion = `1.${minor}`;
  const off = Object.entries(ON_SINCE).filter(([, since]) => minor < since);
  settings.featureGates = Object.fromEntries(off.map(([name]) => [name, false]));
}

/** "Creating node shutdown manager": the grace periods of pods at a shutdown. */
function ofShutdown(seen: Seen, settings: Settings): void {
  const line = seen.logs.find(({ msg }) => msg === 'Creating node shutdown manager');
  if (!line) return;
  const all = duration(textOf(line.kv.shutdownGracePeriodRequested));
  const critical = duration(textOf(line.kv.shutdownGracePeriodCriticalPods));
  if (all === undefined || parseDuration(String(all)) === 0) return;
  settings.shutdownGracePeriod = all;
  if (critical !== undefined) settings.shutdownGracePeriodCriticalPods = critical;
}

function flagsOf(seen: Seen): Map<string, string> {
  const flags = new Map<string, string>();
  for (const { msg } of seen.logs) {
    const found = /^FLAG: --([a-z0-9-]+)="(.*)"$/.exec(msg);
    if (found) flags.set(found[1] as string, found[2] as string);
  }
  return flags;
}

/** `nodeConfig`, as JSON, or as Go prints a struct: the same names in both. Returns it as text; null: there is none. */
function ofContainerManager(seen: Seen, settings: Settings): string | null {
  const line = seen.logs.find(({ msg }) => msg.startsWith('Creating Container Manager object based on Node Config'));
  if (!line) return null;
  const { nodeConfig } = line.kv;
  const text = typeof nodeConfig === 'string' ? nodeConfig : JSON.stringify(nodeConfig ?? null);
  const field = (name: string) => new RegExp(`\\b${name}"?:"?([^",\\s}\\]]+)`).exec(text)?.[1];
  if (field('CgroupsPerQOS') === 'false') settings.cgroupsPerQOS = false;
  if (field('CgroupDriver') === 'systemd') settings.cgroupDriver = 'systemd';
  const hard: [string, string][] = [];
  const each =
    /Signal"?:"?([a-zA-Z.]+)"?,?\s*"?Operator"?:"?\w+"?,?\s*"?Value"?:\{"?Quantity"?:"?([^",\s}]+)"?,?\s*"?Percentage"?:([\d.]+)/g;
  for (const [, signal, quantity, part] of text.matchAll(each))
    hard.push([
      signal as string,
      Number(part) > 0 ? `${Number((Number(part) * 100).toFixed(3))}%` : (quantity as string),
    ]);
  if (hard.length > 0) settings.evictionHard = Object.fromEntries(hard);
  return text;
}

/** More of the same line: the result of flags and file together. */
function ofManaged(text: string, settings: Settings): void {
  const root = /KubeletRootDir"?:"?([^",\s}]+)/.exec(text)?.[1];
  if (root) settings.rootDirectory = root;
  const limit = /PodPidsLimit"?:(-?\d+)/.exec(text)?.[1];
  if (limit !== undefined && limit !== '-1') settings.podPidsLimit = Number(limit);
  if (/EnforceCPULimits"?:false/.test(text)) settings.cpuCFSQuota = false;
}

function ofFeatureGates(seen: Seen, settings: Settings): void {
  for (const { msg, kv } of seen.logs) {
    const text = /^feature gates: /.test(msg)
      ? msg
      : kv.featureGates === undefined
        ? ''
        : JSON.stringify(kv.featureGates);
    const found = gates(text.replaceAll('"', ''));
    if (isObject(found)) settings.featureGates = { ...objectOf(settings.featureGates), ...found };
  }
}

/** At -v=4 the file source logs each look: the period is the time between two of them. */
function ofFileChecks(seen: Seen, settings: Settings): void {
  const times = seen.logs
    .filter(({ msg, kv }) => msg === 'Setting pods for source' && kv.source === 'file')
    .map(({ time }) => time);
  if (times.length < 4) return;
  const between = times.slice(1).map((t, i) => t - (times[i] as number));
  between.sort((a, b) => a - b);
  const middle = between[Math.floor(between.length / 2)] as number;
  const periods = [1, 2, 5, 10, 15, 20, 30, 60].find((s) => Math.abs(middle / 1e6 - s) < s / 10);
  if (periods !== undefined && periods !== 20) settings.fileCheckFrequency = `${periods}s`;
}

/** The cluster's DNS is in the requests of pods that use it; the node's own if none is configured. */
function ofCalls(seen: Seen, settings: Settings): void {
  for (const { method, request } of seen.calls) {
    // Folders of a log may have been made unreadable; those of requests are as they were.
    if (method === 'CreateContainer')
      for (const { hostPath } of objectsOf(objectOf(request.config).mounts)) {
        const root = /^(\/.+)\/pods\/[^/]+\/etc-hosts$/.exec(textOf(hostPath))?.[1];
        if (root) settings.rootDirectory = root;
      }
    if (method !== 'RunPodSandbox') continue;
    const dns = objectOf(objectOf(request.config).dnsConfig);
    const searches = Array.isArray(dns.searches) ? dns.searches.map(String) : [];
    const domain = searches.find((s) => s.startsWith('svc.'))?.slice('svc.'.length);
    const logs = /^(\/.+)\/[^/]+$/.exec(textOf(objectOf(request.config).logDirectory))?.[1];
    if (logs && logs !== '/var/log/pods') settings.podLogsDir ??= logs;
    if (domain === undefined) continue;
    if (domain) settings.clusterDomain ??= domain;
    if (Array.isArray(dns.servers) && dns.servers.length > 0) settings.clusterDNS ??= dns.servers;
  }
}

/** Returns whether there is a cluster DNS: without one a kubelet complains of each pod that would use it. */
function hasClusterDNS(seen: Seen): boolean {
  const ofPods = seen.events.filter(({ kind }) => kind === 'Pod');
  // A log that reports syncs reports the event that each of them would have.
  const isReported =
    ofPods.some(({ reason }) => reason === 'Created' || reason === 'Started') ||
    seen.logs.some(({ msg }) => /^syncPod enter/i.test(msg));
  if (!isReported) return false;
  return !seen.events.some(({ reason }) => reason === 'MissingClusterDNS');
}

function hasApiServer(seen: Seen): boolean {
  if (seen.logs.some(({ msg }) => msg.startsWith('Standalone mode, no API client'))) return false;
  for (const { source } of seen.pods.values()) if (source === 'api') return true;
  return seen.records.some(
    (r) =>
      r.kind === 'node-lease' ||
      (r.kind === 'pod-config' && r.source === 'api') ||
      (r.kind === 'node-status' && r.op !== 'set'),
  );
}

function nameOf(seen: Seen, flags: ReadonlyMap<string, string>): string {
  const given = flags.get('hostname-override');
  if (given) return given.toLowerCase();
  for (const { objects } of seen.pods.values())
    for (const { object } of objects) {
      const name = textOf(objectOf(object.spec).nodeName);
      if (name) return name;
    }
  return seen.events.find(({ kind, object }) => kind === 'Node' && object)?.object ?? 'node1';
}

function machineOf(seen: Seen, assumptions: Assumptions, managed: string | null): Settings {
  const machine: Settings = {};
  const line = seen.logs.find(({ msg }) => msg.startsWith('Machine: {'))?.msg ?? '';
  const number = (name: string) => whole(new RegExp(`\\b${name}:(\\d+)`).exec(line)?.[1] ?? '');
  const cpus = number('NumCores');
  const memory = number('MemoryCapacity');
  const status = seen.records.find((r) => r.kind === 'node-status' && r.capacity !== undefined);
  const capacity = status?.kind === 'node-status' ? (status.capacity ?? {}) : {};
  machine.cpus = cpus ?? whole(capacity.cpu ?? '') ?? requested(seen);
  if (memory !== undefined) machine.memory = memory;
  else if (capacity.memory) machine.memory = capacity.memory;
  if (cpus === undefined && memory === undefined && !status) assumptions.assume('node.machine');
  const swap = number('SwapCapacity');
  if (typeof swap === 'number' && swap > 0) machine.swap = swap;
  const version = seen.logs.find(({ msg }) => msg.startsWith('Version: {KernelVersion:'))?.msg ?? '';
  const os = /KernelVersion:(\S*) ContainerOsVersion:(.*?) DockerVersion:/.exec(version);
  if (os?.[1]) machine.kernelVersion = os[1];
  if (os?.[2]) machine.osImage = os[2];
  const cgroup = cgroupVersion(seen, managed);
  if (cgroup === undefined) assumptions.assume('node.cgroup');
  else if (cgroup === 1) machine.cgroupVersion = 1;
  for (const { objects } of seen.pods.values())
    for (const { object } of objects) {
      const ip = textOf(objectOf(object.status).hostIP);
      if (ip) machine.addresses ??= [ip];
    }
  if (/SupportsUserNamespaces: (true|false)/.test(runtimeStatus(seen)))
    machine.userNamespaces = /SupportsUserNamespaces: true/.test(runtimeStatus(seen));
  if (lacksAppArmor(seen)) machine.appArmor = false;
  const runtime = seen.logs.find(({ msg }) => msg === 'Container runtime initialized');
  const runtimeVersion = textOf(runtime?.kv.version) || versionAnswered(seen);
  if (runtimeVersion) machine.runtimeVersion = runtimeVersion;
  const servers = nameservers(seen);
  if (servers) machine.resolvConf = servers.map((address) => `nameserver ${address}\n`).join('');
  return machine;
}

/** Returns whether the node lacks AppArmor: an event, or the pod's status, complains of it. */
function lacksAppArmor({ events, pods }: Seen): boolean {
  const says = (reason: string, message: string) =>
    reason === 'AppArmor' && message.includes('AppArmor is not enabled on the host');
  if (events.some(({ reason, message }) => says(reason, message))) return true;
  for (const { objects } of pods.values())
    for (const { object } of objects) {
      const { reason, message } = objectOf(object.status);
      if (says(textOf(reason), textOf(message))) return true;
    }
  return false;
}

const runtimeStatus = (seen: Seen): string =>
  textOf(seen.logs.find(({ msg }) => msg === 'Container runtime status')?.kv.status);

function versionAnswered(seen: Seen): string {
  return textOf(seen.calls.find(({ method, response }) => method === 'Version' && response)?.response?.runtimeVersion);
}

/** The name servers of a pod that does not use the cluster's DNS. */
function nameservers(seen: Seen): string[] | undefined {
  for (const { method, request } of seen.calls) {
    if (method !== 'RunPodSandbox') continue;
    const dns = objectOf(objectOf(request.config).dnsConfig);
    const searches = Array.isArray(dns.searches) ? dns.searches : [];
    if (searches.some((s) => String(s).startsWith('svc.'))) continue;
    if (Array.isArray(dns.servers) && dns.servers.length > 0) return dns.servers.map(String);
  }
  return undefined;
}

function cgroupVersion(seen: Seen, managed: string | null): 1 | 2 | undefined {
  const logged = /CgroupVersion"?:(\d)/.exec(managed ?? '')?.[1];
  if (logged) return logged === '1' ? 1 : 2;
  for (const r of seen.records)
    if (r.kind === 'metrics') {
      const value = r.values.kubelet_cgroup_version;
      if (value === 1 || value === 2) return value;
    }
  if (seen.events.some(({ reason }) => reason === 'CgroupV1')) return 1;
  const about = seen.logs.find(({ msg, kv }) =>
    /cgroup (v1|hierarchy not unified)/.test(`${msg} ${textOf(kv.err)} ${textOf(kv.error)}`),
  );
  if (about) return 1;
  if (seen.logs.some(({ msg }) => /cgroup\/(cpu|memory|cpu,cpuacct)\b/.test(msg))) return 1;
  for (const { method, request } of seen.calls)
    if (method === 'CreateContainer') {
      const linux = objectOf(objectOf(objectOf(request.config).linux).resources);
      if (isObject(linux.unified)) return 2;
    }
  return undefined;
}

/** Returns the CPUs that all pods request together, at least as many as the simulation has. */
function requested(seen: Seen): number {
  let millis = 0;
  for (const { objects } of seen.pods.values())
    for (const c of objectsOf(objectOf(objects[0]?.object.spec).containers)) {
      const cpu = textOf(objectOf(objectOf(c.resources).requests).cpu);
      const found = /^(\d+(?:\.\d+)?)(m?)$/.exec(cpu);
      if (found) millis += Number(found[1]) * (found[2] ? 1 : 1000);
    }
  return Math.max(4, Math.ceil(millis / 1000) + 1);
}
