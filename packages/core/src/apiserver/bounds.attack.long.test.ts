import { describe, expect, it, vi } from 'vitest';
import { listMap, set, str, struct } from '../api/objects/field.js';
import { Hour, Second } from '../kernel/index.js';
import { maxMarks } from './http/body.js';
import { applyJSONPatch, maxCopyBytes, maxMoves, PatchFailed, PatchTooLarge } from './patch/json-patch.js';
import { applyStrategicMergePatch } from './patch/strategic.js';
import { matches, parseFieldSelector, parseLabelSelector } from './registry/selectors.js';
import { serviceStrategy } from './resources/core-strategies.js';
import { maxItems } from './scheme/decode.js';
import { Store } from './storage/store.js';
import { type Answered, patchType, podOf, podPath, setup } from './testing/setup.js';
import type { ApiAnswer, ApiObject, ApiRequest, ApiWatch } from './types.js';

const range = <T>(n: number, of: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => of(i));
const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, bytes: number) => ({ metadata: { name }, data: { a: 'x'.repeat(bytes) } });
const raw = (s: ReturnType<typeof setup>, request: Partial<ApiRequest> & { path: string }) =>
  s.server.handle({ method: 'GET', ...request });

describe('a JSON patch', () => {
  it('copies no more than 3 MiB, however short it is', () => {
    // Each copies all that was copied before: 3 KB of patch would make gigabytes.
    const doubling = range(40, (i) => ({ op: 'copy', from: '/a', path: `/a/x${i}` }));
    expect(() => applyJSONPatch({ a: { b: 'x'.repeat(100) } }, doubling)).toThrow(PatchFailed);
    expect(() => applyJSONPatch({ a: { b: 'x'.repeat(100) } }, doubling)).toThrow(
      new RegExp(`the accumulated size increase of copy is \\d+, exceeding the limit ${maxCopyBytes}`),
    );
    const s = setup();
    s.call('POST', podPath, { json: podOf('a') });
    const patch = range(40, (i) => ({ op: 'copy', from: '/metadata', path: `/metadata/x${i}` }));
    expect(s.call('PATCH', `${podPath}/a`, { ...patchType('json'), json: patch }).body).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
    });
  });
  it('takes copies that are large, as long as they are not larger together', () => {
    const a = 'x'.repeat(1024 * 1024 - 2);
    const copy = (to: string) => ({ op: 'copy', from: '/a', path: `/${to}` });
    expect(Object.keys(applyJSONPatch({ a }, [copy('b'), copy('c'), copy('d')]) as object)).toHaveLength(4);
    expect(() => applyJSONPatch({ a }, [copy('b'), copy('c'), copy('d'), copy('e')])).toThrow(PatchFailed);
  });
  it('makes no document that is too deep for who reads it', () => {
    const deeper = range(12, (i) => ({ op: 'copy', from: '', path: '/a'.repeat(2 ** i) }));
    expect(() => applyJSONPatch({ a: {} }, deeper)).toThrow(PatchFailed);
    expect(() => applyJSONPatch({}, [{ op: 'add', path: '/a'.repeat(100), value: 1 }])).toThrow(PatchFailed);
  });
  it('moves items of lists by a bounded number of places, and has 10,000 operations', () => {
    const long = { list: range(maxMoves / 1000, () => 0) };
    const first = (n: number) => range(n, () => ({ op: 'add', path: '/list/0', value: 1 }));
    expect((applyJSONPatch(long, first(500)) as typeof long).list).toHaveLength(long.list.length + 500);
    expect(() => applyJSONPatch(long, first(1100))).toThrow(PatchFailed);
    expect(() =>
      applyJSONPatch(
        long,
        range(1100, () => ({ op: 'move', from: '/list/0', path: '/list/-' })),
      ),
    ).toThrow(PatchFailed);
    expect(() =>
      applyJSONPatch(
        {},
        range(10_001, () => ({ op: 'test', path: '', value: {} })),
      ),
    ).toThrow(PatchTooLarge);
    const s = setup();
    s.call('POST', podPath, { json: podOf('a') });
    const many = range(10_001, () => ({ op: 'test', path: '/kind', value: 'Pod' }));
    expect(s.call('PATCH', `${podPath}/a`, { ...patchType('json'), json: many }).body).toMatchObject({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });
});

