/**
 * The kernel alone: goroutine switches, channel round trips and selects per second, untraced and traced. Prints JSON.
 */
import { gosched, Kernel, makeChan, receive, recv, seeded, select, send, sleep } from '@syncloop/core/kernel';
import { median, rate } from './measure.mjs';

const N = 200_000;

const cases = {
  /** One goroutine lets the other go first, N times. */
  switches(options) {
    const k = new Kernel(options);
    for (let i = 0; i < 2; i++)
      k.go(`g${i}`, function* () {
        for (let n = 0; n < N / 2; n++) yield* gosched();
      });
    return rate(N, () => k.run());
  },
  /** A request and its answer over two unbuffered channels. */
  roundTrips(options) {
    const k = new Kernel(options);
    const ping = makeChan(k, 'ping');
    const pong = makeChan(k, 'pong');
    k.go('client', function* () {
      for (let n = 0; n < N; n++) {
        yield* send(ping, n);
        yield* receive(pong);
      }
    });
    k.go(
      'server',
      function* () {
        for (;;) yield* send(pong, (yield* receive(ping))[0]);
      },
      { daemon: true },
    );
    return rate(N, () => k.run());
  },
  /** Eight channels, one select, as in syncLoopIteration. */
  selects(options) {
    const k = new Kernel({ ...options, policy: seeded(1) });
    const chans = Array.from({ length: 8 }, (_, i) => makeChan(k, `c${i}`, 10));
    k.go('source', function* () {
      for (let n = 0; n < N; n++) yield* send(chans[n % 8], n);
    });
    k.go(
      'loop',
      function* () {
        const [a, b, c, d, e, f, g, h] = chans;
        for (;;)
          yield* select({
            a: recv(a),
            b: recv(b),
            c: recv(c),
            d: recv(d),
            e: recv(e),
            f: recv(f),
            g: recv(g),
            h: recv(h),
          });
      },
      { daemon: true },
    );
    return rate(N, () => k.run());
  },
  /** A hundred goroutines that sleep. */
  timers(options) {
    const k = new Kernel(options);
    for (let i = 0; i < 100; i++)
      k.go(`s${i}`, function* () {
        for (let n = 0; n < N / 100; n++) yield* sleep(1000 + i);
      });
    return rate(N, () => k.run());
  },
};

export function run() {
  const out = {};
  for (const [name, bench] of Object.entries(cases)) {
    out[name] = {};
    for (const [mode, options] of [
      ['untraced', () => ({})],
      ['traced', () => ({ sink: ringSink(200_000) })],
    ]) {
      bench(options());
      out[name][mode] = median(Array.from({ length: 5 }, () => bench(options())));
    }
  }
  return out;
}

/** Holds the newest records, as a session does. */
function ringSink(capacity) {
  const ring = new Array(capacity);
  let n = 0;
  return (record) => {
    ring[n++ % capacity] = record;
  };
}
