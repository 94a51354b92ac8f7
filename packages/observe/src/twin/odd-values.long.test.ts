/**
 * One odd value in a real capture, of any kind and at any place: nothing is refused for it and nothing throws. Parts
 * that are left out are reported.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { utf8Bytes, utf8Text } from '@syncloop/core/base';
import { bytesSource, openRecording, RecordingWriter, type TraceRecord } from '@syncloop/core/trace';
import { expect, it } from 'vitest';
import { type OpenSource, openObservation, recognise } from '../index.js';
import { decisionsOf } from './compare/index.js';
import { runFromMidLife } from './live/index.js';
import { twinScenario } from './make/index.js';

const CASES = 30;
const ODD = [
  ...[null, '', 0, -1, 1e308, -1e308, 1e21, 0.5, Number.MAX_SAFE_INTEGER, true, [], {}, [[]]],
  ...['\u0000', 'a\u0007b', '\u202eabc', '\ud800', 'é'.repeat(300), 'x'.repeat(100_000), '__proto__', 'NaN', '-5s'],
  ...['9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z', '+275760-09-13T00:00:00Z', '999999999999999999999', '1e400'],
  ...['../../etc/passwd', 'a/b/c', 'a b', '(', '*', '%s', '${' + 'x}', '- a: b\n', '#', '"'],
] as const;
/** Texts that are in many places: a name, an id, a number, a time. */
const EVERYWHERE = [
  ...['default/web', '"web"', '"app"', 'localhost/busybox:dev', 'dfedffdd-2ead-46f2-b200-fb8c21773932'],
  ...['2026-11-22T11', 'I1122 11:25:1', '"node1"', '"default"', '"ContainerStarted"'],
];

/** The algorithm is mulberry32. */
function randomOf(seed: number): <T>(list: readonly T[]) => T {
  let a = seed;
  return (list) => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return list[Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * list.length)] as (typeof list)[number];
  };
}

interface File {
  readonly name: string;
  readonly text: string;
}
const HERE = new URL('../../../core/testdata/attach/v1.36-v4/api-pod-life/', import.meta.url);
const FILES: readonly File[] = readdirSync(HERE)
  .filter((file) => /^(kubelet|pods|container-events).*\.gz$/.test(file))
  .map((file) => ({ name: file.slice(0, -3), text: utf8Text(gunzipSync(readFileSync(new URL(file, HERE)))) }));
const STARTED = Date.parse(
  (JSON.parse(readFileSync(new URL('about.json', HERE), 'utf8')) as { startedAt: string }).startedAt,
);

/** Paths to all values of a JSON text. */
function paths(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, under]) => paths(under, [...path, key]))];
}
function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as { [key: string]: unknown };
  copy[key] = replaced(copy[key], rest, by);
  return copy;
}

/** The capture with one value changed, and which. */
function changed(seed: number): { readonly files: readonly File[]; readonly what: string } {
  const pick = randomOf(seed);
  const odd = pick(ODD);
  const text = typeof odd === 'string' ? odd : JSON.stringify(odd);
  if (seed % 2 === 0) {
    const one = pick(EVERYWHERE);
    const by = one.startsWith('"') ? JSON.stringify(odd) : JSON.stringify(text).slice(1, -1);
    return {
      files: FILES.map((file) => ({ ...file, text: file.text.replaceAll(one, () => by) })),
      what: `${one} everywhere: ${by.slice(0, 40)}`,
    };
  }
  const file = pick(FILES);
  const lines = file.text.split('\n').filter((line) => line !== '');
  const i = pick([...lines.keys()]);
  const line = lines[i] as string;
  let what = '';
  if (line.startsWith('{')) {
    const path = pick(paths(JSON.parse(line)));
    lines[i] = JSON.stringify(replaced(JSON.parse(line), path, odd));
    what = path.join('.');
  } else {
    const values = [...line.matchAll(/"[^"\\]{1,200}"|(?<=[=:\s])-?\d+(?:\.\d+)?(?=[\s,}\]]|$)/g)];
    const value = values.length > 0 ? pick(values) : undefined;
    if (value)
      lines[i] =
        `${line.slice(0, value.index)}${value[0].startsWith('"') ? JSON.stringify(text) : text}${line.slice(value.index + value[0].length)}`;
    what = value?.[0] ?? '';
  }
  return {
    files: FILES.map((one) => (one === file ? { ...one, text: lines.join('\n') } : one)),
    what: `${file.name}:${i + 1} ${what.slice(0, 60)}: ${text.slice(0, 40)}`,
  };
}

function observed(files: readonly File[]) {
  const parts = files.flatMap(({ name, text }) => {
    const bytes = utf8Bytes(text);
    const is = recognise(name, bytes);
    const context = { notAfter: STARTED + 12 * 3_600_000, startedMillis: STARTED };
    if (is.is !== 'source') return [];
    const source: OpenSource = { id: name, kind: is.kind, name, format: is.format, context };
    return [{ source, bytes }];
  });
  const observation = openObservation(parts.map(({ source }) => source));
  const records: TraceRecord[] = [];
  for (const { source, bytes } of parts) for (const r of observation.push(source.id, bytes)) records.push(r);
  for (const { source } of parts) for (const r of observation.end(source.id)) records.push(r);
  return { records, epochMicros: observation.epochMicros };
}

it(`one odd value is one gap, whatever it is (${CASES} of them)`, () => {
  const whole = observed(FILES).records.filter((r) => r.evidence).length;
  let left = 0;
  for (let seed = 1; seed <= CASES; seed++) {
    const { files, what } = changed(seed);
    try {
      const { records, epochMicros } = observed(files);
      // All other evidence is there.
      expect(records.filter((r) => r.evidence).length).toBeGreaterThan(whole * 0.9);
      const chunks: Uint8Array[] = [];
      const info = { core: '0', title: '', scenario: '', seed: 0, runtime: '', node: '', epochMillis: 0 };
      const writer = new RecordingWriter((chunk) => chunks.push(chunk), { ...info, virtual: false, createdBy: '' });
      for (const record of records) writer.push(record);
      writer.close();
      const recording = openRecording(bytesSource(Buffer.concat(chunks)));
      expect([...recording]).toHaveLength(records.length);
      expect(recording.warning).toBe('');
      const begun = runFromMidLife(records, epochMicros ?? 0);
      const twin = twinScenario(begun.records, { epochMicros });
      decisionsOf(begun.records);
      for (const { why } of twin.left) expect(why.en).not.toMatch(/yaml|:\d+:\d+: /);
      if (twin.left.length > 0) left++;
    } catch (error) {
      throw new Error(`seed ${seed}, ${what}: ${(error as Error).stack}`);
    }
  }
  expect(left).toBeGreaterThan(1);
});
