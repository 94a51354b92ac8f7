import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types.js';
import { background, type Go, Kernel, receive, Second, send } from '../../kernel/index.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import { EventRecorder } from '../events.js';
import { MemOS } from '../testing/mem-os.js';
import { isMirrorPod, isStaticPod, type PodUpdate } from '../types/pod-update.js';
import { tryDecodeSinglePod } from './common.js';
import { newSourceFile } from './file.js';
import { newSourceURL } from './http.js';
import { PodConfig } from './pod-config.js';
import { SourcesReady } from './sources.js';

const pod = (
  uid: string,
  more: {
    name?: string;
    image?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    deleted?: boolean;
    phase?: Pod['status']['phase'];
    generation?: number;
  } = {},
): Pod => ({
  metadata: {
    uid,
    name: more.name ?? uid,
    namespace: 'default',
    ...(more.labels && { labels: more.labels }),
    ...(more.annotations && { annotations: more.annotations }),
    ...(more.deleted && { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 }),
    ...(more.generation && { generation: more.generation }),
  },
  spec: { containers: [{ name: 'app', image: more.image ?? 'x' }] },
  status: more.phase ? { phase: more.phase } : {},
});

function setup() {
  const records: TraceRecord[] = [];
  const k = new Kernel({ sink: (r) => records.push(r) });
  k.addTimer(1e12, () => {});
  const config = new PodConfig(k, new EventRecorder(k));
  const updates: PodUpdate[] = [];
  const ready = new SourcesReady(k, (seen) => config.seenAllSources(seen));
  k.go('loop', function* () {
    for (;;) {
      const [u, ok] = yield* receive(config.updates());
      if (!ok) return;
      updates.push(u);
      ready.addSource(u.source);
    }
  });
  const run = (seconds = 0) => k.run({ until: k.now() + seconds * Second + 10_000 });
  /** Sends a snapshot; the result as `OP a b`. */
  const say = (source: string, ...pods: Pod[]) => {
    const ch = config.channel(background, source);
    const from = updates.length;
    k.go('source', function* (): Go<void> {
      yield* send(ch, { pods });
    });
    run();
    return updates.slice(from).map((u) => [u.op, ...u.pods.map((p) => p.metadata.name)].join(' '));
  };
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  return { k, config, ready, updates, run, say, of };
}

