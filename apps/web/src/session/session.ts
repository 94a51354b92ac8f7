import { messageOf } from '@syncloop/core/base';
import {
  type ClientChange,
  type Command,
  type Connection,
  type Hit,
  type ResultOf,
  type RunState,
  SessionClient,
} from '@syncloop/core/debug';
import { type MessageKey, t } from '../i18n/index.js';
import { notify, useUI } from '../page/ui-store.js';
import { FrameGate } from '../run/frame.js';
import { withProgress } from '../run/progress-store.js';
import { keepingSame, same } from '../run/same.js';
import { ALONE, RUN_BEFORE, useSession } from '../run/session-store.js';
import { type TraceStore, trace } from '../run/trace-store.js';
import { type WatchedConnection, workerConnection } from './connection/worker-connection.js';

/** Makes a connection; called again when an agent's connection was lost. */
export type Connect = () => Connection;

/** Commands that may take their time, and the text meanwhile. */
const LENGTHY: Readonly<Partial<Record<Command['do'], MessageKey>>> = {
  load: 'progress.load',
  restart: 'progress.load',
  go: 'progress.go',
  rewind: 'progress.go',
  step: 'progress.step',
  switch: 'progress.go',
  take: 'progress.go',
  branch: 'progress.go',
  pick: 'progress.go',
  explore: 'progress.explore',
  compare: 'progress.compare',
  era: 'progress.era',
  compareEras: 'progress.compareEras',
  search: 'progress.search',
  why: 'progress.why',
  whyNot: 'progress.why',
  apply: 'progress.change',
  delete: 'progress.change',
  kill: 'progress.change',
  act: 'progress.change',
  side: 'progress.go',
};
/** The text for all other commands. Shown only if one takes really long: the page always has several under way. */
const LOOK: MessageKey = 'progress.look';
/**
 * Commands that nobody waits for: they are done at once, go on at the session's speed as a run does, or have a place
 * where their progress is shown.
 */
const UNNOTICED: ReadonlySet<Command['do']> = new Set<Command['do']>([
  'density',
  'find',
  'incidents',
  'pause',
  'resume',
  'speed',
  'ask',
  'until',
  'reenact',
  'hold',
  'chance',
  'causes',
  'prevent',
]);

/** The error of a command that the user stopped; the page shows no message for it. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

/** A command without an answer so far. */
export interface Unanswered {
  readonly command: Command;
  readonly title: MessageKey | null;
  /** The time when it was sent, as `performance.now()`. */
  readonly since: number;
  stopped: boolean;
}

/** The longest time that a session may take to react, ms: one that reacts at all does so within a slice of its work. */
export const PATIENCE_MILLIS = 1_000;

const RETRY_MILLIS = 2_000;
/** Distinguishes this page from the others of its session, also after its connection broke. */
const PAGE = crypto.getRandomValues(new Uint32Array(4)).join('-');
/** Longest that something waits for a page with nothing to do. */
const IDLE_MILLIS = 1_000;

function whenIdle(then: () => void): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(then, { timeout: IDLE_MILLIS });
  else setTimeout(then, 0);
}

const FOLDER_MILLIS = 200;
const inTime = <T>(late: T) => new Promise<T>((then) => setTimeout(() => then(late), PATIENCE_MILLIS));

/**
 * The page's end of a session: the trace store reads its records, the session store shows its reports, commands go
 * through it.
 */
export class PageSession {
  /** Called with each command before it is sent, in the same turn in which it was requested. */
  onCommand: ((command: Command) => void) | null = null;
  /** Ends long work; its progress display uses this to stop it. */
  onStop: () => void = () => void this.stop();
  /** The session before the connection was lost: another one in its place knows nothing of what was done. */
  private before: string | null = null;
  private readonly connected = new Set<() => void>();
  /** Calls `listener` for each new connection. Returns a function that removes the listener. */
  onConnect(listener: () => void): () => void {
    this.connected.add(listener);
    return () => this.connected.delete(listener);
  }
  private connection: Connection | null = null;
  private readonly under = new Set<Unanswered>();
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
      // The speed, the choice and the like come again with each message.
      if (run) useSession.setState((s) => ({ run: keepingSame(s.run, run) }));
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

  /** Takes over from the session before. */
  connect(connect: Connect, kind: 'worker' | 'agent'): void {
    this.disconnect();
    useSession.setState({
      phase: 'starting',
      reason: '',
      kind,
      info: null,
      run: RUN_BEFORE,
      company: ALONE,
      manifests: [],
      scenarios: [],
      asking: false,
    });
    // A worker's state dies with it; an agent goes on without us, and knows our position.
    this.connectAgain = kind === 'agent' ? connect : null;
    this.open(connect);
  }

  /** The command that has waited longest; one that only looks, and may be waiting itself, only if there is no other. */
  get oldest(): Unanswered | null {
    const all = [...this.under].filter((entry) => entry.title);
    return all.find((entry) => entry.title !== LOOK) ?? all[0] ?? null;
  }
  /** The load under way. */
  get loading(): Extract<Command, { do: 'load' }> | null {
    for (const { command } of this.under) if (command.do === 'load') return command;
    return null;
  }

