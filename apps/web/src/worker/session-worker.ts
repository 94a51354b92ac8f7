/** The session's worker: core runs here, the page sees only messages. A simulation, or a recording that the page hands over first. */
import { RecordingSession, SimulationSession, simulationSource } from '@syncloop/core/debug';
import { aboutOf, isOpenMessage, type OpenedMessage, openBlob } from './recordings.js';
import { WorkerHost, type WorkerSession } from './session-host.js';

declare const self: DedicatedWorkerGlobalScope;

const id = (kind: string) => `${kind}-${Math.random().toString(36).slice(2, 10)}`;

function serve(session: WorkerSession): void {
  const host = new WorkerHost(session, {
    now: () => performance.now(),
    after: (millis, then) => setTimeout(then, millis),
    cancel: (timer) => clearTimeout(timer as number),
  });
  const client = host.server.connect((message) => self.postMessage(message));
  self.onmessage = (event) => client.receive(event.data);
}

self.onmessage = (event) => {
  const first: unknown = event.data;
  if (!isOpenMessage(first)) {
    serve(new SimulationSession(simulationSource(), { scenario: 'hello', id: id('page') }));
    self.onmessage?.(event);
    return;
  }
  let answer: OpenedMessage;
  try {
    const recording = openBlob(first.recording, new FileReaderSync());
    serve(new RecordingSession(recording, { id: id('recording') }));
    answer = { type: 'opened', warning: recording.warning, about: aboutOf(recording) };
  } catch (error) {
    answer = { type: 'unreadable', error: error instanceof Error ? error.message : String(error) };
  }
  self.postMessage(answer);
};
