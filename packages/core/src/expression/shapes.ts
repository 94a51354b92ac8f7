import { evictionSignals, observedContainers, podRefs, wait } from '../trace/kinds/common.js';
import type { Fields } from '../trace/kinds/field.js';
import { kinds } from '../trace/kinds/index.js';
import type { RecordHead } from '../trace/records.js';
import type { Shape } from '../trace/shape.js';
import type {
  APIRequestView,
  ChannelState,
  ContainerView,
  CRICallView,
  GoroutineView,
  LoopState,
  NodeState,
  PlegTransition,
  PodView,
  SandboxView,
  SourceState,
  StartupView,
  StepView,
  WorkerView,
} from '../trace/state/index.js';

export type { Shape };

export const text: Shape = { type: 'text' };
export const number: Shape = { type: 'number' };
export const boolean: Shape = { type: 'boolean' };
export const any: Shape = { type: 'any' };
export const list = (of: Shape): Shape => ({ type: 'list', of });
const map = (of: Shape): Shape => ({ type: 'map', of });
type ShapesOf<T> = { readonly [K in keyof Required<T>]: Shape };
const object = <T>(fields: ShapesOf<T>): Shape => ({
  type: 'object',
  fields: new Map(Object.entries(fields as Record<string, Shape>)),
});

const { shape: observed } = observedContainers;

