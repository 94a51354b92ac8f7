/** Ages as kubectl writes them. upstream: apimachinery pkg/util/duration */

/** Says a duration in milliseconds: `5s`, `2m10s`, `47h`, `3d4h`. */
export function humanDuration(millis: number): string {
  const seconds = Math.trunc(millis / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 24 * 8) return two(days, 'd', hours % 24, 'h');
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.floor(days / 365);
  return hours < 24 * 365 * 8 ? two(years, 'y', days % 365, 'd') : `${years}y`;
}

const two = (a: number, unitA: string, b: number, unitB: string): string =>
  b === 0 ? `${a}${unitA}` : `${a}${unitA}${b}${unitB}`;

/** Returns the time since an API time, at `now` (ms since 1970). upstream: translateTimestampSince */
export function since(now: number, time: string | null | undefined): string {
  const at = time ? Date.parse(time) : Number.NaN;
  return Number.isNaN(at) ? '<unknown>' : humanDuration(now - at);
}

/** An API time as describe prints it: `Mon, 02 Jan 2006 15:04:05 +0000`. */
export function rfc1123(time: string | null | undefined): string {
  const at = time ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(at)) return 'Mon, 01 Jan 0001 00:00:00 +0000';
  return new Date(at).toUTCString().replace('GMT', '+0000');
}
