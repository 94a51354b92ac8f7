/** Which version an observed kubelet has, and which of the kubelets here is nearest to it. */
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
