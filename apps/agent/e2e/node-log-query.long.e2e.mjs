/**
 * The node log query of our own kubelet, through our own API server, by a stock kubectl: `kubectl syncloop` of users
 * with different rights, and through a connection that is cut, late, or answers with errors. The journal is a program
 * that prints lines of a file: a machine for tests has no systemd.
 */
import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, beforeEach, it } from 'node:test';
import { MockNode } from './mock-node.mjs';
import { Running, until } from './programs.mjs';

const PLUGIN = new URL('../bin/kubectl-syncloop.mjs', import.meta.url).pathname;
const UID = '0b1c2d3e-4f50-4617-8899-aabbccddeeff';
/** Lines of the journal, this many minutes ago. */
const crash = (ago, delay) => {
  const at = new Date(Date.now() - ago * 60_000).toISOString();
  const month = new Date(at).toLocaleString('en', { month: 'short', timeZone: 'UTC' });
  const clock = at.slice(11, 19);
  return `${month} ${at.slice(8, 10)} ${clock}.000000 node1 kubelet[900]: E${at.slice(5, 7)}${at.slice(8, 10)} ${clock}.000000     900 pod_workers.go:1324] "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"app\\" with CrashLoopBackOff: \\"back-off ${delay}s restarting failed container=app pod=web_shop(${UID})\\"" pod="shop/web" podUID="${UID}"\n`;
};

let work;
let node;
let admin;
let front;
/** Answers before the API server: each takes one request. */
let faults = [];
before(async () => {
  work = await mkdtemp(join(tmpdir(), 'syncloop-query-'));
  await mkdir(join(work, 'bin'));
  await mkdir(join(work, 'tmp'));
  await symlink(PLUGIN, join(work, 'bin/kubectl-syncloop'));
  await writeFile(join(work, 'journal'), [40, 30, 20].map((ago, i) => crash(ago, 10 * 2 ** i)).join(''));
  // As journalctl: the units, and lines of one, the last of them alone if that is asked.
  await writeFile(
    join(work, 'bin/journalctl'),
    `#!/bin/sh
if [ "$1" = --field ]; then echo kubelet.service; exit; fi
echo "$*" >> ${work}/asked
n=100000
for a in "$@"; do case "$a" in --lines=*) n="\${a#--lines=}";; esac; done
tail -n "$n" ${work}/journal
`,
  );
  await chmod(join(work, 'bin/journalctl'), 0o700);
  process.env.PATH = `${join(work, 'bin')}${delimiter}${process.env.PATH}`;
  node = await MockNode.create('enableSystemLogHandler: true\nenableSystemLogQuery: true\n');
  admin = join(node.work, 'kubeconfig');
  const kubelet = await node.start({ flags: ['--serve-api=0', '--serve-api-kubeconfig', admin] });
  await kubelet.says('the API server', /export KUBECONFIG=/);
  await until('the node is there', async () => (await kubectl('get', 'nodes')).stdout.includes('node1'));
  const role = (name, resource) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules: [{ apiGroups: [''], resources: [resource], verbs: ['get'] }],
  });
  const binding = (name) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
  });
  const items = [
    ...[role('proxy-only', 'nodes/proxy'), binding('proxy-only')],
    ...[role('log-only', 'nodes/log'), binding('log-only')],
  ];
  const applied = await kubectl('apply', '-f', '-', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  assert.equal(applied.code, 0, applied.stderr);
  await serveFront();
});
after(async () => {
  front?.closeAllConnections();
  front?.close();
  await node?.destroy();
  await rm(work, { recursive: true, force: true });
});
beforeEach(() => {
  faults = [];
});

/** Passes requests on to the API server, after the faults. */
async function serveFront() {
  const { clusters, users } = JSON.parse(await readFile(admin, 'utf8'));
  // A kubectl sends no token without encryption; whom it acts as, it does.
  const authorization = `Bearer ${users[0].user.token}`;
  const api = new URL(clusters[0].cluster.server);
  front = createServer((incoming, response) => {
    const fault = incoming.url.includes('/proxy/logs/') ? faults.shift() : undefined;
    const pass = () => {
      const out = request(
        {
          host: api.hostname,
          port: api.port,
          path: incoming.url,
          headers: { ...incoming.headers, host: api.host, authorization },
          rejectUnauthorized: false,
        },
        (answer) => {
          response.writeHead(answer.statusCode, answer.headers);
          if (fault?.cutAfter === undefined) answer.pipe(response);
          else
            answer.once('data', (bytes) => response.write(bytes.subarray(0, fault.cutAfter), () => response.destroy()));
        },
      );
      out.on('error', () => response.destroy());
      incoming.pipe(out);
    };
    if (fault?.status) {
      const { status, reason } = fault;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code: status, message: 'no' }),
      );
    } else if (fault?.late) setTimeout(pass, fault.late);
    else pass();
  });
  await new Promise((resolve) => front.listen(0, '127.0.0.1', resolve));
}

