import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VerdictStory } from '@syncloop/observe/verdict';
import { describe, expect, it, onTestFinished } from 'vitest';
import { main } from '../main.js';
import { runProgram } from '../testing/program.js';

const line = (at: string, severity: string, text: string) =>
  `${severity}1122 ${at}.000000    1432 kubelet.go:1] ${text}\n`;
const START = line('10:00:00', 'I', '"Kubelet version" kubeletVersion="v1.33.1"');
const CRASH = line(
  '10:00:05',
  'E',
  '"Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"app\\" with CrashLoopBackOff: \\"back-off 40s restarting failed container=app pod=web_default(u1)\\"" pod="default/web" podUID="u1"',
);
const QUIET = Array.from({ length: 120 }, (_, i) =>
  line(`10:0${1 + Math.floor(i / 60)}:${String(i % 60).padStart(2, '0')}`, 'I', '"SyncLoop ADD" source="file" pods=[]'),
).join('');

async function explain(log: string, ...flags: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'explain-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'kubelet.log');
  writeFileSync(file, log);
  return await runProgram(main, 'explain', file, ...flags);
}

describe('syncloop explain', () => {
  it('exits 1 with the incident in its first line, and what to run next', async () => {
    const { code, out } = await explain(START + CRASH);
    expect(code).toBe(1);
    expect(out).toMatch(/^At 10:00:05 app in default\/web ended again and again; .*CrashLoopBackOff, up to 40s/);
    expect(out).toContain('$ kubectl logs --previous -n default web -c app');
  });
  it('exits 0 if nothing is wrong, and says so only if enough was read', async () => {
    expect(await explain(START + QUIET)).toMatchObject({ code: 0, out: expect.stringMatching(/^Nothing went wrong/) });
    expect(await explain(START)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^No incident was found, but that says little/),
    });
  });
  it('exits 2 if the log is not there, which is no incident', async () => {
    expect(await runProgram(main, 'explain', '/nowhere.log')).toMatchObject({
      code: 2,
      err: expect.stringContaining('cannot read /nowhere.log'),
    });
  });
  it('takes a part of the time alone', async () => {
    const log = START + CRASH + QUIET;
    expect((await explain(log, '--since', '10:00:30')).code).toBe(0);
    expect((await explain(log, '--until', '10:00:30')).code).toBe(1);
    expect(await explain(log, '--since', '13:00')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/no line is between --since and --until: .* to 20\d\d-11-22T10:02:59Z/),
    });
  });
  it('writes JSON, Markdown and HTML, in Chinese, too', async () => {
    const json = JSON.parse((await explain(START + CRASH, '--format', 'json')).out) as VerdictStory;
    expect(json.incidents.map((i) => [i.kind, i.pod, i.container, i.end])).toEqual([
      ['crash-loop', 'default/web', 'app', null],
    ]);
    expect((await explain(START + CRASH, '--format', 'markdown', '--lang', 'zh')).out).toMatch(
      /^# 10:00:05，default\/web 的容器 app反复退出|^# 10:00:05，/,
    );
    expect((await explain(START + CRASH, '--format', 'html')).out).toMatch(
      /^<!doctype html>[\s\S]*<h3>1\. At 10:00:05 app/,
    );
  });
  it('makes no markup of what the log says', async () => {
    const evil = line(
      '10:00:05',
      'E',
      '"Error syncing pod, skipping" err="rpc error: code = Unavailable desc = connection error: <script>alert(1)</script> [x](http://evil) @all" pod="default/web" podUID="u1"',
    );
    const html = (await explain(START + evil, '--format', 'html')).out;
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toContain('<script');
    const markdown = (await explain(START + evil, '--format', 'markdown')).out;
    expect(markdown).not.toMatch(/<script|\]\(http|@all/);
  });
});
