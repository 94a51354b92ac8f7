import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesSource, openRecording, type TraceRecord } from '@syncloop/core/trace';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { main } from '../main.js';

async function syncloop(...argv: string[]) {
  let out = '';
  let err = '';
  const io = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    untilSignal: async () => 'SIGTERM',
  };
  return { code: await main(argv, io), out, err };
}

let folder: string;
let file: string;
let records: TraceRecord[];
const open = (name: string) => openRecording(bytesSource(readFileSync(name)));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'recordings-'));
  file = `${folder}/hello.syncloop`;
  await syncloop('simulate', 'hello', '--seed', '7', '--until', '5s', '--record', file);
  records = [...open(file)];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('syncloop info', () => {
  it('tells what is in a recording', async () => {
    const { code, out, err } = await syncloop('info', file);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^title {5}\S/);
    expect(out).toContain(`records   ${records.length} (1 to ${records.length})\n`);
    expect(out).toMatch(/^size {6}\d+ bytes, \d+\.\d per record$/m);
    expect(out).toMatch(/^format {4}version \d+$/m);
    expect(out).toMatch(/^run again scenario hello, seed 7, 0 deviations, 0 interventions$/m);
    const kinds = (await syncloop('info', '--kinds', file)).out;
    expect(kinds).toMatch(new RegExp(` ${records.filter((r) => r.kind === 'log').length} log\n`));
  });

  it('says what is missing', async () => {
    const cut = `${folder}/cut.syncloop`;
    writeFileSync(cut, readFileSync(file).subarray(0, -500));
    const { code, out, err } = await syncloop('info', cut);
    expect(code).toBe(1);
    expect(out).toMatch(/^format {4}version \d+, not closed$/m);
    expect(err).toMatch(/^syncloop: .*cut\.syncloop: The recording is cut off in block \d+ at byte \d+; it /);
  });

  it('says of a log whose its lines are, how many were read, and of which nodes', async () => {
    const log = `${folder}/journal.log`;
    const line = (host: string, program: string, text: string) => `Nov 22 10:00:01 ${host} ${program}: ${text}\n`;
    const add = 'I1122 10:00:01.000000    1432 kubelet.go:1] "SyncLoop ADD" source="api" pods=["default/web"]';
    const text =
      line('n1', 'kubelet[1432]', add) +
      line('n1', 'kubelet[1432]', add.replace('SyncLoop ADD', 'Nobody knows this line')) +
      line('n1', 'etcd[9]', 'took too long') +
      line('n2', 'kubelet[1432]', add);
    writeFileSync(log, text);
    const { code, out } = await syncloop('info', log);
    expect(code).toBe(0);
    expect(out).toContain(
      "Read 25 % of 4 lines, and 50 % of the kubelet's 2; the rest: etcd 25 %, kubelet 25 %, other nodes 25 %.\n" +
        'These are lines of 2 nodes: n1 is shown, and not n2.\n',
    );
    expect((await syncloop('info', '--node', 'n2', log)).out).toContain(
      "Read 25 % of 4 lines, and 100 % of the kubelet's 1",
    );
  });

  it('shows nothing that would steer a terminal', async () => {
    const evil = `${folder}/evil.jsonl`;
    writeFileSync(
      evil,
      `${JSON.stringify({ format: 'syncloop-recording', version: 1, title: '\u001b]0;x\u0007\u202eevil' })}\n`,
    );
    expect((await syncloop('info', evil)).out).toMatch(/^title {5}\?\]0;x\?\?evil\n/);
  });
});

