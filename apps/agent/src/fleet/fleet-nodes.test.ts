import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fleetNodes } from './fleet-nodes.js';

const LINE = 'I1122 10:00:00.000000    1432 server.go:1] "Kubelet version" kubeletVersion="v1.33.1"\n';

async function namesOf(files: readonly string[], ...paths: string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-nodes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), LINE);
  }
  const nodes = await fleetNodes((paths.length > 0 ? paths : ['.']).map((path) => join(folder, path)));
  // Each can be read.
  for (const node of nodes) expect((await node.open({})).files.length).toBeGreaterThan(0);
  return nodes.map(({ name }) => name.replace(folder, ''));
}

it.each<[string, readonly string[], readonly string[]]>([
  ['a folder for each', ['n2/kubelet.log', 'n1/kubelet.log', 'n1/pods.txt'], ['n1', 'n2']],
  ['folders in which no file is called a kubelet’s', ['n2/log.txt', 'n1/log.txt', 'README.md'], ['n1', 'n2']],
  ['a file for each, some of them rotated', ['n1.log', 'n2.kubelet.log', 'n2.kubelet.log.1'], ['n1', 'n2']],
  ['a must-gather', ['m/nodes/w1/w1_logs_kubelet.log', 'm/nodes/w2/w2_logs_kubelet.log'], ['w1', 'w2']],
  ['one folder in another one', ['only/kubelet.log'], ['only']],
])('finds nodes of %s', async (_, files, names) => {
  expect(await namesOf(files)).toEqual(names);
});

it('takes files and folders by name, and distinguishes nodes of one name by their paths', async () => {
  const files = ['a/n1/kubelet.log', 'b/n1/kubelet.log', 'c.log'];
  expect(await namesOf(files, 'a/n1', 'b/n1', 'c.log')).toEqual(['/a/n1', '/b/n1', 'c']);
});

it('says that there is nothing', async () => {
  await expect(fleetNodes(['/nowhere'])).rejects.toThrow('cannot read /nowhere');
});
