import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type Fact, score } from './facts.js';
import { attach } from './main.js';
import { makeTable, promised } from './table.js';
import { truthOfLog } from './truth-log.js';

const CAPTURES = fileURLToPath(new URL('../../../../../packages/core/testdata/attach/', import.meta.url));

it('concludes from each capture what is true, and as much as is promised', async () => {
  const lines: string[] = [];
  const code = await attach([CAPTURES], { verbose: false }, (line) => lines.push(line));
  expect(lines.filter((line) => line.startsWith('BELOW'))).toEqual([]);
  expect(code).toBe(0);
  expect(lines.at(-1)).toMatch(/^1\d captures, all as promised$/);
});

it('counts each fact once, and by its time where it has one', () => {
  const at = (key: string, ...times: number[]): Fact[] => times.map((t) => ({ key, at: t }));
  expect(score(at('a', 1, 2), at('a', 1), 'x')).toMatchObject({ observed: 2, right: 1, truth: 1, wrong: ['x: a'] });
  expect(score(at('a', 1), at('a', 1, 9_000), 'x')).toMatchObject({ right: 1, truth: 2, missing: ['x: a'] });
  expect(score(at('a', 1), at('a', 60_000), 'x')).toMatchObject({ right: 0, wrong: ['x: a'], missing: ['x: a'] });
});

it('is below the promise where something is invented, or too little is told', () => {
  const one = (observed: number, right: number, truth: number) => ({
    observed,
    right,
    truth,
    wrong: [],
    missing: [],
    rest: [],
  });
  expect(promised('log -v4', 'PLEG events', one(10, 10, 10))).toEqual([]);
  expect(promised('log -v4', 'PLEG events', one(11, 10, 10))).toEqual(['precision 90.9 %, 100 % is promised']);
  expect(promised('all, log -v4', 'PLEG events', one(9, 9, 10))).toEqual(['recall 90 %, 100 % is promised']);
  expect(promised('log -v2', 'phases of pods', one(0, 0, 10))).toEqual([]);
  const table = makeTable(new Map([['log -v2', new Map([['phases of pods' as const, one(0, 0, 10)]])]]));
  expect(table.find((line) => line.startsWith('| phases'))).toBe('| phases of pods | statuses | not reported (10) |');
});

it('reads the truth of a log with expressions of its own, in every form', () => {
  const forms = [
    'I1122 10:00:00.000000    1432 kubelet.go:1] "SyncLoop ADD" source="api" pods=["d/a","d/b"]',
    'I1122 10:00:00.000000    1432 kubelet.go:1] "SyncLoop ADD" source="api" pods="[d/a d/b]"',
    'I1122 10:00:00.000000    1432 kubelet.go:1] "SyncLoop ADD" source="api" pods=[d/a d/b]',
    'I1122 10:00:00.000000    1432 kubelet.go:1] SyncLoop (ADD, "api"): "a_d(u-1), b_d(u-2)"',
    '{"ts":1795341600000,"caller":"kubelet/kubelet.go:1","msg":"SyncLoop ADD","v":2,"source":"api","pods":[{"name":"a","namespace":"d"},{"name":"b","namespace":"d"}]}',
  ];
  for (const form of forms)
    expect(truthOfLog(form, 2026)['config operations'], form).toEqual([
      { key: 'ADD api d/a,d/b', at: Date.UTC(2026, 10, 22, 10) },
    ]);
});
