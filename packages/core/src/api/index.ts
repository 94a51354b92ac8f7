/**
 * The objects of the Kubernetes API as the kubelet, the API server and their clients exchange them: their fields, how
 * they are decoded, defaulted and validated, and questions about a pod that need no kubelet.
 */
export { undecodable } from './client/api-error.js';
export type { RestRequest, RestResponse, RestTransport, RestWatch, WatchEvent } from './client/transport.js';
export { decodePod, podFromJSON } from './decode.js';
export { setPodDefaults } from './defaults.js';
export { fromTime, toTime, toTimeNano } from './time.js';
export * from './types.js';
export { validatePod } from './validation.js';
export { parseManifest } from './yaml.js';
export { checkJSONDepth, checkLimits, maxDepth, maxManifestBytes } from './yaml-limits.js';
