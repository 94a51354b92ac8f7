/** A server with a journal: what clients are told when, and how one goes on with what an earlier one has left. */
import { describe, expect, it } from 'vitest';
import { background, gosched, Kernel, Minute, receive, Second, VirtualClock } from '../../kernel/index.js';
import type { TraceRecord } from '../../trace/index.js';
import { ApiServer, type ApiServerOptions } from '../server.js';
import { inProcessTransport } from '../transport.js';
import type { ApiObject, ApiRequest, ApiResponse } from '../types.js';
import type { Kept, KeptObject } from './journal.js';

const user = { name: 'admin', groups: ['system:masters'] };
type Made = Partial<ApiObject> & { metadata: object };

/** A server whose journal keeps when it is told to. */
function journaled(options: ApiServerOptions = {}, kernel = new Kernel()) {
  const disk = new Map<string, KeptObject>();
  for (const o of options.kept?.objects ?? []) disk.set(`${o.resource} ${o.key}`, o);
  let version = options.kept?.version ?? 0;
  const server = new ApiServer(kernel, { journal: { wake() {} }, ...options });
  const keep = () => {
    for (let changes = server.store.takeChanges(); changes.length > 0; changes = server.store.takeChanges()) {
      for (const { resource, key, object, ...change } of changes) {
        if (object) disk.set(`${resource} ${key}`, { resource, key, object });
        else disk.delete(`${resource} ${key}`);
        version = change.version;
      }
      kernel.post(() => server.store.commit(version));
    }
  };
  keep();
  const send = (method: ApiRequest['method'], path: string, json?: unknown, more: Partial<ApiRequest> = {}) => {
    const request: ApiRequest = {
      method,
      path,
      user,
      headers: { 'content-type': 'application/json' },
      ...(json !== undefined && { json }),
      ...more,
    };
    const sent: { answer?: { code: number; body: Record<string, unknown> } } = {};
    const begun = server.handle(request);
    server.whenCommitted(request, begun, (response: ApiResponse) => {
      if (response.kind === 'answer') sent.answer = response as never;
    });
    return sent;
  };
  return {
    kernel,
    server,
    keep,
    send,
    /** Sends, keeps, and returns what came back. */
    ask(...args: Parameters<typeof send>) {
      const sent = send(...args);
      keep();
      if (!sent.answer) throw new Error('no answer');
      return sent.answer;
    },
    /** Lets time pass, keeping what is written. */
    pass(micros: number) {
      for (const end = kernel.now() + micros; kernel.now() < end; ) {
        kernel.run({ until: Math.min(end, kernel.now() + Second) });
        keep();
      }
    },
    get kept(): Kept {
      return { version, objects: [...disk.values()] };
    },
  };
}
const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, metadata: object = {}) => ({ metadata: { name, ...metadata }, data: { k: 'v' } });

