import { parseQuantity } from '../util/quantity.js';

/** An amount and the notation that it is printed in. upstream: apimachinery resource.Quantity */
export interface Quantity {
  /** Billionths, exact. */
  readonly nano: bigint;
  readonly format: 'BinarySI' | 'DecimalSI';
}

const unit = 10n ** 9n;

/** Throws a SyntaxError with upstream's text where the text is no quantity. upstream: resource.ParseQuantity */
export const readQuantity = (text: string): Quantity => ({
  nano: parseQuantity(text),
  format: /[KMGTPE]i$/.test(text) ? 'BinarySI' : 'DecimalSI',
});

/** Of whole units. upstream: resource.NewQuantity */
export const newQuantity = (value: number, format: Quantity['format']): Quantity => ({
  nano: BigInt(Math.trunc(value)) * unit,
  format,
});

export const addQuantity = (a: Quantity, b: Quantity): Quantity => ({ ...a, nano: a.nano + b.nano });
/** -1, 0 or 1. upstream: (*Quantity).Cmp */
export const cmpQuantity = (a: Quantity, b: Quantity): number => (a.nano === b.nano ? 0 : a.nano > b.nano ? 1 : -1);
/** Whole units, rounded up. upstream: (*Quantity).Value */
export const wholeUnits = ({ nano }: Quantity): number => Number(nano / unit + (nano % unit > 0n ? 1n : 0n));

const suffixes = {
  BinarySI: ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'],
  DecimalSI: ['', 'k', 'M', 'G', 'T', 'P', 'E'],
} as const;

/** The canonical text: the largest unit that leaves a whole number. upstream: (*Quantity).String, CanonicalizeBytes */
export function quantityText({ nano, format }: Quantity): string {
  if (nano === 0n) return '0';
  if (nano % unit !== 0n) {
    if (nano % 10n ** 6n === 0n) return `${nano / 10n ** 6n}m`;
    return nano % 1000n === 0n ? `${nano / 1000n}u` : `${nano}n`;
  }
  let n = nano / unit;
  // Amounts below one Ki are printed as plain numbers.
  const names = suffixes[n > -1024n && n < 1024n ? 'DecimalSI' : format];
  const base = names === suffixes.BinarySI ? 1024n : 1000n;
  let i = 0;
  while (i + 1 < names.length && n % base === 0n) {
    n /= base;
    i++;
  }
  return `${n}${names[i]}`;
}
