/** The kinds of incidents, as data: the gravest first, which is also the order of incidents. */

const SECOND = 1e6;
const MINUTE = 60 * SECOND;

type Scope = 'node' | 'pod' | 'container';
export interface KindRow {
  /** There is at most one incident of the kind at a time for each of these. */
  readonly scope: Scope;
  /** 3: the node cannot do its work; 2: a pod cannot; 1: something is not as it should be; 0: as asked. */
  readonly weight: 0 | 1 | 2 | 3;
  /** Kinds that can be its cause, the most telling first: of the node, of the same pod, of the same container. */
  readonly node?: readonly string[];
  readonly pod?: readonly string[];
  readonly container?: readonly string[];
  /** A kubelet that starts has it for a while, and so it is harmless if it goes away soon after. */
  readonly atStart?: true;
  /** The same of a pod's trouble, which no line reports as over. */
  readonly atFirst?: true;
  /** It ends when a container of its name starts. */
  readonly untilStart?: true;
  /** It outlives its pod. */
  readonly outlives?: true;
  /** It counts as over if nothing of it was seen for this long. Default: five minutes. */
  readonly quiet?: number;
  /** How long before and after the incident what follows from it may come. Default: 3 s and 5 s. */
  readonly lead?: number;
  readonly tail?: number;
  /** Incidents with the same error at several pods are one. */
  readonly together?: true;
}

const RUNTIME = ['runtime-down', 'runtime-slow'] as const;
const API = ['certificate-invalid', 'api-refused', 'api-unreachable', 'node-not-registered'] as const;

