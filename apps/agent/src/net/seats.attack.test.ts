import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Answers, Connections, HandshakePacer, Seats } from './seats.js';
import { Slices } from './slices.js';

/** A socket as far as it is counted. */
class FakeSocket extends EventEmitter {
  destroyed = false;
  constructor(
    readonly remoteAddress: string,
    readonly remotePort: number,
  ) {
    super();
  }
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
  setTimeout(_millis: number, then?: () => void): this {
    if (then) this.once('timeout', then);
    return this;
  }
}

describe('seats', () => {
  it('are a number in all, and a share of them for one user', () => {
    const seats = new Seats(4, 0.75);
    const own = [seats.take('a'), seats.take('a'), seats.take('a')];
    expect(own.every(Boolean)).toBe(true);
    expect(seats.take('a')).toBeNull();
    const other = seats.take('b');
    expect([other !== null, seats.take('c')]).toEqual([true, null]);
    own[0]?.();
    own[0]?.();
    expect(seats.count).toBe(3);
    expect([seats.take('a') !== null, seats.take('a')]).toEqual([true, null]);
  });
});

describe('new connections', () => {
  const setup = (most = 1000) => {
    const server = new EventEmitter();
    const begun: FakeSocket[] = [];
    server.on('connection', (socket: FakeSocket) => begun.push(socket));
    const turns: (() => void)[] = [];
    new HandshakePacer(server as Server, { atOnce: 5, millis: 10, waiting: 20 }, (then) => turns.push(then));
    new Connections(server as Server, { most }, () => 0);
    let port = 0;
    const open = () => {
      const socket = new FakeSocket('127.0.0.1', ++port);
      server.emit('connection', socket);
      return socket;
    };
    const speak = (socket: FakeSocket) => void socket.emit('readable');
    return { begun, turns, open, speak };
  };
  const many = <T>(n: number, of: () => T): T[] => Array.from({ length: n }, of);

  it('have their handshakes a few in a turn, in the order in which they speak, and one alone at once', () => {
    const { begun, turns, open, speak } = setup();
    const alone = open();
    expect(begun).toEqual([]);
    speak(alone);
    expect([begun, turns.length]).toEqual([[alone], 1]);
    turns.shift()?.();
    // Nobody waits: no turn is planned.
    expect(turns).toEqual([]);
    const all = many(12, open);
    all.reverse().forEach(speak);
    expect(begun.length).toBe(6);
    // One that has gone meanwhile costs no turn.
    all[5]?.destroy();
    for (const wanted of [11, 12]) {
      expect(turns.length).toBe(1);
      turns.shift()?.();
      expect(begun.length).toBe(wanted);
    }
    expect(begun.slice(1)).toEqual(all.filter((s) => s !== all[5]));
    while (turns.length > 0) turns.shift()?.();
    speak(open());
    expect(begun.length).toBe(13);
  });
  it('that are silent take nobody’s turn, and go', () => {
    const { begun, open, speak } = setup();
    const silent = many(100, open);
    const late = open();
    speak(late);
    expect(begun).toEqual([late]);
    for (const s of [...silent, late]) s.emit('timeout');
    expect(silent.every((s) => s.destroyed)).toBe(true);
    expect(late.destroyed).toBe(false);
  });
  it('that are too many to wait are refused, and cost none its place that was there before', () => {
    const { begun, turns, open, speak } = setup(30);
    const first = many(25, open);
    first.forEach(speak);
    for (let i = 0; i < 100; i++) {
      const s = open();
      speak(s);
      expect(s.destroyed).toBe(true);
    }
    while (turns.length > 0) turns.shift()?.();
    expect(begun).toEqual(first);
    expect(first.some((s) => s.destroyed)).toBe(false);
    const next = open();
    speak(next);
    expect(begun.at(-1)).toBe(next);
  });
});

describe('connections', () => {
  const setup = (limits: ConstructorParameters<typeof Connections>[1]) => {
    const server = new EventEmitter();
    let now = 0;
    const connections = new Connections(server as Server, limits, () => now);
    let port = 0;
    return {
      connections,
      wait: (millis: number) => {
        now += millis;
      },
      open(address = '10.0.0.1') {
        const socket = new FakeSocket(address, ++port);
        server.emit('connection', socket);
        return socket;
      },
      begin: (socket: FakeSocket) => connections.begin(socket as unknown as Socket),
    };
  };
  it('make room: the oldest without a request goes, and none that has one', () => {
    const { open, begin } = setup({ most: 3 });
    const [a, b, c] = [open(), open(), open()];
    const end = begin(a);
    const d = open();
    expect([a, b, c, d].map((s) => s.destroyed)).toEqual([false, true, false, false]);
    end();
    // It was in use last.
    const e = open();
    expect([a, c, d, e].map((s) => s.destroyed)).toEqual([false, true, false, false]);
    for (const s of [a, d, e]) begin(s);
    expect(open().destroyed).toBe(true);
    a.destroy();
    expect(open().destroyed).toBe(false);
  });
  it('of one address leave room for others', () => {
    const { open, begin } = setup({ most: 4, perAddress: 2 });
    const own = [open('10.0.0.1'), open('10.0.0.1')];
    for (const s of own) begin(s);
    expect(open('10.0.0.1').destroyed).toBe(true);
    const other = open('10.0.0.2');
    expect([...own, other].some((s) => s.destroyed)).toBe(false);
  });
  it('come no faster than their handshakes can be made', () => {
    const { open, wait } = setup({ most: 1000, perSecond: 10 });
    const opened = Array.from({ length: 50 }, () => open());
    expect(opened.filter((s) => !s.destroyed)).toHaveLength(10);
    expect(open('10.0.0.2').destroyed).toBe(false);
    wait(1000);
    expect(open().destroyed).toBe(false);
  });
});

describe('answers that wait', () => {
  it('are so many bytes at most: the slowest readers go', () => {
    const answers = new Answers(100);
    const response = () =>
      Object.assign(new EventEmitter(), {
        destroyed: false,
        writableFinished: false,
        destroy(this: EventEmitter & { destroyed: boolean }) {
          this.destroyed = true;
        },
      });
    const all = [response(), response(), response(), response()];
    const add = (r: (typeof all)[0] | undefined) => answers.add(r as unknown as ServerResponse, 40);
    add(all[0]);
    add(all[1]);
    all[0]?.emit('finish');
    add(all[2]);
    expect(all.some((r) => r.destroyed)).toBe(false);
    add(all[3]);
    expect(all.map((r) => r.destroyed)).toEqual([false, true, false, false]);
  });
});

describe('slices', () => {
  it('give all works their turn, and the event loop its own', async () => {
    let now = 0;
    const slices = new Slices(8, () => now);
    const done: string[] = [];
    const work = (name: string, steps: number) => {
      let left = steps;
      slices.add(() => {
        now += 3;
        done.push(name);
        return --left > 0;
      });
    };
    work('a', 4);
    work('b', 2);
    await new Promise((resolve) => setImmediate(resolve));
    // Three steps of 3 ms are over 8 ms.
    expect(done).toEqual(['a', 'b', 'a']);
    while (done.length < 6) await new Promise((resolve) => setImmediate(resolve));
    expect(done).toEqual(['a', 'b', 'a', 'b', 'a', 'a']);
  });
});
