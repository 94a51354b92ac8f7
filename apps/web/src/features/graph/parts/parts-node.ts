/**
 * The contents of the parts around the loop, as plain values copied out of the state: the node, its managers, the API
 * server.
 */
import type { APIRequestView, Json, Micros, NodeState, Seq, VolumeView } from '@syncloop/core/trace';
import type { Selection } from '../../../page/ui-store.js';
import { minorOf } from '../../../run/loop.js';
import { useSession } from '../../../run/session-store.js';
import { amountText } from '../../../units/amounts.js';
import { fields, shortPod } from '../../../units/text.js';

/** Minor versions of Kubernetes 1 in which a part is there; both ends are included, and a missing one is open. */
export interface VersionSpan {
  readonly since?: number;
  readonly until?: number;
}

/**
 * The parts in the order in which a kubelet starts them, with the versions in which each works without a gate.
 * upstream: pkg/kubelet/kubelet.go (*Kubelet).Run and what it calls
 */
export const MANAGERS: Readonly<Record<string, VersionSpan>> = {
  logServer: {},
  cloudResourceSyncManager: { until: 33 },
  'metrics.Register': {},
  setupDataDirs: {},
  ContainerLogsDir: {},
  imageManager: {},
  serverCertificateManager: {},
  oomWatcher: {},
  resourceAnalyzer: {},
  cgroupVersionCheck: { since: 32 },
  allocationManager: { since: 34 },
  volumeManager: {},
  nodeStatus: {},
  nodeLeaseController: { since: 14 },
  syncNetworkUtil: { until: 16 },
  initNetworkUtil: { since: 17 },
  statusManager: {},
  probeManager: { until: 20 },
  runtimeClassManager: { since: 14 },
  pleg: {},
  eventedPleg: { since: 26 },
  healthChecker: { since: 32 },
  cadvisor: {},
  containerManager: {},
  evictionManager: {},
  containerLogManager: {},
  pluginWatcher: { until: 14 },
  pluginManager: { since: 15 },
  shutdownManager: { since: 21 },
};

/** The parts that show a manager's work, if there is one. */
const PART_OF: Readonly<Record<string, Selection>> = {
  imageManager: { kind: 'part', part: 'images' },
  oomWatcher: { kind: 'part', part: 'oom' },
  resourceAnalyzer: { kind: 'part', part: 'stats' },
  cadvisor: { kind: 'part', part: 'stats' },
  allocationManager: { kind: 'channel', name: 'pendingResizes' },
  volumeManager: { kind: 'part', part: 'volumes' },
  nodeStatus: { kind: 'part', part: 'node' },
  nodeLeaseController: { kind: 'part', part: 'lease' },
  statusManager: { kind: 'part', part: 'status' },
  pleg: { kind: 'part', part: 'pleg' },
  eventedPleg: { kind: 'part', part: 'pleg' },
  containerManager: { kind: 'part', part: 'cgroups' },
  evictionManager: { kind: 'part', part: 'eviction' },
  shutdownManager: { kind: 'part', part: 'shutdown' },
  pluginWatcher: { kind: 'part', part: 'devices' },
  pluginManager: { kind: 'part', part: 'devices' },
};
const ALL_MANAGERS: Selection = { kind: 'part', part: 'managers' };

