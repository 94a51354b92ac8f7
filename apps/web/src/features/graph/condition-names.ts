import type { Translate } from '../../i18n/index.js';

/** Conditions by a few letters each; their full names are in the tooltip. */
const CONDITIONS = {
  PodReadyToStartContainers: 'lane.sandbox',
  Initialized: 'status.initialized',
  ContainersReady: 'status.containers',
  PodScheduled: 'status.scheduled',
} as const;

/** Returns the short name of a pod's condition; others, such as Ready, keep their type. */
export const conditionName = (type: string, t: Translate): string =>
  Object.hasOwn(CONDITIONS, type) ? t(CONDITIONS[type as keyof typeof CONDITIONS]) : type;
