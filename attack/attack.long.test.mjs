import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DAMAGES, inflict, same } from './damage.mjs';
import { captured } from './fuzzers/captures.mjs';
import { fuzzers, targets } from './index.mjs';
import { FRAMINGS, life, linesOf } from './kubelet-lines.mjs';
import { alarmIn, processorMs } from './process.mjs';
import { Random } from './random.mjs';
import { fewer, simplerThan } from './shrink.mjs';
import { batchesOf, stateAfter } from './store.mjs';
import { deep, jsonOf, jsonText, long, many, mutated } from './values.mjs';

/** Its inputs are made from a recording of the built program. */
const needsBuild = new Set(['recordings']);

describe('a fuzzer', () => {
  for (const fuzzer of fuzzers.filter(({ name }) => !needsBuild.has(name)))
    it(`${fuzzer.name} makes the same input of the same seed, as plain JSON`, () => {
      const [target] = targets.filter(({ name }) => fuzzer.targets.includes(name));
      const texts = new Set();
      for (let index = 0; index < 30; index++) {
        const make = () => fuzzer.make(new Random('1', fuzzer.name, index), index, target);
        const input = make();
        expect(make()).toEqual(input);
        expect(input.every(({ op }) => typeof op === 'string')).toBe(true);
        texts.add(JSON.stringify(input));
      }
      expect(texts.size).toBeGreaterThan(20);
    });
});

describe('values', () => {
  it('that stand for long, deep and many ones are written out', () => {
    expect(jsonOf({ a: long('ab', 2), b: deep(2), c: many({ n: 'x#' }, 2), d: jsonText({ e: 1 }) })).toBe(
      '{"a":"abab","b":[[1]],"c":[{"n":"x0"},{"n":"x1"}],"d":"{\\"e\\":1}"}',
    );
    expect(jsonOf(deep(100_000, 'map'))).toHaveLength(100_000 * 6 + 1);
    // A change may leave such values.
    for (const odd of [-1, 1e300, Number.NaN, null, 'x'])
      expect(jsonOf([deep(odd), long('x', odd), many(1, odd)])).toBeTypeOf('string');
  });

  it('are changed as the seed says, without harm to the program that changes them', () => {
    const value = { a: [1, 2, { b: 'text' }], c: null };
    for (let i = 0; i < 200; i++) {
      const once = mutated(new Random(i), value, 0.5);
      expect(jsonOf(once)).toBe(jsonOf(mutated(new Random(i), value, 0.5)));
    }
    expect(value).toEqual({ a: [1, 2, { b: 'text' }], c: null });
    expect({}.polluted).toBeUndefined();
  });
});

describe('what was found', () => {
  it('becomes the few operations that it takes', async () => {
    const list = Array.from({ length: 100 }, (_, i) => i);
    let tries = 0;
    const small = await fewer(
      list,
      async (part) => {
        tries++;
        return part.includes(17) && part.includes(71);
      },
      () => false,
    );
    expect(small).toEqual([17, 71]);
    expect(tries).toBeLessThan(100);
  });

  it('has simpler values, and in the end none that is simpler', () => {
    expect(simplerThan({ op: 'text', text: 'ab', times: 4 })).toEqual([
      { op: 'text', text: 'ab', times: 2 },
      { op: 'text', times: 4 },
      { op: 'text', text: 'ab' },
      { op: 'text', text: 'a', times: 4 },
      { op: 'text', text: 'b', times: 4 },
    ]);
    let value = { op: 'x', text: long('ab', 9), list: [{ a: 1 }, 'a\nb'], deep: deep(5) };
    let steps = 0;
    for (let [simpler] = simplerThan(value); simpler !== undefined; [simpler] = simplerThan(value)) {
      value = simpler;
      steps++;
    }
    expect(value).toEqual({ op: 'x' });
    expect(steps).toBeLessThan(20);
  });

  it('is seen in what a program says', () => {
    expect(alarmIn('I1122 klog: all is well at 10:20:30\n')).toBeNull();
    expect(alarmIn('x\nTypeError: y is not a function\n    at z (file:///a.js:1:2)\n')).toMatch(/^TypeError/);
    expect(alarmIn('FATAL ERROR: Reached heap limit')).toMatch(/FATAL/);
  });
});

