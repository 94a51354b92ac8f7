import {
  addQuantity,
  newQuantity,
  parseDuration,
  type Quantity,
  quantityValue,
  readQuantity,
} from '../../base/index.js';
import { isHard, type Signal, signals, type Threshold, type ThresholdValue } from './types.js';

type Statements = Readonly<Record<string, string>>;

/** The part of KubeletConfiguration that configures thresholds. */
export interface ThresholdConfig {
  readonly evictionHard?: Statements;
  readonly evictionSoft?: Statements;
  readonly evictionSoftGracePeriod?: Statements;
  readonly evictionMinimumReclaim?: Statements;
  readonly mergeDefaultEvictionSettings?: boolean;
  readonly enforceNodeAllocatable?: readonly string[];
}

/** upstream: defaults_linux.go DefaultEvictionHard (fidelity 3:EV-02) */
export const defaultEvictionHard: Statements = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
};

/**
 * Returns the effective `evictionHard`: the defaults if it is not set, else only what it sets, unless defaults are to
 * be merged in.
 * upstream: apis/config/v1beta1/defaults.go
 */
export const effectiveEvictionHard = (config: ThresholdConfig): Statements =>
  config.evictionHard === undefined
    ? defaultEvictionHard
    : config.mergeDefaultEvictionSettings
      ? { ...defaultEvictionHard, ...config.evictionHard }
      : config.evictionHard;

/** The thresholds of a configuration. Throws with upstream's texts if it is wrong. upstream: ParseThresholdConfig */
export function parseThresholdConfig(config: ThresholdConfig): Threshold[] {
  const hard = parseStatements(effectiveEvictionHard(config));
  const soft = parseStatements(config.evictionSoft ?? {});
  const gracePeriods = parseGracePeriods(config.evictionSoftGracePeriod ?? {});
  const minReclaims = parseMinimumReclaims(config.evictionMinimumReclaim ?? {});
  const all = [
    ...hard.map(([signal, value]) => ({ signal, value, gracePeriod: 0 })),
    ...soft.map(([signal, value]) => {
      const gracePeriod = gracePeriods.get(signal);
      if (gracePeriod === undefined)
        throw new Error(`grace period must be specified for the soft eviction threshold ${signal}`);
      return { signal, value, gracePeriod };
    }),
  ].map((t): Threshold => ({ ...t, minReclaim: minReclaims.get(t.signal) ?? null }));
  return (config.enforceNodeAllocatable ?? ['pods']).includes('pods') ? addAllocatableThresholds(all) : all;
}

/** Adds for each threshold of the node's memory one for the pods' own part. upstream: addAllocatableThresholds */
const addAllocatableThresholds = (thresholds: readonly Threshold[]): Threshold[] => [
  ...thresholds,
  ...thresholds
    .filter((t) => t.signal === 'memory.available' && isHard(t))
    .map((t): Threshold => ({ ...t, signal: 'allocatableMemory.available' })),
];

/**
 * The writable layers' disk has the thresholds of the disk that it is on, whatever was configured for it.
 * upstream: UpdateContainerFsThresholds
 */
export function updateContainerFsThresholds(
  thresholds: readonly Threshold[],
  imageFs: boolean,
  separateContainerImageFs: boolean,
): { readonly thresholds: Threshold[]; readonly ignored: string | null } {
  const given = thresholds.filter((t) => t.signal.startsWith('containerfs.'));
  const from = imageFs && !separateContainerImageFs ? 'imagefs' : 'nodefs';
  const copies = (['available', 'inodesFree'] as const).flatMap((what) =>
    [true, false].flatMap((hard) =>
      thresholds
        .filter((t) => t.signal === `${from}.${what}` && isHard(t) === hard)
        .slice(-1)
        .map((t): Threshold => ({ ...t, signal: `containerfs.${what}` })),
    ),
  );
  const last = given.at(-1);
  return {
    thresholds: [...thresholds.filter((t) => !given.includes(t)), ...copies],
    ignored: last ? `found ${last.signal} for ${isHard(last) ? 'hard' : 'soft'} eviction. ignoring` : null,
  };
}

