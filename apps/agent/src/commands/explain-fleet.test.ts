import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FleetStory } from '@syncloop/observe/fleet';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { main } from '../main.js';
import { runProgram } from '../testing/program.js';

const syncloop = (...argv: string[]) => runProgram(main, ...argv);
const line = (at: string, severity: string, file: string, text: string) =>
  `${severity}1122 ${at}.000000    1432 ${file}:1] ${text}\n`;

/** A node that loses the API server for a minute, or has a quiet hour. */
function log(name: string, lost: string | null): string {
  const err = `Put "https://10.0.0.1:6443/leases/${name}": dial tcp 10.0.0.1:6443: connect: connection refused`;
  const quiet = Array.from({ length: 110 }, (_, i) => {
    const at = `${10 + Math.floor(i / 60)}:${String(i % 60).padStart(2, '0')}:00`;
    return [at, line(at, 'I', 'kubelet.go', '"SyncLoop RECONCILE" source="api" pods=["a/b"]')] as const;
  });
  const outage = lost === null ? [] : [0, 10, 20, 30].map((s) => `${lost.slice(0, 6)}${Number(lost.slice(6)) + s}`);
  const lines = [
    ['10:00:00', line('10:00:00', 'I', 'server.go', '"Kubelet version" kubeletVersion="v1.33.1"')] as const,
    ...quiet,
    ...outage.map(
      (at) => [at, line(at, 'E', 'controller.go', `"Failed to update lease" err=${JSON.stringify(err)}`)] as const,
    ),
  ];
  return [...lines]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, text]) => text)
    .join('');
}
const LOST = ['10:30:11', '10:30:12', '10:30:15', null, '10:30:17'];
const SAID = '4 nodes lost the API server between 10:30:11 and 10:30:17';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'syncloop-fleet-'));
  for (const kind of ['folders', 'flat']) mkdirSync(join(folder, kind));
  LOST.forEach((lost, i) => {
    const name = `n${i + 1}`;
    mkdirSync(join(folder, 'folders', name));
    writeFileSync(join(folder, 'folders', name, 'kubelet.log'), log(name, lost));
    writeFileSync(join(folder, 'flat', `${name}.log`), log(name, lost));
  });
  return () => rmSync(folder, { recursive: true, force: true });
});
const at = (...path: string[]) => join(folder, ...path);

describe('syncloop explain of a fleet', () => {
  it('of a folder with folders of nodes, and of a flat one', async () => {
    const { code, out, err } = await syncloop('explain', at('folders'));
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toMatch(new RegExp(`^${SAID}`));
    expect(out).toContain('5 of 5 nodes were read, 571 lines.');
    expect(out).toContain('nodes: n1, n2, n3, n5\n');
    expect((await syncloop('explain', '--fleet', at('flat'))).out).toBe(out);
    expect((await syncloop('explain', '--fleet', ...LOST.map((_, i) => at('folders', `n${i + 1}`)))).out).toBe(out);
    const one = join(at('one'), 'only');
    mkdirSync(one, { recursive: true });
    writeFileSync(join(one, 'kubelet.log'), log('only', '10:30:11'));
    expect((await syncloop('explain', '--fleet', at('one'))).out).toContain('- only: At 10:30:11 ');
    expect((await syncloop('explain', at('folders'), '--lang', 'zh')).out).toMatch(
      /^4 个节点在 10:30:11 至 10:30:17 之间/,
    );
    expect((await syncloop('explain', at('folders'), '--format', 'markdown')).out).toMatch(new RegExp(`^# ${SAID}`));
    expect((await syncloop('explain', at('folders'), '--format', 'html')).out).toMatch(new RegExp(`<h1>${SAID}`));
  });

  it('of one node of them, as ever', async () => {
    const { code, out } = await syncloop('explain', at('folders'), '--node', 'n4');
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^Nothing went wrong/) });
  });

  it('counts a part of the time alone', async () => {
    expect((await syncloop('explain', at('folders'), '--since', '11:00:00')).code).toBe(0);
    expect((await syncloop('explain', at('folders'), '--until', '11:00:00')).code).toBe(1);
  });

  it('in shards and merged is the same, byte for byte', async () => {
    const whole = await syncloop('explain', at('folders'), '--format', 'json');
    const story = JSON.parse(whole.out) as FleetStory;
    expect(story.causes.map(({ rule, kind, nodes }) => [rule, kind, nodes.length])).toEqual([
      ['window', 'api-unreachable', 4],
    ]);
    const parts = await Promise.all([1, 2, 3].map((i) => syncloop('explain', at('folders'), '--shard', `${i}/3`)));
    const file = at('parts.ndjson');
    writeFileSync(file, [2, 0, 1].map((i) => parts[i]?.out).join(''));
    expect(await syncloop('merge', file, '--json')).toEqual({ code: 1, out: whole.out, err: '' });
    writeFileSync(file, `${parts[0]?.out}${parts[0]?.out}${parts[2]?.out}`);
    const lost = await syncloop('merge', file);
    expect(lost.code).toBe(3);
    expect(lost.err).toContain('results that were given again are not counted: 1');
    expect(lost.err).toContain('1 of 3 shards is missing: 2;');
    expect(lost.out).toContain('3 of 3 nodes were read');
    writeFileSync(file, `${parts[0]?.out}${parts[0]?.out.replace('"lines":', '"lines":1')}`);
    expect(await syncloop('merge', file)).toMatchObject({
      code: 2,
      err: expect.stringContaining('contradict each other'),
    });
    writeFileSync(file, `${parts[0]?.out.replace('"incidents":[{"kind":"', '"incidents":[{"kind":"x')}`);
    expect((await syncloop('merge', file)).err).toMatch(/is not a result that a shard wrote: result\.nodes\[0\]/);
  });

  it('reads the other nodes if one cannot be read', async () => {
    const broken = mkdtempSync(join(tmpdir(), 'syncloop-fleet-'));
    onTestFinished(() => rmSync(broken, { recursive: true, force: true }));
    writeFileSync(join(broken, 'a.log'), log('a', null));
    writeFileSync(join(broken, 'b.log'), Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]));
    const { code, out, err } = await syncloop('explain', '--fleet', broken);
    expect(code).toBe(2);
    expect(out).toContain('1 of 2 nodes were read');
    expect(out).toContain('Not read:\n- b: ');
    expect(err).toBe('syncloop: 1 of 2 nodes were not read; the verdict does not speak of them\n');
  });

  it.each([
    [['--node', 'n1', '--fleet'], '--node chooses one node, --fleet reads all'],
    [['--prevent', '5'], '--prevent is for one node'],
    [['--format', 'pdf'], '--format is "pdf", but must be one of text, markdown, html, json'],
    [['--shard', '1/9'], '9 shards are more than the 5 nodes'],
    [['-', '--fleet'], 'not from standard input'],
  ])('refuses %j', async (flags, problem) => {
    expect(await syncloop('explain', at('folders'), ...flags)).toEqual({
      code: 2,
      out: '',
      err: expect.stringContaining(problem),
    });
  });
});
