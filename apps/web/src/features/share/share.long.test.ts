import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Selection } from '../../page/ui-store.js';
import { momentIn } from './opener.js';
import { decodeMoment, encodeMoment, LinkError, linkTo, type Moment, momentFile, momentFromFile } from './share.js';
import { atStart } from './share-open.js';

const hello: Moment = { load: { do: 'load', scenario: 'hello', seed: 1, to: { step: 523, seq: 1204 } } };
const busy: Moment = {
  load: {
    do: 'load',
    scenario: 'mine',
    text: 'apiVersion: syncloop.dev/v1alpha1\nkind: Scenario\nmetadata: { name: mine, title: 崩溃 }\nspec: {}\n'.repeat(
      3,
    ),
    seed: 7,
    deviations: [
      { decision: 12, goroutine: 4 },
      { decision: 99, case: 0 },
    ],
    interventions: [
      { step: 40, after: 80, time: 1_000_000, command: { do: 'kill', uid: 'abc', container: 'app' } },
      { step: 90, after: 200, time: 3_000_000, command: { do: 'act', action: { fault: { relist: '2s' } } } },
      { step: 91, after: 201, time: 3_000_000, command: { do: 'apply', manifest: 'kind: Pod', file: 'a.yaml' } },
    ],
    to: { step: 120, seq: 300 },
  },
  lang: 'zh-CN',
  selection: { kind: 'pod', uid: 'abc' },
};
const problemOf = async (text: string) => {
  try {
    await decodeMoment(text);
    return 'none';
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    return error.problem;
  }
};
const raw = (value: unknown, kind = 'j', version = 3) =>
  `v${version}.${kind}${btoa(typeof value === 'string' ? value : JSON.stringify(value))}`.replace(/=+$/, '');

/** Made by the page when links had version 1. */
const FIRST = [
  'v1.jeyJzIjoiY3Jhc2gtbG9vcCIsIm4iOjMsInAiOls1MjMsMTIwNF0sImwiOiJ6aC1DTiIsIngiOlsicGFydCIsInBsZWciXX0',
  'v1.zhZDBasMwDEB_ZbyzGE5a2Kqv2L304MXOZubYIXFhJfjfhzPYehnTQQgkvSe0saK8-xgzQkKfhBk9d72RgzEXwaHnDeeHsIac0K4X3vKSryUkjx6r3HdPJ2Gwq0dNvQhhX16Ln9GjEexY_II-G6GEyaOd2UMY8jTZ5NANl1E-QowI1-BQ7OtAG0nFhtQA2HmmNvU3-_TL7s0P_PAX3A4FaXm_eWO011hasfgY1oLSr9R6L-juBN3_gnmON4TJpjD6nfgRktOHl-wQxhB9m3q82SlS26ciik8In-iZxQ95cUjXX-oX',
] as const;
const firstMoments: readonly Moment[] = [
  {
    // Such a link means the scenario as it was then, whose node had no cluster DNS.
    load: { do: 'load', scenario: 'crash-loop@v1alpha1', seed: 3, to: { step: 523, seq: 1204 } },
    lang: 'zh-CN',
    selection: { kind: 'part', part: 'pleg' },
  },
  {
    load: {
      do: 'load',
      scenario: 'hello',
      seed: 7,
      deviations: busy.load.deviations ?? [],
      interventions: busy.load.interventions ?? [],
      to: { step: 120, seq: 300 },
    },
    lang: 'en',
    selection: { kind: 'record', seq: 12 },
  },
];
const whole: Moment = {
  ...hello,
  lang: 'en',
  selection: { kind: 'pod', uid: 'abc' },
  lesson: { name: 'channels', step: 3 },
  branch: 'kill app',
  breakpoints: [
    { id: 'b1', on: 'pleg-event', type: 'ContainerDied' },
    { id: 'b2', on: 'cri', method: 'StopContainer', condition: 'time > 3', enabled: false },
  ],
  notes: [
    { id: 'n1', seq: 7, time: 1200, mark: 'k3j', text: '看这里\n<b>here</b>' },
    { id: 'n2', seq: 9, time: 1300, mark: '0', step: 4, text: 'x', selection: { kind: 'part', part: 'pleg' } },
  ],
  view: {
    level: 'everything',
    left: 'pods',
    bottom: 'timeline',
    inspectorOpen: true,
    inspectorTab: 'why',
    filter: 'probe',
  },
};

describe('links of version 1', () => {
  it('open as they did', async () => {
    for (const [i, text] of FIRST.entries())
      expect(JSON.parse(JSON.stringify(await decodeMoment(text)))).toEqual(firstMoments[i]);
  });

  it('have nothing of what came later, whatever stands in them', async () => {
    const later = { b: 'x', k: 5, o: 5, v: { g: 'story' } };
    expect(await decodeMoment(raw({ s: 'hello', ...later }, 'j', 1))).toEqual({
      load: { do: 'load', scenario: 'hello' },
    });
    expect(await problemOf(raw({ s: 'hello', ...later }, 'j', 2))).toBe('damaged');
  });
});

