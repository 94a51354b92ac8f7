const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Bytes as people read them: `812 B`, `4.2 MB`, `120 GB`. Units of 1000, as file managers and browsers have them. */
export function bytesText(bytes: number, lang: string): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 99.5 ? 0 : 1;
  return `${value.toLocaleString(lang, { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${UNITS[unit]}`;
}
