import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { findCaptures, readFileOf, readLinesOf } from './capture.js';

function folderOf(files: { readonly [name: string]: string | Uint8Array }): string {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-capture-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}
const setupError = (message: string) =>
  expect.objectContaining({ name: 'SetupError', message: expect.stringContaining(message) });

it.each(['{"startedAt": ', '[]', 'null', ''])('names an about.json that is %j', async (about) => {
  const folder = folderOf({ 'about.json': about });
  await expect(findCaptures([folder])).rejects.toEqual(setupError(`${join(folder, 'about.json')} is not `));
});

it('names a file that cannot be inflated', async () => {
  const packed = gzipSync('I1122 10:00:00.000000    1432 kubelet.go:100] "Starting kubelet"\n'.repeat(50));
  packed.fill(0xff, 20, 40);
  const folder = folderOf({ 'about.json': '{}', 'kubelet.v4.log.gz': packed });
  const [capture] = await findCaptures([folder]);
  if (!capture) throw new Error('no capture');
  await expect(readFileOf(capture, 'kubelet.v4.log')).rejects.toEqual(
    setupError(`cannot inflate ${join(folder, 'kubelet.v4.log.gz')}: `),
  );
});

it('names the line that is no JSON', async () => {
  const folder = folderOf({ 'about.json': '{}', 'cri.ndjson': '{"a":1}\n\n{"b":\n' });
  const [capture] = await findCaptures([folder]);
  if (!capture) throw new Error('no capture');
  await expect(readLinesOf(capture, 'cri.ndjson')).rejects.toEqual(
    setupError(`line 3 of ${join(folder, 'cri.ndjson')} is not JSON: `),
  );
});
