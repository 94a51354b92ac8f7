import { describe, expect, it } from 'vitest';
import { Minute, Second } from '../../kernel/index.js';
import { podOf, podPath, setup } from '../testing/setup.js';

describe('reading', () => {
  it('selects by labels and fields, and refuses fields that it does not know', () => {
    const { call } = setup();
    for (const [name, node, app] of [
      ['a', 'n1', 'x'],
      ['b', 'n2', 'x'],
      ['c', 'n2', 'y'],
    ] as const)
      call('POST', podPath, { json: podOf(name, { nodeName: node }, { labels: { app } }) });
    const names = (query: string) => call('GET', `/api/v1/pods?${query}`).body.items.map((p) => p.metadata.name);
    expect(names('fieldSelector=spec.nodeName%3Dn2')).toEqual(['b', 'c']);
    expect(names('labelSelector=app%20in%20(x)&fieldSelector=metadata.name!%3Da')).toEqual(['b']);
    expect(names('labelSelector=!app')).toEqual([]);
    expect(names('labelSelector=app!%3Dx')).toEqual(['c']);
    expect(call('GET', `${podPath}?fieldSelector=spec.foo%3D1`).body).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: 'field label not supported: spec.foo',
    });
    expect(call('GET', `${podPath}?labelSelector=%3D%3D%3D`).code).toBe(400);
  });
  it('goes on with a list as it was', () => {
    const { call } = setup();
    for (const name of ['a', 'b', 'c', 'd']) call('POST', podPath, { json: podOf(name) });
    const first = call('GET', `${podPath}?limit=2`).body;
    expect(first.metadata.remainingItemCount).toBe(2);
    call('DELETE', `${podPath}/c?gracePeriodSeconds=0`);
    call('POST', podPath, { json: podOf('cc') });
    const rest = call('GET', `${podPath}?limit=5&continue=${first.metadata.continue}`).body;
    expect(rest.items?.map((p) => p.metadata.name)).toEqual(['c', 'd']);
    expect(rest.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    expect(call('GET', `${podPath}?limit=5&continue=xx`).code).toBe(400);
  });
  it('knows of versions that are gone and that are still to come', () => {
    const { call, server } = setup();
    call('POST', podPath, { json: podOf('a') });
    const { resourceVersion } = call('GET', podPath).body.metadata;
    const first = call('GET', `/api/v1/namespaces?limit=1`).body.metadata.continue;
    server.compact();
    call('POST', podPath, { json: podOf('b') });
    expect(call('GET', `${podPath}?resourceVersion=1&resourceVersionMatch=Exact`).body).toMatchObject({
      code: 410,
      reason: 'Expired',
    });
    expect(
      call('GET', `${podPath}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`).body.items,
    ).toHaveLength(1);
    expect(call('GET', `/api/v1/namespaces?limit=1&continue=${first}`).code).toBe(200);
    expect(call('GET', `${podPath}?resourceVersion=99999`).body).toMatchObject({
      code: 504,
      reason: 'Timeout',
      details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
    });
    expect(call('GET', `${podPath}?resourceVersionMatch=Exact`).body.message).toContain(
      'resourceVersionMatch is forbidden unless resourceVersion is provided',
    );
  });
  it('prints tables', () => {
    const { call } = setup();
    call('POST', podPath, { json: podOf('web') });
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
    const { body } = call('GET', podPath, { headers });
    expect(body.columnDefinitions?.filter((c) => c.priority === 0).map((c) => c.name)).toEqual([
      'Name',
      'Ready',
      'Status',
      'Restarts',
      'Age',
    ]);
    expect(body.rows?.[0]?.cells).toEqual(['web', '0/1', 'Pending', '0', '0s', '<none>', 'n1', '<none>', '<none>']);
    expect(body.rows?.[0]?.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'web' } });
    expect(call('GET', podPath, { headers: { accept: 'application/yaml' } }).code).toBe(406);
    for (const r of [
      'nodes',
      'services',
      'events',
      'configmaps',
      'secrets',
      'namespaces',
      'serviceaccounts',
      'endpoints',
    ])
      expect(call('GET', `/api/v1/${r}`, { headers }).body.kind, r).toBe('Table');
  });
  it('gives away copies only', () => {
    const { call } = setup();
    const json = podOf('web', {}, { labels: { a: 'b' } });
    const made = call('POST', podPath, { json }).body as unknown as { metadata: { labels: Record<string, string> } };
    (json.metadata as { labels: Record<string, string> }).labels.a = 'changed';
    made.metadata.labels.a = 'changed';
    const listed = call('GET', podPath).body.items[0] as unknown as { metadata: { labels: Record<string, string> } };
    listed.metadata.labels.a = 'changed';
    expect(call('GET', `${podPath}/web`).body.metadata.labels).toEqual({ a: 'b' });
  });
});

