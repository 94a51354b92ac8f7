import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../types.js';
import type { StoredChange } from './journal.js';
import { type Change, Store } from './store.js';

const object = (name: string, n = 0): ApiObject => ({ metadata: { name, namespace: 'd' }, n });
const names = (objects: readonly ApiObject[]) => objects.map((o) => o.metadata.name);

/** A store whose journal does what it is told. */
function journaled() {
  const wakes = { count: 0 };
  const store = new Store({ journal: { wake: () => void wakes.count++ } });
  return { store, wakes };
}

describe('a store with a journal', () => {
  it('shows writers what is new, and readers and watchers what is committed', () => {
    const { store, wakes } = journaled();
    const seen: Change[] = [];
    store.watch('pods', { change: (c) => seen.push(c) });
    store.put('pods', object('a'));
    expect(wakes.count).toBe(1);
    expect(names(store.list('pods'))).toEqual(['a']);
    expect(names(store.listCommitted('pods'))).toEqual([]);
    expect(store.getCommitted('pods', 'd/a')).toBeUndefined();
    expect([store.version, seen, store.since('pods', 0)]).toEqual([1, [], []]);
    const [taken] = store.takeChanges();
    expect(taken).toMatchObject({ resource: 'pods', key: 'd/a', version: 2, object: { n: 0 } });
    store.put('pods', object('a', 1));
    store.commit(2);
    expect(store.getCommitted('pods', 'd/a')).toMatchObject({ n: 0 });
    expect(store.get('pods', 'd/a')).toMatchObject({ n: 1 });
    expect([store.version, seen.length]).toEqual([2, 1]);
  });

  it('answers who waits when all that was there then is committed, and takes back what cannot be', () => {
    const { store } = journaled();
    const answers: string[] = [];
    const wait = (name: string) =>
      store.whenCommitted(store.newest, (error) => answers.push(`${name} ${error?.message ?? 'kept'}`));
    wait('none');
    store.put('pods', object('a'));
    wait('a');
    store.takeChanges();
    store.delete('pods', 'd/a');
    wait('gone');
    store.commit(2);
    expect(answers).toEqual(['none kept', 'a kept']);
    store.takeChanges();
    store.abort('no room');
    expect(answers).toEqual(['none kept', 'a kept', 'gone no room']);
    expect(names(store.list('pods'))).toEqual(['a']);
    // A writer that asks late hears of it, too.
    store.whenCommitted(2, (error) => answers.push(`late ${error?.message}`));
    wait('new');
    expect(answers.slice(3)).toEqual(['late no room', 'new kept']);
    // A version is never given twice, and none that nobody may rely on is told.
    expect(store.version).toBe(2);
    expect(store.put('pods', object('b')).metadata.resourceVersion).toBe('4');
  });

  it('goes on with what was kept, and sends those away who are behind it', () => {
    const kept = { version: 40, objects: [{ resource: 'pods', key: 'd/a', object: object('a') }] };
    const store = new Store({ kept });
    expect([store.version, names(store.list('pods')), store.size > 0]).toEqual([40, ['a'], true]);
    for (const resource of ['pods', 'nodes']) {
      expect(store.since(resource, 39)).toBeNull();
      expect(store.since(resource, 40)).toEqual([]);
    }
    expect(store.put('nodes', object('n')).metadata.resourceVersion).toBe('41');
  });

  it('is at every moment what its journal has, for readers, and replays to it', () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), name: fc.constantFrom('a', 'b', 'c') }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), name: fc.constantFrom('a', 'b', 'c') }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('take' as const, 'commit' as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('abort' as const) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { store } = journaled();
        const disk = new Map<string, ApiObject>();
        const watched = new Map<string, ApiObject>();
        let flight: StoredChange[] = [];
        let last = store.version;
        store.watch('pods', {
          change: ({ type, object: o }) =>
            type === 'DELETED' ? watched.delete(`d/${o.metadata.name}`) : void watched.set(`d/${o.metadata.name}`, o),
        });
        let n = 0;
        for (const s of steps) {
          if (s.do === 'put') store.put('pods', object(s.name, ++n));
          else if (s.do === 'delete') store.delete('pods', `d/${s.name}`);
          else if (s.do === 'take') flight.push(...store.takeChanges());
          else if (s.do === 'abort') {
            store.abort('no room');
            flight = [];
            expect(store.list('pods')).toEqual(store.listCommitted('pods'));
          } else if (flight.length > 0) {
            for (const c of flight) {
              if (c.object) disk.set(c.key, c.object);
              else disk.delete(c.key);
            }
            store.commit((flight.at(-1) as StoredChange).version);
            flight = [];
          }
          const kept = [...disk].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, o]) => o);
          expect(store.listCommitted('pods')).toEqual(kept);
          expect(store.listAt('pods', store.version)).toEqual(kept);
          for (const key of ['d/a', 'd/b', 'd/c']) expect(store.getCommitted('pods', key)).toEqual(disk.get(key));
          expect(watched).toEqual(disk);
          expect(store.version).toBeGreaterThanOrEqual(last);
          last = store.version;
          const size = new Store({
            kept: {
              version: 1,
              objects: store.list('pods').map((o) => ({ resource: 'pods', key: o.metadata.name, object: o })),
            },
          }).size;
          expect(store.size).toBe(size);
        }
      }),
    );
  });
});
