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
});
