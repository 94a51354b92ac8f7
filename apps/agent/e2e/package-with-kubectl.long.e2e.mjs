/**
 * The package as it is installed: the tree of the container image in a folder of its own, away from this repository,
 * run by a user without rights with the arguments and files of deploy/. There is a node of mock runtime in it, in a
 * cluster of ours.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { top } from '../../../scripts/lib.mjs';
import { makeTree } from '../../../scripts/package.mjs';

const run = promisify(execFile);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'syncloop-package-'));
const tree = path.join(folder, 'tree');
const nobody = process.getuid() === 0 ? { uid: 1000, gid: 1000 } : {};
const env = { PATH: process.env.PATH, HOME: path.join(folder, 'home'), NODE_ENV: 'production' };
const children = [];

const freePort = () =>
  new Promise((resolve) => {
    const server = net.createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

async function until(what, check, seconds = 60) {
  for (const end = Date.now() + seconds * 1000; ; await delay(200)) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end)
      assert.fail(`${what} did not happen within ${seconds} s\n${children.map((c) => c.text).join('\n---\n')}`);
  }
}

/** The program as a user without rights; `text` is all that it has printed. */
function start(args, more = {}) {
  const child = spawn(process.execPath, [path.join(tree, 'apps/agent/bin/syncloop.mjs'), ...args], {
    cwd: '/',
    env: { ...env, ...more },
    ...nobody,
  });
  child.text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (t) => (child.text += t));
  child.ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  children.push(child);
  return child;
}
const stop = (child) => {
  child.kill('SIGTERM');
  return child.ended;
};
const health = (url) =>
  run(process.execPath, [path.join(top, 'deploy/container/healthcheck.mjs')], {
    env: { ...env, SYNCLOOP_HEALTH: url },
  }).then(
    () => 'well',
    (error) => error.stderr.trim(),
  );

before(() => {
  makeTree(top, tree);
  fs.chmodSync(folder, 0o755);
  fs.mkdirSync(env.HOME);
  if (nobody.uid) fs.chownSync(env.HOME, nobody.uid, nobody.gid);
});
after(async () => {
  await Promise.all(children.filter((c) => c.exitCode === null && c.signalCode === null).map(stop));
  fs.rmSync(folder, { recursive: true, force: true });
});

