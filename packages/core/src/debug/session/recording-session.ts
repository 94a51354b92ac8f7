import { defaultEra, type EraVersion, eraVersions } from '../../kubelet/era/versions.js';
import type { Millis, Seq } from '../../trace/index.js';
import { VersionFold } from '../../version/index.js';
import { RecordStore, type RecordStoreOptions } from '../base/record-store.js';
import type { Work } from '../base/work.js';
import { BreakpointSet, type Hit, parseBreakpoints } from '../breakpoints/index.js';
import { finding, windowOf } from '../density/index.js';
import type { SessionBackend } from '../protocol/backend.js';
import type { Command, CommandOf, GoTarget, Query, Speed } from '../protocol/commands.js';
import type { RunState, SessionInfo } from '../protocol/protocol.js';
import type { ResultOf } from '../protocol/results.js';
import { decisionsAt, type Playable, Playback, seqAfter } from '../run/playback.js';
import { type Goal, RunControl } from '../run/run-control.js';
import { findingBack, goroutineOf, isIteration, stepTest } from '../run/stepping.js';
import { answering } from './queries.js';
import { untilGoal } from './session-moves.js';
import { type Handlers, LATER, type Reply, WorkingBackend } from './working-backend.js';

/** Records between two yields. */
const SLICE = 32;
/** Records that questions look at, at most. */
const MOST_ASKED = 300_000;

export interface RecordingOptions extends RecordStoreOptions {
  readonly id?: string;
  readonly speed?: Speed;
  /** Records before a place far from here that come into view with it. */
  readonly context?: number;
  /** Records that questions look at, at most. Default 300,000. */
  readonly mostAsked?: number;
}

/** Records at the beginning of an observed run in which its version is looked for. */
const FIRST = 5_000;

/** The version that ran in a recording: from its header for a simulation, from its first lines for an observed run. */
function eraOf(file: Playable): EraVersion {
  const { header } = file;
  const simulated = eraVersions.find((version) => version === header.era);
  if (simulated || header.virtual) return simulated ?? defaultEra;
  const fold = new VersionFold();
  let left = FIRST;
  for (const record of file.iterate()) {
    fold.take(record);
    if (--left <= 0 || fold.found.how === 'reported') break;
  }
  return fold.found.era;
}

/** The field `era` of a session's description; absent if it is the version that runs by default. */
export const eraField = (era: EraVersion): Pick<SessionInfo, 'era'> => (era === defaultEra ? {} : { era });

/**
 * A finished recording, watched: it can be played, stepped in both directions, searched and asked, and nothing in it
 * can be changed.
 */
export class RecordingSession extends WorkingBackend implements SessionBackend {
  info: SessionInfo;
  protected readonly control: RunControl<Playback>;
  protected readonly handlers: Partial<Handlers>;
  private readonly breakpoints = new BreakpointSet();
  private readonly mostAsked: number;

  constructor(
    protected readonly file: Playable,
    options: RecordingOptions = {},
  ) {
    super();
    this.mostAsked = options.mostAsked ?? MOST_ASKED;
    const { header } = file;
    this.control = new RunControl(new Playback(file, options), this.breakpoints, {
      running: false,
      speed: options.speed ?? { mode: 'time', factor: 1 },
      beginSlice: () => this.beginSlice?.(),
    });
    this.info = {
      id: options.id ?? 'recording',
      title: header.title,
      capabilities: {
        control: true,
        speed: true,
        apply: false,
        intervene: false,
        choose: false,
        scenarios: false,
        rewind: true,
        breakpoints: true,
      },
      scenario: header.scenario,
      seed: header.seed,
      runtime: header.runtime,
      node: header.node,
      epochMillis: header.epochMillis,
      virtual: header.virtual,
      ...eraField(eraOf(file)),
    };
    this.handlers = this.commandHandlers();
  }

  protected get playback(): Playback {
    return this.control.track;
  }
  protected get current(): RecordStore {
    return this.playback.view;
  }

  protected currentRun(): RunState {
    const { playback, control, file } = this;
    const { state } = playback.view;
    const next = playback.peek();
    return {
      running: control.running,
      seq: playback.view.last,
      time: playback.now,
      steps: playback.step,
      iterations: state.counts.iterations,
      speed: control.speed,
      choice: null,
      next: next ? (state.goroutines[next.g]?.name ?? '') : '',
      stopped: playback.stopped,
      hits: control.hits,
      ...(control.runsToGoal && { going: true }),
      end: { step: decisionsAt(file.last), seq: file.last, time: file.lastTime },
    };
  }

  takeWritten(): readonly Hit[] {
    return this.control.written.splice(0);
  }

  /** See RunControl.pump. */
  pump(elapsedMillis: Millis, expired: () => boolean): Millis | null {
    if (this.working) {
      this.pumpWork(expired);
      return 0;
    }
    const { playback, control } = this;
    const seq = playback.view.last;
    const before = `${playback.now} ${control.running}`;
    const again = control.pump(elapsedMillis, expired);
    this.takeWaiting();
    if (playback.view.last !== seq) this.tell('records');
    this.tellRun(`${playback.now} ${control.running}` !== before);
    return this.working || this.stepping ? 0 : again;
  }
  protected get stepping(): boolean {
    return this.control.runsToGoal;
  }

  protected *answer<Q extends Query>(query: Q): Work<ResultOf<Q>> {
    // All records that there are, not only those around here.
    if (query.do === 'find') return (yield* finding(this.file, query)) as ResultOf<Q>;
    if (query.do === 'window') return (yield* windowOf(this.file, query)) as ResultOf<Q>;
    return yield* answering(yield* this.whole(), query, this.current.last);
  }
  protected refusal(command: Command): string {
    return `${command.do} is not possible in a recording: what is in it has happened; run its scenario to change it`;
  }

