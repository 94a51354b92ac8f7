/**
 * It keeps working on the real thing: kubelets that are killed at bad moments, a runtime that is killed, hung or not
 * there yet, disks that are full, clients that do not read. Needs root; the tests follow one another on one node.
 * Titles name the rows of docs/operators/reliability.md. SYNCLOOP_PODS=100 runs them at their full size and for their
 * full time; without it they are small, so that they fit into the test run.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inOrder } from './in-order.mjs';
import { LINK } from './links.mjs';
import { idsOf, isReady, OwnNode } from './own-node.mjs';
import { until } from './programs.mjs';
import { connectDeaf } from './session-client.mjs';

const run = promisify(execFile);
const full = process.env.SYNCLOOP_PODS !== undefined;
const count = Number(process.env.SYNCLOOP_PODS ?? 6);
const names = Array.from({ length: count }, (_, i) => `web-${i}`);
let node;

before(
  async () => {
    node = await OwnNode.create();
  },
  { timeout: 60_000 },
);
after(() => node?.destroy());

const it = inOrder();

const millisSince = (start) => Math.round(performance.now() - start);
const told = (text) => process.stdout.write(`# ${text}\n`);
const idsOfAll = (pods) => [...pods].map(([name, pod]) => `${name}: ${idsOf(pod)}`).sort();

/** Ends the kubelet as a crash would, and starts the next. */
async function crash(meanwhile = async () => {}) {
  await node.kubelet.kill('SIGKILL');
  await meanwhile();
  await node.start();
}

/** Checks that it opens up to the place where it was cut, and reports that place. */
async function assertOpens(recording, records = /cri-call/) {
  const { stdout, stderr } = await node.info(recording);
  assert.match(stdout, records, stderr);
  assert.match(stderr, /ends with record \d+|it has no records/);
}

/** Checks that each ready pod has one sandbox, and each running container one instance. */
async function assertNoDoubles(among) {
  const running = new Set((await node.tasks()).filter((t) => t.status === 'RUNNING').map((t) => t.id));
  for (const [what, found] of [
    ['sandboxes', await node.sandboxes()],
    ['containers', await node.containers()],
  ]) {
    const each = found.filter((one) => running.has(one.id)).map((one) => `${one.pod}/${one.uid}/${one.name}`);
    assert.equal(new Set(each).size, each.length, `${what} twice: ${each.sort()}`);
    assert.equal(each.length, among.length, `${what}: ${each.sort()}`);
  }
}

it('[A1:6] a runtime that is not there yet is waited for', { timeout: 60_000 }, async () => {
  await node.containerd.stop();
  await rm(node.containerd.socket, { force: true });
  const kubelet = node.launch();
  await kubelet.says('it waits', /Waiting up to 30 s/);
  await node.containerd.start();
  await until('the kubelet serves', () => node.healthy(), { seconds: 30, describe: node.tail });
  assert.equal(kubelet.over, undefined);
});

it(`[A1:1] [A1:45] ${count} pods live through a kill -9 of the kubelet: nothing is asked of the runtime`, {
  timeout: 400_000,
}, async () => {
  for (const name of names) await node.drop(name);
  const before = idsOfAll(await node.ready(names, 200));
  await until('what it had to do is done', async () => {
    const { length } = await node.runtimeLog();
    await delay(1500);
    return (await node.mutationsSince(length)).length === 0;
  });
  const { length } = await node.runtimeLog();
  const { recording } = node;
  const start = performance.now();
  await crash();
  const pods = await node.ready(names);
  told(`${count} pods: from kill -9 to all ready in ${millisSince(start)} ms`);
  await delay(3000);
  assert.deepEqual(idsOfAll(await node.pods()), before);
  assert.deepEqual(await node.mutationsSince(length), []);
  for (const pod of pods.values()) assert.equal(pod.status.containerStatuses[0].restartCount, 0);
  await assertOpens(recording);
});

