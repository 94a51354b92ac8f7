import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newQuantity, quantityText, quantityValue, readQuantity } from '../../base/index.js';
import { defaultKubeletConfig } from '../config.js';
import {
  effectiveEvictionHard,
  hardEvictionReservation,
  parseThresholdConfig,
  type ThresholdConfig,
  thresholdQuantity,
  updateContainerFsThresholds,
} from './thresholds.js';
import type { Threshold } from './types.js';

const told = (thresholds: readonly Threshold[]) =>
  thresholds.map((t) => {
    const value = (v: Threshold['value']) =>
      'quantity' in v ? quantityText(v.quantity) : `${Math.round(v.percentage * 1000) / 10}%`;
    return `${t.signal} ${value(t.value)}${t.gracePeriod ? ` ${t.gracePeriod / 1e6}s` : ''}${t.minReclaim ? ` +${value(t.minReclaim)}` : ''}`;
  });
const parsed = (config: ThresholdConfig) => told(parseThresholdConfig(config));

describe('[3:EV-02] what is in force', () => {
  it('the defaults, with the memory one again for what pods may have', () => {
    expect(parsed(defaultKubeletConfig())).toEqual([
      'memory.available 100Mi',
      'nodefs.available 10%',
      'nodefs.inodesFree 5%',
      'imagefs.available 15%',
      'imagefs.inodesFree 5%',
      'allocatableMemory.available 100Mi',
    ]);
    expect(parsed({ enforceNodeAllocatable: [] })).not.toContain('allocatableMemory.available 100Mi');
  });

  it('what is given stands alone, unless defaults are merged in; none for process ids', () => {
    const evictionHard = { 'memory.available': '5%', 'pid.available': '100' };
    expect(parsed({ evictionHard })).toEqual([
      'memory.available 5%',
      'pid.available 100',
      'allocatableMemory.available 5%',
    ]);
    expect(parsed({ evictionHard: {} })).toEqual([]);
    expect(Object.keys(effectiveEvictionHard({ evictionHard, mergeDefaultEvictionSettings: true }))).toEqual([
      'memory.available',
      'nodefs.available',
      'nodefs.inodesFree',
      'imagefs.available',
      'imagefs.inodesFree',
      'pid.available',
    ]);
  });

  it('soft ones with their grace periods, minimum reclaims by signal; soft memory is not copied', () => {
    expect(
      parsed({
        evictionHard: { 'nodefs.available': '0%', 'imagefs.available': '100%' },
        evictionSoft: { 'memory.available': '300Mi', 'nodefs.available': '12.5%' },
        evictionSoftGracePeriod: { 'memory.available': '1m30s', 'nodefs.available': '2m' },
        evictionMinimumReclaim: { 'memory.available': '50Mi', 'nodefs.available': '1%' },
      }),
    ).toEqual(['memory.available 300Mi 90s +50Mi', 'nodefs.available 12.5% 120s +1%']);
  });

  it('the writable layers follow their disk, whatever was given for them', () => {
    const of = (imageFs: boolean, split: boolean, evictionHard: Record<string, string>) => {
      const r = updateContainerFsThresholds(
        parseThresholdConfig({ evictionHard, enforceNodeAllocatable: [] }),
        imageFs,
        split,
      );
      return [told(r.thresholds).filter((t) => t.startsWith('containerfs')), r.ignored];
    };
    const both = { 'nodefs.available': '10%', 'nodefs.inodesFree': '5%', 'imagefs.available': '15%' };
    expect(of(false, false, both)).toEqual([['containerfs.available 10%', 'containerfs.inodesFree 5%'], null]);
    expect(of(true, false, both)).toEqual([['containerfs.available 15%'], null]);
    expect(of(true, true, both)).toEqual([['containerfs.available 10%', 'containerfs.inodesFree 5%'], null]);
    expect(of(false, false, { ...both, 'containerfs.available': '50%' })).toEqual([
      ['containerfs.available 10%', 'containerfs.inodesFree 5%'],
      'found containerfs.available for hard eviction. ignoring',
    ]);
  });
});