describe('a strategic merge patch', () => {
  const type = struct('T', { items: listMap(struct('Item', { name: str, v: str }), ['name']), names: set(str) });
  /** Items that count how often somebody looks at their key. */
  const counted = (n: number) => {
    const seen = { count: 0 };
    const items = range(n, (i) => ({
      get name() {
        seen.count++;
        return `n${i}`;
      },
      v: '0',
    }));
    return { seen, items };
  };
  it.each<[string, (i: number) => object]>([
    ['adds', (i) => ({ name: `m${i}` })],
    ['changes', (i) => ({ name: `n${i}`, v: '1' })],
    ['deletes', (i) => ({ name: `n${i}`, $patch: 'delete' })],
  ])('that %s 2,000 items looks at each a few times, and not 2,000 times', (_, item) => {
    const { seen, items } = counted(2000);
    applyStrategicMergePatch(type, { items }, { items: range(2000, item) });
    expect(seen.count).toBeLessThan(10 * 2000);
  });
  it('puts 2,000 items into an order by looking at each a few times', () => {
    const { seen, items } = counted(2000);
    applyStrategicMergePatch(
      type,
      { items },
      { '$setElementOrder/items': range(2000, (i) => ({ name: `n${1999 - i}` })) },
    );
    expect(seen.count).toBeLessThan(10 * 2000);
  });
  it('merges and deletes 40,000 items and texts', () => {
    const n = 40_000;
    const items = range(n, (i) => ({ name: `n${i}`, v: '0' }));
    const patched = applyStrategicMergePatch(
      type,
      { items, names: range(n, (i) => `a${i}`) },
      {
        items: range(n, (i) => (i % 2 ? { name: `n${i}`, v: '1' } : { name: `n${i}`, $patch: 'delete' })),
        names: range(n, (i) => `b${i}`),
        '$deleteFromPrimitiveList/names': range(n, (i) => `a${i}`),
      },
    ) as { items: { v: string }[]; names: string[] };
    expect(patched.items).toHaveLength(n / 2);
    expect(patched.items.every((i) => i.v === '1')).toBe(true);
    expect([patched.names.length, patched.names[0]]).toEqual([n, 'b0']);
  });
  it('treats keys that are there twice, null or missing as before', () => {
    const merged = (items: unknown[], patch: unknown[]) =>
      (applyStrategicMergePatch(type, { items }, { items: patch }) as { items: unknown[] }).items;
    const twice = [{ name: 'a', v: '1' }, { v: '2' }, { name: 'a', v: '3' }];
    expect(merged(twice, [{ name: 'a', v: 'x' }])).toEqual([{ name: 'a', v: 'x' }, { v: '2' }, { name: 'a', v: '3' }]);
    expect(merged(twice, [{ name: 'a', $patch: 'delete' }])).toEqual([{ v: '2' }]);
    expect(
      merged(twice, [
        { name: 'a', $patch: 'delete' },
        { name: 'a', v: 'n' },
      ]),
    ).toEqual([{ v: '2' }, { name: 'a', v: 'n' }]);
    expect(
      merged(
        [],
        [
          { name: null, v: '1' },
          { name: null, v: '2' },
        ],
      ),
    ).toEqual([{ v: '1' }, { v: '2' }]);
  });
});

describe('a selector', () => {
  it('of thousands of terms looks at a label once for each key', () => {
    let looked = 0;
    const labels = {
      get app() {
        looked++;
        return 'z';
      },
    };
    const terms = parseLabelSelector(range(3000, (i) => `app!=v${i}`).join(','));
    expect(matches(terms, labels)).toBe(true);
    expect(looked).toBe(1);
    expect(matches(terms, { app: 'v2999' })).toBe(false);
    const within = parseLabelSelector('app in (a,b,c),app in (b,c),app,app notin (c)');
    expect([matches(within, { app: 'b' }), matches(within, { app: 'c' }), matches(within, { app: 'a' })]).toEqual([
      true,
      false,
      false,
    ]);
    expect(parseFieldSelector(range(500, () => 'metadata.name!=a').join(','), ['metadata.name'])).toHaveLength(1);
  });
  it('with commas in and outside of parentheses is taken apart', () => {
    expect(parseLabelSelector('a in (x,y), b ,!c,d notin (z)').map((r) => [r.key, r.op, [...r.values]])).toEqual([
      ['a', 'in', ['x', 'y']],
      ['b', 'exists', []],
      ['c', 'absent', []],
      ['d', 'notin', ['z']],
    ]);
    expect(() => parseLabelSelector('a in (x,y')).toThrow();
  });
});

