import type { CommandResult, SessionBackend } from '../debug/protocol/backend.js';
import type { Command } from '../debug/protocol/commands.js';
import type { Lesson } from './lesson.js';
import type { LessonPlace } from './place.js';
import { advance, type LessonEvent, type LessonState } from './player.js';

/** A session in this program that is moved as fast as it can. */
export interface PumpedSession extends SessionBackend {
  pump(elapsedMillis: number, expired: () => boolean): number | null;
}

/** The place at which a session in this program stands. */
export function placeOf(session: SessionBackend): LessonPlace {
  const { branch = 1, steps } = session.runState();
  return { session: session.info.id, node: session.info.node, branch, step: steps, store: session.store };
}

/** A command that takes longer has no end. */
const MOST_PUMPS = 20_000;

/** Does a command to its end. Throws if there is none. */
export function perform(session: PumpedSession, command: Command): CommandResult {
  let result: CommandResult | null = null;
  session.execute(command, (r) => {
    result = r;
  });
  for (let n = 0; result === null; n++) {
    const again = session.pump(250, () => true);
    if (result === null && (again === null || n > MOST_PUMPS)) throw new Error(`${command.do} does not end here`);
  }
  return result;
}

/** Tells the lesson an event, and does all commands that follow from it. */
export function play(lesson: Lesson, state: LessonState, event: LessonEvent, session: PumpedSession): LessonState {
  let now = advance(lesson, state, event, placeOf(session));
  while (now.command) {
    const { command, serial } = now;
    const result = perform(session, command);
    now = advance(lesson, now, { type: 'result', serial, result }, placeOf(session));
  }
  return now;
}