describe('links to a whole moment', () => {
  it('bring the branch, breakpoints, notes, the lesson and how the page looked', async () => {
    const text = await encodeMoment(whole);
    expect(await decodeMoment(text)).toEqual(whole);
    expect(text.length).toBeLessThan(700);
    const away: Moment = { ...whole, lesson: { name: 'channels', step: 3, away: true } };
    expect(await decodeMoment(await encodeMoment(away))).toEqual(away);
    // Whatever else is there is no word of it.
    for (const more of [true, '1', 2, null])
      expect((await decodeMoment(raw({ s: 'hello', e: ['channels', 3, more] }))).lesson).toEqual(whole.lesson);
  });

  it('are the same as files', () => {
    expect(momentFromFile(JSON.parse(momentFile(whole)))).toEqual(whole);
    expect(() => momentFromFile({ version: 4, moment: {} })).toThrow(LinkError);
    expect(() => momentFromFile({ version: '2', moment: {} })).toThrow(/not a whole number/);
    expect(() => momentFromFile({ version: 2 })).toThrow(/it must be an object/);
  });

  it('show what this page has of the looks, and leave out the rest', async () => {
    const v = { g: 'gigantic', l: 5, b: 'no such panel', i: 'toString', f: 7 };
    expect((await decodeMoment(raw({ s: 'hello', v }))).view).toEqual({
      left: null,
      bottom: null,
      inspectorOpen: false,
      filter: '',
    });
    expect((await decodeMoment(raw({ s: 'hello', v: 'x' }))).view).toBeUndefined();
  });
});

