import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { main } from '../main.js';
import { runProgram } from '../testing/program.js';

const syncloop = (...argv: string[]) => runProgram(main, ...argv);

const CAPTURE = fileURLToPath(
  new URL('../../../../packages/core/testdata/attach/v1.36-v4/kubelet-restart', import.meta.url),
);

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'syncloop-twin-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
/** The capture, as a kubelet would have left it that gives pods less time to end than their specs say. */
function hasty(): string {
  const path = join(folder(), 'capture');
  cpSync(CAPTURE, path, { recursive: true });
  const log = join(path, 'kubelet.v4.log.gz');
  const text = gunzipSync(readFileSync(log)).toString('utf8');
  rmSync(log);
  writeFileSync(
    join(path, 'kubelet.v4.log'),
    text.replace(/("Killing container with a grace period" .*gracePeriod=)5/g, '$12'),
  );
  return path;
}

describe('syncloop twin', () => {
  it('ends with 0 where the real kubelet decided as its twin, and writes a scenario that runs', async () => {
    const path = folder();
    const yaml = join(path, 'twin.yaml');
    const { code, out } = await syncloop('twin', CAPTURE, '-o', yaml);
    expect(code, out).toBe(0);
    expect(out).toMatch(/^Kubelet: v1\.36\.2, node1/);
    expect(out).toMatch(/(\d+) of \1 decisions the same\./);
    expect(out).not.toMatch(/truth/);
    expect(statSync(yaml).mode & 0o777).toBe(0o600);
    expect((await syncloop('simulate', yaml)).code).toBe(0);
    expect(await syncloop('twin', CAPTURE, '-q', '--lang', 'zh')).toMatchObject({ code: 0, out: '' });
  });

  it('is the nearest kubelet to the one that was observed, or the one that --era names', async () => {
    const old = CAPTURE.replace('v1.36-v4/kubelet-restart', 'v1.21-v4-log/single-pod-lifecycle');
    const yaml = join(folder(), 'twin.yaml');
    const nearest = await syncloop('twin', old, '-o', yaml);
    expect(nearest.code, nearest.out).toBe(0);
    expect(nearest.out).toMatch(/^Kubelet: v1\.21\.1, .*\nTwin: kubelet v1\.21\n/);
    expect(readFileSync(yaml, 'utf8')).toMatch(/^ {2}era: v1\.21$/m);
    expect((await syncloop('simulate', yaml)).code).toBe(0);
    const chosen = await syncloop('twin', old, '--era', 'v1.36', '--json');
    expect(JSON.parse(chosen.out).twin).toMatchObject({
      era: 'v1.36',
      why: {
        en: 'this kubelet is v1.21.1; the kubelet here is v1.36, which was chosen, and the nearest one is v1.21',
      },
    });
    const between = await syncloop('twin', old, '--era', 'v1.29', '-o', '-', '--tries', '0');
    expect(between.out).toContain('emulatedVersion: "1.29"');
    expect(between.out).toContain('the gates, fields and rules of v1.29, which was asked for');
    const wrong = await syncloop('twin', old, '--era', 'v1.19');
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('--era is "v1.19", but must be one of v1.12, v1.21, v1.25, v1.32, v1.36');
    expect((await syncloop('attach', '--era', 'v1.21', '--check')).err).toContain(
      '--era sets the version of the twin: give --twin as well',
    );
  });

  it('accuses nobody of a secret that was taken out', async () => {
    const capture = fileURLToPath(
      new URL('../../../../packages/core/testdata/attach/v1.36-v4-calls/post-start-fails', import.meta.url),
    );
    // Its log has messages of errors that are taken out, empty as they are.
    for (const reveal of [[], ['--reveal-secrets']]) {
      const { code, out } = await syncloop('twin', capture, '--tries', '0', ...reveal);
      expect(code, out).toBe(0);
    }
  });

  it('ends with 1 where a decision differs: names it first, with the lines that it rests on', async () => {
    const capture = hasty();
    const path = folder();
    const report = join(path, 'out.json');
    const { code, out } = await syncloop('twin', capture, '--tries', '3', '--report', report);
    expect(code).toBe(1);
    expect(out).toMatch(/\n1\. 11:28:38\.042 \(another value\) .*killed `app` of default\/keep-node1/);
    expect(out).toMatch(/gracePeriod\n +Real kubelet: 2\n +Twin: 5/);
    expect(out).toMatch(/kubelet\.v4\.log:1755 .*Killing container with a grace period/);
    const story = JSON.parse(readFileSync(report, 'utf8'));
    expect(story).toMatchObject({ format: 'syncloop-twin-report', version: 1, agrees: false });
    expect(story.differences[0]).toMatchObject({
      kind: 'kill',
      pod: 'default/keep-node1',
      values: { seen: 2, twin: 5 },
    });
    expect(story.timeline.some((row: { mark: string }) => row.mark === 'value')).toBe(true);
  });

  it('searches for causes only if asked, and a signal ends the search, not the verdict', async () => {
    const explained = join(folder(), 'explained.yaml');
    const argv = ['--tries', '0', '--causes', '3', '--explained', explained];
    const { code, out, err } = await syncloop('twin', hasty(), ...argv);
    expect(code).toBe(1);
    // In these tests a signal has come before anything begins.
    expect(out).toContain('\nWhat may have caused it: It was stopped before anything was tried.\nNothing was tried.\n');
    expect(err).toContain('no cause was found');
    expect(await syncloop('twin', CAPTURE, '--explained', explained)).toMatchObject({
      code: 2,
      err: expect.stringContaining('give --causes 80 as well'),
    });
  });

  it('says what would have prevented an incident, in the twin of a log and in a scenario', async () => {
    const crashing = CAPTURE.replace('kubelet-restart', 'crash-loop');
    const { code, out } = await syncloop('explain', crashing, '--prevent', '5', '--format', 'markdown');
    expect(code).toBe(1);
    expect(out).toContain('\n## What would have prevented it\n');
    expect(out).toMatch(
      /\n- With restartPolicy Never instead of Always for crash it does not happen, but app .* code 1\\?\./,
    );
    expect(out).toMatch(/What stays unknown:\n\n- why the program ended/);
    const better = join(folder(), 'better.yaml');
    const simulated = await syncloop('simulate', 'flapping-probe', '--prevent', '10', '--prevented', better);
    expect(readFileSync(better, 'utf8')).toMatch(/^# Changed: failureThreshold 4 instead of 3 /);
    const again = await syncloop('simulate', better, '--prevent', '4', '--prevented', join(folder(), 'no.yaml'));
    expect(again.err).not.toMatch(/Error/);
    expect((await syncloop('simulate', 'flapping-probe', '--prevented', better)).err).toContain('give --prevent 60');
    expect(simulated.out).toMatch(/\nWhat would have prevented it \(the liveness probe of app .* failed 11 times/);
    expect((await syncloop('simulate', 'hello', '--prevent', '4')).out).toContain('nothing went wrong');
  });

  it('judges a part of it, and writes reports with links that open the page there', async () => {
    const capture = hasty();
    const path = folder();
    // Before that kill all is the same.
    expect((await syncloop('twin', capture, '--to', '11:28:30', '-q')).code).toBe(0);
    expect((await syncloop('twin', capture, '--from', '11:28:30', '--tries', '0', '-q')).code).toBe(1);
    const html = join(path, 'out.html');
    const argv = [
      '--pod',
      'keep-node1',
      '--tries',
      '0',
      '--lang',
      'zh',
      '--report',
      html,
      '--page',
      'https://host.example/s/',
    ];
    const { code, out } = await syncloop('twin', capture, ...argv);
    expect(code).toBe(1);
    expect(out).toContain('真实 kubelet: 2');
    const text = readFileSync(html, 'utf8');
    expect(text).toContain('<html lang="zh-CN">');
    const [, packed] = /href="https:\/\/host\.example\/s\/#run=v2\.z([\w-]+)"/.exec(text) ?? [];
    const moment = JSON.parse(inflateRawSync(Buffer.from(packed as string, 'base64url')).toString('utf8'));
    expect(moment).toMatchObject({ l: 'zh-CN', t: expect.stringContaining('kind: Scenario') });
    expect(moment.p[1]).toBeGreaterThan(0);
  });

  it('ends with 2 where there is no verdict, and says what to do', async () => {
    const path = folder();
    const log = join(path, 'kubelet.log');
    writeFileSync(log, 'I1122 10:00:00.000000    1432 server.go:1] "Kubelet version" kubeletVersion="v1.33.1"\n');
    for (const [argv, says] of [
      [[], 'a file is required'],
      [['/nowhere/kubelet.log'], 'there is no such file'],
      [[log, '--report', 'out.txt'], '.md, .html or .json'],
      [[log, '--page', 'javascript:alert(1)'], 'must be the address of a page'],
      [[log, '--port', '7331'], 'give --open as well'],
      [[log, '--from', 'soon'], 'must be a time of day'],
      [[log, '--from', '11:00', '--to', '10:30'], 'nothing was observed between --from and --to'],
      [[log, '--pod', 'web'], 'the observed run has no such pod'],
      [[log], 'nothing could be compared'],
    ] as const) {
      const { code, err } = await syncloop('twin', ...argv);
      expect([code, err]).toEqual([2, expect.stringContaining(says)]);
    }
  });
});
