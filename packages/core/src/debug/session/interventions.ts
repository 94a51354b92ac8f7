import { type Deviation, PanicError } from '../../kernel/index.js';
import { Stopped, type Work } from '../base/work.js';
import type { InterventionCommand } from '../protocol/commands.js';
import type { Execution } from '../run/execution.js';
import { isBefore } from '../run/position.js';
import { fork } from './branching.js';
import type { TimeTravel } from './time-travel.js';

/** Does an intervention, here. Throws an Error with the reason if it cannot be done; then all is as it was. */
export function* intervene(travel: TimeTravel, command: InterventionCommand, name: string = command.do): Work {
  const undo = travel.checkpoint();
  const { branch } = travel;
  try {
    yield* forkIfInPast(travel, name);
  } catch (error) {
    undo();
    throw error;
  }
  const { execution, head, kernel } = travel;
  const { position } = execution;
  const time = kernel.now();
  try {
    travel.atHeadDo(() => execution.noting(() => head.intervene(command)), { stops: false });
  } catch (error) {
    if (error instanceof PanicError) {
      // Its immediate effects may end in a panic, too.
      execution.halted = error.message;
      throw error;
    }
    const failed = head.takeBack();
    let asItWas: Execution | undefined;
    if (travel.branch === branch && kernel.lastSeq > position.seq) {
      // It has left a record of what did not happen.
      try {
        asItWas = yield* travel.available.from(branch.spec, travel.timeline, position, position);
        yield* asItWas.settle(time);
      } catch (stopped) {
        // Then the record stays, and so must what left it.
        if (failed) head.putBack(failed);
        throw stopped instanceof Stopped ? error : stopped;
      }
      travel.adopt(branch, asItWas);
    }
    undo(asItWas);
    throw error;
  }
}

/** Answers the choice that is pending. */
export function choose(travel: TimeTravel, index: number): void {
  if (!travel.awaitsChoice) throw new Error('no choice is pending here');
  travel.atHeadDo(() => travel.execution.noting(() => travel.head.choose(index)));
}

/** Takes another way at the decision that comes next. */
export function* deviate(travel: TimeTravel, deviation: Omit<Deviation, 'decision'>, name: string): Work {
  yield* forkIfInPast(travel, name);
  travel.head.deviate({ decision: travel.step + 1, ...deviation });
}

/** Begins a branch if the run is known to go on differently from here than an intervention makes it. */
function* forkIfInPast(travel: TimeTravel, name: string): Work {
  // The rest of the decision where it stands is done in any case.
  if (!travel.atHead && travel.step >= travel.kernel.steps) travel.moveToHead();
  if (!travel.atHead || isBefore(travel.position, travel.end)) yield* fork(travel, name);
}
