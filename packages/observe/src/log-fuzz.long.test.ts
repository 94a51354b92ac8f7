import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { foldAll, narrate } from '@syncloop/core/trace';
import { versionOfRecords } from '@syncloop/core/version';
import { expect, it } from 'vitest';
import { observeLog } from './testing/observe-log.js';
import { manyRuns } from './testing/sampled.js';

const CAPTURES = new URL('../../core/testdata/attach/', import.meta.url);
const log = (name: string) => gunzipSync(readFileSync(new URL(name, CAPTURES)));
const LOGS = [
  'v1.21-v4-log/single-pod-lifecycle/kubelet.v4.log.gz',
  'v1.25-v4/single-pod-lifecycle/kubelet.v4.log.gz',
  'v1.29-v4/liveness-failure/kubelet.v4.log.gz',
  'v1.33-v4/crash-loop/kubelet.v4.log.gz',
  'v1.36-v2/crash-loop/kubelet.v2.log.gz',
  'v1.36-v4/api-pod-life/kubelet.v4.log.gz',
  'v1.36-v4/kubelet-restart/kubelet.v4.log.gz',
];

/** mulberry32: the same numbers for the same seed. */
function random(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
const JUNK = [
  '"',
  '\\',
  '=<\n',
  ' >',
  '{',
  '}',
  '[',
  ']',
  '=',
  '\u0000',
  '\u001b[2J',
  '<script>',
  'pod="a/b"',
  'podUID="x"',
  '__proto__=',
  'constructor=',
  '%+v',
  '\n',
  '\r\n',
  'map[',
  '\u202e',
  '9'.repeat(40),
];

/** Bytes changed, taken out, doubled, cut, lines swapped: about one change in 200 bytes. */
function mutate(bytes: Buffer, seed: number): Buffer {
  const next = random(seed);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + Math.floor(next() * 400);
    const piece = Buffer.from(bytes.subarray(at, at + length));
    at += length;
    const what = next();
    if (what < 0.25) piece[Math.floor(next() * piece.length)] = Math.floor(next() * 256);
    else if (what < 0.5) parts.push(Buffer.from(JUNK[Math.floor(next() * JUNK.length)] as string));
    else if (what < 0.6) at += Math.floor(next() * 300);
    else if (what < 0.7) parts.push(piece);
    parts.push(piece);
  }
  return Buffer.concat(parts);
}

it('takes spoiled logs: no error, every line counted, the state folds, sentences are made', () => {
  let total = 0;
  for (let round = 0; total < (manyRuns ? 1_000_000 : 400_000); round++) {
    const spoiled = mutate(log(LOGS[round % LOGS.length] as string), 7 + round).subarray(0, 250_000);
    total += spoiled.length;
    const { all } = observeLog(spoiled, 1 + ((round * 7919) % 50_000));
    const evidence = all.filter((r) => r.evidence !== undefined);
    // A record for each piece of the log; continued lines belong to the one that they continue.
    const lines = spoiled.toString('latin1').split('\n').length;
    expect(evidence.length).toBeGreaterThan(lines * 0.5);
    expect(evidence.length).toBeLessThanOrEqual(lines);
    expect(all.findIndex((r, i) => r.seq !== i + 1)).toBe(-1);
    for (const r of all) {
      expect(r.cause).toBeLessThan(r.seq);
      for (const b of r.basis ?? []) if (b >= r.seq) expect.fail(`record ${r.seq} rests on what comes after it`);
    }
    const state = foldAll(all);
    const lookup = {
      channel: () => '',
      goroutine: () => '',
      container: () => null,
      containerId: () => '',
      pod: () => '',
    };
    for (const r of all)
      for (const lang of ['en', 'zh'] as const) expect(typeof narrate(r, lookup, lang).text).toBe('string');
    expect(Object.keys(state.pods).length).toBeLessThan(2_000);
  }
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

it('gives the same records for pieces of any size, of every capture', () => {
  for (const name of LOGS) {
    const bytes = log(name);
    const whole = observeLog(bytes, bytes.length).all.map((r) => JSON.stringify(r));
    const { all } = observeLog(bytes, 777);
    expect(all.length).toBe(whole.length);
    expect(
      all.findIndex((r, i) => JSON.stringify(r) !== whole[i]),
      name,
    ).toBe(-1);
  }
});

it('makes the same of a log as JSON, and of one that a keeper framed', () => {
  const texts = log('v1.36-v4/api-pod-life/kubelet.v4.log.gz').toString();
  const told = (all: ReturnType<typeof observeLog>) =>
    all.records
      .filter((r) => r.kind !== 'process')
      .map(({ kind, concluded }) => `${kind}${concluded ? ' concluded' : ''}`);
  const plain = observeLog(texts);
  const framings: { readonly [name: string]: (line: string) => string } = {
    journal: (line) => `Nov 22 11:25:08 node1 kubelet[14074]: ${line}`,
    iso: (line) => `2026-11-22T11:25:08.000000+00:00 node1 kubelet[14074]: ${line}`,
    container: (line) => `2026-11-22T11:25:08.000000000Z stderr F ${line}`,
    prefix: (line) => `node-7 | ${line}`,
  };
  const lines = texts.split('\n').filter((line) => line !== '');
  const klog = lines.filter((line) => /^[IWEF]\d{4} /.test(line));
  for (const [name, frame] of Object.entries(framings)) {
    const framed = observeLog(`${klog.map(frame).join('\n')}\n`);
    expect(told(framed), name).toEqual(told(observeLog(`${klog.join('\n')}\n`)));
  }
  // As klog's JSON: each line is an object.
  const asJson = plain.all
    .flatMap((r) => {
      if (r.kind !== 'log' || r.evidence === undefined || !/^[\w-]+\.go$/.test(r.file)) return [];
      const ts = Date.UTC(2026, 10, 22, 11, 25) + r.time / 1000;
      return [
        JSON.stringify({
          ts,
          caller: `kubelet/${r.file}:1`,
          msg: r.msg,
          ...(r.severity === 'I' && { v: r.v }),
          ...r.kv,
        }),
      ];
    })
    .join('\n');
  const json = observeLog(`${asJson}\n`);
  expect(versionOfRecords(json.all)).toEqual(versionOfRecords(plain.all));
  expect(told(json)).toEqual(told(plain));
});

it('holds what is bounded, however long the log is', () => {
  const line = (i: number, text: string) => {
    const at = new Date(Date.UTC(2026, 10, 1) + i * 400).toISOString();
    return `I${at.slice(5, 7)}${at.slice(8, 10)} ${at.slice(11, 23)}000    1432 kubelet.go:1] ${text}\n`;
  };
  const texts: string[] = [];
  for (let i = 0; i < 60_000; i += 4) {
    const id = String(i).padStart(64, '0');
    texts.push(
      line(i, `"SyncLoop ADD" source="api" pods=["d/p${i}"]`),
      line(i + 1, `"Pod is being synced for the first time" pod="d/p${i}" podUID="u-${i}"`),
      line(i + 2, `"GenericPLEG" podUID="u-${i}" containerID="${id}" oldState="non-existent" newState="running"`),
      line(i + 3, `"SyncLoop REMOVE" source="api" pods=["d/p${i}"]`),
    );
  }
  const { of, extractor } = observeLog(texts.join(''));
  expect(of('pod-config')).toHaveLength(30_000);
  expect(of('pod-config').every((r) => r.pods[0]?.uid === `u-${r.pods[0]?.pod.slice(3)}`)).toBe(true);
  expect(extractor.held).toBeLessThan(60_000);
});