describe('a body', () => {
  it('with a megabyte of white space in its base64 is looked at once', () => {
    const { call } = setup();
    const secret = (a: string) => ({ metadata: { name: 's' }, data: { a } });
    // A pattern that goes back over it takes hours.
    const spaces = ' '.repeat(1_000_000);
    expect(call('POST', '/api/v1/namespaces/default/secrets', { json: secret(`${spaces}!`) }).code).toBe(400);
    expect(call('POST', '/api/v1/namespaces/default/secrets', { json: secret(`YWJj${spaces}`) }).code).toBe(201);
  });
  it('has at most 4000 items, and few words are lost on what it has too much', () => {
    const { call } = setup();
    const post = (text: string, type = 'application/json') =>
      call('POST', podPath, { body: text, headers: { 'content-type': type } });
    const containers = `{"metadata":{"name":"a"},"spec":{"containers":[${'{},'.repeat(maxItems)}{}]}}`;
    expect(post(containers).body).toMatchObject({ code: 413, reason: 'RequestEntityTooLarge' });
    const unknown = `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"a","image":"b"}],${range(20_000, (i) => `"x${i}":1`).join(',')}}}`;
    const made = post(unknown);
    expect(made.code).toBe(201);
    expect(made.headers.warning?.length).toBeLessThan(6000);
    const twice = `{"metadata":{"name":"b"},"spec":{"containers":[{"name":"a","image":"b"}]${',"x":1'.repeat(20_000)}}}`;
    expect(post(twice).headers.warning?.split('\n')).toHaveLength(2);
    const yaml = `metadata: {name: c}\ndata:\n${range(20_000, (i) => `  k${i}: v\n`).join('')}`;
    expect(
      call('POST', configMaps, { body: yaml, headers: { 'content-type': 'application/yaml' } }).body,
    ).toMatchObject({
      code: 413,
      message: expect.stringContaining('send JSON'),
    });
    // JSON is JSON, whatever it is called.
    const json = JSON.stringify(configMap('c', 500_000));
    expect(call('POST', configMaps, { body: json, headers: { 'content-type': 'application/yaml' } }).code).toBe(201);
  });
  it('of many parts is refused before the work, of long texts after what there is to say of them', () => {
    const { call } = setup();
    const env = range(maxItems - 1, (i) => ({ name: `e${i}`.padEnd(250, 'x'), value: 'x'.repeat(250) }));
    expect(
      call('POST', podPath, { json: podOf('a', { containers: [{ name: 'a', image: 'b', env }] }) }).body,
    ).toMatchObject({
      code: 500,
      message: 'etcdserver: request is too large',
    });
    expect(call('POST', configMaps, { json: configMap('a', 2_000_000) }).body.message).toContain('Too long');
  });
  it('of a million values is refused before it is parsed, in each format, and whatever they are', () => {
    const { call } = setup();
    call('POST', configMaps, { json: configMap('a', 1) });
    const parse = vi.spyOn(JSON, 'parse');
    const lists = ['1,', '{},', '[],', '[[[]]],'].map((item) => `{"x":[${item.repeat(maxMarks)}1]}`);
    const keys = `{${range(maxMarks, (i) => `"k${i}":1`).join(',')},"x":1}`;
    for (const body of [...lists, keys])
      for (const type of ['application/json', 'application/yaml'])
        expect(call('POST', configMaps, { body, headers: { 'content-type': type } }).body).toMatchObject({
          code: 413,
          reason: 'RequestEntityTooLarge',
          message: expect.stringContaining('split the object into several'),
        });
    for (const kind of ['json', 'merge', 'strategic-merge'] as const)
      expect(call('PATCH', `${configMaps}/a`, { ...patchType(kind), body: lists[0] }).code).toBe(413);
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
    // Commas and brackets in texts are none.
    const text = JSON.stringify({ metadata: { name: 'b' }, data: { a: '[{,'.repeat(maxMarks) } });
    expect(call('POST', configMaps, { body: text }).code).toBe(201);
  });
  it('of as many items as may be is written in several steps, of what is there then', () => {
    const s = setup();
    s.call('POST', configMaps, { json: configMap('a', 1) });
    const count = (method: string, path: string, type: string, body: unknown, query = {}) => {
      const headers = { 'content-type': `application/${type}` };
      const steps = s.server.steps({ method, path, headers, query, body: JSON.stringify(body) });
      let n = 1;
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done) return [n, step.value.kind === 'answer' && step.value.code];
        n++;
        // Somebody else writes between any two steps, and nothing of it is lost.
        const labels = { [`l${n}`]: 'x' };
        s.call('PATCH', `${configMaps}/a`, { ...patchType('merge'), json: { metadata: { labels } } });
      }
    };
    const finalizers = range(maxItems - 100, (i) => `a/${i}`);
    const patched = { metadata: { finalizers } };
    expect(count('PATCH', `${configMaps}/a`, 'strategic-merge-patch+json', patched)).toEqual([4, 200]);
    const { labels, finalizers: kept } = s.call('GET', `${configMaps}/a`).body.metadata as {
      labels?: object;
      finalizers?: string[];
    };
    expect(Object.keys(labels ?? {})).toEqual(['l2', 'l3', 'l4']);
    expect(kept).toHaveLength(finalizers.length);
    expect(count('POST', configMaps, 'json', configMap('c', 1))).toEqual([4, 201]);
    expect(count('PUT', `${configMaps}/c`, 'json', configMap('c', 2))).toEqual([4, 200]);
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', data: { b: 'x' } };
    expect(count('PATCH', `${configMaps}/c`, 'apply-patch+yaml', applied, { fieldManager: 'm' })).toEqual([3, 200]);
  });
});

