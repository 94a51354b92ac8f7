import type { Micros, TraceRecord } from '../../trace/index.js';
import { Stopped, type Work } from '../base/work.js';
import { isBefore } from '../run/position.js';
import { SimulationRun } from '../run/run.js';
import type { SimulationSource } from '../run/simulation.js';
import type { Timeline } from '../run/timeline.js';
import type { Branch } from './branches.js';
import type { TimeTravel } from './time-travel.js';

/** Decisions between two yields of a run whose records are wanted. */
const RECORDED = 4;
/** Records between two yields if all are looked at. */
const READ = 512;

/** Returns all records of a branch, up to its end; the branch is executed again if necessary. */
export function* recordsOf(travel: TimeTravel, id: number): Work<Timeline> {
  const branch = travel.branches.find(id);
  branch.note();
  const { execution, end } = branch;
  if (execution && !isBefore(execution.position, end)) return execution.timeline;
  const again = travel.executionOf(branch.spec);
  yield* again.repeat(end);
  const { timeline } = again;
  // If the branch ended while it waited for a choice, the decision has been completed here: leave out its records.
  return timeline.last > end.seq ? timeline.until(end.seq) : timeline;
}

/** The records of a branch up to a time, whether or not a user went there; fewer if it cannot go on that far. */
export function* recordsUntil(source: SimulationSource, branch: Branch, time: Micros): Work<TraceRecord[]> {
  const records: TraceRecord[] = [];
  branch.note();
  const { execution, end, spec } = branch;
  const known = execution?.timeline.store;
  if (execution && known && known.oldest <= 1 && end.time >= time && !isBefore(execution.position, end)) {
    for (let seq = 1; seq <= known.last; seq++) {
      const record = known.get(seq);
      if (!record || record.time > time) break;
      records.push(record);
      if (seq % READ === 0) yield { steps: 0, time: record.time };
    }
    return records;
  }
  const run = new SimulationRun(source, spec, (record) => void records.push(record));
  const { kernel } = run;
  try {
    for (let n = 1; kernel.now() <= time; n++) {
      if (n % RECORDED === 0) yield { steps: kernel.steps, time: kernel.now() };
      if ((!kernel.nextRunnable && (kernel.nextTimerAt() ?? 0) > time) || run.step() !== 'ran') break;
    }
  } catch (error) {
    if (error instanceof Stopped) throw error;
    // A panic or a deadlock is where it ends.
  }
  return records.filter((record) => record.time <= time);
}
