/**
 * `kubectl syncloop` with a stock kubectl, against an API server that answers as written here: rightly, late, with
 * errors, and cut off. What it says is what an engineer without rights, or with an old kubelet, gets to read.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, it } from 'node:test';
import { Running } from './programs.mjs';

const PLUGIN = new URL('../bin/kubectl-syncloop.mjs', import.meta.url).pathname;
const UID = '0b1c2d3e-4f50-4617-8899-aabbccddeeff';
const LOG = [5, 20, 40]
  .map(
    (s) =>
      `Nov 22 10:00:${String(s).padStart(2, '0')}.000000 n1 kubelet[900]: E1122 10:00:${String(s).padStart(2, '0')}.000000     900 pod_workers.go:1324] "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"app\\" with CrashLoopBackOff: \\"back-off ${s}s restarting failed container=app pod=web_shop(${UID})\\"" pod="shop/web" podUID="${UID}"\n`,
  )
  .join('');
/** The date is said if the pods are of another one. */
const VERDICT = /^At (\d{4}-11-22 )?10:00:05 app in shop\/web ended again and again/;
const NODE = {
  kind: 'Node',
  status: {
    nodeInfo: { kubeletVersion: 'v1.33.1', containerRuntimeVersion: 'containerd://2.1.0' },
    conditions: [{ type: 'Ready', status: 'True' }],
  },
};
const POD = { kind: 'Pod', metadata: { creationTimestamp: '2026-11-22T10:00:00Z' }, spec: { nodeName: 'n1' } };
const refused = (code, reason, message) => (_, response) => {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code, message }));
};
const json = (value) => (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
};
const text = (said) => (_, response) => {
  response.writeHead(200, { 'content-type': 'text/plain' });
  response.end(said);
};
const notFound = refused(404, 'NotFound', 'it is not there');

