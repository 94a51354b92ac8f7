import { describe, expect, it } from 'vitest';
import { APIError, errorFromResponse } from '../../api/client/api-error.js';
import { background, type Go, Kernel, Second, withCancel } from '../../kernel/index.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import { FakeAPI, status } from '../testing/fake-api.js';
import { apiPod } from '../testing/fake-node.js';
import { RestClient, type RestClientOptions } from './rest-client.js';
import { RestKubeClient } from './rest-kube-client.js';

function setup(options: Partial<RestClientOptions> = {}) {
  const records: TraceRecord[] = [];
  const k = new Kernel({ sink: (r) => records.push(r) });
  const api = new FakeAPI(k);
  const client = new RestKubeClient(new RestClient({ kernel: k, transport: api, ...options }));
  const end = <T>(op: () => Go<T>): T | Error => {
    let out: T | Error = new Error('never ended');
    k.go('test', function* () {
      try {
        out = yield* op();
      } catch (err) {
        out = err as Error;
      }
    });
    k.run();
    return out;
  };
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  return { k, api, client, end, of };
}

describe('RestClient', () => {
  it('traces a request and its answer, and never what they carry', () => {
    const t = setup();
    t.api.put('pods', apiPod('web'));
    t.end(() => t.client.getPod('default', 'web'));
    t.end(() =>
      t.client.createToken(background, 'default', 'sa', { spec: { audiences: ['SECRET'], expirationSeconds: 600 } }),
    );
    t.end(() => t.client.getNode('other'));
    t.api.up = false;
    t.end(() => t.client.getNode('node1'));
    const api = t.of('api').map(({ seq: _s, time: _t, g: _g, span: _p, cause: _c, kind: _k, took, ...r }) => ({
      ...r,
      ...(took !== undefined && { took: Math.round(took / 100) * 100 }),
    }));
    const web = { verb: 'get', resource: 'pods', namespace: 'default', name: 'web' };
    const token = {
      verb: 'create',
      resource: 'serviceaccounts',
      subresource: 'token',
      namespace: 'default',
      name: 'sa',
    };
    expect(api).toEqual([
      { id: 1, phase: 'request', ...web },
      { id: 1, phase: 'response', ...web, code: 200, took: 1000 },
      { id: 2, phase: 'request', ...token },
      { id: 2, phase: 'response', ...token, code: 201, took: 1000 },
      { id: 3, phase: 'request', verb: 'get', resource: 'nodes', name: 'other' },
      {
        id: 3,
        phase: 'response',
        verb: 'get',
        resource: 'nodes',
        name: 'other',
        code: 404,
        took: 1000,
        error: 'nodes "other" not found',
      },
      { id: 4, phase: 'request', verb: 'get', resource: 'nodes', name: 'node1' },
      {
        id: 4,
        phase: 'response',
        verb: 'get',
        resource: 'nodes',
        name: 'node1',
        took: 1000,
        error: 'Get "https://192.0.2.9:6443/api/v1/nodes/node1": dial tcp 192.0.2.9:6443: connect: connection refused',
      },
    ]);
    expect(JSON.stringify(t.of('api'))).not.toContain('SECRET');
  });

  it('holds requests back that are too many, and says so', () => {
    const t = setup({ qps: 5, burst: 2 });
    t.end(function* () {
      for (let i = 0; i < 5; i++) yield* t.client.getNode('node1');
    });
    const times = t
      .of('api')
      .filter((r) => r.phase === 'request')
      .map((r) => Math.round(r.time / 10_000) / 100);
    expect(times).toEqual([0, 0, 0.2, 0.4, 0.6]);
    const waited = t.of('log').filter((l) => l.msg === 'Waited before sending request');
    expect(waited).toHaveLength(3);
    expect(waited[0]).toMatchObject({
      v: 3,
      kv: {
        reason: 'client-side throttling, not priority and fairness',
        verb: 'GET',
        URL: 'https://192.0.2.9:6443/api/v1/nodes/node1',
      },
    });
  });

  it('comes again when the server says when, at most ten times', () => {
    const t = setup();
    const busy = () => status(429, 'TooManyRequests', 'later', { retryAfterSeconds: 2 });
    t.api.answers.set('GET nodes', [busy(), busy()]);
    expect(t.end(() => t.client.getNode('node1'))).toMatchObject({ metadata: { name: 'node1' } });
    expect(Math.round(t.k.now() / 1000)).toBe(4003);
    t.api.answers.set('GET nodes', Array.from({ length: 20 }, busy));
    t.api.requests.length = 0;
    expect(t.end(() => t.client.getNode('node1'))).toMatchObject({ reason: 'TooManyRequests', code: 429 });
    expect(t.api.requests).toHaveLength(11);
  });

  const eof = { throw: 'EOF' };
  const reset = { throw: 'read tcp 10.0.0.1:41222->192.0.2.9:6443: read: connection reset by peer' };

  it('reads once more, a second later, where the connection ended without an answer, and never writes twice', () => {
    const t = setup();
    t.api.answers.set('GET nodes', [eof, reset, { throw: 'unexpected EOF' }]);
    expect(t.end(() => t.client.getNode('node1'))).toMatchObject({ metadata: { name: 'node1' } });
    expect(Math.round(t.k.now() / 1000)).toBe(3004);
    expect(t.of('log').filter((l) => l.msg === 'Got a Retry-After response')).toHaveLength(3);
    for (const failure of [
      { throw: 'dial tcp 192.0.2.9:6443: i/o timeout' },
      { throw: 'remote error: tls: handshake' },
    ]) {
      t.api.requests.length = 0;
      t.api.answers.set('GET nodes', [failure]);
      expect(t.end(() => t.client.getNode('node1'))).toBeInstanceOf(Error);
      expect(t.api.requests).toHaveLength(1);
    }
    t.api.answers.set('POST nodes', [eof]);
    expect(t.end(() => t.client.createNode(background, { metadata: { name: 'x' } }))).toMatchObject({
      message: 'Post "https://192.0.2.9:6443/api/v1/nodes": EOF',
    });
  });

  it('says what an earlier attempt failed with, and comes no more than eleven times', () => {
    const t = setup();
    t.api.answers.set('GET nodes', [eof, { throw: 'dial tcp 192.0.2.9:6443: connect: connection refused' }]);
    expect(t.end(() => t.client.getNode('node1'))).toMatchObject({
      message:
        'Get "https://192.0.2.9:6443/api/v1/nodes/node1": dial tcp 192.0.2.9:6443: connect: connection refused - error from a previous attempt: EOF',
    });
    t.api.requests.length = 0;
    t.api.answers.set('GET nodes', Array(20).fill(eof));
    expect(t.end(() => t.client.getNode('node1'))).toMatchObject({
      message: 'Get "https://192.0.2.9:6443/api/v1/nodes/node1": EOF',
    });
    expect(t.api.requests).toHaveLength(11);
  });

  it('says which request it was once, also where the transport has said so', () => {
    const t = setup();
    const said =
      'Get "https://192.0.2.9:6443/api/v1/nodes/node1": dial tcp 192.0.2.9:6443: connect: connection refused';
    t.api.answers.set('GET nodes', [{ throw: said }]);
    expect(t.end(() => t.client.getNode('node1'))).toMatchObject({ message: said });
  });

  it('has one limit of time for all attempts', () => {
    const t = setup({ timeout: 5 * Second });
    const later = () => ({ ...status(503, 'ServiceUnavailable', 'starting'), retryAfter: 2 });
    t.api.answers.set('GET nodes', Array.from({ length: 20 }, later));
    expect(t.end(() => t.client.getNode('node1'))).toMatchObject({ message: 'context deadline exceeded' });
    expect(Math.round(t.k.now() / Second)).toBe(5);
    expect(t.api.requests).toHaveLength(3);
  });

  it('ends its wait with the context', () => {
    const t = setup();
    t.api.answers.set('GET pods', [{ ...status(429, 'TooManyRequests', 'later'), retryAfter: 3600 }]);
    const [ctx, cancel] = withCancel(t.k, background);
    t.k.addTimer(2 * Second, () => cancel());
    expect(t.end(() => t.client.listerWatcher('pods', '', '').list(ctx, {}))).toMatchObject({
      message: 'context canceled',
    });
    expect(Math.round(t.k.now() / Second)).toBe(2);
  });

  it('begins a watch once more when the server says when; one whose connection always fails has ended', () => {
    const t = setup();
    const begin = () =>
      t.end(() =>
        t.client.listerWatcher('pods', '', '').watch(background, { resourceVersion: '1', timeoutSeconds: 60 }),
      );
    t.api.answers.set('WATCH pods', [{ ...status(429, 'TooManyRequests', 'later'), retryAfter: 2 }]);
    expect(begin()).toMatchObject({ code: 200 });
    expect(Math.round(t.k.now() / Second)).toBe(2);
    t.api.answers.set('WATCH pods', Array(20).fill({ throw: 'net/http: TLS handshake timeout' }));
    t.api.requests.length = 0;
    const ended = begin() as { code: number; events: { closed: boolean } };
    expect([ended.code, ended.events.closed, t.api.requests.length]).toEqual([200, true, 11]);
    t.api.answers.set('WATCH pods', [status(410, 'Expired', 'too old resource version: 1 (40)')]);
    expect(begin()).toMatchObject({ reason: 'Expired', code: 410 });
    t.api.answers.set('WATCH pods', [{ throw: 'dial tcp 192.0.2.9:6443: connect: connection refused' }]);
    t.api.requests.length = 0;
    expect(begin()).toBeInstanceOf(Error);
    expect(t.api.requests).toHaveLength(1);
  });

  it('does not take a name that would mean something else', () => {
    const t = setup();
    t.api.put('pods', apiPod('web'));
    t.end(() => t.client.getPod('default', 'a/../web'));
    expect(t.api.requests).toEqual(['GET pods default/a%2F..%2Fweb']);
    expect(t.end(() => t.client.getPod('default', ''))).toMatchObject({ message: 'resource name may not be empty' });
    expect(
      t.end(() => t.client.deletePodWith(background, 'default', '', { gracePeriodSeconds: 0, uid: null })),
    ).toBeInstanceOf(APIError);
    expect(t.api.requests).toHaveLength(1);
  });

  it('patches a status for that very pod alone, and does not ask for nothing', () => {
    const t = setup();
    const pod = apiPod('web');
    t.api.put('pods', pod);
    const old = { phase: 'Pending' } as const;
    expect(t.end(() => t.client.patchPodStatus(pod, old, { phase: 'Pending' }))).toMatchObject({
      unchanged: true,
      patch: '{"metadata":{"uid":"uid-web"}}',
    });
    expect(t.api.requests).toEqual([]);
    t.end(() => t.client.patchPodStatus(pod, old, { phase: 'Running', podIPs: [{ ip: '10.0.0.1' }] }));
    expect(t.api.bodies).toEqual([
      {
        what: 'PATCH pods/status',
        body: { metadata: { uid: 'uid-web' }, status: { phase: 'Running', podIPs: [{ ip: '10.0.0.1' }] } },
      },
    ]);
    t.api.remove('pods', 'default', 'web');
    expect(t.end(() => t.client.patchPodStatus(pod, old, { phase: 'Failed' }))).toMatchObject({
      message:
        'failed to patch status "{\\"metadata\\":{\\"uid\\":\\"uid-web\\"},\\"status\\":{\\"phase\\":\\"Failed\\"}}" for pod "default"/"web": pods "web" not found',
    });
  });

  it('says clearly that a pod is none', () => {
    const t = setup();
    t.api.answers.set('GET pods', [
      { code: 200, body: 'hello' },
      { code: 200, body: { kind: 'Pod', apiVersion: 'v1', metadata: [] } },
    ]);
    for (let i = 0; i < 2; i++)
      expect(t.end(() => t.client.getPod('default', 'web'))).toMatchObject({
        message: expect.stringMatching(/^the server's answer is not a pod: /),
      });
  });
});

describe('errorFromResponse', () => {
  it.each([
    [
      404,
      { kind: 'Status', reason: 'NotFound', message: 'pods "x" not found', code: 404 },
      'NotFound',
      'pods "x" not found',
    ],
    [409, { kind: 'Status', reason: 'AlreadyExists', message: 'm' }, 'AlreadyExists', 'm'],
    [410, { kind: 'Status', message: 'm' }, 'Gone', 'm'],
    [403, '<html>', 'Forbidden', 'the server does not allow access to the requested resource (get pods)'],
    [
      502,
      null,
      'Unknown',
      'the server responded with the status code 502 but did not return more information (get pods)',
    ],
  ])('%i %j', (code, body, reason, message) => {
    const err = errorFromResponse(code, body, 'get', 'pods');
    expect([err.reason, err.message, err.code]).toEqual([reason, message, code]);
  });
});