describe('lines of a kubelet', () => {
  const text = (operation, file) => [...linesOf(operation, file)].join('');

  it('have the number of their copy, and follow each other in time', () => {
    const lines = text({ form: 'text', lines: life, times: 3, every: 8 }).split('\n');
    expect(lines).toHaveLength(3 * life.length + 1);
    expect(lines[0]).toBe(
      'I1122 11:25:00.000000   14074 kubelet.go:2724] "SyncLoop ADD" source="api" pods=["default/web-0"]',
    );
    expect(lines[2 * life.length + 1]).toMatch(
      /^I1122 11:25:16.010000 .* pod="default\/web-2" podUID="1fa4b0c2-5d6e-4f70-8a91-000000000002"/,
    );
  });

  it('are written in each form and framing, odd values and times as they stand', () => {
    const odd = [{ $raw: 1 }, 'x', 'y', { a: { $raw: '[' }, b: deep(3) }];
    for (const form of ['text', 'json', 'printf', 'x'])
      for (const framing of FRAMINGS)
        expect(text({ form, lines: [odd, [1e308, 'x', 'y'], [1, {}, null, 1]] }, { framing })).not.toBe('');
    expect(JSON.parse(text({ form: 'json', lines: [life[0]] }))).toMatchObject({
      ts: Date.UTC(2026, 10, 22, 11, 25),
      msg: 'SyncLoop ADD',
    });
  });

  it('are spoiled captures that are there', () => {
    for (const file of captured)
      expect(existsSync(new URL(`../packages/core/testdata/attach/${file}.gz`, import.meta.url)), file).toBe(true);
  });
});

describe('damage', () => {
  const folders = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  function made() {
    const top = mkdtempSync(join(tmpdir(), 'syncloop-attack-'));
    folders.push(top);
    const [folder, older] = [join(top, 'folder'), join(top, 'older')];
    for (const [path, text] of [
      [folder, 'one, and what came later'],
      [older, 'one'],
    ]) {
      mkdirSync(path);
      writeFileSync(join(path, 'a'), text);
      writeFileSync(join(path, 'b'), 'other');
    }
    return { top, folder, older };
  }

  it('of each kind changes the file that it names', () => {
    for (const kind of DAMAGES) {
      const { top, folder, older } = made();
      const before = join(top, 'before');
      cpSync(folder, before, { recursive: true });
      expect(same(folder, before)).toBe(true);
      inflict(folder, { file: 'a', other: 'b', kind, at: 0.5, bit: 1, length: 4 }, older);
      expect(same(folder, before), kind).toBe(false);
      expect(readFileSync(join(folder, 'b'), 'utf8'), kind).toBe(
        kind === 'swap' ? 'one, and what came later' : 'other',
      );
      // A missing file, or one that is not a file, stays as it is.
      inflict(folder, { file: 'none', kind }, older);
      expect(existsSync(join(folder, 'none'))).toBe(false);
    }
  });

  it('is done to a store whose batches are those of the seed', () => {
    const batches = batchesOf('3', 30);
    expect(batchesOf('3', 30)).toEqual(batches);
    expect(batchesOf('4', 30)).not.toEqual(batches);
    const state = stateAfter(batches, 30);
    expect(state.size).toBeGreaterThan(20);
    // Some were changed, and some are gone.
    expect(batches.flat().length).toBeGreaterThan(2 * state.size);
    expect(stateAfter(batches, 0).size).toBe(0);
  });
});

it('the time of the processor is that of a process, and none of one that is gone', () => {
  expect(processorMs(process.pid)).toBeGreaterThan(10);
  expect(processorMs(2 ** 30)).toBe(0);
});
