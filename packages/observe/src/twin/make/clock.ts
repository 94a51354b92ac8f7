/** A time of the API in microseconds since 1970; null for a text that is not a time, and for Go's zero time. */
export function rfc3339Micros(time: string): number | null {
  const found = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(time);
  if (!found) return null;
  const millis = Date.parse(`${found[1]}${found[3]}`);
  if (!(millis > 0)) return null;
  return millis * 1000 + Number((found[2] ?? '').padEnd(6, '0').slice(0, 6));
}