describe('a server with a journal', () => {
  it('answers a write when it is kept, and shows it to nobody before', () => {
    const s = journaled();
    const made = s.send('POST', configMaps, configMap('a'));
    expect(made.answer).toBeUndefined();
    expect(s.send('GET', `${configMaps}/a`).answer?.code).toBe(404);
    expect(s.send('GET', configMaps).answer?.body).toMatchObject({ items: [] });
    // Whoever writes the same waits for what there is.
    const again = s.send('POST', configMaps, configMap('a'));
    expect(again.answer).toBeUndefined();
    s.keep();
    expect([made.answer?.code, again.answer?.code]).toEqual([201, 409]);
    expect(s.send('GET', `${configMaps}/a`).answer?.code).toBe(200);
  });

  it('tells watchers of nothing that is taken back, and whoever wrote it gets an error', () => {
    const s = journaled();
    const events: string[] = [];
    const watch = s.server.handle({ method: 'GET', path: configMaps, query: { watch: '1' }, user });
    if (watch.kind !== 'watch') throw new Error('no watch');
    watch.open({
      event: ({ type, object }) => events.push(`${type} ${(object as ApiObject).metadata.name}`) > 0,
      end() {},
    });
    const lost = s.send('POST', configMaps, configMap('lost'));
    s.server.store.takeChanges();
    const later = s.send('POST', configMaps, configMap('later'));
    s.kernel.post(() => s.server.store.abort('etcdserver: mvcc: database space exceeded'));
    for (const { answer } of [lost, later])
      expect(answer).toMatchObject({ code: 500, body: { message: 'etcdserver: mvcc: database space exceeded' } });
    expect(s.ask('POST', configMaps, configMap('kept')).code).toBe(201);
    expect(events).toEqual(['ADDED kept']);
  });

  it('tells the trace that what comes of a write was caused by whoever wrote', () => {
    const s = journaled();
    const { kernel } = s;
    const transport = inProcessTransport(kernel, s.server, { user, latency: 0 });
    const records: TraceRecord[] = [];
    const before: Record<string, number> = {};
    const after: Record<string, number> = {};
    const write = (name: string) =>
      kernel.go(name, function* () {
        yield* gosched();
        before[name] = kernel.cause;
        const body = configMap(name);
        expect((yield* transport.request(background, { method: 'POST', path: configMaps, body })).code).toBe(201);
        after[name] = kernel.cause;
      });
    kernel.go('watcher', function* () {
      const watch = yield* transport.watch(background, { method: 'GET', path: configMaps });
      for (const _ of ['a', 'b']) yield* receive(watch.events);
    });
    kernel.run({ until: kernel.now() + Second });
    kernel.addSink((record) => records.push(record));
    write('a');
    write('b');
    kernel.run({ until: kernel.now() + Second });
    expect(after).toEqual({});
    s.keep();
    kernel.run({ until: kernel.now() + Second });
    expect(before.a).not.toBe(before.b);
    expect(after).toEqual(before);
    const sent = records.filter((r) => r.kind === 'send' && (r.item as { object?: string })?.object === 'ConfigMap');
    expect(sent.map((r) => r.cause)).toEqual([before.a, before.b]);
  });

  it('makes what every cluster has again, where that was taken back', () => {
    const kernel = new Kernel();
    const server = new ApiServer(kernel, { journal: { wake() {} } });
    server.store.takeChanges();
    kernel.post(() => server.store.abort('no room'));
    expect(server.store.list('namespaces')).toEqual([]);
    kernel.run({ until: kernel.now() + 2 * Second });
    expect(server.store.list('namespaces').map((o) => o.metadata.name)).toContain('default');
  });
});

