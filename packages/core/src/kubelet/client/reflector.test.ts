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
  /** The calls of the store, in order. */
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

describe('a server that comes back', () => {
  const refused = { throw: 'dial tcp 192.0.2.9:6443: connect: connection refused' };
  const list = ['GET configmaps default'];
  const again = ['WATCH configmaps default rv=12'];
  const anew = ['WATCH configmaps default rv=12 initial'];

  /** A reflector that watches; what it asks, in the eight seconds after `pull`, in which nothing else goes wrong. */
  function after(pull: (t: ReturnType<typeof setup>) => void) {
    const t = setup((api) => api.put('configmaps', configMap('a')));
    t.run(2);
    t.requests();
    pull(t);
    t.run(8);
    t.api.put('configmaps', configMap('b'));
    t.run(1);
    expect(t.told.at(-1)).toBe('ADDED b=1');
    return { ...t, asked: t.requests() };
  }
  const answer = (t: ReturnType<typeof setup>, ...answers: Parameters<typeof t.api.answers.set>[1]) => {
    t.api.answers.set('WATCH configmaps', answers);
    t.api.hangUp();
  };

  it('[1:E21] refused: the watch is asked for again where it was, without a list', () => {
    const t = after((t) => answer(t, refused, refused));
    expect(t.asked).toEqual([...again, ...again, ...again]);
    expect(t.told).toEqual(['replace a at 12', 'ADDED b=1']);
  });

  it('[1:E21] refused at the very beginning: waits for the first stream, and lists nothing', () => {
    const t = setup((api) => {
      api.put('configmaps', configMap('a'));
      api.answers.set('WATCH configmaps', [refused, refused]);
    });
    t.run(6);
    expect(t.requests()).toEqual(Array(3).fill('WATCH configmaps default rv= initial'));
    expect(t.text(/^watch-list failed - backing off$/)).toHaveLength(2);
    expect(t.text(/^Failed to watch$/)).toEqual([]);
  });

  it('[1:E21] 429 that does not say when: the same', () => {
    const busy = status(429, 'TooManyRequests', 'too many requests');
    const t = after((t) => answer(t, busy, busy));
    expect(t.asked).toEqual([...again, ...again, ...again]);
    expect(t.text(/^Watch failed - backing off$/)).toHaveLength(2);
  });

  it('[1:E21] 429 in the stream: the same', () => {
    const t = after((t) =>
      t.api.say('configmaps', { type: 'ERROR', object: status(429, 'TooManyRequests', 'later').body }),
    );
    expect(t.asked).toEqual(again);
    expect(t.text(/^Watch returned 429 - backing off$/)).toHaveLength(1);
  });

  it('[1:E21] reset or closed before an answer: a second later, within the same request', () => {
    const reset = { throw: 'read tcp 10.0.0.2:40000->192.0.2.9:6443: read: connection reset by peer' };
    const t = after((t) => answer(t, reset, { throw: 'EOF' }));
    expect(t.asked).toEqual([...again, ...again, ...again]);
    expect(t.text(/^Got a Retry-After response$/).map((l) => l.kv.delay)).toEqual(['1s', '1s']);
    expect(t.text(/backing off/)).toEqual([]);
  });

  it('[1:E21] reset and then refused: the last error counts, not the one that it quotes', () => {
    const t = after((t) => answer(t, { throw: 'EOF' }, refused));
    expect(t.asked).toEqual([...again, ...again, ...again]);
    expect(t.text(/^Watch failed - backing off$/)[0]?.kv.err).toMatch(
      /connection refused - error from a previous attempt: EOF$/,
    );
  });

  it('[1:E21] any other error of a watch that was asked for: streams all of it anew', () => {
    for (const other of [
      status(500, 'InternalError', 'etcdserver: leader changed'),
      status(401, 'Unauthorized', 'Unauthorized'),
      { throw: 'net/http: HTTP/1.x transport connection broken: malformed HTTP response' },
      // It quotes a refusal, but is none.
      { throw: 'proxyconnect tcp: EOF (was: connect: connection refused) at the proxy' },
    ]) {
      const t = after((t) => answer(t, other));
      expect(t.asked).toEqual([...again, ...anew]);
      expect(t.text(/^Failed to watch$/)).toHaveLength(1);
      expect(t.told).toEqual(['replace a at 12', 'replace a at 12', 'ADDED b=1']);
    }
  });

  it('[1:E21] an error in the stream: told as a warning, then streams all of it anew', () => {
    const t = after((t) =>
      t.api.say('configmaps', {
        type: 'ERROR',
        object: status(500, 'InternalError', 'unable to decode an event from the watch stream: http2: broken').body,
      }),
    );
    expect(t.asked).toEqual(anew);
    expect(t.text(/^Warning: watch ended with error$/)).toHaveLength(1);
    expect(t.text(/^Failed to watch$/)).toEqual([]);
  });

  it('[1:E21] a watch that ends at once without an event is an error, one that lasted a second is none', () => {
    const t = setup((api) => api.put('configmaps', configMap('a')));
    t.run(2);
    t.api.hangUp();
    t.run(0.5);
    t.requests();
    t.api.hangUp();
    t.run(0.1);
    expect(t.requests()).toEqual([]);
    expect(t.text(/^Warning: watch ended with error$/)[0]?.kv.err).toBe(
      'very short watch: test: Unexpected watch close - watch lasted less than a second and no items received',
    );
    t.run(2);
    expect(t.requests()).toEqual(anew);
  });

  it('[1:E21] a stream that cannot be had is a list, once', () => {
    const t = after((t) => {
      t.api.watchLists = false;
      answer(t, status(410, 'Expired', 'too old resource version'));
    });
    expect(t.asked).toEqual([...again, ...anew, ...list, ...again]);
  });

  it('[1:E21] warns every ten seconds of a stream whose end does not come', () => {
    const t = setup();
    t.run(2);
    t.api.bookmarks = false;
    t.api.say('configmaps', { type: 'ERROR', object: status(410, 'Expired', 'too old').body });
    t.run(33);
    expect(t.text(/^Warning: event bookmark expired$/).map((l) => l.kv.err)).toEqual(
      [10, 20, 30].map(
        (s) => `test: awaiting required bookmark event for initial events stream, no events received for ${s}.001002s`,
      ),
    );
    t.api.put('configmaps', configMap('a'));
    t.run(20);
    expect(t.text(/^Warning: event bookmark expired$/).at(-1)?.kv.err).toMatch(
      /^test: hasn't received required bookmark event marking the end of initial events stream, received last event \S+ ago$/,
    );
    // Until it comes nothing is in the store.
    expect(t.told).toEqual(['replace  at 11']);
  });
});

