/** The faults as forms: each gives a step of a scenario, as the session's `act` takes it. */
import { faultCodes, faultMethods, faultProbes, pressures, pullAnswers, signalNames } from '@syncloop/core/scenario';
import type { Json, NodeState } from '@syncloop/core/trace';
import { shortPod } from '../../../units/text.js';

export type FieldName =
  | 'method'
  | 'code'
  | 'message'
  | 'delay'
  | 'when'
  | 'pod'
  | 'container'
  | 'signal'
  | 'answer'
  | 'image'
  | 'probe'
  | 'pattern'
  | 'resource'
  | 'available'
  | 'how'
  | 'jump'
  | 'for'
  | 'times'
  | 'device'
  | 'health'
  | 'fault';

/** `some`: of the node's own. `choice`: of a list. Not `needed`: it may be left empty. */
export interface FaultField {
  readonly name: FieldName;
  readonly kind: 'text' | 'choice' | 'pod' | 'container' | 'device' | 'devicePlugin';
  readonly options?: readonly string[];
  readonly first?: string;
  readonly needed?: boolean;
}
export type FaultGroup = 'containers' | 'runtime' | 'images' | 'probes' | 'node' | 'kubelet' | 'end';
export type FaultValues = Readonly<Partial<Record<FieldName, string>>>;
export interface FaultTemplate {
  readonly id: FaultId;
  readonly group: FaultGroup;
  readonly fields: readonly FaultField[];
  readonly build: (values: FaultValues) => Json;
}

const choice = (name: FieldName, options: readonly string[], first = options[0] ?? ''): FaultField => ({
  name,
  kind: 'choice',
  options,
  first,
  needed: true,
});
const written = (name: FieldName, first: string): FaultField => ({ name, kind: 'text', first, needed: true });
const maybe = (name: FieldName): FaultField => ({ name, kind: 'text' });
const pod: FaultField = { name: 'pod', kind: 'pod', needed: true };
const anyPod: FaultField = { name: 'pod', kind: 'pod' };
const container: FaultField = { name: 'container', kind: 'container', needed: true };
/** `RESOURCE ID`: neither has a space. */
const device: FaultField = { name: 'device', kind: 'device', needed: true };
const devicePlugin: FaultField = { name: 'device', kind: 'devicePlugin', needed: true };
const resourceOf = (v: FaultValues): string => (v.device ?? '').split(' ')[0] ?? '';
const method = choice('method', faultMethods, 'StartContainer');
const failures = faultCodes.filter((code) => code !== 'OK');

/**
 * Returns the fields with a value; `times` as a number if it is one, else as it was written, for the session to refuse.
 */
const filled = (v: FaultValues, ...names: readonly FieldName[]): { [key: string]: Json } =>
  Object.fromEntries(
    names.flatMap((name) => {
      const text = (v[name] ?? '').trim();
      if (text === '') return [];
      return [[name, name === 'times' && /^\d{1,9}$/.test(text) ? Number(text) : text]];
    }),
  );
const fault = (fields: { readonly [key: string]: Json }): Json => ({ fault: fields });

/** The templates in the order in which they are offered. */
const templates = {
  kill: {
    group: 'containers',
    fields: [pod, container, choice('signal', signalNames)],
    build: (v: FaultValues): Json => ({ kill: filled(v, 'pod', 'container', 'signal') }),
  },
  oom: { group: 'containers', fields: [pod, container], build: (v) => ({ oom: filled(v, 'pod', 'container') }) },
  killSandbox: { group: 'containers', fields: [pod], build: (v) => ({ killSandbox: v.pod ?? '' }) },
  criError: {
    group: 'runtime',
    fields: [
      method,
      anyPod,
      choice('code', failures, 'Unknown'),
      written('message', 'something broke'),
      maybe('times'),
    ],
    build: (v) => fault({ ...filled(v, 'method', 'pod', 'times'), error: filled(v, 'code', 'message') }),
  },
  criDelay: {
    group: 'runtime',
    fields: [method, anyPod, written('delay', '5s'), maybe('times')],
    build: (v) => fault(filled(v, 'method', 'pod', 'delay', 'times')),
  },
  criHang: {
    group: 'runtime',
    fields: [method, anyPod, choice('when', ['before', 'after']), maybe('times')],
    build: (v) => fault({ ...filled(v, 'method', 'pod', 'times'), hang: v.when ?? 'before' }),
  },
  relist: {
    group: 'runtime',
    fields: [written('delay', '2s'), maybe('for')],
    build: (v) => fault({ relist: v.delay ?? '', ...filled(v, 'for') }),
  },
  stopRuntime: {
    group: 'runtime',
    fields: [maybe('for')],
    build: (v) => ((v.for ?? '').trim() === '' ? 'stopRuntime' : fault({ runtime: 'stopped', ...filled(v, 'for') })),
  },
  startRuntime: { group: 'runtime', fields: [], build: () => 'startRuntime' },
  pull: {
    group: 'images',
    fields: [choice('answer', pullAnswers), maybe('image'), maybe('times')],
    build: (v) => fault({ pull: v.answer ?? '', ...filled(v, 'image', 'times') }),
  },
  probe: {
    group: 'probes',
    fields: [choice('probe', faultProbes), anyPod, written('pattern', 'FFFS'), maybe('times')],
    build: (v) => fault(filled(v, 'probe', 'pod', 'pattern', 'times')),
  },
  network: {
    group: 'node',
    fields: [maybe('for')],
    build: (v) => fault({ network: 'notReady', ...filled(v, 'for') }),
  },
  pressure: {
    group: 'node',
    fields: [choice('resource', pressures), maybe('available'), maybe('for')],
    build: (v) => fault({ pressure: v.resource ?? '', ...filled(v, 'available', 'for') }),
  },
  device: {
    group: 'node',
    fields: [device, choice('health', ['unhealthy', 'healthy'])],
    build: (v) => ({
      devicePlugin: { resource: resourceOf(v), [v.health ?? 'unhealthy']: [(v.device ?? '').split(' ')[1] ?? ''] },
    }),
  },
  devicePlugin: {
    group: 'node',
    fields: [devicePlugin, choice('how', ['restart', 'stop', 'start']), maybe('for')],
    build: (v) => ({
      devicePlugin: {
        resource: resourceOf(v),
        run: v.how ?? '',
        ...(v.how === 'restart' && (v.for ?? '').trim() !== '' && { down: (v.for ?? '').trim() }),
      },
    }),
  },
  allocate: {
    group: 'node',
    fields: [devicePlugin, written('message', 'the device is busy'), maybe('delay')],
    build: (v) => ({
      devicePlugin: {
        resource: resourceOf(v),
        allocate: {
          ...((v.message ?? '').trim() !== '' && { error: (v.message ?? '').trim() }),
          ...((v.delay ?? '').trim() !== '' && { took: (v.delay ?? '').trim() }),
        },
      },
    }),
  },
  clock: { group: 'node', fields: [written('jump', '1h')], build: (v) => fault({ clock: v.jump ?? '' }) },
  api: {
    group: 'node',
    fields: [choice('how', ['unreachable', 'restart', 'silent']), maybe('for')],
    build: (v) => fault({ api: v.how ?? '', ...filled(v, 'for') }),
  },
  kubelet: {
    group: 'kubelet',
    fields: [choice('how', ['restart', 'crash']), maybe('for')],
    build: (v) => fault({ kubelet: v.how ?? '', ...filled(v, 'for') }),
  },
  clear: {
    group: 'end',
    fields: [maybe('fault')],
    build: (v) => ((v.fault ?? '').trim() === '' ? 'clearFaults' : { clearFaults: (v.fault ?? '').trim() }),
  },
} as const satisfies Readonly<Record<string, Omit<FaultTemplate, 'id'>>>;

