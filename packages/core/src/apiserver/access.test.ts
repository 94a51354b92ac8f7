import { describe, expect, it } from 'vitest';
import { Minute } from '../kernel/index.js';
import type { AuditEvent } from './index.js';
import { patchType, podOf, podPath, setup } from './testing/setup.js';

describe('who may do what', () => {
  const user = { name: 'jane', groups: ['dev'] };
  it('asks the policy and refuses in the words of the server', () => {
    const asked: string[] = [];
    const { call } = setup({
      authorize: (a) => {
        asked.push(`${a.user.name} ${a.verb} ${a.resource || a.path}${a.subresource && `/${a.subresource}`}`);
        return { allowed: a.verb === 'get' };
      },
    });
    expect(call('GET', podPath, { user }).body).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: 'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
    });
    expect(call('DELETE', '/api/v1/nodes/n1', { user }).body.message).toBe(
      'nodes "n1" is forbidden: User "jane" cannot delete resource "nodes" in API group "" at the cluster scope',
    );
    expect(call('POST', '/version').body.message).toBe(
      'forbidden: User "system:anonymous" cannot post path "/version"',
    );
    expect(call('GET', '/version', { user }).code).toBe(200);
    expect(asked).toEqual([
      'jane list pods',
      'jane delete nodes',
      'system:anonymous post /version',
      'jane get /version',
    ]);
  });
  it('answers reviews', () => {
    const { call } = setup({ authorize: (a) => ({ allowed: a.resource !== 'secrets', reason: 'so it is' }) });
    const ask = (resource: string) =>
      call('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        json: { spec: { user: 'x', resourceAttributes: { verb: 'get', resource } } },
      }).body.status;
    expect(ask('pods')).toEqual({ allowed: true, reason: 'so it is' });
    expect(ask('secrets')).toEqual({ allowed: false, reason: 'so it is' });
    expect(call('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { json: {}, user }).body.status).toEqual({
      userInfo: { username: 'jane', groups: ['dev'] },
    });
    expect(call('GET', '/apis/authentication.k8s.io/v1/tokenreviews').code).toBe(405);
  });
  it('gives service accounts tokens that it knows again, until they end', () => {
    const t = setup();
    t.call('POST', podPath, { json: podOf('web', { serviceAccountName: 'default' }) });
    const request = (spec: object) =>
      t.call('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', { json: { spec } });
    const review = (token: string, audiences?: string[]) =>
      t.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
        json: { spec: { token, ...(audiences && { audiences }) } },
      }).body.status;
    const made = request({ expirationSeconds: 600, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'web' } });
    expect(made.code).toBe(201);
    expect(made.body.status.expirationTimestamp).toBe('2026-01-01T00:10:00Z');
    const token = String(made.body.status.token);
    expect(token.split('.')).toHaveLength(3);
    expect(review(token)).toMatchObject({
      authenticated: true,
      user: {
        username: 'system:serviceaccount:default:default',
        extra: { 'authentication.kubernetes.io/pod-name': ['web'] },
      },
    });
    expect(review(token, ['other'])).not.toHaveProperty('authenticated');
    expect(review(`${token}x`)).not.toHaveProperty('authenticated');
    expect(request({ expirationSeconds: 5 }).body.message).toContain('may not specify a duration less than 10 minutes');
    expect(request({ boundObjectRef: { kind: 'Pod', name: 'ghost' } }).code).toBe(404);
    t.call('DELETE', `${podPath}/web?gracePeriodSeconds=0`);
    expect(review(token)).not.toHaveProperty('authenticated');
    const free = String(request({}).body.status.token);
    expect(t.server.userOfToken(free)?.groups).toContain('system:serviceaccounts:default');
    t.pass(61 * Minute);
    expect(t.server.userOfToken(free)).toBeNull();
  });
  it('writes down who did what, and no secrets', () => {
    const events: AuditEvent[] = [];
    const { call } = setup({ onAudit: (e) => events.push(e) });
    call('POST', podPath, { json: podOf('web'), user });
    call('GET', `${podPath}/nope`, { user });
    call('PATCH', `${podPath}/web/status`, { ...patchType('merge'), json: { status: {} }, user });
    call('POST', '/api/v1/namespaces/default/secrets', {
      json: { metadata: { name: 's' }, stringData: { a: 'hidden' } },
      user,
    });
    call('GET', `${podPath}?watch=true`, { user });
    expect(events.map((e) => [e.verb, e.resource, e.subresource, e.name, e.code])).toEqual([
      ['create', 'pods', '', 'web', 201],
      ['get', 'pods', '', 'nope', 404],
      ['patch', 'pods', 'status', 'web', 200],
      ['create', 'secrets', '', 's', 201],
      ['watch', 'pods', '', '', 200],
    ]);
    expect(events[0]?.requestBody).toMatchObject({ kind: 'Pod', metadata: { name: 'web' } });
    expect(events[0]?.user).toBe('jane');
    expect(JSON.stringify(events)).not.toContain('hidden');
  });
});

describe('limits', () => {
  it.each([
    ['a body that is too large', { body: `{"a":"${'x'.repeat(3 * 1024 * 1024)}"}` }, 413],
    ['a body that nests too deep', { body: `${'{"a":'.repeat(100)}1${'}'.repeat(100)}` }, 400],
    ['YAML that nests too deep', { body: '['.repeat(5000), headers: { 'content-type': 'application/yaml' } }, 400],
    ['a value that nests too deep', { json: JSON.parse(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`) as unknown }, 400],
    ['no JSON', { body: '{' }, 400],
    ['another format', { body: 'x', headers: { 'content-type': 'text/plain' } }, 415],
    ['no body', {}, 400],
    ['a list', { json: [] }, 400],
  ])('refuses %s', (_, more, code) => {
    expect(setup().call('POST', podPath, more).code).toBe(code);
  });
  it.each([
    '/api/v1/namespaces/%ZZ/pods',
    '/api/v2/pods',
    '/apis/x/v1/y',
    '/nothing',
    '/api/v1/nothing',
    '/api/v1/namespaces/default/nodes',
    `${podPath}/a/b`,
  ])('finds nothing at %s', (path) => {
    expect([400, 404]).toContain(setup().call('GET', path).code);
  });
  it('takes YAML and names that try to be clever', () => {
    const { call } = setup();
    const body =
      'metadata: {name: web, labels: {__proto__: x}}\nspec: {nodeName: n1, containers: [{name: a, image: b}]}';
    const { code } = call('POST', podPath, { body, headers: { 'content-type': 'application/yaml' } });
    expect(code).toBe(422);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
    expect(call('GET', `${podPath}?__proto__=1&fieldSelector=__proto__%3D1`).code).toBe(400);
    expect(call('GET', `${podPath}/constructor`).code).toBe(404);
    expect(call('GET', '/api/v1/namespaces/default/pods/a/constructor').code).toBe(404);
  });
});
