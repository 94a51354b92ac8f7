import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Answers, Connections, Seats } from './seats.js';
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
