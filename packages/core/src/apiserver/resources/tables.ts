import type { Pod } from '../../api/types.js';
import { humanDuration, since } from '../../kubectl/duration.js';
import { podRow } from '../../kubectl/pod-row.js';
import type { Column, TablePrinter } from '../registry/resource.js';
import type { ApiObject } from '../types.js';

/** The columns that kubectl shows of each kind. upstream: pkg/printers/internalversion printers.go */

const doc = 'Name must be unique within a namespace.';
export const name: Column = { name: 'Name', type: 'string', format: 'name', description: doc };
export const age: Column = { name: 'Age', type: 'string', description: 'When the object was created.' };
export const col = (title: string, description: string, priority = 0): Column => ({
  name: title,
  type: 'string',
  description,
  priority,
});
const count = (title: string, description: string): Column => ({ name: title, type: 'integer', description });
export const ageOf = (o: ApiObject, now: number): string => since(now, o.metadata.creationTimestamp);
type Any = Record<string, unknown>;
const part = (o: ApiObject, field: string): Any => (o[field] ?? {}) as Any;
const size = (v: unknown): number => Object.keys((v ?? {}) as object).length;

const fullPod = (o: ApiObject): Pod => {
  const pod = o as unknown as Pod;
  return { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [] }, status: pod.status ?? {} };
};
export const podTable: TablePrinter = {
  columns: [
    name,
    col('Ready', 'The aggregate readiness state of this pod for accepting traffic.'),
    col('Status', 'The aggregate status of the containers in this pod.'),
    col(
      'Restarts',
      'The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.',
    ),
    age,
    col('IP', 'Address of the pod.', 1),
    col('Node', 'The node that the pod is bound to.', 1),
    col('Nominated Node', 'The node that the pod may get once other pods have made room.', 1),
    col('Readiness Gates', 'Further conditions that must hold before the pod is ready.', 1),
  ],
  cells(o, now) {
    const r = podRow(fullPod(o), now);
    return [r.name, r.ready, r.status, r.restarts, r.age, r.ip, r.node, r.nominatedNode, r.readinessGates];
  },
};