export interface ManagerRow {
  readonly name: string;
  /** '' until it was heard of. */
  readonly state: '' | 'started' | 'done' | 'stopped' | 'failed';
  readonly detail: string;
  /** The versions that have it, if the one that runs does not; else null. */
  readonly absent: VersionSpan | null;
  /** When it got this state; null before. */
  readonly since: Micros | null;
  /** The last that anything was heard of, while the others are still to come. */
  readonly newest: boolean;
  readonly selection: Selection;
}
/** Every manager in the order of their start; those that this table does not know come last. */
export function managerRows({ node: { managers } }: NodeState): ManagerRow[] {
  const all = Object.keys(MANAGERS);
  const known = new Set(all);
  const era = useSession.getState().info?.era;
  const minor = era === undefined ? null : minorOf(era);
  const names = [...all, ...Object.keys(managers).filter((name) => !known.has(name))];
  const heard = names.filter((name) => Object.hasOwn(managers, name));
  const last = Math.max(-1, ...heard.map((name) => managers[name]?.since ?? -1));
  const newest = heard.findLast((name) => managers[name]?.since === last);
  return names.map((name) => {
    const m = Object.hasOwn(managers, name) ? managers[name] : undefined;
    return {
      name,
      state: m?.state ?? '',
      detail: m?.detail ?? '',
      absent: m ? null : absentIn(minor, Object.hasOwn(MANAGERS, name) ? MANAGERS[name] : undefined),
      since: m?.since ?? null,
      newest: name === newest,
      selection: Object.hasOwn(PART_OF, name) ? (PART_OF[name] as Selection) : ALL_MANAGERS,
    };
  });
}

/** True if it has begun its work, or was done at once. */
export const isUp = ({ state }: Pick<ManagerRow, 'state'>): boolean => state === 'started' || state === 'done';

/** The span of a part that a version is outside of; null if it has the part, or is not known. */
const absentIn = (minor: number | null, span: VersionSpan = {}): VersionSpan | null =>
  minor !== null && (minor < (span.since ?? 0) || minor > (span.until ?? minor)) ? span : null;

/** Returns the state of a manager; '' before any report. */
export const managerState = ({ node }: NodeState, name: string): { state: ManagerRow['state']; detail: string } => {
  const m = Object.hasOwn(node.managers, name) ? node.managers[name] : undefined;
  return { state: m?.state ?? '', detail: m?.detail ?? '' };
};

export interface ConditionRow {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly since: Micros;
  /**
   * The condition is not as it should be: Ready is not true, or another one is not false. A condition that was only
   * reported at the start does not count as bad.
   */
  readonly bad: boolean;
}
export interface NodePartView {
  /** Its name; '' before any report. */
  readonly name: string;
  /** It reports to an API server. */
  readonly reports: boolean;
  readonly registered: boolean;
  readonly reported: number;
  readonly lastReport: Micros | null;
  readonly conditions: readonly ConditionRow[];
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
  readonly resources: readonly { readonly name: string; readonly capacity: string; readonly allocatable: string }[];
}
export function nodeView(state: NodeState): NodePartView {
  const { node } = state;
  const reports = managerState(state, 'nodeStatus').state === 'started';
  return {
    name: node.name,
    reports,
    registered: node.registered,
    reported: node.reports,
    lastReport: node.lastReport,
    conditions: Object.values(node.conditions).map((c) => ({
      ...c,
      bad: reports && c.status !== (c.type === 'Ready' ? 'True' : 'False'),
    })),
    addresses: node.addresses.map((a) => ({ ...a })),
    resources: [...new Set([...Object.keys(node.capacity), ...Object.keys(node.allocatable)])].map((name) => ({
      name,
      capacity: quantityText(name, node.capacity[name] ?? ''),
      allocatable: quantityText(name, node.allocatable[name] ?? ''),
    })),
  };
}
/** Writes a plain count of bytes in a readable unit; a quantity with a unit stays as it is. */
function quantityText(resource: string, quantity: string): string {
  const bytes = /memory|storage|hugepages/.test(resource) && /^\d{4,}$/.test(quantity);
  return bytes ? amountText('nodefs.available', Number(quantity)) : quantity;
}

