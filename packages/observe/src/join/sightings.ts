/** Moments that two sources can both see: the same moment has the same key, and each source has its time. */
import type { Json } from '@syncloop/core/trace';
import type { Evidence } from '../evidence/index.js';

export interface Sighting {
  readonly key: string;
  /** Microseconds since 1970 by the clock of the source. */
  readonly at: number;
  /** Others see it within milliseconds. What is not tight is seen up to some seconds later. */
  readonly tight: boolean;
}

const SANDBOX = 'sandbox';
const PLEG = 'pleg';
const EVENT = 'event';
/** Lines that a worker writes when it begins a step, as the spans of the same steps are named; and two others. */
const STEPS: ReadonlyMap<string, string> = new Map([
  ['SyncPod enter', 'syncPod'],
  ['syncPod enter', 'syncPod'],
  ['SyncTerminatingPod enter', 'syncTerminatingPod'],
  ['syncTerminatingPod enter', 'syncTerminatingPod'],
  ['SyncTerminatedPod enter', 'syncTerminatedPod'],
  ['syncTerminatedPod enter', 'syncTerminatedPod'],
  ['Created PodSandbox for pod', SANDBOX],
  ['SyncLoop (PLEG): event for pod', PLEG],
  ['Event occurred', EVENT],
]);
const STEP_SPANS: ReadonlySet<string> = new Set(['syncPod', 'syncTerminatingPod', 'syncTerminatedPod']);

/**
 * Calls that change something: rare enough to tell one from another by their times. A probe's ExecSync comes as
 * regularly as a clock ticks: one looks like the next.
 */
const CHANGES =
  /^(RunPodSandbox|StopPodSandbox|RemovePodSandbox|CreateContainer|StartContainer|StopContainer|RemoveContainer|PullImage|RemoveImage)$/;

const field = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: Json | undefined })[name]
    : undefined;
const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

const NONE: readonly Sighting[] = [];

/** Returns the moments in a piece of evidence that another source may also see. */
export function sightings(evidence: Evidence): readonly Sighting[] {
  const { at } = evidence;
  if (at === null) return NONE;
  const one = (key: string, tight = true): readonly Sighting[] => [{ key, at, tight }];
  switch (evidence.kind) {
    case 'line': {
      const { entry } = evidence;
      if (entry.kind === 'other') return NONE;
      // Most lines have no step: they cost one lookup.
      const step = STEPS.get(entry.msg);
      if (step === undefined) return NONE;
      if (step === SANDBOX) return one(`sandbox ${text(entry.fields.podSandboxID)}`);
      if (step === EVENT) {
        const { object, reason, message } = entry.fields;
        return one(eventKey(text(object), text(reason), text(message)), false);
      }
      if (step !== PLEG) return one(`${step} ${text(entry.fields.podUID)}`);
      const event = entry.fields.event;
      if (field(event, 'Type') !== 'ContainerStarted') return NONE;
      return one(`started ${text(field(event, 'Data'))}`, false);
    }
    case 'span': {
      if (STEP_SPANS.has(evidence.name)) return one(`${evidence.name} ${text(evidence.attributes['k8s.pod.uid'])}`);
      const method = criMethod(evidence.name);
      return evidence.spanKind === 'client' && CHANGES.test(method) ? one(`call ${method}`) : NONE;
    }
    case 'call': {
      if (!CHANGES.test(evidence.method)) return NONE;
      return one(`call ${evidence.method}`);
    }
    case 'return': {
      // The runtime says that a container runs when the call is about to return, however long that took.
      const container = evidence.method === 'StartContainer' ? (evidence.subject?.container ?? '') : '';
      if (container !== '') return [...one(`start ${container}`), ...one(`started ${container}`, false)];
      const sandbox = evidence.method === 'RunPodSandbox' ? text(field(evidence.response, 'podSandboxId')) : '';
      return sandbox === '' ? NONE : [...one(`sandbox ${sandbox}`), ...one(`started ${sandbox}`, false)];
    }
    case 'container-event': {
      const type = text(field(evidence.event, 'containerEventType'));
      // The wire's JSON leaves out the first value of an enumeration, CONTAINER_CREATED_EVENT.
      if (type !== 'CONTAINER_STARTED_EVENT') return NONE;
      const id = text(field(evidence.event, 'containerId'));
      return [...one(`start ${id}`), ...one(`started ${id}`, false)];
    }
    case 'pods':
      return evidence.pods.flatMap((pod) => runningContainers(pod).flatMap((id) => one(`started ${id}`, false)));
    case 'api-event': {
      const { object, reason, message } = evidence;
      const { namespace, name } = object;
      return one(eventKey(namespace === '' ? name : `${namespace}/${name}`, reason, message), false);
    }
    case 'api-condition':
    case 'runtime':
    case 'metrics':
    case 'gap':
      return NONE;
  }
}

/** An event that the kubelet logs and sends. Times of the API server are whole seconds. */
const eventKey = (object: string, reason: string, message: string): string =>
  `event ${reason} ${object} ${message.slice(0, 200)}`;

/** The ids of containers that a pod's status shows running. */
function runningContainers(pod: Json): string[] {
  const status = field(pod, 'status');
  return ['initContainerStatuses', 'containerStatuses'].flatMap((list) => {
    const items = field(status, list);
    if (!Array.isArray(items)) return [];
    return items.flatMap((item: Json) => {
      const id = text(field(item, 'containerID')).replace(/^\w+:\/\//, '');
      return id !== '' && field(field(item, 'state'), 'running') !== undefined ? [id] : [];
    });
  });
}

/** `RunPodSandbox` of the span `runtime.v1.RuntimeService/RunPodSandbox`; '' for other spans. */
export function criMethod(span: string): string {
  const found = /^runtime\.v1(?:alpha2)?\.(?:Runtime|Image)Service\/(\w+)$/.exec(span);
  return found?.[1] ?? '';
}
