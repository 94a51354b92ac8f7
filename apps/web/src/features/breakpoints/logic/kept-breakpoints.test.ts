import { describe, expect, it } from 'vitest';
import { keptBreakpoints } from './kept-breakpoints.js';

describe('breakpoints that a browser kept', () => {
  it('are read as they were', () => {
    const specs = [
      { id: 'b1', on: 'cri', method: 'PullImage' },
      { id: 'b2', on: 'phase', enabled: false },
    ];
    expect(keptBreakpoints(JSON.stringify(specs))).toEqual({ specs, lost: [] });
  });
  it('are left out one by one where they cannot be read, with the reason', () => {
    const { specs, lost } = keptBreakpoints('[{"id":"b1","on":"cri"},{"id":"b2","on":"nothing"},7]');
    expect(specs).toEqual([{ id: 'b1', on: 'cri' }]);
    expect(lost).toHaveLength(2);
    expect(lost[0]).toMatch(/breakpoints\[1\]\.on/);
  });
  it('do no harm where the text is something else', () => {
    for (const text of ['', '{', 'null', '{"__proto__":{"x":1}}', '"b1"']) {
      expect(keptBreakpoints(text).specs).toEqual([]);
      expect(keptBreakpoints(text).lost).toHaveLength(1);
    }
    expect(keptBreakpoints('[{"id":"b1","on":"cri","__proto__":{"polluted":1}}]').specs.length).toBeLessThan(2);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
