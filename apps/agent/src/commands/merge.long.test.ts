import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { main } from '../main.js';
import { runProgram } from '../testing/program.js';

/** Not true if a select took another than the first ready case early: some schedules break it. */
const asked = [
  'explore',
  'slow-runtime',
  '--schedules',
  '4',
  '--never',
  "kind == 'select' && len(ready) > 1 && chosen != ready[0] && time < 6000000",
];
const syncloop = (...argv: string[]) => runProgram(main, ...argv);

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'syncloop-merge-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
function written(text: string, name = 'part.json'): string {
  const file = join(folder(), name);
  writeFileSync(file, text);
  return file;
}

let whole: { readonly text: string; readonly json: string; readonly code: number };
let parts: readonly string[];
beforeAll(async () => {
  const { out: text, code } = await syncloop(...asked);
  const { out: json } = await syncloop(...asked, '--json');
  whole = { text, json, code };
  parts = await Promise.all([1, 2, 3].map(async (i) => (await syncloop(...asked, '--shard', `${i}/3`)).out));
});

describe('syncloop merge', () => {
  it('prints what one machine prints, out of files in any order, a folder, and twice', async () => {
    const dir = folder();
    for (const [i, part] of parts.entries()) writeFileSync(join(dir, `${i}.json`), part);
    expect(whole.code).toBe(1);
    const files = [2, 0, 1].map((i) => join(dir, `${i}.json`));
    expect(await syncloop('merge', ...files)).toEqual({ code: 1, out: whole.text, err: '' });
    expect(await syncloop('merge', dir, '--json')).toEqual({ code: 1, out: whole.json, err: '' });
    expect(await syncloop('merge', dir, files[0] as string)).toEqual({
      code: 1,
      out: whole.text,
      err: 'syncloop: results that were given again are not counted: 1\n',
    });
  });

  it('reads the logs of pods, with other lines and one that was cut', async () => {
    const log = `W1122 something else\n${parts[2]}${parts[0]?.slice(0, 300)}\n${parts.join('')}`;
    const { code, out, err } = await syncloop('merge', written(log, 'pods.log'));
    expect({ code, out }).toEqual({ code: 1, out: whole.text });
    expect(err).toMatch(/^syncloop: a result in .*pods\.log is cut or damaged, and left out\n/);
    expect(err).toContain('syncloop: 1 line is no result, and passed over\n');
  });

  it('says which shards are missing, and exits 3', async () => {
    const { code, out, err } = await syncloop('merge', written(parts[1] as string));
    expect(code).toBe(3);
    expect(out).toMatch(/^slow-runtime \(seed 1\): 1 schedule \(random\)/);
    expect(err).toContain('2 of 3 shards are missing: 1, 3; the report lacks their share');
    expect(err).toContain('--shard I/3');
  });

  it('refuses results of other questions, programs and formats, and contradictions', async () => {
    const [a, b] = parts as [string, string];
    const other = (await syncloop('explore', 'slow-runtime', '--schedules', '5', '--shard', '2/3')).out;
    const cases: readonly (readonly [string, string])[] = [
      [other, 'do not belong together: schedules is 4 in one and 5 in the other'],
      [b.replace(/"by":"[^"]*"/, '"by":"0.0.0"'), 'is a result of syncloop 0.0.0, this is'],
      [b.replace('"version":1', '"version":2'), 'of the format 2, this program reads 1'],
      [b.replace('"work":"explore"', '"work":"cook"'), 'of an unknown command: "cook"'],
      [b.replace('"maxSchedules":4', '"maxSchedules":"x"'), 'is not a result that a shard wrote: result.maxSchedules'],
      [
        a.replace(/"steps":\d+,"records":\d+,"hashes"/, '"steps":1,"records":1,"hashes"'),
        'shard 1 of 3 has two results that contradict',
      ],
    ];
    for (const [text, problem] of cases)
      expect(await syncloop('merge', written(a, 'a.json'), written(text, 'b.json'))).toEqual({
        code: 2,
        out: '',
        err: expect.stringContaining(problem),
      });
  });

  it('says that there is nothing to merge', async () => {
    expect(await syncloop('merge')).toMatchObject({ code: 2, err: expect.stringContaining('are required') });
    expect(await syncloop('merge', '/nowhere.json')).toMatchObject({
      code: 2,
      err: expect.stringContaining('cannot read /nowhere.json'),
    });
    expect(await syncloop('merge', written('hello\n'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no result of a shard in'),
    });
  });
});

describe('syncloop conformance --shard', () => {
  const golden = new URL('../../../../packages/core/testdata/golden/', import.meta.url).pathname;
  const files = readdirSync(golden)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .slice(0, 3)
    .map((name) => join(golden, name));

  it('gives the lines of one machine, but for the seconds', async () => {
    const { out, code } = await syncloop('conformance', ...files);
    const made = await Promise.all([2, 1].map((i) => syncloop('conformance', ...files, '--shard', `${i}/2`)));
    const merged = await syncloop('merge', written(made.map((one) => one.out).join('')));
    expect(merged).toEqual({ code, out: out.replace(/ \(\d+\.\d s\)$/gm, ''), err: '' });
    expect(out).toMatch(/\d+ passed, 0 failed\n$/);
    expect((await syncloop('merge', written(made[0]?.out ?? ''))).err).toContain('1 of 2 shards is missing: 1;');
  });

  it.each([
    [['--runtime', 'cri'], '--runtime cri cannot be split'],
    [['--contract'], '--contract cannot be split'],
    [['--shard', '1/4'], '4 shards are more than the 3 recordings'],
  ])('refuses %j', async (flags, problem) => {
    const { code, out } = await syncloop('conformance', ...files, '--shard', '1/2', ...flags);
    expect({ code, out }).toEqual({ code: 2, out: expect.stringContaining(problem) });
  });
});

describe('syncloop conformance --twin --shard', () => {
  const attach = new URL('../../../../packages/core/testdata/attach/', import.meta.url).pathname;
  const asked = ['conformance', '--twin', '--tries', '2', `${attach}v1.29-v4`, `${attach}v1.36-v4`];

  it('gives the lines and the tables of one machine', async () => {
    const whole = await syncloop(...asked);
    const made = await Promise.all([2, 1].map((i) => syncloop(...asked, '--shard', `${i}/2`)));
    expect(await syncloop('merge', written(made.map((one) => one.out).join('')))).toEqual({ ...whole, err: '' });
    expect(whole.out).toMatch(/\d+ of \d+ decisions the same \(\d+\.\d %\), 0 differences invented\n$/);
    const damaged = (made[0]?.out ?? '').replace('"compared":', '"compard":');
    expect((await syncloop('merge', written(damaged))).err).toContain('is not a result that a shard wrote');
  });

  it.each([
    [['--attach'], '--attach cannot be split'],
    [['--shard', '1/900'], '900 shards are more than the'],
    [['--sources', 'dreams'], '--sources: there is no kind "dreams"'],
  ])('refuses %j', async (flags, problem) => {
    const { code, out } = await syncloop(...asked, '--shard', '1/2', ...flags);
    expect({ code, out }).toEqual({ code: 2, out: expect.stringContaining(problem) });
  });
});

describe('syncloop explore --shard', () => {
  it('takes its index from an Indexed Job, and writes a file', async () => {
    const file = join(folder(), 'out.json');
    vi.stubEnv('JOB_COMPLETION_INDEX', '1');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    expect(await syncloop(...asked, '--shards', '3', '--output', file)).toEqual({ code: 0, out: '', err: '' });
    expect(readFileSync(file, 'utf8')).toBe(parts[1]);
    vi.stubEnv('JOB_COMPLETION_INDEX', '3');
    expect((await syncloop(...asked, '--shards', '3')).err).toContain('JOB_COMPLETION_INDEX is 3, but --shards is 3');
  });

  it.each([
    [['--shard', '0/3'], '--shard is "0/3", but must be I/N'],
    [['--shard', '4/3'], '--shard is "4/3"'],
    [['--shard', '1of3'], '--shard is "1of3"'],
    [['--shards', '3'], 'JOB_COMPLETION_INDEX, which is not set'],
    [['--shard', '1/2', '--shards', '2'], 'give only one of them'],
    [['--shard', '1/7'], '7 shards are more than the 4 schedules'],
    [['--shard', '1/3', '--json'], '--json is for the whole report'],
    [['--shard', '1/3', '--strategy', 'exhaustive'], '--strategy exhaustive cannot be split'],
    [['--output', 'x'], '--output has an effect only with --shard'],
  ])('refuses %j', async (flags, err) => {
    expect(await syncloop(...asked, ...flags)).toEqual({ code: 2, out: '', err: expect.stringContaining(err) });
  });
});
