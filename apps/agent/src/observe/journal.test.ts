import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Evidence } from '@syncloop/observe';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BackOff } from './back-off.js';
import { JournalSource } from './journal.js';

/**
 * A journalctl that knows ten entries, gives those after the cursor it is asked for, and ends in the middle of one
 * after three. Its arguments go to a file.
 */
const JOURNALCTL = (folder: string) => `#!${process.execPath}
const { appendFileSync } = require('node:fs');
const args = process.argv.slice(2);
appendFileSync(${JSON.stringify(join(folder, 'args'))}, args.join(' ') + '\\n');
const after = Number(/--after-cursor=c=(\\d+)/.exec(args.join(' '))?.[1] ?? 0);
const entry = (n) => JSON.stringify({
  __CURSOR: 'c=' + n, __REALTIME_TIMESTAMP: String(1795346836000000 + n * 1e6), _PID: '7', _COMM: 'kubelet',
  MESSAGE: 'I1122 11:27:' + String(16 + n).padStart(2, '0') + '.000000       7 a.go:1] "Line" n=' + n,
}) + '\\n';
let out = '';
for (let n = after + 1; n <= Math.min(10, after + 3); n++) out += entry(n);
if (after + 4 <= 10) out += entry(after + 4).slice(0, 40);
process.stdout.write(out);
if (after >= 9) setInterval(() => {}, 1000);
`;

function journal(program: (folder: string) => string) {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'journalctl');
  writeFileSync(path, program(folder));
  chmodSync(path, 0o755);
  const source = new JournalSource({
    id: 'log',
    unit: 'kubelet',
    lines: 500,
    program: path,
    backOff: new BackOff(1, 1),
  });
  const evidence: Evidence[] = [];
  const said: string[] = [];
  /** Resolves when `done` is true, which is asked at each change. */
  const until = (done: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => done() && resolve();
      source.start(
        async (pieces) => {
          evidence.push(...pieces);
          look();
        },
        (sentence) => {
          said.push(sentence);
          look();
        },
      );
    });
  onTestFinished(() => source.stop());
  return { folder, source, evidence, said, until };
}

describe('the journal', () => {
  it('is followed again where journalctl ends, after the last whole entry, without loss or doubles', async () => {
    const { folder, evidence, said, until, source } = journal(JOURNALCTL);
    const numbers = () =>
      evidence.map((one) => (one.kind === 'line' && one.entry.kind === 'entry' ? one.entry.fields.n : one.kind));
    await until(() => numbers().length >= 10);
    await source.stop();
    expect(numbers()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const asked = readFileSync(join(folder, 'args'), 'utf8').trim().split('\n');
    expect(asked.map((args) => /--(lines|after-cursor)=\S+/.exec(args)?.[0])).toEqual([
      '--lines=500',
      '--after-cursor=c=3',
      '--after-cursor=c=6',
      '--after-cursor=c=9',
    ]);
    expect(asked[0]).toContain('--follow --unit=kubelet --output=json --all');
    expect(said.filter((one) => one.endsWith('is followed again.'))).toHaveLength(3);
  });

  it('says once what journalctl complains of', async () => {
    const refusing = () =>
      `#!/bin/sh\necho "No journal files were opened due to insufficient permissions." >&2\nexit 1\n`;
    const { folder, said, until, source } = journal((f) =>
      refusing().replace('exit 1', `echo x >> ${join(f, 'args')}\nexit 1`),
    );
    await until(() => said.length > 0);
    const { existsSync } = await import('node:fs');
    const starts = () => (existsSync(join(folder, 'args')) ? readFileSync(join(folder, 'args'), 'utf8').length / 2 : 0);
    while (starts() < 4) await new Promise((resolve) => setImmediate(resolve));
    await source.stop();
    expect(said).toEqual([
      'The journal of kubelet cannot be followed: No journal files were opened due to insufficient permissions. It is tried again.',
    ]);
  });

  it('says what to do where there is no journalctl', async () => {
    const source = new JournalSource({ id: 'log', unit: 'k3s', lines: 1, program: '/nonexistent/journalctl' });
    onTestFinished(() => source.stop());
    const sentence = await new Promise<string>((resolve) => source.start(async () => {}, resolve));
    expect(sentence).toMatch(/^The journal of k3s cannot be followed: .* is not installed here.*--log/);
  });
});
