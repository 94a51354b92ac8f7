import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Kubectl, KubectlError } from './kubectl.js';
import { fetchNodes, nodeNames } from './many-nodes.js';

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** A cluster with these nodes, of which some refuse their log. */
class Cluster extends Kubectl {
  readonly asked: string[] = [];
  private readonly full = deferred();
  atOnce = 0;
  most = 0;
  constructor(
    private readonly names: readonly string[],
    private readonly refusing: readonly string[] = [],
  ) {
    super({});
  }
  override raw = async (path: string): Promise<string> => {
    this.asked.push(path);
    const { pathname, searchParams } = new URL(path, 'http://x');
    if (pathname !== '/api/v1/nodes') return '{}';
    const from = Number(searchParams.get('continue') ?? 0);
    const items = this.names.slice(from, from + 2).map((name) => ({ metadata: { name } }));
    return JSON.stringify({ items, metadata: from + 2 < this.names.length ? { continue: String(from + 2) } : {} });
  };
  override rawToFile = async (path: string, file: string): Promise<void> => {
    this.most = Math.max(this.most, ++this.atOnce);
    // The first ones wait for each other: fewer at a time would wait for ever.
    if (this.most === Math.min(4, this.names.length)) this.full.resolve();
    await this.full.promise;
    this.atOnce--;
    const node = path.split('/')[4] ?? '';
    if (this.refusing.includes(node)) throw new KubectlError('Error from server (Forbidden): no', 'Forbidden');
    writeFileSync(file, 'E1122 10:00:00.000000       1 a.go:1] "b"\n');
  };
}
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'syncloop-many-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

it('lists the nodes of a selector, page by page, without names that are paths', async () => {
  const cluster = new Cluster(['n2', 'n1', '../etc', 'n4', 'n3']);
  expect(await nodeNames(cluster, 'role=worker')).toEqual(['n1', 'n2', 'n3', 'n4']);
  expect(cluster.asked[0]).toBe('/api/v1/nodes?limit=500&labelSelector=role%3Dworker');
  expect(cluster.asked.at(-1)).toContain('&continue=4');
  await expect(nodeNames(new Cluster([]), 'a=b')).rejects.toThrow('no node has the labels "a=b"');
});

it('reads four nodes at a time, each into its folder, and goes on without those that refuse', async () => {
  const names = Array.from({ length: 9 }, (_, i) => `n${i}`);
  const cluster = new Cluster(names, ['n3']);
  const said: string[] = [];
  const to = folder();
  const far: number[] = [];
  const failed = await fetchNodes(cluster, names, {
    ...{ folder: to, sinceMillis: 0, say: (sentence) => void said.push(sentence), progress: (n) => void far.push(n) },
  });
  expect(failed).toEqual(['n3']);
  expect(readdirSync(to)).toEqual(names.filter((name) => name !== 'n3'));
  expect(readdirSync(join(to, 'n1')).sort()).toEqual(['kubelet.log', 'pods.ndjson']);
  expect(cluster.most).toBe(4);
  expect(far.at(-1)).toBe(9);
  expect(said).toEqual([expect.stringMatching(/^n3 is left out: the log of n3 cannot be read .*nodes\/proxy$/)]);
});

it('says why if no node can be read, with the other ways', async () => {
  const options = { folder: folder(), sinceMillis: 0, say: () => {} };
  await expect(fetchNodes(new Cluster(['n1']), ['n1'], { ...options })).resolves.toEqual([]);
  await expect(fetchNodes(new Cluster(['n2'], ['n2']), ['n2'], options)).rejects.toThrow('Other ways to it:');
});
