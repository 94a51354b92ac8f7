import { describe, expect, it } from 'vitest';
import { background, type CancelFunc, Kernel, Millisecond, Minute, Second, withCancel } from '../../kernel/index.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import { FakeAPI, status } from '../testing/fake-api.js';
import type { ConfigMapObject } from './objects.js';
import { delayWithReset, Reflector } from './reflector.js';
import { RestClient } from './rest-client.js';
import { RestKubeClient } from './rest-kube-client.js';

const configMap = (name: string, value = '1') => ({ metadata: { name, namespace: 'default' }, data: { k: value } });

function setup(before: (api: FakeAPI) => void = () => {}) {
  const records: TraceRecord[] = [];
  const k = new Kernel({ sink: (r) => records.push(r), seed: 3 });
  const api = new FakeAPI(k);
  before(api);
  const client = new RestKubeClient(new RestClient({ kernel: k, transport: api }));
  /** What the store was told, in order. */
  const told: string[] = [];
  const reflector = new Reflector<ConfigMapObject>({
    kernel: k,
    listerWatcher: client.listerWatcher('configmaps', 'default'),
    name: 'test',
    type: '*v1.ConfigMap',
    store: {
      *replace(items, version) {
        told.push(`replace ${items.map((i) => i.metadata.name)} at ${version}`);
      },
      *set(item, type) {
        told.push(`${type} ${item.metadata.name}=${item.data?.k}`);
      },
      *delete(item) {
        told.push(`DELETED ${item.metadata.name}`);
      },
    },
  });
  let cancel: CancelFunc = () => {};
  const [ctx, end] = withCancel(k, background);
  cancel = end;
  k.go('reflector', () => reflector.run(ctx), { daemon: true });
  const run = (seconds: number) => k.run({ until: k.now() + Math.round(seconds * Second) });
  const logs = () => records.filter((r): r is RecordOf<'log'> => r.kind === 'log');
  const text = (pattern: RegExp) => logs().filter((l) => pattern.test(l.msg));
  const requests = () => api.requests.splice(0);
  return { k, api, told, run, logs, text, requests, records, cancel };
}

