import { cloneState, reduce } from '../../trace/index.js';
import { atOnce } from '../base/work.js';
import {
  type BranchInfo,
  type ClientMessage,
  type Command,
  type CommandResult,
  type Connection,
  hashState,
  type RecordStoreOptions,
  type RunSpec,
  type ServerMessage,
  SessionClient,
  SessionServer,
  SimulationSession,
  type SimulationSource,
  type StepUnit,
} from '../index.js';
import type { Position } from '../protocol/commands.js';
import type { TrailingOptions } from '../run/trailing-runs.js';
import { recordsOf } from '../session/branch-records.js';
import type { TimeTravel } from '../session/time-travel.js';

/** Tells of the end of a slice of 64 steps. */
const slice = () => {
  let looks = 0;
  return () => ++looks >= 16;
};

/**
 * An action of a model run: a command, or one whose numbers depend on where the session stands (shares from 0 to 1).
 */
export type Action =
  | { readonly run: Command }
  | { readonly goSeq: number }
  | { readonly goStep: number }
  | { readonly goIteration: number }
  | { readonly goTime: number }
  /** Another case of a select in the past. */
  | { readonly take: number }
  | { readonly pick: number }
  | { readonly choose: number }
  | { readonly switch: number; readonly to?: number }
  | { readonly drop: number }
  | { readonly rename: number }
  /** Forward, back and forward again. */
  | { readonly roundTrip: StepUnit }
  /** Runs a while at a speed. */
  | { readonly play: number }
  /** A long step that is not waited for. */
  | { readonly leave: number }
  | { readonly killPod: number }
  | { readonly look: 'runnable' | 'manifests' | 'spec' | 'compare' }
  | { readonly reconnect: boolean };

export interface ModelOptions {
  readonly source: SimulationSource;
  readonly scenario: string;
  readonly store?: TrailingOptions;
  readonly clientStore?: RecordStoreOptions;
  /** Loads the run again and folds its records after each command, not only at the end. */
  readonly thorough?: boolean;
}

type Snapshot = { readonly position: Position; readonly hash: string };

class Wire implements Connection {
  readonly toServer: ClientMessage[] = [];
  readonly toClient: ServerMessage[] = [];
  private handler: (m: ServerMessage) => void = () => {};
  private closed: (reason: string) => void = () => {};
  private readonly handle;
  constructor(server: SessionServer) {
    this.handle = server.connect((m) => this.toClient.push(JSON.parse(JSON.stringify(m)) as ServerMessage));
  }
  send(m: ClientMessage): void {
    this.toServer.push(JSON.parse(JSON.stringify(m)) as ClientMessage);
  }
  onMessage(handler: (m: ServerMessage) => void): void {
    this.handler = handler;
  }
  onClose(handler: (reason: string) => void): void {
    this.closed = handler;
  }
  close(): void {
    this.handle.close();
  }
  lose(): void {
    this.close();
    this.closed('lost');
  }
  deliver(most = Number.POSITIVE_INFINITY): void {
    for (let n = 0; n < most; n++) {
      const up = this.toServer.shift();
      if (up) this.handle.receive(up);
      const down = this.toClient.shift();
      if (down) this.handler(down);
      if (!up && !down) return;
    }
  }
}

/**
 * A session with a client, and what is to hold of them whatever is done. Each check throws an Error that says what does
 * not.
 */
export class SessionModel {
  readonly session: SimulationSession;
  client: SessionClient;
  private readonly server: SessionServer;
  private wire: Wire;
  /** Branches that it is not in: how they were when it left them. */
  private left = new Map<number, Snapshot & { readonly halted: string }>();
  private asks = false;
  /** The last command took too long. */
  private cut = false;
  private pausing = false;
  readonly log: string[] = [];

  constructor(private readonly options: ModelOptions) {
    const { source, scenario, store } = options;
    this.session = new SimulationSession(source, { scenario, ...store, speed: { mode: 'max' } });
    this.server = new SessionServer(this.session, { batch: 16, creditBatches: 4, creditRecords: 64, history: 200 });
    this.wire = new Wire(this.server);
    this.client = new SessionClient(this.wire, options.clientStore);
  }

