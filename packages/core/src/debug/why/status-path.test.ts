import { describe, expect, it } from 'vitest';
import { parsePath, valueAt } from './status-path.js';

const status = {
  phase: 'Running',
  conditions: [
    { type: 'Ready', status: 'True' },
    { type: 'example.com/gate', status: 'False' },
  ],
  containerStatuses: [
    { name: 'app', restartCount: 2, state: { running: {} } },
    { name: 'side-car', restartCount: 0 },
  ],
};
const at = (path: string) => valueAt(status, parsePath(path));

describe('paths in a status', () => {
  it('name fields, places, and entries by name or type', () => {
    expect(at('phase')).toBe('Running');
    expect(at('status.phase')).toBe('Running');
    expect(at('containerStatuses[0].restartCount')).toBe(2);
    expect(at('containerStatuses[name=side-car].restartCount')).toBe(0);
    expect(at('containerStatuses.side-car.restartCount')).toBe(0);
    expect(at('conditions.Ready.status')).toBe('True');
    expect(at('conditions[type="example.com/gate"].status')).toBe('False');
    expect(at('containerStatuses[7].state')).toBeUndefined();
    expect(at('phase.length')).toBeUndefined();
    expect(at('constructor')).toBeUndefined();
    expect(at('__proto__.toString')).toBeUndefined();
  });

  it('are refused with the position', () => {
    for (const [path, position] of [
      ['', 0],
      ['.phase', 1],
      ['a..b', 2],
      ['a[', 2],
      ['a[]', 2],
      ['a]', 2],
    ] as const)
      expect(() => parsePath(path), path).toThrow(position === 0 ? 'expected a field' : `position ${position}`);
  });
});
