import type { FleetStory } from '@syncloop/observe/fleet';
import { expect, it } from 'vitest';
import type { ObservedFile } from '../../../session/worker/open-message.js';
import type { FleetProgress } from './messages.js';
import { readNodes } from './read-nodes.js';

const at = (seconds: number) =>
  `1122 11:${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}.000000    1432`;
/** A kubelet that loses its API server at a second of the hour, of which its log is. */
const log = (lostAt: number) =>
  [
    `I${at(0)} server.go:529] "Kubelet version" kubeletVersion="v1.33.1"`,
    ...[0, 8, 16, 24].map(
      (s) =>
        `E${at(lostAt + s)} controller.go:195] "Failed to update lease" err="Put \\"https://10.0.0.1:6443/apis\\": dial tcp 10.0.0.1:6443: connect: connection refused"`,
    ),
    `I${at(3000)} kubelet.go:2468] "SyncLoop ADD" source="api" pods=[]`,
    '',
  ].join('\n');
const file = (name: string, text: string): ObservedFile => ({
  name,
  blob: new Blob([text]),
  modified: Date.UTC(2026, 10, 23),
});
async function told(files: readonly ObservedFile[], options: Parameters<typeof readNodes>[1] = {}) {
  const all: FleetProgress[] = [];
  for await (const progress of readNodes(files, options)) all.push(progress);
  const last = all.at(-1);
  if (!last || 'failed' in last) throw new Error('it failed');
  return { all, story: last.story as FleetStory };
}
const NODES = ['n1', 'n2', 'n3'].map((name, i) => file(`logs/${name}/kubelet.log`, log(600 + 3 * i)));

it('reads folders of nodes into one verdict, and reports how far it is', async () => {
  let time = 0;
  const { all, story } = await told(NODES, { now: () => (time += 2000) });
  expect(story.verdict.text.en).toMatch(/^3 nodes lost the API server between 11:10:00 and 11:10:06/);
  expect(story.nodes.map(({ name }) => name)).toEqual(['n1', 'n2', 'n3']);
  expect(all.map((one) => 'reading' in one && [one.reading, one.done, one.of])).toEqual([
    ['n1', 0, 3],
    ['n2', 1, 3],
    ['n3', 2, 3],
    ['', 3, 3],
  ]);
});

it('takes logs in one folder for nodes if nodes name them', async () => {
  const { story } = await told([file('w-1.log', log(600)), file('w-2.log', log(602)), file('w-2.log.1', log(10))]);
  expect(story.nodes.map(({ name }) => name)).toEqual(['w-1', 'w-2']);
  // What both files of a rotated log have counts once.
  expect(story.nodes.map(({ lines }) => lines)).toEqual([6, 10]);
});

it('names nodes that cannot be read, and those that are left out', async () => {
  const { story } = await told([...NODES, file('logs/n4/kubelet.log', 'nothing of a kubelet')], { mostRead: 900 });
  expect(story.nodes.map(({ problem }) => problem !== '')).toEqual([false, false, true, true]);
  expect(story.nodes[2]?.problem).toBe('it was left out: a page reads at most 900 B of all nodes together');
});
