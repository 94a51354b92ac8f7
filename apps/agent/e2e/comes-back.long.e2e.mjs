/**
 * A kubelet that ends unexpectedly, on the mock runtime: it reports why, its recording is whole, it is gone at once,
 * and the one that its systemd unit starts in its place finds everything as it was and changes nothing.
 */
import assert from 'node:assert/strict';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { MockNode } from './mock-node.mjs';
import { until } from './programs.mjs';

/** Calls that change something. */
const mutating = /^(RunPodSandbox|Stop|Remove|Create|Start|Update|Exec|Pull|Reopen|Checkpoint)/;
const names = ['one', 'three', 'two'];
let node;
let starts = 0;

before(async () => {
  node = await MockNode.create();
  // A bug of each kind: an error in a timer, and one of a promise that nobody waits for.
  await writeFile(
    join(node.work, 'bug.mjs'),
    `process.on('SIGUSR2', () => setImmediate(() => { throw new Error('a bug in a callback'); }));
process.on('SIGURG', () => void Promise.reject(new Error('a bug in a promise')));
`,
  );
  for (const name of names) await node.drop(name);
});
after(() => node?.destroy());

/** Starts one, and waits until it has seen all pods ready, and looked for pods of others. */
async function start() {
  node.recording = join(node.work, `recording-${++starts}.syncloop`);
  await node.start({ flags: ['--record', node.recording], before: ['--import', join(node.work, 'bug.mjs')] });
  await until('all pods are ready', async () => (await node.ready()).join() === names.join(), {
    seconds: 30,
    describe: () => node.tail(),
  });
  // Whatever it may think that it finds too much, it ends in its housekeeping.
  const kept = () => node.kubelet.stderr.match(/"SyncLoop \(housekeeping\) end"/g)?.length ?? 0;
  const from = kept();
  await until('it keeps house', () => kept() > from + 1, { describe: () => node.tail() });
}

const callsOf = async (file) =>
  (await node.records(file)).filter((r) => r.kind === 'cri-call' && mutating.test(r.method)).map((r) => r.method);

it('is started again by its unit, whatever it ended with', async () => {
  const unit = await readFile(new URL('../../../deploy/systemd/syncloop-kubelet.service', import.meta.url), 'utf8');
  assert.match(unit, /^Restart=always$/m);
  assert.match(unit, /^StartLimitIntervalSec=0$/m);
  assert.doesNotMatch(unit, /^(RestartPreventExitStatus|SuccessExitStatus)=/m);
});

it('runs its pods at first, which changes something', async () => {
  await start();
});

for (const [signal, why, code] of [
  ['SIGUSR2', 'a bug in a callback', 255],
  ['SIGURG', 'a bug in a promise', 255],
  ['SIGKILL', '', 'SIGKILL'],
  ['SIGTERM', '', 0],
]) {
  it(`${why || signal}: says why once, is gone, and changes nothing when it is back`, async () => {
    const { kubelet, recording } = node;
    const before = performance.now();
    assert.equal(await kubelet.kill(signal), code);
    const millis = performance.now() - before;
    const fatal = kubelet.stderr.split('\n').filter((line) => /^F\d{4} /.test(line));
    assert.equal(fatal.length, why ? 1 : 0, node.tail());
    if (why) {
      assert.match(fatal[0], new RegExp(`err="${why}"`));
      assert.match(kubelet.stderr, /\n\t +at .*bug\.mjs/);
      console.log(`ended ${Math.round(millis)} ms after the error`);
    }
    if (signal !== 'SIGKILL') {
      // The recording has its index: the crashed process could still close it.
      assert.doesNotMatch((await node.info(recording)).stderr, /was not closed/);
      await assert.rejects(access(join(node.work, 'root', 'syncloop.lock')));
    }
    const calls = await callsOf(recording);
    if (starts === 1) assert.ok(calls.length >= 3 * names.length, `it changed nothing: ${calls}`);
    else assert.deepEqual(calls, []);
    await start();
  });
}