/** Runs the administrator's kubectl; the last argument after `-` is its standard input. */
async function kubectl(...args) {
  const input = args.at(-2) === '-' ? args.pop() : undefined;
  const made = new Running('kubectl', args, { env: { ...process.env, KUBECONFIG: admin } });
  made.child.stdin.end(input);
  return { code: await made.exit, stdout: made.stdout, stderr: made.stderr };
}
/** Runs `kubectl syncloop` as a user; null: the administrator. */
async function syncloop(user, ...args) {
  const config = JSON.parse(await readFile(admin, 'utf8'));
  config.clusters[0].cluster = { server: `http://127.0.0.1:${front.address().port}` };
  if (user) config.users[0].user.as = user;
  const own = join(work, `config-${user ?? 'admin'}`);
  await writeFile(own, JSON.stringify(config), { mode: 0o600 });
  const env = { ...process.env, KUBECONFIG: own, TMPDIR: join(work, 'tmp') };
  const running = new Running('kubectl', ['syncloop', ...args], { env });
  return { code: await running.exit, stdout: running.stdout, stderr: running.stderr };
}
const VERDICT = /app in shop\/web ended again and again/;

it('answers a query by a stock kubectl, and refuses a wrong one with upstream’s words', async () => {
  const raw = (query) => kubectl('get', '--raw', `/api/v1/nodes/node1/proxy/logs/?${query}`);
  const last = await raw('query=kubelet&tailLines=1');
  assert.equal(last.code, 0, last.stderr);
  assert.equal(last.stdout.trim().split('\n').length, 1);
  assert.match(last.stdout, /back-off 40s/);
  const wrong = await raw('query=kubelet&tailLines=-1');
  assert.notEqual(wrong.code, 0);
  assert.match((await raw('query=nothing')).stdout, /log not found for nothing/);
  const config = await kubectl('get', '--raw', '/api/v1/nodes/node1/proxy/configz');
  const { kubeletconfig } = JSON.parse(config.stdout);
  assert.equal(kubeletconfig.enableSystemLogHandler, true);
  assert.equal(kubeletconfig.enableSystemLogQuery, true);
});

it('is explained for who may do all, with sinceTime', async () => {
  const { code, stdout, stderr } = await syncloop(null, 'explain', 'node', 'node1', '--since', '2h');
  assert.equal(code, 1, stderr);
  assert.match(stdout, VERDICT);
  assert.match(stderr, /node1: kubelet v1\.\d+/);
  const asked = await readFile(join(work, 'asked'), 'utf8');
  const since = /--since=(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)/.exec(asked.trim().split('\n').at(-1))?.[1];
  assert.ok(Math.abs(Date.now() - 7_200_000 - Date.parse(`${since}Z`)) < 120_000, since);
});

it('is explained for who has nodes/proxy alone, and the rest is said to be missing', async () => {
  const { code, stdout, stderr } = await syncloop('proxy-only', 'explain', 'node', 'node1');
  assert.equal(code, 1, stderr);
  assert.match(stdout, VERDICT);
  assert.match(stderr, /the node node1 is not shown, nor its conditions: .*[Ff]orbidden/);
  assert.match(stderr, /the pods of node1 are not shown: .*[Ff]orbidden/);
  assert.match(stderr, /the events of node1 are not read: .*[Ff]orbidden/);
});

for (const user of ['log-only', 'nobody'])
  it(`is refused to ${user}, with the right that is missing and the other ways`, async () => {
    const { code, stderr } = await syncloop(user, 'explain', 'node', 'node1');
    assert.equal(code, 2);
    assert.match(stderr, /you may not read it: .*It takes the verb get on nodes\/proxy/);
    assert.match(stderr, /kubectl debug node\/node1/);
  });

it('is asked for again after 429, 500 and a cut, and waited for', async () => {
  const busy = { status: 429, reason: 'TooManyRequests' };
  faults = [busy, { status: 500, reason: 'InternalError' }, { late: 1500 }];
  const { code, stdout, stderr } = await syncloop(null, 'explain', 'node', 'node1');
  assert.equal(code, 1, stderr);
  assert.match(stdout, VERDICT);
  assert.deepEqual(faults, []);
});

it('is read as far as it came if it is cut each time, and refused at 403', async () => {
  faults = Array.from({ length: 8 }, () => ({ cutAfter: 700 }));
  const cut = await syncloop(null, 'explain', 'node', 'node1');
  assert.match(cut.stderr, /the log was cut, so its last lines may be missing/);
  faults = [{ status: 403, reason: 'Forbidden' }];
  const { code, stderr } = await syncloop(null, 'explain', 'node', 'node1');
  assert.equal(code, 2);
  assert.match(stderr, /you may not read it/);
});
