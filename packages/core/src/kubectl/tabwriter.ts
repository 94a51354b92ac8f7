/**
 * Columns that line up: cells end with a tab, a column is as wide as its widest cell in neighbouring lines.
 * upstream: Go's text/tabwriter
 */

export interface TabOptions {
  /** Narrowest column, with its padding. */
  readonly minWidth: number;
  readonly padding: number;
}

/** Lines up columns as `kubectl describe` does. */
export const describeTabs: TabOptions = { minWidth: 0, padding: 2 };

/** Text whose cells end with tabs, as columns. The last cell of a line belongs to none. */
export function tabbed(text: string, { minWidth, padding }: TabOptions): string {
  const lines = text.split('\n').map((line) => line.split('\t'));
  const out: string[] = [];
  const widths: number[] = [];
  const write = (from: number, to: number) => {
    for (let i = from; i < to; i++)
      out.push((lines[i] ?? []).map((cell, j) => (j < widths.length ? pad(cell, widths[j] ?? 0) : cell)).join(''));
  };
  const format = (from: number, to: number): void => {
    const column = widths.length;
    let begun = from;
    for (let i = from; i < to; i++) {
      if (column >= (lines[i] ?? []).length - 1) continue;
      // Here begins a block of lines that have this column.
      write(begun, i);
      begun = i;
      let width = minWidth;
      for (; i < to && column < (lines[i] ?? []).length - 1; i++)
        width = Math.max(width, widthOf(lines[i]?.[column] ?? '') + padding);
      widths.push(width);
      format(begun, i);
      widths.pop();
      begun = i;
    }
    write(begun, to);
  };
  format(0, lines.length);
  return out.join('\n');
}

const widthOf = (cell: string): number => [...cell].length;
const pad = (cell: string, width: number): string => cell + ' '.repeat(Math.max(0, width - widthOf(cell)));

/**
 * A table as kubectl prints one, line by line: columns only ever get wider, so that a watch stays in line.
 * upstream: cli-runtime printers.GetNewTabWriter
 */
export class TablePrinter {
  private readonly widths: number[] = [];

  /** Rows that come together, as lines without line breaks. */
  lines(rows: readonly (readonly string[])[]): string[] {
    for (const row of rows)
      for (let i = 0; i < row.length - 1; i++)
        this.widths[i] = Math.max(this.widths[i] ?? 6, widthOf(row[i] ?? '') + 3);
    return rows.map((row) =>
      row.map((cell, i) => (i < row.length - 1 ? pad(cell, this.widths[i] ?? 0) : cell)).join(''),
    );
  }
}
