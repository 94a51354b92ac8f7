/** Bytes for people: `1.5 GiB`. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let n = bytes;
  for (; n >= 1024 && unit < units.length - 1; unit++) n /= 1024;
  return `${unit === 0 || Number.isInteger(n) ? n : n.toFixed(1)} ${units[unit]}`;
}
