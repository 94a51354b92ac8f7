/** Dates a kubelet by the statuses that it gives to pods, by fields that came with a version. */
import { isObject } from '../base/index.js';
import { laterThanAll, type MinorSpan } from '../kubelet/era/nearest.js';
import type { Json } from '../trace/index.js';

type Values = { readonly [name: string]: Json | undefined };
const of = (value: Json | undefined): Values => (isObject(value) ? (value as Values) : {});
const list = (value: Json | undefined): readonly Values[] => (Array.isArray(value) ? value.map((one) => of(one)) : []);

/**
 * Returns the versions that give a pod such a status, if their gates are as they are by default; null if it says
 * nothing: no container runs.
 * upstream: pkg/kubelet/prober/prober_manager.go UpdatePodStatus; pkg/features/kube_features.go StartupProbe,
 * PodReadyToStartContainersCondition, InPlacePodVerticalScaling, InPlacePodLevelResourcesVerticalScaling
 */
export function dateOfStatus(status: Json | undefined): MinorSpan | null {
  const { conditions, containerStatuses, initContainerStatuses, resources } = of(status);
  const running = list(containerStatuses).find(({ state }) => of(state).running !== undefined);
  if (running === undefined || !list(conditions).some(({ type }) => type === 'Initialized')) return null;
  if (running.started === undefined) return { since: 0, until: 17 };
  if (!list(conditions).some(({ type }) => type === 'PodReadyToStartContainers')) {
    // Since v1.28 init containers have started, too: some of them are sidecars.
    const [init] = list(initContainerStatuses);
    return { since: init?.started === undefined ? 18 : 28, until: init && init.started === undefined ? 27 : 28 };
  }
  if (running.resources === undefined) return { since: 29, until: 32 };
  return resources === undefined ? { since: 33, until: 35 } : { since: 36, until: laterThanAll };
}
