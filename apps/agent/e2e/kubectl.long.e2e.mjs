/**
 * What `kubectl.e2e.mjs` leaves out: files, ports, watches, terminals, debug containers, drains and a second node, with
 * a stock kubectl on a real containerd. Needs root and kubectl; the tests follow one another on one node.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { forever, podsOn, tokenIsUnlogged } from './kubectl-pods.mjs';
import { OwnCluster } from './own-cluster.mjs';
import { until } from './programs.mjs';

let cluster;
const { kubectl, manifest, ready, pod, runArgs } = podsOn(() => cluster);
before(
  async () => {
    cluster = await OwnCluster.create();
    await until('the node', async () => / Ready /.test(await kubectl('get', 'nodes')), { seconds: 30 });
    await pod('web', { labels: '{app: web}' });
    await kubectl('create', 'configmap', 'settings', '--from-literal=color=blue');
  },
  { timeout: 90_000 },
);
after(() => cluster?.destroy());

it('cp: there and back', async () => {
  const text = `${'content '.repeat(20_000)}\n`;
  const file = await cluster.file('there.txt', text);
  await kubectl('cp', file, 'web:/tmp/there.txt');
  assert.equal(await kubectl('exec', 'web', '--', 'wc', '-c', '/tmp/there.txt'), `${text.length} /tmp/there.txt\n`);
  await kubectl('cp', 'web:/tmp/there.txt', join(cluster.work, 'back.txt'));
  assert.equal(await readFile(join(cluster.work, 'back.txt'), 'utf8'), text);
});

it('port-forward: HTTP to a pod, more than once', async () => {
  await pod('httpd', {
    script: 'mkdir /www; echo hello from the pod > /www/index.html; exec httpd -f -p 8080 -h /www',
  });
  const forward = cluster.begin(['port-forward', 'pod/httpd', ':8080']);
  const [, port] = await forward.says('the port', /Forwarding from 127\.0\.0\.1:(\d+)/);
  const fetched = () =>
    new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, path: '/', agent: false }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text) => {
          body += text;
        });
        response.on('end', () => resolve(body));
      }).on('error', reject);
    });
  assert.deepEqual(await Promise.all([fetched(), fetched(), fetched()]), Array(3).fill('hello from the pod\n'));
  await forward.kill('SIGINT');
  await kubectl('delete', 'pod', 'httpd', '--grace-period=1', '--wait=false');
});

it('watches see a pod come and go', async () => {
  const watch = cluster.begin(['get', 'pods', '-w', '--no-headers']);
  await watch.says('what is there', /^web /m);
  await kubectl(...runArgs('short', 'sleep 0.5', '--restart=Never'));
  await watch.says('its end', /^short .*Completed/m);
  await kubectl('delete', 'pod', 'short', '--grace-period=0', '--force');
  await watch.says('its going', /^short .*(Terminating|Completed)[\s\S]*^short .*(Terminating|Completed)/m);
  const lines = watch.stdout.trim().split('\n');
  const statuses = lines.filter((line) => line.startsWith('short ')).map((line) => line.trim().split(/ +/)[2]);
  const seen = statuses.filter((s, i) => s !== statuses[i - 1]);
  assert.ok(seen[0] === 'Pending' && seen.includes('ContainerCreating') && seen.includes('Completed'), `${seen}`);
  await watch.kill();
});

it('run --rm -i: what a pod says, and nothing left of it', async () => {
  const args = runArgs('once', 'read x; echo got $x', '--restart=Never', '--rm', '-i', '--quiet');
  const { stdout } = await cluster.run(args, { input: 'input\n', seconds: 30 });
  assert.match(stdout, /got input/);
  assert.match((await cluster.run(['get', 'pod', 'once'])).stderr, /NotFound/);
});

it('attach: what a running container says, and what it is told', async () => {
  const script = "trap 'exit 0' TERM; while read x; do echo got $x; done";
  await pod('ear', { script, more: '    stdin: true' });
  const attached = cluster.begin(['attach', '-i', 'ear', '--quiet']);
  attached.child.stdin.write('one\ntwo\n');
  await until('its answers', () => /got one\s+got two/.test(attached.stdout), { describe: () => attached.stderr });
  await attached.kill();
  assert.match(await kubectl('logs', 'ear'), /got one\ngot two\n/);
  await kubectl('delete', 'pod', 'ear', '--now', '--wait=false');
});

it('debug: a container that is added to a running pod', async () => {
  const args = ['debug', 'web', `--image=${cluster.image}`, '--image-pull-policy=IfNotPresent', '-c', 'looker'];
  await kubectl(...args, '--attach=false', '--profile=general', '--', 'sh', '-c', 'echo looked; sleep 1000');
  await until('it says what it sees', async () => {
    const { stdout } = await cluster.run(['logs', 'web', '-c', 'looker']);
    return stdout === 'looked\n';
  });
  assert.match(await kubectl('describe', 'pod', 'web'), /Ephemeral Containers:\s+looker:/);
});

it('events, waiting for any field, replace, and templates of what is got', async () => {
  assert.match(await kubectl('events', '--for', 'pod/web'), /Normal +Started +Pod\/web/);
  await kubectl('wait', '--for=jsonpath={.status.phase}=Running', 'pod/web', '--timeout=20s');
  const { metadata, data } = await cluster.json('get', 'configmap', 'settings');
  const replaced = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { ...data, color: 'red' } });
  assert.equal(await kubectl('replace', '-f', '-', { input: replaced }), 'configmap/settings replaced\n');
  assert.equal(await kubectl('get', 'configmap', 'settings', '-o', 'jsonpath={.data.color}'), 'red');
  // Somebody else has written meanwhile.
  assert.match((await cluster.run(['replace', '-f', '-'], { input: replaced })).stderr, /\(Conflict\)/);
  assert.equal(await kubectl('get', 'pod', 'web', '-o', 'go-template={{.spec.nodeName}}'), 'node1');
  assert.match(
    await kubectl('get', 'pods', '-o', 'custom-columns=N:.metadata.name', '--sort-by=.metadata.name'),
    /^N\n/,
  );
});

it('explain, raw paths, a namespace, and what is not there', async () => {
  assert.match(await kubectl('explain', 'pod.spec.containers'), /^ {2,3}image\b/m);
  assert.equal(await kubectl('get', '--raw', '/healthz'), 'ok');
  assert.match(await kubectl('get', '--raw', '/api/v1/nodes/node1/proxy/configz'), /^\{"kubeletconfig":\{/);
  assert.match(await kubectl('get', '--raw', '/api/v1/nodes/node1/proxy/metrics'), /^kubelet_running_pods /m);
  assert.equal(
    JSON.parse(await kubectl('get', '--raw', '/api/v1/nodes/node1/proxy/stats/summary')).node.nodeName,
    'node1',
  );
  await kubectl('create', 'namespace', 'side');
  await kubectl('create', 'configmap', 'x', '-n', 'side');
  await kubectl('delete', 'namespace', 'side', '--timeout=10s');
  assert.match((await cluster.run(['get', 'configmap', 'x', '-n', 'side'])).stderr, /NotFound/);
  const top = await cluster.run(['top', 'nodes']);
  assert.match(top.stderr, /Metrics API not available/);
  assert.match(
    (await cluster.run(['get', 'deployments'])).stderr,
    /the server doesn't have a resource type "deployments"/,
  );
});

it('cordon, drain, and what is for nodes', async () => {
  await kubectl('cordon', 'node1');
  assert.match(await kubectl('get', 'nodes'), /node1 +Ready,SchedulingDisabled/);
  await kubectl(...runArgs('waits', forever()));
  assert.equal((await cluster.json('get', 'pod', 'waits')).spec.nodeName, undefined);
  await kubectl('uncordon', 'node1');
  await ready('waits');
  assert.ok((await cluster.json('get', 'lease', 'node1', '-n', 'kube-node-lease')).spec.renewTime);
  await kubectl('drain', 'node1', '--force', '--grace-period=1', '--timeout=20s');
  assert.equal(await kubectl('get', 'pods', '-o', 'name'), '');
  await kubectl('uncordon', 'node1');
});

it('a second kubelet joins by the kubeconfig, over HTTPS, and leaves', async () => {
  const kubelet = await cluster.join('node2', '--node-labels=disk=ssd', '--register-with-taints=try=yes:NoSchedule');
  const said = () => kubelet.stderr.slice(-3000);
  await until('the node', async () => /node2 +Ready/.test(await kubectl('get', 'nodes', '-l', 'disk=ssd')), {
    describe: said,
  });
  const { spec } = await cluster.json('get', 'node', 'node2');
  assert.deepEqual(spec.taints, [{ key: 'try', value: 'yes', effect: 'NoSchedule' }]);
  await kubectl('create', 'configmap', 'there', '--from-literal=a=b');
  await kubectl('create', '-f', '-', {
    input: manifest('far', {
      spec: '  nodeName: node2\n  tolerations: [{key: try, operator: Exists}]',
      more: '    envFrom: [{configMapRef: {name: there}}]',
    }),
  });
  await ready('far').catch((err) => {
    throw new Error(`${err.message}${said()}`);
  });
  assert.match(await kubectl('describe', 'pod', 'far'), /Normal +Started/);
  await kubectl('delete', 'pod', 'far', '--timeout=20s');
  assert.match((await cluster.run(['logs', 'far'])).stderr, /NotFound/);
  assert.equal(await kubelet.kill('SIGTERM'), 0, said());
  await kubectl('delete', 'node', 'node2');
});

it('nothing of the token is in the log', () => tokenIsUnlogged(cluster));
