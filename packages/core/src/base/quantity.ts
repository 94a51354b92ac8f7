/**
 * Amounts of resources as the Kubernetes API writes them: 500m, 64Mi, 1e3. They are compared by amount, never as text.
 */

const suffixes: Readonly<Record<string, bigint>> = {
  Ki: 1n << 10n,
  Mi: 1n << 20n,
  Gi: 1n << 30n,
  Ti: 1n << 40n,
  Pi: 1n << 50n,
  Ei: 1n << 60n,
  k: 1000n,
  M: 10n ** 6n,
  G: 10n ** 9n,
  T: 10n ** 12n,
  P: 10n ** 15n,
  E: 10n ** 18n,
};
const small: Readonly<Record<string, bigint>> = { n: 1n, u: 1000n, m: 10n ** 6n };
const unit = 10n ** 9n;

const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:([eE][+-]?\d+)|([KMGTPE]i|[kMGTPEnum]))?$/;
/** Upstream's text for what is not a quantity. upstream: resource.ErrFormatWrong */
export const quantityFormatError =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Returns true if a text is a quantity. */
export function isQuantity(text: string): boolean {
  const m = pattern.exec(text);
  return m !== null && Boolean(m[2] || m[3]);
}

/**
 * An amount in billionths, exact. Throws a SyntaxError with upstream's text for any other text.
 * upstream: resource.ParseQuantity
 */
export function parseQuantity(text: string | number): bigint {
  const m = pattern.exec(String(text));
  if (!m || (!m[2] && !m[3])) throw new SyntaxError(quantityFormatError);
  const fraction = m[3] ?? '';
  let mantissa = BigInt(`${m[2] ?? ''}${fraction}` || '0');
  let scale = BigInt(fraction.length);
  // More zeros than this are beyond any amount, and would take all memory.
  const most = 400 + fraction.length;
  if (m[4]) scale -= BigInt(Math.max(-most, Math.min(most, Number(m[4].slice(1)))));
  mantissa *= m[5] === undefined ? unit : (small[m[5]] ?? (suffixes[m[5]] as bigint) * unit);
  const amount = scale >= 0n ? ceilDiv(mantissa, 10n ** scale) : mantissa * 10n ** -scale;
  return m[1] === '-' ? -amount : amount;
}

const ceilDiv = (a: bigint, b: bigint): bigint => a / b + (a % b > 0n ? 1n : 0n);

/** Whole units, rounded up. upstream: (*Quantity).Value */
export const quantityValue = (nano: bigint): number => Number(ceilDiv(nano, unit));
/** The amount in thousandths, rounded up. upstream: (*Quantity).MilliValue */
export const quantityMilliValue = (nano: bigint): number => Number(ceilDiv(nano, 10n ** 6n));

/**
 * Returns true if two texts are the same amount: `1Gi` and `1024Mi` are. Texts that are not quantities are the same
 * only if they are equal.
 * upstream: (*Quantity).Equal
 */
export function sameQuantity(a: string | number | undefined, b: string | number | undefined): boolean {
  if (a === b || a === undefined || b === undefined) return a === b;
  if (!isQuantity(String(a)) || !isQuantity(String(b))) return String(a) === String(b);
  return parseQuantity(a) === parseQuantity(b);
}

/** Returns the amount of one resource in a list, in billionths; 0n if it is absent or not readable. */
export function resourceOf(list: { readonly [name: string]: string } | undefined, name: string): bigint {
  const text = list?.[name];
  return text !== undefined && isQuantity(text) ? parseQuantity(text) : 0n;
}

/** Thousandths as text: 500m, 2. upstream: resource.NewMilliQuantity with DecimalSI */
export const formatMilli = (milli: number): string => (milli % 1000 === 0 ? String(milli / 1000) : `${milli}m`);

/** Bytes as text, in the largest unit that leaves a whole number: 64Mi. upstream: resource.NewQuantity with BinarySI */
export function formatBytes(bytes: number): string {
  let n = bytes;
  let i = 0;
  for (const last = 6; i < last && n !== 0 && n % 1024 === 0; i++) n /= 1024;
  return `${n}${['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'][i]}`;
}

/** An amount and the notation that it is printed in. upstream: apimachinery resource.Quantity */
export interface Quantity {
  /** Billionths, exact. */
  readonly nano: bigint;
  readonly format: 'BinarySI' | 'DecimalSI' | 'DecimalExponent';
}

/** Throws a SyntaxError with upstream's text if the text is not a quantity. upstream: resource.ParseQuantity */
export const readQuantity = (text: string): Quantity => ({
  nano: parseQuantity(text),
  format: /[KMGTPE]i$/.test(text) ? 'BinarySI' : /[eE][+-]?\d+$/.test(text) ? 'DecimalExponent' : 'DecimalSI',
});

/** An amount of whole units. upstream: resource.NewQuantity */
export const newQuantity = (value: number, format: Quantity['format']): Quantity => ({
  nano: BigInt(Math.trunc(value)) * unit,
  format,
});

export const addQuantity = (a: Quantity, b: Quantity): Quantity => ({ ...a, nano: a.nano + b.nano });
/** -1, 0 or 1. upstream: (*Quantity).Cmp */
export const cmpQuantity = (a: Quantity, b: Quantity): number => (a.nano === b.nano ? 0 : a.nano > b.nano ? 1 : -1);

const binaryNames = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** By thousands, from 10^-9. */
const decimalNames = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];

/** The canonical text: the largest unit that leaves a whole number. upstream: (*Quantity).String, CanonicalizeBytes */
export function quantityText({ nano, format }: Quantity): string {
  if (nano === 0n) return '0';
  // An amount that is not a whole number, or is less than one Ki, is printed with decimal units.
  if (format === 'BinarySI' && nano % unit === 0n && (nano <= -1024n * unit || nano >= 1024n * unit))
    return reduced(nano / unit, 1024n, binaryNames);
  if (format !== 'DecimalExponent') return reduced(nano, 1000n, decimalNames);
  let [n, exponent] = [nano, -9];
  while (n % 1000n === 0n) [n, exponent] = [n / 1000n, exponent + 3];
  return `${n}${exponent === 0 ? '' : `e${exponent}`}`;
}

function reduced(amount: bigint, base: bigint, units: readonly string[]): string {
  let [n, i] = [amount, 0];
  while (i + 1 < units.length && n % base === 0n) [n, i] = [n / base, i + 1];
  return `${n}${units[i]}`;
}

/** The text that Kubernetes writes for an amount: `500m` for `0.5`. Throws as {@link readQuantity} does. */
export const canonicalQuantity = (text: string): string => quantityText(readQuantity(text));
