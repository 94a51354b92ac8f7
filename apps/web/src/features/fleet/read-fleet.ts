/** Has the logs of many nodes read by a worker, and keeps what it reports. */
import type { ObservedFile } from '../../session/worker/open-message.js';
import { NO_FLEET, useFleet } from './fleet-store.js';
import type { FleetProgress, ReadFleet } from './worker/messages.js';

let worker: Worker | null = null;

/** Ends the reading; what was read stays. */
export function stopReading(): void {
  worker?.terminate();
  worker = null;
  useFleet.setState({ reading: '' });
}

/** Reads the files of a fleet in place of another one. */
export function readFleet(files: readonly ObservedFile[]): void {
  stopReading();
  useFleet.setState({ ...NO_FLEET, files: files.map(({ blob }) => blob), reading: '…' });
  const mine = new Worker(new URL('./worker/fleet-worker.ts', import.meta.url), { type: 'module', name: 'fleet' });
  worker = mine;
  mine.onerror = (event) => {
    if (worker !== mine) return;
    stopReading();
    useFleet.setState({ failed: event.message || 'the worker could not be loaded' });
  };
  mine.onmessage = ({ data }: MessageEvent<FleetProgress>) => {
    if (worker !== mine) return;
    if ('failed' in data) {
      stopReading();
      useFleet.setState({ failed: data.failed });
      return;
    }
    const { story, ...progress } = data;
    useFleet.setState({ ...progress, ...(story && { story }) });
    if (data.reading === '') stopReading();
  };
  const message: ReadFleet = { files };
  mine.postMessage(message);
}
