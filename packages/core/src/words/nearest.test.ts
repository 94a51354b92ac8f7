import { describe, expect, it } from 'vitest';
import { nearest } from './index.js';

describe('nearest', () => {
  it('finds slips of the hand, not other words', () => {
    const names = ['container-runtime-endpoint', 'root-dir', 'record'];
    expect(nearest('container-runtime-endpiont', names)).toBe('container-runtime-endpoint');
    expect(nearest('rootdir', names)).toBe('root-dir');
    expect(nearest('banana', names)).toBeNull();
    expect(nearest('xyzzy', ['wait', 'apply'])).toBeNull();
  });
  it('counts two letters in the wrong order as one slip, and takes the candidate with the fewest', () => {
    expect(nearest('wiat', ['wait', 'waitFor'])).toBe('wait');
    expect(nearest('WAITFR', ['wait', 'waitFor'])).toBe('waitFor');
  });
  it('takes words of any length', () => {
    expect(nearest('x'.repeat(1_000_000), ['record'])).toBeNull();
  });
});
