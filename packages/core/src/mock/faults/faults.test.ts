import { describe, expect, it } from 'vitest';
import { background, frame, Second, withTimeout } from '../../kernel/index.js';
import { Bench, loop } from '../testing/runtime.js';

describe('faults', () => {
  const list = (b: Bench) => b.failure(b.s.listContainers(background, {}));

  it('fails the nth call, so many times', () => {
    const b = new Bench();
    b.mock.faults.add({
      method: 'ListContainers',
      nth: 2,
      times: 2,
      effect: { kind: 'error', code: 'Internal', message: 'boom' },
    });
    expect([1, 2, 3, 4].map(() => list(b))).toEqual([
      'succeeded',
      'rpc error: code = Internal desc = boom',
      'rpc error: code = Internal desc = boom',
      'succeeded',
    ]);
    expect(b.records.filter((r) => r.kind === 'fault')).toHaveLength(2);
    expect(b.records.find((r) => r.kind === 'fault')).toMatchObject({
      rule: 'ListContainers error',
      method: 'ListContainers',
      effect: 'Internal: boom',
    });
  });

  it('hits only the pod and container that it names', () => {
    const b = new Bench();
    b.mock.faults.add({
      method: 'startContainer',
      pod: 'bad',
      container: 'app',
      effect: { kind: 'error', code: 'Unknown', message: 'no' },
    });
    b.do(() => b.pod('good', loop));
    expect(b.failure(b.pod('bad', loop))).toMatch(/desc = no$/);
    // Before: nothing was done.
    expect(b.mock.containers().map((c) => [c.pod, c.state])).toEqual([
      ['good-node1', 'running'],
      ['bad-node1', 'created'],
    ]);
  });

  it('can lose the answer of what was done', () => {
    const b = new Bench();
    b.mock.faults.add({
      method: 'RunPodSandbox',
      effect: { kind: 'error', code: 'Unavailable', message: 'gone', when: 'after' },
    });
    expect(b.failure(b.pod('a', loop))).toMatch(/Unavailable desc = gone/);
    expect(b.mock.sandboxes()).toHaveLength(1);
  });

  it('delays by times that vary, from its own seed', () => {
    const times = () => {
      const b = new Bench();
      b.mock.faults.add({ method: 'ListContainers', effect: { kind: 'delay', duration: 10 * Second, jitter: 0.5 } });
      return [1, 2, 3, 4, 5].map(() => {
        const before = b.k.now();
        list(b);
        return b.k.now() - before;
      });
    };
    const one = times();
    expect(new Set(one).size).toBe(5);
    for (const t of one) expect(t > 5 * Second && t < 15.1 * Second).toBe(true);
    expect(times()).toEqual(one);
  });

  it('hits only calls that come from within a function', () => {
    const b = new Bench();
    b.mock.faults.add({
      method: 'ListContainers',
      within: 'Relist',
      effect: { kind: 'error', code: 'Internal', message: 'boom' },
    });
    const call = () => b.s.listContainers(background, {});
    expect(list(b)).toBe('succeeded');
    expect(b.failure(frame('Relist', undefined, () => frame('deeper', undefined, call)))).toMatch(/boom$/);
    expect(b.failure(frame('other', undefined, call))).toBe('succeeded');
  });

  it('delays and hangs', () => {
    const b = new Bench();
    b.mock.faults.add({ method: 'ListContainers', times: 1, effect: { kind: 'delay', duration: 3 * Second } });
    const before = b.k.now();
    expect(list(b)).toBe('succeeded');
    expect((b.k.now() - before) / Second).toBeGreaterThan(3);
    b.mock.faults.clear();
    b.mock.faults.add({ method: '*', effect: { kind: 'hang' } });
    const [ctx] = withTimeout(b.k, background, Second);
    expect(b.failure(b.s.version(ctx, {}))).toMatch(/DeadlineExceeded/);
  });

  it('a call that is slow holds the name that it reserved, and comes to nothing when its caller has given up', () => {
    const b = new Bench();
    const config = b.sandboxConfig('a');
    const [ctx] = withTimeout(b.k, background, Second);
    for (const method of ['RunPodSandbox', 'CreateContainer'])
      b.mock.faults.add({ method, times: 1, effect: { kind: 'delay', duration: 5 * Second } });
    const run = () => b.s.runPodSandbox(background, { config });
    expect(b.failure(b.s.runPodSandbox(ctx, { config }))).toMatch(/DeadlineExceeded/);
    expect(b.failure(run())).toMatch(/failed to reserve sandbox name .* is reserved for/);
    b.seconds(5);
    expect(b.mock.sandboxes()).toEqual([]);
    const { podSandboxId } = b.do(run);

    const container = { metadata: { name: 'app' }, image: { image: 'localhost/busybox:dev' }, command: loop };
    const create = (c = background) =>
      b.s.createContainer(c, { podSandboxId, config: container, sandboxConfig: config });
    expect(b.failure(create(withTimeout(b.k, background, Second)[0]))).toMatch(/DeadlineExceeded/);
    expect(b.failure(create())).toMatch(/failed to reserve container name "app_.*_0": name .* is reserved for/);
    b.seconds(5);
    expect(b.mock.containers()).toEqual([]);
    expect(b.failure(create())).toBe('succeeded');
  });

  it('draws, and is taken back', () => {
    const b = new Bench();
    const remove = b.mock.faults.add({
      method: 'Version',
      probability: 0.5,
      effect: { kind: 'error', code: 'Internal', message: 'x' },
    });
    const results = Array.from({ length: 40 }, () => b.failure(b.s.version(background, {})) === 'succeeded');
    expect(results.filter(Boolean).length).toBeGreaterThan(8);
    expect(results.filter((r) => !r).length).toBeGreaterThan(8);
    remove();
    expect(b.mock.faults.rules).toEqual([]);
  });

  it('refuses a method or code that does not exist', () => {
    const b = new Bench();
    expect(() => b.mock.faults.add({ method: 'StartContaine', effect: { kind: 'hang' } })).toThrow(
      "there is no CRI method 'StartContaine'",
    );
    expect(() =>
      b.mock.faults.add({ method: '*', effect: { kind: 'error', code: 'Nope' as never, message: '' } }),
    ).toThrow("there is no gRPC code 'Nope'");
  });

  it('matches images', () => {
    const b = new Bench();
    b.mock.faults.add({
      method: 'PullImage',
      image: 'nginx',
      effect: { kind: 'error', code: 'Unknown', message: 'disk full' },
    });
    expect(b.failure(b.s.pullImage(background, { image: { image: 'nginx' } }))).toMatch(/disk full/);
    expect(b.failure(b.s.pullImage(background, { image: { image: 'busybox' } }))).toBe('succeeded');
  });
});
