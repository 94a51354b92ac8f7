export { RecordingSession } from '@syncloop/core/debug';
export { aboutOf, openBlob } from './recordings.js';