it('tells its version, through a link to it, from anywhere', async () => {
  const link = path.join(folder, 'syncloop');
  fs.symlinkSync(path.join(tree, 'bin/syncloop'), link);
  const { stdout } = await run(link, ['--version'], { cwd: '/', env, ...nobody });
  assert.match(stdout, /^syncloop \d+\.\d+\.\d+ \(behaves as kubelet v1\.36/);
  assert.match(fs.readFileSync(path.join(tree, 'THIRD-PARTY.txt'), 'utf8'), /^@grpc\/grpc-js \d.* Apache-2.0$/m);
});

it('has no sources, tests, types, maps, or packages of development', () => {
  const files = fs.readdirSync(tree, { recursive: true });
  assert.deepEqual(
    files.filter(
      (f) =>
        /\.(d\.ts|map|tsbuildinfo)$|\.test\.|(^|\/)(src\/.*\.ts|testdata\/)/.test(f) && !f.startsWith('node_modules'),
    ),
    [],
  );
  assert.equal(fs.existsSync(path.join(tree, 'node_modules/typescript')), false);
});

it('serves simulations and a class, as the workshop does', async () => {
  const [{ spec }] = parseAllDocuments(
    fs.readFileSync(path.join(top, 'deploy/kubernetes/workshop/deployment.yaml'), 'utf8'),
  ).map((d) => d.toJS());
  const given = spec.template.spec.containers[0].args.map((a) =>
    a.replace('$(PUBLIC_NAME)', 'workshop.example').replace('/var/lib/syncloop', env.HOME),
  );
  const [port, classPort] = [await freePort(), await freePort()];
  const child = start([...given, `--port=${port}`, `--class-port=${classPort}`]);
  await until('its address', () => /#code=/.test(child.text));
  assert.equal(await health(`http://127.0.0.1:${port}/`), 'well');
  // The names that the audience may use, and no others.
  const status = (host) =>
    new Promise((resolve) => {
      http.get({ host: '127.0.0.1', port: classPort, path: '/', headers: { host } }, (r) =>
        resolve(r.resume().statusCode),
      );
    });
  assert.equal(await status(`workshop.example:${classPort}`), 200);
  assert.equal(await status('elsewhere.example'), 421);
  assert.equal(await stop(child), 0);
  assert.match(await health(`http://127.0.0.1:${port}/`), /ECONNREFUSED/);
});

describe('a mock node, as the DaemonSet starts it', () => {
  const at = (name) => path.join(folder, 'node', name);
  const received = [];
  const seen = (text) => Buffer.concat(received).includes(text);
  let kubectl;

  it('joins a cluster, runs a pod, and sends spans', async () => {
    for (const dir of ['run', 'root', 'log', 'own']) fs.mkdirSync(at(dir), { recursive: true });
    fs.mkdirSync(at('etc'));
    if (nobody.uid) execFileSync('chown', ['-R', `${nobody.uid}:${nobody.gid}`, at('.')]);
    const collector = http.createServer((request, response) => {
      const chunks = [];
      request.on('data', (c) => chunks.push(c));
      request.on('end', () => {
        received.push(...chunks);
        response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
      });
    });
    await new Promise((resolve) => collector.listen(0, '127.0.0.1', resolve));
    after(() => collector.close());

    // The cluster: another node, with an API server of its own.
    const own = path.join(folder, 'node/own');
    start(['serve-mock', `--endpoint=unix://${own}/cri.sock`]);
    await until('its runtime', () => fs.existsSync(`${own}/cri.sock`));
    fs.writeFileSync(
      `${own}/kubelet.yaml`,
      'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncgroupsPerQOS: false\nfailCgroupV1: false\nenableServer: false\nhealthzPort: 0\n' +
        `podLogsDir: ${own}/logs\n`,
    );
    const cluster = start([
      ...[
        'kubelet',
        `--config=${own}/kubelet.yaml`,
        '--serve-api=0',
        `--container-runtime-endpoint=unix://${own}/cri.sock`,
      ],
      ...[`--root-dir=${own}/root`, '--hostname-override=control', '--no-ui'],
    ]);
    await until('the API server', () => /API server at/.test(cluster.text));
    const kubeconfig = `${own}/root/api/kubeconfig`;
    kubectl = async (...args) => (await run('kubectl', ['--kubeconfig', kubeconfig, ...args])).stdout;

    // The DaemonSet's two programs, with its files at their places here.
    const { spec } = parse(fs.readFileSync(path.join(top, 'deploy/kubernetes/mock-nodes/daemon-set.yaml'), 'utf8')).spec
      .template;
    const { data } = parse(fs.readFileSync(path.join(top, 'deploy/kubernetes/mock-nodes/config.yaml'), 'utf8'));
    const here = (text) =>
      text
        .replaceAll('/run/syncloop', at('run'))
        .replaceAll('/etc/syncloop', at('etc'))
        .replaceAll('/var/lib/kubelet', at('root'))
        .replaceAll('/var/log', at('log'))
        .replaceAll('$(NODE_NAME)', 'a');
    const healthz = await freePort();
    const config = here(data['kubelet.yaml'])
      .replace('10248', healthz)
      .replace('10250', await freePort());
    fs.writeFileSync(at('etc/kubelet.yaml'), config);
    fs.copyFileSync(kubeconfig, at('etc/kubeconfig'));
    if (nobody.uid) execFileSync('chown', ['-R', `${nobody.uid}:${nobody.gid}`, at('etc')]);
    start(spec.initContainers[0].args.map(here));
    await until('the runtime', () => fs.existsSync(at('run/cri.sock')));
    const [{ args }] = spec.containers;
    // Loopback is the only address here, and it cannot be a node's.
    const kubelet = start([
      ...args.filter((a) => !a.startsWith('--node-ip')).map(here),
      '--ui-port=0',
      `--record=${at('run/run.syncloop')}`,
      `--otlp-endpoint=http://127.0.0.1:${collector.address().port}`,
    ]);
    await until('health', async () => (await health(`http://127.0.0.1:${healthz}/healthz`)) === 'well');
    await until('a Ready node', async () => /^mock-a +Ready /m.test(await kubectl('get', 'nodes').catch(() => '')));
    const node = JSON.parse(await kubectl('get', 'node', 'mock-a', '-o', 'json'));
    assert.equal(node.metadata.labels.syncloop, 'mock');
    assert.deepEqual(
      node.spec.taints?.filter((t) => t.key === 'syncloop'),
      [{ key: 'syncloop', value: 'mock', effect: 'NoSchedule' }],
    );

    const example = parse(fs.readFileSync(path.join(top, 'deploy/kubernetes/mock-nodes/example-pod.yaml'), 'utf8'));
    await kubectl('create', 'namespace', example.metadata.namespace);
    fs.writeFileSync(at('pod.json'), JSON.stringify({ ...example, spec: { ...example.spec, nodeName: 'mock-a' } }));
    await until('its service account', async () =>
      kubectl('-n', example.metadata.namespace, 'get', 'serviceaccount', 'default').catch(() => ''),
    );
    await kubectl('apply', '-f', at('pod.json'));
    await until('a running pod', async () =>
      /Running/.test(await kubectl('-n', example.metadata.namespace, 'get', 'pod', example.metadata.name)),
    );
    const names = ['syncPod', 'runtime.v1.RuntimeService/StartContainer', 'k8s.node.name'];
    await until('spans', () => names.every(seen), 20);
    assert.equal(await stop(kubelet), 0);
    // The spans are those of the recording, id by id; neither may be cut off at its beginning or end.
    const exported = (
      await run(path.join(tree, 'bin/syncloop'), ['export', at('run/run.syncloop'), '--format=otlp'], {
        env,
        maxBuffer: 1 << 28,
      })
    ).stdout;
    const spans = exported
      .trim()
      .split('\n')
      .flatMap((line) => JSON.parse(line).resourceSpans.flatMap((r) => r.scopeSpans.flatMap((scope) => scope.spans)));
    assert.ok(spans.length > 50, `${spans.length} spans`);
    assert.deepEqual(
      spans.filter((span) => !seen(Buffer.from(span.spanId, 'hex'))).map((span) => span.name),
      [],
    );
    assert.doesNotMatch(kubelet.text, /did not reach the collector|warning: (field|flag)/);
  });
});
