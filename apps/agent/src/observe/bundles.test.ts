import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { tar } from '../conformance/tar.js';
import { findEvidence } from './evidence-files.js';
import { readEvidence } from './read-evidence.js';

const made: string[] = [];
afterAll(() => {
  for (const one of made) rmSync(one, { recursive: true, force: true });
});
function folder(files: { readonly [path: string]: string | Buffer }): string {
  const top = mkdtempSync(join(tmpdir(), 'bundle-'));
  made.push(top);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), content);
  }
  return top;
}
const line = (host: string) =>
  `Nov 22 10:00:01 ${host} kubelet[1432]: I1122 10:00:01.000000    1432 kubelet.go:1] "SyncLoop ADD" source="api" pods=["default/on-${host}"]\n`;

/** The pods that were read, and the names of the sources. */
async function read(path: string, node?: string) {
  const { files } = await findEvidence([path], { ...(node !== undefined && { node }) });
  const pods: string[] = [];
  for await (const batch of readEvidence(files).records())
    for (const r of batch) if (r.kind === 'pod-config') pods.push(...r.pods.map(({ pod }) => pod));
  return pods;
}

/** A tar.xz with the same, which nothing here can make. */
const XZ = readFileSync(new URL('../../../../packages/core/testdata/bundle/artifacts.tar.xz', import.meta.url));

describe('what a collector left behind', () => {
  const kind = {
    'kind-version.txt': 'kind v0.30.0\n',
    'n1/kubelet.log': line('n1'),
    'n1/journal.log': line('n1'),
    'n2/kubelet.log': line('n2'),
    'n2/pods/x/app/0.log': 'a container\n',
  };

  it('is a folder of any depth, or an archive, of which one node is read', async () => {
    const xz = folder({ 'artifacts.tar.xz': XZ });
    for (const path of [folder(kind), folder({ 'deep/er/logs/x': '', ...kind }), xz, join(xz, 'artifacts.tar.xz')]) {
      expect(await read(path, 'n1')).toEqual(['default/on-n1']);
      expect(await read(path, 'n2')).toEqual(['default/on-n2']);
      await expect(read(path)).rejects.toThrow(/ has 2 nodes: choose one with --node: n1, n2$/);
      await expect(read(path, 'n3')).rejects.toThrow(/ has no node "n3": --node is one of: n1, n2$/);
    }
  });

  it('with one node needs no choice, whatever its name', async () => {
    const archive = tar([
      { name: 'eks_i-0123456789abcdef0_x/kubelet/kubelet.log', data: Buffer.from(line('n1')) },
      { name: 'eks_i-0123456789abcdef0_x/system/ps.txt', data: Buffer.from('x') },
    ]);
    expect(await read(join(folder({ 'eks.tar.gz': gzipSync(archive) }), 'eks.tar.gz'))).toEqual(['default/on-n1']);
  });

  it('with lines of several nodes in one file is read by the names in its lines', async () => {
    const masters = { 'mg/host_service_logs/masters/kubelet_service.log': line('n1') + line('n2') + line('n2') };
    expect(await read(folder(masters))).toEqual(['default/on-n2', 'default/on-n2']);
    expect(await read(folder(masters), 'n1')).toEqual(['default/on-n1']);
  });

  it('follows no links out of its folder', async () => {
    const top = folder({ 'a/kubelet.log': line('n1') });
    symlinkSync('/', join(top, 'a/root'));
    expect(await read(top)).toEqual(['default/on-n1']);
  });
});