describe('delayWithReset', () => {
  const steps = [800, 1600, 3200, 6400, 12_800, 25_600, 30_000];

  it('[1:E22] doubles from 0.8 to 30 seconds, each up to twice as long by chance', () => {
    const k = new Kernel({ seed: 1 });
    const delay = delayWithReset(k);
    for (const base of [...steps, 30_000, 30_000]) {
      const d = delay() / Millisecond;
      expect(d).toBeGreaterThanOrEqual(base);
      expect(d).toBeLessThanOrEqual(2 * base);
    }
  });

  it('[1:E22] begins anew two minutes after it last began, also while the server stays away', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const k = new Kernel({ seed });
      const delay = delayWithReset(k);
      let began = 0;
      let step = 0;
      for (let i = 0; i < 60; i++) {
        if (k.now() - began > 2 * Minute) {
          began = k.now();
          step = 0;
        }
        const base = (steps[step++] ?? 30_000) * Millisecond;
        const d = delay();
        expect(d).toBeGreaterThanOrEqual(base);
        expect(d).toBeLessThanOrEqual(2 * base);
        k.run({ until: k.now() + d });
      }
      // Some sixty attempts take a quarter of an hour, in rounds of two to three minutes.
      expect(began).toBeGreaterThan(10 * Minute);
    }
  });
});
