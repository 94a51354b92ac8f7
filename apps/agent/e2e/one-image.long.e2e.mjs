/**
 * Many pods of one image at once on a real containerd: all run, and no line appears that a kubelet of Kubernetes would
 * not log. Needs root. SYNCLOOP_PODS=100 runs it at its full size.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { OwnNode } from './own-node.mjs';

const { busyboxLayer } = await import(new URL('../dist/conformance/oci-image.js', import.meta.url).href);
const { tar } = await import(new URL('../dist/conformance/tar.js', import.meta.url).href);
const { goArch } = await import(new URL('../dist/conformance/containerd.js', import.meta.url).href);

const digestOf = (data) => `sha256:${createHash('sha256').update(data).digest('hex')}`;

/**
 * Starts a registry on this machine with one image, busybox. Resolves with its reference, and a function that closes
 * it.
 */
async function startRegistry() {
  const applets = execFileSync('/bin/busybox', ['--list'], { encoding: 'utf8' }).trim().split('\n');
  const layer = tar(busyboxLayer(await readFile('/bin/busybox'), applets));
  const config = Buffer.from(
    JSON.stringify({
      architecture: goArch(),
      os: 'linux',
      config: { Env: ['PATH=/bin'], Cmd: ['sh'] },
      rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
    }),
  );
  const oci = (kind) => `application/vnd.oci.image.${kind}`;
  const part = (mediaType, data) => ({ mediaType, digest: digestOf(data), size: data.length });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: oci('manifest.v1+json'),
      config: part(oci('config.v1+json'), config),
      layers: [part(oci('layer.v1.tar'), layer)],
    }),
  );
  const files = new Map([
    ['/v2/', ['application/json', Buffer.from('{}')]],
    ...['1', digestOf(manifest)].map((name) => [`/v2/app/manifests/${name}`, [oci('manifest.v1+json'), manifest]]),
    ...[config, layer].map((data) => [`/v2/app/blobs/${digestOf(data)}`, ['application/octet-stream', data]]),
  ]);
  const server = createServer((request, response) => {
    const [type, data] = files.get(new URL(request.url, 'http://localhost').pathname) ?? [];
    if (!data) return response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': type,
      'content-length': data.length,
      'docker-content-digest': digestOf(data),
    });
    return response.end(request.method === 'HEAD' ? undefined : data);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { image: `localhost:${server.address().port}/app:1`, close };
}

const count = Number(process.env.SYNCLOOP_PODS ?? 20);
const names = Array.from({ length: count }, (_, i) => `same-${i}`);
let node;
let registry;

before(
  async () => {
    registry = await startRegistry();
    // Each pod pulls by itself, and all of them at the same time.
    node = await OwnNode.create('serializeImagePulls: false\nregistryPullQPS: 0\nmaxPods: 250\n');
    await node.start();
  },
  { timeout: 90_000 },
);
after(async () => {
  await node?.destroy();
  registry?.close();
});

it(`[6:1] ${count} pods of one image that come at once all run, without an error of a pull`, {
  timeout: 600_000,
}, async () => {
  const start = performance.now();
  const manifest = (name) =>
    node.manifest(name, { image: registry.image }).replace('imagePullPolicy: IfNotPresent', 'imagePullPolicy: Always');
  await Promise.all(names.map((name) => node.drop(name, manifest(name))));
  const pods = await node.ready(names, 400);
  process.stdout.write(`# ${count} pods ready in ${Math.round(performance.now() - start)} ms\n`);
  for (const [name, pod] of pods) assert.equal(pod.status.containerStatuses[0].restartCount, 0, name);
  const said = node.kubelet.stderr;
  assert.doesNotMatch(said, /image pull intent|no such file or directory|failed to write image pulled record/);
  assert.deepEqual(
    said.split('\n').filter((line) => /^E/.test(line) && /pull|image_manager/i.test(line)),
    [],
  );
  const records = (folder) => readdir(join(node.work, 'root', 'image_manager', folder));
  assert.deepEqual(await records('pulling'), []);
  assert.match((await records('pulled')).join(), /^sha256-[0-9a-f]{64}$/);
});
