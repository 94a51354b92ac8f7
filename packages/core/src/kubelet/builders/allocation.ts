import {
  AllocationManager,
  type AllocationManagerDeps,
  allocatedPodsStateFile,
} from '../allocation/allocation-manager.js';
import { StateCheckpoint } from '../allocation/state.js';
import { PodResizeConditions } from '../status/resize-conditions.js';
import type { Foundation } from './types.js';

/**
 * The allocated resources, the conditions of resizes, and the manager that decides on both.
 * upstream: allocation.NewManager
 */
export function newAllocation(
  { kernel, config, os, recorder }: Foundation,
  rest: Pick<AllocationManagerDeps, 'sourcesReady' | 'getActivePods' | 'getPodByUID' | 'triggerPodSync'>,
) {
  const resizeConditions = new PodResizeConditions(kernel);
  const allocated = new StateCheckpoint(kernel, os, config.rootDirectory, allocatedPodsStateFile);
  const deps = { kernel, config, allocated, resizeConditions, recorder, ...rest };
  return { resizeConditions, allocated, allocationManager: new AllocationManager(deps) };
}