  private get travel(): TimeTravel {
    return (this.session as unknown as { readonly travel: TimeTravel }).travel;
  }
  private fail(what: string): never {
    throw new Error(`${what}\nafter: ${this.log.join('\n       ')}`);
  }
  private same(a: unknown, b: unknown, what: string): void {
    const [x, y] = [JSON.stringify(a), JSON.stringify(b)];
    if (x !== y) this.fail(`${what}: ${x?.slice(0, 600)}\n  but was ${y?.slice(0, 600)}`);
  }

  // --- doing ---------------------------------------------------------------------------------------------------------

  /** Executes, gives it time, and cuts short what takes longer. */
  execute(command: Command): CommandResult {
    const { session } = this;
    const results: CommandResult[] = [];
    this.log.push(JSON.stringify(command));
    const before = this.snapshot();
    const branch = session.runState().branch as number;
    const at = this.branchNow();
    session.execute(command, (r) => results.push(r));
    for (let n = 0; results.length === 0 && n < 40; n++) session.pump(1, slice());
    this.cut = results.length === 0;
    if (!this.cut && this.options.store?.behind && !session.runState().running)
      for (let n = 0; n < 8; n++) session.pump(1, slice());
    if (this.cut) session.execute({ do: 'pause' }, () => {});
    if (results.length !== 1) this.fail(`answered ${results.length} times`);
    const result = results[0] as CommandResult;
    if (result.ok) {
      if (command.do === 'load' || command.do === 'restart') this.left.clear();
      else if (session.runState().branch !== branch) this.left.set(branch, at);
      this.left.delete(session.runState().branch as number);
      if (command.do === 'drop') this.left.delete(command.branch);
      if (command.do === 'ask') this.asks = command.select;
    } else {
      this.log.push(`  refused: ${result.error}`);
      this.same(this.snapshot(), before, `refused (${result.error}), yet it changed`);
    }
    this.check();
    return result;
  }

  value<T>(command: Command): T {
    let result: CommandResult | undefined;
    this.session.execute(command, (r) => {
      result = r;
    });
    while (!result && this.session.pump(1, () => false) !== null);
    if (!result?.ok) this.fail(`${command.do}: ${result?.error ?? 'no answer'}`);
    return result.value as T;
  }

  do(action: Action): void {
    const { session } = this;
    const run = session.runState();
    const end = run.end ?? { seq: 0, step: 0, time: 0 };
    const share = (x: number, most: number) => Math.round(x * most);
    if ('run' in action) this.execute(action.run);
    else if ('goSeq' in action) this.execute({ do: 'go', to: { seq: share(action.goSeq, end.seq + 50) } });
    else if ('goStep' in action) this.execute({ do: 'go', to: { step: share(action.goStep, end.step + 20) } });
    else if ('goIteration' in action)
      this.execute({ do: 'go', to: { iteration: share(action.goIteration, run.iterations + 5) } });
    else if ('goTime' in action)
      this.execute({ do: 'go', to: { time: share(action.goTime, Math.min(end.time + 3_000_000, 60_000_000)) } });
    else if ('take' in action) {
      const selects = [...session.store.from(1)].filter((r) => r.kind === 'select' && (r.ready ?? []).length > 1);
      const select = selects[Math.floor(action.take * selects.length * 0.999)];
      if (select?.kind !== 'select') this.execute({ do: 'take', seq: share(action.take, end.seq) + 1, case: 0 });
      else {
        const others = (select.ready ?? []).filter((i) => i !== select.chosen);
        this.execute({ do: 'take', seq: select.seq, case: others[0] ?? 0 });
      }
    } else if ('pick' in action) {
      const runnable = this.value<{ id: number }[]>({ do: 'runnable' });
      this.execute({
        do: 'pick',
        goroutine: runnable[Math.floor(action.pick * runnable.length * 1.2)]?.id ?? 999_999,
      });
    } else if ('choose' in action) this.execute({ do: 'choose', index: action.choose });
    else if ('switch' in action) {
      const branches = this.branches();
      const branch = branches[Math.floor(action.switch * branches.length * 0.999)] as BranchInfo;
      const to =
        action.to === undefined
          ? {}
          : { to: { seq: share(action.to, branch.end.seq * 1.1), step: share(action.to, branch.end.step * 1.1) } };
      this.execute({ do: 'switch', branch: branch.id, ...to });
    } else if ('drop' in action) {
      const branches = this.branches();
      this.execute({ do: 'drop', branch: branches[Math.floor(action.drop * branches.length)]?.id ?? 77 });
    } else if ('rename' in action) this.execute({ do: 'rename', branch: action.rename, name: 'other' });
    else if ('roundTrip' in action) this.roundTrip(action.roundTrip);
    else if ('play' in action) this.play(action.play);
    else if ('leave' in action) this.leave(action.leave);
    else if ('killPod' in action) {
      const uids = Object.keys(session.store.state.pods);
      this.execute({ do: 'kill', uid: uids[Math.floor(action.killPod * uids.length)] ?? 'u1' });
    } else if ('look' in action) this.look(action.look);
    else this.reconnect(action.reconnect);
  }

