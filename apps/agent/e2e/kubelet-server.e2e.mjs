/**
 * The kubelet's own server on a real containerd: who gets in, logs that are followed, statistics, metrics, and a
 * command over websocket. Needs root; the tests follow one another on one node. What kubectl does with it is
 * kubectl.e2e.mjs.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import WebSocket from 'ws';
import {
  built,
  kubeletArgs,
  kubeletConfiguration,
  makeManifestFolders,
  manifestsFolder,
  program,
  putManifest,
} from './node-files.mjs';
import { freePort, Running, until } from './programs.mjs';

const secret = 'canary-5e1f0c';
let work;
let containerd;
let kubelet;
let removeLogLinks;
let port;
let readOnly;
let ca;
let token;

before(
  async () => {
    const { busyboxImage, Containerd } = await built('conformance/containerd.js');
    ({ removeLogLinks } = await built('conformance/node-under-test.js'));
    containerd = await Containerd.create();
    work = await mkdtemp(join(tmpdir(), 'syncloop-server-'));
    await makeManifestFolders(work);
    [port, readOnly] = [await freePort(), await freePort()];
    await writeFile(
      join(work, 'config.yaml'),
      kubeletConfiguration(work, { ...manifestsFolder, port, readOnlyPort: readOnly, healthzPort: 0 }),
    );
    kubelet = new Running(process.execPath, [
      program,
      ...kubeletArgs(work, containerd.endpoint, '--no-ui', '-v', '4', '--record', join(work, 'run.slr')),
    ]);
    await kubelet.says('its server', /the kubelet's server is at https:\/\/127\.0\.0\.1:\d+; its tokens are in (\S+)/);
    token = (await readFile(join(work, 'root/server-token'), 'utf8')).trim();
    ca = await readFile(join(work, 'root/pki/kubelet.crt'), 'utf8');
    await putManifest(
      work,
      'web.yaml',
      `apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - name: app
    image: ${busyboxImage}
    imagePullPolicy: IfNotPresent
    command: [sh, -c, "trap 'exit 0' TERM; echo to stdout; echo to stderr >&2; i=0; while :; do i=$((i+1)); echo turn $i; sleep 0.2; done"]
    env: [{name: SECRET, value: ${secret}}]
    livenessProbe: {exec: {command: ["true"]}, periodSeconds: 1}
`,
    );
    await until(
      'the pod runs',
      async () => {
        const { status, body } = await ask('/pods').catch(() => ({}));
        return status === 200 && JSON.parse(body).items[0]?.status.containerStatuses?.[0]?.ready;
      },
      { seconds: 25, describe: () => kubelet.stderr.slice(-3000) },
    );
  },
  { timeout: 60_000 },
);
after(async () => {
  await kubelet?.kill('SIGKILL');
  await containerd?.destroy();
  if (!work) return;
  await removeLogLinks(work);
  await rm(work, { recursive: true, force: true });
});

function ask(path, { method = 'GET', auth = `Bearer ${token}`, body } = {}) {
  return new Promise((resolve, reject) => {
    const headers = auth ? { Authorization: auth } : {};
    const sent = request({ host: '127.0.0.1', port, path, method, headers, ca }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode, body: text }));
    });
    sent.on('error', reject).end(body);
  });
}
const sample = (text, name) => {
  const line = text.split('\n').find((l) => l.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.split(' ')[1]);
};

it('lets in who has the token that its owner alone can read, over TLS', async () => {
  assert.equal((await stat(join(work, 'root/server-token'))).mode & 0o777, 0o600);
  assert.equal((await stat(join(work, 'root/pki/kubelet.key'))).mode & 0o777, 0o600);
  for (const auth of ['', 'Bearer wrong', `Basic ${token}`])
    assert.deepEqual(await ask('/pods', { auth }), { status: 401, body: 'Unauthorized' });
  assert.deepEqual(await ask('/healthz'), { status: 200, body: 'ok' });
  const plain = await fetch(`http://127.0.0.1:${readOnly}/healthz`);
  assert.equal(await plain.text(), 'ok');
  const exec = await fetch(`http://127.0.0.1:${readOnly}/exec/default/web-node1/app?output=1`);
  assert.deepEqual([exec.status, await exec.text()], [405, 'Debug endpoints are disabled.\n']);
});

it('shows a log: its end, what is new, and what comes', async () => {
  const path = '/containerLogs/default/web-node1/app';
  await until('five turns', async () => /turn 5\n/.test((await ask(path)).body));
  // Runtimes read the two outputs apart, so that their order is not certain.
  const begun = (await ask(path)).body.split('\n').slice(0, 3);
  assert.deepEqual(begun.toSorted(), ['to stderr', 'to stdout', 'turn 1']);
  assert.match((await ask(`${path}?tailLines=2`)).body, /^turn \d+\nturn \d+\n$/);
  assert.match(
    (await ask(`${path}?timestamps=true&tailLines=1`)).body,
    /^\d{4}-\d\d-\d\dT[\d:]+\.\d{9}(Z|[+-]\d\d:\d\d) turn \d+\n$/,
  );
  assert.equal((await ask(`${path}?limitBytes=2`)).body, 'to');
  assert.equal((await ask(`${path}?sinceTime=2999-01-01T00:00:00Z`)).body, '');
  assert.equal((await ask(`${path}?previous=true`)).status, 400);
  assert.equal((await ask('/containerLogs/default/web-node1/none')).status, 404);
  const turns = await new Promise((resolve, reject) => {
    let text = '';
    const headers = { Authorization: `Bearer ${token}` };
    const sent = request(
      { host: '127.0.0.1', port, path: `${path}?follow=true&tailLines=1`, headers, ca },
      (response) => {
        response.setEncoding('utf8').on('data', (part) => {
          text += part;
          const seen = [...text.matchAll(/turn (\d+)\n/g)].map((m) => Number(m[1]));
          if (seen.length < 5) return;
          sent.destroy();
          resolve(seen);
        });
      },
    );
    sent.on('error', reject).end();
  });
  assert.deepEqual(
    turns,
    turns.map((_, i) => turns[0] + i),
  );
});

it('knows what the node and its pods use', async () => {
  const { node, pods } = JSON.parse((await ask('/stats/summary')).body);
  assert.equal(node.nodeName, 'node1');
  for (const figure of [
    node.cpu.usageCoreNanoSeconds,
    node.memory.workingSetBytes,
    node.fs.capacityBytes,
    node.rlimit.maxpid,
  ])
    assert.ok(figure > 0);
  assert.ok(node.fs.availableBytes < node.fs.capacityBytes);
  const pod = pods.find((p) => p.podRef.name === 'web-node1');
  const [app] = pod.containers;
  assert.equal(app.name, 'app');
  assert.ok(app.memory.workingSetBytes > 0 && app.cpu.usageCoreNanoSeconds > 0);
  assert.match(app.startTime, /^\d{4}-\d\d-\d\dT[\d:]+Z$/);
  const cheap = JSON.parse((await ask('/stats/summary?only_cpu_and_memory=true')).body);
  assert.ok(cheap.node.cpu && !cheap.node.fs);
  const resource = (await ask('/metrics/resource')).body;
  assert.match(
    resource,
    /^container_memory_working_set_bytes\{container="app",namespace="default",pod="web-node1"\} [\d.e+]+ \d{13}$/m,
  );
  assert.equal(sample(resource, 'resource_scrape_error'), 0);
});

it('counts what the loop did', async () => {
  // Counted with each relist of all pods.
  const body = await until('a relist', async () => {
    const metrics = (await ask('/metrics')).body;
    return sample(metrics, 'kubelet_running_pods') === 1 && metrics;
  });
  assert.equal(sample(body, 'kubelet_running_containers{container_state="running"}'), 1);
  assert.equal(sample(body, 'kubelet_started_pods_total'), 1);
  assert.equal(sample(body, 'kubelet_runtime_operations_total{operation_type="run_podsandbox"}'), 1);
  assert.equal(sample(body, 'kubelet_pod_worker_duration_seconds_count{operation_type="create"}'), 1);
  assert.ok(sample(body, 'kubelet_pleg_relist_duration_seconds_count') > 1);
  assert.ok(sample(body, 'kubelet_pleg_last_seen_seconds') > Date.now() / 1000 - 60);
  const probes = (await ask('/metrics/probes')).body;
  assert.match(
    probes,
    /^prober_probe_total\{container="app",namespace="default",pod="web-node1",pod_uid="[^"]+",probe_type="Liveness",result="successful"\} \d+$/m,
  );
  assert.match((await ask('/metrics/slis')).body, /^kubernetes_healthcheck\{name="syncloop",type="healthz"\} 1$/m);
  const { kubeletconfig } = JSON.parse((await ask('/configz')).body);
  assert.deepEqual(kubeletconfig.authorization.mode, 'AlwaysAllow');
  assert.equal(JSON.parse((await ask('/runningpods/')).body).items.length, 1);
});

it('runs a command and waits for it', async () => {
  const run = (cmd) => ask(`/run/default/web-node1/app?cmd=${encodeURIComponent(cmd)}`, { method: 'POST' });
  assert.deepEqual(await run('echo a b'), { status: 200, body: 'a b\n' });
  assert.equal((await run('false')).status, 500);
});

it('runs a command over websocket, with input, both outputs and the way it ended', async () => {
  const query = [
    'input=1',
    'output=1',
    'error=1',
    ...['sh', '-c', 'read line; echo "got $line"; echo oops >&2; exit 3'].map(
      (c) => `command=${encodeURIComponent(c)}`,
    ),
  ];
  const socket = new WebSocket(
    `wss://127.0.0.1:${port}/exec/default/web-node1/app?${query.join('&')}`,
    ['v4.channel.k8s.io'],
    {
      ca,
      headers: { Authorization: `Bearer ${token}` },
    },
  );
  const out = ['', '', '', ''];
  await new Promise((resolve, reject) => {
    socket.on('open', () => socket.send(Buffer.concat([Buffer.from([0]), Buffer.from(`${secret}\n`)])));
    socket.on('message', (data) => {
      out[data[0]] += data.subarray(1).toString();
    });
    socket.on('close', resolve);
    socket.on('error', reject);
    socket.on('unexpected-response', (_request, response) => reject(new Error(`refused with ${response.statusCode}`)));
  });
  assert.equal(out[1], `got ${secret}\n`);
  assert.equal(out[2], 'oops\n');
  const status = JSON.parse(out[3]);
  assert.deepEqual([status.status, status.details.causes], ['Failure', [{ reason: 'ExitCode', message: '3' }]]);
  const refused = new WebSocket(
    `wss://127.0.0.1:${port}/exec/default/web-node1/app?output=1&command=ls`,
    ['v4.channel.k8s.io'],
    { ca },
  );
  const code = await new Promise((resolve) => {
    refused.on('unexpected-response', (_request, response) => resolve(response.statusCode));
    refused.on('error', () => {});
  });
  assert.equal(code, 401);
});

it('lets nothing of that into its log or a recording', async () => {
  await kubelet.kill('SIGTERM');
  const text = new Running(process.execPath, [program, 'export', join(work, 'run.slr'), '--format', 'ndjson']);
  assert.equal(await text.exit, 0, text.stderr);
  const recording = text.stdout;
  assert.match(recording, /"method":"Exec"/);
  for (const [name, said] of Object.entries({ recording, log: kubelet.stderr }))
    for (const hidden of [secret, token]) assert.ok(!said.includes(hidden), `${name} has ${hidden}`);
});