it('[A1:2] [A1:3] killed at each call of a start: one sandbox, one container, others untouched', {
  timeout: 400_000,
}, async () => {
  const places = [
    ['*unPodSandbox', 'before'],
    ['*unPodSandbox', 'after'],
    ['*reateContainer', 'before'],
    ['*reateContainer', 'after'],
    ['*tartContainer', 'before'],
    ['*tartContainer', 'after'],
  ];
  const all = [...names];
  for (const [i, [method, when]] of places.entries()) {
    if (!full && i % 2 === 0 && i > 0) continue;
    const before = await node.pods();
    const client = await node.debugger();
    await client.command({ do: 'breakpoints', set: [{ id: 'here', on: 'cri', method, when }] });
    const name = `crash-${i}`;
    await node.drop(name);
    await until(`${method} ${when}`, () => client.run.hits?.length > 0, { describe: node.tail });
    all.push(name);
    await crash();
    const pods = await node.ready(all);
    for (const [of, pod] of before) assert.equal(idsOf(pods.get(of)), idsOf(pod), `${of} at ${method} ${when}`);
    await assertNoDoubles(all);
  }
  for (const name of all.slice(names.length)) await node.take(name);
  await node.ready(names);
});

it('[A1:2] [A1:45] killed at random moments while pods come and go: all is as the manifests say; each recording opens', {
  timeout: 900_000,
}, async () => {
  const rounds = full ? 20 : 2;
  const recordings = [];
  let wanted = [];
  for (let round = 0; round < rounds; round++) {
    for (const name of wanted) await node.take(name);
    wanted = [0, 1, 2].map((i) => `r${round}-${i}`);
    for (const name of wanted) await node.drop(name);
    const millis = Math.floor(Math.random() * 900);
    await delay(millis);
    recordings.push(node.recording);
    await crash();
    await node.ready([...names, ...wanted], 90);
    await until(`no doubles, killed after ${millis} ms`, async () => {
      const [tasks, pods] = [await node.tasks(), names.length + wanted.length];
      return tasks.filter((t) => t.status === 'RUNNING').length === 2 * pods;
    });
    await assertNoDoubles([...names, ...wanted]);
  }
  for (const name of wanted) await node.take(name);
  for (const file of recordings) {
    // Killed within its first second, it has none yet.
    await assertOpens(file, /^records +/m);
    // Cut anywhere, as a crash of the machine would leave it.
    const { size } = await stat(file);
    await truncate(file, Math.floor(size * (0.3 + Math.random() * 0.69)));
    await assertOpens(file, /^records +/m);
  }
  await node.ready(names);
});

it('[A1:4] the runtime is killed again and again, once with its socket: no container ends, no address leaks', {
  timeout: 600_000,
}, async () => {
  const before = idsOfAll(await node.settled(names));
  const pids = (await node.tasks()).map((t) => t.pid).sort();
  const times = full ? 6 : 2;
  const { length } = await node.runtimeLog();
  for (let i = 0; i < times; i++) {
    await node.containerd.stop('SIGKILL');
    if (i === 1) await rm(node.containerd.socket, { force: true });
    await delay(full ? 3000 : 1000);
    await node.containerd.start();
    await delay(full ? 17_000 : 2000);
  }
  const start = performance.now();
  // It works again, and not only looks as if: a new pod runs.
  await node.drop('after');
  await node.ready([...names, 'after']);
  told(`runtime killed ${times} times under ${count} pods: a new pod ready after ${millisSince(start)} ms`);
  const changed = (await node.mutationsSince(length)).filter((line) => !line.includes('after-node1'));
  assert.deepEqual(
    changed.filter((line) => /StopContainer|StopPodSandbox|RemovePodSandbox/.test(line)),
    [],
  );
  await node.take('after');
  await node.ready(names);
  assert.deepEqual(idsOfAll(await node.pods()), before);
  const now = await node.tasks();
  for (const pid of pids)
    assert.ok(
      now.some((t) => t.pid === pid && t.status === 'RUNNING'),
      `process ${pid} ended`,
    );
  // Leftovers of a killed runtime go with the collection of garbage, once a minute.
  await until('one address per pod', async () => (await node.addresses()).length === names.length, {
    seconds: 200,
    describe: async () => `addresses: ${(await node.addresses()).join(' ')}`,
  });
});

it('[A1:27] a runtime that hangs and comes back: the kubelet stays, and goes on', { timeout: 300_000 }, async () => {
  const before = idsOfAll(await node.pods());
  const hang = (signal) => process.kill(node.containerd.child.pid, signal);
  hang('SIGSTOP');
  await node.drop('hung');
  await delay(full ? 200_000 : 4000);
  assert.ok(node.kubelet.over === undefined);
  if (full) assert.match(node.kubelet.stderr, /PLEG is not healthy/);
  hang('SIGCONT');
  await node.ready([...names, 'hung'], 120);
  await node.take('hung');
  await node.ready(names);
  assert.deepEqual(idsOfAll(await node.pods()), before);
});

