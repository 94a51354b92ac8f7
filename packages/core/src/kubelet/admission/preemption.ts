import { podRequests } from '../../api/pod/pod-resources.js';
import { getPodQOS } from '../../api/pod/qos.js';
import { kObj, type Pod } from '../../api/types.js';
import { messageOf, quantityMilliValue, quantityValue, resourceOf } from '../../base/index.js';
import type { Go } from '../../kernel/index.js';
import { EventReason, type EventRecorder } from '../events.js';
import type { Logger } from '../klog.js';
import type { KillPodFunc } from '../podworkers/kill-pod-now.js';
import { isCriticalPod } from '../types/pod-update.js';

/** The missing amount of a resource: milli-CPUs, else whole units. upstream: preemption admissionRequirement */
export interface AdmissionRequirement {
  readonly resource: string;
  readonly amount: number;
}

/** upstream: preemption.go message */
const message = 'Preempted in order to admit critical pod';

export interface PreemptionDeps {
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly getPods: () => readonly Pod[];
  readonly killPod: KillPodFunc;
  /** Called with the resource that was short; '' for none in particular. */
  readonly onPreempted?: (resource: string) => void;
}

/** upstream: component-helpers resource GetResourceRequest */
export function resourceRequest(pod: Pod, resource: string): number {
  if (resource === 'pods') return 1;
  const q = resourceOf(podRequests(pod), resource);
  return resource === 'cpu' ? quantityMilliValue(q) : quantityValue(q);
}

/**
 * Ends pods until there is room for a critical one; throws if that cannot be.
 * upstream: pkg/kubelet/preemption evictPodsToFreeRequests
 */
export function* evictPodsToFreeRequests(
  deps: PreemptionDeps,
  admitPod: Pod,
  missing: readonly AdmissionRequirement[],
): Go<void> {
  let victims: Pod[];
  try {
    victims = getPodsToPreempt(admitPod, deps.getPods(), missing);
  } catch (err) {
    throw new Error(`preemption: error finding a set of pods to preempt: ${messageOf(err)}`, { cause: err });
  }
  for (const pod of victims) {
    const kv = { pod: kObj(pod), podUID: pod.metadata.uid };
    deps.recorder.event(pod, 'Warning', EventReason.PreemptContainer, message);
    deps.log.info(2, 'Preempting pod to free up resources', {
      ...kv,
      insufficientResources: text(missing),
      requestingPod: kObj(admitPod),
    });
    try {
      yield* deps.killPod(pod, true, null, (status) => {
        status.phase = 'Failed';
        status.reason = EventReason.PreemptContainer;
        status.message = message;
        status.conditions = [
          ...(status.conditions ?? []).filter((c) => c.type !== 'DisruptionTarget'),
          {
            type: 'DisruptionTarget',
            ...(pod.metadata.generation ? { observedGeneration: pod.metadata.generation } : {}),
            status: 'True',
            reason: 'TerminationByKubelet',
            message: 'Pod was preempted by Kubelet to accommodate a critical pod.',
          },
        ];
      });
      deps.onPreempted?.(missing[0]?.resource ?? '');
      deps.log.info(0, 'Pod evicted successfully', kv);
    } catch (err) {
      // The worker keeps trying.
      deps.log.error(err, 'Failed to evict pod', kv);
    }
  }
}

/**
 * The fewest pods that suffice, of the lowest QoS classes; throws if all of them do not suffice.
 * upstream: getPodsToPreempt
 */
export function getPodsToPreempt(pod: Pod, pods: readonly Pod[], missing: readonly AdmissionRequirement[]): Pod[] {
  const of = (qos: string) => pods.filter((p) => preemptable(pod, p) && getPodQOS(p) === qos);
  const bestEffort = of('BestEffort');
  const burstable = of('Burstable');
  const guaranteed = of('Guaranteed');
  const short = subtract(missing, [...bestEffort, ...burstable, ...guaranteed]);
  if (short.length > 0) throw new Error(`no set of running pods found to reclaim resources: ${text(short)}`);
  const guaranteedVictims = byDistance(guaranteed, subtract(missing, [...bestEffort, ...burstable]));
  const burstableVictims = byDistance(burstable, subtract(missing, [...bestEffort, ...guaranteedVictims]));
  const bestEffortVictims = byDistance(bestEffort, subtract(missing, [...burstableVictims, ...guaranteedVictims]));
  return [...bestEffortVictims, ...burstableVictims, ...guaranteedVictims];
}

/** upstream: pkg/kubelet/types Preemptable */
function preemptable(preemptor: Pod, preemptee: Pod): boolean {
  if (isCriticalPod(preemptor) && !isCriticalPod(preemptee)) return true;
  const [a, b] = [preemptor.spec.priority, preemptee.spec.priority];
  return a !== undefined && b !== undefined && a > b;
}

/** upstream: getPodsToPreemptByDistance */
function byDistance(given: readonly Pod[], requirements: readonly AdmissionRequirement[]): Pod[] {
  const pods = [...given];
  const victims: Pod[] = [];
  let missing = requirements;
  while (missing.length > 0) {
    const distance = (pod: Pod) =>
      missing.reduce((sum, r) => {
        const left = r.amount - resourceRequest(pod, r.resource);
        return left > 0 ? sum + (left / r.amount) ** 2 : sum;
      }, 0);
    const best = pods.reduce<{ pod: Pod; distance: number } | null>((found, pod) => {
      const d = distance(pod);
      return !found || d < found.distance || (d === found.distance && smaller(pod, found.pod))
        ? { pod, distance: d }
        : found;
    }, null);
    if (!best) throw new Error(`no set of running pods found to reclaim resources: ${text(missing)}`);
    missing = subtract(missing, [best.pod]);
    victims.push(best.pod);
    pods.splice(pods.indexOf(best.pod), 1);
  }
  return victims;
}

/** Returns true if `a` requests no more than `b`, memory before cpu. upstream: smallerResourceRequest */
function smaller(a: Pod, b: Pod): boolean {
  for (const name of ['memory', 'cpu']) {
    const [x, y] = [resourceRequest(a, name), resourceRequest(b, name)];
    if (x !== y) return x < y;
  }
  return true;
}

/** upstream: admissionRequirementList.subtract */
const subtract = (list: readonly AdmissionRequirement[], pods: readonly Pod[]): AdmissionRequirement[] =>
  list.flatMap(({ resource, amount }) => {
    const left = amount - pods.reduce((n, p) => n + resourceRequest(p, resource), 0);
    return left > 0 ? [{ resource, amount: left }] : [];
  });

/** upstream: admissionRequirementList.toString */
const text = (list: readonly AdmissionRequirement[]): string =>
  `[${list.map((r) => `(res: ${r.resource}, q: ${r.amount}), `).join('')}]`;