describe('PodConfig', () => {
  it('[1:E01] has one unbuffered channel per source and an output of 50', () => {
    const t = setup();
    const ch = t.config.channel(background, 'file');
    expect(t.config.channel(background, 'file')).toBe(ch);
    expect(ch.cap).toBe(0);
    expect([t.config.updates().name, t.config.updates().cap]).toEqual(['configCh', 50]);
    expect(() => t.config.channel(background, '')).toThrow('Channel given an empty name');
  });

  it('[1:E02] [1:E03] takes every message as a complete snapshot: REMOVE, ADD, UPDATE, DELETE, RECONCILE, each once', () => {
    const t = setup();
    expect(t.say('api', pod('a'), pod('b'), pod('c'), pod('d'))).toEqual(['ADD a b c d']);
    expect(
      t.say('api', pod('b', { image: 'y' }), pod('c', { deleted: true }), pod('d', { phase: 'Running' }), pod('e')),
    ).toEqual(['REMOVE a', 'ADD e', 'UPDATE b', 'DELETE c', 'RECONCILE d']);
    expect(t.say('api')).toEqual(['REMOVE b c d e']);
  });

  it('[1:E03] sends copies', () => {
    const t = setup();
    t.say('api', pod('a'));
    const sent = t.updates[0]?.pods[0] as Pod;
    sent.spec.containers = [];
    expect(t.say('api', pod('a'))).toEqual([]);
  });

  it('[1:E03] hears nothing new in the same pod said again, and all of it once it went and came back', () => {
    const t = setup();
    const [a, b] = [pod('a'), pod('b')];
    expect(t.say('file', a)).toEqual(['ADD a']);
    expect(t.say('file', a, b)).toEqual(['ADD b']);
    expect(t.say('file', a, pod('b', { image: 'y' }))).toEqual(['UPDATE b']);
    // The first b again is news by now.
    expect(t.say('file', a, b)).toEqual(['UPDATE b']);
    expect(t.say('file', b)).toEqual(['REMOVE a']);
    expect(t.say('file', a, b)).toEqual(['ADD a']);
    // Two sources may say the same.
    expect(t.say('api', a)).toEqual(['ADD a']);
    expect(t.say('file', a, b)).toEqual([]);
  });

  it('[1:E04] says an empty ADD for the first snapshot, and nothing for later empty ones', () => {
    const t = setup();
    expect(t.say('file')).toEqual(['ADD']);
    expect(t.say('file')).toEqual([]);
  });

  it('[1:E05] is ready when every source was handled by the loop and sent a snapshot', () => {
    const t = setup();
    expect(t.ready.allReady()).toBe(true);
    t.config.channel(background, 'file');
    t.config.channel(background, 'api');
    expect(t.ready.allReady()).toBe(false);
    t.say('file');
    expect(t.ready.allReady()).toBe(false);
    t.say('api', pod('a'));
    expect(t.ready.allReady()).toBe(true);
    expect(t.of('sources-ready').map((r) => [r.source, r.all])).toEqual([
      ['file', false],
      ['api', true],
    ]);
  });

  it('[1:E06] a new uid under an old name is REMOVE and then ADD', () => {
    const t = setup();
    t.say('file', pod('u1', { name: 'web' }));
    expect(t.say('file', pod('u2', { name: 'web' }))).toEqual(['REMOVE web', 'ADD web']);
  });

  it('[1:E07] [1:E08] tells updates, deletions and reconciles apart', () => {
    const t = setup();
    t.say('api', pod('a', { generation: 1 }));
    expect(t.say('api', pod('a', { labels: { x: '1' } }))).toEqual(['UPDATE a']);
    expect(t.say('api', pod('a', { labels: { x: '1' }, phase: 'Running', generation: 7 }))).toEqual(['RECONCILE a']);
    // Generation comes only with a semantic change.
    expect(t.updates.at(-1)?.pods[0]?.metadata.generation).toBeUndefined();
    expect(t.say('api', pod('a', { labels: { x: '2' }, phase: 'Failed' }))).toEqual(['UPDATE a']);
    expect(t.say('api', pod('a', { labels: { x: '2' }, deleted: true }))).toEqual(['DELETE a']);
    expect(t.say('api', pod('a', { labels: { x: '3' }, deleted: true }))).toEqual(['DELETE a']);
  });

  it('[1:E09] keeps its own annotations and looks past them', () => {
    const t = setup();
    t.say('file', pod('a', { annotations: { mine: '1' } }));
    const first = t.updates[0]?.pods[0]?.metadata.annotations as Record<string, string>;
    expect(first['kubernetes.io/config.source']).toBe('file');
    expect(first['kubernetes.io/config.seen']).toMatch(/^2026-01-01T00:00:00(\.\d+)?Z$/);
    t.run(5);
    expect(t.say('file', pod('a', { annotations: { mine: '1' } }))).toEqual([]);
    expect(t.say('file', pod('a', { annotations: { mine: '2' } }))).toEqual(['UPDATE a']);
    expect(t.updates.at(-1)?.pods[0]?.metadata.annotations).toEqual({ ...first, mine: '2' });
  });

  it('[1:E10] ignores the later of two pods of one name', () => {
    const t = setup();
    expect(t.say('file', pod('a', { name: 'web' }), pod('b', { name: 'web' }))).toEqual(['ADD web']);
    expect(t.updates[0]?.pods[0]?.metadata.uid).toBe('a');
    expect(t.of('kube-event').map((e) => [e.reason, e.message])).toEqual([
      ['FailedValidation', 'Error validating pod web_default(b) from file due to duplicate pod name "web", ignoring'],
    ]);
  });

  it('leaves source and pod-config records', () => {
    const t = setup();
    t.say('file', pod('a'));
    expect(t.of('source').map((r) => [r.source, r.pods.map((p) => p.uid)])).toEqual([['file', ['a']]]);
    expect(t.of('pod-config').map((r) => [r.op, r.pods.map((p) => p.pod)])).toEqual([['ADD', ['default/a']]]);
  });
});