it('[A1:44] a process that stood still is told of, and blames nobody else', { timeout: 60_000 }, async () => {
  const before = idsOfAll(await node.pods());
  const { length } = node.kubelet.stderr;
  node.kubelet.child.kill('SIGSTOP');
  await delay(full ? 5500 : 3500);
  node.kubelet.child.kill('SIGCONT');
  await node.kubelet.says('the log says so', /"The process could do nothing for a while" seconds=[2-9]/);
  const metrics = await (await fetch(`http://127.0.0.1:${node.readOnly}/metrics`)).text();
  const at = (le) =>
    Number(new RegExp(`^syncloop_event_loop_delay_seconds_bucket\\{le="${le}"\\} (\\d+)$`, 'm').exec(metrics)[1]);
  assert.ok(at('10') > at('1'), 'the histogram has it');
  assert.doesNotMatch(node.kubelet.stderr.slice(length), /PLEG is not healthy/);
  assert.deepEqual(idsOfAll(await node.pods()), before);
});

it('[A1:40] [A1:41] clients that do not read, or go, hold up nobody; after a restart there is no silent gap', {
  timeout: 120_000,
}, async () => {
  const [url] = await node.kubelet.says('the URL', LINK);
  const deaf = await connectDeaf(url);
  const others = await Promise.all(Array.from({ length: full ? 12 : 4 }, () => node.debugger()));
  const gone = await node.debugger();
  gone.close();
  const rss = async () =>
    Number(
      /^process_resident_memory_bytes (\S+)$/m.exec(
        await (await fetch(`http://127.0.0.1:${node.readOnly}/metrics`)).text(),
      )[1],
    ) /
    2 ** 20;
  const before = await rss();
  const some = Array.from({ length: full ? 40 : 6 }, (_, i) => `seen-${i}`);
  for (const name of some) await node.drop(name);
  await node.ready([...names, ...some], 120);
  for (const name of some) await node.take(name);
  await node.ready(names, 120);
  const grown = Math.round((await rss()) - before);
  told(`one client that does not read, ${others.length} that do, ${others[0].store.last} records: ${grown} MiB more`);
  assert.ok(grown < 150, `${grown} MiB more`);
  await delay(1000);
  const newest = Math.max(...others.map((c) => c.store.last));
  for (const client of others) {
    assert.equal(client.gaps, 0);
    assert.ok(newest - client.store.last < 2000, `${newest - client.store.last} behind`);
  }
  deaf.disconnect();

  const [one] = others;
  const held = one.info.id;
  await crash();
  await until('it is told', () => one.closed);
  const next = await node.debugger(one);
  assert.notEqual(next.info.id, held, 'another run is another session');
  await until('its records come', () => next.store.last > 100);
  assert.equal(next.gaps, 0);
  assert.ok(next.store.last < newest, 'nothing of the run before is taken for its own');
  next.close();
  for (const client of others) client.close();
});

