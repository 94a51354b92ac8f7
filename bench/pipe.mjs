/**
 * From the agent to a client: records through SessionServer and socket.io, over loopback, into a SessionClient in
 * another process. For each rate: whether all of them came (the stream is dense or it would show), how long they took
 * from being made to being folded into the client's state, and what it cost. Prints JSON. The agent has to be built:
 * npx tsc -b apps/agent
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { RecordStore, SessionClient } from '@syncloop/core/debug';
import { io } from 'socket.io-client';

const RATES = [5_000, 20_000, 50_000, 100_000];
/** The time between two flushes of the agent, ms. */
const FLUSH = 16;

const wallMicros = () => Math.round((performance.timeOrigin + performance.now()) * 1000);

/** Records as a busy kubelet makes them: mostly log lines and channel operations. */
function body(i) {
  switch (i % 4) {
    case 0:
      return {
        kind: 'log',
        severity: 'I',
        v: 4,
        msg: 'SyncLoop (PLEG): event for pod',
        kv: {
          pod: { name: `p${i % 110}`, namespace: 'default' },
          event: { ID: `uid-${i % 110}`, Type: 'ContainerStarted' },
        },
        file: 'kubelet.go',
      };
    case 1:
      return {
        kind: 'send',
        chan: 3,
        item: { uid: `uid-${i % 110}`, type: 'ContainerStarted', data: 'c'.repeat(64) },
        len: 1,
      };
    case 2:
      return {
        kind: 'receive',
        chan: 3,
        item: { uid: `uid-${i % 110}`, type: 'ContainerStarted', data: 'c'.repeat(64) },
        ok: true,
        len: 0,
      };
    default:
      return { kind: 'enter', fn: 'HandlePodSyncs', args: { pods: [`default/p${i % 110}`] } };
  }
}

/**
 * A session that makes `rate` records a second; their `time` is the wall clock's, so that the other process can tell
 * their age.
 */
class Source {
  store = new RecordStore();
  listeners = new Set();
  info = {
    id: 'bench',
    title: 'bench',
    capabilities: { control: false, speed: false, apply: false, intervene: false, choose: false, scenarios: false },
    scenario: '',
    seed: 0,
    runtime: '',
    node: '',
    epochMillis: 0,
    virtual: false,
  };
  runState() {
    return {
      running: true,
      seq: this.store.last,
      time: 0,
      steps: 0,
      iterations: 0,
      speed: { mode: 'max' },
      choice: null,
      next: '',
      stopped: '',
    };
  }
  execute(_command, reply) {
    reply({ ok: false, error: 'not here' });
  }
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  async produce(rate, millis) {
    const start = performance.now();
    let made = 0;
    for (;;) {
      const elapsed = performance.now() - start;
      const due = Math.floor((Math.min(elapsed, millis) * rate) / 1000);
      const time = wallMicros();
      for (; made < due; made++) {
        const seq = this.store.last + 1;
        this.store.push({ seq, time, g: 1, span: 0, cause: seq - 1, ...body(seq) });
      }
      for (const listener of this.listeners) listener('records');
      if (elapsed >= millis) return made;
      await new Promise((resolve) => setTimeout(resolve, FLUSH));
    }
  }
}

/** The other process: a client that counts and takes times. */
async function client() {
  const [url, token] = process.argv.slice(3);
  const socket = io(url, { auth: { token }, reconnection: false, transports: ['websocket'] });
  let ages = [];
  const session = new SessionClient({
    send: (message) => socket.emit('m', message),
    onMessage: (handler) => socket.on('m', handler),
    onClose: (handler) => socket.on('disconnect', handler),
    close: () => socket.disconnect(),
  });
  let seen = 0;
  let welcomes = 0;
  session.listen((change) => {
    if (change === 'welcome') welcomes++;
    if (change !== 'records') return;
    const now = wallMicros();
    for (const record of session.store.slice(seen + 1, 100_000)) ages.push(now - record.time);
    seen = session.store.last;
  });
  process.on('message', (message) => {
    if (message === 'report') {
      ages.sort((a, b) => a - b);
      const at = (q) => Math.round((ages[Math.floor(ages.length * q)] ?? 0) / 100) / 10;
      const cpu = process.cpuUsage();
      process.send({
        got: ages.length,
        last: seen,
        gaps: session.gaps,
        snapshots: welcomes - 1,
        p50Millis: at(0.5),
        p99Millis: at(0.99),
        cpuMillis: Math.round((cpu.user + cpu.system) / 1000),
      });
      ages = [];
    } else process.exit(0);
  });
  socket.on('connect', () => process.send('connected'));
  socket.on('connect_error', (error) => {
    console.error(error.message);
    process.exit(1);
  });
}

const once = (child) => new Promise((resolve) => child.once('message', resolve));

export async function run({ rates = RATES, millis = 3000, clients = 1 } = {}) {
  const { serveSession } = await import('../apps/agent/dist/server/session-host.js');
  const source = new Source();
  const host = await serveSession(source, {
    host: '127.0.0.1',
    port: 0,
    webRoot: '/nonexistent',
    control: false,
    remedy: '',
  });
  const children = [];
  for (let i = 0; i < clients; i++) {
    const child = fork(fileURLToPath(import.meta.url), ['client', `http://127.0.0.1:${host.port}`, host.token]);
    await once(child);
    children.push(child);
  }
  const out = [];
  const before = children.map(() => 0);
  for (const rate of rates) {
    const cpu = process.cpuUsage();
    const made = await source.produce(rate, millis);
    const used = process.cpuUsage(cpu);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const reports = await Promise.all(
      children.map((child) => {
        const answer = once(child);
        child.send('report');
        return answer;
      }),
    );
    out.push({
      recordsPerSecond: rate,
      made,
      agentCPU: Number(((used.user + used.system) / 1000 / millis).toFixed(2)),
      clients: reports.map(({ got, gaps, snapshots, p50Millis, p99Millis, cpuMillis }, i) => {
        const clientCPU = Number(((cpuMillis - before[i]) / millis).toFixed(2));
        before[i] = cpuMillis;
        return { allArrived: got === made, gaps, snapshots, p50Millis, p99Millis, clientCPU };
      }),
    });
  }
  for (const child of children) child.send('end');
  await host.close();
  return out;
}

if (process.argv[2] === 'client') await client();