describe('services', () => {
  it('that have taken all addresses and ports leave none, and end no search', () => {
    const { server } = setup();
    const all = range(65_000, (i) => ({ spec: { clusterIP: `10.96.${(10 + i) >> 8}.${(10 + i) & 255}` } }));
    const ports = [{ spec: { clusterIP: 'None', ports: range(2768, (i) => ({ nodePort: 30_000 + i })) } }];
    const env = (there: object[]) => ({
      ...server.env({ method: 'POST', path: '/' }, { dryRun: false, warn() {} }),
      listOf: () => there as ApiObject[],
    });
    const service = (spec: object): ApiObject => ({
      metadata: { name: 's' },
      spec: { ports: [{ port: 80 }], ...spec },
    });
    expect(() => serviceStrategy.prepareForCreate?.(service({}), env(all))).toThrow('range is full');
    const last = service({});
    serviceStrategy.prepareForCreate?.(last, env(all.slice(1)));
    expect(last.spec).toMatchObject({ clusterIP: '10.96.0.10' });
    const node = { type: 'NodePort', clusterIP: '10.96.1.1' };
    expect(() => serviceStrategy.prepareForCreate?.(service(node), env(ports))).toThrow('range is full');
  });
});

describe('the store', () => {
  const limits = { object: 10_000, quota: 50_000, reserve: 20_000, history: 30_000, events: 20_000 };
  it('has etcd’s limits: of one object, and of all', () => {
    const { call } = setup({ limits: { ...limits, quota: 60_000 } });
    const post = (name: string, bytes: number) => call('POST', configMaps, { json: configMap(name, bytes) });
    expect(post('a', 20_000).body).toMatchObject({ code: 500, message: 'etcdserver: request is too large' });
    let last = post('c0', 9000);
    for (let i = 1; last.code === 201 && i < 20; i++) last = post(`c${i}`, 9000);
    expect(last.body).toMatchObject({ code: 500, message: 'etcdserver: mvcc: database space exceeded' });
    // Objects that are there can be read, made smaller and deleted, and then there is room again.
    expect(call('GET', `${configMaps}/c0`).code).toBe(200);
    const smaller = { data: { a: 'x' } };
    expect(call('PATCH', `${configMaps}/c0`, { ...patchType('merge'), json: smaller }).code).toBe(200);
    expect(call('DELETE', `${configMaps}/c1`).code).toBe(200);
    expect(post('d', 9000).code).toBe(201);
  });
  it('lets the node go on where it is full for everybody else', () => {
    const s = setup({ limits });
    const node = { name: 'system:node:n1', groups: ['system:nodes'] };
    s.call('POST', podPath, { json: podOf('a') });
    let full: Answered | undefined;
    for (let i = 0; full?.code !== 500 && i < 20; i++)
      full = s.call('POST', configMaps, { json: configMap(`c${i}`, 8000 - i) });
    for (let i = 0; s.call('POST', configMaps, { json: configMap(`s${i}`, 10) }).code === 201; i++);
    const status = { status: { phase: 'Running', message: 'it runs' } };
    const patch = (user: ApiRequest['user']) =>
      s.call('PATCH', `${podPath}/a/status`, { ...patchType('strategic-merge'), json: status, ...(user && { user }) })
        .code;
    expect(patch(undefined)).toBe(500);
    expect(patch(node)).toBe(200);
    expect(s.call('DELETE', `${podPath}/a`).code).toBe(200);
  });
  it('forgets what a watch may go back when it is too much, of the resource that has most', () => {
    const store = new Store({ limits: { ...limits, quota: 1e6 } });
    const put = (resource: string, name: string, bytes: number) =>
      store.put(resource, { metadata: { name }, data: 'x'.repeat(bytes) });
    put('leases', 'l', 10);
    const before = store.version;
    put('leases', 'l', 11);
    for (let i = 0; i < 200; i++) {
      put('configmaps', 'c', 9000 - i);
      expect(store.historySize).toBeLessThanOrEqual(limits.history);
    }
    expect(store.since('configmaps', before)).toBeNull();
    expect(store.since('leases', before)).toHaveLength(1);
  });
  it('keeps no more events than it has room for, the newest, and no mark of those that were written again', () => {
    const s = setup({ limits: { ...limits, quota: 1e6 } });
    const path = '/api/v1/namespaces/default/events';
    const event = (name: string) => ({
      metadata: { name },
      involvedObject: { namespace: 'default' },
      message: 'x'.repeat(500),
    });
    for (let i = 0; i < 200; i++) expect(s.call('POST', path, { json: event(`e${i}`) }).code).toBe(201);
    expect(s.server.store.sizeOf('events')).toBeLessThanOrEqual(limits.events + 1000);
    const names = s.call('GET', path).body.items.map((e) => e.metadata.name);
    expect([names.length > 5, names.includes('e199'), names.includes('e0')]).toEqual([true, true, false]);
    s.pass(2 * Hour);
    s.call('POST', path, { json: event('late') });
    expect(s.call('GET', path).body.items).toHaveLength(1);
  });
});