describe('watching', () => {
  it('tells what there is, then what changes, and what comes into and goes out of the selection', () => {
    const t = setup();
    t.call('POST', podPath, { json: podOf('a', { nodeName: '' }) });
    const all = t.watch(podPath);
    const here = t.watch('/api/v1/pods?fieldSelector=spec.nodeName%3Dn1');
    t.call('POST', `${podPath}/a/binding`, { json: { metadata: { name: 'a' }, target: { kind: 'Node', name: 'n1' } } });
    t.call('DELETE', `${podPath}/a?gracePeriodSeconds=0`);
    // One that goes at once is marked first.
    expect(all.told()).toEqual(['ADDED a', 'MODIFIED a', 'MODIFIED a', 'DELETED a']);
    expect(here.told()).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    all.stop();
    t.call('POST', podPath, { json: podOf('b') });
    expect(all.told()).toHaveLength(4);
  });
  it('goes on from a version, or says that it is too old', () => {
    const t = setup();
    const { resourceVersion } = t.call('POST', podPath, { json: podOf('a') }).body.metadata;
    t.call('POST', podPath, { json: podOf('b') });
    expect(t.watch(`${podPath}?resourceVersion=${resourceVersion}`).told()).toEqual(['ADDED b']);
    t.server.compact();
    const late = t.watch(`${podPath}?resourceVersion=${resourceVersion}`);
    expect(late.events).toEqual([
      {
        type: 'ERROR',
        object: expect.objectContaining({
          kind: 'Status',
          code: 410,
          reason: 'Expired',
          message: expect.stringMatching(/^too old resource version: \d+ \(\d+\)$/),
        }),
      },
    ]);
    expect(late.ended()).toBe(true);
  });
  it('knows no version from before after a restart, not even the newest', () => {
    const t = setup();
    const { resourceVersion } = t.call('POST', podPath, { json: podOf('a') }).body.metadata;
    t.server.restarted();
    const from = (query: string) => t.watch(`${podPath}?allowWatchBookmarks=true&${query}`).events.map((e) => e.type);
    expect(from(`resourceVersion=${resourceVersion}`)).toEqual(['ERROR']);
    const anew = `resourceVersion=${resourceVersion}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`;
    expect(from(anew)).toEqual(['ADDED', 'BOOKMARK']);
  });
  it('sends bookmarks: after the first events, and each minute', () => {
    const t = setup();
    t.call('POST', podPath, { json: podOf('a') });
    const w = t.watch(`${podPath}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`);
    expect(w.events.map((e) => e.type)).toEqual(['ADDED', 'BOOKMARK']);
    expect((w.events[1] as { object: { metadata: object } }).object.metadata).toMatchObject({
      annotations: { 'k8s.io/initial-events-end': 'true' },
    });
    const without = t.watch(podPath);
    t.pass(2 * Minute + Second);
    expect(w.events.slice(2).map((e) => e.type)).toEqual(['BOOKMARK', 'BOOKMARK']);
    expect(without.events).toHaveLength(1);
    expect(t.call('GET', `${podPath}?watch=1&sendInitialEvents=true`).code).toBe(422);
  });
  it('ends when its time is over, and for one that does not keep up', () => {
    const t = setup();
    const timed = t.watch(`${podPath}?timeoutSeconds=30`);
    const slow = t.watch(podPath, 1);
    t.call('POST', podPath, { json: podOf('a') });
    expect(slow.ended()).toBe(false);
    t.call('POST', podPath, { json: podOf('b') });
    expect([slow.ended(), timed.ended()]).toEqual([true, false]);
    t.pass(31 * Second);
    expect([timed.ended(), timed.told()]).toEqual([true, ['ADDED a', 'ADDED b']]);
  });
  it('of tables gives the columns once', () => {
    const { call } = setup();
    const response = call('GET', `${podPath}?watch=1`, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    }) as unknown as { open(s: object): void };
    const tables: { columnDefinitions: unknown }[] = [];
    response.open({ event: (e: { object: { columnDefinitions: unknown } }) => tables.push(e.object), end() {} });
    call('POST', podPath, { json: podOf('a') });
    call('POST', podPath, { json: podOf('b') });
    expect(tables.map((t) => Array.isArray(t.columnDefinitions))).toEqual([true, false]);
  });
});