describe('syncloop export', () => {
  it('writes Chrome traces, and import makes the recording again', async () => {
    const trace = `${folder}/trace.json`;
    expect(await syncloop('export', file, '--format', 'chrome', '-o', trace)).toMatchObject({
      code: 0,
      out: '',
      err: '',
    });
    const { traceEvents } = JSON.parse(readFileSync(trace, 'utf8'));
    expect(traceEvents.some((e: { name: string }) => e.name === 'SyncPod')).toBe(true);
    expect((await stat(trace)).mode & 0o777).toBe(0o600);
    const again = `${folder}/again.syncloop`;
    expect(await syncloop('import', trace, '-o', again)).toEqual({
      code: 0,
      out: `${again}: ${records.length} records\n`,
      err: '',
    });
    expect(readFileSync(again).equals(readFileSync(file))).toBe(true);
  });

  it('writes records as lines, which open and import', async () => {
    const { out } = await syncloop('export', file, '--format', 'ndjson');
    expect(out.trimEnd().split('\n')).toHaveLength(records.length + 1);
    const lines = `${folder}/lines.ndjson`;
    writeFileSync(lines, out);
    const again = `${folder}/lines.syncloop`;
    await syncloop('import', lines, '-o', again);
    expect(readFileSync(again).equals(readFileSync(file))).toBe(true);
    expect((await syncloop('info', lines)).code).toBe(0);
  });

  it('writes OTLP and klog', async () => {
    const { out } = await syncloop('export', file, '--format', 'otlp');
    for (const line of out.trimEnd().split('\n')) expect(JSON.parse(line).resourceSpans).toHaveLength(1);
    expect(out).toContain('"name":"syncPod"');
    expect((await syncloop('export', file, '--format', 'otlp', '--no-own-spans')).out).not.toContain(
      '"syncloop.iteration"',
    );
    const klog = (await syncloop('export', file, '--format', 'klog', '--v', '2')).out;
    expect(klog).toMatch(/^I0101 .*\] "SyncLoop ADD" source="file"/m);
  });

  it('writes a part of it', async () => {
    const { out } = await syncloop('export', file, '--format', 'ndjson', '--from', '10', '--to', '19');
    const seqs = out
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line).seq);
    expect(seqs).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
  });

  it.each([
    [[], 2, 'syncloop: a recording is required: syncloop export FILE, or - for standard input\n'],
    [['x'], 2, 'syncloop: a format is required: give --format chrome|otlp|ndjson|klog\n'],
    [
      ['x', '--format', 'chrme'],
      2,
      'syncloop: --format is "chrme" (did you mean chrome?), but must be one of chrome, otlp, ndjson, klog\n',
    ],
    [['x', '--format', 'chrome', '--axis', 'seq'], 2, expect.stringContaining('--axis is "seq"')],
    [['x', '--format', 'klog', '--from', '5', '--to', '4'], 2, 'syncloop: --from 5 is after --to 4: swap them\n'],
    [
      ['/nonexistent/x', '--format', 'klog'],
      1,
      expect.stringContaining('cannot read the recording /nonexistent/x: ENOENT'),
    ],
    [['/', '--format', 'klog'], 1, expect.stringContaining('cannot read the recording /: /: it is a directory')],
  ])('refuses %j', async (argv, code, err) => {
    expect(await syncloop('export', ...argv)).toMatchObject({ code, err });
  });

  it('names the file that is none, and leaves nothing behind', async () => {
    const none = `${folder}/none`;
    writeFileSync(none, 'hello\n');
    expect(await syncloop('info', none)).toMatchObject({
      code: 1,
      err: `syncloop: ${none}: line 1 is not a header: this is not a syncloop-recording file\n`,
    });
    const broken = `${folder}/broken.json`;
    writeFileSync(broken, '{"traceEvents":[]}');
    const out = `${folder}/out.syncloop`;
    expect(await syncloop('import', broken, '-o', out)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/broken\.json: this trace has no records in it/),
    });
    await expect(stat(out)).rejects.toThrow();
    expect(await syncloop('export', file, '--format', 'klog', '-o', '/nonexistent/x')).toMatchObject({
      code: 1,
      err: expect.stringContaining('cannot write /nonexistent/x: ENOENT'),
    });
  });
});
