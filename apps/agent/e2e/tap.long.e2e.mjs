/**
 * A tap between a kubelet and a real containerd, and between the contract suite and containerd: everything works
 * through it, it may be killed at any time, and it decodes exactly the calls that were made. Needs root, after a build.
 * Titles name the rows of docs/operators/reliability.md.
 */
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { readMessage } from '@syncloop/core/cri/wire';
import { CRICaptureReader } from '@syncloop/observe';
import { inOrder } from './in-order.mjs';
import { program } from './node-files.mjs';
import { idsOf, OwnNode } from './own-node.mjs';
import { Running, until } from './programs.mjs';

const names = ['web-0', 'web-1', 'web-2'];
let node;
let tap;

/** Starts a tap before containerd; `files` counts its captures. */
let files = 0;
const captureOf = (n) => join(node.work, `capture-${n}.ndjson`);
async function startTap() {
  tap = new Running(process.execPath, [
    program,
    'tap',
    ...['--endpoint', `unix://${node.containerd.socket}`, '--listen', `unix://${join(node.work, 'tap.sock')}`],
    ...['--output', captureOf(files++), '--all'],
  ]);
  node.programs.push(tap);
  await tap.says('the tap stands', /tap from/);
}
const read = async (n) => {
  const reader = new CRICaptureReader('cri', { readMessage });
  return [...reader.push(await readFile(captureOf(n))), ...reader.end()];
};

before(
  async () => {
    node = await OwnNode.create();
    await startTap();
  },
  { timeout: 60_000 },
);
after(() => node?.destroy());

const it = inOrder();

it('the contract of a container runtime holds through the pipe', { timeout: 300_000 }, async () => {
  const endpoint = `unix://${join(node.work, 'tap.sock')}`;
  const suite = new Running(process.execPath, [
    program,
    ...['conformance', '--contract', '--runtime', 'cri', '--runtime-endpoint', endpoint],
  ]);
  const code = await suite.exit;
  assert.equal(code, 0, suite.stdout.slice(-3000) + suite.stderr);
  assert.match(suite.stdout, /[1-9]\d* passed, 0 failed/);
  // The decoder has read all of it, the cases with garbage and cancels, too.
  const evidence = await read(0);
  const calls = evidence.filter((e) => e.kind === 'call');
  assert.ok(calls.length > 200, `${calls.length} calls`);
  assert.deepEqual(
    evidence.filter((e) => e.kind === 'gap').map((e) => e.why),
    [],
  );
});

it('a kubelet works through the pipe, and each change is told once', { timeout: 120_000 }, async () => {
  node.containerd = new Proxy(node.containerd, {
    get: (target, key) =>
      key === 'endpoint'
        ? `unix://${join(node.work, 'tap.sock')}`
        : typeof target[key] === 'function'
          ? target[key].bind(target)
          : target[key],
  });
  const from = (await node.runtimeLog()).length;
  for (const name of names) await node.drop(name);
  await node.start();
  await node.ready(names);
  const made = (await node.mutationsSince(from)).filter((line) =>
    /"StartContainer for .*returns successfully/.test(line),
  );
  await until('the capture has it', async () => started(await read(0)).length >= made.length);
  assert.equal(started(await read(0)).slice(-names.length).length, names.length);
  assert.match(tap.stdout, /StartContainer [\d.]+ ms uid=\S+ sandbox=\S+ container=\S+\n/);
});
const started = (evidence) => evidence.filter((e) => e.kind === 'return' && e.method === 'StartContainer' && !e.error);

it('[A1:38] the tap is killed and started again under load: no container notices, the kubelet goes on', {
  timeout: 180_000,
}, async () => {
  const before = await node.ready(names);
  const ids = names.map((name) => idsOf(before.get(name)));
  for (let round = 0; round < 3; round++) {
    const name = `more-${round}`;
    await node.drop(name);
    // The kill comes in the middle of its work for the pod.
    await tap.says('a sandbox is asked for', /RunPodSandbox|ListPodSandbox/);
    await tap.kill('SIGKILL');
    await startTap();
    await node.ready([...names, ...Array.from({ length: round + 1 }, (_, i) => `more-${i}`)], 90);
  }
  const after = await node.pods();
  assert.deepEqual(
    names.map((name) => idsOf(after.get(name))),
    ids,
  );
  // The recording of a killed tap can be read up to its end.
  const gaps = (await read(files - 2)).filter((e) => e.kind === 'gap');
  assert.ok(gaps.length <= 1, JSON.stringify(gaps));
});

it('[A1:39] both ends are gone within a second when one is, and the socket is for this user only', {
  timeout: 30_000,
}, async () => {
  assert.equal((await stat(join(node.work, 'tap.sock'))).mode & 0o777, 0o600);
  const before = await connections();
  const clients = Array.from({ length: 20 }, () => connect(join(node.work, 'tap.sock')));
  await until('they are connected', async () => (await connections()) >= before + 20);
  for (const client of clients) client.destroy();
  await until('the runtime has lost them', async () => (await connections()) <= before, { seconds: 10 });
});
/** Connections that the runtime's socket has. */
async function connections() {
  const lines = (await readFile('/proc/net/unix', 'utf8')).split('\n');
  return lines.filter((line) => line.endsWith(` ${node.containerd.socket}`)).length;
}

it('the runtime goes away and comes back, behind the tap', { timeout: 120_000 }, async () => {
  await node.containerd.stop();
  await node.containerd.start();
  await node.drop('last');
  await node.ready([...names, 'more-0', 'more-1', 'more-2', 'last'], 90);
});