describe('Reflector', () => {
  it('streams what there is, then every change', () => {
    const t = setup((api) => api.put('configmaps', configMap('a')));
    t.run(1);
    expect(t.requests()).toEqual(['WATCH configmaps default rv= initial']);
    expect(t.told).toEqual(['replace a at 12']);
    t.api.put('configmaps', configMap('b'));
    t.api.put('configmaps', configMap('a', '2'));
    t.api.remove('configmaps', 'default', 'b');
    t.run(1);
    expect(t.told.slice(1)).toEqual(['ADDED b=1', 'MODIFIED a=2', 'DELETED b']);
    expect(t.text(/^Caches populated$/)).toHaveLength(1);
  });

  it('lists in the old way where the server does not stream', () => {
    const t = setup((api) => {
      api.watchLists = false;
      api.put('configmaps', configMap('a'));
    });
    t.run(1);
    expect(t.requests()).toEqual([
      'WATCH configmaps default rv= initial',
      'GET configmaps default',
      'WATCH configmaps default rv=12',
    ]);
    expect(t.told).toEqual(['replace a at 12']);
    expect(t.text(/Falling back to regular list/)).toHaveLength(1);
  });

  it('goes on where a watch ended, from the last version that it saw', () => {
    const t = setup();
    t.run(2);
    t.requests();
    t.api.put('configmaps', configMap('a'));
    t.run(1);
    t.api.hangUp();
    t.run(1);
    expect(t.requests()).toEqual(['WATCH configmaps default rv=12']);
    expect(t.told).toEqual(['replace  at 11', 'ADDED a=1']);
    // A bookmark moves it on, too.
    t.api.say('configmaps', { type: 'BOOKMARK', object: { metadata: { resourceVersion: '99' } } });
    t.run(1);
    t.api.hangUp();
    t.run(1);
    expect(t.requests()).toEqual(['WATCH configmaps default rv=99']);
  });

  it('begins anew when the server does not know that version any more', () => {
    const t = setup();
    t.run(2);
    t.requests();
    t.api.say('configmaps', {
      type: 'ERROR',
      object: status(410, 'Expired', 'too old resource version: 11 (40)').body,
    });
    t.api.objects('configmaps').set('default/x', { ...configMap('x') });
    t.run(4);
    expect(t.requests()).toEqual(['WATCH configmaps default rv=11 initial']);
    expect(t.told.at(-1)).toBe('replace x at 11');
    expect(t.text(/^Watch closed$/)[0]?.v).toBe(4);
  });

  it('asks for the newest when even a list of that version cannot be had', () => {
    const t = setup();
    t.run(2);
    t.requests();
    t.api.answers.set('WATCH configmaps', [status(410, 'Expired', 'too old'), status(410, 'Expired', 'too old')]);
    t.api.hangUp();
    t.run(4);
    expect(t.requests()).toEqual([
      'WATCH configmaps default rv=11',
      'WATCH configmaps default rv=11 initial',
      'WATCH configmaps default rv= initial',
    ]);
  });

  it('waits longer and longer for a server that is down, and loses nothing', () => {
    const t = setup((api) => api.put('configmaps', configMap('a')));
    t.run(2);
    t.requests();
    t.api.up = false;
    t.api.hangUp();
    t.run(120);
    const failed = t.text(/^Watch failed - backing off$/);
    expect(failed[0]).toMatchObject({
      v: 4,
      kv: {
        reflector: 'test',
        type: '*v1.ConfigMap',
        err: expect.stringMatching(
          /^Get "https:\/\/192\.0\.2\.9:6443\/api\/v1\/namespaces\/default\/configmaps\?allowWatchBookmarks=true&resourceVersion=12&timeout=\d+s&timeoutSeconds=\d+": dial tcp 192\.0\.2\.9:6443: connect: connection refused$/,
        ),
      },
    });
    const gaps = failed.slice(1).map((l, i) => (l.time - (failed[i]?.time ?? 0)) / Millisecond);
    const least = [800, 1600, 3200, 6400, 12_800, 25_600, 30_000];
    for (const [i, gap] of gaps.entries()) {
      expect(gap).toBeGreaterThanOrEqual(least[i] ?? 30_000);
      expect(gap).toBeLessThanOrEqual(2 * (least[i] ?? 30_000) + 2);
    }
    expect(gaps.length).toBeGreaterThan(4);
    t.api.up = true;
    t.requests();
    t.run(70);
    // No list: the watch goes on.
    expect(t.requests()).toEqual(['WATCH configmaps default rv=12']);
    t.api.put('configmaps', configMap('b'));
    t.run(1);
    expect(t.told).toEqual(['replace a at 12', 'ADDED b=1']);
  });

  it('says what it cannot do when there never was a server', () => {
    const t = setup((api) => {
      api.answers.set('WATCH configmaps', [status(403, 'Forbidden', 'configmaps is forbidden: User "x" cannot watch')]);
      api.answers.set('GET configmaps', [status(403, 'Forbidden', 'configmaps is forbidden: User "x" cannot list')]);
    });
    t.run(0.5);
    expect(t.text(/^Failed to watch$/)[0]).toMatchObject({
      severity: 'E',
      kv: {
        err: 'failed to list *v1.ConfigMap: configmaps is forbidden: User "x" cannot list',
        logger: 'UnhandledError',
        reflector: 'test',
        type: '*v1.ConfigMap',
      },
    });
    t.run(3);
    expect(t.told).toEqual(['replace  at 11']);
  });

  it('asks for watches of five to ten minutes', () => {
    const t = setup();
    t.run(2);
    for (let i = 0; i < 5; i++) {
      t.api.hangUp();
      t.run(2);
    }
    const urls = t.records.filter((r) => r.kind === 'api' && r.phase === 'end');
    expect(urls).toHaveLength(5);
    const seconds: number[] = [];
    const k = new Kernel({ seed: 9 });
    const watch = function* (_ctx: unknown, o: { timeoutSeconds: number }) {
      seconds.push(o.timeoutSeconds);
      throw new Error('dial tcp: connect: connection refused');
    };
    const r = new Reflector<ConfigMapObject>({
      kernel: k,
      listerWatcher: {
        list: function* () {
          throw new Error('no');
        },
        watch: watch as never,
      },
      name: 'x',
      type: 'x',
      store: { *replace() {}, *set() {}, *delete() {} },
    });
    k.go('r', () => r.run(background), { daemon: true });
    k.run({ until: 30 * Minute });
    expect(seconds.length).toBeGreaterThan(20);
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(300);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(600);
    expect(Math.max(...seconds) - Math.min(...seconds)).toBeGreaterThan(100);
  });

  it('does not trip over nonsense', () => {
    const t = setup();
    t.run(1);
    t.api.say('configmaps', { type: 'ADDED', object: null });
    t.api.say('configmaps', { type: 'ADDED', object: { metadata: 5 } });
    t.api.put('configmaps', configMap('a'));
    t.run(1);
    expect(t.told.slice(1)).toEqual(['ADDED a=1']);
    expect(t.text(/^Unable to understand watch event$/)).toHaveLength(2);
  });

  it('ends with its context', () => {
    const t = setup();
    t.run(1);
    expect(t.api.watching('configmaps')).toBe(1);
    t.cancel();
    t.run(5);
    expect(t.api.watching('configmaps')).toBe(0);
    expect(t.text(/^Stopping reflector$/)).toHaveLength(1);
    expect(t.requests()).toHaveLength(1);
  });
});

describe('delayWithReset', () => {
  it('begins anew after two quiet minutes', () => {
    const k = new Kernel({ seed: 1 });
    const delay = delayWithReset(k);
    const base = (d: number) => [800, 1600, 3200, 6400, 12_800, 25_600, 30_000].findLast((b) => b * Millisecond <= d);
    let last = 0;
    for (let i = 0; i < 12; i++) last = delay();
    expect(last).toBeGreaterThanOrEqual(30 * Second);
    expect(last).toBeLessThanOrEqual(60 * Second);
    k.addTimer(121 * Second, () => {});
    k.run();
    const again = delay();
    expect(base(again)).toBeLessThanOrEqual(1600);
    expect(again).toBeLessThanOrEqual(1600 * Millisecond);
  });
});