  /** Resolves once the session has reacted; null if it cannot be asked. Another promise of another connection. */
  ping(): Promise<void> | null {
    const { connection } = this;
    return connection && 'ping' in connection ? (connection as WatchedConnection).ping() : null;
  }

  /** Asks the session to stop its work. False if it did not react in time. */
  async stop(): Promise<boolean> {
    const { client } = this;
    if (!client) return true;
    for (const entry of this.under) entry.stopped = true;
    const paused = client.command({ do: 'pause' }).then(
      () => true,
      () => true,
    );
    return await Promise.race([paused, inTime(false)]);
  }
  /** Ends the session itself. */
  end(): void {
    for (const entry of this.under) entry.stopped = true;
    this.disconnect();
  }

  /** Replaces a session that does not react, before a command that needs nothing of it. */
  private async replaceIfHung(): Promise<void> {
    const pong = this.under.size > 0 || this.latest?.running ? this.ping() : null;
    if (!pong || (await Promise.race([pong.then(() => true), inTime(false)]))) return;
    this.end();
    this.connect(workerConnection, 'worker');
  }

  disconnect(): void {
    clearTimeout(this.retry);
    const { client } = this;
    this.client = null;
    this.connection = null;
    client?.close();
  }

  /** Sends a command; resolves with its result, rejects with an Error that holds the session's reason. */
  async command<const C extends Command>(command: C): Promise<ResultOf<C>> {
    // This comes at once: its listener asks who sends the command.
    this.onCommand?.(command);
    if (command.do === 'load') await this.replaceIfHung();
    if (!this.client) throw new Error('there is no session');
    this.unanswered++;
    const { client } = this;
    const title = UNNOTICED.has(command.do) ? null : (LENGTHY[command.do] ?? LOOK);
    const entry: Unanswered = { command, title, since: performance.now(), stopped: false };
    this.under.add(entry);
    try {
      if (!title || title === LOOK) return await client.command(command);
      return await withProgress(title, () => client.command(command), { cancel: () => this.onStop() });
    } catch (error) {
      throw entry.stopped ? new StoppedError(messageOf(error)) : error;
    } finally {
      this.under.delete(entry);
      // The run state that goes with an answer comes right behind it.
      setTimeout(() => this.unanswered--, 0);
    }
  }

  /** The session's last report; the page may show the one before for a frame. */
  get latest(): RunState | null {
    return this.client?.run ?? null;
  }

  /** The lines that logpoints wrote, the newest last. */
  get written(): readonly Hit[] {
    return this.client?.written ?? [];
  }

  /** True if nothing is under way: no unanswered command, nothing received that the views have not seen. */
  get idle(): boolean {
    return this.unanswered === 0 && !this.store.behind && !this.gate.waiting;
  }

  async refreshManifests(): Promise<void> {
    if (!useSession.getState().info?.capabilities.apply) return;
    const list = await this.command({ do: 'manifests' });
    useSession.setState({ manifests: list });
  }

  /**
   * Runs once for each connection: earlier entries stay. It is not needed for the first picture, so it comes after
   * that.
   */
  private listScenarios(client: SessionClient): void {
    if (this.listed === client || !client.info?.capabilities.scenarios) return;
    this.listed = client;
    this.later(async () => {
      if (this.client !== client) return;
      try {
        const scenarios = await this.command({ do: 'scenarios' });
        if (this.client === client) useSession.setState({ scenarios });
      } catch {
        // The next welcome tries again.
        if (this.listed === client) this.listed = null;
      }
    });
  }
  private listed: SessionClient | null = null;

  private open(connect: Connect): void {
    const connection = connect();
    this.connection = connection;
    for (const listener of this.connected) listener();
    this.before = this.client?.info?.id ?? null;
    const client = new SessionClient(connection, { page: PAGE }, this.client ?? undefined);
    this.client = client;
    client.listen((change) => {
      if (this.client === client) this.changed(client, change);
    });
  }

  private changed(client: SessionClient, change: ClientChange): void {
    switch (change) {
      case 'welcome':
        if (this.before !== null && client.info?.id !== this.before) notify(t('held.agentAnew'));
        this.before = null;
        this.store.use(client.store, client.past);
        if (client.run) this.store.changed(client.run.time);
        useSession.setState(({ info, run: before }) => ({
          phase: 'ready',
          reason: '',
          // An unchanged value stays the same object: much of the page depends on it.
          info: same(info, client.info) ? info : client.info,
          run: client.run ? keepingSame(before, client.run) : RUN_BEFORE,
          company: client.company,
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
      case 'company':
        useSession.setState({ company: client.company });
        return;
      case 'refused':
        // Refused after it was ready: one message was, not this page.
        if (useSession.getState().phase === 'ready') notify(client.error, true);
        else useSession.setState({ phase: 'refused', reason: client.error });
        return;
      case 'closed':
        useSession.setState({ company: ALONE });
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