export const kinds = {
  'kubelet-not-starting': {
    scope: 'node',
    weight: 3,
    node: ['disk-full', 'certificate-invalid', 'runtime-down'],
    tail: MINUTE,
    quiet: 30 * MINUTE,
  },
  'kubelet-panic': { scope: 'node', weight: 3, tail: MINUTE, quiet: 30 * MINUTE },
  'kubelet-killed': { scope: 'node', weight: 3, node: ['system-oom'], tail: MINUTE },
  'disk-full': { scope: 'node', weight: 3, lead: MINUTE, tail: 2 * MINUTE, quiet: 15 * MINUTE },
  'runtime-down': {
    scope: 'node',
    quiet: 15 * SECOND,
    weight: 3,
    node: ['disk-full', 'system-oom'],
    lead: 30 * SECOND,
    tail: MINUTE,
  },
  'clock-jumped': { scope: 'node', weight: 2, lead: 10 * SECOND, tail: 5 * MINUTE },
  'certificate-invalid': {
    scope: 'node',
    weight: 3,
    node: ['clock-jumped'],
    lead: MINUTE,
    tail: 2 * MINUTE,
    quiet: 15 * MINUTE,
  },
  'api-refused': {
    scope: 'node',
    weight: 3,
    node: ['certificate-invalid'],
    atStart: true,
    lead: MINUTE,
    tail: 2 * MINUTE,
  },
  'api-unreachable': {
    scope: 'node',
    quiet: 45 * SECOND,
    weight: 3,
    node: ['certificate-invalid', 'control-plane'],
    atStart: true,
    lead: MINUTE,
    tail: MINUTE,
  },
  'node-not-registered': {
    scope: 'node',
    quiet: MINUTE,
    weight: 3,
    node: ['control-plane', 'certificate-invalid', 'api-refused', 'api-unreachable'],
    atStart: true,
    lead: 10 * SECOND,
    tail: MINUTE,
  },
  'control-plane': { scope: 'container', weight: 3, lead: 5 * MINUTE, tail: 5 * MINUTE, quiet: 12 * MINUTE },
  'runtime-slow': {
    scope: 'node',
    weight: 3,
    node: ['runtime-down', 'disk-full'],
    lead: 2 * MINUTE,
    tail: 3 * MINUTE,
    quiet: 10 * MINUTE,
  },
  'pleg-unhealthy': {
    scope: 'node',
    quiet: MINUTE,
    weight: 3,
    node: [...RUNTIME, 'clock-jumped'],
    atStart: true,
    lead: 10 * SECOND,
    tail: MINUTE,
  },
  'network-plugin': { scope: 'container', weight: 3, lead: 10 * MINUTE, tail: 5 * MINUTE, quiet: 12 * MINUTE },
  'network-not-ready': {
    scope: 'node',
    quiet: MINUTE,
    weight: 3,
    node: ['runtime-down', 'network-plugin', ...API],
    atStart: true,
    lead: 30 * SECOND,
    tail: MINUTE,
  },
  'service-network': { scope: 'node', weight: 3, lead: 10 * MINUTE, tail: 10 * MINUTE, quiet: 12 * MINUTE },
  pressure: { scope: 'node', weight: 3, node: ['disk-full'], lead: 2 * MINUTE, tail: 6 * MINUTE, quiet: 10 * MINUTE },
  'image-gc': { scope: 'node', weight: 2, node: ['pressure', 'disk-full', ...RUNTIME], quiet: 15 * MINUTE },
  'system-oom': { scope: 'node', weight: 3, node: ['pressure'], lead: 10 * SECOND, tail: 10 * SECOND },
  'node-not-ready': {
    scope: 'node',
    weight: 3,
    node: ['kubelet-not-starting', ...RUNTIME, 'pleg-unhealthy', 'network-not-ready', ...API],
    atStart: true,
    tail: MINUTE,
  },
  resources: { scope: 'node', weight: 2, node: ['kubelet-not-starting', 'disk-full', ...RUNTIME] },
  eviction: { scope: 'pod', weight: 2, node: ['pressure', 'disk-full'], lead: 5 * SECOND, tail: 40 * SECOND },
  oom: { scope: 'container', weight: 2, node: ['system-oom'], untilStart: true },
  'sandbox-died': {
    scope: 'pod',
    weight: 2,
    node: ['runtime-down'],
    lead: 3 * SECOND,
    tail: 5 * SECOND,
    quiet: MINUTE,
  },
  'probe-liveness': {
    scope: 'container',
    weight: 2,
    node: ['service-network', ...RUNTIME],
    pod: ['sandbox-died'],
    untilStart: true,
    lead: 2 * SECOND,
    tail: 35 * SECOND,
  },
  'probe-startup': {
    scope: 'container',
    weight: 2,
    node: ['service-network', ...RUNTIME],
    pod: ['sandbox-died'],
    untilStart: true,
    lead: 2 * SECOND,
    tail: 35 * SECOND,
  },
  hook: {
    scope: 'container',
    weight: 2,
    node: ['runtime-down'],
    untilStart: true,
    lead: 5 * SECOND,
    tail: 35 * SECOND,
  },
  'config-missing': { scope: 'container', weight: 2, node: API, atFirst: true, untilStart: true, together: true },
  image: { scope: 'container', weight: 2, node: ['disk-full', 'runtime-down'], untilStart: true, together: true },
  'name-reserved': { scope: 'pod', weight: 2, node: RUNTIME, untilStart: true },
  'network-setup': {
    scope: 'pod',
    weight: 2,
    node: ['runtime-down', 'network-plugin', 'network-not-ready', 'api-unreachable'],
    untilStart: true,
    together: true,
  },
  'network-teardown': {
    scope: 'pod',
    weight: 2,
    node: ['runtime-down', 'network-plugin'],
    lead: 10 * SECOND,
    tail: 2 * MINUTE,
    outlives: true,
    together: true,
  },
  sandbox: {
    scope: 'pod',
    weight: 2,
    node: [...RUNTIME, 'disk-full', 'resources', 'network-not-ready'],
    pod: ['network-setup', 'name-reserved', 'control-plane', 'image'],
    untilStart: true,
    together: true,
  },
  'container-create': {
    scope: 'container',
    weight: 2,
    node: [...RUNTIME, 'disk-full', 'resources'],
    pod: ['name-reserved', 'sandbox-died'],
    container: ['config-missing', 'image'],
    untilStart: true,
  },
  'container-start': {
    scope: 'container',
    weight: 2,
    node: [...RUNTIME, 'disk-full', 'resources'],
    pod: ['name-reserved', 'sandbox-died'],
    container: ['hook'],
    untilStart: true,
  },
  'crash-loop': {
    scope: 'container',
    weight: 2,
    node: ['service-network', 'system-oom'],
    pod: ['sandbox-died'],
    container: ['container-start', 'hook', 'probe-startup', 'probe-liveness', 'oom'],
    lead: 5 * SECOND,
    tail: 6 * MINUTE,
    quiet: 12 * MINUTE,
  },
  'volume-attach': {
    scope: 'pod',
    weight: 2,
    node: API,
    lead: 10 * SECOND,
    tail: 2 * MINUTE,
    untilStart: true,
    together: true,
  },
  'volume-mount': {
    scope: 'pod',
    weight: 2,
    node: [...API, 'runtime-down'],
    pod: ['volume-attach', 'config-missing'],
    atFirst: true,
    lead: 2 * MINUTE,
    tail: 2 * MINUTE,
    untilStart: true,
    together: true,
  },
  device: { scope: 'node', weight: 2, quiet: 15 * MINUTE, lead: 5 * SECOND, tail: 10 * SECOND },
  admission: { scope: 'pod', weight: 2, node: ['pressure', 'device'] },
  'container-exit': {
    scope: 'container',
    weight: 2,
    node: ['runtime-down', 'system-oom'],
    pod: ['eviction', 'deadline', 'sandbox-died'],
    container: ['oom', 'hook', 'probe-startup', 'probe-liveness', 'container-start'],
    quiet: 10 * MINUTE,
  },
  'probe-readiness': {
    scope: 'container',
    weight: 1,
    node: ['service-network', ...RUNTIME],
    pod: ['sandbox-died'],
    container: ['probe-startup', 'probe-liveness', 'oom'],
  },
  'status-refused': {
    scope: 'pod',
    pod: ['sandbox-died'],
    weight: 2,
    node: API,
    outlives: true,
    lead: MINUTE,
    tail: 2 * MINUTE,
  },
  'volume-release': {
    scope: 'pod',
    weight: 2,
    node: API,
    outlives: true,
    lead: 10 * SECOND,
    tail: 2 * MINUTE,
    together: true,
  },
  'kill-failed': {
    scope: 'pod',
    weight: 2,
    node: RUNTIME,
    pod: ['network-teardown', 'hook', 'name-reserved'],
    outlives: true,
    lead: 10 * SECOND,
    tail: 2 * MINUTE,
  },
  'stuck-terminating': {
    scope: 'pod',
    weight: 2,
    node: [...RUNTIME, 'api-unreachable'],
    pod: ['network-teardown', 'kill-failed', 'volume-release', 'status-refused', 'hook'],
    outlives: true,
    quiet: 20 * MINUTE,
  },
  'orphaned-pod': { scope: 'node', weight: 1, quiet: 10 * MINUTE },
  'pod-recreated': { scope: 'pod', weight: 1, node: ['api-unreachable'] },
  lease: { scope: 'node', quiet: MINUTE, weight: 2, node: ['clock-jumped', ...API], atStart: true },
  gc: { scope: 'node', weight: 1, node: [...RUNTIME, 'disk-full', 'image-gc'], quiet: 15 * MINUTE },
  probe: { scope: 'container', weight: 1, node: RUNTIME },
  'sync-failed': {
    scope: 'pod',
    weight: 1,
    node: ['runtime-down', 'network-not-ready', 'pleg-unhealthy', ...API, 'runtime-slow'],
    pod: [
      'network-setup',
      'network-teardown',
      'sandbox',
      'name-reserved',
      'volume-attach',
      'volume-mount',
      'config-missing',
      'kill-failed',
      'image',
      'container-create',
      'container-start',
      'crash-loop',
      'hook',
    ],
    untilStart: true,
    together: true,
  },
  sources: { scope: 'node', weight: 1 },
  'kubelet-restarted': {
    scope: 'node',
    weight: 0,
    node: ['kubelet-not-starting', 'kubelet-panic', 'kubelet-killed'],
    lead: 10 * SECOND,
    tail: MINUTE,
    quiet: MINUTE,
  },
  deadline: { scope: 'pod', weight: 0, lead: SECOND, tail: 40 * SECOND },
  shutdown: { scope: 'node', weight: 0 },
  'force-deleted': { scope: 'pod', weight: 0 },
  'spec-changed': { scope: 'container', weight: 0 },
  'pod-completed': { scope: 'pod', weight: 0 },
  'pod-deleted': { scope: 'pod', weight: 0 },
  starting: { scope: 'node', weight: 0, quiet: MINUTE },
} as const satisfies { readonly [kind: string]: KindRow };

export type IncidentKind = keyof typeof kinds;
export const incidentKinds = Object.keys(kinds) as readonly IncidentKind[];
/** The kinds' rows with every optional column. */
export const kindRows = kinds as { readonly [K in IncidentKind]: KindRow };
export const rankOf: ReadonlyMap<IncidentKind, number> = new Map(incidentKinds.map((kind, i) => [kind, i]));
export const DEFAULT_LEAD = 3 * SECOND;
export const DEFAULT_TAIL = 5 * SECOND;

/** Kinds that lead the verdict if nothing is wrong: somebody will ask about them. */
export const notable: ReadonlySet<IncidentKind> = new Set<IncidentKind>([
  'deadline',
  'force-deleted',
  'shutdown',
  'kubelet-restarted',
]);
