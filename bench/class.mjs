/**
 * A class of 300 on one machine: `syncloop serve --class` as a process of its own, all followers in another, and a
 * presenter here who publishes five views a second for 20 s, then asks a question that everybody answers and a third
 * changes. Measures how old a view is when a follower has it, whether each got the last one, what the server used, and
 * whether the counts are exact.
 */
import { fork, spawn } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { io } from 'socket.io-client';
import { LINK, tokenOf } from '../apps/agent/e2e/links.mjs';

const PROGRAM = fileURLToPath(new URL('../apps/agent/bin/syncloop.mjs', import.meta.url));
const EVENT = 'c';
const OPTIONS = 4;

const wallMicros = () => Math.round((performance.timeOrigin + performance.now()) * 1000);
const later = (millis) => new Promise((resolve) => setTimeout(resolve, millis));
const connect = (origin, auth) =>
  io(`${origin}/class`, { auth, forceNew: true, reconnection: false, transports: ['websocket'] });

/** The server; `cpuMillis` and `rssMiB` are null if there is no /proc. */
async function serve(most) {
  const child = spawn(
    process.execPath,
    // All of them come from this machine.
    [
      ...[PROGRAM, 'serve', '--port', '0', '--class', '--class-port', '0'],
      ...['--class-most', String(most), '--class-per-address', String(most)],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let printed = '';
  const { presenter, audience } = await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text;
      const presenter = LINK.exec(printed);
      const audience = /http:\/\/\S+#class=(\S+)/.exec(printed);
      if (presenter && audience) resolve({ presenter, audience });
    });
    child.once('exit', (code) => reject(new Error(`syncloop serve ended with ${code}`)));
  });
  const proc = (file) => {
    try {
      return fs.readFileSync(`/proc/${child.pid}/${file}`, 'utf8');
    } catch {
      return null;
    }
  };
  return {
    presenter: { origin: new URL(presenter[0]).origin, token: tokenOf(presenter[0]) },
    audience: { origin: new URL(audience[0]).origin, token: audience[1] },
    cpuMillis() {
      const fields = proc('stat')?.slice(2).split(') ').at(-1)?.split(' ');
      return fields ? (Number(fields[11]) + Number(fields[12])) * 10 : null;
    },
    rssMiB(which = 'VmRSS') {
      const found = new RegExp(`${which}:\\s+(\\d+)`).exec(proc('status') ?? '');
      return found ? Math.round(Number(found[1]) / 1024) : null;
    },
    stop() {
      const over = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      return over;
    },
  };
}

/** The other process: all followers. */
async function followers() {
  const [origin, token, count] = process.argv.slice(3);
  let ages = [];
  let bytes = 0;
  const sockets = [];
  const newest = [];
  const polls = [];
  for (let i = 0; i < Number(count); i++) {
    const socket = connect(origin, { token });
    socket.on(EVENT, (message) => {
      if (message.poll) polls[i] = message.poll.id;
      if (!message.view) return;
      ages.push(wallMicros() - message.view.sight.sent);
      newest[i] = message.view.n;
      if (i === 0) bytes = Buffer.byteLength(`42/class,${JSON.stringify([EVENT, message])}`);
    });
    sockets.push(socket);
    // A room fills within a few seconds, not within one turn of the loop.
    if (i % 20 === 19) await later(20);
  }
  await Promise.all(sockets.map((s) => (s.connected ? null : new Promise((resolve) => s.once('connect', resolve)))));
  process.on('message', (message) => {
    if (message.do === 'report') {
      ages.sort((a, b) => a - b);
      const at = (q) => Math.round((ages[Math.min(ages.length - 1, Math.floor(ages.length * q))] ?? 0) / 100) / 10;
      process.send({
        got: ages.length,
        upToDate: newest.filter((n) => n === message.last).length,
        bytes,
        p50: at(0.5),
        p99: at(0.99),
        max: at(1),
      });
      ages = [];
    } else if (message.do === 'answer') {
      // Everybody answers, and every third one changes the answer.
      const given = sockets.map((socket, i) => {
        const first = (i * 7) % OPTIONS;
        socket.emit(EVENT, { type: 'answer', poll: polls[i], option: first });
        if (i % 3 !== 0) return first;
        socket.emit(EVENT, { type: 'answer', poll: polls[i], option: (first + 1) % OPTIONS });
        return (first + 1) % OPTIONS;
      });
      process.send({ counts: Array.from({ length: OPTIONS }, (_, o) => given.filter((g) => g === o).length) });
    } else process.exit(0);
  });
  process.send('ready');
}

