export type { RecordingSource } from './block-index.js';
export { RecordingFile } from './file.js';
export {
  RECORDING_VERSION,
  type RecordedRun,
  RecordingError,
  type RecordingHeader,
  type RecordingInfo,
  STATE_VERSION,
} from './header.js';
export { type NdjsonHandlers, NdjsonReader, readNdjson } from './ndjson.js';
export { ByteChunks, bytesSource, type OpenOptions, openRecording, readRecording } from './open.js';
export { OpenedBlock, openState, type PackedBlock, type PackedState, Packing } from './packed.js';
export { checkUpgrades, type Upgrade, type Upgrades } from './upgrades.js';
export { recordProblem } from './validate.js';
export { searchBlock, searchWords, type WordHit, wordsIn } from './words.js';
export { RecordingWriter, type WriterOptions } from './writer.js';
