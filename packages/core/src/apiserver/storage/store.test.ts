import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../types.js';
import { type Change, Store } from './store.js';

const object = (name: string, n = 0): ApiObject => ({ metadata: { name, namespace: 'd' }, n });

describe('Store', () => {
  it('gives every change the next version, over all resources', () => {
    const store = new Store();
    const a = store.put('pods', object('a'));
    const b = store.put('nodes', object('b'));
    const gone = store.delete('pods', 'd/a');
    expect([a, b, gone].map((o) => Number(o?.metadata.resourceVersion))).toEqual([2, 3, 4]);
    expect(store.version).toBe(4);
  });
  it('knows what was at any version that it remembers', () => {
    const step = fc.record({ name: fc.constantFrom('a', 'b', 'c'), gone: fc.boolean(), n: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const store = new Store({ window: 5 });
        const was = new Map<number, readonly ApiObject[]>([[store.version, []]]);
        for (const { name, gone, n } of steps) {
          if (gone) store.delete('pods', `d/${name}`);
          else store.put('pods', object(name, n));
          was.set(store.version, store.list('pods'));
        }
        for (const [version, objects] of was) {
          const then = store.listAt('pods', version);
          if (version < store.oldest('pods')) expect(then).toBeNull();
          else expect(then).toEqual(objects);
        }
      }),
    );
  });
  it('tells a watcher what replaying the changes tells as well', () => {
    const store = new Store({ window: 3 });
    const seen: Change[] = [];
    const stop = store.watch('pods', { change: (c) => seen.push(c) });
    const start = store.version;
    store.put('pods', object('a'));
    store.put('pods', object('a', 1));
    store.delete('pods', 'd/a');
    stop();
    expect(store.since('pods', start)).toEqual(seen);
    store.put('pods', object('b'));
    expect(seen.map((c) => c.type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    for (let i = 0; i < 10; i++) store.put('pods', object('b', i));
    expect(store.since('pods', start)).toBeNull();
  });
});
