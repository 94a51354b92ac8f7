/**
 * Starts of `syncloop kubelet`, one for each input, on one `syncloop serve-mock` that stays. Each finds the root
 * directory of a killed kubelet with a pod, with the fuzzer's damage.
 */
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { kubeletArgs, kubeletConfiguration, manifestsFolder } from '../../apps/agent/e2e/node-files.mjs';
import { freePort, until } from '../../apps/agent/e2e/programs.mjs';
import { memoryOf, Subject, Watch } from '../process.mjs';
import { hasPod, podOf, removeLogLinks } from './kubelet.mjs';

/** `commandMs`: the time of a start until it serves or has given its reason, and then of its end. */
const budgets = { heapMB: 256, rssMB: 500, commandMs: 20_000 };

async function start({ alarm, budgets }) {
  const work = await mkdtemp(join(tmpdir(), 'syncloop-attack-'));
  const endpoint = `unix://${work}/mock.sock`;
  const ports = { main: await freePort(), readOnly: await freePort(), healthz: await freePort() };
  const [root, kept] = [join(work, 'root'), join(work, 'kept')];
  const mock = new Subject('runtime', ['serve-mock', '--endpoint', endpoint], {
    heapMB: budgets.heapMB,
    onAlarm: alarm,
  });
  const subjects = [mock];
  const begin = () => {
    const flags = ['--node-ip=192.0.2.1', '-v', '1', '--no-ui', '--serve-api=0'];
    const args = kubeletArgs(work, endpoint, ...flags, '--serve-api-kubeconfig', join(work, 'kubeconfig'));
    const kubelet = new Subject('kubelet', args, { heapMB: budgets.heapMB, onAlarm: alarm });
    subjects[1] = kubelet;
    return kubelet;
  };
  const clear = async () => {
    for (const subject of subjects) await subject.kill();
    await removeLogLinks(work);
    await rm(work, { recursive: true, force: true });
  };
  const running = { work, root, ports, subjects };
  try {
    await mock.says(/mock runtime at/);
    await mkdir(join(work, 'manifests'));
    await writeFile(join(work, 'manifests', 'sentinel.yaml'), podOf('sentinel'));
    const fields = { ...manifestsFolder, port: ports.main, readOnlyPort: ports.readOnly, healthzPort: ports.healthz };
    await writeFile(join(work, 'config.yaml'), kubeletConfiguration(work, fields));
    const first = begin();
    await until('the first pod runs', () => hasPod(running, 'sentinel'), {
      seconds: 60,
      describe: () => first.output.slice(-2000),
    });
    await delay(500);
    await first.kill();
    const isKept = (path) => !path.endsWith('.sock');
    await cp(root, kept, { recursive: true, filter: isKept });
  } catch (error) {
    await clear();
    throw error;
  }
  const watch = new Watch([mock], { ...budgets, health: null });
  running.watch = watch;
  /** Starts one kubelet after `prepare` has changed the folder, waits for its outcome, and ends it. */
  running.startWith = async (prepare) => {
    await rm(root, { recursive: true, force: true });
    await cp(kept, root, { recursive: true });
    await prepare(root, await readdir(join(root, 'pods')));
    const kubelet = begin();
    const violate = (kind, what) =>
      watch.violate({ kind, process: 'kubelet', what, output: kubelet.output.slice(-1500) });
    const works = await becomes(kubelet, () => hasPod(running, 'sentinel'), budgets.commandMs);
    const memory = Math.round(memoryOf(kubelet.pid).most);
    if (memory > budgets.rssMB) violate('memory', `${memory} MB of ${budgets.rssMB} MB`);
    if (works === null) violate('late', `it neither runs its pod nor says why not within ${budgets.commandMs} ms`);
    if (works === true) {
      kubelet.child.kill('SIGTERM');
      if (!(await becomes(kubelet, () => false, budgets.commandMs)) && kubelet.ended === null)
        violate('late', `it does not end within ${budgets.commandMs} ms of SIGTERM`);
    } else if (kubelet.ended !== null && ![1, 2].includes(kubelet.ended))
      violate('exit', `it ended with ${kubelet.ended}`);
    else if (kubelet.ended !== null && !/^syncloop: .{20}/m.test(kubelet.output))
      violate('exit', 'it ended without a word');
    await kubelet.kill();
  };
  running.settle = async () => {};
  running.stop = async () => {
    await watch.close();
    await clear();
  };
  return running;
}

/** True once `works`, false if the process ended before, null if neither came in time. */
async function becomes(subject, works, ms) {
  for (const end = performance.now() + ms; performance.now() < end; ) {
    if (subject.ended !== null) return false;
    if (await works()) return true;
    await delay(100);
  }
  return null;
}

export const starts = { name: 'starts', lanes: 1, budgets, start };
