import {
  type ClientChange,
  type Command,
  type Connection,
  type Hit,
  type RunState,
  SessionClient,
} from '@syncloop/core/debug';
import type { Json } from '@syncloop/core/trace';
import type { MessageKey } from '../i18n/index.js';
import { withProgress } from '../store/progress-store.js';
import { type ManifestFile, RUN_BEFORE, type StarterScenario, useSession } from '../store/session-store.js';
import { notify, useUI } from '../store/ui-store.js';
import { FrameGate } from '../trace/frame.js';
import { same } from '../trace/same.js';
import { type TraceStore, trace } from '../trace/trace-store.js';

/** Makes a connection; called again when an agent's connection was lost. */
export type Connect = () => Connection;

/** Commands that may take their time, and what is said meanwhile. */
const LENGTHY: Readonly<Partial<Record<Command['do'], MessageKey>>> = {
  load: 'progress.load',
  restart: 'progress.load',
  go: 'progress.go',
  rewind: 'progress.go',
  step: 'progress.step',
  switch: 'progress.go',
  take: 'progress.go',
  explore: 'progress.explore',
  compare: 'progress.compare',
  search: 'progress.search',
  why: 'progress.why',
  whyNot: 'progress.why',
};
const STOPPABLE: ReadonlySet<Command['do']> = new Set<Command['do']>(['go', 'step', 'explore']);

const RETRY_MILLIS = 2_000;
/** Longest that something waits for a page with nothing to do. */
const IDLE_MILLIS = 1_000;

function whenIdle(then: () => void): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(then, { timeout: IDLE_MILLIS });
  else setTimeout(then, 0);
}

const FOLDER_MILLIS = 200;

/** The page's end of a session: the trace store reads its records, the session store shows what it says, commands go through it. */
export class PageSession {
  /** Told of each command before it is sent. */
  onCommand: ((command: Command) => void) | null = null;
  private client: SessionClient | null = null;
  private connectAgain: Connect | null = null;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private folderTimer: ReturnType<typeof setTimeout> | undefined;
  private unanswered = 0;
  private readonly gate: FrameGate;

  constructor(
    private readonly store: TraceStore = trace,
    nextFrame?: (then: () => void) => void,
    private readonly later: (then: () => void) => void = whenIdle,
  ) {
    this.gate = new FrameGate(() => {
      const run = this.client?.run;
      if (run) useSession.setState({ run });
    }, nextFrame);
    this.watchFolder();
  }

  /** The folder changes without us too: a scenario writes into it, another page does. Whoever did it left a record. */
  private watchFolder(): void {
    this.store.onBatch((records) => {
      if (this.folderTimer !== undefined || !records.some((r) => r.kind === 'input' || r.kind === 'source')) return;
      this.folderTimer = setTimeout(() => {
        this.folderTimer = undefined;
        if (useUI.getState().left === 'manifests') void this.refreshManifests().catch(() => {});
      }, FOLDER_MILLIS);
    });
  }

  /** Takes over from whatever session was there before. */
  connect(connect: Connect, kind: 'worker' | 'agent'): void {
    this.disconnect();
    useSession.setState({
      phase: 'starting',
      reason: '',
      kind,
      info: null,
      run: RUN_BEFORE,
      manifests: [],
      scenarios: [],
      asking: false,
    });
    // A worker's state dies with it; an agent goes on without us, and knows where we were.
    this.connectAgain = kind === 'agent' ? connect : null;
    this.open(connect);
  }

  disconnect(): void {
    clearTimeout(this.retry);
    const { client } = this;
    this.client = null;
    client?.close();
  }

  /** Sends a command; resolves with its result, rejects with an Error that holds the session's reason. */
  async command(command: Command): Promise<Json | undefined> {
    if (!this.client) throw new Error('there is no session');
    this.onCommand?.(command);
    this.unanswered++;
    const { client } = this;
    const title = LENGTHY[command.do];
    // Where the session moves to what is sought, it can be stopped on its way.
    const cancel = { cancel: () => void client.command({ do: 'pause' }).catch(() => {}) };
    try {
      if (!title) return await client.command(command);
      return await withProgress(title, () => client.command(command), STOPPABLE.has(command.do) ? cancel : {});
    } finally {
      // The run state that goes with an answer comes right behind it.
      setTimeout(() => this.unanswered--, 0);
    }
  }

  /** What the session said last; what is shown may be a frame behind. */
  get latest(): RunState | null {
    return this.client?.run ?? null;
  }

  /** What logpoints wrote, the newest last. */
  get written(): readonly Hit[] {
    return this.client?.written ?? [];
  }

  /** Nothing is under way: no command unanswered, nothing received that the views have not seen. */
  get idle(): boolean {
    return this.unanswered === 0 && !this.store.behind && !this.gate.waiting;
  }

  async refreshManifests(): Promise<void> {
    if (!useSession.getState().info?.capabilities.apply) return;
    const list = await this.command({ do: 'manifests' });
    useSession.setState({ manifests: Array.isArray(list) ? (list as unknown as ManifestFile[]) : [] });
  }

  /** Once for each connection: what there is stays. It is not needed for the first picture, so it comes behind that. */
  private listScenarios(client: SessionClient): void {
    if (this.listed === client || !client.info?.capabilities.scenarios) return;
    this.listed = client;
    this.later(async () => {
      if (this.client !== client) return;
      try {
        const list = await this.command({ do: 'scenarios' });
        if (this.client === client && Array.isArray(list))
          useSession.setState({ scenarios: list as unknown as StarterScenario[] });
      } catch {
        // The next welcome tries again.
        if (this.listed === client) this.listed = null;
      }
    });
  }
  private listed: SessionClient | null = null;

  private open(connect: Connect): void {
    const client = new SessionClient(connect(), {}, this.client ?? undefined);
    this.client = client;
    client.listen((change) => {
      if (this.client === client) this.changed(client, change);
    });
  }

  private changed(client: SessionClient, change: ClientChange): void {
    switch (change) {
      case 'welcome':
        this.store.use(client.store, client.past);
        if (client.run) this.store.changed(client.run.time);
        useSession.setState(({ info }) => ({
          phase: 'ready',
          reason: '',
          // The same one while it says the same: much of the page hangs on it.
          info: same(info, client.info) ? info : client.info,
          run: client.run ?? RUN_BEFORE,
        }));
        void this.refreshManifests().catch(() => {});
        this.listScenarios(client);
        return;
      case 'records':
        this.store.changed();
        return;
      case 'run':
        this.store.changed(client.run?.time);
        this.gate.ask();
        return;
      case 'refused':
        // Refused after it was ready: one message was, not this page.
        if (useSession.getState().phase === 'ready') notify(client.error, true);
        else useSession.setState({ phase: 'refused', reason: client.error });
        return;
      case 'closed':
        if (useSession.getState().phase !== 'refused') useSession.setState({ phase: 'closed', reason: client.error });
        if (this.connectAgain && useSession.getState().phase === 'closed') {
          const again = this.connectAgain;
          this.retry = setTimeout(() => this.open(again), RETRY_MILLIS);
        }
        return;
    }
  }
}

/** The page's one session. */
export const session = new PageSession();
