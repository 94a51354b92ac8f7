/**
 * A kubelet on the mock runtime whose API server goes away and comes back, at moments and in ways that a seed chooses,
 * over real HTTPS: refused, reset, silent, starting, cut within a line; its objects stay, and each time earlier
 * versions are compacted. SYNCLOOP_TIMES (20) and SYNCLOOP_SEED (1) make it longer, or another.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiServer } from '@syncloop/core/apiserver';
import { background, Kernel } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { MockNode, podSpec } from './mock-node.mjs';
import { freePort, until } from './programs.mjs';

const dist = new URL('../dist/', import.meta.url);
const load = (file) => import(new URL(file, dist).href);
const times = Number(process.env.SYNCLOOP_TIMES ?? 20);
const seed = Number(process.env.SYNCLOOP_SEED ?? 1);

/** mulberry32: numbers from 0 to 1, the same for one seed. */
function generator(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
/** The seed decides what happens, and when. */
const random = generator(seed);
/** Random numbers for what depends on who asks first, so that the script stays the same. */
const noise = generator(seed + 1);
const between = (from, to) => from + random() * (to - from);
const below = (n) => Math.floor(random() * n);

const host = '127.0.0.1';
const token = 'the-token-of-the-node';
const kernel = new Kernel({ clock: new RealClock() });
const driver = new RealDriver(kernel);
const admin = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
let node;
let server;
let port;
let served;
let serveAPI;
let tls;
/** The server that answers, or a stand-in. */
let instead = counted;
let runtime;

const inKernel = (act) => {
  let result;
  kernel.post(() => {
    result = act();
  });
  return result;
};
const run = (body) =>
  new Promise((resolve, reject) => {
    kernel.post(() =>
      kernel.go('test', function* () {
        try {
          resolve(yield* body());
        } catch (err) {
          reject(err);
        }
      }),
    );
  });

/** Asks the server itself, even while nobody else can reach it. */
function ask(method, path, json) {
  const answer = inKernel(() =>
    server.handle({
      method,
      path,
      query: {},
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      user: admin,
      ...(json && { json }),
    }),
  );
  assert.ok(answer.code < 400, `${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const open = async () => {
  served = await serveAPI({
    handle: (request) => instead(request),
    token,
    tls,
    host,
    port,
    remedy: '',
    forwarder: () => null,
  });
};

const status = (code, reason, more = {}) => ({
  kind: 'answer',
  code,
  headers: more.headers ?? {},
  body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: reason, reason, code },
});

/** Takes no more connections, and then ends those that it has: one that came in between would keep it. */
const gone = (listening, sockets) =>
  new Promise((resolve) => {
    listening.close(resolve);
    for (const socket of sockets) socket.destroy();
  });

/** Outages of the server by name; each resolves when it is to come back. */
const outages = {
  /** It is there all the time, but ends all watches, and knows no version from before. */
  async compacted(millis) {
    for (const end of [...watches]) end();
    await delay(millis);
  },
  async refused(millis) {
    await served.close();
    await delay(millis);
    await open();
  },
  /** Connections are taken, and come to nothing. */
  async reset(millis) {
    await served.close();
    const sockets = new Set();
    const resets = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      if (noise() < 0.5) socket.resetAndDestroy();
      else socket.once('data', () => socket.resetAndDestroy());
    });
    await new Promise((resolve) => resets.listen(port, host, resolve));
    await delay(millis);
    await gone(resets, sockets);
    await open();
  },
  /** Connections are accepted, and get no answer. */
  async silent(millis) {
    await served.close();
    const sockets = new Set();
    const silent = createServer((socket) => sockets.add(socket.on('error', () => {}).resume()));
    await new Promise((resolve) => silent.listen(port, host, resolve));
    await delay(millis);
    await gone(silent, sockets);
    await open();
  },
  async starting(millis) {
    await served.close();
    instead = () =>
      noise() < 0.5
        ? status(503, 'ServiceUnavailable')
        : status(429, 'TooManyRequests', { headers: { 'Retry-After': '1' } });
    await open();
    await delay(millis);
    instead = counted;
  },
  /** Watches begin, and end within a line of theirs. */
  async cut(millis) {
    await served.close();
    instead = (request) => {
      if (request.query.watch === undefined) return status(500, 'InternalError');
      return {
        kind: 'watch',
        code: 200,
        headers: { 'Content-Type': 'application/json' },
        open({ event, end }) {
          event({ type: 'BOOKMARK', object: { kind: 'Pod', metadata: { resourceVersion: '1' } } });
          setImmediate(end);
          return () => {};
        },
      };
    };
    await open();
    await delay(millis);
    instead = counted;
    await served.close();
    await open();
  },
};

/**
 * Compaction as a kube-apiserver reports it: an ERROR in a watch that has begun, and which ends with it, or sometimes
 * 410 at once; counted here.
 */
function counted(request) {
  const answer = inKernel(() => server.handle(request));
  if (answer.kind !== 'watch') return answer;
  const begun = [];
  let sink = { event: (event) => begun.push(event) > 0, end() {} };
  const stop = inKernel(() => answer.open({ event: (event) => sink.event(event), end: () => sink.end() }));
  const [first] = begun;
  if (first?.type === 'ERROR' && first.object.code === 410) {
    told.expired++;
    if (noise() < 0.3) {
      stop();
      return { kind: 'answer', code: 410, headers: {}, body: first.object };
    }
  }
  return {
    ...answer,
    open(real) {
      sink = real;
      for (const event of begun) real.event(event);
      const end = () => real.end();
      if (first?.type === 'ERROR') end();
      else watches.add(end);
      return () => {
        watches.delete(end);
        inKernel(stop);
      };
    },
  };
}
const told = { expired: 0 };
/** Ends one watch that is open. */
const watches = new Set();

before(async () => {
  driver.start();
  ({ serveAPI } = await load('api-server/serve.js'));
  const { CertificateAuthority } = await load('tls/certificate.js');
  const { writeKubeconfig } = await load('api-server/own-kubeconfig.js');
  const { connectRuntime } = await load('cri/client.js');
  const authority = new CertificateAuthority({ commonName: 'cluster', days: 1 });
  tls = authority.issue({ commonName: 'kube-apiserver', hosts: [host, 'localhost'], days: 1, usage: 'server' });
  port = await freePort();
  server = new ApiServer(kernel, {
    random: {
      hex: (n) => Array.from({ length: n }, () => Math.floor(noise() * 16).toString(16)).join(''),
      below: (n) => Math.floor(noise() * n),
    },
    authorize: () => ({ allowed: true }),
    schedulePods: true,
    rootCA: authority.certPem,
    serverAddress: `${host}:${port}`,
  });
  await open();
  node = await MockNode.create('nodeStatusUpdateFrequency: 1s\nnodeLeaseDurationSeconds: 4\n');
  const kubeconfig = join(node.work, 'kubeconfig');
  await writeKubeconfig(kubeconfig, { server: served.url, caPem: authority.certPem, token });
  runtime = await connectRuntime(node.endpoint);
  await node.start({ flags: ['--kubeconfig', kubeconfig] });
});
after(async () => {
  runtime?.close();
  await node?.destroy();
  await served?.close();
  // Its watches end a turn later, in the kernel.
  await delay(0);
  driver.stop();
});

const wanted = new Set();
let made = 0;
function change() {
  if (wanted.size > 2 && random() < 0.4) {
    const name = [...wanted][below(wanted.size)];
    wanted.delete(name);
    ask('DELETE', `/api/v1/namespaces/default/pods/${name}`);
    return;
  }
  const name = `pod-${++made}`;
  wanted.add(name);
  ask('POST', '/api/v1/namespaces/default/pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { ...podSpec(), nodeName: 'node1' },
  });
}

const isReady = (conditions = []) => conditions.some((c) => c.type === 'Ready' && c.status === 'True');
const nodeReady = () => ask('GET', '/api/v1/nodes').items.some((n) => isReady(n.status?.conditions));
/** Returns when it was renewed; '' before there is one. */
const renewTime = () =>
  ask('GET', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases').items[0]?.spec.renewTime ?? '';
const pods = () => ask('GET', '/api/v1/namespaces/default/pods').items;
const brief = () =>
  JSON.stringify([
    [...wanted].sort(),
    pods().map((p) => [p.metadata.name, p.status?.phase, isReady(p.status?.conditions)]),
  ]);

it(`goes on through ${times} absences of its API server (seed ${seed})`, async () => {
  await until('the node is Ready', () => nodeReady() && renewTime() !== '', {
    seconds: 30,
    describe: () => node.tail(),
  });
  const kinds = Object.keys(outages);
  const used = new Map();
  for (let n = 0; n < times; n++) {
    change();
    await delay(between(50, 400));
    // Each way comes once before the first comes again.
    const kind = n < kinds.length ? kinds[n] : kinds[below(kinds.length)];
    used.set(kind, (used.get(kind) ?? 0) + 1);
    const away = kind === 'compacted' ? null : outages[kind](between(50, 350));
    change();
    inKernel(() => server.compact());
    await (away ?? outages[kind](between(50, 350)));
    instead = counted;
    assert.ok(!node.kubelet.over, `the kubelet ended at absence ${n + 1} (${kind}):\n${node.tail()}`);
  }
  const since = Date.now();
  const renewed = renewTime();
  // A reflector that met nothing but trouble waits up to a minute. upstream: reflector.go defaultBackoffMax
  await until(
    'all is as it should be',
    () => {
      const there = pods();
      return (
        there.length === wanted.size &&
        there.every(
          (p) => wanted.has(p.metadata.name) && p.status.phase === 'Running' && isReady(p.status.conditions),
        ) &&
        renewTime() > renewed &&
        nodeReady()
      );
    },
    { seconds: 120, describe: () => `${brief()}\n${node.tail()}` },
  );
  await until(
    'the runtime has just these pods',
    async () => {
      const { items } = await run(() => runtime.runtime.listPodSandbox(background, {}));
      const ready = items
        .filter((s) => (s.state ?? 0) === 0 || s.state === 'SANDBOX_READY')
        .map((s) => s.metadata.name);
      return ready.sort().join() === [...wanted].sort().join();
    },
    { seconds: 30, describe: () => brief() },
  );
  assert.ok(!node.kubelet.over);
  assert.ok(await node.healthy());
  assert.doesNotMatch(node.kubelet.stderr, /^(F\d{4} |node:|Error: )/m);
  assert.ok(told.expired > 0, 'no watch was told that its version is gone');
  console.log(
    `${times} absences (${[...used].map(([k, n]) => `${n} ${k}`).join(', ')}), ${made} pods made, ${wanted.size} left, ` +
      `${told.expired} watches expired; right ${((Date.now() - since) / 1000).toFixed(1)} s after the last`,
  );
});
