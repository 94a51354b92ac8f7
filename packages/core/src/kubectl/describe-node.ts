/** A node as `kubectl describe node` lays it out. upstream: kubectl pkg/describe describeNode */
import type { Container, Pod } from '../api/types.js';
import type { Micros } from '../trace/index.js';
import { annotations, describeEvents, labels } from './describe.js';
import { rfc1123, since } from './duration.js';
import type { FoldedEvent } from './events.js';
import type { AnyObject } from './get-objects.js';
import { describeTabs, tabbed } from './tabwriter.js';

type Quantities = Readonly<Record<string, string>>;
interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastHeartbeatTime?: string;
  readonly lastTransitionTime?: string;
}
interface Parts {
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly podCIDR?: string;
    readonly podCIDRs?: readonly string[];
    readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly capacity?: Quantities;
    readonly allocatable?: Quantities;
    readonly nodeInfo?: Readonly<Record<string, string>>;
  };
}

/**
 * The facts that `describe node` shows besides the node's own object. `now`: ms since 1970; `time`: the run's time now.
 */
export interface NodeSurroundings {
  readonly lease: AnyObject | null;
  /** Those that run on it. */
  readonly pods: readonly Pod[];
  readonly events: readonly FoldedEvent[];
  readonly now: number;
  readonly time: Micros;
}

const INFO: readonly (readonly [title: string, field: string])[] = [
  ['Machine ID', 'machineID'],
  ['System UUID', 'systemUUID'],
  ['Boot ID', 'bootID'],
  ['Kernel Version', 'kernelVersion'],
  ['OS Image', 'osImage'],
  ['Operating System', 'operatingSystem'],
  ['Architecture', 'architecture'],
  ['Container Runtime Version', 'containerRuntimeVersion'],
  ['Kubelet Version', 'kubeletVersion'],
];

export function describeNode(node: AnyObject, around: NodeSurroundings): string {
  const { metadata } = node;
  const { spec = {}, status = {} } = node as Parts;
  const out: string[] = [];
  const field = (name: string, value: string | number) => out.push(`${name}:\t${value}`);
  field('Name', metadata.name);
  field('Roles', rolesOf(metadata.labels));
  labels(out, 'Labels', metadata.labels);
  annotations(out, metadata.annotations);
  field('CreationTimestamp', rfc1123(metadata.creationTimestamp));
  const taints = (spec.taints ?? []).map((t) => `${t.key}${t.value ? `=${t.value}` : ''}:${t.effect}`).sort();
  field('Taints', taints[0] ?? '<none>');
  for (const taint of taints.slice(1)) out.push(`\t${taint}`);
  field('Unschedulable', String(spec.unschedulable ?? false));
  describeLease(out, around.lease);
  const conditions = status.conditions ?? [];
  if (conditions.length > 0) {
    const head = ['Type', 'Status', 'LastHeartbeatTime', 'LastTransitionTime', 'Reason', 'Message'];
    out.push('Conditions:', `  ${head.join('\t')}`, `  ${head.map(rule).join('\t')}`);
    for (const c of conditions)
      out.push(
        `  ${[c.type, c.status, rfc1123(c.lastHeartbeatTime), rfc1123(c.lastTransitionTime), c.reason ?? '', c.message ?? ''].join(' \t')}`,
      );
  }
  out.push('Addresses:', ...(status.addresses ?? []).map((a) => `  ${a.type}:\t${a.address}`));
  for (const [title, list] of [
    ['Capacity', status.capacity],
    ['Allocatable', status.allocatable],
  ] as const)
    if (list)
      out.push(
        `${title}:`,
        ...Object.keys(list)
          .sort()
          .map((r) => `  ${r}:\t${list[r]}`),
      );
  const { nodeInfo } = status;
  if (nodeInfo) out.push('System Info:', ...INFO.map(([title, name]) => `  ${title}:\t${nodeInfo[name] ?? ''}`));
  if (spec.podCIDR) field('PodCIDR', spec.podCIDR);
  if (spec.podCIDRs?.length) field('PodCIDRs', spec.podCIDRs.join(','));
  describePods(out, around, status.allocatable ?? status.capacity ?? {});
  describeEvents(out, around.events, around.time);
  return `${tabbed(out.join('\n'), describeTabs)}\n`;
}

const rule = (word: string): string => '-'.repeat(word.length);

function rolesOf(map: Readonly<Record<string, string>> | undefined): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.keys(map ?? {}).flatMap((k) => (k.startsWith(prefix) ? [k.slice(prefix.length)] : []));
  return roles.filter(Boolean).sort().join(',') || '<none>';
}

