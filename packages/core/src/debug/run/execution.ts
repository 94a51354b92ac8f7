import { messageOf } from '../../base/index.js';
import type { Micros, Seq, TraceRecord } from '../../trace/index.js';
import type { RecordStoreOptions } from '../base/record-store.js';
import type { Work } from '../base/work.js';
import type { Position } from '../protocol/commands.js';
import type { RunSpec } from '../protocol/run-spec.js';
import { isBefore } from './position.js';
import { SimulationRun } from './run.js';
import type { SimulationSource } from './simulation.js';
import { Timeline } from './timeline.js';

/** Longest run that is repeated, in kernel steps. */
const LONGEST = 50_000_000;
/** While a run is repeated every this many records are compared, and the last. */
const COMPARED = 256;
/** Kernel steps between two yields of a repetition: few, as one may take 20 ms. */
const SLICE = 4;

/** A file in the static pod folder. */
export interface ManifestFile {
  readonly file: string;
  readonly text: string;
}

/** The files as they were after the position `before`, up to the next change. */
interface FolderChange {
  readonly before: Position;
  readonly files: readonly ManifestFile[];
}

/** A run and the records that it made. */
export class Execution {
  timeline: Timeline;
  /** Records up to this one are known: they are compared, and not kept twice. */
  private same: Seq;
  readonly run: SimulationRun;
  /** The reason why it cannot go on, '' while it can. */
  halted = '';
  /** Called for each new record, with the timeline's state right after it. */
  onRecord: ((record: TraceRecord) => void) | null = null;
  private decision = () => 0;
  private differs: Seq = 0;
  /** Decisions taken when the records to come were pinned. */
  private pinnedAt = 0;
  /** The contents of the manifest folder, from its beginning on: so that looking there needs no run. */
  private readonly folder: FolderChange[] = [];
  private folderVersion = -1;

  /**
   * With `known` it is a repetition: its first records are those, and are not kept twice. `same`: up to where they are.
   * Throws the source's error for a scenario that it cannot start.
   */
  constructor(
    source: SimulationSource,
    spec: RunSpec,
    options: RecordStoreOptions,
    known?: Timeline,
    same: Seq = known?.last ?? 0,
  ) {
    this.timeline = known ?? new Timeline(options);
    this.same = same;
    this.pin();
    this.run = new SimulationRun(source, spec, (record) => {
      if (record.seq > this.same) {
        this.timeline.push(record, this.decision());
        this.onRecord?.(record);
      } else if (record.seq % COMPARED === 0 || record.seq === this.same) this.compare(record);
    });
    const { run } = this;
    this.decision = () => run.decision;
    this.noteFolder({ step: -1, seq: 0 });
  }

  /** A repetition that keeps no records, and ends nowhere yet: see `retrace`. */
  static retracing(source: SimulationSource, spec: RunSpec, options: RecordStoreOptions): Execution {
    return new Execution(source, spec, options, new Timeline({ past: 0 }), Number.POSITIVE_INFINITY);
  }
  /** Only compares, from now on, what it makes with `timeline`, which is another run's and stays as it is. */
  retrace(timeline: Timeline): void {
    this.timeline = timeline;
    this.same = Number.POSITIVE_INFINITY;
  }
  /** Takes one step of a repetition. Throws if it is not what it was, or does not go on. */
  retraceStep(): void {
    const result = this.step();
    this.mustBeTheSame();
    if (result !== 'ran') throw new Error('the run does not get there');
  }
  /** Lets a repetition end elsewhere in the same run: `known` has at least the records that it made so far. */
  endAt(known: Timeline): void {
    this.timeline = known;
    this.same = known.last;
    this.pin();
  }
  /** Keeps all records from here on in memory. */
  private pin(): void {
    if (this.same < Number.POSITIVE_INFINITY) this.timeline.store.pinned = this.timeline.last + 1;
  }

  /** Does something to the run, and notes what that made of the manifest folder. */
  noting<T>(act: () => T): T {
    const before = this.position;
    try {
      return act();
    } finally {
      this.noteFolder(before);
    }
  }
  private noteFolder(before: Position): void {
    const { simulation } = this.run;
    const version = simulation.manifestsVersion?.();
    if (version === undefined || version === this.folderVersion) return;
    this.folderVersion = version;
    this.folder.push({ before, files: simulation.manifests().map(({ file, text }) => ({ file, text })) });
  }
  /** The manifest files at a position that it has been at; undefined if the simulation does not report changes. */
  manifestsAt(at: Position): readonly ManifestFile[] | undefined {
    let i = this.folder.length - 1;
    while (i > 0 && !isBefore((this.folder[i] as FolderChange).before, at)) i--;
    return this.folder[i]?.files;
  }