export interface RequestRow {
  readonly seq: Seq;
  readonly verb: string;
  /** `pods/status web`. */
  readonly what: string;
  readonly since: Micros;
  readonly took: Micros | null;
  /** 0 until it was answered, or if no answer came. */
  readonly code: number;
  readonly error: string;
}
export interface APIPartView {
  readonly configured: boolean;
  readonly requests: number;
  readonly errors: number;
  /** Requests under way first, then the newest. */
  readonly rows: readonly RequestRow[];
  readonly watches: readonly { readonly id: number; readonly what: string; readonly since: Micros }[];
}
export function apiView(state: NodeState, most: number): APIPartView {
  const { api } = state;
  const rows = [...Object.values(api.inFlight), ...api.recent.slice(-most).reverse()].slice(0, most).map(requestRow);
  return {
    configured: api.requests > 0 || state.sources.api !== undefined,
    requests: api.requests,
    errors: api.errors,
    rows,
    watches: Object.values(api.watches).map((w) => ({
      id: w.id,
      what: w.namespace === '' ? w.resource : `${w.resource} (${w.namespace})`,
      since: w.since,
    })),
  };
}
const requestRow = (r: APIRequestView): RequestRow => ({
  seq: r.seq,
  verb: r.verb,
  what: `${r.resource}${r.subresource === '' ? '' : `/${r.subresource}`}${r.name === '' ? '' : ` ${r.name}`}`,
  since: r.since,
  took: r.took,
  code: r.code,
  error: r.error,
});

