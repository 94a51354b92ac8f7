/** Two sides of a comparison as rows: what is the same stands next to each other. */
import type { Json } from '@syncloop/workshop/interpreter';
import type { SideEntry, Sides } from '@syncloop/workshop/judge';

export interface SideRow {
  readonly real: SideEntry | null;
  readonly yours: SideEntry | null;
}

const isSame = (a: SideEntry, b: SideEntry): boolean => a.kind === b.kind && a.text === b.text;

/** Aligns them by the longest common sequence, each side in its order. */
export function alignSides({ real, yours }: Pick<Sides, 'real' | 'yours'>): readonly SideRow[] {
  const [n, m] = [real.length, yours.length];
  // The length of the longest common sequence of what follows from each place on.
  const longest = Array.from({ length: n + 1 }, () => new Array<number>(m + 1).fill(0));
  const at = (i: number, k: number): number => longest[i]?.[k] ?? 0;
  for (let i = n - 1; i >= 0; i--)
    for (let k = m - 1; k >= 0; k--)
      (longest[i] as number[])[k] = isSame(real[i] as SideEntry, yours[k] as SideEntry)
        ? at(i + 1, k + 1) + 1
        : Math.max(at(i + 1, k), at(i, k + 1));
  const rows: SideRow[] = [];
  let [i, k] = [0, 0];
  while (i < n || k < m) {
    const [a, b] = [real[i] ?? null, yours[k] ?? null];
    if (a && b && isSame(a, b)) {
      rows.push({ real: a, yours: b });
      i++;
      k++;
    } else if (a && (!b || at(i + 1, k) >= at(i, k + 1))) {
      rows.push({ real: a, yours: null });
      i++;
    } else {
      rows.push({ real: null, yours: b });
      k++;
    }
  }
  return paired(rows);
}

/** An entry that only one side has stands next to one of the same kind that only the other one has there. */
function paired(rows: readonly SideRow[]): readonly SideRow[] {
  const out: SideRow[] = [];
  for (const row of rows) {
    const open = row.real === null ? out.findLastIndex((one) => one.real !== null && one.yours !== null) + 1 : -1;
    const place =
      open < 0 ? -1 : out.findIndex((o, i) => i >= open && o.yours === null && o.real?.kind === row.yours?.kind);
    // Nothing of this side may stand between them: its own order stays.
    const isFree = place >= 0 && out.slice(place).every((one) => one.yours === null);
    if (isFree) out[place] = { real: (out[place] as SideRow).real, yours: row.yours };
    else out.push(row);
  }
  return out;
}

/** Returns the row of the first difference: the entry that came, or the one that is missing; -1 if neither is there. */
export function firstRow(
  rows: readonly SideRow[],
  { at, expected, got }: { readonly at: number; readonly expected: Json; readonly got: Json },
): number {
  const differs = ({ real, yours }: SideRow) => real === null || yours === null || !isSame(real, yours);
  const exact = rows.findIndex(
    (row) => differs(row) && (row.yours?.text === got || row.yours === null) && row.real?.text === expected,
  );
  if (exact >= 0) return exact;
  const came = rows.findIndex((row) => row.yours !== null && Math.abs(row.yours.at - at) < 1);
  return came >= 0 ? came : rows.findIndex(differs);
}

/** A status as what is new in it since the one before on its side. */
export function briefStatus(before: string | null, text: string): string {
  const known = new Set(before?.split(', ') ?? []);
  const fresh = text.split(', ').filter((piece) => !known.has(piece));
  return (fresh.length > 0 ? fresh : text.split(', ')).join(', ');
}
