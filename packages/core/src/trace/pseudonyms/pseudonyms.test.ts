import { describe, expect, it } from 'vitest';
import type { TraceRecord } from '../records.js';
import { Ids } from './ids.js';
import { Pseudonyms } from './index.js';
import { Scanner } from './scanner.js';

const head = { seq: 1, time: 0, g: 0, span: 0, cause: 0 };
const log = (msg: string, kv: object = {}) =>
  ({ ...head, kind: 'log', severity: 'I', v: 0, msg, kv, file: 'x.go' }) as unknown as TraceRecord;
const of = (body: object) => ({ ...head, ...body }) as unknown as TraceRecord;

/** The records with pseudonyms, without their heads. */
function made(...records: readonly TraceRecord[]) {
  const names = new Pseudonyms();
  for (const record of records) names.look(record);
  return records.map((record) => {
    const { seq: _s, time: _t, g: _g, span: _p, cause: _c, ...body } = names.record(record);
    return body as unknown as Record<string, unknown>;
  });
}

describe('ids in texts', () => {
  const ids = () => new Ids();

  it('are replaced wherever they stand, the same by the same, however they are written', () => {
    const one = ids();
    const uid = '644e2ec6-9291-4ff1-aae2-fd7559160b81';
    expect(one.replace(`/pods/${uid}/x pod${uid.replaceAll('-', '_')}.slice`)).toBe(
      '/pods/00000001-0000-4000-8000-000000000000/x pod00000001_0000_4000_8000_000000000000.slice',
    );
    // A static pod's, in the name of its cgroup.
    const hash = 'a6cd4bb6dc8c8d8cd61fe52b7c32e7fd';
    expect(one.replace(`/kubepods/besteffort/pod${hash}`)).toBe(`/kubepods/besteffort/pod00000001${'0'.repeat(24)}`);
    const id = '07a9712d3276a33616c691057ae40417d0683f4e3d2b79168cb864560c3aeecd';
    expect(one.replace(`containerd://${id} ${id.slice(0, 12)} sha256:${id}`)).toBe(
      `containerd://00000001${'0'.repeat(56)} 000000010000 sha256:00000001${'0'.repeat(56)}`,
    );
    expect(one.replace('deadbeef0123')).toBe('deadbeef0123');
  });

  it('are addresses for documentation', () => {
    const one = ids();
    expect(one.replace('http://10.1.2.3:80/ 10.1.2.3 (10.1.2.4/24)')).toBe(
      'http://192.0.2.1:80/ 192.0.2.1 (192.0.2.2/24)',
    );
    expect(one.replace('[fd00:10::1]:80 FD00:10::1 fe80::a')).toBe('[2001:db8::1]:80 2001:db8::1 2001:db8::2');
    const many = ids();
    const seen = new Set(Array.from({ length: 3000 }, (_, i) => many.replace(`10.0.${i >> 8}.${i & 255}`)));
    expect(seen.size).toBe(3000);
    for (const ip of seen) expect(ip).toMatch(/^(192\.0\.2|198\.51\.100|203\.0\.113|198\.1[89]\.\d+)\.\d+$/);
  });

  it.each([
    '127.0.0.1:7330',
    '0.0.0.0',
    '::1',
    'v1.36.2',
    '2026-11-22T11:27:16.346725987Z',
    '11:27:16',
    'm=+0.114231863',
    '1.2.3.4.5',
    '300.1.1.1',
    'std::move()',
    'ef611fe5',
    'sha256',
  ])('%s is none', (text) => {
    expect(ids().replace(text)).toBe(text);
  });
});

