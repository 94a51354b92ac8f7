/**
 * Checks manifests as the kubelet here does, with the place in the text: for editors, and before anything is applied.
 */
export { type CheckOptions, checkManifest, type Problem, type ProblemCode } from './check.js';
export {
  type CleanedPod,
  cleanPod,
  cleanPods,
  type DroppedField,
  type DropReason,
  looksObserved,
  type References,
} from './clean-pod.js';
export { ManifestText, parsePath, pathText, placeOfError } from './manifest-text.js';
export { type FieldChange, type Outcome, outcomeOf } from './outcome.js';
