/** Suggestions under the input, and the history of commands. */
import { type Completion, commonStart, complete, type Known } from '@syncloop/core/kubectl';

export interface Suggestions {
  readonly completion: Completion;
  /** The marked suggestion; -1 for none. */
  readonly chosen: number;
}

export const NO_SUGGESTIONS: Suggestions = { completion: { from: 0, to: 0, candidates: [] }, chosen: -1 };
/** Most that are shown at once. */
export const MOST_SHOWN = 60;

/** Completes a line for Tab: returns the line itself, further, and what could come next. */
export function tab(line: string, known: Known): { readonly line: string; readonly suggestions: Suggestions } {
  const completion = complete(line, known);
  const { candidates, from } = completion;
  const [only] = candidates;
  if (only === undefined) return { line, suggestions: NO_SUGGESTIONS };
  if (candidates.length === 1) return { line: insert(line, completion, only), suggestions: NO_SUGGESTIONS };
  const start = commonStart(candidates);
  const grown = start.length > line.length - from ? line.slice(0, from) + start : line;
  return { line: grown, suggestions: { completion: { ...completion, to: grown.length }, chosen: -1 } };
}

/** Returns the line with a candidate in the place of its beginning. */
export function insert(line: string, { from, to }: Completion, candidate: string): string {
  // After a path, an equals sign or a slash something may follow at once.
  const goesOn = /[=/]$/.test(candidate) || candidate.startsWith('pod.') || candidate === 'pod';
  return `${line.slice(0, from)}${candidate}${goesOn ? '' : ' '}${line.slice(to)}`;
}

/**
 * Walks through the history, only over lines that begin as this one does. `at`: a position in history, its length for
 * the line itself.
 */
export function walk(
  history: readonly string[],
  at: number,
  by: 1 | -1,
  start: string,
): { readonly at: number; readonly line: string | null } {
  for (let i = at + by; i >= 0 && i < history.length; i += by) {
    const line = history[i] as string;
    if (line.startsWith(start) && line !== start) return { at: i, line };
  }
  return by > 0 ? { at: history.length, line: null } : { at, line: history[at] ?? null };
}

/** The newest line before `before` that has the words in it, or null. */
export function searchBack(history: readonly string[], words: string, before: number): number | null {
  if (words === '') return null;
  for (let i = Math.min(before, history.length) - 1; i >= 0; i--) if (history[i]?.includes(words)) return i;
  return null;
}
