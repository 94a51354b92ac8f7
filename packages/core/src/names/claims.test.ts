import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { changes } from '../changes/index.js';
import { defaultEra, type EraVersion } from '../kubelet/era/versions.js';
import { answersIn, erasOf, type Place, type StopKind } from './index.js';

/** The table of what walk-throughs of the kubelet say. */
const TOP = fileURLToPath(new URL('../../../..', import.meta.url));
const text = readFileSync(join(TOP, 'docs/developers/claims.md'), 'utf8');

interface Row {
  readonly line: string;
  readonly claims: number;
  readonly verdict: string;
  readonly proofs: readonly string[];
}
const rows: readonly Row[] = [...text.matchAll(/^\| (\d+) \| (.*) \| ([^|]*) \| ([^|]*) \|$/gm)].map(
  ([line, claims, , verdict = '', proofs = '']) => ({
    line,
    claims: Number(claims),
    verdict: verdict.replace(/:.*$/, ''),
    proofs: proofs.split(/, (?=[a-zA-Z ]+ `)/),
  }),
);

const KINDS: Readonly<Record<string, StopKind>> = {
  call: 'function',
  step: 'step',
  line: 'log',
  decision: 'decision',
  event: 'event',
  channel: 'channel',
  operation: 'op',
  'CRI call': 'cri',
  'PLEG event': 'pleg',
  record: 'record',
  worker: 'worker',
  'part of the start': 'manager',
};

function* testFiles(dir: string): Generator<string> {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name === 'dist') continue;
    const path = join(dir, entry.name);
    if (entry.isDirectory()) yield* testFiles(path);
    else if (/\.test\.(tsx?|mjs)$/.test(entry.name) && !path.endsWith('names/claims.test.ts')) yield path;
  }
}
/** The code of all tests, in one text for each. */
const tests = ['packages', 'apps']
  .flatMap((dir) => [...testFiles(join(TOP, dir))])
  .map((path) => readFileSync(path, 'utf8'));
/** Whether a test has the title: in quotes, as a test writes it. */
const isTest = (title: string): boolean =>
  tests.some((code) => ["'", '"', '`'].some((q) => code.includes(`${q}${title}${q}`)));

/** What is wrong with a proof; null if it holds. */
function wrong(proof: string, verdict: string): string | null {
  const found = /^([a-zA-Z ]+) `(.+)`(?: \((v1\.\d+)\))?$/.exec(proof);
  if (!found) return `"${proof}" is not a proof`;
  const [, kind = '', name = '', era] = found;
  const place = KINDS[kind];
  if (place !== undefined)
    return erasOf(`${place} ${name}` as Place).includes(era as EraVersion)
      ? null
      : `no run of ${era} has ${kind} ${name}`;
  switch (kind) {
    case 'test':
      return isTest(name) ? null : `no test is called "${name}"`;
    case 'change':
      return changes.some(({ id }) => id === name) ? null : `there is no change ${name}`;
    case 'lesson':
      return readdirSync(join(TOP, 'packages/core/content/lessons')).includes(`${name}.yaml`)
        ? null
        : `no lesson ${name}`;
    case 'name':
      if (verdict === 'yes') return `the palette's answer to ${name} alone shows nothing`;
      return answersIn(name, defaultEra).length > 0 ? null : `the palette does not know ${name}`;
    default:
      return `"${kind}" is not a kind of proof`;
  }
}

describe('what walk-throughs say', () => {
  it('is 419 claims, counted by verdict as the text says', () => {
    const count = (verdict?: string) =>
      rows.filter((row) => verdict === undefined || row.verdict === verdict).reduce((n, { claims }) => n + claims, 0);
    expect(count()).toBe(419);
    expect(new Set(rows.map(({ verdict }) => verdict))).toEqual(new Set(['yes', 'no run', 'not done']));
    expect(text).toContain(`${count('yes')} are visible and right`);
    expect(text).toContain(`${count('no run')} are done by the kubelet here`);
    expect(text).toContain(`${count('not done')} are not done by it`);
  });
  it('has a reason wherever it is not seen', () => {
    const said = rows.filter(({ line, verdict }) => verdict !== 'yes' && !/\| (no run|not done): \S/.test(line));
    expect(said.map(({ line }) => line)).toEqual([]);
  });
  it('is proved by what there is', () => {
    expect(rows.length).toBeGreaterThan(150);
    const bad = rows.flatMap(({ proofs, verdict }) => proofs.map((proof) => wrong(proof, verdict)));
    expect(bad.filter((why) => why !== null)).toEqual([]);
  });
  it('is seen in a run wherever it is said to be: a test alone does not show it', () => {
    const seen = /^(?!test |change |lesson |name )/;
    const unseen = rows.filter(({ verdict, proofs }) => verdict === 'yes' && !proofs.some((proof) => seen.test(proof)));
    expect(unseen.map(({ line }) => line)).toEqual([]);
  });
});
