import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { readMessage } from '@syncloop/core/cri/wire';
import { loadEras } from '@syncloop/core/kubelet';
import { parseScenario } from '@syncloop/core/scenario';
import type { TraceRecord } from '@syncloop/core/trace';
import { beforeAll, expect, it } from 'vitest';
import { type OpenSource, openObservation, recognise } from '../../index.js';
import type { Verdict } from '../base/types.js';
import { compare, coverageOf, decisionsOf } from '../compare/index.js';
import { rerun, twinScenario } from './index.js';

beforeAll(async () => {
  await loadEras();
});

const HERE = new URL('../../../../core/testdata/attach/', import.meta.url);
const folders = (url: URL) =>
  readdirSync(url, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
const CAPTURES = folders(HERE).flatMap((set) => folders(new URL(`${set}/`, HERE)).map((name) => `${set}/${name}`));

interface Observed {
  readonly records: TraceRecord[];
  readonly epochMicros: number | null;
  readonly version: string;
}

/** Reads a capture as if only these kinds of sources were there. */
function observe(capture: string, only?: readonly string[]): Observed {
  const folder = new URL(`${capture}/`, HERE);
  const about = JSON.parse(readFileSync(new URL('about.json', folder), 'utf8')) as { startedAt?: string };
  const startedMillis = about.startedAt === undefined ? null : Date.parse(about.startedAt);
  const notAfter = (startedMillis ?? Date.UTC(2026, 10, 22)) + 12 * 3_600_000;
  const parts = readdirSync(folder).flatMap((file) => {
    if (!file.endsWith('.gz')) return [];
    const bytes: Uint8Array = gunzipSync(readFileSync(new URL(file, folder)));
    const name = file.slice(0, -3);
    const is = recognise(name, bytes);
    if (is.is !== 'source' || (only && !only.includes(is.kind))) return [];
    const context = { notAfter, startedMillis, cri: { readMessage } };
    const source: OpenSource = { id: name, kind: is.kind, name, format: is.format, context };
    return [{ source, bytes, at: 0 }];
  });
  const observation = openObservation(parts.map(({ source }) => source));
  const records: TraceRecord[] = [];
  for (let next = observation.behind; next !== undefined; next = observation.behind) {
    const part = parts.find(({ source }) => source.id === next) as (typeof parts)[number];
    const piece = part.bytes.subarray(part.at, part.at + 256 * 1024);
    part.at += piece.length;
    for (const r of piece.length > 0 ? observation.push(next, piece) : observation.end(next)) records.push(r);
  }
  return { records, epochMicros: observation.epochMicros, version: observation.facts.version };
}

/** The best of a few seeds: upstream's jitter differs from run to run. */
function verdictOf({ records, epochMicros, version }: Observed, seeds: number): Verdict {
  const twin = twinScenario(records, { epochMicros, version });
  const seen = decisionsOf(records);
  const coverage = coverageOf(records);
  let best: Verdict | null = null;
  for (let seed = 1; seed <= seeds; seed++) {
    const run = rerun(twin, seed);
    expect(run.failures).toEqual([]);
    const { seenFrom, kubelet, era } = twin;
    const until = seenFrom + twin.until;
    const verdict = compare(seen, decisionsOf(run.records), { coverage, seenFrom, until, kubelet, era });
    if (!best || verdict.same / verdict.compared > best.same / best.compared) best = verdict;
    if (best.same === best.compared) break;
  }
  return best as Verdict;
}

function agreement(verdicts: readonly Verdict[]): { compared: number; part: number } {
  const compared = verdicts.reduce((n, v) => n + v.compared, 0);
  return { compared, part: verdicts.reduce((n, v) => n + v.same, 0) / compared };
}

it('twins of real kubelets make 99 % of their decisions', () => {
  expect(CAPTURES.length).toBeGreaterThan(10);
  const verdicts = CAPTURES.map((capture) => verdictOf(observe(capture), 3));
  const { compared, part } = agreement(verdicts);
  expect(compared).toBeGreaterThan(450);
  expect(part).toBeGreaterThanOrEqual(0.99);
});

it('so do twins that are made of less', () => {
  const some = [
    'v1.36-v4/crash-loop',
    'v1.36-v4/api-pod-life',
    'v1.36-v4/kubelet-restart',
    'v1.29-v4/liveness-failure',
  ];
  for (const sources of [['log', 'pods'], ['log'], ['pods', 'events']]) {
    const { part } = agreement(some.map((capture) => verdictOf(observe(capture, sources), 3)));
    expect(`${sources.join()}: ${part >= 0.97}`).toBe(`${sources.join()}: true`);
  }
});

it('a twin is a scenario that says what it assumes, the same each time', () => {
  const { records, epochMicros } = observe('v1.36-v4/api-pod-life', ['log', 'pods']);
  const twin = twinScenario(records, { epochMicros });
  expect(twinScenario(records, { epochMicros })).toEqual(twin);
  expect(parseScenario(twin.text, 'twin.yaml').apiServer).toBe(true);
  expect(twin.assumptions.map(({ code }) => code)).toContain('node.config');
  for (const { text } of twin.assumptions) expect(twin.text).toContain(text.en);
});
