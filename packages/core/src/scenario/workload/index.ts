/** Makes pods that the simulated node can run from the text that people paste. */

export { behaviourText } from '../document/behaviour.js';
export {
  type GuessReason,
  type ImageAnswerOf,
  type ImageQuestion,
  imageQuestions,
  type KnownImages,
  portsOf,
  reasonText,
} from './images.js';
export { type Note, type NoteCode, noteText } from './notes.js';
export { imageStep, scenarioOfWorkload } from './to-scenario.js';
export {
  readWorkload,
  type Workload,
  type WorkloadObject,
  type WorkloadOptions,
  type WorkloadPod,
} from './workload.js';
