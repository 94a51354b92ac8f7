import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CRIError, type CRIServices, GrpcCode, type RpcMethod, servicesFrom } from '../cri/index.js';
import {
  background,
  type Context,
  type Go,
  Kernel,
  Millisecond,
  Second,
  seeded,
  sleep,
  withCancel,
  withTimeout,
} from '../kernel/index.js';
import type { TraceRecord } from '../trace/index.js';
import { newPacedServices, pacePatience } from './cri-paced.js';
import { manifest, setup } from './testing/fake-node.js';

interface Entry {
  readonly name: string;
  readonly from: number;
  to: number;
}

/** A runtime whose calls take as long as their request says, behind `width` slots. */
function paced(width: number, seed?: number) {
  const records: TraceRecord[] = [];
  const kernel = new Kernel({
    sink: (r) => records.push(r),
    ...(seed !== undefined && { policy: seeded(seed, { goroutines: true, preempts: true }) }),
  });
  const calls: Entry[] = [];
  const inside = new Set<Entry>();
  let most = 0;
  const runtime = servicesFrom(function* (method, _ctx, request) {
    const { name = method, takes = 10 * Millisecond } = request as { name?: string; takes?: number };
    const entry: Entry = { name, from: kernel.now(), to: -1 };
    calls.push(entry);
    inside.add(entry);
    most = Math.max(most, inside.size);
    try {
      yield* sleep(takes);
      if (name.startsWith('bad')) throw new CRIError(GrpcCode.Unknown, 'no');
    } finally {
      entry.to = kernel.now();
      inside.delete(entry);
    }
    return {};
  });
  const services = newPacedServices(kernel, runtime, width);
  const call = (method: RpcMethod, name: string, takes?: number, ctx: Context = background): Go<object> =>
    (services as unknown as Record<RpcMethod, (ctx: Context, request: object) => Go<object>>)[method](ctx, {
      name,
      ...(takes !== undefined && { takes }),
    });
  /** Starts a goroutine that makes one call; what becomes of it is in the result. */
  const go = (method: RpcMethod, name: string, takes?: number, ctx?: Context) => {
    const end: { error?: unknown; at?: number } = {};
    kernel.go(name, function* () {
      try {
        yield* call(method, name, takes, ctx);
      } catch (err) {
        end.error = err;
      }
      end.at = kernel.now();
    });
    return end;
  };
  return { kernel, records, services, calls, call, go, most: () => most, order: () => calls.map((c) => c.name) };
}

const waits = (records: readonly TraceRecord[]) =>
  records.filter((r) => r.kind === 'enter' && r.fn === 'waitForRuntimeSlot');

