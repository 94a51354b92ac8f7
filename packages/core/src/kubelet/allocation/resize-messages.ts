import type { Container, Pod } from '../../api/types.js';
import { goJSON } from '../util/go-format.js';

/** Texts of the events of a resize, with the resources of the spec. upstream: pkg/kubelet/events/resize.go */
const message = (prefix: string, pod: Pod, generation: number, error: string): string => {
  const of = (list: readonly Container[] | undefined) =>
    list?.length
      ? list.map(({ name, resources }) => ({
          name,
          resources: { limits: resources?.limits, requests: resources?.requests, claims: resources?.claims },
        }))
      : undefined;
  const summary = {
    initContainers: of(pod.spec.initContainers),
    containers: of(pod.spec.containers),
    generation,
    error: error || undefined,
  };
  return `${prefix}: ${goJSON(summary)}`;
};

/** upstream: PodResizeCompletedMsg */
export const podResizeCompletedMsg = (pod: Pod, generation: number): string =>
  message('Pod resize completed', pod, generation, '');
/** upstream: PodResizeStartedMsg */
export const podResizeStartedMsg = (pod: Pod, generation: number): string =>
  message('Pod resize started', pod, generation, '');
/** upstream: PodResizeErrorMsg */
export const podResizeErrorMsg = (pod: Pod, generation: number, error: string): string =>
  message('Pod resize error', pod, generation, error);
/** upstream: PodResizePendingMsg */
export const podResizePendingMsg = (pod: Pod, reason: string, text: string, generation: number): string =>
  message(`Pod resize ${reason}`, pod, generation, text);
