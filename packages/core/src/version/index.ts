/** Finds the version of an observed kubelet, and the nearest of the kubelets here. */
export { dateOfLine } from './lines.js';
export { spanText, versionSentence } from './sentences.js';
export {
  isOfEra,
  type ObservedVersion,
  observedVersion,
  unknownVersion,
  VersionFold,
  versionOfRecords,
} from './version-fold.js';
