import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bytesSource, openRecording } from '@syncloop/core/trace';
import { describe, expect, it, onTestFinished } from 'vitest';
import { main } from '../main.js';
import { runProgram } from '../testing/program.js';

const syncloop = (...argv: string[]) => runProgram(main, ...argv);

const LOG = `I1122 10:00:00.000000    1432 server.go:1] "Kubelet version" kubeletVersion="v1.33.1"
I1122 10:00:01.000000    1432 kubelet.go:1] "SyncLoop ADD" source="file" pods=["default/web"]
I1122 10:00:02.000000    1432 k.go:1] "Creating container in pod" container="&Container{Name:app,Env:[]EnvVar{EnvVar{Name:PASS,Value:hunter2-hunter2,ValueFrom:nil,},},}"
`;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'syncloop-import-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  writeFileSync(join(path, 'kubelet.log'), LOG);
  return path;
}
const read = (file: string) => openRecording(bytesSource(readFileSync(file)));

describe('syncloop import of a log', () => {
  it('makes a recording that names the kubelet, without secrets unless they are asked for', async () => {
    const path = folder();
    const out = join(path, 'out.syncloop');
    const log = join(path, 'kubelet.log');
    expect(await syncloop('import', log, '-o', out)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/: \d+ records\n/),
    });
    const recording = read(out);
    expect(recording.header.title).toBe('Kubelet v1.33.1: kubelet.log');
    const text = JSON.stringify([...recording]);
    expect(text).toContain('"kind":"pod-config"');
    expect(text).toContain('Name:PASS,Value:[REDACTED]');
    expect(text).not.toContain('hunter2');
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect((await syncloop('import', log, '-o', out, '--reveal-secrets')).code).toBe(0);
    expect(JSON.stringify([...read(out)])).toContain('hunter2');
  });

  it('takes the time zone that is said', async () => {
    const path = folder();
    const out = join(path, 'out.syncloop');
    await syncloop('import', join(path, 'kubelet.log'), '-o', out, '--time-zone', '+05:30');
    expect(new Date(read(out).header.epochMillis).toISOString()).toMatch(/T04:30:00\.000Z$/);
    expect(await syncloop('import', path, '-o', out, '--time-zone', 'CET')).toEqual({
      code: 2,
      out: '',
      err: 'syncloop: --time-zone is "CET", but must be an offset such as +02:00 or -0530\n',
    });
  });

  it('says what a file is not, and leaves nothing behind', async () => {
    const path = folder();
    const out = join(path, 'out.syncloop');
    writeFileSync(join(path, 'poem.txt'), 'a rose\n');
    expect(await syncloop('import', join(path, 'poem.txt'), '-o', out)).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /cannot import .*poem\.txt: it is neither a recording nor an export of one\. .*journalctl/,
      ),
    });
    expect(statSync(out, { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe('syncloop attach', () => {
  it.each<[readonly string[], RegExp]>([
    [['kubelet.log'], /unexpected argument "kubelet\.log".* --log FILE/],
    [['--log', 'a', '--unit', 'k3s'], /give one of them/],
    [['--no-log', '--log', 'a'], /remove one of them/],
    [['--no-log'], /leaves no source/],
  ])('refuses %j', async (argv, error) => {
    expect(await syncloop('attach', ...argv)).toMatchObject({ code: 2, err: expect.stringMatching(error) });
  });

  it('says what it can read and what not', async () => {
    const path = folder();
    const log = join(path, 'kubelet.log');
    expect(await syncloop('attach', '--check', '--log', log)).toMatchObject({
      code: 0,
      out: `can be read:    the log ${log}\ncan be read:    its rotated copies in ${path}\n`,
    });
    expect(await syncloop('attach', '--check', '--log', path)).toMatchObject({
      code: 2,
      err: `syncloop: --log ${path}: it is a directory, not a file\n`,
    });
  });

  it('records what there is up to its end, without secrets', async () => {
    const path = folder();
    const out = join(path, 'out.syncloop');
    const argv = ['attach', '--log', join(path, 'kubelet.log'), '--record', out, '--no-ui', '--node-name', 'n1'];
    expect(await syncloop(...argv)).toMatchObject({ code: 0, err: expect.stringContaining('SIGTERM: stopped') });
    const recording = read(out);
    expect(recording.header).toMatchObject({ node: 'n1', title: 'Kubelet of n1' });
    const records = [...recording];
    expect(records.filter((r) => r.kind === 'log' && r.evidence)).toHaveLength(3);
    expect(JSON.stringify(records)).not.toContain('hunter2');
  });
});

describe('a log beyond the limits', () => {
  /** Decompressed 8 MiB, of some 10 KiB. */
  const bomb = () => gzipSync(LOG + 'A line of some other program, again and again.\n'.repeat(170_000));

  it('is imported as far as they allow, which is said and stands in the recording', async () => {
    const path = folder();
    const out = join(path, 'out.syncloop');
    const log = join(path, 'bomb.log.gz');
    writeFileSync(log, bomb());
    const { code, err } = await syncloop('import', log, '-o', out, '--size-limit', '32Ki');
    expect(code).toBe(1);
    expect(err).toMatch(
      /^syncloop: warning: bomb\.log\.gz: only the first [\d.]+ KiB \(\d+ pieces of evidence\) were read, because the limit of size \(32 KiB, decompressed; --size-limit\) was met; read a smaller part of it/,
    );
    const records = [...read(out)];
    expect(records.find((r) => r.kind === 'pod-config')).toBeDefined();
    expect(records.findLast((r) => r.kind === 'evidence-source')).toMatchObject({
      state: 'lost',
      details: expect.stringMatching(/^Only its first [\d.]+ KiB were read: the limit of size/),
    });
    // At most one piece more than the limit was read.
    expect(records.length).toBeLessThan(50_000);
  });

  it('has no verdict where no decision of what was read differs', async () => {
    const path = folder();
    const log = join(path, 'bomb.log.gz');
    writeFileSync(log, bomb());
    const { code, err } = await syncloop('twin', log, '--size-limit', '32Ki', '--quiet');
    expect(code).toBe(2);
    expect(err).toContain('warning: bomb.log.gz: only the first');
  });

  it('is refused as a whole where it has to be held whole', async () => {
    const path = folder();
    const trace = join(path, 'trace.json');
    writeFileSync(trace, '[]'.padEnd(40 * 1024 * 1024));
    const { code, err } = await syncloop('import', trace, '-o', join(path, 'o'), '--memory-limit', '256Mi');
    expect(code).toBe(1);
    expect(err).toBe(
      `syncloop: ${trace} is larger than 32 MiB, and it has to be in memory as a whole: raise --memory-limit to eight times its size\n`,
    );
  });
});
