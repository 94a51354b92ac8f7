/**
 * The session's worker: core runs here, the page sees only messages. A simulation, or a recording that the page hands
 * over first.
 */
import { messageOf } from '@syncloop/core/base';
import { LeanSimulationSession, plainSource, type SessionTools } from '@syncloop/core/debug';
import { type EraVersion, eraVersions, loadEra, loadEras } from '@syncloop/core/kubelet';
import {
  type LibraryEntry,
  type ListedScenario,
  type MakeApiServer,
  starter,
  startScenarioWith,
} from '@syncloop/core/scenario';
import { isObserveMessage, isOpenMessage, type ObservedFile, type ObservedMessage } from './open-message.js';
import { type Part, PartsGate, partsOfScenario } from './parts.js';
import { isPing, PONG } from './ping.js';
import type { OpenedMessage } from './recordings.js';
import { WorkerHost, type WorkerSession } from './session-host.js';

declare const self: DedicatedWorkerGlobalScope;

const id = (kind: string) => `${kind}-${Math.random().toString(36).slice(2, 10)}`;

// These functions come with parts: no command that needs one is handed on before.
const notThere = (): never => {
  throw new Error('a part of the program is not loaded yet');
};
const tools: { -readonly [K in keyof SessionTools]: SessionTools[K] } = {
  answer: notThere,
  explore: notThere,
  compareEras: notThere,
};
let entries: readonly LibraryEntry[] = [starter];
let listed: readonly ListedScenario[] = [];
let makeApi: MakeApiServer = notThere;
const source = plainSource(
  () => entries,
  () => listed,
  (...args) => startScenarioWith(makeApi, ...args),
);

const LOADERS: Readonly<Record<Exclude<Part, EraVersion>, () => Promise<void>>> = {
  async answers() {
    const { answering } = await import('./part-answers.js');
    tools.answer = answering;
  },
  async explore() {
    const { ExploreRun, exploreSubject } = await import('./part-explore.js');
    tools.explore = (_, ...args) => new ExploreRun({ ...source, subject: exploreSubject }, ...args);
  },
  async library() {
    const { library } = await import('./part-library.js');
    entries = library;
  },
  async listed() {
    const { listedScenarios } = await import('./part-listed.js');
    listed = listedScenarios;
  },
  async eras() {
    await loadEras();
  },
  async compareEras() {
    const { comparingEras } = await import('./part-compare-eras.js');
    tools.compareEras = comparingEras;
  },
  async workshop() {
    const { loadInterpreter } = await import('./part-workshop.js');
    await loadInterpreter();
  },
  async cluster() {
    const { ApiServer } = await import('./part-cluster.js');
    makeApi = (...args) => new ApiServer(...args);
  },
};

const isEra = (part: Part): part is EraVersion => eraVersions.some((version) => version === part);

function serve(session: WorkerSession): void {
  const host = new WorkerHost(session, {
    now: () => performance.now(),
    after: (millis, then) => setTimeout(then, millis),
    cancel: (timer) => clearTimeout(timer as number),
  });
  const client = host.server.connect((message) => self.postMessage(message));
  const gate = new PartsGate({
    load: async (part) => void (isEra(part) ? await loadEra(part) : await LOADERS[part]()),
    more: (message) => partsOfScenario(message, entries),
    take: (message) => client.receive(message),
    refuse: (message, error) => {
      const { id } = message as { readonly id: number };
      self.postMessage({
        type: 'result',
        id,
        ok: false,
        error: `the part of the program that does this could not be loaded (${messageOf(error)}); try again, or reload the page`,
      });
    },
  });
  self.onmessage = ({ data }) => (isPing(data) ? self.postMessage(PONG) : gate.receive(data));
}

/** The reader of recordings is loaded only for one. */
async function open(file: Blob): Promise<void> {
  let answer: OpenedMessage;
  try {
    const { RecordingSession, aboutOf, openBlob } = await import('./part-recordings.js');
    const recording = openBlob(file, new FileReaderSync());
    serve(new RecordingSession(recording, { id: id('recording') }));
    answer = { type: 'opened', warning: recording.warning, about: aboutOf(recording) };
  } catch (error) {
    answer = { type: 'unreadable', error: messageOf(error) };
  }
  self.postMessage(answer);
}

/** The reader of logs and captures is loaded only for them, too. */
async function observe(files: readonly ObservedFile[], node?: string): Promise<void> {
  const answer = (message: ObservedMessage) => self.postMessage(message);
  try {
    const { observeFiles, redactRecord, TwinSession } = await import('./part-observed.js');
    const observed = await observeFiles(files, id('observed'), { ...(node !== undefined && { node }) });
    const { refused } = observed;
    if (!observed.session) return answer({ type: 'unobserved', refused, error: '' });
    await observed.begun;
    // The code for twins is large: it is loaded when one is asked for.
    serve(new TwinSession(observed.session, async () => (await import('./part-twin.js')).loadTwinTools(redactRecord)));
    answer({ type: 'observed', refused, nodes: observed.nodes, shown: observed.shown });
  } catch (error) {
    answer({ type: 'unobserved', refused: [], error: messageOf(error) });
  }
}

self.onmessage = (event) => {
  const first: unknown = event.data;
  if (isObserveMessage(first)) {
    void observe(first.files, first.node);
    return;
  }
  if (isOpenMessage(first)) {
    void open(first.recording);
    return;
  }
  serve(
    new LeanSimulationSession(
      source,
      { scenario: starter.name, id: id('page'), open: true, speed: { mode: 'follow' } },
      tools,
    ),
  );
  self.onmessage?.(event);
};
