import type { Hit } from '@syncloop/core/debug';

/** A breakpoint or a line of a logpoint at its record, for the timeline. */
export interface BreakpointMark {
  readonly kind: 'breakpoint' | 'logpoint';
  readonly seq: number;
  readonly text: string;
}

/**
 * Where breakpoints are met: those that the session stands at, what logpoints wrote, and what was found. One for each
 * record and breakpoint.
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