describe('names in texts', () => {
  const scanner = new Scanner();
  for (const [name, by] of Object.entries({
    web: 'pod-1',
    'web-api': 'pod-2',
    'web-api-7d9-x': 'pod-3',
    'a.b/c': 'image-1',
  }))
    scanner.add(name, by);
  it.each([
    ['web', 'pod-1'],
    ['web-api', 'pod-2'],
    ['web-api-7d9-x', 'pod-3'],
    // One that only begins as a longer one does.
    ['web-api-7d9', 'pod-2-7d9'],
    ['website cobweb Web', 'website cobweb Web'],
    ['default/web:web_default', 'default/pod-1:pod-1_default'],
    ['/log/default_web-api_uid/app.log', '/log/default_pod-2_uid/app.log'],
    ['a.b/c:v1 and a-b/c', 'image-1:v1 and a-b/c'],
    // Names as a URL, a quoted text and a systemd unit have them.
    ['spec.nodeName%3Dweb&x=a.b%2Fc', 'spec.nodeName%3Dpod-1&x=image-1'],
    ['one\\nweb\\ttwo \\u003cweb\\u003e', 'one\\npod-1\\ttwo \\u003cpod-1\\u003e'],
    ['secret-web\\x2dapi.mount', 'secret-pod-2.mount'],
    ['', ''],
  ])('%j becomes %j', (text, wanted) => {
    expect(scanner.replace(text, (rest) => rest)).toBe(wanted);
  });
});

