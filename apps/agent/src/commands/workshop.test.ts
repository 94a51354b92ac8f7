import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { main } from '../main.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'workshop-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function syncloop(argv: readonly string[], untilSignal: () => Promise<string> = async () => 'SIGTERM') {
  let out = '';
  let err = '';
  const io = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    untilSignal,
  };
  return { code: await main(['workshop', ...argv], io), out, err, now: () => out };
}

it('lists the stages', async () => {
  const { code, out } = await syncloop(['list']);
  expect(code).toBe(0);
  expect(out).toMatch(/^ 1 {2}pleg +PLEG, events from two lists$/m);
  const listed = JSON.parse((await syncloop(['list', '-o', 'json'])).out);
  expect(listed[0]).toMatchObject({ name: 'pleg', number: 1, title: { zh: expect.stringMatching(/PLEG/) } });
});

it('writes a starter and its types, tells the story, and leaves what is there alone', async () => {
  const file = join(folder, 'mine.ts');
  const { code, out } = await syncloop(['start', 'pleg', '--out', file]);
  expect(code).toBe(0);
  expect(out).toContain('Write `computeEvents(oldPod, newPod)`.');
  expect(readFileSync(file, 'utf8')).toMatch(/^\/\/ syncloop workshop judge --stage pleg\n/);
  expect(readFileSync(join(folder, 'mine.d.ts'), 'utf8')).toContain('declare function computeEvents');
  writeFileSync(file, 'my work');
  const again = await syncloop(['start', 'pleg', '--out', file]);
  expect(again.code).not.toBe(0);
  expect(again.err).toMatch(/mine\.ts is already there: choose another file with --out/);
  expect(readFileSync(file, 'utf8')).toBe('my work');
});

it('judges a file: exit code 1 and the first difference, or JSON', async () => {
  const file = join(folder, 'two.ts');
  await syncloop(['start', 'pleg', '--out', file]);
  const { code, out, err } = await syncloop(['judge', file]);
  expect({ code, err }).toEqual({ code: 1, err: '' });
  expect(out).toMatch(/^1\. PLEG.* \(two\.ts\)\n {2}examples {4}failed \(after 1 of \d+\)\n {4}Example “.+\.\n/);
  expect(out).toMatch(/\n {2}recordings {2}not judged\n {2}explorer {4}not judged\nNot passed\.\n$/);
  const judged = JSON.parse((await syncloop(['judge', file, '-o', 'json'])).out);
  expect(judged).toMatchObject({
    stage: 'pleg',
    file: 'two.ts',
    passed: false,
    levels: [{ level: 'examples' }, {}, {}],
  });
});

it('judges again when the file changes, until it is interrupted', async () => {
  const file = join(folder, 'watched.ts');
  writeFileSync(file, 'export function computeEvents() { return []; }\n');
  let stop = () => {};
  const signal = new Promise<string>((resolve) => {
    stop = () => resolve('SIGINT');
  });
  let out = '';
  const io = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      if (text.startsWith('Watching')) writeFileSync(file, 'export function computeEvents() { return 1; }\n');
    },
    untilSignal: () => signal,
  };
  const ended = main(['workshop', 'judge', file, '--stage', 'pleg', '--watch'], io);
  await expect
    .poll(() => out)
    .toMatch(/Not passed[\s\S]*watched\.ts:1:1: computeEvents returned something of the wrong shape/);
  stop();
  expect(await ended).toBe(1);
});

it('simulates a scenario whose part fails up to there, and says in one line where', async () => {
  const file = join(folder, 'fails.yaml');
  const source = "|\n        export function computeEvents() {\n          throw new Error('no idea');\n        }\n";
  writeFileSync(
    file,
    `apiVersion: syncloop.dev/v1alpha2\nkind: Scenario\nmetadata: { name: fails }\nspec:\n  parts:\n    plegEvents:\n      file: mine.ts\n      source: ${source}  steps:\n    - apply: { manifest: { apiVersion: v1, kind: Pod, metadata: { name: web }, spec: { containers: [{ name: app, image: "localhost/busybox:dev" }] } } }\n    - wait: 60s\n`,
  );
  let err = '';
  const io = {
    out: () => {},
    err: (text: string) => {
      err += text;
    },
    untilSignal: async () => 'SIGTERM',
  };
  expect(await main(['simulate', file], io)).toBe(1);
  expect(err).toMatch(/^syncloop: mine\.ts:2:\d+: .*no idea.*\n$/);
});

it.each([
  [[], /what is wanted is missing/],
  [['lsit'], /did you mean "list"|must be one of list, start, judge/],
  [['start'], /a stage is missing: one of pleg/],
  [['start', 'plge'], /there is no stage "plge"; did you mean "pleg"\?/],
  [['start', 'pleg', '--out', 'x.txt'], /must end in \.ts/],
  [['judge'], /a file is missing/],
  [['judge', 'nowhere.ts'], /cannot read nowhere\.ts/],
  [['judge', fileHere(), '--stage', 'no'], /there is no stage "no"/],
  [['judge', fileHere()], /does not say of which stage it is: give --stage/],
  [['list', 'pleg'], /unexpected argument "pleg"/],
])('refuses %j', async (argv, message) => {
  const { code, err } = await syncloop(argv as string[]);
  expect(code).not.toBe(0);
  expect(err).toMatch(message);
});

function fileHere(): string {
  return new URL(import.meta.url).pathname;
}