  private commandHandlers(): Partial<Handlers> {
    const session = this;
    const { control, breakpoints, file } = this;
    return {
      *pause() {
        control.pause();
      },
      *resume() {
        session.mustBeAbleToRun();
        control.resume();
      },
      *speed({ speed }) {
        control.setSpeed(speed);
      },
      *step(command, reply) {
        if (command.back) {
          session.jump(yield* session.before(command));
          return undefined;
        }
        session.mustBeAbleToRun();
        control.runTo(session.goal(command), reply);
        return LATER;
      },
      *go({ to }, reply) {
        return yield* session.goTo(to, reply);
      },
      *until(command, reply) {
        const goal = untilGoal(session.playback, command);
        session.mustBeAbleToRun();
        control.runTo(goal, reply);
        return LATER;
      },
      *rewind({ unit, to }) {
        session.jump(unit === 'iteration' ? yield* session.iteration(to) : to);
      },
      *restart() {
        session.jump(file.first - 1);
        return undefined;
      },
      *breakpoints({ set }) {
        breakpoints.set(parseBreakpoints(set));
        return breakpoints.list();
      },
      *scenarios() {
        return [];
      },
      *manifests() {
        return [];
      },
    };
  }

  /**
   * The records that a question is about: all, or if they are too many to keep, those around the place where it stands.
   */
  private *whole(): Work<RecordStore> {
    const { file, current: store, mostAsked } = this;
    const all = file.last - file.first < mostAsked;
    const from = all ? file.first : Math.max(file.first, store.last - mostAsked / 2);
    if (all && this.asked && this.asked.first <= Math.max(1, file.first) && this.asked.last < file.last) {
      // Records that were read since the last question.
      const { asked } = this;
      for (const record of file.iterate(asked.last + 1)) {
        asked.push(record);
        if (record.seq % SLICE === 0) yield;
      }
    }
    if (!this.asked || store.last > this.asked.last || this.asked.first > Math.max(from, file.first)) {
      const asked = new RecordStore({ capacity: 2 * mostAsked }, file.stateAt(Math.max(0, from - 1)));
      const to = Math.min(file.last, from + mostAsked);
      for (const record of file.iterate(from)) {
        if (record.seq > to) break;
        asked.push(record);
        if (record.seq % SLICE === 0) yield;
      }
      this.asked = asked;
    }
    return this.asked;
  }
  private asked: RecordStore | null = null;

  private mustBeAbleToRun(): void {
    const { stopped } = this.playback;
    if (stopped !== '') throw new Error(`the run cannot go on: ${stopped}`);
  }

  private goal({ unit, count = 1, ...options }: CommandOf<'step'>): Goal {
    if (unit === 'decision') return { by: unit, left: count };
    const { state, last } = this.current;
    const here = this.current.get(last);
    const g = goroutineOf(state, here, options);
    return { by: 'record', g, left: count, test: stepTest(unit, state, here, { ...options, goroutine: g }) };
  }

  /** Returns the seq of the record at which a step back ends. */
  private *before({ unit, count = 1, ...options }: CommandOf<'step'>): Work<Seq> {
    const { file, current: store } = this;
    let at = store.last;
    if (unit === 'iteration' && options.pod === undefined)
      return yield* this.iteration(Math.max(0, store.state.counts.iterations - count));
    if ((unit === 'decision' || unit === 'record') && options.pod === undefined) return at - count;
    for (let n = 0; n < count; n++) {
      const found: Seq | undefined = yield* findingBack(
        file,
        at,
        at === store.last ? store.state : file.stateAt(at),
        unit === 'decision' ? 'record' : unit,
        options,
      );
      if (found === undefined) {
        if (unit === 'milestone' && options.pod === undefined) return file.first - 1;
        break;
      }
      at = found;
      yield;
    }
    if (at === store.last) throw new Error('nothing of this kind comes before this moment');
    return at;
  }

  /** The record with which iteration `n` began. */
  private *iteration(n: number): Work<Seq> {
    const { file, current: store } = this;
    let { iterations } = store.state.counts;
    if (n > iterations) throw new Error(`the session cannot go back to iteration ${n}: it is at ${iterations}`);
    let seq = store.last;
    for (; seq >= file.first; seq--) {
      if (seq % SLICE === 0) yield;
      const record = file.get(seq);
      if (!record || !isIteration(store.state, record)) continue;
      if (iterations === n) return seq;
      iterations--;
    }
    return file.first - 1;
  }

  private *goTo(to: GoTarget, reply: Reply): Work<typeof LATER | undefined> {
    const { file, control } = this;
    const seq =
      'time' in to ? file.seqAtTime(to.time) : 'seq' in to ? to.seq : 'step' in to ? seqAfter(to.step) : undefined;
    if (seq !== undefined) this.jump(seq);
    else if ('iteration' in to) {
      if (to.iteration > this.current.state.counts.iterations) {
        this.mustBeAbleToRun();
        const count = to.iteration - this.current.state.counts.iterations;
        control.runTo(this.goal({ do: 'step', unit: 'iteration', count }), reply);
        return LATER;
      }
      this.jump(yield* this.iteration(to.iteration));
    }
    return undefined;
  }

  protected jump(seq: Seq): void {
    const { playback, control } = this;
    control.pause();
    const before = this.current.last;
    playback.goTo(seq);
    control.afterJump();
    this.breakpoints.moved(this.current.state);
    this.arrived();
    if (this.current.last < before) this.tell('rewound');
    if (this.current.last > before) this.tell('jumped');
  }
}