describe('records', () => {
  it('have names of their kind, the same everywhere', () => {
    const [status, line, event] = made(
      of({ kind: 'status', pod: 'billing/ledger-7d9-x', uid: 'u', status: { containerStatuses: [{ name: 'api' }] } }),
      log('Killing', { pod: 'billing/ledger-7d9-x', containerName: 'api', reason: 'ledger-7d9-x_billing(u) is gone' }),
      of({
        kind: 'kube-event',
        object: { kind: 'Pod', namespace: 'billing', name: 'ledger-7d9-x', uid: '', fieldPath: 'spec.containers{api}' },
        type: 'Normal',
        reason: 'Killing',
        message: 'Stopping container api',
      }),
    );
    expect(status).toMatchObject({
      pod: 'namespace-1/pod-1',
      status: { containerStatuses: [{ name: 'container-1' }] },
    });
    expect(line?.kv).toMatchObject({
      ...{ pod: 'namespace-1/pod-1', containerName: 'container-1' },
      reason: expect.stringMatching(/^pod-1_namespace-1\(/),
    });
    expect(event).toMatchObject({
      object: { namespace: 'namespace-1', name: 'pod-1', fieldPath: 'spec.containers{container-1}' },
      message: 'Stopping container container-1',
    });
  });

  it('have a static pod by its manifest and its node', () => {
    const [, pod, path] = made(
      of({ kind: 'node-status', op: 'registered', node: 'n7.corp.example' }),
      of({ kind: 'worker', state: 'sync', reason: 'x', pod: 'kube-system/ledger-n7.corp.example', uid: 'u' }),
      log('Reading config file', { path: '/etc/kubernetes/manifests/ledger.yaml' }),
    );
    expect(pod?.pod).toBe('kube-system/pod-1-node-1');
    expect(path?.kv).toEqual({ path: '/etc/kubernetes/manifests/pod-1.yaml' });
  });

  it('leave what Kubernetes itself is called by', () => {
    const [, pod, image] = made(
      of({ kind: 'node-status', op: 'registered', node: 'n7' }),
      of({ kind: 'worker', state: 'sync', reason: 'x', pod: 'kube-system/kube-apiserver-n7', uid: 'u' }),
      of({ kind: 'actual-image', image: 'registry.k8s.io/pause:3.10', state: 'present' }),
    );
    expect(pod?.pod).toBe('kube-system/kube-apiserver-node-1');
    expect(image?.image).toBe('registry.k8s.io/pause:3.10');
  });

  it('keep an image the same as itself, with and without its registry', () => {
    const images = ['docker.io/library/ledger:1', 'ledger:1', `r.example:5000/team/api@sha256:${'ab'.repeat(32)}`];
    const found = made(...images.map((image) => of({ kind: 'actual-image', image, state: 'present' })));
    expect(found.map(({ image }) => image)).toEqual([
      'docker.io/library/image-1:1',
      'image-1:1',
      `registry-1/image-2@sha256:00000001${'0'.repeat(56)}`,
    ]);
  });

  it('lose labels that are not in every manual, and their values', () => {
    const labels = { app: 'ledger', 'corp.example/team': 'fraud', 'kubernetes.io/os': 'linux' };
    const [sent] = made(of({ kind: 'pod-list', scope: 'all', pods: [], objects: [{ metadata: { labels } }] }));
    expect(sent?.objects).toEqual([
      { metadata: { labels: { app: 'value-1', 'label-1': 'value-2', 'kubernetes.io/os': 'linux' } } },
    ]);
  });

  it('are no others where somebody calls things as Kubernetes calls its own', () => {
    const records = [
      of({ kind: 'worker', state: 'sync', from: 'sync', reason: 'the pod is in sync', pod: 'status/pod', uid: 'u' }),
      of({ kind: 'status', status: { phase: 'Running', pod: 'x' }, pod: 'status/pod', uid: 'u' }),
      of({ kind: 'source', source: 'api', origin: 'list', pods: [{ pod: 'api/file', uid: 'w' }] }),
      of({
        kind: 'step',
        fn: 'SyncPod',
        n: 1,
        name: 'start container',
        container: 'container',
        pod: 'api/file',
        uid: 'w',
      }),
      log('Syncing pod status', { kv: 1, pod: 'status/pod', containers: { container: { state: 'running' } } }),
    ];
    const found = made(...records);
    expect(found.map((r) => Object.keys(r))).toEqual(
      records.map((r) => Object.keys(r).filter((key) => !(key in head))),
    );
    expect(found[0]).toMatchObject({ kind: 'worker', state: 'sync', from: 'sync', reason: 'the pod is in sync' });
    expect(found[0]?.pod).toBe('namespace-1/pod-1');
    expect(found[1]).toMatchObject({ kind: 'status', status: { phase: 'Running' } });
    expect(found[2]).toMatchObject({ source: 'api', origin: 'list', pods: [{ pod: 'namespace-2/pod-3' }] });
    expect(found[3]).toMatchObject({
      fn: 'SyncPod',
      name: 'start container',
      container: expect.stringMatching(/-\d$/),
    });
    expect(found[4]?.msg).toBe('Syncing pod status');
  });

  it('are told how many', () => {
    const names = new Pseudonyms();
    for (const uid of ['u', 'v']) names.look(of({ kind: 'worker', state: 'sync', reason: '', pod: `a/b-${uid}`, uid }));
    expect([...names.counts()]).toEqual([
      ['namespace', 1],
      ['pod', 2],
      ['uid', 2],
    ]);
  });

  it('of somebody who means harm are cut where they are too deep, and pollute nothing', () => {
    let deep: unknown = 'secretname';
    for (let i = 0; i < 100_000; i++) deep = [deep];
    const hostile = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as object;
    const [cut, polluting] = made(log('x', { deep }), log('x', hostile));
    expect(JSON.stringify(cut)).toMatch(/too deep/);
    expect(JSON.stringify(cut)).not.toContain('secretname');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(Object.keys(polluting?.kv as object)).toEqual(['__proto__', 'constructor']);
  });

  it('have keys that are names replaced, and fields left', () => {
    const [, found] = made(
      of({ kind: 'step', fn: 'SyncPod', n: 1, name: 'x', container: 'ledger', pod: 'a/b', uid: 'u' }),
      log('x', { information: { ContainerResources: { ledger: {} } }, patch: '{"ledger":1}' }),
    );
    expect(found?.kv).toEqual({
      information: { ContainerResources: { 'container-1': {} } },
      patch: '{"container-1":1}',
    });
  });
});
