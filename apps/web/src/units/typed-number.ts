/** Parses a number as people type it, with a point or a comma; undefined if the text is not a number. */
export function numberFrom(typed: string): number | undefined {
  const text = typed.trim().replace(',', '.');
  return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : undefined;
}

/** Returns an amount with its unit, '' for none; numbers have at most three decimals. */
export function withUnit(value: unknown, unit: string): string {
  const number = typeof value === 'number' ? Number(value.toFixed(3)) : value;
  return unit === '' ? String(number) : `${String(number)} ${unit}`;
}