const none = '<none>';
interface Condition {
  readonly type: string;
  readonly status: string;
}
export const nodeTable: TablePrinter = {
  columns: [
    name,
    col('Status', 'The status of the node'),
    col('Roles', 'The roles of the node'),
    age,
    col('Version', 'Kubelet version of the node.'),
    col('Internal-IP', 'Its address inside the cluster.', 1),
    col('External-IP', 'Its address outside the cluster.', 1),
    col('OS-Image', 'Name of the operating system.', 1),
    col('Kernel-Version', 'Version of the kernel.', 1),
    col('Container-Runtime', 'The container runtime and its version.', 1),
  ],
  cells(o, now) {
    const status = part(o, 'status');
    const conditions = (status.conditions ?? []) as Condition[];
    const ready = conditions.find((c) => c.type === 'Ready');
    const words = [ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown'];
    if (part(o, 'spec').unschedulable) words.push('SchedulingDisabled');
    const roles = new Set<string>();
    for (const [k, v] of Object.entries(o.metadata.labels ?? {})) {
      if (k.startsWith('node-role.kubernetes.io/') && k.length > 24) roles.add(k.slice(24));
      else if (k === 'kubernetes.io/role' && v) roles.add(v);
    }
    const address = (type: string) =>
      ((status.addresses ?? []) as { type: string; address: string }[]).find((a) => a.type === type)?.address ?? none;
    const info = (status.nodeInfo ?? {}) as Record<string, string>;
    return [
      o.metadata.name,
      words.join(','),
      [...roles].sort().join(',') || none,
      ageOf(o, now),
      info.kubeletVersion ?? '',
      address('InternalIP'),
      address('ExternalIP'),
      info.osImage || '<unknown>',
      info.kernelVersion || '<unknown>',
      info.containerRuntimeVersion || '<unknown>',
    ];
  },
};

export const namespaceTable: TablePrinter = {
  columns: [name, col('Status', 'The status of the namespace'), age],
  cells: (o, now) => [o.metadata.name, String(part(o, 'status').phase ?? ''), ageOf(o, now)],
};
export const configMapTable: TablePrinter = {
  columns: [name, count('Data', 'How many keys it has.'), age],
  cells: (o, now) => [o.metadata.name, size(o.data) + size(o.binaryData), ageOf(o, now)],
};
export const secretTable: TablePrinter = {
  columns: [name, col('Type', 'What its data is for.'), count('Data', 'How many keys it has.'), age],
  cells: (o, now) => [o.metadata.name, String(o.type ?? ''), size(o.data), ageOf(o, now)],
};

interface Port {
  readonly port: number;
  readonly nodePort?: number;
  readonly protocol?: string;
  readonly name?: string;
}
export const serviceTable: TablePrinter = {
  columns: [
    name,
    col('Type', 'How the service is reached.'),
    col('Cluster-IP', 'Its address inside the cluster.'),
    col('External-IP', 'Its addresses outside the cluster.'),
    col('Port(s)', 'Its ports.'),
    age,
    col('Selector', 'Labels of the pods that it leads to.', 1),
  ],
  cells(o, now) {
    const spec = part(o, 'spec');
    const external = (spec.externalIPs as string[] | undefined)?.join(',');
    const type = String(spec.type ?? '');
    const ports = ((spec.ports ?? []) as Port[]).map((p) =>
      p.nodePort ? `${p.port}:${p.nodePort}/${p.protocol}` : `${p.port}/${p.protocol}`,
    );
    const selector = Object.entries((spec.selector ?? {}) as Record<string, string>).map(([k, v]) => `${k}=${v}`);
    return [
      o.metadata.name,
      type,
      String(spec.clusterIP || none),
      type === 'ExternalName'
        ? String(spec.externalName)
        : (external ?? (type === 'LoadBalancer' ? '<pending>' : none)),
      ports.join(',') || none,
      ageOf(o, now),
      selector.sort().join(',') || none,
    ];
  },
};
export const endpointsTable: TablePrinter = {
  columns: [name, col('Endpoints', 'The addresses and ports.'), age],
  cells(o, now) {
    const all = ((o.subsets ?? []) as { addresses?: { ip: string }[]; ports?: Port[] }[]).flatMap((s) =>
      (s.addresses ?? []).flatMap((a) => (s.ports?.length ? s.ports.map((p) => `${a.ip}:${p.port}`) : [a.ip])),
    );
    const more = all.length > 3 ? ` + ${all.length - 3} more...` : '';
    return [o.metadata.name, all.length === 0 ? none : all.slice(0, 3).join(',') + more, ageOf(o, now)];
  },
};
export const serviceAccountTable: TablePrinter = {
  columns: [name, count('Secrets', 'Secrets that belong to it.'), age],
  cells: (o, now) => [o.metadata.name, ((o.secrets ?? []) as unknown[]).length, ageOf(o, now)],
};
export const leaseTable: TablePrinter = {
  columns: [name, col('Holder', 'Who holds it.'), age],
  cells: (o, now) => [o.metadata.name, String(part(o, 'spec').holderIdentity ?? ''), ageOf(o, now)],
};
export const runtimeClassTable: TablePrinter = {
  columns: [name, col('Handler', 'Its name in the runtime.'), age],
  cells: (o, now) => [o.metadata.name, String(o.handler ?? ''), ageOf(o, now)],
};
export const csiNodeTable: TablePrinter = {
  columns: [name, count('Drivers', 'Drivers on the node.'), age],
  cells: (o, now) => [o.metadata.name, ((part(o, 'spec').drivers ?? []) as unknown[]).length, ageOf(o, now)],
};
export const priorityClassTable: TablePrinter = {
  columns: [
    name,
    count('Value', 'The priority.'),
    { name: 'Global-Default', type: 'boolean', description: 'Whether pods without a class get it.' },
    age,
    col('PreemptionPolicy', 'Whether its pods preempt others.'),
  ],
  cells: (o, now) => [
    o.metadata.name,
    Number(o.value),
    String(o.globalDefault ?? false),
    ageOf(o, now),
    String(o.preemptionPolicy ?? ''),
  ],
};

interface EventShape {
  involvedObject?: { kind?: string; name?: string; fieldPath?: string };
  source?: { component?: string; host?: string };
  series?: { count?: number; lastObservedTime?: string };
}
export const eventTable: TablePrinter = {
  columns: [
    col('Last Seen', 'When it happened last.'),
    col('Type', 'Normal or Warning.'),
    col('Reason', 'Why, in one word.'),
    col('Object', 'What it is about.'),
    col('Subobject', 'The part of it.', 1),
    col('Source', 'Who saw it.', 1),
    col('Message', 'What happened.'),
    col('First Seen', 'When it happened first.', 1),
    { ...count('Count', 'How often it happened.'), type: 'string', priority: 1 },
    { ...name, priority: 1 },
  ],
  cells(o, now) {
    const e = o as unknown as EventShape;
    const { eventTime } = o as { eventTime?: string | null };
    const first = (o.firstTimestamp ?? eventTime) as string | null | undefined;
    const last = (e.series?.lastObservedTime ?? o.lastTimestamp ?? eventTime) as string | null | undefined;
    const n = e.series?.count ?? (o.count as number | undefined);
    const source = [
      e.source?.component || (o.reportingComponent as string),
      e.source?.host || (o.reportingInstance as string),
    ];
    return [
      last ? humanDuration(now - Date.parse(last)) : first ? since(now, first) : '<unknown>',
      String(o.type ?? ''),
      String(o.reason ?? ''),
      `${(e.involvedObject?.kind ?? '').toLowerCase()}/${e.involvedObject?.name ?? ''}`,
      e.involvedObject?.fieldPath ?? '',
      source.filter(Boolean).join(', '),
      String(o.message ?? '').trim(),
      since(now, first),
      String(n || 1),
      o.metadata.name,
    ];
  },
};
/** The table of resources that have no columns of their own. */
export const plainTable: TablePrinter = {
  columns: [name, { name: 'Created At', type: 'date' as 'string', description: 'When the object was created.' }],
  cells: (o) => [o.metadata.name, o.metadata.creationTimestamp ?? ''],
};
