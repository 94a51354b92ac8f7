import { fileURLToPath } from 'node:url';
import type { RunFinding } from '@syncloop/core/debug';
import type { TraceRecord } from '@syncloop/core/trace';
import { expect, it } from 'vitest';

interface Example {
  readLog(file: string): { version: string; records: TraceRecord[]; findings: RunFinding[] };
}

it('the example of the README reads a log: its records, and what went wrong', async () => {
  const example = new URL('../examples/read-log.mjs', import.meta.url);
  const { readLog } = (await import(example.href)) as Example;
  const log = new URL('../../core/testdata/attach/v1.33-v4/crash-loop/kubelet.v4.log.gz', import.meta.url);
  const { version, records, findings } = readLog(fileURLToPath(log));
  expect(version).toBe('v1.33.13');
  expect(records.filter((r) => r.kind === 'pleg-event' && r.type === 'ContainerDied')).not.toEqual([]);
  expect(findings[0]).toMatchObject({ code: 'crash', container: 'app', exitCode: 1 });
  const notALog = new URL('../package.json', import.meta.url);
  expect(() => readLog(fileURLToPath(notALog))).toThrow(/package\.json/);
});
