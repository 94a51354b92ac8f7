import type { ResourceList } from '../api/types.js';

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
const nano = 10n ** 9n;

/**
 * An amount in billionths, exact. Throws a SyntaxError with upstream's text where the text is no quantity.
 * upstream: resource.ParseQuantity
 */
export function parseQuantity(text: string | number): bigint {
  const m = /^([+-]?)(\d*)(?:\.(\d*))?(?:([eE][+-]?\d+)|([KMGTPE]i|[kMGTPEnum]))?$/.exec(String(text));
  if (!m || (!m[2] && !m[3]))
    throw new SyntaxError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  const fraction = m[3] ?? '';
  let mantissa = BigInt(`${m[2] ?? ''}${fraction}` || '0');
  let scale = BigInt(fraction.length);
  if (m[4]) scale -= BigInt(m[4].slice(1));
  const unit = m[5] === undefined ? nano : (small[m[5]] ?? (suffixes[m[5]] as bigint) * nano);
  mantissa *= unit;
  const amount = scale >= 0n ? ceilDiv(mantissa, 10n ** scale) : mantissa * 10n ** -scale;
  return m[1] === '-' ? -amount : amount;
}

const ceilDiv = (a: bigint, b: bigint): bigint => a / b + (a % b > 0n ? 1n : 0n);

/** Whole units, rounded up. upstream: Quantity.Value */
export const quantityValue = (q: bigint): number => Number(ceilDiv(q, nano));
/** Thousandths, rounded up. upstream: Quantity.MilliValue */
export const quantityMilliValue = (q: bigint): number => Number(ceilDiv(q, 10n ** 6n));

/** Milli-units as text: 500m, 2. upstream: resource.NewMilliQuantity with DecimalSI */
export const formatMilli = (milli: number): string => (milli % 1000 === 0 ? String(milli / 1000) : `${milli}m`);

/** Bytes as text, in the largest unit that leaves a whole number: 64Mi. upstream: resource.NewQuantity with BinarySI */
export function formatBytes(bytes: number): string {
  let n = bytes;
  let i = 0;
  for (const last = 6; i < last && n !== 0 && n % 1024 === 0; i++) n /= 1024;
  return `${n}${['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'][i]}`;
}

/** What a list says about a resource, 0n where it says nothing or is not readable. */
export function resourceOf(list: ResourceList | undefined, name: string): bigint {
  const text = list?.[name];
  if (text === undefined) return 0n;
  try {
    return parseQuantity(text);
  } catch {
    return 0n;
  }
}
