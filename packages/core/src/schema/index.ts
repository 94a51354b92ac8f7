/**
 * The pods of this product, field by field, in words for people: for editors, `kubectl explain` and checks of
 * manifests.
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
export type { LocalText, SchemaNode, SchemaType } from './node.js';
export { type FieldChange, type Outcome, outcomeOf } from './outcome.js';
export { childOf, itemOf, podSchema, schemaAt } from './pod-schema.js';