describe('links to a moment', () => {
  it('keep the clock where it stood after the last record, and none where they begin anew', async () => {
    const later: Moment = { load: { ...hello.load, clock: 12_345_678 } };
    expect(await decodeMoment(await encodeMoment(later))).toEqual(later);
    expect(atStart(later).load).toEqual({ ...hello.load, to: { step: 0, seq: 0 } });
    // A page of before leaves it out, and one that is made up is refused.
    for (const c of [-1, 1.5, '7', 1e300]) expect(await problemOf(raw({ s: 'hello', p: [1, 2], c }))).toBe('damaged');
  });

  it('are short for a scenario of the library with nothing done to it', async () => {
    const text = await encodeMoment(hello);
    expect(text).toMatch(/^v3\.j[\w-]+$/);
    expect(text.length).toBeLessThan(60);
    expect(await decodeMoment(text)).toEqual(hello);
  });

  it('hold all that was done, packed', async () => {
    const text = await encodeMoment(busy);
    expect(text).toMatch(/^v3\.z[\w-]+$/);
    expect(text.length).toBeLessThan(JSON.stringify(busy).length);
    expect(JSON.parse(JSON.stringify(await decodeMoment(text)))).toEqual(busy);
  });

  it('are made and read where there is no packing, but what is packed needs it', async () => {
    const packed = await encodeMoment(busy);
    vi.stubGlobal('CompressionStream', undefined);
    vi.stubGlobal('DecompressionStream', undefined);
    const plain = await encodeMoment(busy);
    expect(plain).toMatch(/^v3\.j/);
    expect(JSON.parse(JSON.stringify(await decodeMoment(plain)))).toEqual(busy);
    expect(await problemOf(packed)).toBe('browser');
    vi.unstubAllGlobals();
  });

  it('keep any selection', async () => {
    const selections: Selection[] = [
      { kind: 'channel', name: 'plegCh' },
      { kind: 'goroutine', id: 3 },
      { kind: 'container', id: 'uid/app' },
      { kind: 'sandbox', id: 'f00' },
      { kind: 'record', seq: 12 },
      { kind: 'part', part: 'pleg' },
    ];
    for (const selection of selections)
      expect(await decodeMoment(await encodeMoment({ ...hello, selection }))).toEqual({ ...hello, selection });
    for (const x of [['part', 'toString'], ['pod', ''], ['record', 'x'], ['none', 'y'], 7, ['pod', 'z'.repeat(400)]])
      expect(await decodeMoment(raw({ s: 'hello', x }))).toEqual({ load: { do: 'load', scenario: 'hello' } });
  });

  it('stand in the address of the page, beside nothing else', async () => {
    const link = linkTo('http://localhost:1/a/?x=1#token=secret', await encodeMoment(hello));
    expect(link).toMatch(/^http:\/\/localhost:1\/a\/\?x=1#run=v3\.j/);
    expect(link).not.toContain('secret');
    expect(await decodeMoment(momentIn(link) ?? '')).toEqual(hello);
    expect(momentIn('http://localhost:1/a/#token=x')).toBeNull();
  });

  it('of a later version say so; the rest is damaged', async () => {
    expect(await problemOf('v5.q???')).toBe('newer');
    const good = await encodeMoment(busy);
    const bad = [
      '',
      'v',
      'v1',
      'v1.',
      'v0.jx',
      'v1.q',
      'v2.q',
      'v1.jé',
      good.slice(0, -9),
      good.slice(0, 40),
      raw('nonsense'),
      raw([1]),
      raw(null),
      raw({}),
      raw({ s: 5 }),
      raw({ s: 'hello', p: 5 }),
      raw({ s: 'hello', p: [1, -1] }),
      raw({ s: 'hello', p: [1e12, 1] }),
      raw({ s: 'hello', n: 'x' }),
      raw({ s: 'hello', d: [{}] }),
      raw({ s: 'hello', i: [{ step: 0, after: 0, time: 0, command: { do: 'pause' } }] }),
      raw('['.repeat(60_000)),
      raw({ s: 'hello', b: 7 }),
      raw({ s: 'hello', b: 'x'.repeat(101) }),
      raw({ s: 'hello', k: {} }),
      raw({ s: 'hello', k: [{ id: 'a', on: 'nothing' }] }),
      raw({ s: 'hello', k: [{ id: 'a', on: 'cri', condition: '1 +' }] }),
      raw({ s: 'hello', o: [7] }),
      raw({ s: 'hello', o: [[0, 1, 'a', 'text']] }),
      raw({ s: 'hello', o: [[1, -1, 'a', 'text']] }),
      raw({ s: 'hello', o: [[1, 1, '<b>', 'text']] }),
      raw({ s: 'hello', o: [[1, 1, 'a', ' ']] }),
      raw({ s: 'hello', o: [[1, 1, 'a', 'x'.repeat(501)]] }),
      raw({ s: 'hello', o: Array.from({ length: 201 }, () => [1, 1, 'a', 'b']) }),
    ];
    for (const text of bad) expect(await problemOf(text), text.slice(0, 80)).toBe('damaged');
    expect(await problemOf(`v1.j${'A'.repeat(200_000)}`)).toBe('long');
  });

  it('neither hang nor fill the memory when they unpack to a mountain', async () => {
    const stream = new Blob([new Uint8Array(30_000_000)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const text = `v1.z${Buffer.from(bytes).toString('base64url')}`;
    expect(text.length).toBeLessThan(100_000);
    expect(await problemOf(text)).toBe('long');
  });

  it('that are too long are not made', async () => {
    let noise = '';
    for (let x = 1; noise.length < 200_000; ) {
      x = (x * 48_271) % 2_147_483_647;
      noise += x.toString(36);
    }
    await expect(encodeMoment({ load: { ...hello.load, text: noise } })).rejects.toMatchObject({ problem: 'long' });
  });

  it('whatever they are, end in a moment or in a LinkError, and pollute nothing', async () => {
    const good = [await encodeMoment(hello), await encodeMoment(busy)];
    const mutated = fc
      .tuple(fc.constantFrom(...good), fc.nat(600), fc.string({ maxLength: 4 }))
      .map(([text, at, by]) => text.slice(0, at % text.length) + by + text.slice((at % text.length) + by.length));
    const json = fc
      .object({
        key: fc.constantFrom(
          's',
          't',
          'n',
          'p',
          'd',
          'i',
          'l',
          'x',
          'e',
          'b',
          'k',
          'o',
          'v',
          '__proto__',
          'constructor',
        ),
        maxDepth: 3,
      })
      .map((value) => `v2.j${Buffer.from(JSON.stringify({ s: 'hello', ...value })).toString('base64url')}`);
    const any = fc.oneof(
      mutated,
      json,
      fc.string({ unit: 'binary' }),
      fc.base64String().map((s) => `v2.z${s}`),
    );
    await fc.assert(
      fc.asyncProperty(any, async (text) => {
        const problem = await problemOf(text);
        if (problem === 'none') await encodeMoment(await decodeMoment(text));
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 1000, seed: 4 },
    );
  });

  it('come back as they went, whatever was done', async () => {
    const name = fc.string({ minLength: 1, maxLength: 20 });
    const count = fc.nat(1_000_000);
    const moments: fc.Arbitrary<Moment> = fc.record(
      {
        load: fc.record(
          {
            do: fc.constant('load' as const),
            scenario: name,
            text: fc.string({ maxLength: 500, unit: 'grapheme' }),
            seed: fc.nat(0xffff_ffff),
            deviations: fc.array(fc.record({ decision: fc.integer({ min: 1, max: 1e6 }), case: fc.nat(20) }), {
              minLength: 1,
              maxLength: 20,
            }),
            interventions: fc.array(
              fc.record({
                step: count,
                after: count,
                time: count,
                command: fc.record({ do: fc.constant('kill' as const), uid: name, container: name }),
              }),
              { minLength: 1, maxLength: 5 },
            ),
            to: fc.record({ step: count, seq: count }),
          },
          { requiredKeys: ['do', 'scenario'] },
        ),
        lang: fc.constantFrom('en' as const, 'zh-CN' as const),
      },
      { requiredKeys: ['load'] },
    );
    await fc.assert(
      fc.asyncProperty(moments, async (moment) => {
        expect(await decodeMoment(await encodeMoment(moment))).toEqual(moment);
      }),
      { numRuns: 200, seed: 4 },
    );
  });
});
