import { readFileSync } from 'node:fs';
import { defaultEra, eraVersions } from '@syncloop/core/kubelet/era/versions';
import { occurring } from '@syncloop/core/names';
import { callSteps, steppedCalls } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { ownSources, ownTexts } from '../../../fixtures/own-sources.js';
import { indexSources, isIndexed, upstreamIn } from './source-index.js';
import { sourcesOf } from './sources-of.js';

const index = (text: string) => indexSources({ 'kubelet/a.ts': text }).index;
const lines = (...all: string[]) => all.join('\n');

describe('the index of sources', () => {
  it('finds the function that a named call runs, with its twin', () => {
    const { functions } = index(
      lines(
        '/** Does it all. upstream: pkg/kubelet/kubelet.go (*Kubelet).doIt */',
        "export const doIt = (n: number) => frame('doIt', { n }, () => work(n));",
        '',
        'function* work(n: number): Go<void> {',
        '  if (n > 0) yield* sleep(n);',
        '}',
      ),
    );
    expect(functions.doIt).toEqual({
      fn: 'doIt',
      name: 'work',
      file: 'kubelet/a.ts',
      from: 4,
      to: 6,
      called: 'doIt',
      doc: 'Does it all.',
      upstream: { file: 'pkg/kubelet/kubelet.go', symbol: '(*Kubelet).doIt' },
      ours: false,
    });
  });
  it('takes the function around where the body stands in the call itself', () => {
    const { functions } = index(
      lines(
        'class A {',
        '  /** Ours. upstream: none (for views) */',
        '  *b(): Go<void> {',
        "    yield* frame('A.b', undefined, function* () {",
        '      yield* c();',
        '    });',
        '  }',
        '}',
      ),
    );
    expect(functions['A.b']).toMatchObject({ name: 'b', from: 3, to: 7, ours: true, upstream: null, doc: 'Ours.' });
  });
  it('looks through wrappers, into methods of the class, and into an object made for it', () => {
    const { functions } = index(
      lines(
        'class P { *run(): Go<void> {',
        '} }',
        'class Q {',
        "  *a(): Go<void> { yield* frame('one', { x: other(1) }, () => this.inner()); }",
        "  *b(): Go<void> { yield* frame('two', f(), () => logged(1, () => plain(1, f()))); }",
        "  *c(): Go<void> { yield* frame('three', undefined, () => new P(1).run()); }",
        '  private *inner(): Go<void> {',
        '  }',
        '}',
        'function* plain(n: number, m: number) {',
        '}',
        'function* logged(n: number, body: () => Go<void>) {',
        '}',
        'function f() { return 1; }',
      ),
    );
    expect(Object.values(functions).map((f) => [f.fn, f.name, f.from, f.to])).toEqual([
      ['one', 'inner', 7, 8],
      ['two', 'plain', 10, 11],
      ['three', 'run', 1, 2],
    ]);
  });
  it('cuts steps where the next begins or their block ends, and knows whose they are', () => {
    const { steps } = index(
      lines(
        'function* s(kl: Kl) {',
        "  const step = stepper(kl, 'S', pod);",
        "  step('first');",
        '  if (a) {',
        '    b();',
        '  }',
        '  // of the second',
        '',
        "  step('second');",
        '  if (c) {',
        "    step('inner');",
        '    d();',
        '  }',
        '}',
        'class T {',
        "  private step(n: number, name: string) { emit({ kind: 'step', fn: 'T', n, name }); }",
        "  *one() { this.step(1, 'of T'); }",
        '}',
      ),
    );
    expect(steps.map((s) => [s.fn, s.name, s.from, s.to, s.within.name])).toEqual([
      ['S', 'first', 3, 6, 's'],
      ['S', 'second', 9, 10, 's'],
      ['S', 'inner', 11, 12, 's'],
      ['T', 'of T', 17, 17, 'one'],
    ]);
  });
  it('refuses one name at two places: a view could not say which of them runs', () => {
    const twice = lines("function a() { frame('x', 1, () => b()); }", "function b() { frame('x', 1, () => a()); }");
    expect(() => index(twice)).toThrow('x is entered at two places');
  });
  it('reads docstrings, and takes no twin without its file', () => {
    expect(upstreamIn('Waits. upstream: (*cache).Get')).toEqual({ words: 'Waits.', place: null, ours: false });
    expect(upstreamIn('upstream: cmd/kubelet/app/server.go RunKubelet, kubelet.go Run').place).toEqual({
      file: 'cmd/kubelet/app/server.go',
      symbol: 'RunKubelet',
    });
  });
  it('leaves out tests, what only they use, and what is generated', () => {
    expect(
      [
        'kubelet/a.ts',
        'kernel/go.ts',
        'cri/gen/x_pb.ts',
        'kubelet/testing/a.ts',
        'kubelet/a.test.ts',
        'mock/a.ts',
      ].filter(isIndexed),
    ).toEqual(['kubelet/a.ts', 'kernel/go.ts']);
  });
});