describe('a server that goes on with what was kept', () => {
  const begin = (kept: Kept, more: ApiServerOptions = {}, kernel?: Kernel) => journaled({ kept, ...more }, kernel);

  it('has the same objects, and changes nothing of them', () => {
    const first = journaled();
    first.ask('POST', configMaps, configMap('a'));
    first.pass(Second);
    const { kept } = first;
    const second = begin(kept);
    second.pass(10 * Second);
    expect(second.kept).toEqual(kept);
    expect(Number(second.ask('POST', configMaps, configMap('b')).body.metadata?.['resourceVersion' as never])).toBe(
      kept.version + 1,
    );
  });

  it('corrects what depends on the run: the address of the service, and the authority', () => {
    const first = journaled({ serverAddress: '127.0.0.1:1111', rootCA: 'one' });
    const second = begin(first.kept, { serverAddress: '127.0.0.1:2222', rootCA: 'two' });
    second.pass(Second);
    const get = (path: string) => second.send('GET', `/api/v1/namespaces/default/${path}`).answer?.body;
    expect(get('endpoints/kubernetes')).toMatchObject({ subsets: [{ ports: [{ port: 2222 }] }] });
    expect(get('services/kubernetes')).toMatchObject({ spec: { ports: [{ targetPort: 2222 }] } });
    expect(get('configmaps/kube-root-ca.crt')).toMatchObject({ data: { 'ca.crt': 'two' } });
  });

  it('ends namespaces that were ending', () => {
    const first = journaled();
    first.ask('POST', '/api/v1/namespaces', { metadata: { name: 'n' } });
    first.ask('POST', '/api/v1/namespaces/n/configmaps', configMap('a'));
    first.ask('DELETE', '/api/v1/namespaces/n');
    const second = begin(first.kept);
    expect(second.send('GET', '/api/v1/namespaces/n').answer?.body).toMatchObject({ status: { phase: 'Terminating' } });
    second.pass(5 * Second);
    expect(second.send('GET', '/api/v1/namespaces/n').answer?.code).toBe(404);
  });

  it('removes dependents whose owner went in the moment before, and leaves those of owners it does not know', () => {
    const first = journaled();
    const { metadata } = first.ask('POST', configMaps, configMap('owner')).body as unknown as ApiObject;
    const owned = (kind: string, uid: string) => ({
      ownerReferences: [{ apiVersion: 'v1', kind, name: 'owner', uid }],
    });
    first.ask('POST', configMaps, configMap('dependent', owned('ConfigMap', metadata.uid as string)));
    first.ask('POST', configMaps, configMap('foreign', owned('Widget', 'some-uid')));
    first.ask('DELETE', `${configMaps}/owner`);
    const second = begin(first.kept);
    second.pass(Second);
    expect(second.send('GET', `${configMaps}/dependent`).answer?.code).toBe(404);
    expect(second.send('GET', `${configMaps}/foreign`).answer?.code).toBe(200);
  });

  it('forgets events when their hour is over, counted from when they happened', () => {
    const first = journaled();
    const event = (name: string, s: ReturnType<typeof journaled>) =>
      s.ask('POST', '/api/v1/namespaces/default/events', {
        metadata: { name },
        involvedObject: { namespace: 'default' },
        lastTimestamp: new Date(Math.floor(s.server.nowMillis() / 1000) * 1000).toISOString().replace('.000', ''),
        reason: 'Because',
        message: 'of this',
      } as Made);
    event('old', first);
    first.pass(40 * Minute);
    event('young', first);
    const clock = new VirtualClock({ epochMillis: first.server.nowMillis() });
    const second = begin(first.kept, {}, new Kernel({ clock }));
    const there = () =>
      ((second.send('GET', '/api/v1/namespaces/default/events').answer?.body.items ?? []) as ApiObject[]).map(
        (o) => o.metadata.name,
      );
    second.pass(10 * Minute);
    event('new', second);
    expect(there()).toEqual(['new', 'old', 'young']);
    second.pass(20 * Minute);
    event('newer', second);
    expect(there()).toEqual(['new', 'newer', 'young']);
    second.pass(30 * Minute);
    event('newest', second);
    expect(there()).toEqual(['new', 'newer', 'newest']);
  });

  it('gives waiting pods to the node', () => {
    const first = journaled();
    first.ask('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
    first.ask(
      'PATCH',
      '/api/v1/nodes/n1/status',
      { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
      {
        headers: { 'content-type': 'application/merge-patch+json' },
      },
    );
    first.ask('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    } as Made);
    const second = begin(first.kept, { schedulePods: true });
    second.pass(Second);
    expect(second.send('GET', '/api/v1/namespaces/default/pods/p').answer?.body).toMatchObject({
      spec: { nodeName: 'n1' },
    });
  });

  it('runs a Job that nobody took up before', () => {
    const first = journaled();
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    first.ask('POST', '/apis/batch/v1/namespaces/default/jobs', {
      metadata: { name: 'sum' },
      spec: { template },
    } as Made);
    const second = begin(first.kept, { runJobs: true });
    second.pass(Second);
    expect(second.send('GET', '/api/v1/namespaces/default/pods').answer?.body).toMatchObject({
      items: [{ metadata: { ownerReferences: [{ kind: 'Job', name: 'sum' }] } }],
    });
  });
});