export const workerShape = object<WorkerView>({
  state: text,
  pending: text,
  overwrites: number,
  working: boolean,
  workType: text,
  waitsForNewerThan: number,
  due: number,
  lastError: text,
  syncs: number,
});
export const podShape = object<PodView>({
  uid: text,
  pod: text,
  desired: boolean,
  source: text,
  worker: workerShape,
  phase: text,
  reason: text,
  status: any,
  statusVersion: number,
  actions: any,
  steps: list(object<StepView>({ fn: text, n: number, name: text, container: text, seq: number, time: number })),
  cache: object<NonNullable<PodView['cache']>>({
    time: number,
    sandboxes: observed,
    containers: observed,
    error: text,
  }),
  backoffs: map(
    object<PodView['backoffs'][string]>({ of: text, container: text, delay: number, until: number, active: boolean }),
  ),
  probes: map(
    object<PodView['probes'][string]>({
      container: text,
      probeType: text,
      outcome: text,
      output: text,
      run: number,
      threshold: number,
      result: text,
      time: number,
    }),
  ),
  volumes: map(
    object<PodView['volumes'][string]>({
      volume: text,
      plugin: text,
      state: text,
      error: text,
      failures: number,
      time: number,
    }),
  ),
  lastSeq: number,
  lastTime: number,
});
export const channelShape = object<ChannelState>({
  id: number,
  name: text,
  cap: number,
  closed: boolean,
  items: list(object({ seq: number, item: any })),
  receivers: list(number),
  senders: list(object({ g: number, item: any })),
  sent: number,
  received: number,
  unseen: boolean,
  process: text,
  lastTime: number,
});
export const goroutineShape = object<GoroutineView>({
  id: number,
  name: text,
  process: text,
  state: text,
  wait: wait.shape,
  since: number,
  stack: list(object({ seq: number, fn: text, args: any })),
  uid: text,
  place: object({ at: text, uid: text }),
});
const apiRequest = object<APIRequestView>({
  id: number,
  seq: number,
  verb: text,
  resource: text,
  subresource: text,
  namespace: text,
  name: text,
  since: number,
  took: number,
  code: number,
  error: text,
});
const call = object<CRICallView>({
  seq: number,
  method: text,
  request: any,
  uid: text,
  container: text,
  sandbox: text,
  since: number,
  took: number,
  error: text,
});
const head: Readonly<Record<keyof RecordHead | 'kind', Shape>> = {
  seq: number,
  time: number,
  g: number,
  span: number,
  cause: number,
  evidence: {
    type: 'object',
    fields: new Map([
      ['source', text],
      ['line', number],
      ['offset', number],
    ]),
  },
  basis: { type: 'list', of: number },
  concluded: boolean,
  kind: text,
};
const fieldShapes = (fields: Fields): [string, Shape][] => Object.entries(fields).map(([name, f]) => [name, f.shape]);
const event: Shape = {
  type: 'object',
  fields: new Map([...Object.entries(head), ...fieldShapes(kinds['kube-event'].fields)]),
};
export const stateShape = object<NodeState>({
  seq: number,
  time: number,
  channels: map(channelShape),
  goroutines: map(goroutineShape),
  processes: map(text),
  startedLast: text,
  actual: boolean,
  startup: map(object<StartupView>({ seq: number, began: number, ended: number, error: text })),
  loop: object<LoopState>({
    g: number,
    phase: text,
    iteration: number,
    cases: list(text),
    ready: list(number),
    blind: boolean,
    chosen: number,
    chosenSeq: number,
    handler: text,
    handlerArgs: any,
  }),
  sources: map(
    object<SourceState>({ source: text, pods: podRefs.shape, seen: boolean, ready: boolean, errors: list(text) }),
  ),
  pods: map(podShape),
  sandboxes: map(
    object<SandboxView>({
      id: text,
      uid: text,
      pod: text,
      attempt: number,
      state: text,
      ip: text,
      since: number,
    }),
  ),
  containers: map(
    object<ContainerView>({
      id: text,
      sandbox: text,
      uid: text,
      name: text,
      attempt: number,
      state: text,
      exitCode: number,
      reason: text,
      since: number,
    }),
  ),
  images: map(object({ image: text, state: text, error: text })),
  pleg: object<NodeState['pleg']>({
    relists: number,
    lastRelist: number,
    lastSeq: number,
    transitions: list(
      object<PlegTransition>({
        seq: number,
        time: number,
        uid: text,
        pod: text,
        id: text,
        name: text,
        sandbox: boolean,
        old: text,
        new: text,
        event: text,
      }),
    ),
  }),
  cri: object<NodeState['cri']>({ inFlight: map(call), calls: number, errors: number, recent: list(call) }),
  runtime: object<NodeState['runtime']>({ errors: list(text), networkError: text, backoff: number }),
  node: object<NodeState['node']>({
    managers: map(object({ name: text, state: text, detail: text, since: number })),
    conditions: map(object({ type: text, status: text, reason: text, message: text, since: number })),
    name: text,
    addresses: list(object({ type: text, address: text })),
    capacity: map(text),
    allocatable: map(text),
    registered: boolean,
    devices: map(
      object({
        resource: text,
        endpoint: text,
        since: number,
        devices: list(object({ id: text, healthy: boolean, allocated: boolean, uid: text })),
      }),
    ),
    reports: number,
    lastReport: number,
    lease: object({ renewals: number, lastRenewal: number, lastError: text }),
  }),
  api: object<NodeState['api']>({
    inFlight: map(apiRequest),
    watches: map(object({ id: number, resource: text, namespace: text, since: number })),
    requests: number,
    errors: number,
    recent: list(apiRequest),
  }),
  eviction: object<NodeState['eviction']>({
    signals: evictionSignals.shape,
    conditions: list(text),
    resource: text,
    ranked: kinds.eviction.fields.ranked.shape,
    victim: object({ pod: text, uid: text, message: text, state: text, error: text, since: number }),
    evictions: number,
  }),
  cgroups: map(any),
  events: list(event),
  counts: object<Omit<NodeState['counts'], 'nextSweep'>>({ records: number, iterations: number, selects: number }),
});

/** One shape for what several kinds of records have under one name: `any` if they differ. */
function common(a: Shape, b: Shape): Shape {
  return a === b || JSON.stringify(plain(a)) === JSON.stringify(plain(b)) ? a : any;
}
const plain = (shape: Shape): unknown =>
  shape.type === 'object'
    ? [...shape.fields].map(([name, of]) => [name, plain(of)])
    : [shape.type, 'of' in shape && plain(shape.of)];

function shapesOfRecords(): Map<string, Shape> {
  const shapes = new Map(Object.entries(head));
  for (const { fields } of Object.values(kinds))
    for (const [name, shape] of fieldShapes(fields)) {
      const before = shapes.get(name);
      shapes.set(name, before ? common(before, shape) : shape);
    }
  return shapes;
}
/** By name: what an expression may begin with, besides `record`, `state.`, `pod.` and the other helpers. */
export const recordShapes: ReadonlyMap<string, Shape> = shapesOfRecords();
