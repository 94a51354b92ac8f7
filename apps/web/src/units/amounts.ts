/**
 * Returns an amount of an eviction signal: bytes in the largest unit of which there is one or more, else a plain
 * number.
 */
export function amountText(signal: string, amount: number): string {
  if (!signal.endsWith('.available') || signal === 'pid.available') return String(amount);
  let n = amount;
  let i = 0;
  for (; i < 4 && Math.abs(n) >= 1024; i++) n /= 1024;
  return `${Number(n.toFixed(1))}${['', 'Ki', 'Mi', 'Gi', 'Ti'][i]}`;
}
