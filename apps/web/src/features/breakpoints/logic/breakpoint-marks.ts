import type { Hit } from '@syncloop/core/debug';

/** A breakpoint or a line of a logpoint at its record, for the timeline. */
export interface BreakpointMark {
  readonly kind: 'breakpoint' | 'logpoint';
  readonly seq: number;
  readonly text: string;
}

/**
 * The records at which breakpoints were hit: those at which the session is stopped, those at which logpoints wrote, and
 * those that a search found. One mark for each record and breakpoint.
 */
export function marksOf(
  current: readonly Hit[],
  written: readonly Hit[],
  found: readonly Hit[],
  words: (id: string) => string,
): readonly BreakpointMark[] {
  const marks = new Map<string, BreakpointMark>();
  for (const { id, seq, text } of [...found, ...written, ...current])
    marks.set(`${seq} ${id}`, { kind: text === undefined ? 'breakpoint' : 'logpoint', seq, text: text ?? words(id) });
  return [...marks.values()];
}