  private play(slices: number): void {
    const { session } = this;
    this.log.push(`play ${slices}`);
    session.execute({ do: 'resume' }, () => {});
    for (let n = 0; n < slices; n++) session.pump(16, slice());
    this.check();
    // Now and then it goes on while the next command comes.
    this.pausing = !this.pausing;
    if (this.pausing) session.execute({ do: 'pause' }, () => {});
    else for (let n = 0; n < 2; n++) session.pump(16, slice());
  }

  /** Leaves a step in progress, which is answered once, whatever comes then. */
  private leave(count: number): void {
    const { session } = this;
    this.log.push(`leave a step of ${count}`);
    let answers = 0;
    session.execute({ do: 'step', unit: 'decision', count: 20_000 + count }, () => answers++);
    session.pump(16, slice());
    session.execute({ do: 'step', unit: 'decision' }, () => {});
    session.execute({ do: 'pause' }, () => {});
    if (answers !== 1) this.fail(`the step was answered ${answers} times`);
    this.check();
  }

  private roundTrip(unit: StepUnit): void {
    const { session } = this;
    if (this.asks || session.runState().choice) return;
    this.execute({ do: 'breakpoints', set: [] });
    if (!this.execute({ do: 'step', unit }).ok || this.cut || session.runState().stopped !== '') return;
    const there = this.place();
    // A step that does not end within its time has no stop to come back to.
    if (!this.execute({ do: 'step', unit, back: true }).ok) return;
    const back = this.place();
    this.execute({ do: 'step', unit });
    const again = this.place();
    // Whose calls these are may depend on where it stands.
    if (unit !== 'into' && unit !== 'over' && unit !== 'out')
      this.same(again, there, `${unit}: there, back to ${back.seq}, and there`);
  }
  private place() {
    const { seq } = this.session.runState();
    return { seq, hash: hashState(this.session.store.state) };
  }

  private look(what: 'runnable' | 'manifests' | 'spec' | 'compare'): void {
    this.log.push(`look at ${what}`);
    const before = this.snapshot();
    if (what === 'compare') this.value({ do: 'compare', branch: this.branches()[0]?.id ?? 1 });
    else this.value({ do: what });
    this.same(this.snapshot(), before, `${what} only looks, yet it changed`);
  }

  private reconnect(inTime: boolean): void {
    this.log.push(`reconnect${inTime ? '' : ', late'}`);
    if (inTime) this.wire.deliver();
    this.wire.lose();
    if (!inTime) {
      this.do({ goSeq: 0.5 });
      this.do({ run: { do: 'branch' } });
      this.do({ run: { do: 'kill', uid: 'u1' } });
      this.do({ run: { do: 'step', unit: 'decision', count: 30 } });
    }
    this.wire = new Wire(this.server);
    this.client = new SessionClient(this.wire, this.options.clientStore, this.client);
  }

  // --- what is to hold -----------------------------------------------------------------------------------------------

