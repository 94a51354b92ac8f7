/**
 * Measures B3 and B4 on one agent that keeps its pods. B3: what it uses while nothing happens, with tracing and
 * recording on, with no browser and with several (sockets that take the session as a page does, in a process of their
 * own). B4: killed with kill -9 and started again under its pods: how long until all are Ready in /pods, and what it
 * asks the runtime to change (nothing).
 */
import { fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Agent, between, now, sum } from './agent.mjs';

const round = (x, digits = 2) => Number(x.toFixed(digits));

/** Lines of containerd's log that report a change by a caller. */
const mutation =
  /msg="(RunPodSandbox for|CreateContainer within sandbox|StartContainer for|StopContainer for|RemoveContainer for|StopPodSandbox for|RemovePodSandbox for)/;

const isReady = (pod) => pod.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True');

/** `browsers`: how many sockets, one measurement for each number; `seconds` each. */
export async function held({
  containerd,
  names,
  manifest,
  browsers = [0, 1, 5],
  seconds = 120,
  restarts = 3,
  execArgv = [],
}) {
  const recording = join(containerd.folder, 'held.jsonl');
  const agent = await Agent.start({ endpoint: containerd.endpoint, flags: ['--record', recording], execArgv });
  try {
    await agent.addPods(names, manifest);
    await allReady(agent, names.length, 180);
    // The looks at pods that follow the last start belong to it.
    await delay(15_000);
    const idle = [];
    for (const count of browsers) idle.push(await measure(agent, count, seconds));
    const restarted = [];
    for (let i = 0; i < restarts; i++) restarted.push(await restart(agent, containerd, names.length));
    return { pods: names.length, idle, restarts: restarted };
  } finally {
    await agent.removePods(names).catch(() => {});
    for (let tries = 0; tries < 90 && (await agent.podList().catch(() => [])).length > 0; tries++) await delay(1000);
    await agent.stop();
  }
}

/** Resolves with the time at which all of `count` pods were Ready. */
export async function allReady(agent, count, seconds) {
  for (const end = now() + seconds * 1000; now() < end; await delay(20)) {
    const pods = await agent.podList().catch(() => []);
    if (pods.length === count && pods.every(isReady)) return now();
  }
  throw new Error(`not all of ${count} pods are ready after ${seconds} s\n${await agent.logEnd()}`);
}

async function measure(agent, browsers, seconds) {
  const viewers = browsers > 0 ? await Viewers.start(await agent.url(), browsers) : null;
  try {
    await delay(viewers ? 5000 : 0);
    const before = { ...(await agent.ask('rest')), counts: await agent.counts(), at: now() };
    await delay(seconds * 1000);
    const after = { ...(await agent.ask()), counts: await agent.counts(), at: now() };
    // The histogram itself costs: by itself, after.
    await agent.ask('reset');
    await delay(Math.min(30, seconds) * 1000);
    const { loopDelayMillis } = await agent.ask();
    await agent.ask('rest');
    const took = (after.at - before.at) / 1000;
    return {
      browsers,
      seconds: round(took, 1),
      millicores: round(((after.cpuSeconds - before.cpuSeconds) / took) * 1000, 1),
      userMillicores: round(((after.userSeconds - before.userSeconds) / took) * 1000, 1),
      rssMiB: after.rssMiB,
      heapMiB: after.heapMiB,
      loopDelayMillis,
      recordsPerSecond: round((after.counts.records - before.counts.records) / took, 1),
      criCallsPerSecond: round(sum(between(before.counts.all, after.counts.all)) / took, 1),
      ...(viewers && { viewers: await viewers.report() }),
    };
  } finally {
    await viewers?.stop();
  }
}

async function restart(agent, containerd, count) {
  const log = () => readFile(join(containerd.folder, 'containerd.log'), 'utf8');
  const before = await ids(agent);
  const { length } = await log();
  await agent.crash();
  const launching = agent.launch({ settle: 0 });
  const ready = await allReady(agent, count, 120);
  await launching;
  // Leaves time for further changes of the runtime, which would be wrong.
  await delay(12_000);
  const changed = (await log())
    .slice(length)
    .split('\n')
    .filter((line) => mutation.test(line));
  const after = await ids(agent);
  const { cpuSeconds, rssMiB } = await agent.ask();
  return {
    readySeconds: round((ready - agent.launched) / 1000),
    mutations: changed.length,
    sameContainers: JSON.stringify(before) === JSON.stringify(after),
    cpuSeconds: round(cpuSeconds),
    rssMiB,
  };
}

const ids = async (agent) =>
  (await agent.podList())
    .flatMap((pod) => (pod.status?.containerStatuses ?? []).map((c) => `${c.containerID} ${c.restartCount}`))
    .sort();

/** Sockets in another process: the cost of taking the records is not the agent's. */
class Viewers {
  static async start(url, count) {
    const viewers = new Viewers();
    viewers.child = fork(fileURLToPath(new URL('./viewers.mjs', import.meta.url)), [url, String(count)]);
    await viewers.next();
    return viewers;
  }
  next() {
    return new Promise((resolve, reject) => {
      this.child.once('message', resolve);
      this.child.once('exit', (code) => reject(new Error(`the viewers ended with ${code}`)));
    });
  }
  report() {
    const answer = this.next();
    this.child.send('report');
    return answer;
  }
  stop() {
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    return gone;
  }
}
