/** Conditions of pods that others set, such as those of readiness gates, as steps. */
import type { Micros } from '@syncloop/core/trace';
import { type JsonObject, objectOf, objectsOf, textOf } from '../base/json.js';
import { because, isMirror, type Setting, shortName } from './pods.js';
import type { SeenPod } from './seen.js';
import type { TimedStep } from './write.js';

/**
 * Conditions that the kubelet writes itself, and that of the scheduler, which a bound pod has from the start.
 * upstream: pkg/kubelet/types PodConditionByKubelet, PodConditionSharedByKubelet
 */
const OWN = new Set([
  'PodScheduled',
  'Ready',
  'Initialized',
  'ContainersReady',
  'PodReadyToStartContainers',
  'PodHasNetwork',
  'PodResizePending',
  'PodResizeInProgress',
  'AllContainersRestarting',
  'DisruptionTarget',
]);
/** The time from a change until the kubelet hears of it, in microseconds. */
const HEARD = 4000;

export function conditionSteps(setting: Setting): TimedStep[] {
  const { seen, toTwin } = setting;
  const steps: TimedStep[] = [];
  for (const pod of seen.pods.values()) {
    if (pod.source !== 'api' || isMirror(pod, seen)) continue;
    let before = new Map<string, string>();
    let from = Number.NEGATIVE_INFINITY;
    for (const { time, seq, object } of pod.objects) {
      const others = othersOf(object);
      const now = new Map(others.map((c) => [textOf(c.type), JSON.stringify(c)]));
      const changed = others.filter((c) => before.get(textOf(c.type)) !== JSON.stringify(c));
      if (changed.length > 0)
        steps.push({
          at: Math.max(0, toTwin(heardAt(pod, from, time) - HEARD)),
          do: {
            edit: { pod: shortName(pod.pod), to: 'api', subresource: 'status', patch: { conditions: changed } },
          },
          why: because(setting, time, 'a condition that somebody else set', seq),
          pod: pod.pod,
        });
      before = now;
      from = time;
    }
  }
  return steps;
}

function othersOf(object: JsonObject): JsonObject[] {
  return objectsOf(objectOf(object.status).conditions).filter(({ type }) => !OWN.has(textOf(type)));
}

/** Returns when the kubelet heard of a change of a status that is not its own. */
function heardAt(pod: SeenPod, after: Micros, until: Micros): Micros {
  const heard = pod.ops.find(
    ({ op, time }) => (op === 'RECONCILE' || op === 'UPDATE') && time > after && time <= until,
  );
  return heard?.time ?? until;
}