const manifest = (name: string, more: { uid?: string; image?: string } = {}) =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n${more.uid ? `  uid: ${more.uid}\n` : ''}spec:\n  containers:\n  - name: app\n    image: ${more.image ?? 'nginx:1'}\n`;

describe('applyDefaults', () => {
  const decode = (text: string, options: Partial<{ source: string; isFile: boolean; nodeName: string }> = {}) => {
    const r = tryDecodeSinglePod(text, { source: '/m/a.yaml', isFile: true, nodeName: 'Node1', ...options });
    if ('error' in r) throw r.error;
    return r.pod;
  };

  it('[1:E12] [1:E14] makes it a pod of this node', () => {
    const p = decode(manifest('web'));
    expect(p.metadata).toMatchObject({ name: 'web-node1', namespace: 'default' });
    expect(p.metadata.annotations).toEqual({ 'kubernetes.io/config.hash': p.metadata.uid });
    expect(p.spec.nodeName).toBe('Node1');
    expect(p.status).toEqual({ phase: 'Pending' });
    expect(p.spec.tolerations).toEqual([{ operator: 'Exists', effect: 'NoExecute' }]);
    expect(decode(manifest('web'), { isFile: false }).spec.tolerations).toBeUndefined();
  });

  it('[1:E13] makes a uid from content, node and path; a given one stays', () => {
    const uid = (text: string, o?: Parameters<typeof decode>[1]) => decode(text, o).metadata.uid;
    const base = uid(manifest('web'));
    expect(base).toMatch(/^[0-9a-f]{32}$/);
    expect(uid(manifest('web'))).toBe(base);
    expect(
      new Set([
        base,
        uid(manifest('web', { image: 'nginx:2' })),
        uid(manifest('web'), { nodeName: 'n2' }),
        uid(manifest('web'), { source: '/m/b.yaml' }),
      ]).size,
    ).toBe(4);
    expect(uid(manifest('web', { uid: 'mine' }))).toBe('mine');
  });

  it.each([
    ['secrets', '  imagePullSecrets: [{name: s}]'],
    ['serviceaccounts', '  serviceAccountName: sa'],
    ['configmaps', '  volumes: [{name: v, configMap: {name: c}}]'],
    ['persistentvolumeclaims', '  volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]'],
    ['resourceclaims', '  resourceClaims: [{name: c}]'],
  ])('[1:E15] refuses a static pod that needs %s', (kind, spec) => {
    expect(() => decode(manifest('web') + spec)).toThrow(`static pods may not reference ${kind}`);
  });

  it('[1:E15] wants a name', () => {
    expect(() => decode(manifest('web').replace('  name: web\n', '  labels: {}\n'))).toThrow(
      'invalid pod: name is needed for the pod',
    );
  });

  it('[1:E11] a pod is static or a mirror by its annotations', () => {
    const by = (annotations: Record<string, string>) => [
      isStaticPod(pod('u', { annotations })),
      isMirrorPod(pod('u', { annotations })),
    ];
    expect(by({})).toEqual([false, false]);
    expect(by({ 'kubernetes.io/config.source': 'api' })).toEqual([false, false]);
    expect(by({ 'kubernetes.io/config.source': 'file' })).toEqual([true, false]);
    expect(by({ 'kubernetes.io/config.source': 'http' })).toEqual([true, false]);
    expect(by({ 'kubernetes.io/config.source': 'api', 'kubernetes.io/config.mirror': 'h' })).toEqual([false, true]);
  });
});

describe('file source', () => {
  const file = (options: { path?: string; watching?: boolean; files?: Record<string, string> } = {}) => {
    const t = setup();
    const os = new MemOS(t.k);
    os.watching = options.watching ?? true;
    if (!options.path) os.dirs.add('/m');
    for (const [name, data] of Object.entries(options.files ?? {})) os.put(`/m/${name}`, data);
    newSourceFile({
      kernel: t.k,
      ctx: background,
      os,
      path: options.path ?? '/m/',
      nodeName: 'node1',
      period: 20 * Second,
      updates: t.config.channel(background, 'file'),
    });
    t.run(0.1);
    const news = () => t.updates.splice(0).map((u) => [u.op, ...u.pods.map((p) => p.metadata.name)].join(' '));
    const errors = () =>
      t
        .of('log')
        .filter((l) => l.severity === 'E')
        .map((l) => `${l.msg}: ${l.kv.err}`);
    return { ...t, os, news, errors };
  };

  it('[1:E16] lists at once, sorted, without dot files and folders, and then watches', () => {
    const t = file({
      files: {
        'b.yaml': manifest('b'),
        'a.yaml': manifest('a'),
        '.hidden.yaml': manifest('h'),
        'sub/c.yaml': manifest('c'),
      },
    });
    expect(t.news()).toEqual(['ADD a-node1 b-node1']);
    t.os.put('/m/c.yaml', manifest('c'));
    t.os.put('/m/.d.yaml', manifest('d'));
    t.run(0.1);
    expect(t.news()).toEqual(['ADD c-node1']);
    t.os.rm('/m/a.yaml');
    t.run(0.1);
    expect(t.news()).toEqual(['REMOVE a-node1']);
  });

  it('[1:E16] without watching finds changes at the next list', () => {
    const t = file({ watching: false });
    expect(t.news()).toEqual(['ADD']);
    t.os.put('/m/a.yaml', manifest('a'));
    t.run(19);
    expect(t.news()).toEqual([]);
    t.run(2);
    expect(t.news()).toEqual(['ADD a-node1']);
  });

  it('[1:E16] a missing path is an empty snapshot and an error', () => {
    const t = file({ path: '/none' });
    expect(t.news()).toEqual(['ADD']);
    expect(t.errors()).toContain('Unable to read config path: path does not exist, ignoring');
    t.os.put('/none/a.yaml', manifest('a'));
    t.run(21);
    expect(t.news()).toEqual(['ADD a-node1']);
  });

  it('[1:E17] a broken manifest keeps the old pod until the next list, which drops it', () => {
    const t = file({ files: { 'a.yaml': manifest('a'), 'b.yaml': manifest('b') } });
    t.news();
    t.os.put('/m/a.yaml', 'kind: Pod\nmetadata: {name: [');
    t.run(1);
    expect(t.news()).toEqual([]);
    expect(t.errors().at(-1)).toMatch(
      /^Unable to process watch event: can't process config file "\/m\/a.yaml": \/m\/a.yaml: couldn't parse as pod\(/,
    );
    t.run(20);
    expect(t.news()).toEqual(['REMOVE a-node1']);
    expect(t.of('source').at(-1)?.errors).toHaveLength(1);
  });

  it('[1:E18] an emptied folder leaves the store stale: a later add brings the old pod back until the next list', () => {
    const t = file({ watching: true, files: { 'a.yaml': manifest('a') } });
    t.news();
    // Gone without an event, as behind a lost watch.
    t.os.files.delete('/m/a.yaml');
    t.run(20);
    expect(t.news()).toEqual(['REMOVE a-node1']);
    t.os.put('/m/b.yaml', manifest('b'));
    t.run(1);
    expect(t.news()).toEqual(['ADD a-node1 b-node1']);
    t.run(20);
    expect(t.news()).toEqual(['REMOVE a-node1']);
  });

  it('[6:2] what is no file is not opened: by the list, by the watch, or as the path itself', () => {
    const t = file({ files: { 'a.yaml': manifest('a') } });
    expect(t.news()).toEqual(['ADD a-node1']);
    t.os.types.set('/m/pipe.yaml', 'pipe');
    t.os.types.set('/m/zero.yaml', 'char');
    t.os.put('/m/pipe.yaml', '');
    t.os.files.set('/m/zero.yaml', '');
    t.run(1);
    expect(t.errors().at(-1)).toMatch(/can't process config file "\/m\/pipe.yaml": \/m\/pipe.yaml is not a file$/);
    t.run(20);
    const told = t.of('log').filter((l) => l.msg === 'Manifest path is not a directory or file');
    expect(told.map((l) => l.kv)).toMatchObject([
      { path: '/m/pipe.yaml', mode: 'pipe' },
      { path: '/m/zero.yaml', mode: 'char' },
    ]);
    // All others are as before, and later ones come.
    expect(t.news()).toEqual([]);
    t.os.put('/m/b.yaml', manifest('b'));
    t.run(1);
    expect(t.news()).toEqual(['ADD b-node1']);

    const single = file({ path: '/pipe' });
    single.os.types.set('/pipe', 'pipe');
    single.os.files.set('/pipe', '');
    single.run(20);
    expect(single.errors().at(-1)).toMatch(/path is not a directory or file/);
  });

  it('[6:2] a manifest whose file system does not answer is as it was; one that cannot be read is gone', () => {
    const t = file({ files: { 'a.yaml': manifest('a'), 'b.yaml': manifest('b'), 'c.yaml': manifest('c') } });
    expect(t.news()).toEqual(['ADD a-node1 b-node1 c-node1']);
    t.os.silent.add('/m/a.yaml');
    t.os.files.set('/m/b.yaml', 'nonsense');
    t.run(20);
    expect(t.news()).toEqual(['REMOVE b-node1']);
    expect(t.errors().join()).toMatch(/Could not get metadata: .*does not answer/);
    t.os.silent.clear();
    t.os.files.delete('/m/a.yaml');
    t.run(20);
    expect(t.news()).toEqual(['REMOVE a-node1']);
  });

  it('[6:2] of very many files that cannot be read a few are told in the record', () => {
    const t = file();
    for (let i = 0; i < 3000; i++) t.os.files.set(`/m/${i}.yaml`, 'nonsense');
    t.run(20);
    const { errors } = t.of('source').at(-1) as { errors?: string[] };
    expect(errors).toHaveLength(21);
    expect(errors?.at(-1)).toBe('and more files that cannot be read');
  });

  it('[1:E13] an edit without a uid is REMOVE and ADD, with one UPDATE', () => {
    const t = file({ files: { 'a.yaml': manifest('a'), 'b.yaml': manifest('b', { uid: 'fixed' }) } });
    t.news();
    t.os.put('/m/a.yaml', manifest('a', { image: 'nginx:2' }));
    t.run(0.1);
    expect(t.news()).toEqual(['REMOVE a-node1', 'ADD a-node1']);
    t.os.put('/m/b.yaml', manifest('b', { uid: 'fixed', image: 'nginx:2' }));
    t.run(0.1);
    expect(t.news()).toEqual(['UPDATE b-node1']);
  });
});

describe('URL source', () => {
  it('[1:E19] reads a pod or a list, every period, and only news', () => {
    const t = setup();
    let answer: { status: number; body: string; statusText?: string } = { status: 200, body: manifest('a') };
    const asked: unknown[] = [];
    newSourceURL({
      kernel: t.k,
      ctx: background,
      transport: {
        *httpGet(_ctx, request) {
          asked.push(request);
          return answer;
        },
      },
      url: 'http://pods.example:8080/all?x=1',
      headers: [{ name: 'X', value: 'y' }],
      nodeName: 'node1',
      period: 20 * Second,
      updates: t.config.channel(background, 'http'),
    });
    const next = (a: typeof answer) => {
      answer = a;
      t.run(20);
      return t.updates.splice(0).map((u) => [u.op, ...u.pods.map((p) => p.metadata.name)].join(' '));
    };
    t.run(0.1);
    expect(asked).toEqual([
      {
        scheme: 'http',
        host: 'pods.example',
        port: 8080,
        path: '/all?x=1',
        headers: [{ name: 'X', value: 'y' }],
        timeout: 10 * Second,
        maxBody: 10 * 1024 * 1024,
      },
    ]);
    expect(t.updates.splice(0).map((u) => u.pods.map((p) => [p.metadata.name, p.spec.tolerations]))).toEqual([
      [['a-node1', undefined]],
    ]);
    expect(next(answer)).toEqual([]);
    const item = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'x:1' }] } });
    expect(
      next({ status: 200, body: JSON.stringify({ kind: 'PodList', apiVersion: 'v1', items: [item('b'), item('c')] }) }),
    ).toEqual(['REMOVE a-node1', 'ADD b-node1 c-node1']);
    expect(next({ status: 503, body: '', statusText: 'Service Unavailable' })).toEqual([]);
    expect(next({ status: 200, body: 'nonsense' })).toEqual([]);
    // Read once already: it counts as a success now.
    expect(next({ status: 200, body: 'nonsense' })).toEqual([]);
    expect(next({ status: 200, body: '' })).toEqual(['REMOVE b-node1 c-node1']);
    // The manifest is as long as one may be; one that is not a pod is not repeated whole.
    const long = { ...item('d'), apiVersion: 'v1', kind: 'Pod' };
    const pod = JSON.stringify({ ...long, metadata: { name: 'd', annotations: { a: 'x'.repeat(200_000) } } });
    expect(next({ status: 200, body: pod })).toEqual(['ADD d-node1']);
    expect(next({ status: 200, body: 'x'.repeat(200_000) })).toEqual([]);
    const repeated = t.of('log').at(-1);
    expect(JSON.stringify(repeated).length).toBeLessThan(3000);
    expect(JSON.stringify(repeated)).toContain('received');
    expect(next({ status: 200, body: '' })).toEqual(['REMOVE d-node1']);
    const said = t
      .of('log')
      .filter((l) => l.file === 'http.go')
      .map((l) => l.msg);
    expect(said).toEqual([
      'Watching URL',
      'Failed to read pods from URL',
      'Failed to read pods from URL',
      'Successfully read pods from URL',
      'Failed to read pods from URL',
      'Successfully read pods from URL',
      'Failed to read pods from URL',
      'Failed to read pods from URL',
    ]);
  });
});