function signalNamed(name: string): Signal {
  if (!Object.hasOwn(signals, name)) throw new Error(`unsupported eviction signal ${name}`);
  return name as Signal;
}

/** upstream: parseThresholdStatements */
function parseStatements(statements: Statements): [Signal, ThresholdValue][] {
  return Object.entries(statements).flatMap(([name, text]): [Signal, ThresholdValue][] => {
    const signal = signalNamed(name);
    if (text.endsWith('%')) {
      // These mean that nothing is kept free.
      if (text === '0%' || text === '100%') return [];
      const percentage = parsePercentage(text);
      if (percentage < 0) throw new Error(`eviction percentage threshold ${signal} must be >= 0%: ${text}`);
      if (percentage > 1) throw new Error(`eviction percentage threshold ${signal} must be <= 100%: ${text}`);
      return [[signal, { percentage }]];
    }
    const quantity = readQuantity(text);
    if (quantity.nano <= 0n) throw new Error(`eviction threshold ${signal} must be positive: ${text}`);
    return [[signal, { quantity }]];
  });
}

/**
 * Reads a percentage in single precision, as in upstream: a percentage of a large disk differs by some bytes.
 * upstream: parsePercentage
 */
function parsePercentage(text: string): number {
  const number = text.replace(/%+$/, '');
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(number))
    throw new Error(`strconv.ParseFloat: parsing ${JSON.stringify(number)}: invalid syntax`);
  return Math.fround(Math.fround(Number(number)) / 100);
}

/** upstream: parseGracePeriods */
function parseGracePeriods(statements: Statements): Map<Signal, number> {
  return new Map(
    Object.entries(statements).map(([name, text]) => {
      const signal = signalNamed(name);
      const period = parseDuration(text);
      if (period === null) throw new Error(`time: invalid duration ${JSON.stringify(text)}`);
      if (period < 0) throw new Error(`invalid eviction grace period specified: ${text}, must be a positive value`);
      return [signal, period];
    }),
  );
}

/** upstream: parseMinimumReclaims */
function parseMinimumReclaims(statements: Statements): Map<Signal, ThresholdValue> {
  return new Map(
    Object.entries(statements).map(([name, text]): [Signal, ThresholdValue] => {
      const signal = signalNamed(name);
      if (text.endsWith('%')) {
        const percentage = parsePercentage(text);
        if (percentage <= 0) throw new Error(`eviction percentage minimum reclaim ${signal} must be positive: ${text}`);
        return [signal, { percentage }];
      }
      const quantity = readQuantity(text);
      if (quantity.nano < 0n) throw new Error(`negative eviction minimum reclaim specified for ${signal}`);
      return [signal, { quantity }];
    }),
  );
}

/** Returns a value as an amount of that capacity. upstream: evictionapi.GetThresholdQuantity */
export const thresholdQuantity = (value: ThresholdValue, capacity: Quantity): Quantity =>
  'quantity' in value ? value.quantity : newQuantity(quantityValue(capacity.nano) * value.percentage, 'BinarySI');

/** The threshold plus the minimum to reclaim, if `enforceMinReclaim`. */
export function thresholdWithReclaim(t: Threshold, capacity: Quantity, enforceMinReclaim: boolean): Quantity {
  const quantity = thresholdQuantity(t.value, capacity);
  return enforceMinReclaim && t.minReclaim
    ? addQuantity(quantity, thresholdQuantity(t.minReclaim, capacity))
    : quantity;
}

/**
 * Bytes or counts that the hard thresholds keep free of what has this capacity; 0 if there is none.
 * upstream: cm hardEvictionReservation
 */
export function hardEvictionReservation(
  thresholds: readonly Threshold[],
  signal: 'memory.available' | 'nodefs.available',
  capacity: number,
): number {
  const t = thresholds.find((x) => x.signal === signal && isHard(x));
  return t ? quantityValue(thresholdQuantity(t.value, newQuantity(capacity, 'BinarySI')).nano) : 0;
}