export interface VolumeRow {
  readonly key: string;
  readonly uid: string;
  readonly pod: string;
  readonly volume: string;
  readonly plugin: string;
  readonly state: VolumeView['state'];
  readonly failures: number;
  readonly error: string;
}
export interface VolumesPartView {
  readonly rows: readonly VolumeRow[];
  /** Wanted by pods that are to run; mounted; being worked on or in doubt. */
  readonly desired: number;
  readonly actual: number;
  readonly pending: number;
}
export function volumesView(state: NodeState): VolumesPartView {
  const rows = Object.values(state.pods).flatMap((p) => podVolumes(p.volumes, p.uid, shortPod(p.pod)));
  const count = (...of: readonly VolumeView['state'][]) => rows.filter((r) => of.includes(r.state)).length;
  return {
    rows,
    desired: rows.length - count('unmounting'),
    actual: count('mounted', 'unmounting', 'uncertain'),
    pending: count('waiting', 'mounting', 'unmounting', 'uncertain'),
  };
}
/** Returns the volumes of one pod, in the order of their operations. */
export function podVolumes(volumes: Readonly<Record<string, VolumeView>>, uid = '', pod = ''): VolumeRow[] {
  return Object.values(volumes).map((v) => ({
    key: `${uid}/${v.volume}`,
    uid,
    pod,
    volume: v.volume,
    plugin: v.plugin.replace(/^kubernetes\.io\//, ''),
    state: v.state,
    failures: v.failures,
    error: v.error,
  }));
}

export interface SignalRow {
  readonly key: string;
  readonly signal: string;
  readonly available: string;
  readonly threshold: string;
  readonly met: boolean;
  readonly graceSeconds: number;
  /** Shares of the capacity, 0..1: the rest, and the threshold. */
  readonly left: number;
  readonly limit: number;
}
/** Signals against their thresholds: those that are met first. */
export function signalRows({ eviction }: NodeState): SignalRow[] {
  const share = (n: number, of: number) => (of > 0 ? Math.min(1, Math.max(0, n / of)) : 0);
  return eviction.signals
    .map(({ signal, available, capacity, threshold, met, graceSeconds = 0 }) => ({
      key: `${signal} ${graceSeconds}`,
      signal,
      available: shortAmount(signal, available),
      threshold: shortAmount(signal, threshold),
      met,
      graceSeconds,
      left: share(available, capacity),
      limit: share(threshold, capacity),
    }))
    .sort((a, b) => Number(b.met) - Number(a.met));
}

/** Inodes are many: `6.43M`. */
function shortAmount(signal: string, amount: number): string {
  const text = amountText(signal, amount);
  if (!/^\d{5,}$/.test(text)) return text;
  return amount < 1e6 ? `${Number((amount / 1e3).toPrecision(3))}k` : `${Number((amount / 1e6).toPrecision(3))}M`;
}

export interface CgroupRow {
  readonly path: string;
  /** 0 for kubepods itself. */
  readonly depth: number;
  readonly name: string;
  /** The pod that owns the cgroup; empty for the cgroup of a QoS class. */
  readonly uid: string;
  readonly pod: string;
  /** `2 shares · 64Mi`. */
  readonly limits: string;
}
/** One device of the node. */
export interface DeviceRow {
  readonly key: string;
  readonly resource: string;
  readonly id: string;
  readonly healthy: boolean;
  readonly allocated: boolean;
  /** The pod that has it; '' while none does. */
  readonly uid: string;
  /** Its name; its uid if the name is not known any more. */
  readonly pod: string;
}
export interface DevicesPartView {
  /** The kubelet has a way to device plug-ins. */
  readonly there: boolean;
  /** Resources whose plug-in is not connected. */
  readonly away: readonly string[];
  readonly rows: readonly DeviceRow[];
}
/** The devices of all plug-ins, those that are in use first. */
export function devicesView(state: NodeState): DevicesPartView {
  const resources = Object.values(state.node.devices);
  return {
    there: resources.length > 0 || Object.values(state.channels).some((c) => c.name === 'deviceManager'),
    away: resources.filter((r) => r.endpoint !== 'connected').map((r) => r.resource),
    rows: resources
      .flatMap(({ resource, devices }) =>
        devices.map(({ id, healthy, allocated, uid = '' }) => {
          const pod = uid === '' ? '' : shortPod(state.pods[uid]?.pod ?? uid);
          return { key: `${resource}/${id}`, resource, id, healthy, allocated, uid, pod };
        }),
      )
      .sort((a, b) => Number(b.allocated) - Number(a.allocated) || (a.key < b.key ? -1 : 1)),
  };
}

/** The cgroups that the kubelet made, as a tree that is read from above. */
export function cgroupRows(state: NodeState): CgroupRow[] {
  // systemd repeats the parents in each name: kubepods-burstable-podUID.slice.
  return Object.keys(state.cgroups)
    .sort()
    .map((path) => {
      const parts = path.split('/').filter(Boolean);
      const last = parts[parts.length - 1] ?? path;
      const found = /pod([0-9a-f]{8}[0-9a-f_-]{20,}|[0-9a-f]{32})(?:\.slice)?$/.exec(last)?.[1] ?? '';
      const uid = state.pods[found] ? found : found.replaceAll('_', '-');
      const pod = state.pods[uid];
      return {
        path,
        depth: Math.max(0, parts.length - 1),
        name: pod ? shortPod(pod.pod) : last,
        uid: pod ? uid : '',
        pod: pod ? shortPod(pod.pod) : '',
        limits: limitsText(state.cgroups[path] ?? {}),
      };
    });
}
function limitsText(config: Readonly<Record<string, Json>>): string {
  const { cpuShares, cpuQuota, cpuPeriod, memory } = fields(config) ?? {};
  return [
    typeof cpuShares === 'number' ? `${cpuShares} shares` : '',
    typeof cpuQuota === 'number' && cpuQuota > 0
      ? `≤ ${Number((cpuQuota / (typeof cpuPeriod === 'number' && cpuPeriod > 0 ? cpuPeriod : 100_000)).toFixed(3))} cpu`
      : '',
    typeof memory === 'number' ? `≤ ${amountText('memory.available', memory)}` : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

/**
 * Returns true if the node has reported its shutdown. upstream: pkg/kubelet/nodeshutdown nodeShutdownMessage, as part
 * of Ready's
 */
export const goesDown = ({ node }: NodeState): boolean =>
  node.conditions.Ready?.status === 'False' && node.conditions.Ready.message.includes('node is shutting down');
/** The key of the word for how a device is. */
export const deviceWord = ({ healthy, allocated }: DeviceRow) =>
  healthy ? (allocated ? 'all.devices.allocated' : 'all.devices.free') : 'all.devices.unhealthy';
