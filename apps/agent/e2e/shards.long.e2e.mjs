/**
 * An exploration in shards gives what one machine gives: as processes, and as the pods of the Indexed Job of
 * deploy/kubernetes on our own API server, kubelet and a real containerd, with an image of this program. The second
 * part needs root.
 * SYNCLOOP_SCHEDULES=20000 runs more than the few schedules of the default.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, it } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { built, program } from './node-files.mjs';
import { OwnCluster } from './own-cluster.mjs';
import { until } from './programs.mjs';

const run = promisify(execFile);
const top = new URL('../../..', import.meta.url).pathname;
const schedules = Number(process.env.SYNCLOOP_SCHEDULES ?? 24);
const asked = ['explore', 'killer-explore', '--schedules', String(schedules)];
/** The exit code says that something was broken, which it is. */
const syncloop = (...args) =>
  run(process.execPath, [program, ...args], { maxBuffer: 1 << 28 }).catch((error) => {
    if (error.code !== 1) throw error;
    return error;
  });

let work;
let whole;
before(async () => {
  work = await mkdtemp(join(tmpdir(), 'syncloop-shards-'));
  whole = { text: (await syncloop(...asked)).stdout, json: (await syncloop(...asked, '--json')).stdout };
});
after(() => rm(work, { recursive: true, force: true }));

for (const count of [1, 2, 8])
  it(`${count} processes give the report of one machine, byte for byte`, { timeout: 3_600_000 }, async () => {
    const folder = join(work, String(count));
    await mkdir(folder);
    const waiting = Array.from({ length: count }, (_, i) => i + 1);
    const began = performance.now();
    const one = async () => {
      for (let i = waiting.shift(); i !== undefined; i = waiting.shift())
        await syncloop(...asked, '--shard', `${i}/${count}`, '--output', join(folder, `part-${i}.json`));
    };
    await Promise.all([one(), one()]);
    process.stdout.write(
      `# ${schedules} schedules in ${count} shards, two at a time: ${((performance.now() - began) / 1000).toFixed(1)} s\n`,
    );
    assert.equal((await syncloop('merge', folder)).stdout, whole.text);
    assert.equal((await syncloop('merge', folder, '--json')).stdout, whole.json);
  });

const digestOf = (data) => `sha256:${createHash('sha256').update(data).digest('hex')}`;

/** An image of this program as deploy/container makes it, of the files of this machine: a tarball for `ctr`. */
async function imageOf(name) {
  const { tar } = await built('conformance/tar.js');
  const { goArch } = await built('conformance/containerd.js');
  const root = join(work, 'image');
  await mkdir(join(root, 'opt'), { recursive: true });
  execFileSync(process.execPath, [join(top, 'scripts/package.mjs'), '--out', join(root, 'opt/syncloop')]);
  const node = await realpath(process.execPath);
  const { stdout } = await run('ldd', [node]);
  const libraries = [...stdout.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path]) => path);
  for (const path of libraries) {
    await mkdir(join(root, dirname(path)), { recursive: true });
    await cp(await realpath(path), join(root, path));
  }
  await mkdir(join(root, 'bin'), { recursive: true });
  await cp(node, join(root, 'bin/node'));
  await chmod(join(root, 'bin/node'), 0o755);
  await mkdir(join(root, 'tmp'));
  const file = join(work, 'layer.tar');
  await run('tar', [
    '--sort=name',
    '--mtime=@0',
    '--owner=0',
    '--group=0',
    '--mode=a+rX',
    '-cf',
    file,
    '-C',
    root,
    '.',
  ]);
  const layer = await readFile(file);
  const blobs = new Map();
  const put = (kind, data) => {
    blobs.set(`blobs/sha256/${digestOf(data).slice(7)}`, data);
    return { mediaType: `application/vnd.oci.image.${kind}`, digest: digestOf(data), size: data.length };
  };
  const json = (value) => Buffer.from(JSON.stringify(value));
  const platform = { architecture: goArch(), os: 'linux' };
  const config = put(
    'config.v1+json',
    json({
      ...platform,
      config: {
        Env: ['PATH=/bin', 'NODE_ENV=production'],
        Entrypoint: ['/bin/node', '/opt/syncloop/apps/agent/bin/syncloop.mjs'],
      },
      rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
    }),
  );
  const manifest = put(
    'manifest.v1+json',
    json({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config,
      layers: [put('layer.v1.tar', layer)],
    }),
  );
  const index = { ...manifest, platform, annotations: { 'io.containerd.image.name': name } };
  const archive = join(work, 'image.tar');
  await writeFile(
    archive,
    tar([
      { name: 'oci-layout', data: json({ imageLayoutVersion: '1.0.0' }) },
      {
        name: 'index.json',
        data: json({ schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests: [index] }),
      },
      ...[...blobs].map(([path, data]) => ({ name: path, data })),
    ]),
  );
  return archive;
}

it('the Job, on our own node, gives the report of one machine, though a pod is lost', {
  timeout: 900_000,
}, async () => {
  const job = parse(await readFile(join(top, 'deploy/kubernetes/explore-job.yaml'), 'utf8'));
  const [container] = job.spec.template.spec.containers;
  const count = 2;
  // The Job as it is, but for its size.
  Object.assign(job.spec, { completions: count, parallelism: count });
  container.args = container.args.map((arg) =>
    arg.replace(/^--schedules=.*/, `--schedules=${schedules}`).replace(/^--shards=.*/, `--shards=${count}`),
  );
  container.image = `localhost/${container.image}`;
  container.resources.requests.cpu = '100m';
  const archive = await imageOf(container.image);
  const cluster = await OwnCluster.create();
  try {
    await cluster.containerd.ctr('images', 'import', '--snapshotter', 'overlayfs', archive);
    await cluster.kubectl('apply', '-f', await cluster.file('job.json', JSON.stringify(job)));
    const { name } = job.metadata;
    const selector = `batch.kubernetes.io/job-name=${name}`;
    const pods = async () => (await cluster.json('get', 'pods', '-l', selector)).items;
    const describe = async () => JSON.stringify(await pods()) + cluster.kubelet.stderr.slice(-3000);
    const isRunning = ({ status }) => status?.phase === 'Running';
    await until('both pods run', async () => (await pods()).filter(isRunning).length === count, {
      seconds: 60,
      describe,
    });
    const [lost] = await pods();
    await cluster.kubectl('delete', 'pod', lost.metadata.name, '--now', { seconds: 60 });
    const args = ['wait', '--for=condition=complete', `job/${name}`, '--timeout=600s'];
    const waited = await cluster.run(args, { seconds: 620 });
    assert.equal(waited.code, 0, waited.stderr + (await describe()));
    const logs = await cluster.kubectl('logs', '-l', selector, '--tail=-1', `--max-log-requests=${count}`);
    const { status } = await cluster.json('get', 'job', name);
    assert.equal(status.succeeded, count);
    assert.equal(status.completedIndexes, '0,1');
    assert.equal(status.failed, 1);
    const file = join(work, 'logs.txt');
    await writeFile(file, logs);
    assert.equal((await syncloop('merge', file)).stdout, whole.text);
    assert.match(await cluster.kubectl('describe', 'job', name), /SuccessfulCreate[\s\S]*Job completed/);
    await cluster.kubectl('delete', 'job', name, { seconds: 60 });
    await until('its pods are gone', async () => (await pods()).length === 0, { seconds: 60, describe });
  } finally {
    await cluster.destroy();
  }
});
