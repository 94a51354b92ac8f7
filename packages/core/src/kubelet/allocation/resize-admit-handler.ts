import { no, type PodAdmitHandler } from '../admission/types.js';

/**
 * Builds the handler that admits a resize if it is possible at all. Here nothing forbids one: the gates are on, the CPU
 * and memory managers have no policy, and no container may swap.
 * upstream: pkg/kubelet/allocation/handlers.go podResizesAdmitHandler
 */
export function newPodResizesAdmitHandler(infeasible: () => string | null = () => null): PodAdmitHandler {
  return {
    name: 'resize',
    *admit({ operation }) {
      const why = operation === 'resize' ? infeasible() : null;
      return why === null ? { admit: true } : no('Infeasible', why);
    },
  };
}