describe('a list', () => {
  const filled = (n: number) => {
    const s = setup();
    for (let i = 0; i < n; i++) s.call('POST', podPath, { json: podOf(`p${i}`, {}, { labels: { n: String(i % 3) } }) });
    return s;
  };
  const partsOf = (answer: unknown) => [...((answer as ApiAnswer).parts?.() ?? [])];
  const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  const partial = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' };
  it.each<[string, Partial<ApiRequest>]>([
    ['whole', {}],
    ['of a selector', { query: { labelSelector: 'n=1' } }],
    ['of a selector that is of nothing', { query: { labelSelector: 'n=9' } }],
    ['of a page', { query: { limit: '7' } }],
    ['of a page of a selector', { query: { limit: '7', labelSelector: 'n=1' } }],
    ['as a table', { headers: table }],
    ['as metadata', { headers: partial, query: { limit: '3' } }],
    ['of nothing', { path: '/api/v1/namespaces/none/pods' }],
  ])('%s is the same in parts', (_, request) => {
    const s = filled(40);
    const answer = raw(s, { path: podPath, ...request }) as ApiAnswer;
    const parts = partsOf(answer);
    expect(JSON.parse(parts.join(''))).toEqual(answer.body);
  });
  it('is made part by part, as it was when it was asked for', () => {
    const s = filled(300);
    const answer = raw(s, { path: podPath }) as ApiAnswer;
    const stringify = vi.spyOn(JSON, 'stringify');
    const parts = answer.parts?.() as Generator<string>;
    parts.next();
    expect(stringify.mock.calls.length).toBeLessThan(100);
    stringify.mockRestore();
    s.call('DELETE', `${podPath}/p299?gracePeriodSeconds=0`);
    const rest = [...parts];
    expect(rest.join('')).toContain('"p299"');
    for (const part of rest) expect(part.length).toBeLessThan(64 * 1024);
  });
  it('that finds little lets others have their turn', () => {
    const s = filled(900);
    const parts = partsOf(raw(s, { path: podPath, query: { labelSelector: 'n=9' } }));
    expect(parts.length).toBeGreaterThan(4);
  });
  it('is shared by all who ask until something changes, and not kept for namespaces that are not there', () => {
    const store = new Store();
    store.put('pods', { metadata: { namespace: 'a', name: 'b' } });
    expect(store.list('pods')).toBe(store.list('pods'));
    expect(store.list('pods', 'a')).toBe(store.list('pods', 'a'));
    expect(store.list('pods', 'none')).not.toBe(store.list('pods', 'none'));
    const before = store.list('pods');
    for (const name of ['c', 'a']) store.put('pods', { metadata: { namespace: 'a', name } });
    store.delete('pods', 'a/b');
    store.put('pods', { metadata: { namespace: 'aa', name: 'x' } });
    expect(before).toHaveLength(1);
    expect(store.list('pods', 'a').map((o) => o.metadata.name)).toEqual(['a', 'c']);
    expect(store.list('pods').map((o) => o.metadata.name)).toEqual(['a', 'c', 'x']);
  });
});

