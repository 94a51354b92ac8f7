import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { bytesSource, openRecording } from '@syncloop/core/trace';
import { afterAll, describe, expect, it } from 'vitest';
import { main } from '../main.js';
import { runProgram } from '../testing/program.js';

const syncloop = (...argv: string[]) => runProgram(main, ...argv);

const { canary: CANARY, shapes: canaries } = JSON.parse(
  readFileSync(new URL('../../../../packages/core/testdata/redaction/canaries.json', import.meta.url), 'utf8'),
) as { readonly canary: string; readonly shapes: readonly string[] };

/** The forms of a text in a line of a log: klog's since v1.12, and its JSON. */
const framings: readonly (readonly [name: string, line: (text: string, at: string) => string])[] = [
  ['text of printf', (text, at) => `E0624 ${at}    1432 kuberuntime.go:12] failed: ${text}`],
  ['a value', (text, at) => `E0624 ${at}    1432 pod_workers.go:12] "Error syncing pod" err=${JSON.stringify(text)}`],
  [
    'an error in an error',
    (text, at) =>
      `E0624 ${at}    1432 pod_workers.go:12] "Error" err=${JSON.stringify(`failed to "X": ${JSON.stringify(text)}`)}`,
  ],
  [
    'a field of JSON',
    (text, at) =>
      JSON.stringify({ ts: Date.parse(`2026-06-24T${at.slice(0, 12)}Z`), caller: 'k/a.go:1', msg: 'm', err: text }),
  ],
  [
    'JSON in a field of JSON',
    (text, at) =>
      JSON.stringify({
        ts: Date.parse(`2026-06-24T${at.slice(0, 12)}Z`),
        caller: 'k/a.go:1',
        msg: 'm',
        patch: JSON.stringify({ a: text }),
      }),
  ],
];

/** A log with the canaries, in each framing. */
function log(): string {
  const lines = [
    `I0624 10:00:00.000000    1432 server.go:1] "Kubelet version" kubeletVersion="v1.36.0"`,
    `I0624 10:00:00.500000    1432 kubelet.go:1] "SyncLoop ADD" source="file" pods=["default/web"]`,
  ];
  let at = 1000;
  for (const [, framed] of framings)
    for (const text of canaries) {
      const clock = new Date(Date.UTC(2026, 5, 24, 10) + at++).toISOString().slice(11, 23);
      lines.push(framed(text, `${clock}000`));
    }
  return `${lines.join('\n')}\n`;
}

const folder = mkdtempSync(join(tmpdir(), 'syncloop-canaries-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'kubelet.log');
const recording = join(folder, 'out.syncloop');

/** Returns the places where a canary still is. */
const leaks = (text: string) => {
  const found: string[] = [];
  for (let at = text.indexOf(CANARY); at >= 0; at = text.indexOf(CANARY, at + 200))
    found.push(text.slice(Math.max(0, at - 120), at + 40));
  return found;
};
const records = (path: string) => JSON.stringify([...openRecording(bytesSource(readFileSync(path)))]);

describe('secrets in a stranger’s log', () => {
  it('are in no recording that is made of it, and are there where they are asked for', async () => {
    expect(canaries.length).toBeGreaterThan(60);
    writeFileSync(file, log());
    expect((await syncloop('import', file, '-o', recording)).code).toBe(0);
    expect(leaks(records(recording))).toEqual([]);
    const revealed = join(folder, 'revealed.syncloop');
    expect((await syncloop('import', file, '-o', revealed, '--reveal-secrets')).code).toBe(0);
    expect(leaks(records(revealed)).length).toBeGreaterThan(canaries.length);
  });

  it.each(['ndjson', 'klog', 'chrome', 'otlp'])('are in no export of it as %s', async (format) => {
    const { code, out, err } = await syncloop('export', recording, '--format', format);
    expect(code, err).toBe(0);
    expect(out.length).toBeGreaterThan(100);
    expect(leaks(out)).toEqual([]);
  });

  it('are in no recording and no span of attach', async () => {
    const out = join(folder, 'attached.syncloop');
    const argv = ['attach', '--log', file, '--record', out, '--no-ui', '--node-name', 'n1'];
    expect((await syncloop(...argv)).code).toBe(0);
    expect(leaks(records(out))).toEqual([]);
  });

  it('are in no report of a twin, nor in its scenario', async () => {
    const from = new URL('../../../../packages/core/testdata/attach/v1.36-v4/kubelet-restart/', import.meta.url);
    const capture = join(folder, 'capture');
    cpSync(from, capture, { recursive: true });
    const path = join(capture, 'kubelet.v4.log.gz');
    const [first = '', ...rest] = gunzipSync(readFileSync(path))
      .toString('utf8')
      .split(/\n(?=I\d{4} )/);
    const [, date = '', at = ''] = /^I(\d{4}) (\S+)/.exec(rest[0] ?? '') ?? [];
    // Lines of text at the moment of the first one; JSON would be another log.
    const planted = framings
      .slice(0, 3)
      .flatMap(([, line]) => canaries.map((text) => line(text, at).replace(/^E\d{4}/, `E${date}`)));
    writeFileSync(path, gzipSync([first, ...planted, ...rest].join('\n')));
    const yaml = join(folder, 'twin.yaml');
    for (const type of ['html', 'md', 'json']) {
      const report = join(folder, `report.${type}`);
      const { code, out, err } = await syncloop('twin', capture, '--tries', '0', '--report', report, '-o', yaml);
      expect(code, err).toBeLessThan(2);
      expect(leaks(out + err + readFileSync(report, 'utf8') + readFileSync(yaml, 'utf8'))).toEqual([]);
    }
  });
});
