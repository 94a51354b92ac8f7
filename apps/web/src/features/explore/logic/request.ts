/** Checks whether a form can be started, and makes the command of it. */
import type { Command } from '@syncloop/core/debug';
import { compile, ExpressionError } from '@syncloop/core/expression';
import type { Draft } from './draft.js';

export const MOST_SCHEDULES = 100_000;
export const MOST_SECONDS = 3600;

/** The reason why a draft cannot be started: the field, and for an expression what is wrong with it and where. */
export interface DraftProblem {
  readonly field: 'condition' | 'vary' | 'schedules' | 'seconds';
  readonly reason: string;
  readonly position?: number;
  readonly end?: number;
}

const wholeIn = (text: string, most: number): number | null => {
  const n = Number(text.trim());
  return text.trim() !== '' && Number.isInteger(n) && n >= 1 && n <= most ? n : null;
};

/** Returns what is wrong with the condition that is looked for; null if nothing is. */
export function conditionProblem({ look, ...draft }: Draft): DraftProblem | null {
  if (look !== 'never' && look !== 'finally') return null;
  try {
    compile(draft[look]);
    return null;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const { reason, position, end } = error;
    return { field: 'condition', reason, position, ...(end !== undefined && { end }) };
  }
}

export function problemOf(draft: Draft): DraftProblem | null {
  const condition = conditionProblem(draft);
  if (condition) return condition;
  if (!draft.select && !draft.goroutine) return { field: 'vary', reason: '' };
  if (wholeIn(draft.schedules, MOST_SCHEDULES) === null) return { field: 'schedules', reason: '' };
  if (wholeIn(draft.seconds, MOST_SECONDS) === null) return { field: 'seconds', reason: '' };
  return null;
}

export interface Request {
  readonly command: Extract<Command, { do: 'explore' }>;
  /** Longest that it may take, in seconds of the wall clock. */
  readonly seconds: number;
}

/** The command that a draft without a problem makes. */
export function requestOf(draft: Draft): Request {
  const { look, strategy, stopAtFirst } = draft;
  const vary = (['select', 'goroutine'] as const).filter((kind) => draft[kind]);
  return {
    command: {
      do: 'explore',
      schedules: Number(draft.schedules),
      strategy,
      vary,
      stopAtFirst,
      ...(look === 'invariant' && { invariants: [draft.invariant] }),
      ...(look === 'never' && { invariants: [], never: [draft.never] }),
      ...(look === 'finally' && { invariants: [], finally: [draft.finally] }),
    },
    seconds: Number(draft.seconds),
  };
}
