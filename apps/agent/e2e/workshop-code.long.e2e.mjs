/**
 * A kubelet of one's own on a real containerd: the code of the workshop's last stage decides in place of the kubelet's
 * parts. Needs root.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { promisify } from 'node:util';
import { loadStage } from '@syncloop/workshop/stages';
import { program } from './node-files.mjs';
import { OwnNode } from './own-node.mjs';
import { until } from './programs.mjs';

const run = promisify(execFile);
let node;
let stage;
before(async () => {
  stage = await loadStage('whole');
  node = await OwnNode.create();
});
after(() => node?.destroy());

const head = '// syncloop workshop judge --stage whole\n';
const codeFile = async (name, text) => {
  const file = join(node.work, name);
  await writeFile(file, head + text);
  return file;
};
/** The parts that were called, by the recording of a kubelet that has ended. */
async function called() {
  const { stdout } = await run(process.execPath, [program, 'export', node.recording, '--format', 'ndjson'], {
    maxBuffer: 2 ** 28,
  });
  const parts = stdout.matchAll(/"kind":"part",.*?"part":"(\w+)"|"part":"(\w+)".*?"kind":"part"/g);
  return new Set([...parts].map(([, one, other]) => one ?? other));
}
const restarts = (pod) => pod?.status.containerStatuses?.[0]?.restartCount ?? 0;

it('starts, probes, restarts and ends pods with the reference of all stages', async () => {
  await node.start('--workshop-code', await codeFile('whole.ts', stage.files.reference));
  const probe = 'readinessProbe: {exec: {command: ["true"]}, periodSeconds: 1}';
  await node.drop('steady', node.manifest('steady', { more: `    ${probe}\n` }));
  await node.ready(['steady']);
  await node.drop('crash', node.manifest('crash', { command: 'exit 3' }));
  await until('a second restart', async () => restarts((await node.pods()).get('crash')) >= 2, {
    describe: node.tail,
  });
  const { state, lastState } = (await node.pods()).get('crash').status.containerStatuses[0];
  assert.equal((state.terminated ?? lastState.terminated).exitCode, 3);
  await node.clear();
  await node.kubelet.kill('SIGTERM');
  const parts = await called();
  for (const part of ['plegEvents', 'podActions', 'backOff', 'probeResult', 'podStatus', 'killContainer', 'podWorker'])
    assert.ok(parts.has(part), `${part} was not asked; asked were ${[...parts].join(', ')}`);
});

it('ends with the place of a mistake, and leaves containers running', async () => {
  const broken = stage.files.reference.replace(
    /(export function computeEvents\([^{]*\{)/,
    '$1 if (newPod !== null) throw new Error("not today");',
  );
  assert.notEqual(broken, stage.files.reference);
  await node.start('--workshop-code', await codeFile('sound.ts', stage.files.reference));
  await node.drop('steady');
  await node.ready(['steady']);
  const before = (await node.tasks()).map(({ pid }) => pid).sort();
  await node.kubelet.kill('SIGTERM');
  const kubelet = node.launch('--workshop-code', await codeFile('broken.ts', broken));
  assert.equal(await kubelet.exit, 1, kubelet.stderr.slice(-2000));
  assert.match(kubelet.stderr, /the kubelet ended: .*broken\.ts:\d+:\d+: .*not today/);
  assert.deepEqual((await node.tasks()).map(({ pid }) => pid).sort(), before);
});

it('does not start with code that is no stage, or no code', async () => {
  const refused = async (file) => {
    const kubelet = node.launch('--workshop-code', file);
    return `${await kubelet.exit} ${kubelet.stderr.replaceAll('\n', ' ')}`;
  };
  const nameless = join(node.work, 'nameless.ts');
  await writeFile(nameless, 'export const x = 1;\n');
  assert.match(await refused(nameless), /^2 .*nameless\.ts does not say of which stage it is/);
  assert.match(await refused(join(node.work, 'gone.ts')), /^1 .*cannot read .*gone\.ts/);
  assert.match(await refused(await codeFile('half.ts', 'export function computeEvents( {')), /^1 .*half\.ts:\d+:\d+/);
  const old = join(node.work, 'old.ts');
  await writeFile(old, '// syncloop workshop judge --stage dispatch-work\nexport function dispatchWork() {}\n');
  assert.match(await refused(old), /^2 .*whose kubelet is v1\.12 or v1\.21; this machine runs one of v1\.36/);
});
