export {
  type Conversation,
  conversation,
  isGapNear,
  type OrderDifference,
  orderDifference,
  type PodCall,
  restartGaps,
  shortGap,
  withoutSecondKill,
} from './calls.js';
export { type Check, compare, mayKillTwice } from './compare.js';
export {
  at,
  type CriEntry,
  hasStepsOnly,
  type Loose,
  listAt,
  needsApiServer,
  observed,
  type PodSnapshot,
  type Recording,
  type StatusSnapshot,
  type Step,
  textAt,
} from './recording.js';
export { isStable, type StatusDifference, type StatusStep, statusDifference, statusHistory } from './statuses.js';