describe('a watch that is read', () => {
  const open = (s: ReturnType<typeof setup>, maxBehind = 1e6, query: Record<string, string> = {}) => {
    let woken = 0;
    const watch = raw(s, { path: podPath, query: { watch: '1', ...query } }) as ApiWatch;
    const reader = watch.read(() => woken++, maxBehind);
    const texts = () => {
      const out: string[] = [];
      for (let t = reader.next(); t !== null; t = reader.next()) out.push(t);
      return out.map((t) => JSON.parse(t) as { type: string; object: { metadata: { name: string } } });
    };
    return { reader, texts, woken: () => woken };
  };
  it('tells the same as one that is told, the state first', () => {
    const s = setup();
    for (const name of ['a', 'b']) s.call('POST', podPath, { json: podOf(name) });
    const told = s.watch(podPath);
    const w = open(s);
    s.call('DELETE', `${podPath}/a?gracePeriodSeconds=0`);
    s.call('POST', podPath, { json: podOf('c') });
    expect(w.woken()).toBeGreaterThan(0);
    expect(w.texts()).toEqual(told.events);
    expect(w.reader.next()).toBeNull();
    expect(w.reader.over).toBe(false);
    w.reader.stop();
    expect([w.reader.over, w.reader.next()]).toEqual([true, null]);
  });
  it('that is not read is ended, and holds nothing then', () => {
    const s = setup();
    s.call('POST', podPath, { json: podOf('a') });
    const w = open(s, 20_000);
    for (let i = 0; i < 50; i++)
      s.call('PATCH', `${podPath}/a`, { ...patchType('merge'), json: { metadata: { labels: { n: String(i) } } } });
    expect(w.reader.over).toBe(true);
    expect(w.texts()).toEqual([]);
    const woken = w.woken();
    s.call('POST', podPath, { json: podOf('b') });
    expect(w.woken()).toBe(woken);
  });
  it('of hundreds encodes a change once for all', () => {
    const s = setup();
    s.call('POST', podPath, { json: podOf('a') });
    const all = range(200, () => open(s, 1e6, { resourceVersion: String(s.server.store.version) }));
    s.call('PATCH', `${podPath}/a`, { ...patchType('merge'), json: { metadata: { labels: { n: '1' } } } });
    const stringify = vi.spyOn(JSON, 'stringify');
    const got = all.map((w) => w.reader.next());
    const calls = stringify.mock.calls.length;
    stringify.mockRestore();
    expect(calls).toBe(1);
    expect(new Set(got).size).toBe(1);
    expect(got[0]).toContain('"MODIFIED"');
  });
  it('ends when its time is over, after what waits', () => {
    const s = setup();
    const w = open(s, 1e6, { timeoutSeconds: '5' });
    s.call('POST', podPath, { json: podOf('a') });
    s.pass(6 * Second);
    expect(w.reader.over).toBe(true);
    expect(w.texts()).toHaveLength(1);
  });
});

