import { describe, expect, it } from 'vitest';
import { background, type Go, type Kernel, Millisecond, receive, Second, withTimeout } from '../kernel/index.js';
import { inProcessTransport } from './index.js';
import { podOf, podPath, setup } from './testing/setup.js';

function run<T>(kernel: Kernel, body: () => Go<T>): T | string {
  let out: T | string = 'never ended';
  kernel.go('test', function* () {
    try {
      out = yield* body();
    } catch (error) {
      out = (error as Error).message;
    }
  });
  kernel.run({ until: kernel.now() + 10 * Second, stop: () => out !== 'never ended' });
  return out;
}

describe('inProcessTransport', () => {
  const linked = () => {
    const t = setup();
    let up = true;
    const link = inProcessTransport(t.kernel, t.server, { user: { name: 'node', groups: [] }, reachable: () => up });
    return {
      ...t,
      link,
      cut: () => {
        up = false;
        link.disconnect();
      },
    };
  };
  it('asks and answers after its latency', () => {
    const { kernel, link } = linked();
    const before = kernel.now();
    const made = run(kernel, () => link.request(background, { method: 'POST', path: podPath, body: podOf('web') }));
    expect(made).toMatchObject({ code: 201, body: { metadata: { name: 'web' } } });
    expect(kernel.now() - before).toBeGreaterThanOrEqual(2 * Millisecond);
    expect(run(kernel, () => link.request(background, { method: 'GET', path: `${podPath}/no` }))).toMatchObject({
      code: 404,
      body: { reason: 'NotFound' },
    });
  });
  it('watches until it is cut off, stopped, or its context ends', () => {
    const t = linked();
    const watch = () => link.watch(background, { method: 'GET', path: podPath });
    const { kernel, link } = t;
    const ends: string[] = [];
    const follow = (name: string, open: () => ReturnType<typeof watch>) =>
      kernel.go(name, function* () {
        const w = yield* open();
        for (;;) {
          const [event, ok] = yield* receive(w.events);
          if (!ok) break;
          ends.push(`${name} ${event?.type}`);
          if (name === 'stopped') w.stop();
        }
        ends.push(`${name} end`);
      });
    follow('cut', watch);
    follow('stopped', watch);
    const [ctx] = withTimeout(kernel, background, Second);
    follow('ctx', () => link.watch(ctx, { method: 'GET', path: podPath }));
    kernel.run({ until: kernel.now() + 100 * Millisecond });
    t.call('POST', podPath, { json: podOf('web') });
    kernel.run({ until: kernel.now() + 2 * Second });
    expect(ends.sort()).toEqual(['ctx ADDED', 'ctx end', 'cut ADDED', 'stopped ADDED', 'stopped end']);
    t.cut();
    kernel.run({ until: kernel.now() + Second });
    expect(ends).toContain('cut end');
    expect(run(kernel, () => link.request(background, { method: 'GET', path: podPath }))).toBe(
      'dial tcp 10.96.0.1:443: connect: connection refused',
    );
  });
  it('hands over errors of a watch as its answer', () => {
    const { kernel, link } = linked();
    const out = run(kernel, () => link.watch(background, { method: 'GET', path: '/api/v1/nothing' }));
    expect(out).toMatchObject({ code: 404 });
    expect((out as { events: { closed: boolean } }).events.closed).toBe(true);
  });

  describe('a network that carries nothing', () => {
    const get = { method: 'GET', path: podPath } as const;
    /** Returns what a watch receives that is open when the network falls silent, with the seconds at which it does. */
    function watching() {
      const t = linked();
      const got: string[] = [];
      t.kernel.go('watch', function* () {
        const w = yield* t.link.watch(background, get);
        for (;;) {
          const [event, ok] = yield* receive(w.events);
          const object = event?.object as { metadata?: { name?: string }; message?: string } | undefined;
          const what = ok ? `${event?.type} ${object?.message ?? object?.metadata?.name}` : 'end';
          got.push(`${Math.round(t.kernel.now() / Second)} ${what}`);
          if (!ok) return;
        }
      });
      const wait = (seconds: number) => t.kernel.run({ until: t.kernel.now() + seconds * Second });
      wait(1);
      return { ...t, got, wait };
    }

    it('is late where it is back before the connection is given up', () => {
      const t = watching();
      const back = t.link.silence();
      t.call('POST', podPath, { json: podOf('web') });
      t.wait(20);
      expect(t.got).toEqual([]);
      back();
      t.wait(1);
      expect(t.got).toEqual(['21 ADDED web']);
    });
    it('[1:E23] loses the connection after 45 seconds: its watches end with an error', () => {
      const t = watching();
      t.link.silence();
      t.call('POST', podPath, { json: podOf('web') });
      t.wait(60);
      expect(t.got).toEqual([
        '46 ERROR an error on the server ("unable to decode an event from the watch stream: http2: client connection lost") has prevented the request from succeeding',
        '46 end',
      ]);
    });
    it('[1:E23] keeps requests waiting until their own time, the connection or the dialling ends', () => {
      const t = watching();
      const ask = (timeout?: number) => {
        const before = t.kernel.now();
        let out = '';
        t.kernel.go('ask', function* () {
          try {
            out = `${(yield* t.link.request(background, { ...get, ...(timeout && { timeout: timeout * Second }) })).code}`;
          } catch (err) {
            out = (err as Error).message;
          }
        });
        t.kernel.run({ until: before + 100 * Second, stop: () => out !== '' });
        return `${Math.round((t.kernel.now() - before) / Second)} ${out}`;
      };
      const back = t.link.silence();
      const again = t.link.silence();
      expect(ask(10)).toBe('10 context deadline exceeded (Client.Timeout exceeded while awaiting headers)');
      expect(ask()).toBe('35 http2: client connection lost');
      expect(ask()).toBe('30 dial tcp 10.96.0.1:443: i/o timeout');
      back();
      back();
      expect(ask()).toBe('30 dial tcp 10.96.0.1:443: i/o timeout');
      again();
      expect(ask()).toBe('0 200');
    });
    it('tells late of a server that has ended the watch', () => {
      const t = watching();
      const back = t.link.silence();
      t.wait(1);
      t.link.disconnect();
      back();
      t.wait(1);
      expect(t.got).toEqual(['2 end']);
    });
  });
});
