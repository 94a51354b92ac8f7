import { describe, expect, it } from 'vitest';
import { find, flaws, runOf, seqAt } from './testing/runs.js';
import type { WhyNotQuestion } from './types.js';
import { whyNot } from './why-not.js';

/** The codes of the findings at a moment, in seconds. */
function codes(scenario: string, seconds: number, question: WhyNotQuestion): string[] {
  const store = runOf(scenario);
  const a = whyNot(store, { ...question, at: seqAt(store, seconds) });
  expect(flaws(store, a)).toEqual([]);
  for (const f of a.findings) {
    expect(f.seq === 0 || store.get(f.seq) !== undefined).toBe(true);
    expect(f.text.zh).toMatch(/[一-鿿]|: /);
    expect(f.text.en + f.text.zh).not.toMatch(/undefined|NaN|\[object/);
  }
  return a.findings.map((f) => f.code);
}

const seconds = (micros: number) => (micros / 1e6).toFixed(3);

describe('whyNot: a pod that is not Running', () => {
  const cases: [scenario: string, seconds: number, uid: string, code: string][] = [
    ['image-missing', 1.05, 'app', 'sandbox-creating'],
    ['image-missing', 1.3, 'app', 'image-pulling'],
    ['image-missing', 5, 'app', 'image-pull-failed'],
    ['slow-pull', 5, 'small', 'image-pull-queued'],
    ['network-not-ready', 8, 'web', 'network-not-ready'],
    ['admission-refused', 3, 'greedy', 'admission-refused'],
    ['static-pod-edited', 7, 'web', 'waits-for-other-static-pod'],
    ['init-and-sidecar', 2.5, 'shop', 'init-running'],
    ['init-failing', 15, 'patient', 'init-failing'],
    ['volume-missing', 4, 'reader', 'volumes'],
    ['config-error', 3, 'rooted', 'config-error'],
    ['sandbox-error', 5, 'web', 'sandbox-failed'],
    ['post-start-fails', 1.3, 'hooked', 'post-start'],
    ['kubelet-crash', 6, 'half', 'kubelet-down'],
    ['hello', 2.5, 'hello', 'is-running'],
  ];
  it.each(cases)('in %s at %d s: %s for %s', (scenario, seconds, uid, code) => {
    expect(codes(scenario, seconds, { about: 'pending', uid })[0]).toBe(code);
  });

  it('names rule and values of a back-off', () => {
    const store = runOf('image-missing');
    const a = whyNot(store, { about: 'pending', uid: 'app', at: seqAt(store, 5) });
    const backoff = a.findings[1];
    expect(backoff).toMatchObject({ rule: 'EnsureImageExists', values: { delay: 10_000_000, active: true } });
    const until = Number(backoff?.values?.until);
    const begun = store.get(seqAt(store, (until - 10_000_000) / 1e6))?.time ?? 0;
    expect(until - begun).toBeLessThan(10_100_000);
    expect(a.summary.en).toContain(`before ${seconds(until)} s`);
    // And why that: the runtime's answer is among the links.
    expect(a.links.some((l) => l.kind === 'cri-return' && l.text.en.includes('not found'))).toBe(true);
  });
  it.each([3, 5, 20, 40])('begins with the answer of the registry where an image is missing, at %d s', (seconds) => {
    const store = runOf('image-missing');
    const a = whyNot(store, { about: 'pending', uid: 'app', at: seqAt(store, seconds) });
    expect(a.summary.en).toMatch(/^The registry answered at \d+\.\d+ s: .*not found/);
    expect(a.summary.zh).toMatch(/^镜像仓库在 \d+\.\d+ s 答复：/);
    const [first] = a.findings;
    expect(store.get(first?.seq ?? 0)).toMatchObject({ kind: 'cri-return', method: 'PullImage' });
    // It is said once.
    expect(a.findings.filter((f) => f.text.en.includes('not found'))).toHaveLength(1);
  });
});

describe('whyNot: a pod that is not Ready', () => {
  it('names the probe, the back-off, or that it is', () => {
    expect(codes('readiness', 8.5, { about: 'ready', uid: 'web' })).toEqual(['readiness-probe']);
    expect(codes('crash-loop', 7, { about: 'ready', uid: 'crash' })[0]).toBe('back-off');
    expect(codes('startup-probe', 3.5, { about: 'ready', uid: 'slow' })).toEqual(['startup-probe', 'below-threshold']);
    expect(codes('readiness', 4, { about: 'ready', uid: 'web' })).toEqual(['is-ready']);
    expect(codes('run-to-completion', 12, { about: 'ready', uid: 'backup' })).toEqual(['ended']);
  });
});

describe('whyNot: a container that was not started again', () => {
  it('waits for its back-off, with its rule and its end', () => {
    const store = runOf('crash-loop');
    const a = whyNot(store, { about: 'restart', uid: 'crash', container: 'app', at: seqAt(store, 7) });
    expect(a.findings.map((f) => f.code)).toEqual(['back-off', 'due-later']);
    expect(a.findings[0]).toMatchObject({ rule: 'doBackOff', values: { delay: 10_000_000 } });
    const exit = find(store, 'actual-container', (c) => c.state === 'exited', 1);
    expect(a.roots[0]).toBe(exit.seq);
    const until = Number(a.findings[0]?.values?.until);
    expect(Math.abs(until - exit.time - 10_000_000)).toBeLessThan(500_000);
    expect(a.summary.en).toContain(`not restarted before ${seconds(until)} s`);
  });
  it('tells one that is over from one whose worker is not due', () => {
    const store = runOf('crash-loop');
    const over = whyNot(store, { about: 'restart', uid: 'crash', container: 'app', at: seqAt(store, 40) });
    const [, since, next] =
      /has been over since ([\d.]+) s; its worker's next turn is at ([\d.]+) s/.exec(over.summary.en) ?? [];
    expect(Number(since)).toBeLessThan(40);
    expect(Number(next)).toBeGreaterThan(40);
  });
  it('has not been noticed yet, is still being stopped, runs, or is not to by its policy', () => {
    const ask = { about: 'restart', uid: 'crash', container: 'app' } as const;
    expect(codes('crash-loop', 2.5, ask)[0]).toBe('not-noticed');
    expect(codes('crash-loop', 1.5, ask)).toEqual(['is-running']);
    expect(codes('liveness', 17, { ...ask, uid: 'live' })).toEqual(['container-stopping', 'is-running']);
    expect(codes('run-to-completion', 8, { ...ask, uid: 'backup', container: 'job' })).toContain('restart-policy');
    expect(codes('run-to-completion', 8, { ...ask, uid: 'import', container: 'job' })[0]).toBe('restart-policy');
    expect(codes('graceful-delete', 7, { ...ask, uid: 'polite' })).toContain('terminating');
    expect(codes('runtime-stopped', 22, { ...ask, uid: 'brief' }).slice(0, 2)).toEqual(['runtime-down', 'not-noticed']);
    expect(codes('runtime-stopped', 40, { ...ask, uid: 'brief' })[0]).toBe('loop-stopped');
  });
});

describe('whyNot: a worker that was not run', () => {
  it('is due later, at work, waits for the cache, for another pod, or has ended', () => {
    expect(codes('crash-loop', 7, { about: 'worker', uid: 'crash' })).toEqual(['due-later']);
    expect(codes('image-missing', 1.3, { about: 'worker', uid: 'app' })).toEqual(['is-working']);
    expect(codes('post-start-fails', 4, { about: 'worker', uid: 'hooked' })).toEqual(['waits-for-cache']);
    expect(codes('static-pod-edited', 7, { about: 'worker', uid: 'web' })[0]).toBe('waits-for-other-static-pod');
    expect(codes('admission-refused', 3, { about: 'worker', uid: 'greedy' })).toEqual(['admission-refused']);
    expect(codes('run-to-completion', 12, { about: 'worker', uid: 'report' })).toEqual(['ended']);
    expect(codes('kubelet-crash', 6, { about: 'worker', uid: 'orphan' })).toEqual(['kubelet-down']);
  });
});

describe('whyNot: a probe that did not restart the container', () => {
  it('waits, is below its threshold, has succeeded, or did', () => {
    const live = { about: 'probe', uid: 'live', container: 'app' } as const;
    expect(codes('liveness', 13, live)).toEqual(['below-threshold']);
    expect(codes('liveness', 9, live)).toEqual(['succeeds']);
    expect(codes('liveness', 17, live)).toEqual(['it-did']);
    expect(codes('liveness', 18.5, live)[0]).toBe('on-hold');
    expect(
      codes('startup-probe', 3.5, { about: 'probe', uid: 'slow', container: 'app', probeType: 'liveness' }),
    ).toEqual(['startup-not-succeeded']);
    expect(codes('readiness', 8.5, { about: 'probe', uid: 'web', container: 'server' })[0]).toBe(
      'readiness-never-restarts',
    );
    expect(codes('crash-loop', 7, { about: 'probe', uid: 'crash', container: 'app' })).toEqual(['no-probe']);
  });
  it('names run and threshold', () => {
    const store = runOf('liveness');
    const a = whyNot(store, { about: 'probe', uid: 'live', container: 'app', at: seqAt(store, 15) });
    expect(a.findings[0]).toMatchObject({ rule: 'doProbe', values: { outcome: 'failure', run: 2, threshold: 3 } });
    expect(a.links.at(-1)?.kind).toBe('probe');
  });
});

describe('whyNot: bad questions', () => {
  it('are refused with what would do', () => {
    const store = runOf('hello');
    expect(() => whyNot(store, { about: 'record', seq: 1 })).toThrow(/question of why; whyNot takes pending/);
    expect(() => whyNot(store, { about: 'ready', uid: 'x' })).toThrow(/there is no pod "x"/);
    expect(() => whyNot(store, { about: 'ready', uid: 'hello', at: 999_999 })).toThrow(
      /record 999999 is not in memory/,
    );
  });
});
