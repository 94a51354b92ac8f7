import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initialState, recordKinds } from '../../trace/index.js';
import { allKinds, Tape } from '../../trace/testing/samples.js';
import {
  BreakpointError,
  BreakpointSet,
  type BreakpointSpec,
  breakpointFields,
  breakpointKinds,
  describeBreakpoint,
  parseBreakpoint,
  parseBreakpoints,
} from './index.js';

/** One spec of each kind, with all its own fields. */
export const full: readonly BreakpointSpec[] = breakpointKinds.map((on) => {
  const fields = Object.entries(breakpointFields[on]).map(([key, field]) => {
    if (field.type === 'one') return [key, field.of[0]];
    return [key, field.type === 'flag' ? true : field.type === 'step' ? 4 : 'na?e*'];
  });
  return { id: on, on, ...Object.fromEntries(fields) } as BreakpointSpec;
});

describe('parseBreakpoint', () => {
  it('takes every kind with all its fields and all common ones', () => {
    for (const spec of full) {
      const whole = {
        ...spec,
        enabled: false,
        pod: 'default/web',
        condition: 'seq > 5',
        hitCount: { every: 3 },
        once: true,
        log: '{kind}',
      };
      expect(parseBreakpoint(JSON.parse(JSON.stringify(whole)))).toEqual(whole);
      expect(parseBreakpoint({ on: spec.on })).toEqual({ id: 'b1', on: spec.on });
    }
    expect([...recordKinds].sort()).toEqual([...allKinds].sort());
  });

  it('reads a plain hit count, names by place, and steps by number or name', () => {
    expect(parseBreakpoint({ on: 'worker', hitCount: 3 }).hitCount).toEqual({ at: 3 });
    expect(parseBreakpoints([{ on: 'worker' }, { on: 'cri', id: 'x' }, { on: 'log' }]).map((b) => b.id)).toEqual([
      'b1',
      'x',
      'b3',
    ]);
    expect(parseBreakpoint({ on: 'step', step: 'create*' })).toMatchObject({ step: 'create*' });
  });

  it.each<[unknown, string]>([
    [null, 'breakpoints[2]: it is null; it must be an object'],
    [[], 'breakpoints[2]: it is a list'],
    [{}, 'breakpoints[2].on: it is missing; it must be one of channel, select'],
    [{ on: 'chanel' }, 'did you mean "channel"?'],
    [{ on: 'cri', metod: 'X' }, 'breakpoints[2].metod: there is no such field; did you mean "method"?'],
    [{ on: 'cri', when: 'never' }, 'breakpoints[2].when: it is "never"; it must be one of before, after, error'],
    [{ on: 'worker', state: 'terminatin' }, 'breakpoints[2].state: it is "terminatin"; did you mean "terminating"?'],
    [{ on: 'record', kind: 'cri_call' }, 'did you mean "cri-call"?'],
    [{ on: 'cri', method: '' }, 'breakpoints[2].method: it is empty; leave it out for any'],
    [{ on: 'cri', method: 5 }, 'breakpoints[2].method: it is 5; it must be a text'],
    [{ on: 'cri', method: 'x'.repeat(600) }, 'it has 600 characters; it may have 500'],
    [{ on: 'step', step: 1.5 }, 'it must be a whole number from 0'],
    [{ on: 'step', step: true }, 'it must be a number from 0 on or a name'],
    [{ on: 'log', once: 1 }, 'breakpoints[2].once: it is 1; it must be true or false'],
    [{ on: 'log', hitCount: 0 }, 'breakpoints[2].hitCount: it is 0; it must be a whole number from 1'],
    [
      { on: 'log', hitCount: { at: 1, every: 2 } },
      'breakpoints[2].hitCount: it has at, every; it must have either "at" or "every"',
    ],
    [{ on: 'log', hitCount: { every: 'x' } }, 'breakpoints[2].hitCount.every: it is "x"'],
    [{ on: 'log', condition: 'msg == ' }, 'breakpoints[2].condition: expected a value, not the end at 7'],
    [{ on: 'log', condition: 'contians(msg, "x")' }, 'did you mean "contains"? at 0'],
    [{ on: 'log', condition: 7 }, 'breakpoints[2].condition: it is 7; it must be a text'],
    [{ on: 'log', log: 'at {tim}' }, 'breakpoints[2].log: there is no name "tim"; did you mean "time"? at 4'],
    [JSON.parse('{"on":"log","__proto__":{"x":1}}'), 'breakpoints[2].__proto__: there is no such field'],
    [{ on: 'constructor' }, 'breakpoints[2].on: it is "constructor"'],
  ])('%j: %s', (json, message) => {
    expect(() => parseBreakpoint(json, 'breakpoints[2]')).toThrow(BreakpointError);
    expect(() => parseBreakpoint(json, 'breakpoints[2]')).toThrow(message);
  });

  it('refuses lists that are none, too long, or have an id twice', () => {
    expect(() => parseBreakpoints({})).toThrow('breakpoints: it is an object; it must be a list');
    expect(() => parseBreakpoints(Array(501).fill({ on: 'log' }))).toThrow('it has 501 entries; it may have 500');
    expect(() => parseBreakpoints([{ on: 'log', id: 'b2' }, { on: 'log' }])).toThrow(
      'breakpoints[1].id: "b2" is the id of [0] already',
    );
  });

  it('10,000 hostile inputs: a spec that works or a BreakpointError, and nothing else happens', {
    timeout: 60_000,
  }, () => {
    const tape = new Tape();
    const record = tape.add({ kind: 'relist', pods: 1, changed: 0, scope: 'global' });
    const key = fc.constantFrom(
      'id',
      'on',
      'pod',
      'condition',
      'hitCount',
      'once',
      'log',
      'enabled',
      '__proto__',
      'name',
      'op',
      'kind',
      'step',
      'constructor',
    );
    const value = fc.oneof(
      fc.constantFrom<unknown>(
        ...breakpointKinds,
        ...recordKinds,
        'send',
        'before',
        '__proto__',
        '*',
        '?',
        'seq > 1',
        '{seq}',
        '{',
        true,
        false,
        3,
        -1,
        0.5,
        1e300,
        null,
        { every: 2 },
        { at: 1 },
      ),
      fc.jsonValue({ maxDepth: 3 }),
      fc.string(),
    );
    const json = fc.oneof(
      fc.jsonValue(),
      fc
        .array(fc.tuple(key, value), { maxLength: 6 })
        .map((pairs) => `{${pairs.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v) ?? 'null'}`).join()}}`)
        .map((s) => JSON.parse(s) as unknown),
      fc
        .tuple(fc.constantFrom(...full), fc.array(fc.tuple(key, value), { maxLength: 2 }))
        .map(([spec, pairs]) => ({ ...spec, ...Object.fromEntries(pairs) })),
    );
    let good = 0;
    fc.assert(
      fc.property(json, (input) => {
        try {
          const spec = parseBreakpoint(input);
          good++;
          const set = new BreakpointSet();
          set.set([spec]);
          set.check(record, initialState());
          expect(describeBreakpoint(spec, 'en')).not.toBe('');
        } catch (error) {
          if (!(error instanceof BreakpointError)) throw error;
          expect(error.message.length).toBeLessThan(2500);
        }
      }),
      { numRuns: 10_000, seed: 4 },
    );
    expect(good).toBeGreaterThan(500);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});

describe('describeBreakpoint', () => {
  it('says each kind in one line, in both languages, with and without fields', () => {
    const lines = new Set<string>();
    for (const spec of full)
      for (const lang of ['en', 'zh'] as const)
        for (const s of [spec, { id: 'x', on: spec.on } as BreakpointSpec]) {
          const line = describeBreakpoint(s, lang);
          expect(line).not.toMatch(/undefined|\n|null/);
          expect(/[\u4e00-\u9fff]/.test(line)).toBe(lang === 'zh');
          lines.add(line);
        }
    expect(lines.size).toBe(full.length * 4);
  });
  it('says what comes on top', () => {
    const spec = parseBreakpoint({
      on: 'cri',
      method: 'StartContainer',
      when: 'error',
      pod: 'web',
      condition: 'took > 1s',
      hitCount: { every: 2 },
      once: true,
      log: 'x',
      enabled: false,
    });
    expect(describeBreakpoint(spec, 'en')).toBe(
      'error of CRI call StartContainer · pod web · if took > 1s · every 2 hits · once · logs "x" · disabled',
    );
    expect(describeBreakpoint(spec, 'zh')).toBe(
      'CRI 出错 StartContainer · pod web · 当 took > 1s · 每 2 次 · 仅一次 · 记录 "x" · 已停用',
    );
  });
});
