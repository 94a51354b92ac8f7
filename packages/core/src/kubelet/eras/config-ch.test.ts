import { beforeAll, expect, it } from 'vitest';
import { loadEras } from '../era/index.js';
import { pod, runInEra } from './testing/run-in-era.js';

beforeAll(loadEras);

const web = pod('web');
const sent = (op: string, more: object = {}) => ({ configCh: { op, ...more } });

it('v1.12 prints the deletionTimestamp of a pod in an UPDATE, and no other version has it in its line', () => {
  const deletionTimestamp = '2026-01-01T00:00:30Z';
  const ending = pod('ending', {}, { uid: '6f1c2d3e-0000-4000-8000-000000000002', deletionTimestamp });
  const linesOf = (era: 'v1.12' | 'v1.21' | 'v1.25') =>
    runInEra(era, { steps: [{ apply: web }, { wait: '5s' }, sent('UPDATE', { manifest: ending }), { wait: '1s' }] })
      .of('log')
      .filter((l) => /UPDATE/.test(l.msg))
      .map((l) => l.text ?? JSON.stringify(l.kv));
  const [line, ...others] = linesOf('v1.12');
  expect(others).toEqual([]);
  expect(line).toMatch(
    /^SyncLoop \(UPDATE, "file"\): "ending-\S+_default\(\S+\):DeletionTimestamp=2026-01-01T00:00:30Z"$/,
  );
  for (const era of ['v1.21', 'v1.25'] as const) {
    const lines = linesOf(era);
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('DeletionTimestamp');
  }
});

it('a step that the kubelet cannot take is refused with what to do', () => {
  const run =
    (...steps: (object | string)[]) =>
    () =>
      runInEra('v1.12', { steps: [{ apply: web }, { wait: '5s' }, ...steps] });
  expect(run(sent('close'), sent('SET'))).toThrow('configCh is closed: restart the kubelet before this step');
  expect(run('stopKubelet', sent('SET'))).toThrow('no kubelet runs: start it before this step');
  expect(run(sent('RESTORE', { manifest: { apiVersion: 'v1', kind: 'Pod', metadata: {} } }))).toThrow('manifest: ');
});
