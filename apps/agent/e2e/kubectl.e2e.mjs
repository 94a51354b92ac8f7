/**
 * A stock kubectl against `syncloop kubelet --serve-api` on a real containerd: each test is something that people do.
 * `kubectl.long.e2e.mjs` has more of them. Needs root and kubectl; the tests follow one another on one node.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { promisify } from 'node:util';
import { forever, podsOn, tokenIsUnlogged } from './kubectl-pods.mjs';
import { OwnCluster } from './own-cluster.mjs';
import { until } from './programs.mjs';

let cluster;
const { kubectl, manifest, ready, pod, runArgs } = podsOn(() => cluster);
before(
  async () => {
    cluster = await OwnCluster.create();
  },
  { timeout: 60_000 },
);
after(() => cluster?.destroy());

const rows = (text) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}|\t/));

it('version, and where it is', async () => {
  assert.match(await kubectl('version'), /Server Version: .*v?1\D+36/);
  assert.equal((await stat(cluster.kubeconfig)).mode & 0o777, 0o600);
  assert.match(await kubectl('cluster-info'), /https:\/\/127\.0\.0\.1:\d+/);
  assert.match(await kubectl('api-resources'), /^pods +po +v1 +true +Pod$/m);
  assert.equal(await kubectl('auth', 'can-i', 'create', 'pods'), 'yes\n');
});

it('a token of somebody else is none', async () => {
  const { code, stderr } = await cluster.run(['get', 'pods', '--token', 'x', '--kubeconfig', cluster.kubeconfig]);
  // The file's own token would come first, so it is removed.
  const bare = JSON.parse(await readFile(cluster.kubeconfig, 'utf8'));
  bare.users[0].user.token = 'wrong';
  const file = await cluster.file('wrong-kubeconfig', JSON.stringify(bare));
  const wrong = await cluster.run(['get', 'pods', '--kubeconfig', file]);
  assert.notEqual(wrong.code, 0);
  assert.match(wrong.stderr, /You must be logged in to the server|Unauthorized/);
  assert.notEqual(code, 0, stderr);
});

it('the node is ready and says what it is', async () => {
  await until('the node', async () => / Ready /.test(await kubectl('get', 'nodes')), {
    seconds: 30,
    describe: async () => (await kubectl('describe', 'nodes')) + cluster.kubelet.stderr.slice(-3000),
  });
  const [head, row] = rows(await kubectl('get', 'nodes', '-o', 'wide'));
  assert.deepEqual(head, [
    'NAME',
    'STATUS',
    'ROLES',
    'AGE',
    'VERSION',
    'INTERNAL-IP',
    'EXTERNAL-IP',
    'OS-IMAGE',
    'KERNEL-VERSION',
    'CONTAINER-RUNTIME',
  ]);
  assert.equal(row[0], 'node1');
  assert.match(row.at(-1), /^containerd:\/\/\d/);
  const text = await kubectl('describe', 'node', 'node1');
  for (const part of ['Conditions:', 'MemoryPressure', 'Capacity:', 'Allocatable:', 'Non-terminated Pods:', 'Lease:'])
    assert.ok(text.includes(part), `${part} in\n${text}`);
});

it('a pod from a file: created, seen, waited for, described', async () => {
  const file = await cluster.file('web.yaml', manifest('web', { labels: '{app: web}' }));
  assert.equal(await kubectl('create', '-f', file), 'pod/web created\n');
  await ready('web');
  const [head, row] = rows(await kubectl('get', 'pods', '-o', 'wide'));
  assert.deepEqual(head, [
    'NAME',
    'READY',
    'STATUS',
    'RESTARTS',
    'AGE',
    'IP',
    'NODE',
    'NOMINATED NODE',
    'READINESS GATES',
  ]);
  assert.deepEqual([row[0], row[1], row[2], row[3], row[6]], ['web', '1/1', 'Running', '0', 'node1']);
  assert.match(await kubectl('get', 'pod', 'web', '-o', 'yaml'), /^ {2}phase: Running$/m);
  const { status, spec } = await cluster.json('get', 'pod', 'web');
  assert.equal(spec.nodeName, 'node1');
  assert.match(status.containerStatuses[0].containerID, /^containerd:\/\/[0-9a-f]{64}$/);
  const text = await kubectl('describe', 'pod', 'web');
  for (const reason of ['Scheduled', 'Pulled', 'Created', 'Started'])
    assert.match(text, new RegExp(`Normal +${reason} +`), text);
  assert.match(text, /Ready +True/);
  const again = await cluster.run(['create', '-f', file]);
  assert.match(again.stderr, /^Error from server \(AlreadyExists\): .*pods "web" already exists\n$/);
  assert.match(
    (await cluster.run(['get', 'pod', 'nobody'])).stderr,
    /^Error from server \(NotFound\): pods "nobody" not found\n$/,
  );
  assert.match(await kubectl('get', 'pods', '-l', 'app=web', '-o', 'name'), /^pod\/web\n$/);
  assert.equal(await kubectl('get', 'pods', '-l', 'app=other', '-o', 'name'), '');
  assert.match(await kubectl('get', 'pods', '--field-selector', 'spec.nodeName=node1', '-A'), /web/);
});

it('a wrong pod is refused in the words of a server', async () => {
  const typo = await cluster.run(['create', '-f', '-'], { input: manifest('x', { more: '    commandd: [a]' }) });
  assert.notEqual(typo.code, 0);
  assert.match(typo.stderr, /unknown field "?(spec\.containers\[0\]\.)?commandd"?/);
  const invalid = await cluster.run(['create', '-f', '-', '--validate=false'], {
    input: 'apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: A, image: i}]}\n',
  });
  assert.match(invalid.stderr, /Pod "x" is invalid: spec\.containers\[0\]\.name: Invalid value: "A"/);
});

it('logs: all, the last lines, as they come, and those of the run before', async () => {
  // It ends once: the logs of a run before the one before are gone as soon as the next one ends.
  const once = '[ -e /kept/ended ] && while :; do sleep 0.1; done; touch /kept/ended';
  await kubectl('create', '-f', '-', {
    input: manifest('talker', {
      script: `trap 'exit 0' TERM; for i in 1 2 3; do echo line $i; done; ${once}; sleep 0.7; echo end; exit 3`,
      spec: '  restartPolicy: OnFailure\n  volumes: [{name: kept, emptyDir: {}}]',
      more: '    volumeMounts: [{name: kept, mountPath: /kept}]',
    }),
  });
  const follow = cluster.begin(['logs', '-f', 'talker', '--pod-running-timeout=20s']);
  await until('the first run', async () => (await cluster.run(['logs', 'talker'])).stdout.includes('line 3'));
  assert.match(await kubectl('logs', 'talker', '--timestamps'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z line 1$/m);
  await until(
    'a restart',
    async () => (await cluster.json('get', 'pod', 'talker')).status.containerStatuses[0].restartCount > 0,
    { seconds: 60 },
  );
  assert.equal(await kubectl('logs', '-p', 'talker'), 'line 1\nline 2\nline 3\nend\n');
  assert.equal(await kubectl('logs', '-p', 'talker', '--tail=2', '--since=1h'), 'line 3\nend\n');
  await follow.kill();
  await kubectl('create', '-f', '-', {
    input: manifest('brief', {
      script: 'echo a; until [ -e /tmp/go ]; do sleep 0.1; done; echo b',
      spec: '  restartPolicy: Never',
    }),
  });
  await until('its first line', async () => (await cluster.run(['logs', 'brief'])).stdout === 'a\n');
  const brief = cluster.begin(['logs', '-f', 'brief']);
  await brief.says('its first line', /^a$/m);
  await kubectl('exec', 'brief', '--', 'touch', '/tmp/go');
  assert.equal(await brief.exit, 0);
  assert.equal(brief.stdout, 'a\nb\n');
  const missing = await cluster.run(['logs', 'web', '-c', 'nobody']);
  assert.match(missing.stderr, /container nobody is not valid for pod web/);
  assert.match(
    (await cluster.run(['logs', '-p', 'web'])).stderr,
    /previous terminated container "app" in pod "web" not found/,
  );
  await kubectl('delete', 'pod', 'talker', 'brief', '--grace-period=1', '--wait=false');
});

it('exec: output, errors, exit codes, input, and a tty', async () => {
  assert.equal(await kubectl('exec', 'web', '--', 'echo', 'a  b'), 'a  b\n');
  const failed = await cluster.run(['exec', 'web', '--', 'sh', '-c', 'echo out; echo err >&2; exit 7']);
  assert.deepEqual([failed.code, failed.stdout], [7, 'out\n']);
  assert.match(failed.stderr, /^err\ncommand terminated with exit code 7\n$/);
  assert.equal(await kubectl('exec', '-i', 'web', '--', 'wc', '-c', { input: 'x'.repeat(200_000) }), '200000\n');
  const nobody = await cluster.run(['exec', 'web', '-c', 'nobody', '--', 'true']);
  assert.match(nobody.stderr, /container nobody is not valid for pod web/);
  // `script` gives kubectl a terminal.
  const tty = await promisify(execFile)(
    'script',
    ['-qec', `${process.env.KUBECTL ?? 'kubectl'} exec -it web -- tty`, '/dev/null'],
    {
      env: { PATH: process.env.PATH, HOME: join(cluster.work, 'home'), KUBECONFIG: cluster.kubeconfig },
    },
  );
  assert.match(tty.stdout, /\/dev\/pts\/\d+/);
});

it('label, annotate, patch in three ways, edit, set image', async () => {
  await kubectl('label', 'pod', 'web', 'tier=front');
  await kubectl('annotate', 'pod', 'web', 'note=first');
  await kubectl('annotate', 'pod', 'web', 'note=second', '--overwrite');
  await kubectl('patch', 'pod', 'web', '-p', '{"metadata":{"labels":{"strategic":"yes"}}}');
  await kubectl('patch', 'pod', 'web', '--type=merge', '-p', '{"metadata":{"labels":{"merge":"yes","tier":null}}}');
  await kubectl(
    'patch',
    'pod',
    'web',
    '--type=json',
    '-p',
    '[{"op":"add","path":"/metadata/labels/json","value":"yes"}]',
  );
  const editor = await cluster.file('editor.sh', `#!/bin/sh\nsed -i 's/strategic: "yes"/strategic: edited/' "$1"\n`);
  await chmod(editor, 0o755);
  assert.equal(await kubectl('edit', 'pod', 'web', { env: { KUBE_EDITOR: editor } }), 'pod/web edited\n');
  const { metadata } = await cluster.json('get', 'pod', 'web');
  assert.deepEqual(metadata.labels, { app: 'web', strategic: 'edited', merge: 'yes', json: 'yes' });
  assert.equal(metadata.annotations.note, 'second');
  const refused = await cluster.run(['patch', 'pod', 'web', '-p', '{"spec":{"nodeName":"other"}}']);
  assert.match(refused.stderr, /Forbidden: pod updates may not change fields other than/);
  const before = (await cluster.json('get', 'pod', 'web')).status.containerStatuses[0].containerID;
  await kubectl('set', 'image', 'pod/web', `app=${cluster.image.replace('busybox', 'pause')}`);
  await until('another container', async () => {
    const [status] = (await cluster.json('get', 'pod', 'web')).status.containerStatuses;
    return status.restartCount === 1 && status.containerID !== before && status.state.running;
  });
});

it('apply: made, changed, unchanged, on the server, and diff', async () => {
  const file = await cluster.file('applied.yaml', manifest('applied', { labels: '{v: "1"}' }));
  assert.equal(await kubectl('apply', '-f', file), 'pod/applied created\n');
  assert.equal(await kubectl('apply', '-f', file), 'pod/applied unchanged\n');
  await cluster.file('applied.yaml', manifest('applied', { labels: '{v: "2", w: x}' }));
  const diff = await cluster.run(['diff', '-f', file]);
  assert.equal(diff.code, 1, diff.stderr);
  assert.match(diff.stdout, /^\+ {4}w: x$/m);
  assert.equal(await kubectl('apply', '-f', file, '--dry-run=server'), 'pod/applied configured (server dry run)\n');
  assert.equal(await kubectl('apply', '-f', file), 'pod/applied configured\n');
  await cluster.file('applied.yaml', manifest('applied', { labels: '{v: "3"}' }));
  await kubectl('apply', '-f', file);
  assert.deepEqual((await cluster.json('get', 'pod', 'applied')).metadata.labels, { v: '3' });
  const config = await cluster.file(
    'cm.yaml',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ssa}\ndata: {a: "1"}\n',
  );
  assert.equal(await kubectl('apply', '--server-side', '-f', config), 'configmap/ssa serverside-applied\n');
  await kubectl('patch', 'configmap', 'ssa', '-p', '{"data":{"a":"2"}}', '--type=merge');
  const conflict = await cluster.run(['apply', '--server-side', '-f', config]);
  assert.match(conflict.stderr, /conflict with "kubectl-patch"/);
  await kubectl('apply', '--server-side', '--force-conflicts', '-f', config);
  assert.equal((await cluster.json('get', 'configmap', 'ssa')).data.a, '1');
});

it('configmaps and secrets reach a container, as files and as variables', async () => {
  await kubectl('create', 'configmap', 'settings', '--from-literal=color=blue');
  await kubectl('create', 'secret', 'generic', 'login', '--from-literal=password=hunter2');
  await pod('reader', {
    more: `    env:
    - {name: COLOR, valueFrom: {configMapKeyRef: {name: settings, key: color}}}
    envFrom:
    - secretRef: {name: login}
    volumeMounts:
    - {name: settings, mountPath: /etc/settings}
    - {name: login, mountPath: /etc/login}
    - {name: me, mountPath: /etc/me}`,
    spec: `  volumes:
  - {name: settings, configMap: {name: settings}}
  - {name: login, secret: {secretName: login, defaultMode: 256}}
  - {name: me, downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}}`,
  });
  const script =
    'echo $COLOR $password $(cat /etc/settings/color /etc/login/password /etc/me/name); stat -Lc %a /etc/login/password';
  assert.equal(await kubectl('exec', 'reader', '--', 'sh', '-c', script), 'blue hunter2 bluehunter2reader\n400\n');
  assert.ok(!cluster.kubelet.stderr.includes('hunter2'), 'a secret is in the log');
});

it('delete: with grace, at once, and by label', async () => {
  await pod('slow', { script: "trap '' TERM; while :; do sleep 0.1; done" });
  const since = performance.now();
  await kubectl('delete', 'pod', 'slow', '--grace-period=2');
  const took = performance.now() - since;
  assert.ok(took > 1900 && took < 10_000, `${took} ms`);
  await kubectl('delete', 'pod', 'reader', '--force', '--grace-period=0');
  assert.match((await cluster.run(['get', 'pod', 'reader'])).stderr, /NotFound/);
  assert.match(await kubectl('delete', 'pod', '-l', 'v=3'), /pod "applied"( force)? deleted/);
  assert.match(await kubectl('get', 'events', '--field-selector', 'reason=Killing'), /Stopping container app/);
  await until('no container of theirs is left', async () => {
    const { stdout } = await cluster.run(['get', 'pods', '-o', 'name']);
    return stdout === 'pod/web\n';
  });
});

it('the kubelet is killed: its API server has everything, and pods of kubectl go on as they were', async () => {
  await kubectl('create', 'secret', 'generic', 'kept', '--from-literal=a=b');
  await pod('stays', { more: '    envFrom: [{secretRef: {name: kept}}]' });
  await pod('goes', { script: "trap '' TERM; while :; do sleep 0.1; done" });
  const about = ({ metadata, status }) => ({
    uid: metadata.uid,
    created: metadata.creationTimestamp,
    address: status.podIP,
    began: status.startTime,
    containers: status.containerStatuses,
  });
  const before = await cluster.json('get', 'pod', 'stays');
  const version = async () =>
    Number(JSON.parse(await kubectl('get', '--raw', '/api/v1/pods')).metadata.resourceVersion);
  const told = await version();
  await kubectl('delete', 'pod', 'goes', '--grace-period=3', '--wait=false');
  assert.equal(await cluster.kubelet.kill('SIGKILL'), 'SIGKILL');

  cluster.kubelet = cluster.startKubelet();
  await cluster.kubelet.says('the API server', /export KUBECONFIG=/, { seconds: 30 });
  const events = cluster.begin(['get', 'pods', '--watch', `--output-watch-events`]);
  await kubectl('wait', '--for=delete', 'pod/goes', '--timeout=30s');
  await ready('stays');
  const after = await cluster.json('get', 'pod', 'stays');
  assert.deepEqual(about(after), about(before));
  assert.ok((await version()) > told);
  assert.equal(await kubectl('get', 'secret', 'kept', '-o', 'jsonpath={.data.a}'), 'Yg==');
  assert.equal(await kubectl('exec', 'stays', '--', 'sh', '-c', 'echo $a'), 'b\n');
  // The server works as ever afterwards: statuses, the scheduler, deletions, watches.
  await kubectl(...runArgs('comes', forever()));
  await ready('comes');
  await kubectl('delete', 'pod', 'stays', 'comes', '--grace-period=1', '--timeout=20s');
  await events.says('the watch', /DELETED +stays/);
  await events.kill();
});

it('nothing of the token is in the log', () => tokenIsUnlogged(cluster));
