import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findEvidence, peekStream } from './evidence-files.js';
import { readEvidence } from './read-evidence.js';

const line = (n: number) =>
  `I1122 10:${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}.000000       7 a.go:1] "Line" n=${n}\n`;
const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => line(from + i)).join('');

function folder(files: { readonly [name: string]: string | Buffer }): string {
  const path = mkdtempSync(join(tmpdir(), 'syncloop-evidence-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  return path;
}

async function numbers(paths: readonly string[], input?: string | Buffer) {
  const stdin = input === undefined ? undefined : await peekStream(Readable.from([input], { objectMode: false }));
  const { files, left } = await findEvidence(paths, stdin ? { stdin } : {});
  const records: TraceRecord[] = [];
  const reading = readEvidence(files);
  for await (const batch of reading.records()) records.push(...batch);
  return {
    numbers: records.flatMap((r) => (r.kind === 'log' && r.evidence ? [r.kv.n] : [])),
    sources: files.map(({ source }) => `${source.id}: ${source.name}`),
    left,
  };
}
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

describe('what a kubelet left behind, in files', () => {
  it('is one log where it was rotated, in whatever order the files are named', async () => {
    const path = folder({
      'kubelet.log': lines(401, 500),
      // A process that was killed in the middle of a line; the rest of it is lost.
      'kubelet.log.1': lines(201, 400).slice(0, -1),
      'kubelet.log.2.gz': gzipSync(lines(1, 200)),
    });
    const names = ['kubelet.log', 'kubelet.log.2.gz', 'kubelet.log.1'].map((name) => join(path, name));
    for (const given of [[path], names, [...names].reverse()])
      expect(await numbers(given)).toEqual({
        numbers: upTo(500),
        sources: ['log: kubelet.log.2.gz, kubelet.log.1, kubelet.log'],
        left: [],
      });
  });

  it('are read where a folder has links to them; a loop of links is left out, and told', async () => {
    const path = folder({ 'kubelet.log': lines(1, 5) });
    const linked = folder({});
    symlinkSync(join(path, 'kubelet.log'), join(linked, 'kubelet.log'));
    symlinkSync(join(linked, 'b.log'), join(linked, 'a.log'));
    symlinkSync(join(linked, 'a.log'), join(linked, 'b.log'));
    symlinkSync(linked, join(linked, 'again'));
    symlinkSync(join(linked, 'nothing'), join(linked, 'gone.log'));
    expect(await numbers([linked])).toEqual({
      numbers: upTo(5),
      sources: ['log: kubelet.log'],
      left: [
        `${join(linked, 'a.log')} is left out: its symbolic links lead in a loop.`,
        `${join(linked, 'b.log')} is left out: its symbolic links lead in a loop.`,
        `${join(linked, 'gone.log')} is left out: it is a link to something that cannot be read (ENOENT).`,
      ],
    });
  });

  it('are several sources where names say so, told in the order of time', async () => {
    const path = folder({ 'node-1.log': lines(1, 50), 'node-2.log': lines(25, 60) });
    const { numbers: found, sources } = await numbers([path]);
    expect(sources).toEqual(['log: node-1.log', 'log-2: node-2.log']);
    expect(found).toEqual([...found].sort((a, b) => Number(a) - Number(b)));
    // Lines that both have count once.
    expect(found).toHaveLength(60);
  });

  it('may come through standard input, compressed or not', async () => {
    for (const input of [lines(1, 30), gzipSync(lines(1, 30))])
      expect(await numbers(['-'], input)).toMatchObject({ numbers: upTo(30), sources: ['log: standard input'] });
  });

  it('is read as far as it goes where a compressed file was cut', async () => {
    const whole = gzipSync(lines(1, 3000), { level: 0 });
    const path = folder({ 'kubelet.log.gz': whole.subarray(0, whole.length / 2) });
    const { numbers: found } = await numbers([join(path, 'kubelet.log.gz')]);
    expect(found.length).toBeGreaterThan(1000);
    expect(found.slice(0, -1)).toEqual(upTo(found.length - 1));
  });

  it('says of files in a folder that nothing is read from them', async () => {
    const path = folder({ 'kubelet.log': lines(1, 5), 'picture.png': Buffer.from([0x89, 0x50, 0, 0, 1]) });
    mkdirSync(join(path, 'sub'));
    const { left } = await numbers([path]);
    expect(left).toHaveLength(1);
    expect(left[0]).toMatch(/picture\.png/);
  });

  it.each<[string, (path: string) => string[], RegExp]>([
    ['no file', (p) => [`${p}/none.log`], /cannot read .*none\.log: there is no such file/],
    ['an empty folder', (p) => [`${p}/sub`], /no evidence of a kubelet was found in .*journalctl -u kubelet/],
    ['an empty file', (p) => [`${p}/empty.log`], /“empty\.log” is empty/],
    ['what is no log', (p) => [`${p}/poem.txt`], /poem\.txt.* cannot be opened: No line .* journalctl/],
    ['standard input twice', () => ['-', '-'], /give it once/],
    ['what is compressed twice', (p) => [`${p}/twice.gz`], /is compressed twice: decompress it first/],
  ])('refuses %s, with the remedy', async (_, paths, error) => {
    const path = folder({
      'empty.log': '',
      'poem.txt': 'a rose\n',
      'twice.gz': gzipSync(gzipSync(lines(1, 3))),
    });
    mkdirSync(join(path, 'sub'));
    await expect(findEvidence(paths(path))).rejects.toThrow(error);
  });
});

it('brings what reading calls takes, where there are any', async () => {
  const capture = fileURLToPath(
    new URL('../../../../packages/core/testdata/attach/v1.36-v4-calls/single-pod-lifecycle', import.meta.url),
  );
  const { files } = await findEvidence([capture]);
  expect(files.find(({ source }) => source.format === 'cri-bytes')?.source.context).toMatchObject({
    startedMillis: Date.parse('2026-11-22T11:31:15.508Z'),
    cri: { readMessage: expect.any(Function), inflate: expect.any(Function) },
  });
  expect((await findEvidence([`${capture}/kubelet.v4.log.gz`])).files[0]?.source.context).not.toHaveProperty('cri');
});
