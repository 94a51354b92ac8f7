import type { RecordingInfo, TraceRecord } from '@syncloop/core/trace';
import { type RecorderOptions, recordTo } from './recorder.js';

/** The data that the writing thread is started with. */
export interface RecorderSetup {
  /** An open file. */
  readonly fd: number;
  /** Its name, for warnings. */
  readonly file: string;
  readonly header: RecordingInfo;
  readonly options: RecorderOptions;
}

export type ToRecorder = { readonly type: 'records'; readonly json: string } | { readonly type: 'close' };
export type FromRecorder =
  /** The thread has its code, and begins to write. */
  | { readonly type: 'ready' }
  /** A batch of this many characters was written. */
  | { readonly type: 'written'; readonly length: number }
  | { readonly type: 'warning'; readonly text: string };

/** The end of a message port that the writing thread has. */
export interface RecorderPort {
  on(event: 'message', listener: (message: ToRecorder) => void): void;
  postMessage(message: FromRecorder): void;
  close(): void;
}

/** Writes the messages of `port` until one says to close. */
export function writeFromPort(port: RecorderPort, { fd, file, header, options }: RecorderSetup): void {
  port.postMessage({ type: 'ready' });
  const recorder = recordTo(fd, file, header, (text) => port.postMessage({ type: 'warning', text }), options);
  port.on('message', (message) => {
    if (message.type === 'records') {
      for (const record of JSON.parse(message.json) as TraceRecord[]) recorder.push(record);
      port.postMessage({ type: 'written', length: message.json.length });
      return;
    }
    recorder.close();
    port.close();
  });
}