const answerOf = (child, message) =>
  new Promise((resolve) => {
    child.once('message', resolve);
    if (message) child.send(message);
  });

export async function run({ count = 300, perSecond = 5, seconds = 20 } = {}) {
  const server = await serve(count + 10);
  const idle = server.rssMiB();
  const presenter = connect(server.presenter.origin, { token: server.presenter.token });
  let room = null;
  presenter.on(EVENT, (message) => {
    if (message.type === 'room') room = message;
    if (message.type === 'refused') throw new Error(message.error);
  });
  const until = async (what) => {
    const end = performance.now() + 10_000;
    while (!what() && performance.now() < end) await later(10);
  };
  await until(() => room);
  presenter.emit(EVENT, { type: 'present' });
  presenter.emit(EVENT, { type: 'run', run: { n: 1, moment: 'v1.jeyJzIjoiaGVsbG8iLCJuIjoxfQ' } });
  const { origin, token } = server.audience;
  const joining = performance.now();
  const child = fork(fileURLToPath(import.meta.url), ['followers', origin, token, String(count)]);
  await answerOf(child);
  const joinMillis = Math.round(performance.now() - joining);
  await until(() => room.followers === count);
  const joined = room.followers;

  const cpu = server.cpuMillis();
  const start = performance.now();
  const views = perSecond * seconds;
  for (let n = 1; n <= views; n++) {
    presenter.emit(EVENT, {
      type: 'view',
      view: {
        n,
        run: 1,
        step: n * 30,
        seq: n * 90,
        time: n * 200_000,
        running: true,
        speed: { mode: 'time', factor: 1 },
        sight: {
          selection: ['pod', 'bf06375400ab6f6a2a75a3294914c27f'],
          inspector: [true, 'what'],
          level: 'loop',
          followed: 0,
          left: null,
          bottom: 'timeline',
          sent: wallMicros(),
        },
      },
    });
    await later(Math.max(0, start + (n * 1000) / perSecond - performance.now()));
  }
  await later(300);
  const took = performance.now() - start;
  const used = cpu === null ? null : server.cpuMillis() - cpu;
  const report = await answerOf(child, { do: 'report', last: views });

  const options = Array.from({ length: OPTIONS }, (_, i) => ({ en: `Answer ${i + 1}` }));
  presenter.emit(EVENT, { type: 'poll', poll: { question: { en: 'What comes next?' }, options } });
  await until(() => room.poll);
  await later(300);
  const asked = performance.now();
  const { counts } = await answerOf(child, { do: 'answer' });
  await until(() => JSON.stringify(room.poll.counts) === JSON.stringify(counts));
  const result = {
    followers: joined,
    joinMillis,
    viewsPublished: views,
    delivered: Number((report.got / (views * count)).toFixed(4)),
    upToDateAtTheEnd: report.upToDate,
    bytesPerView: report.bytes,
    p50Millis: report.p50,
    p99Millis: report.p99,
    maxMillis: report.max,
    serverCPU: used === null ? null : Number((used / took).toFixed(3)),
    serverIdleMiB: idle,
    serverMiB: server.rssMiB(),
    serverPeakMiB: server.rssMiB('VmHWM'),
    poll: {
      answers: counts.reduce((sum, n) => sum + n, 0),
      exact: JSON.stringify(room.poll.counts) === JSON.stringify(counts),
      countedMillis: Math.round(performance.now() - asked),
    },
  };
  presenter.disconnect();
  child.send({ do: 'end' });
  await server.stop();
  return result;
}

if (process.argv[2] === 'followers') await followers();