let server;
let folder;
let kubeconfig;
/** The answers by the path's end, and the paths that were asked for. */
let answers;
let asked;
before(async () => {
  server = createServer((request, response) => {
    asked.push(request.url);
    const path = request.url.split('?')[0];
    (answers[path] ?? notFound)(request, response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  folder = await mkdtemp(join(tmpdir(), 'syncloop-plugin-'));
  await symlink(PLUGIN, join(folder, 'kubectl-syncloop'));
  await mkdir(join(folder, 'tmp'));
  kubeconfig = join(folder, 'config');
  const url = `http://127.0.0.1:${server.address().port}`;
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c', users: [{ name: 'u', user: { token: 't' } }] },
    clusters: [{ name: 'k', cluster: { server: url } }],
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', namespace: 'shop' } }],
  };
  await writeFile(kubeconfig, JSON.stringify(config));
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  asked = [];
  answers = {
    '/api/v1/nodes/n1': json(NODE),
    '/api/v1/nodes/n1/proxy/logs/': text(LOG),
    '/api/v1/pods': json({ kind: 'PodList', items: [] }),
    '/api/v1/events': json({ kind: 'EventList', items: [] }),
    '/api/v1/namespaces/shop/pods/web': json(POD),
  };
});
const left = () => readdir(join(folder, 'tmp'));
/** The environment of a program: its temporary files are in a folder that nobody else uses. */
const env = () => ({
  ...process.env,
  KUBECONFIG: kubeconfig,
  PATH: `${folder}:${process.env.PATH}`,
  TMPDIR: join(folder, 'tmp'),
});
/** Runs `kubectl syncloop`; resolves with what it printed, when it has ended. */
async function syncloop(...args) {
  const running = new Running('kubectl', ['syncloop', ...args], { env: env() });
  return { code: await running.exit, stdout: running.stdout, stderr: running.stderr };
}
const query = () =>
  new URL(
    asked.find((url) => url.includes('query=')),
    'http://x',
  ).searchParams;

it('gives events and conditions with the log, and says what it may not read', async () => {
  const now = new Date().toISOString();
  const quiet = `Nov 22 10:00:00.000000 n1 kubelet[900]: I1122 10:00:00.000000     900 server.go:529] "Kubelet version" kubeletVersion="v1.33.1"\n`;
  answers['/api/v1/nodes/n1/proxy/logs/'] = text(quiet);
  answers['/api/v1/events'] = json({
    items: [
      {
        involvedObject: { kind: 'Pod', namespace: 'shop', name: 'db-0', uid: UID },
        ...{ type: 'Warning', reason: 'FailedAttachVolume', message: 'Multi-Attach error for volume "pvc-1"' },
        ...{ source: { component: 'attachdetach-controller', host: 'n1' }, firstTimestamp: now, lastTimestamp: now },
      },
    ],
  });
  const { code, stdout, stderr } = await syncloop('explain', 'node', 'n1');
  assert.equal(code, 1, stderr);
  assert.match(stdout, /shop\/db-0.*Multi-Attach error/);
  assert.ok(asked.some((url) => url.includes('involvedObject.name%3Dn1')));
  answers['/api/v1/nodes/n1/proxy/logs/'] = text(LOG);
  answers['/api/v1/events'] = refused(403, 'Forbidden', 'events is forbidden: User "u" cannot list resource "events"');
  const without = await syncloop('explain', 'node', 'n1');
  assert.equal(without.code, 1);
  assert.match(without.stdout, VERDICT);
  assert.match(without.stderr, /the events of n1 are not read: .*cannot list resource "events"/);
});

it('explains what went wrong on a node, out of its log since an hour', async () => {
  const { code, stdout, stderr } = await syncloop('explain', 'node', 'n1', '--lines', '500');
  assert.equal(code, 1, stderr);
  assert.match(stdout, VERDICT);
  assert.match(stderr, /n1: kubelet v1\.33\.1, containerd:\/\/2\.1\.0, Ready/);
  assert.equal(query().get('tailLines'), '500');
  const back = Date.now() - Date.parse(query().get('sinceTime'));
  assert.ok(Math.abs(back - 3_600_000) < 60_000, `${back}`);
  assert.ok(asked.includes('/api/v1/pods?fieldSelector=spec.nodeName%3Dn1'));
  assert.deepEqual(await left(), []);
});

it('finds the node of a pod, in the namespace of the configuration, and reads its log from then on', async () => {
  const { code, stdout, stderr } = await syncloop('explain', 'pod', 'web', '--lang', 'zh');
  assert.equal(code, 1, stderr);
  assert.match(stdout, /反复退出/);
  assert.match(stderr, /web is on n1, whose log is read since 2026-11-22T09:59:00/);
  assert.equal(query().get('sinceTime'), '2026-11-22T09:59:00Z');
});

it('explains what the nodes of a label share, and names those that it may not read', async () => {
  const names = ['n1', 'n2', 'n3', 'n4'];
  const lost = (name, s) =>
    [0, 10, 20]
      .map((more) => {
        const at = `10:00:${String(s + more).padStart(2, '0')}.000000`;
        return `Nov 22 ${at} ${name} kubelet[900]: E1122 ${at}     900 controller.go:195] "Failed to update lease" err="Put \\"https://10.0.0.1:6443/leases/${name}\\": dial tcp 10.0.0.1:6443: connect: connection refused"\n`;
      })
      .join('');
  answers['/api/v1/nodes'] = (request, response) => {
    const { searchParams } = new URL(request.url, 'http://x');
    const more = searchParams.get('continue') === 'more';
    json({
      kind: 'NodeList',
      metadata: more ? {} : { continue: 'more' },
      items: (more ? names.slice(2) : names.slice(0, 2)).map((name) => ({ metadata: { name } })),
    })(request, response);
  };
  names.forEach((name, i) => {
    answers[`/api/v1/nodes/${name}`] = json(NODE);
    answers[`/api/v1/nodes/${name}/proxy/logs/`] = text(lost(name, i));
  });
  answers['/api/v1/nodes/n4/proxy/logs/'] = refused(403, 'Forbidden', 'no');
  const { code, stdout, stderr } = await syncloop('explain', 'nodes', '-l', 'role=worker');
  assert.equal(code, 1, stderr);
  assert.match(stdout, /^3 nodes lost the API server between (\d{4}-11-22 )?10:00:00 and (\d{4}-11-22 )?10:00:02/);
  assert.match(stderr, /n4 is left out: the log of n4 cannot be read through the API server: you may not read it/);
  assert.ok(asked.some((url) => url.includes('labelSelector=role%3Dworker')));
  assert.deepEqual(await left(), []);
  assert.match((await syncloop('explain', 'nodes', 'n1', '--format', 'json')).stdout, /"name": "n1"/);
  assert.match((await syncloop('explain', 'nodes', 'n4')).stderr, /takes the verb get on nodes\/proxy/);
  assert.equal((await syncloop('explain', 'nodes', 'n4')).code, 2);
});

it('explains a file, and standard input, without any cluster', async () => {
  const file = join(folder, 'kubelet.log');
  await writeFile(file, LOG);
  assert.match((await syncloop('explain', file)).stdout, VERDICT);
  assert.deepEqual(asked, []);
});

it('asks again when the server is busy, or cuts the connection', async () => {
  let n = 0;
  const log = answers['/api/v1/nodes/n1/proxy/logs/'];
  answers['/api/v1/nodes/n1/proxy/logs/'] = (request, response) => {
    n++;
    if (n === 1) refused(500, 'InternalError', 'etcd is slow')(request, response);
    else if (n === 2) response.destroy();
    else log(request, response);
  };
  const { code, stderr } = await syncloop('explain', 'node', 'n1');
  assert.equal(code, 1, stderr);
  assert.equal(n, 3);
});

it('keeps what came of a log that is cut each time, and says so', async () => {
  answers['/api/v1/nodes/n1/proxy/logs/'] = (_, response) => {
    response.writeHead(200, { 'content-length': LOG.length + 1000 });
    response.write(LOG, () => response.destroy());
  };
  const { code, stdout, stderr } = await syncloop('explain', 'node', 'n1');
  assert.equal(code, 1, stderr);
  assert.match(stdout, VERDICT);
  assert.match(stderr, /the log was cut, so its last lines may be missing/);
});

it('says which right is missing, and the other ways to the log', async () => {
  answers['/api/v1/nodes/n1'] = refused(403, 'Forbidden', 'nodes "n1" is forbidden');
  answers['/api/v1/nodes/n1/proxy/logs/'] = refused(403, 'Forbidden', 'User "u" cannot get resource "nodes/proxy"');
  const { code, stderr } = await syncloop('explain', 'node', 'n1');
  // 1 would say that there are incidents.
  assert.equal(code, 2);
  assert.match(stderr, /you may not read it: .*It takes the verb get on nodes\/proxy/);
  assert.match(stderr, /kubectl debug node\/n1 .*journalctl -u kubelet .*\| kubectl syncloop explain -/);
  assert.deepEqual(await left(), []);
});

it('says what a kubelet without queries lacks, and takes the file of a log that it serves', async () => {
  answers['/api/v1/nodes/n1/proxy/logs/'] = refused(405, 'MethodNotAllowed', 'logs endpoint is disabled.');
  assert.match((await syncloop('explain', 'node', 'n1')).stderr, /enableSystemLogHandler, enableSystemLogQuery/);
  answers['/api/v1/nodes/n1/proxy/logs/'] = text('<!doctype html>\n<pre>\n<a href="pods/">pods/</a>\n');
  assert.match(
    (await syncloop('explain', 'node', 'n1')).stderr,
    /enableSystemLogQuery or the feature gate NodeLogQuery of its kubelet is off/,
  );
  answers['/api/v1/nodes/n1/proxy/logs/'] = text('<pre>\n<a href="kubelet.log">kubelet.log</a>\n');
  answers['/api/v1/nodes/n1/proxy/logs/kubelet.log'] = text(LOG);
  assert.match((await syncloop('explain', 'node', 'n1')).stdout, VERDICT);
});

it('tells an empty log, a node and a pod that are not there, and a pod that is on no node', async () => {
  answers['/api/v1/nodes/n1/proxy/logs/'] = text('-- No entries --\n');
  assert.match((await syncloop('explain', 'node', 'n1')).stderr, /has no lines of the unit kubelet since/);
  assert.match((await syncloop('explain', 'node', 'n2')).stderr, /the cluster has no node n2: see kubectl get nodes/);
  assert.match((await syncloop('pod', 'api')).stderr, /there is no pod api in the namespace shop/);
  answers['/api/v1/namespaces/shop/pods/web'] = json({ ...POD, spec: {} });
  assert.match((await syncloop('pod', 'web')).stderr, /the pod web is on no node yet/);
});

it('opens the page of a node, until it is stopped', async () => {
  const running = new Running('kubectl', ['syncloop', 'node', 'n1', '--port=0'], { env: env() });
  try {
    await running.says('the link', /syncloop: open (http:\S+)/);
    assert.equal((await left()).length, 1);
  } finally {
    await running.kill('SIGTERM');
  }
  assert.deepEqual(await left(), []);
});