function describeLease(out: string[], lease: AnyObject | null): void {
  if (!lease) return;
  const spec = (lease.spec ?? {}) as { holderIdentity?: string; acquireTime?: string; renewTime?: string };
  out.push(
    'Lease:',
    `  HolderIdentity:\t${spec.holderIdentity ?? '<unset>'}`,
    `  AcquireTime:\t${spec.acquireTime ? rfc1123(spec.acquireTime) : '<unset>'}`,
    `  RenewTime:\t${spec.renewTime ? rfc1123(spec.renewTime) : '<unset>'}`,
  );
}

/** upstream: describeNodeResource */
function describePods(out: string[], { pods, now }: NodeSurroundings, allocatable: Quantities): void {
  const running = pods.filter((p) => p.status.phase !== 'Failed' && p.status.phase !== 'Succeeded');
  const head = ['Namespace', 'Name', 'CPU Requests', 'CPU Limits', 'Memory Requests', 'Memory Limits', 'Age'];
  out.push(
    `Non-terminated Pods:\t(${running.length} in total)`,
    `  ${head.join('\t')}`,
    `  ${head.map(rule).join('\t')}`,
  );
  const sum = { requests: { cpu: 0, memory: 0 }, limits: { cpu: 0, memory: 0 } };
  const whole = { cpu: amount(allocatable.cpu), memory: amount(allocatable.memory) };
  const share = (n: number, of: number, text: string) => `${text} (${of > 0 ? Math.trunc((n / of) * 100) : 0}%)`;
  const cpu = (n: number) => share(n, whole.cpu, cpuText(n));
  const memory = (n: number) => share(n, whole.memory, bytesText(n));
  for (const pod of running) {
    const requests = { cpu: ofPod(pod, 'requests', 'cpu'), memory: ofPod(pod, 'requests', 'memory') };
    const limits = { cpu: ofPod(pod, 'limits', 'cpu'), memory: ofPod(pod, 'limits', 'memory') };
    for (const r of ['cpu', 'memory'] as const) {
      sum.requests[r] += requests[r];
      sum.limits[r] += limits[r];
    }
    out.push(
      `  ${[
        pod.metadata.namespace,
        pod.metadata.name,
        cpu(requests.cpu),
        cpu(limits.cpu),
        memory(requests.memory),
        memory(limits.memory),
        since(now, pod.metadata.creationTimestamp),
      ].join('\t')}`,
    );
  }
  out.push(
    'Allocated resources:',
    '  (Total limits may be over 100 percent, i.e., overcommitted.)',
    '  Resource\tRequests\tLimits',
    '  --------\t--------\t------',
    `  cpu\t${cpu(sum.requests.cpu)}\t${cpu(sum.limits.cpu)}`,
    `  memory\t${memory(sum.requests.memory)}\t${memory(sum.limits.memory)}`,
  );
}

/**
 * The regular containers together, or the largest of those that run before them. upstream: resourcehelper.PodRequests
 */
function ofPod(pod: Pod, what: 'requests' | 'limits', resource: 'cpu' | 'memory'): number {
  const of = (c: Container): number => amount(c.resources?.[what]?.[resource]);
  const total = (list: readonly Container[]) => list.reduce((n, c) => n + of(c), 0);
  const init = pod.spec.initContainers ?? [];
  const sidecars = total(init.filter((c) => c.restartPolicy === 'Always'));
  const first = Math.max(0, ...init.filter((c) => c.restartPolicy !== 'Always').map(of));
  return Math.max(total(pod.spec.containers) + sidecars, first);
}

const UNITS: Readonly<Record<string, number>> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
};
/** A quantity as a number; 0 for anything else. */
function amount(quantity: unknown): number {
  const m = /^([\d.]+)(m|k|M|G|T|Ki|Mi|Gi|Ti)?$/.exec(String(quantity ?? ''));
  return m ? Number(m[1]) * (m[2] ? (UNITS[m[2]] ?? 1) : 1) : 0;
}
const cpuText = (n: number): string => (Number.isInteger(n) ? String(n) : `${Math.round(n * 1000)}m`);
function bytesText(n: number): string {
  for (const unit of ['Gi', 'Mi', 'Ki'] as const)
    if (n > 0 && n % (UNITS[unit] as number) === 0) return `${n / (UNITS[unit] as number)}${unit}`;
  return String(n);
}
