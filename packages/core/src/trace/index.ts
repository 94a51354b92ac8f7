export { type CallStepName, callSteps, type SteppedCall, steppedCalls } from './call-steps.js';
export * from './export/index.js';
export { SYNC_POD_TYPES } from './kinds/common.js';
export {
  hasFailed,
  importanceOf,
  isListing,
  isMilestone,
  kindOf,
  kinds,
  kindsAt,
  markOf,
  placeOf,
  recordKinds,
} from './kinds/index.js';
export type * from './kinds/kind.js';
export { isNodeConditionWell } from './kinds/node.js';
export * from './klog-format.js';
export { english } from './narrator/en.js';
export { gapZh } from './narrator/gaps-zh.js';
export { narrate } from './narrator/narrate.js';
export { actionName, lookupOf, narrateIn } from './narrator/narrator.js';
export { actionInEnglish } from './narrator/outside-en.js';
export type {
  InputAction,
  Lang,
  Language,
  NameLookup,
  Narration,
  NarrationLink,
  NarrationPart,
  NarrationRef,
} from './narrator/parts.js';
export { chinese } from './narrator/zh.js';
export * from './recording/index.js';
export type * from './records.js';
export * from './state/index.js';
export { type SymptomCode, symptomCodes } from './symptoms.js';
export { recordWeight, weightOf } from './weight.js';
