import { utf8Bytes } from '@syncloop/core/base';
import type { Json } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Evidence } from '../evidence/index.js';
import { captured, startedMillis } from '../testing/capture.js';
import { PodsEvidenceReader, podIdentity } from './index.js';

const read = (input: string | Uint8Array, piece = 1e9, started: number | null = null): Evidence[] => {
  const reader = new PodsEvidenceReader('pods', { startedMillis: started });
  const bytes = typeof input === 'string' ? utf8Bytes(input) : input;
  const evidence: Evidence[] = [];
  for (let at = 0; at < bytes.length; at += piece) evidence.push(...reader.push(bytes.slice(at, at + piece)));
  return [...evidence, ...reader.end()];
};
const said = (evidence: readonly Evidence[]) =>
  evidence.map((e) => {
    if (e.kind === 'gap') return e.why;
    if (e.kind !== 'pods') return e.kind;
    const names = e.pods.map((pod) => podIdentity(pod).pod).join(' ');
    return `${e.scope}${e.removed ? ' removed' : ''} ${names} @${e.at} line ${e.place.line}`;
  });
const T = Date.UTC(2026, 10, 22, 11) * 1000;
const pod = (name: string, time = '2026-11-22T11:00:00Z') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: `u-${name}`, creationTimestamp: time },
  spec: { containers: [{ name: 'app', image: 'x' }] },
  status: { phase: 'Running' },
});

describe('pods', () => {
  it("are read from the kubelet's answers over time", () => {
    const bytes = captured('pods.ndjson');
    const started = startedMillis();
    const whole = read(bytes, 1e9, started);
    expect(said(whole)).toEqual([
      `all  @${(started + 3599) * 1000} line 1`,
      expect.stringMatching(/^all default\/web-node1 @\d+ line 2$/),
      expect.stringMatching(/^all default\/web-node1 @\d+ line 3$/),
      expect.stringMatching(/^all default\/web-node1 @\d+ line 4$/),
      `all  @${(started + 8295) * 1000} line 5`,
    ]);
    for (const piece of [1, 100]) expect(read(bytes, piece, started)).toEqual(whole);
  });

  it('without the time at which the capture began have the last time that they mention', () => {
    const [first, second] = read(captured('pods.ndjson'));
    expect(first?.at).toBeNull();
    expect(second?.at).toBeGreaterThan(startedMillis() * 1000);
    expect(second?.at).toBeLessThan((startedMillis() + 3900) * 1000);
  });

  it("are read from one answer of /pods, and one of the API server, which may be one namespace's", () => {
    const items = [pod('a'), pod('b', '2026-11-22T11:00:00.5Z')];
    expect(said(read(JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items })))).toEqual([
      `all default/a default/b @${T + 500_000} line 1`,
    ]);
    const list = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '5' }, items };
    const each = [`one default/a @${T} line 1`, `one default/b @${T + 500_000} line 1`];
    expect(said(read(JSON.stringify(list, null, 2)))).toEqual(each);
    expect(said(read(stringify({ ...list, kind: 'List' })))).toEqual(each);
  });

  it('are read while kubectl watches: objects, events, YAML documents', () => {
    const pretty = [pod('a'), pod('b')].map((p) => JSON.stringify(p, null, 4)).join('\n');
    expect(said(read(pretty))).toEqual([`one default/a @${T} line 1`, expect.stringMatching(/^one default\/b /)]);
    const events = ['ADDED', 'BOOKMARK', 'MODIFIED', 'DELETED', 'ERROR'].map((type) => ({ type, object: pod('a') }));
    expect(said(read(events.map((e) => JSON.stringify(e)).join('')))).toEqual([
      `one default/a @${T} line 1`,
      `one default/a @${T} line 1`,
      `one removed default/a @${T} line 1`,
      'What begins at line 1 is an event ERROR of a watch, which is about no pod.',
    ]);
    const yaml = ['', stringify(pod('a')), stringify({ type: 'DELETED', object: pod('b') }), ''].join('---\n');
    for (const piece of [1, 1e9])
      expect(said(read(yaml, piece))).toEqual([
        `one default/a @${T} line 2`,
        expect.stringMatching(/^one removed default\/b /),
      ]);
  });

  it('are read from manifests; what is no pod is said to be none', () => {
    const manifest = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers: []\n---\nkind: Service\n';
    expect(said(read(manifest))).toEqual(['one web @null line 1', 'What begins at line 8 is a Service, not a pod.']);
  });

  it('that cannot be read are gaps that say where, and what follows is read', () => {
    const cut = JSON.stringify(pod('a'), null, 2).slice(0, -30);
    expect(said(read(`${cut}\n${JSON.stringify(pod('b'))}`))).toEqual([
      'What begins at line 1 has no end.',
      expect.stringMatching(/^one default\/b /),
    ]);
    expect(said(read('NAMESPACE   NAME    READY   STATUS    RESTARTS   AGE\n'))).toEqual([
      'Line 1 begins a table without specs: use kubectl get pods -o yaml or -o json.',
    ]);
    expect(said(read(`${'['.repeat(100_000)}`))).toEqual(['What begins at line 1 has no end.']);
    expect(said(read(`${'['.repeat(1000)}${']'.repeat(1000)}`))).toEqual([
      'What begins at line 1 cannot be read: exceeded max depth of 64.',
    ]);
    expect(said(read('a: b: c\n---\n"x"\n'))).toEqual([
      expect.stringMatching(/^What begins at line 1 cannot be read: /),
      'What begins at line 3 is not an object with pods.',
    ]);
  });

  it('a mirror pod is the static pod that it shows', () => {
    const mirror: Json = {
      metadata: { name: 'web-n', namespace: 'd', uid: 'api', annotations: { 'kubernetes.io/config.mirror': 'hash' } },
    };
    expect(podIdentity(mirror)).toEqual({ pod: 'd/web-n', uid: 'hash' });
  });
});
