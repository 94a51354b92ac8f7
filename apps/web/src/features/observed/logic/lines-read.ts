import type { Overview } from '@syncloop/core/debug';

/** The share of all lines that was read, for the line that names the kubelet; null if no log was read. */
export function linesRead({
  programs,
  elsewhere,
}: Pick<Overview, 'programs' | 'elsewhere'>): { readonly percent: string; readonly lines: string } | null {
  const lines = programs.reduce((sum, one) => sum + one.lines, elsewhere);
  if (lines === 0) return null;
  const read = programs.reduce((sum, one) => sum + one.read, 0);
  // All are read only if no line is left.
  const percent = read === lines ? 100 : Math.min(99, Math.round((100 * read) / lines));
  return { percent: String(percent), lines: lines.toLocaleString('en-US') };
}
