import { describe, expect, it } from 'vitest';
import { setup } from '../testing/setup.js';

describe('discovery', () => {
  const { call } = setup();
  it('lists groups, versions and resources', () => {
    expect(call('GET', '/api').body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    const groups = call('GET', '/apis').body.groups.map((g) => g.name);
    expect(groups).toEqual(
      expect.arrayContaining([
        'coordination.k8s.io',
        'authentication.k8s.io',
        'authorization.k8s.io',
        'events.k8s.io',
        'node.k8s.io',
        'scheduling.k8s.io',
        'storage.k8s.io',
      ]),
    );
    for (const name of groups ?? []) {
      expect(call('GET', `/apis/${name}`).body).toMatchObject({
        kind: 'APIGroup',
        name,
        preferredVersion: { version: 'v1' },
      });
      expect(call('GET', `/apis/${name}/v1`).body).toMatchObject({
        kind: 'APIResourceList',
        groupVersion: `${name}/v1`,
      });
    }
    const pods = call('GET', '/api/v1').body.resources.find((r) => r.name === 'pods');
    expect(pods).toEqual({
      name: 'pods',
      singularName: 'pod',
      namespaced: true,
      kind: 'Pod',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['po'],
      categories: ['all'],
    });
    expect(call('GET', '/apis/none.k8s.io').body).toMatchObject({
      code: 404,
      message: 'the server could not find the requested resource',
    });
  });
  it.each(['v2', 'v2beta1'])('tells all at once in %s to who asks for it', (version) => {
    const accept = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList,application/json`;
    const { body, headers } = call('GET', '/api', { headers: { accept } });
    expect(headers['content-type']).toContain(`v=${version};as=APIGroupDiscoveryList`);
    expect(body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}` });
    const [pods] = body.items[0]?.versions?.[0]?.resources?.filter((r) => r.resource === 'pods') ?? [];
    expect(pods?.subresources?.map((s) => s.subresource)).toEqual([
      'attach',
      'binding',
      'ephemeralcontainers',
      'eviction',
      'exec',
      'log',
      'portforward',
      'resize',
      'status',
    ]);
  });
  it('says who it is and how it is', () => {
    expect(call('GET', '/version').body).toMatchObject({ major: '1', minor: '36', gitVersion: 'v1.36.2' });
    for (const path of ['/healthz', '/livez', '/readyz', '/livez/ping'])
      expect(call('GET', path).body, path).toBe('ok');
    expect(call('GET', '/readyz?verbose').body).toContain('[+]etcd ok');
    expect(call('GET', '/readyz/nothing').code).toBe(404);
    expect(call('DELETE', '/healthz').code).toBe(405);
  });
});

describe('OpenAPI', () => {
  const { call } = setup();
  const doc = call('GET', '/openapi/v3/api/v1').body;
  const schemas = doc.components?.schemas;
  it('has what kubectl looks for: kinds at paths, and the options of writing', () => {
    expect(Object.keys(call('GET', '/openapi/v3').body.paths ?? {})).toEqual(
      expect.arrayContaining(['api/v1', 'apis/coordination.k8s.io/v1']),
    );
    const one = doc.paths['/api/v1/namespaces/{namespace}/pods/{name}'];
    expect(one?.get?.['x-kubernetes-group-version-kind']).toEqual({ group: '', kind: 'Pod', version: 'v1' });
    expect(Object.keys(one?.patch?.requestBody?.content ?? {})).toContain('application/strategic-merge-patch+json');
    expect(one?.patch?.parameters?.map((p) => p.name)).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
  });
  it('describes the pod by the words of its schema, with the keys of its lists', () => {
    expect(schemas['io.k8s.api.core.v1.Pod']?.['x-kubernetes-group-version-kind']).toEqual([
      { group: '', kind: 'Pod', version: 'v1' },
    ]);
    const containers = schemas['io.k8s.api.core.v1.PodSpec']?.properties?.containers;
    expect(containers).toMatchObject({
      type: 'array',
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    });
    expect(containers?.description).toContain('containers');
    expect(schemas['io.k8s.api.core.v1.PodSpec']?.required).toEqual(['containers']);
  });
  it('refers only to what is there, in both versions', () => {
    const check = (body: object, prefix: string, defined: object) => {
      const refs = [...JSON.stringify(body).matchAll(/"\$ref":"([^"]+)"/g)].map((m) => m[1] as string);
      expect(refs.length).toBeGreaterThan(50);
      for (const ref of new Set(refs)) expect(Object.hasOwn(defined, ref.slice(prefix.length)), ref).toBe(true);
    };
    check(doc, '#/components/schemas/', schemas);
    const v2 = call('GET', '/openapi/v2').body;
    check(v2, '#/definitions/', v2.definitions as object);
  });
  it('speaks protobuf to older clients', () => {
    const { code, headers, body } = call('GET', '/openapi/v2', {
      headers: { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' },
    });
    expect([code, headers['content-type']]).toEqual([
      200,
      'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
    ]);
    const text = body as unknown as string;
    // Field 1, the version.
    expect(text.slice(0, 5)).toBe('\x0a\x032.0');
    expect([...text].every((c) => c.charCodeAt(0) < 256)).toBe(true);
    expect(call('GET', '/openapi/v2', { headers: { accept: 'text/html' } }).code).toBe(406);
  });
});
