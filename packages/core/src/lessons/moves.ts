import type { Command } from '../debug/protocol/commands.js';
import type { UntilResult } from '../debug/protocol/protocol.js';
import type { Json } from '../trace/index.js';
import type { Move } from './lesson.js';
import type { LessonPlace, Spot } from './place.js';

/** A move as a command at this place. Throws an Error that says why it is not possible here. */
export function commandOf(
  move: Move,
  place: LessonPlace,
  spots: (name: string) => Spot | undefined,
  fast: boolean,
): Command {
  switch (move.move) {
    case 'until': {
      const { where, within, pace } = move;
      return { do: 'until', where, within, pace: fast ? 'fast' : pace };
    }
    case 'step': {
      const { unit, count, back, pod } = move;
      return { do: 'step', unit, count, ...(back && { back }), ...(pod !== undefined && { pod }) };
    }
    case 'go': {
      const { to } = move;
      if (!('place' in to)) return { do: 'go', to };
      const spot = spots(to.place);
      if (!spot) throw new Error(`the place "${to.place}" is not known in this run`);
      return travelTo(spot);
    }
    case 'take':
      return takeCommand(move.channel, place);
    case 'ask':
      return { do: 'ask', select: move.select };
    case 'act': {
      const { action, json } = move;
      // The manifest as it is written, with its comments.
      if (action.verb === 'apply' && !action.api)
        return { do: 'apply', manifest: action.text, file: action.file, force: true };
      return { do: 'act', action: json as Json };
    }
  }
}

export const travelTo = ({ branch, step, seq }: Spot): Command => ({ do: 'switch', branch, to: { step, seq } });

function takeCommand(channel: string, { store }: LessonPlace): Command {
  const { loop, channels } = store.state;
  const select = store.get(loop.chosenSeq);
  if (select?.kind !== 'select') throw new Error('there is no select yet from which another case could be taken');
  const index = select.cases.findIndex((id) => channels[id]?.name === channel);
  const canBeTaken = select.ready ?? [];
  const ready = canBeTaken.map((i) => channels[select.cases[i] as number]?.name ?? '?');
  if (index < 0 || !canBeTaken.includes(index))
    throw new Error(`${channel} was not ready at the last select; these were: ${ready.join(', ') || 'none'}`);
  return { do: 'take', seq: select.seq, case: index };
}

/** Returns the failure in the result of a move's command; null if all is well. */
export function failureOf(move: Move, value: Json | undefined): { reason: Trouble; text: string } | null {
  if (move.move !== 'until') return null;
  const { met, ended } = value as unknown as UntilResult;
  if (met) return null;
  if (ended === 'time') return { reason: 'time', text: `not within ${move.within / 1e6} s of the run: ${move.where}` };
  return { reason: ended === 'met' ? 'end' : ended, text: `the run stopped before that: ${move.where}` };
}

/** The reason why a lesson does not go on: a command was refused, or a run ended elsewhere. */
export type Trouble = 'refused' | 'time' | 'breakpoint' | 'choice' | 'end' | 'paused';