describe('what cannot be read', () => {
  it.each<[ThresholdConfig, string]>([
    [{ evictionHard: { 'memory.free': '1Mi' } }, 'unsupported eviction signal memory.free'],
    [{ evictionHard: { __proto__: '1Mi', constructor: '1Mi' } as never }, 'unsupported eviction signal constructor'],
    [
      { evictionHard: { 'memory.available': '-5%' } },
      'eviction percentage threshold memory.available must be >= 0%: -5%',
    ],
    [
      { evictionHard: { 'memory.available': '101%' } },
      'eviction percentage threshold memory.available must be <= 100%: 101%',
    ],
    [{ evictionHard: { 'memory.available': '0' } }, 'eviction threshold memory.available must be positive: 0'],
    [{ evictionHard: { 'memory.available': 'x%' } }, 'strconv.ParseFloat: parsing "x": invalid syntax'],
    [{ evictionHard: { 'memory.available': 'much' } }, 'quantities must match the regular expression'],
    [
      { evictionSoft: { 'memory.available': '1Gi' } },
      'grace period must be specified for the soft eviction threshold memory.available',
    ],
    [
      { evictionSoftGracePeriod: { 'memory.available': '-5s' } },
      'invalid eviction grace period specified: -5s, must be a positive value',
    ],
    [{ evictionSoftGracePeriod: { 'memory.available': 'soon' } }, 'time: invalid duration "soon"'],
    [
      { evictionMinimumReclaim: { 'memory.available': '0%' } },
      'eviction percentage minimum reclaim memory.available must be positive: 0%',
    ],
    [
      { evictionMinimumReclaim: { 'memory.available': '-1' } },
      'negative eviction minimum reclaim specified for memory.available',
    ],
  ])('%j', (config, text) => {
    expect(() => parseThresholdConfig(config)).toThrow(text);
  });
});

describe('quantities', () => {
  it('a percentage is of single precision, as upstream has it', () => {
    const [t] = parseThresholdConfig({ evictionHard: { 'nodefs.available': '10%' } });
    const of = (bytes: number) =>
      quantityValue(thresholdQuantity((t as Threshold).value, newQuantity(bytes, 'BinarySI')).nano);
    // int64(float64(capacity) * float64(float32(0.1)))
    expect(of(100 * 2 ** 30)).toBe(10737418400);
    expect(hardEvictionReservation([t as Threshold], 'nodefs.available', 1000)).toBe(100);
    expect(hardEvictionReservation([], 'memory.available', 1000)).toBe(0);
  });
  it('are printed as upstream prints them', () => {
    for (const [n, format, text] of [
      [0, 'BinarySI', '0'],
      [98_304 * 1024, 'BinarySI', '96Mi'],
      [98_305 * 1024, 'BinarySI', '98305Ki'],
      [67_108_865, 'BinarySI', '67108865'],
      [1000, 'BinarySI', '1k'],
      [1023, 'BinarySI', '1023'],
      [2000, 'DecimalSI', '2k'],
      [2 ** 62, 'BinarySI', '4Ei'],
    ] as const)
      expect(quantityText(newQuantity(n, format))).toBe(text);
    for (const [given, text] of [
      ['1.5Gi', '1536Mi'],
      ['0.5', '500m'],
      ['1024Mi', '1Gi'],
      ['1e3', '1e3'],
      ['128974848', '128974848'],
    ] as const)
      expect(quantityText(readQuantity(given))).toBe(text);
  });
  it('what is printed is read again as the same amount', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.constantFrom('BinarySI' as const, 'DecimalSI' as const), (n, format) => {
        expect(readQuantity(quantityText(newQuantity(n, format))).nano).toBe(newQuantity(n, format).nano);
      }),
    );
  });
});
