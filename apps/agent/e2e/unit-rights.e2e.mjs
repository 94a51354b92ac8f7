/**
 * The kubelet with the capabilities that its systemd unit leaves it, and without new privileges, on a real containerd:
 * its mounts, files, watches and removals for a pod must still work.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { program } from './node-files.mjs';
import { OwnNode } from './own-node.mjs';
import { Running, until } from './programs.mjs';

const unit = readFileSync(new URL('../../../deploy/systemd/syncloop-kubelet.service', import.meta.url), 'utf8');
const capabilities = /^CapabilityBoundingSet=(.*)$/m.exec(unit)[1].split(' ');
let node;

before(async () => {
  node = await OwnNode.create();
  const set = ['-all', ...capabilities.map((name) => `+${name.replace(/^CAP_/, '').toLowerCase()}`)].join(',');
  const args = [
    ...[
      'kubelet',
      '--config',
      join(node.work, 'config.yaml'),
      '--container-runtime-endpoint',
      node.containerd.endpoint,
    ],
    ...['--root-dir', join(node.work, 'root'), '--hostname-override', 'node1', '-v', '4', '--ui-port', '0'],
  ];
  node.launch = () => {
    const running = new Running('setpriv', [
      '--no-new-privs',
      `--bounding-set=${set}`,
      process.execPath,
      program,
      ...args,
    ]);
    void running.exit.then(() => {
      running.over = true;
    });
    node.programs.push(running);
    node.kubelet = running;
    return running;
  };
});
after(() => node?.destroy());

it('runs a pod with volumes of all kinds, probes it, and takes all of it away again', async () => {
  const kubelet = await node.start();
  await node.drop(
    'rights',
    node.manifest('rights', {
      command: `id -u > /shared/uid; stat -c %g /memory > /shared/group; ls /memory/below /etc/info/name && ${node.waits}`,
      spec: `  securityContext: {runAsUser: 1234, runAsGroup: 1234, fsGroup: 4321}
  volumes:
  - {name: memory, emptyDir: {medium: Memory, sizeLimit: 1Mi}}
  - {name: shared, emptyDir: {}}
  - {name: info, downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}}
  - {name: host, hostPath: {path: ${node.work}/made, type: DirectoryOrCreate}}
`,
      more: `    volumeMounts:
    - {name: memory, mountPath: /memory}
    - {name: memory, mountPath: /memory/below, subPath: inner}
    - {name: shared, mountPath: /shared}
    - {name: info, mountPath: /etc/info}
    - {name: host, mountPath: /host}
    readinessProbe: {exec: {command: [cat, /shared/group]}, periodSeconds: 1}
`,
    }),
  );
  await node.ready(['rights']);
  // These are the rights of the process itself, not those that we asked for: no more, and no new ones.
  const status = readFileSync(`/proc/${kubelet.child.pid}/status`, 'utf8');
  assert.match(status, /^NoNewPrivs:\s*1$/m);
  const bits = BigInt(`0x${/^CapEff:\s*(\w+)$/m.exec(status)[1]}`)
    .toString(2)
    .replaceAll('0', '').length;
  assert.ok(bits <= capabilities.length, `${bits} capabilities`);
  const [uid] = readdirSync(join(node.work, 'root/pods'));
  const volumes = join(node.work, 'root/pods', uid, 'volumes/kubernetes.io~empty-dir');
  assert.match(readFileSync('/proc/self/mountinfo', 'utf8'), new RegExp(`${volumes}/memory .* - tmpfs`));
  assert.equal(readFileSync(join(volumes, 'shared/uid'), 'utf8').trim(), '1234');
  assert.equal(readFileSync(join(volumes, 'shared/group'), 'utf8').trim(), '4321');

  await node.take('rights');
  await until('the pod and its folder are gone', () => readdirSync(join(node.work, 'root/pods')).length === 0, {
    seconds: 60,
    describe: node.tail,
  });
  assert.doesNotMatch(readFileSync('/proc/self/mountinfo', 'utf8'), new RegExp(volumes));
  assert.doesNotMatch(kubelet.stderr, /operation not permitted|EPERM|EACCES|permission denied/i);
});

it('has a debugger that has no rights at all', async () => {
  const children = readFileSync(`/proc/${node.kubelet.child.pid}/task/${node.kubelet.child.pid}/children`, 'utf8');
  const statuses = children
    .trim()
    .split(' ')
    .map((pid) => readFileSync(`/proc/${pid}/status`, 'utf8'));
  assert.equal(statuses.length, 1);
  for (const field of [
    /^Uid:(\t65534){4}$/m,
    /^Gid:(\t65534){4}$/m,
    /^Groups:\t *$/m,
    /^CapEff:\t0+$/m,
    /^CapPrm:\t0+$/m,
  ])
    assert.match(statuses[0], field);
});