export type FaultId = keyof typeof templates;
export const FAULTS: readonly FaultTemplate[] = Object.entries(templates).map(([id, t]) => ({
  id: id as FaultId,
  ...(t as Omit<FaultTemplate, 'id'>),
}));
export const FAULT_GROUPS: readonly FaultGroup[] = [...new Set(FAULTS.map((f) => f.group))];

/** A pod of the node that actions can be done to. */
export interface FaultPod {
  readonly pod: string;
  readonly containers: readonly string[];
}

/** The parts of a node that faults can act on. */
export interface FaultNode {
  readonly pods: readonly FaultPod[];
  /** Devices as `RESOURCE ID`. */
  readonly devices: readonly string[];
}

/** Returns the options of a field's list. */
export function optionsOf(field: FaultField, { pods, devices }: FaultNode, values: FaultValues): readonly string[] {
  switch (field.kind) {
    case 'pod':
      return pods.map((p) => p.pod);
    case 'container':
      return pods.find((p) => p.pod === values.pod)?.containers ?? [];
    case 'device':
      return devices;
    case 'devicePlugin':
      return [...new Set(devices.map((d) => d.split(' ')[0] ?? ''))];
    default:
      return field.options ?? [];
  }
}

/** Returns the first values of a form; fields that the form before had, too, keep theirs. */
export function firstValues(template: FaultTemplate, node: FaultNode, before: FaultValues = {}): FaultValues {
  const { pods } = node;
  const values: Partial<Record<FieldName, string>> = {};
  for (const field of template.fields) {
    const { name, kind, needed, first, options } = field;
    const old = before[name];
    if (kind === 'pod') {
      const known = pods.some((p) => p.pod === old) || (!needed && old === '');
      values.pod = known ? (old ?? '') : needed ? (pods[0]?.pod ?? '') : '';
    } else if (kind !== 'text' && kind !== 'choice') {
      const there = optionsOf(field, node, values);
      values[name] = old !== undefined && there.includes(old) ? old : (there[0] ?? '');
    } else values[name] = old !== undefined && (options?.includes(old) ?? true) ? old : (first ?? '');
  }
  return values;
}

/** Devices of the node, as `RESOURCE ID`. */
export const faultDevices = (state: NodeState): readonly string[] =>
  Object.values(state.node.devices).flatMap(({ resource, devices }) => devices.map((d) => `${resource} ${d.id}`));

/** Pods of the node that have a sandbox or are wanted, with their containers that are there. */
export function faultPods(state: NodeState): readonly (FaultPod & { readonly uid: string })[] {
  const containers = Object.values(state.containers).filter((c) => c.state !== 'removed');
  return Object.values(state.pods)
    .filter((p) => p.desired || containers.some((c) => c.uid === p.uid))
    .map(({ uid, pod }) => ({
      uid,
      pod: shortPod(pod),
      containers: [
        ...new Set(
          containers
            .filter((c) => c.uid === uid)
            .sort((a, b) => Number(b.state === 'running') - Number(a.state === 'running'))
            .map((c) => c.name),
        ),
      ],
    }));
}