  get position(): Position {
    return { step: this.run.kernel.steps, seq: this.run.kernel.lastSeq };
  }
  get time(): Micros {
    return this.run.kernel.now();
  }
  /** The whole run, with the interventions that are still to come. */
  get spec(): RunSpec {
    const { request, interventions, pending } = this.run;
    return { ...request, interventions: [...interventions, ...pending] };
  }

  /** One step on. It may only have moved the clock. A deadlock or a panic throws, and nothing goes on after it. */
  step(): 'ran' | 'choice' | 'over' {
    // Whoever stops within a decision, or right before it, must find it whole, even in a store that is too small for
    // it.
    const { steps } = this.run.kernel;
    if (steps !== this.pinnedAt) {
      this.pinnedAt = steps;
      this.pin();
    }
    try {
      const result = this.noting(() => this.run.step());
      if (result === 'over') this.halted = 'the run is over: nothing is left to do';
      else if (this.run.simulation.done?.()) this.halted = 'the scenario is over';
      return result;
    } catch (error) {
      this.halted = messageOf(error) || 'the simulation failed, and did not say why';
      throw error;
    }
  }

  /**
   * Goes on to a position that this run is known to have been at. Throws when it does not get there, or is not what it
   * was.
   */
  *repeat(to: Position): Work {
    const { kernel } = this.run;
    yield* this.repeatWhile(() => kernel.lastSeq < to.seq || kernel.steps < to.step, to.step);
  }
  /** The same, to the first record after a time. */
  *repeatPast(time: Micros): Work {
    const { store } = this.timeline;
    yield* this.repeatWhile(() => store.state.time <= time);
  }
  private *repeatWhile(goesOn: () => boolean, of?: number): Work {
    for (let n = 0; goesOn() && this.differs === 0; n++) {
      if (n > 0 && n % SLICE === 0)
        yield { steps: this.run.kernel.steps, time: this.time, ...(of !== undefined && { of }) };
      let result = '';
      try {
        if (n <= LONGEST && this.halted === '') result = this.step();
      } catch (error) {
        // A panic may be where it ends.
        if (goesOn()) throw error;
        break;
      }
      if (result !== 'ran') throw new Error('the run does not get there');
    }
    this.mustBeTheSame();
  }
  private mustBeTheSame(): void {
    if (this.differs > 0) throw new Error(`the run could not be repeated exactly: record ${this.differs} differs`);
  }
  /** Lets the clock go on to `time`, as it does while nobody can run. */
  *settle(time: Micros): Work {
    const { kernel } = this.run;
    for (let n = 1; this.halted === '' && !kernel.nextRunnable && kernel.now() < time; n++) {
      if (n % SLICE === 0) yield { steps: kernel.steps, time: kernel.now() };
      if ((kernel.nextTimerAt() ?? Number.POSITIVE_INFINITY) > time) kernel.clock.advanceTo(time);
      else this.step();
    }
  }
  /** Goes on until the clock is at `time`, or there is a record after `seq`. */
  *passTime(time: Micros, seq: Seq): Work {
    const { kernel } = this.run;
    for (let n = 1; this.halted === '' && kernel.now() < time && kernel.lastSeq <= seq; n++) {
      if (n % SLICE === 0) yield { steps: kernel.steps, time: kernel.now() };
      if (!kernel.nextRunnable && (kernel.nextTimerAt() ?? 0) > time) kernel.clock.advanceTo(time);
      else if (this.step() !== 'ran') return;
    }
  }

  private compare(record: TraceRecord): void {
    const was = this.timeline.store.get(record.seq);
    if (was && this.differs === 0 && JSON.stringify(was) !== JSON.stringify(record)) this.differs = record.seq;
  }
}

/** The part of a run that had happened at a position. */
export function cut(spec: RunSpec, { step, seq }: Position): RunSpec {
  const { deviations = [], interventions = [], ...request } = spec;
  const kept = {
    deviations: deviations.filter((d) => d.decision <= step),
    interventions: interventions.filter((i) => !i.byTime && i.after < seq && i.step <= step),
  };
  return {
    ...request,
    ...(kept.deviations.length > 0 && { deviations: kept.deviations }),
    ...(kept.interventions.length > 0 && { interventions: kept.interventions }),
  };
}