describe('our own sources', () => {
  const { functions, steps, outline } = ownSources.index;
  it('are indexed for every call of frame and frameSync in them', () => {
    const named = Object.entries(ownTexts)
      .filter(([path]) => path.startsWith('kubelet/') && !path.startsWith('kubelet/eras/'))
      .flatMap(([, text]) => [...text.matchAll(/\bframe(?:Sync)?\(\s*(?:'([^']+)')?/g)].map((m) => m[1] ?? m[0]));
    expect(named.sort()).toEqual(Object.keys(functions).sort());
    expect(Object.values(functions).filter((f) => !f.upstream && !f.ours)).toEqual([]);
  });
  // `occurring` is held to the library's runs by its own test.
  const inRuns = (kind: 'function' | 'step') =>
    Object.entries(occurring[kind])
      .filter(([, eras]) => eras.includes(String(eraVersions.indexOf(defaultEra))))
      .map(([name]) => name);
  it('are indexed for every named call that occurs in runs, each with its twin in Kubernetes or said to have none', () => {
    const called = inRuns('function');
    expect(called.length).toBeGreaterThan(55);
    const at = (fn: string) => (Object.hasOwn(functions, fn) ? functions[fn] : undefined);
    expect(called.filter((fn) => !at(fn))).toEqual([]);
    expect(called.filter((fn) => !at(fn)?.upstream && !at(fn)?.ours)).toEqual([]);
  });
  it('are indexed for every step that occurs in runs', () => {
    const known = new Set(steps.map((s) => `${s.fn}/${s.name}`));
    // Steps of calls (`call-step`) are a table of their own.
    const ofCalls = new Set(steppedCalls.flatMap((fn) => callSteps(fn, 36).map((name) => `${fn}/${name}`)));
    const made = inRuns('step').filter((s) => !ofCalls.has(s));
    expect(made.length).toBeGreaterThan(30);
    expect(made.filter((s) => !known.has(s))).toEqual([]);
  });
  it('of older kubelets stand over those of v1.36, each with its twin of that version', () => {
    const of = (era: string) => sourcesOf(ownSources, era).index.functions;
    expect(of('v1.21').dispatchWork).toMatchObject({
      file: 'kubelet/eras/v1.21/dispatch-work.ts',
      upstream: { version: 'v1.21', file: 'pkg/kubelet/kubelet.go', symbol: '(*Kubelet).dispatchWork' },
    });
    expect(of('v1.12').dispatchWork?.file).toBe('kubelet/eras/v1.12/dispatch-work.ts');
    expect(of('v1.12').HandlePodAdditions?.file).toBe('kubelet/eras/v1.21/handlers.ts');
    expect(of('v1.12').startContainer).toEqual(functions.startContainer);
    expect(of('v1.36')).toBe(functions);
    for (const era of Object.values(ownSources.eras))
      expect(Object.values(era.functions).filter((f) => !f.upstream?.version && !f.ours)).toEqual([]);
  });
  it('have what the index says at its lines', () => {
    const all = [functions, ...Object.values(ownSources.eras).map((era) => era.functions)];
    for (const f of all.flatMap((each) => Object.values(each))) {
      const text = (ownTexts[f.file] ?? '').split('\n');
      expect(text[f.from - 1], f.fn).toContain(f.name);
      expect(text[f.to - 1]?.trim().startsWith('}'), `${f.fn} ends at ${f.to}`).toBe(true);
      const outlines = [outline, ...Object.values(ownSources.eras).map((era) => era.outline)];
      expect(outlines.some((each) => each[f.file]?.some((o) => o.from === f.from && o.to === f.to))).toBe(true);
    }
    for (const s of steps) {
      const text = (ownTexts[s.file] ?? '').split('\n');
      expect(text[s.from - 1], s.name).toContain(`'${s.name}'`);
      expect(s.within.from <= s.from && s.to <= s.within.to, s.name).toBe(true);
    }
  });
  it('name the twins that answers to why name', () => {
    const source = readFileSync(
      new URL('../../../../../../packages/core/src/debug/why/upstream.ts', import.meta.url),
      'utf8',
    );
    const named = [...source.matchAll(/^ {2}'?([\w.]+)'?: [`'](\S+) (\w+)[`'],$/gm)];
    expect(named.length).toBeGreaterThan(30);
    const both = named.filter(([, fn]) => Object.hasOwn(functions, fn ?? ''));
    expect(both.length).toBeGreaterThan(20);
    for (const [, fn, file, symbol] of both) {
      const twin = functions[fn ?? '']?.upstream;
      expect(`${twin?.file} ${twin?.symbol.replace(/^.*\./, '')}`, fn).toBe(
        `${file?.replace(/^\$\{kuberuntime\}/, 'pkg/kubelet/kuberuntime')} ${symbol}`,
      );
    }
  });
});
