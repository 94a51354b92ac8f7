/** An outline as rows, one below the other: the unfolded ones, or those that a filter leaves. Pure. */
import type { OutlineLine } from './outline-lines.js';

export interface OutlineRow {
  readonly line: OutlineLine;
  readonly level: number;
  /** Null: it has nothing below it. */
  readonly expanded: boolean | null;
  /** Among those of the same parent, from 1. */
  readonly place: number;
  readonly of: number;
}

export const isOpen = (line: OutlineLine, folded: ReadonlyMap<string, boolean>): boolean =>
  folded.get(line.id) ?? line.open;

/** `folded`: the rows that the user folded (false) or unfolded (true), by id. */
export function rowsOf(lines: readonly OutlineLine[], folded: ReadonlyMap<string, boolean>): OutlineRow[] {
  const rows: OutlineRow[] = [];
  const walk = (list: readonly OutlineLine[], level: number) => {
    for (const [i, line] of list.entries()) {
      const open = isOpen(line, folded);
      rows.push({ line, level, expanded: line.parent ? open : null, place: i + 1, of: list.length });
      if (open) walk(line.children, level + 1);
    }
  };
  walk(lines, 1);
  return rows;
}

/** Returns the lines with all words, those above and below them, and the number of matches. */
export function filterLines(
  lines: readonly OutlineLine[],
  wanted: string,
): { readonly lines: readonly OutlineLine[]; readonly found: number } {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return { lines, found: 0 };
  let found = 0;
  const matches = (line: OutlineLine) => {
    const text = `${line.text} ${line.note}`.toLowerCase();
    return words.every((w) => text.includes(w));
  };
  const keep = (list: readonly OutlineLine[]): OutlineLine[] =>
    list.flatMap((line) => {
      const hit = matches(line);
      if (hit) found++;
      const below = keep(line.children);
      if (!hit && below.length === 0) return [];
      // Lines below a match belong to it; it stands folded unless one of them matches as well.
      const children = below.length > 0 ? below : line.children;
      return [{ ...line, open: below.length > 0, children, parent: children.length > 0 }];
    });
  return { lines: keep(lines), found };
}

/**
 * Returns the row that a key leads to from row `at`, and the row that it folds or unfolds; null: the key is not one of
 * a tree's.
 */
export function keyInTree(
  key: string,
  rows: readonly OutlineRow[],
  at: number,
): { readonly to: number; readonly fold?: { readonly id: string; readonly open: boolean } } | null {
  const row = rows[at];
  if (!row) return null;
  const last = rows.length - 1;
  switch (key) {
    case 'ArrowDown':
      return { to: Math.min(last, at + 1) };
    case 'ArrowUp':
      return { to: Math.max(0, at - 1) };
    case 'Home':
      return { to: 0 };
    case 'End':
      return { to: last };
    case 'ArrowRight':
      if (row.expanded === false) return { to: at, fold: { id: row.line.id, open: true } };
      return { to: row.expanded && rows[at + 1] ? at + 1 : at };
    case 'ArrowLeft': {
      if (row.expanded === true) return { to: at, fold: { id: row.line.id, open: false } };
      const above = rows.slice(0, at).findLastIndex((r) => r.level < row.level);
      return { to: above < 0 ? at : above };
    }
    default:
      return null;
  }
}