  branches(): readonly BranchInfo[] {
    return this.travel.branches.describe(this.travel.branch);
  }
  /** Returns all that a refused command must not change. Which records are held at the moment is nobody's business. */
  private snapshot(): unknown {
    const { session } = this;
    return {
      run: session.runState(),
      branches: this.branches(),
      spec: this.travel.spec,
      hash: hashState(session.store.state),
    };
  }
  private branchNow(): Snapshot & { readonly halted: string } {
    const { id } = this.branches().find((b) => b.current) as BranchInfo;
    return this.branchSnapshot(id);
  }
  private branchSnapshot(id: number): Snapshot & { readonly halted: string } {
    const { end, halted } = this.branches().find((b) => b.id === id) as BranchInfo;
    const { store } = atOnce(recordsOf(this.travel, id));
    return { position: { step: end.step, seq: end.seq }, hash: hashState(store.state), halted };
  }

  private check(): void {
    const { session } = this;
    const { store } = session;
    const run = session.runState();
    if (run.seq !== store.last || run.seq !== store.state.seq) this.fail(`at ${run.seq}, the store at ${store.last}`);
    let n = store.first;
    for (const record of store.from(0))
      if (record.seq !== n++) this.fail(`record ${record.seq} where ${n - 1} should be`);
    if (n !== store.last + 1) this.fail(`the records end at ${n - 1}, the store at ${store.last}`);
    const { end } = run;
    if (!end || end.seq < run.seq || end.step < run.steps) this.fail(`it is past its end: ${JSON.stringify(run)}`);
    const current = this.branches().filter((b) => b.current);
    if (current.length !== 1 || current[0]?.id !== run.branch) this.fail('there is not one current branch');
    for (const [id, was] of this.left) {
      const now = this.branches().find((b) => b.id === id);
      if (!now) this.fail(`branch ${id} is gone`);
      this.same({ step: now.end.step, seq: now.end.seq }, was.position, `the end of branch ${id}`);
      this.same(now.halted, was.halted, `branch ${id} halted`);
    }
    if (this.options.thorough) this.checkRun();
    this.wire.deliver(3);
  }

  /** Checks that its state is what its records make, and what its spec makes from nothing. */
  private checkRun(): void {
    const { session, options } = this;
    const { store } = session;
    const block = store.blocks[0];
    const folded = cloneState(block?.state ?? store.state);
    for (const record of store.from(0)) reduce(folded, record);
    const hash = hashState(store.state);
    this.same(hashState(folded), hash, 'the fold of the records');
    const spec = JSON.parse(JSON.stringify(this.value<RunSpec & { to: Position }>({ do: 'spec' })));
    const other = new SimulationSession(options.source, { scenario: options.scenario });
    let loaded = false;
    other.execute({ do: 'load', ...spec }, (r) => {
      if (!r.ok) this.fail(`its spec cannot be loaded: ${r.error}\n${JSON.stringify(spec)}`);
      loaded = true;
    });
    while (!loaded) other.pump(1, () => false);
    this.same(other.runState().seq, session.runState().seq, `loaded from ${JSON.stringify(spec)}, it is at`);
    this.same(hashState(other.store.state), hash, `loaded from ${JSON.stringify(spec)}, its state`);
  }

  /** Checks the state at the end, and at the end of each branch. */
  finish(): void {
    const { session } = this;
    session.execute({ do: 'pause' }, () => {});
    this.check();
    this.checkRun();
    this.checkClient();
    for (const [id, was] of [...this.left]) {
      this.same(this.branchSnapshot(id), was, `branch ${id} as it was left`);
      this.execute({ do: 'switch', branch: id });
      const { seq } = session.runState();
      this.same(
        { seq, hash: hashState(session.store.state) },
        { seq: was.position.seq, hash: was.hash },
        `branch ${id} at its end`,
      );
      this.checkRun();
    }
    this.checkClient();
  }

  private checkClient(): void {
    const { session } = this;
    this.wire.deliver();
    this.server.flush();
    this.wire.deliver();
    this.same(this.client.store.last, session.store.last, 'the client is at record');
    this.same(hashState(this.client.store.state), hashState(session.store.state), "the client's state");
    this.same(this.client.run, session.runState(), "the client's run state");
  }
}

/** Does all of it and checks. */
export function runModel(options: ModelOptions, actions: readonly Action[]): SessionModel {
  const model = new SessionModel(options);
  for (const action of actions) model.do(action);
  model.finish();
  return model;
}
