import { describe, expect, it } from 'vitest';
import { DeadlockError, type Go } from '../../kernel/index.js';
import { testKernel } from '../status/testing/fixtures.js';
import { emptyPodStatus, newCache } from './cache.js';

function setup(options?: { eventedPLEG?: boolean }) {
  const t = testKernel();
  const cache = newCache(t.kernel, options);
  const got: string[] = [];
  /** Starts a waiter that notes when it woke. */
  const wait = (uid: string, minTime: number): void => {
    t.kernel.go(`wait ${uid}`, function* (): Go<void> {
      const s = yield* cache.getNewerThan(uid, minTime);
      got.push(`${uid}:${s.name || 'empty'}`);
    });
  };
  /** Runs until nobody can; a waiter that sleeps on is fine. */
  const settle = (): void => {
    try {
      t.kernel.run();
    } catch (error) {
      if (!(error instanceof DeadlockError)) throw error;
    }
  };
  return { ...t, cache, got, wait, settle };
}

describe('pod cache', () => {
  it('[1:P13] get never blocks: an unknown uid gives an empty status without an error', () => {
    const { cache } = setup();
    expect(cache.get('u')).toEqual(emptyPodStatus('u'));
  });

  it('[1:P13] get throws the error of the last inspection', () => {
    const { cache } = setup();
    cache.set('u', emptyPodStatus('u'), new Error('no runtime'), 5);
    expect(() => cache.get('u')).toThrow('no runtime');
    cache.set('u', emptyPodStatus('u', 'a'), null, 6);
    expect(cache.get('u').name).toBe('a');
  });

  it('[1:P13] getNewerThan returns at once only if modified, observed or global time is strictly newer', () => {
    for (const mark of ['modified', 'observed', 'global'] as const) {
      const { cache, got, wait, settle } = setup();
      cache.set('u', emptyPodStatus('u', 'a'), null, mark === 'modified' ? 11 : 1);
      if (mark === 'observed') cache.setObservedTime('u', 11);
      if (mark === 'global') cache.updateTime(11);
      wait('u', 11);
      settle();
      expect(got, mark).toEqual([]);
      wait('u', 10);
      settle();
      expect(got, mark).toEqual(['u:a']);
    }
  });

  it('[1:P13] for an unknown uid only the global time counts', () => {
    const { cache, got, wait, settle } = setup();
    cache.setObservedTime('u', 100);
    wait('u', 10);
    settle();
    expect(got).toEqual([]);
    cache.updateTime(50);
    settle();
    expect(got).toEqual(['u:empty']);
  });

  it('[1:P14] waiting subscribers are released at a time equal to their bound', () => {
    const { cache, got, wait, settle } = setup();
    wait('u', 10);
    wait('v', 11);
    settle();
    cache.updateTime(10);
    settle();
    expect(got).toEqual(['u:empty']);
  });

  it('[1:P14] before the first global update nothing uncached is fresh, not even for time zero', () => {
    const { cache, got, wait, settle } = setup();
    wait('u', 0);
    settle();
    expect(got).toEqual([]);
    cache.updateTime(1);
    settle();
    expect(got).toEqual(['u:empty']);
  });

  it('[1:P14] delete wakes nobody', () => {
    const { cache, got, wait, settle } = setup();
    cache.set('u', emptyPodStatus('u', 'a'), null, 1);
    wait('u', 5);
    settle();
    cache.delete('u');
    settle();
    expect(got).toEqual([]);
    cache.updateTime(6);
    settle();
    expect(got).toEqual(['u:empty']);
  });

  it('[1:P14] set overwrites with an older time, except with the evented PLEG', () => {
    const plain = setup();
    plain.cache.set('u', emptyPodStatus('u', 'new'), null, 10);
    expect(plain.cache.set('u', emptyPodStatus('u', 'old'), null, 5)).toBe(true);
    expect(plain.cache.get('u').name).toBe('old');
    const evented = setup({ eventedPLEG: true });
    evented.cache.set('u', emptyPodStatus('u', 'new'), null, 10);
    expect(evented.cache.set('u', emptyPodStatus('u', 'old'), null, 5)).toBe(false);
    expect(evented.cache.get('u').name).toBe('new');
  });

  it('a set that wakes a worker is the cause of what the worker does', () => {
    const { kernel, cache, of, settle } = setup();
    kernel.go('worker', function* () {
      yield* cache.getNewerThan('u', 5);
      kernel.emit({ kind: 'source', source: 'woken', origin: 'list', pods: [] });
    });
    settle();
    kernel.go('pleg', function* () {
      cache.set('u', emptyPodStatus('u', 'a', 'ns'), null, 6);
    });
    settle();
    const receive = of('receive')[0];
    const send = of('send')[0];
    expect(of('source')[0]?.cause).toBe(receive?.seq);
    expect(receive?.cause).toBe(send?.seq);
    expect(send?.cause).toBe(of('cache')[0]?.seq);
    expect(of('cache')[0]).toMatchObject({ op: 'set', pod: 'ns/a', uid: 'u', modified: 6 });
  });
});
