/**
 * Measures what a tap adds to a call: a client in a closed loop with 1 and with 32 calls in flight, straight to a
 * runtime whose answers are ready, through `syncloop tap`, which decodes all of it aside, and through a pipe that only
 * passes bytes on. Each is a process of its own; the ways take turns, so that whatever else the machine does meets all.
 * Times are microseconds.
 */
import { fork, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import http2 from 'node:http2';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rpcCodecs } from '@syncloop/core/cri/codec';
import { median } from './measure.mjs';
import { prefixed, requests } from './tap/messages.mjs';

const program = fileURLToPath(new URL('../apps/agent/bin/syncloop.mjs', import.meta.url));
const IN_FLIGHT = [1, 32];
const ROUNDS = 7;
const ROUND_MS = 700;

/** A connection and its calls. */
function client(path) {
  const session = http2.connect('http://localhost', { createConnection: () => net.connect(path) });
  session.on('error', () => {});
  const call = (method) =>
    new Promise((resolve, reject) => {
      const stream = session.request({
        ':method': 'POST',
        ':path': rpcCodecs[method].path,
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      stream.on('error', reject);
      stream.on('end', resolve);
      stream.resume();
      stream.end(prefixed(rpcCodecs[method].request.encode(requests[method])));
    });
  return { call, close: () => session.destroy() };
}

/** The times of all calls of a round. */
async function round({ call }, method, inFlight) {
  const times = [];
  const until = performance.now() + ROUND_MS;
  const loop = async () => {
    while (performance.now() < until) {
      const since = performance.now();
      await call(method);
      times.push((performance.now() - since) * 1000);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  return times.sort((a, b) => a - b);
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/** `rounds` of each way, for each method with each of these numbers of calls in flight. */
export async function run({ rounds = ROUNDS, inFlights = IN_FLIGHT } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'syncloop-bench-'));
  const direct = join(folder, 'runtime.sock');
  const through = join(folder, 'tap.sock');
  const piped = join(folder, 'pipe.sock');
  const start = (file, ...argv) => fork(fileURLToPath(new URL(file, import.meta.url)), argv);
  const server = start('tap/server.mjs', direct);
  let tap;
  let pipe;
  try {
    await new Promise((resolve) => server.once('message', resolve));
    tap = spawn(
      process.execPath,
      // It decodes everything, and prints only calls that change something: there are none here.
      [program, 'tap', '--endpoint', `unix://${direct}`, '--listen', `unix://${through}`],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    await new Promise((resolve) => tap.stderr.once('data', resolve));
    pipe = start('tap/pipe.mjs', direct, piped);
    await new Promise((resolve) => pipe.once('message', resolve));
    const clients = { direct: client(direct), tap: client(through), pipe: client(piped) };
    const ways = Object.keys(clients);
    for (const one of Object.values(clients)) await round(one, 'version', 4);
    const results = {};
    for (const method of Object.keys(requests))
      for (const inFlight of inFlights) {
        const found = { direct: [], tap: [], pipe: [] };
        for (let i = 0; i < rounds; i++)
          for (const way of i % 2 ? ways.toReversed() : ways) {
            const times = await round(clients[way], method, inFlight);
            found[way].push({ p50: at(times, 0.5), p99: at(times, 0.99), perSecond: times.length / (ROUND_MS / 1000) });
          }
        const of = (way, what) => Math.round(median(found[way].map((one) => one[what])));
        const shown = (way) => ({ p50: of(way, 'p50'), p99: of(way, 'p99'), callsPerSecond: of(way, 'perSecond') });
        const added = (way) => ({
          p50: of(way, 'p50') - of('direct', 'p50'),
          p99: of(way, 'p99') - of('direct', 'p99'),
        });
        results[`${method}, ${inFlight} in flight`] = {
          ...Object.fromEntries(ways.map((way) => [way, shown(way)])),
          added: added('tap'),
          addedByPipe: added('pipe'),
        };
      }
    for (const one of Object.values(clients)) one.close();
    return { unit: 'microseconds', ...results };
  } finally {
    tap?.kill();
    pipe?.kill();
    server.kill();
    await rm(folder, { recursive: true, force: true });
  }
}