it('the debugger is killed while a page looks on: the kubelet goes on, and the page where it was', {
  timeout: 60_000,
}, async () => {
  const page = await node.debugger();
  const session = page.info.id;
  await page.command({ do: 'pause' });
  const before = page.store.last;
  const { pid } = node.kubelet.child;
  const [its] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  process.kill(its, 'SIGKILL');
  await until('the page is told', () => page.closed);
  await node.kubelet.says('the kubelet tells', /debugger's process ended: signal SIGKILL; the kubelet goes on/);
  await node.drop('meanwhile');
  await node.ready([...names, 'meanwhile']);
  const again = await until('the debugger is back', () => node.debugger(page).catch(() => null));
  assert.equal(again.info.id, session);
  await until('its records go on', () => again.store.last > before + 100);
  assert.equal(again.gaps, 0);
  assert.ok(again.store.get(before) && again.store.get(before + 1), 'no record is missing in between');
  again.close();
  await node.take('meanwhile');
  await node.settled(names);
});

it('[A1:11] [A1:16] manifests that changed or went while the kubelet was down', { timeout: 120_000 }, async () => {
  const more = (yes) =>
    yes
      ? `  initContainers:
  - {name: init, image: ${node.image}, imagePullPolicy: IfNotPresent, command: [sh, -c, 'true']}
  - {name: side, image: ${node.image}, imagePullPolicy: IfNotPresent, restartPolicy: Always, command: [sh, -c, ${JSON.stringify(node.waits)}]}
`
      : '';
  await node.drop('gone');
  await node.drop('slim', node.manifest('slim', { spec: more(true) }));
  await node.ready([...names, 'gone', 'slim']);
  await crash(async () => {
    await node.take('gone');
    await node.drop('slim', node.manifest('slim'));
  });
  const pods = await node.ready([...names, 'slim']);
  assert.equal(pods.get('slim').spec.initContainers, undefined);
  await until('what is not asked for ends', async () => {
    const alive = new Set((await node.tasks()).map((t) => t.id));
    const left = (await node.containers()).filter((c) => alive.has(c.id) && (c.pod === 'gone' || c.name === 'side'));
    return left.length === 0;
  });
  await node.take('slim');
  await node.ready(names);
});

it('[A1:17] [A1:18] edits while the old one ends: only the last starts; put back unchanged it is made anew', {
  timeout: 120_000,
}, async () => {
  const slow = (version) =>
    node.manifest('slow', {
      command: `trap 'sleep 2; exit 0' TERM; echo ${version}; while :; do sleep 1000 & wait $!; done`,
      grace: 20,
    });
  await node.drop('slow', slow(1));
  const first = (await node.settled([...names, 'slow'])).get('slow').metadata.uid;
  const { length } = await node.runtimeLog();
  const uids = new Set();
  for (const version of [2, 3, 4]) {
    await node.drop('slow', slow(version));
    await until(`version ${version} is read`, async () => {
      const { uid } = (await node.pods()).get('slow')?.metadata ?? {};
      if (uid === undefined || uid === first || uids.has(uid)) return false;
      return uids.add(uid);
    });
  }
  const last = [...uids].at(-1);
  const pods = await node.ready([...names, 'slow']);
  assert.equal(pods.get('slow').metadata.uid, last);
  const lines = (await node.runtimeLog(length))
    .split('\n')
    .filter((line) => /RunPodSandbox for|StopContainer for .* returns/.test(line));
  assert.equal(lines.filter((line) => /RunPodSandbox for .*returns/.test(line)).length, 1, lines.join('\n'));
  assert.match(lines[0], /StopContainer/, 'the old one ended first');

  await node.take('slow');
  await node.ready(names);
  await node.drop('slow', slow(4));
  const again = (await node.ready([...names, 'slow'])).get('slow');
  assert.equal(again.metadata.uid, last);
  await node.take('slow');
  await node.ready(names);
});

it('[A1:20] broken, empty and hidden files among good ones', { timeout: 120_000 }, async () => {
  const good = Array.from({ length: full ? 10 : 4 }, (_, i) => `good-${i}`);
  const into = (file, text) => writeFile(join(node.work, 'manifests', file), text);
  await into('broken.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: broken');
  await into('empty.yaml', '');
  await into('.hidden.yaml', node.manifest('hidden'));
  await into('.good-0.yaml.swp', 'b0VIM 8.2\0\0\0');
  for (const name of good) await node.drop(name);
  await node.ready([...names, ...good]);
  await node.kubelet.says('the broken one', /Could not process manifest file.*broken\.yaml/);
  await node.drop('broken', node.manifest('broken'));
  await node.ready([...names, ...good, 'broken']);
  for (const name of [...good, 'broken', 'empty', '.hidden']) await node.take(name);
  await rm(join(node.work, 'manifests', '.good-0.yaml.swp'));
  await node.ready(names);
});

it('[A1:30] [A1:33] what ignores TERM is killed with its grace; what takes too much memory is OOMKilled', {
  timeout: 120_000,
}, async () => {
  const probe = `    livenessProbe: {exec: {command: ["false"]}, periodSeconds: 1, failureThreshold: 1}
`;
  await node.drop('deaf', node.manifest('deaf', { command: 'exec sleep 100000', grace: 2, more: probe }));
  const memory = await readFile('/sys/fs/cgroup/memory/memory.limit_in_bytes', 'utf8').catch(() =>
    readFile('/sys/fs/cgroup/cgroup.controllers', 'utf8'),
  );
  assert.ok(/^\d/.test(memory) || memory.includes('memory'), 'this machine has no memory cgroup');
  const greedy = `    resources: {limits: {memory: 24Mi}}
  - {name: modest, image: ${node.image}, imagePullPolicy: IfNotPresent, command: [sh, -c, ${JSON.stringify(node.waits)}]}
`;
  await node.drop('greedy', node.manifest('greedy', { command: 'exec tail /dev/zero', more: greedy }));
  const ended = async (pod, container) =>
    (await node.pods()).get(pod)?.status?.containerStatuses?.find((c) => c.name === container);
  const of = (status) => status?.lastState?.terminated ?? status?.state?.terminated;
  const deaf = of(
    await until(
      'the deaf one was killed',
      async () => {
        const status = await ended('deaf', 'app');
        return of(status) && status;
      },
      { seconds: 30, describe: node.tail },
    ),
  );
  assert.deepEqual([deaf.exitCode, deaf.reason], [137, 'Error']);
  const took = (Date.parse(deaf.finishedAt) - Date.parse(deaf.startedAt)) / 1000;
  assert.ok(took >= 2, `it had its grace: ${took} s`);
  const oom = of(
    await until(
      'the greedy one was killed',
      async () => {
        const status = await ended('greedy', 'app');
        return of(status) && status;
      },
      { seconds: 30, describe: node.tail },
    ),
  );
  assert.deepEqual([oom.exitCode, oom.reason], [137, 'OOMKilled']);
  const modest = await ended('greedy', 'modest');
  assert.equal(modest.restartCount, 0);
  assert.ok(modest.state.running);
  await node.take('deaf');
  await node.take('greedy');
  await node.ready(names);
});

it('[A1:28] probes once a second restart nothing', { timeout: 400_000 }, async () => {
  const probed = Array.from({ length: full ? 50 : 4 }, (_, i) => `probed-${i}`);
  const probe = (what) => `    ${what}: {exec: {command: ["true"]}, periodSeconds: 1}\n`;
  for (const name of probed)
    await node.drop(name, node.manifest(name, { more: probe('livenessProbe') + probe('readinessProbe') }));
  await node.ready([...names, ...probed], 120);
  await delay(full ? 120_000 : 4000);
  const pods = await node.pods();
  const restarts = probed.map((name) => pods.get(name).status.containerStatuses[0].restartCount);
  assert.deepEqual(
    restarts,
    probed.map(() => 0),
  );
  for (const name of probed) assert.ok(isReady(pods.get(name)), name);
  for (const name of probed) await node.take(name);
  await node.ready(names, 120);
});

it('[A1:5] a runtime that goes away within a grace period: the pod still ends, and never comes back', {
  timeout: 120_000,
}, async () => {
  const command = "trap 'sleep 3; exit 0' TERM; while :; do sleep 1000 & wait $!; done";
  await node.drop('grace', node.manifest('grace', { command, grace: 25 }));
  await node.settled([...names, 'grace']);
  const { length } = await node.runtimeLog();
  await node.take('grace');
  await until('it is being stopped', async () => /StopContainer for/.test(await node.runtimeLog(length)));
  await node.containerd.stop('SIGKILL');
  await delay(1500);
  await node.containerd.start();
  await until(
    'it has ended',
    async () => {
      const alive = new Set((await node.tasks()).map((t) => t.id));
      const left = [...(await node.containers()), ...(await node.sandboxes())].filter((c) => c.pod === 'grace');
      return left.every((c) => !alive.has(c.id));
    },
    { seconds: 60, describe: node.tail },
  );
  const made = (await node.mutationsSince(length)).filter((line) =>
    /RunPodSandbox|CreateContainer|StartContainer/.test(line),
  );
  assert.deepEqual(made, []);
  await node.ready(names);
});

it('[A1:45] a full disk ends the recording, and nothing else', { timeout: 120_000 }, async () => {
  const disk = join(node.work, 'small');
  await mkdir(disk);
  await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
  try {
    await node.kubelet.kill('SIGTERM');
    const file = join(disk, 'full.jsonl');
    await node.start('--record', file);
    await node.drop('more');
    await node.ready([...names, 'more']);
    await node.kubelet.says('it says that the recording ends', /recording \S+ ends here: ENOSPC/, { seconds: 30 });
    await node.take('more');
    await node.ready(names);
    assert.ok(await node.healthy());
    await assertOpens(file);
    await node.kubelet.kill('SIGTERM');
  } finally {
    await run('umount', ['-l', disk]);
  }
});

it('after all of it: nothing is left when the pods are gone', { timeout: 300_000 }, async () => {
  await node.start();
  await node.clear(120);
  await until('no address is given out', async () => (await node.addresses()).length === 0, {
    seconds: 60,
    describe: async () => `addresses: ${await node.addressesWithSandboxes()}`,
  });
  // Dead containers and sandboxes go once a minute.
  if (full) await node.empty(150);
});
