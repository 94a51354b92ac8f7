import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { engineFlags } from './engine.js';

describe('flags of V8', () => {
  it('are known to this Node', () => {
    // Node ends with an error for a flag that it does not know.
    expect(execFileSync(process.execPath, [...engineFlags(), '-p', '1'], { encoding: 'utf8' })).toBe('1\n');
  });
  it('are none for a version in which they were not measured', () => {
    expect(engineFlags('20.19.0')).not.toEqual(engineFlags('22.12.0'));
    expect(engineFlags('26.0.0')).toEqual([]);
  });
});