describe('work on many objects', () => {
  it('a deletion of many goes in steps', () => {
    const s = setup();
    for (let i = 0; i < 300; i++) s.call('POST', configMaps, { json: configMap(`c${i}`, 1) });
    const steps = s.server.steps({ method: 'DELETE', path: configMaps });
    let n = 0;
    for (let step = steps.next(); !step.done; step = steps.next()) {
      // Somebody else deletes some in between.
      s.call('DELETE', `${configMaps}/c${299 - n++}`);
    }
    expect(n).toBeGreaterThanOrEqual(7);
    expect(s.call('GET', configMaps).body.items).toHaveLength(0);
  });
  it('a deletion of many answers in parts, with the objects as they were then', () => {
    const s = setup();
    for (let i = 0; i < 300; i++) s.call('POST', configMaps, { json: configMap(`c${i}`, 1000) });
    const answer = s.server.handle({ method: 'DELETE', path: configMaps }) as ApiAnswer;
    s.call('POST', configMaps, { json: configMap('c7', 1) });
    const parts = [...(answer.parts?.() ?? [])];
    expect(parts.length).toBeGreaterThan(8);
    expect(Math.max(...parts.map((p) => p.length))).toBeLessThan(40_000);
    const whole = JSON.parse(parts.join('')) as { kind: string; items: { data: { a: string } }[] };
    expect(whole).toEqual(answer.body);
    expect([whole.kind, whole.items.length]).toEqual(['ConfigMapList', 300]);
    expect(whole.items.every((c) => c.data.a.length === 1000)).toBe(true);
  });
  it('pods are bound twenty in a pass, by what the node has left', () => {
    const s = setup({ schedulePods: true });
    const status = { conditions: [{ type: 'Ready', status: 'True' }], allocatable: { pods: '110', cpu: '100' } };
    s.call('POST', '/api/v1/nodes', { json: { metadata: { name: 'n1' } } });
    s.call('PATCH', '/api/v1/nodes/n1/status', { ...patchType('merge'), json: { status } });
    s.pass(Second);
    const put = vi.spyOn(s.server.store, 'put');
    for (let i = 0; i < 300; i++) s.call('POST', podPath, { json: podOf(`p${i}`, { nodeName: '' }) });
    put.mockClear();
    s.pass(10_000);
    expect(put.mock.calls.filter(([resource]) => resource === 'pods')).toHaveLength(20);
    s.pass(10 * Second);
    const bound = s.call('GET', podPath).body.items.filter((p) => p.spec.nodeName);
    expect(bound).toHaveLength(110);
    // When there is room, those that waited have it.
    s.call('PATCH', '/api/v1/nodes/n1/status', {
      ...patchType('merge'),
      json: { status: { allocatable: { pods: '250' } } },
    });
    s.pass(10 * Second);
    expect(s.call('GET', podPath).body.items.filter((p) => p.spec.nodeName)).toHaveLength(250);
  });
  it('a namespace is emptied in passes, and is gone in the end', () => {
    const s = setup();
    s.call('POST', '/api/v1/namespaces', { json: { metadata: { name: 'big' } } });
    const path = '/api/v1/namespaces/big/configmaps';
    for (let i = 0; i < 450; i++) s.call('POST', path, { json: configMap(`c${i}`, 1) });
    s.call('DELETE', '/api/v1/namespaces/big');
    s.pass(10_000);
    const left = s.call('GET', path).body.items.length;
    expect([left > 0, left < 450]).toEqual([true, true]);
    s.pass(10 * Second);
    expect(s.call('GET', '/api/v1/namespaces/big').code).toBe(404);
  });
});