describe('paced mode', () => {
  it('lets so many in and the others after them, in the order in which they came', () => {
    const t = paced(2);
    for (const name of ['a', 'b', 'c', 'd', 'e']) t.go('runPodSandbox', name);
    t.kernel.run();
    expect(t.calls.map((c) => [c.name, Math.round(c.from / Millisecond)])).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 10],
      ['d', 10],
      ['e', 20],
    ]);
    expect(t.most()).toBe(2);
  });

  it('shows who waits for what, and nothing where nobody waits', () => {
    const t = paced(1);
    t.go('createContainer', 'first');
    t.kernel.run();
    expect(waits(t.records)).toEqual([]);
    const runtime = servicesFrom(function* () {
      yield* sleep(Second);
      return {};
    });
    const services = newPacedServices(t.kernel, runtime, 1);
    const metadata = { name: 'web', namespace: 'default', uid: 'u1' };
    for (const uid of ['u1', 'u2'])
      t.kernel.go(uid, function* () {
        yield* services.runPodSandbox(background, { config: { metadata: { ...metadata, uid } } });
      });
    t.kernel.run();
    expect(t.records.filter((r) => r.kind === 'decision')).toMatchObject([
      {
        rule: 'waitForRuntimeSlot',
        verdict: 'wait',
        pod: 'default/web',
        uid: 'u2',
        values: { method: 'RunPodSandbox', width: 1, running: 1, line: 'fresh', ongoing: 0, fresh: 0 },
      },
    ]);
    expect(t.records.filter((r) => r.kind === 'wait' && r.on.op === 'lock')).toMatchObject([
      { on: { op: 'lock', name: 'runtime slot' } },
    ]);
    expect(waits(t.records)).toMatchObject([{ args: { method: 'RunPodSandbox', pod: 'default/web' } }]);
  });

  it('finishes pods one after another', () => {
    const t = paced(2);
    const pods = Array.from({ length: 8 }, (_, i) => `pod${i}`);
    for (const pod of pods)
      t.kernel.go(pod, function* () {
        yield* t.call('runPodSandbox', `${pod} sandbox`);
        yield* t.call('createContainer', `${pod} create`);
        yield* t.call('startContainer', `${pod} start`);
      });
    t.kernel.run();
    const at = (name: string) => t.order().indexOf(name);
    expect(at('pod0 start')).toBeLessThan(at('pod4 sandbox'));
    expect(at('pod3 start')).toBeLessThan(at('pod7 sandbox'));
    expect(t.most()).toBe(2);
  });

  it('lets nobody be overtaken for ever', () => {
    const t = paced(1);
    for (const worker of [0, 1])
      t.kernel.go(`worker${worker}`, function* () {
        for (let i = 0; i < 50; i++) yield* t.call('startContainer', 'start');
      });
    const fresh = t.go('runPodSandbox', 'fresh');
    t.kernel.run();
    expect(fresh.error).toBeUndefined();
    // One is inside when it comes; eight may pass.
    expect(t.order().indexOf('fresh')).toBeLessThanOrEqual(9);
    expect(t.order().indexOf('fresh')).toBeGreaterThan(2);
  });

  it('holds nobody up who only looks, pulls, executes or stops', () => {
    const t = paced(1);
    t.go('runPodSandbox', 'long', 5 * Second);
    const free: RpcMethod[] = ['listContainers', 'podSandboxStatus', 'pullImage', 'execSync', 'stopContainer'];
    const ends = free.map((method) => t.go(method, method, Millisecond));
    t.kernel.run();
    for (const { at = Infinity } of ends) expect(at).toBeLessThan(5 * Millisecond);
    expect(waits(t.records)).toEqual([]);
  });

  it('takes a call whose context ends out of the line, before it reached the runtime', () => {
    const t = paced(1);
    const [cancelled, cancel] = withCancel(t.kernel, background);
    const [late] = withTimeout(t.kernel, background, 20 * Millisecond);
    t.go('runPodSandbox', 'first', 100 * Millisecond);
    const a = t.go('createContainer', 'cancelled', 10, cancelled);
    const b = t.go('createContainer', 'late', 10, late);
    const c = t.go('createContainer', 'patient', 10);
    t.kernel.go('user', function* () {
      yield* sleep(10 * Millisecond);
      cancel();
    });
    t.kernel.run();
    expect(a.error).toMatchObject({ code: GrpcCode.Canceled, details: 'context canceled' });
    expect(b.error).toMatchObject({ code: GrpcCode.DeadlineExceeded, details: 'context deadline exceeded' });
    expect(Math.round((b.at as number) / Millisecond)).toBe(20);
    expect(c.error).toBeUndefined();
    expect(t.order()).toEqual(['first', 'patient']);
    // An ended context does not even join.
    const d = t.go('runPodSandbox', 'again', 10);
    const e = t.go('createContainer', 'too late', 10, cancelled);
    t.kernel.run();
    expect(d.error).toBeUndefined();
    expect(e.error).toMatchObject({ code: GrpcCode.Canceled });
    // And leaves nothing in it that could be given a slot.
    for (const name of ['one', 'two', 'three']) t.go('runPodSandbox', name);
    t.kernel.run();
    expect(t.order()).toEqual(['first', 'patient', 'again', 'one', 'two', 'three']);
    expect(t.kernel.now()).toBeLessThan(pacePatience);
  });

  it('waits no longer for a call that hangs, and counts it only once when it comes back', () => {
    const t = paced(1);
    t.go('runPodSandbox', 'stuck', 60 * Second);
    const next = t.go('runPodSandbox', 'next', 30 * Second);
    t.kernel.run({ until: 5 * Second });
    expect(t.order()).toEqual(['stuck']);
    t.kernel.run({ until: 11 * Second });
    expect(t.calls.map((c) => Math.floor(c.from / Second))).toEqual([0, pacePatience / Second]);
    t.kernel.run();
    expect(next.error).toBeUndefined();
    // Both have been back for long: there is one slot again, not three.
    for (const name of ['x', 'y', 'z']) t.go('runPodSandbox', name, Second);
    const before = t.most();
    t.kernel.run();
    const [x, y, z] = t.calls.slice(-3) as [Entry, Entry, Entry];
    expect(before).toBe(2);
    expect(y.from).toBeGreaterThanOrEqual(x.to);
    expect(z.from).toBeGreaterThanOrEqual(y.to);
  });

  it('gives the slot back when a call fails', () => {
    const t = paced(1);
    const bad = t.go('runPodSandbox', 'bad');
    const good = t.go('runPodSandbox', 'good');
    t.kernel.run();
    expect(bad.error).toMatchObject({ details: 'no' });
    expect(good.error).toBeUndefined();
    expect(t.calls[1]?.from).toBeLessThan(pacePatience);
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses a width of %d', (width) => {
    expect(() => newPacedServices(new Kernel(), {} as CRIServices, width)).toThrow(
      `the runtime's concurrency is ${width}, but must be a whole number of at least 1`,
    );
  });

  it('never lets more in, never forgets anybody, whatever the order, lengths and ends', () => {
    const methods: RpcMethod[] = [
      'runPodSandbox',
      'createContainer',
      'startContainer',
      'stopPodSandbox',
      'removeContainer',
      'removePodSandbox',
    ];
    const job = fc.record({
      method: fc.constantFrom(...methods),
      after: fc.integer({ min: 0, max: 50 }),
      takes: fc.integer({ min: 0, max: 40 }),
      patience: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
      fails: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 1e6 }),
        fc.array(job, { maxLength: 30 }),
        (width, seed, jobs) => {
          const t = paced(width, seed);
          const ends = jobs.map(({ method, after, takes, patience, fails }, i) => {
            const end: { error?: unknown; over?: true } = {};
            t.kernel.go(`job${i}`, function* () {
              yield* sleep(after * Millisecond);
              const ctx =
                patience === undefined ? background : withTimeout(t.kernel, background, patience * Millisecond)[0];
              try {
                yield* t.call(method, `${fails ? 'bad' : 'job'}${i}`, takes * Millisecond, ctx);
              } catch (err) {
                end.error = err;
              }
              end.over = true;
            });
            return end;
          });
          t.kernel.run();
          expect(ends.every(({ over }) => over)).toBe(true);
          expect(t.most()).toBeLessThanOrEqual(width);
          for (const [i, { error }] of ends.entries()) {
            if (!t.order().includes(`${jobs[i]?.fails ? 'bad' : 'job'}${i}`))
              expect(error).toMatchObject({ code: GrpcCode.DeadlineExceeded });
            else if (jobs[i]?.fails) expect(error).toMatchObject({ details: 'no' });
            else expect(error).toBeUndefined();
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('a kubelet in paced mode', () => {
  const manifests = Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [`p${i}.yaml`, manifest(`p${i}`)] as const),
  );
  /** Most calls of these names that were under way at once. */
  const most = (records: readonly TraceRecord[], names: readonly string[]) => {
    let now = 0;
    let max = 0;
    for (const r of records) {
      if (r.kind === 'cri-call' && names.includes(r.method)) max = Math.max(max, ++now);
      if (r.kind === 'cri-return' && names.includes(r.method)) now--;
    }
    return max;
  };
  const work = ['RunPodSandbox', 'CreateContainer', 'StartContainer', 'StopPodSandbox', 'RemovePodSandbox'];
  const node = (runtimeConcurrency: number | undefined, seed?: number) => {
    const t = setup({
      manifests,
      config: runtimeConcurrency === undefined ? {} : { runtimeConcurrency },
      ...(seed !== undefined && { seed }),
    });
    for (const name of work) t.cri.slow.set(name, 50 * Millisecond);
    return t;
  };
  const running = (t: ReturnType<typeof node>) => t.kl.getPods().filter((p) => p.status.phase === 'Running').length;

  it.each([undefined, 0])('is one as upstream where it is %s: all pods at once', (concurrency) => {
    const t = node(concurrency);
    t.run(10);
    expect(running(t)).toBe(12);
    expect(most(t.records, ['RunPodSandbox'])).toBe(12);
    expect(waits(t.records)).toEqual([]);
  });

  it.each([undefined, 1, 2, 3])('starts all pods, three calls at a time (seed %s)', (seed) => {
    const t = node(3, seed);
    t.run(20);
    expect(running(t)).toBe(12);
    expect(most(t.records, work)).toBe(3);
    expect(waits(t.records).length).toBeGreaterThan(10);
    for (const file of Object.keys(manifests)) t.os.rm(`/m/${file}`);
    t.run(30);
    expect(t.kl.getPods()).toEqual([]);
    expect([...t.cri.sandboxes.values()].filter((s) => s.state === 'SANDBOX_READY')).toEqual([]);
    expect(most(t.records, work)).toBe(3);
  });

  it('may be killed while calls wait and run; the next one begins with all slots free', () => {
    const t = node(2);
    t.run(0.12);
    expect(most(t.records, work)).toBe(2);
    t.k.kill(t.kl.process);
    const at = t.records.length;
    const next = t.start();
    t.run(30);
    expect(next.getPods().filter((p) => p.status.phase === 'Running')).toHaveLength(12);
    expect(waits(t.records.slice(at)).length).toBeGreaterThan(5);
    // Killed calls never return; those after them are bounded as before.
    expect(most(t.records.slice(at), work)).toBe(2);
  });
});
