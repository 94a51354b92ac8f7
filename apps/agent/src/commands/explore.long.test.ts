import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExploreReport } from '@syncloop/core/debug';
import { expect, it } from 'vitest';
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
/** Comes true if another than the first ready case is taken early: not as in the seed. */
const otherCase = "kind == 'select' && len(ready) > 1 && chosen != ready[0] && time < 6000000";

it('counts outcomes, and says that nothing was broken', async () => {
  const { code, out, err } = await syncloop('explore', 'hello', '--schedules', '3', '--strategy', 'pct', '--seed', '5');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^hello \(seed 5\): 3 schedules \(pct\), [123] of them different; \d+ choices, \d+ decisions, /);
  expect(out).toMatch(
    /^outcomes:\n {6}3 {2}default\/hello-node1 Running: app running \| passed\nnothing was broken\n$/m,
  );
});

it('prints what a schedule broke, and the smallest that does', async () => {
  const { code, out } = await syncloop('explore', 'slow-runtime', '--schedules', '4', '--never', otherCase);
  expect(code).toBe(1);
  expect(out).toContain(`1 problem:\n  never ${JSON.stringify(otherCase)}, in `);
  expect(out).toMatch(/^ {4}at 5\.\d+s, decision \d+, record \d+$/m);
  const shrunk = /^ {4}the schedule, made smaller in \d+ runs from \d+ to (\d+) deviations?:$/m.exec(out);
  expect(Number(shrunk?.[1])).toBeLessThan(4);
  const line = /^ {4}as data, for the command load: (.*)$/m.exec(out)?.[1] ?? '';
  const spec = JSON.parse(line) as { scenario: string; deviations: unknown[] };
  expect(spec).toMatchObject({ scenario: 'slow-runtime', seed: 1 });
  expect(spec.deviations).toHaveLength(Number(shrunk?.[1]));
});

it('prints its report as JSON, of a file too, and what does not hold at the end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'explore-'));
  const file = `${folder}/mine.yaml`;
  writeFileSync(
    file,
    'apiVersion: syncloop.dev/v1alpha1\nkind: Scenario\nmetadata: {name: mine}\nspec:\n  steps:\n    - wait: 1s\n',
  );
  const argv = ['explore', file, '--schedules', '2', '--strategy', 'exhaustive', '--finally', '1 == 2', '--json'];
  const { code, out } = await syncloop(...argv);
  rmSync(folder, { recursive: true });
  expect(code).toBe(1);
  const report = JSON.parse(out) as ExploreReport;
  expect(report).toMatchObject({ strategy: { kind: 'exhaustive' }, schedules: 2 });
  expect(report.findings).toMatchObject([{ problem: { kind: 'finally', name: '1 == 2' }, inBase: true, times: 2 }]);
});

it.each([
  [['explore'], 'a scenario is required'],
  [['explore', 'hello', 'x'], 'unexpected argument "x": one scenario at a time'],
  [['explore', 'hello', '--strategy', 'radom'], '(did you mean random?), but must be one of random, pct, exhaustive'],
  [['explore', 'hello', '--schedules', '0'], '--schedules is "0", but must be a whole number from 1 to 1000000'],
  [['explore', 'hello', '--never', 'kind = 3'], '--never: expected an operator, not "="'],
  [
    ['explore', 'hello', '--invariant', 'oneWorkerPerPad'],
    '(did you mean oneWorkerPerPod?), but must be one of oneReadySandbox, ',
  ],
  [['explore', 'hello', '--finally', '(1'], '\n  (1\n    ^\n'],
])('refuses %j', async (argv, err) => {
  expect(await syncloop(...argv)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(err) });
});

it('says which scenarios there are', async () => {
  expect(await syncloop('explore', 'helo')).toMatchObject({ code: 1, err: expect.stringContaining('"hello"') });
});
