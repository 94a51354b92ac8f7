import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { main } from '../main.js';
import { writeApiLines } from '../nodes/api-evidence.js';
import { runProgram } from '../testing/program.js';

const SINCE = Date.UTC(2026, 10, 22, 10);
const at = (minute: number) => new Date(SINCE + minute * 60_000).toISOString().replace('.000', '');

it('takes events and conditions of the API server as evidence: the verdict names what the log lacks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-api-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, 'kubelet.log'),
    [
      'I1122 10:00:00.000000    1432 server.go:529] "Kubelet version" kubeletVersion="v1.33.1"',
      'I1122 10:20:00.000000    1432 kubelet.go:2468] "SyncLoop ADD" source="api" pods=[]',
      '',
    ].join('\n'),
  );
  const explained = async () => {
    const { code, out } = await runProgram(main, 'explain', folder, '--format', 'json');
    return { code, story: JSON.parse(out) };
  };
  expect((await explained()).story.incidents).toEqual([]);
  await writeApiLines(
    join(folder, 'api.ndjson'),
    SINCE,
    [
      {
        involvedObject: { kind: 'Pod', namespace: 'shop', name: 'db-0', uid: 'u-1' },
        ...{ type: 'Warning', reason: 'FailedAttachVolume', message: 'Multi-Attach error for volume "pvc-1"' },
        ...{ source: { component: 'attachdetach-controller' }, firstTimestamp: at(5), lastTimestamp: at(5) },
      },
    ],
    [
      { type: 'DiskPressure', status: 'True', lastTransitionTime: at(-20) },
      { type: 'Ready', status: 'Unknown', lastTransitionTime: at(7) },
    ],
  );
  const { code, story } = await explained();
  expect(code).toBe(1);
  expect(story.sources).toContain('api.ndjson');
  const kinds = story.incidents.flatMap((one: { kind: string; consequences: { kind: string }[] }) => [
    one.kind,
    ...one.consequences.map(({ kind }) => kind),
  ]);
  expect(kinds.sort()).toEqual(['node-not-ready', 'pressure', 'volume-attach']);
});
