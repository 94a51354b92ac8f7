import { messageOf } from '@syncloop/core/base';
import type { RunSpec } from '@syncloop/core/debug';
import { RecordStore, type Simulation, SimulationRun, type SimulationSource, type Work } from '@syncloop/core/debug';
import type { Micros, TraceRecord } from '@syncloop/core/trace';

/** Most records of a run; the comparison of a longer one ends there. */
const MOST_RECORDS = 400_000;
/** Steps between two yields. */
const SLICE = 4;

/** A run with all of its records in memory. */
export class EraRun {
  readonly records: TraceRecord[] = [];
  /** The reason that it cannot go on; '' while it can. */
  ended = '';
  private readonly run: SimulationRun;
  private held: RecordStore | null = null;

  /** Throws the source's error for a scenario that it cannot start. */
  constructor(source: SimulationSource, spec: RunSpec) {
    this.run = new SimulationRun(source, spec, (record) => void this.records.push(record));
  }

  get simulation(): Simulation {
    return this.run.simulation;
  }
  get time(): Micros {
    return this.run.kernel.now();
  }
  /** All steps of the scenario are done, and all interventions. */
  get stepsDone(): boolean {
    const { pending, simulation } = this.run;
    return pending.length === 0 && (simulation.stepsDone?.() ?? true);
  }
  /** Runs as long as `goesOn` returns true and it can go on. */
  *go(goesOn: () => boolean): Work {
    const { kernel } = this.run;
    for (let n = 1; goesOn() && this.ended === ''; n++) {
      if (n % SLICE === 0) yield { steps: kernel.steps, time: kernel.now() };
      if (this.records.length > MOST_RECORDS) this.ended = `it has more than ${MOST_RECORDS} records`;
      try {
        if (this.run.step() === 'over') this.ended = 'nothing is left to do';
      } catch (error) {
        this.ended = messageOf(error);
      }
    }
  }

  /** Drops the records after a time. */
  cut(until: Micros): void {
    while ((this.records.at(-1)?.time ?? 0) > until) this.records.pop();
  }
  /** Its records with the states that they make. */
  *store(): Work<RecordStore> {
    if (this.held) return this.held;
    const store = new RecordStore({ capacity: this.records.length + 8192, past: 0 });
    for (const record of this.records) {
      store.push(record);
      if (record.seq % 1024 === 0) yield undefined;
    }
    this.held = store;
    return store;
  }
}
