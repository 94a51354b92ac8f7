import { describe, expect, it } from 'vitest';
import { base64urlBytes, base64urlEncode, sha256, utf8Bytes, utf8Text } from '../../base/index.js';
import { Hour, Minute } from '../../kernel/index.js';
import type { TokenKey } from '../index.js';
import { podOf, podPath, setup } from '../testing/setup.js';

/** A key that anybody can copy: what matters here is what is signed. */
const tokenKey: TokenKey = {
  algorithm: 'ES256',
  id: 'key-1',
  publicJWK: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' },
  sign: (text) => utf8Bytes(sha256(`secret ${text}`)),
  verify: (text, signature) => utf8Text(signature) === sha256(`secret ${text}`),
};
const accounts = '/api/v1/namespaces/default/serviceaccounts';
function open() {
  const t = setup({ tokenKey });
  t.call('POST', '/api/v1/nodes', { json: { metadata: { name: 'n1' } } });
  t.call('POST', podPath, { json: podOf('web', { serviceAccountName: 'default' }) });
  const ask = (spec: object, metadata: object = {}) =>
    t.call('POST', `${accounts}/default/token`, { json: { metadata, spec } });
  const token = (spec: object = {}) => String(ask(spec).body.status.token);
  const review = (given: string, audiences?: string[]) =>
    t.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
      json: { spec: { token: given, ...(audiences && { audiences }) } },
    }).body.status as unknown as { authenticated?: boolean; user: { extra?: object }; error?: string };
  return { ...t, ask, token, review };
}
const part = (token: string, n: number) =>
  JSON.parse(utf8Text(base64urlBytes(token.split('.')[n] as string) as Uint8Array));
const pod = { kind: 'Pod', apiVersion: 'v1', name: 'web' };

describe('signed tokens', () => {
  it('say who may use them, for whom, from when, until when, and as long as what is there', () => {
    const t = open();
    const token = t.token({ boundObjectRef: pod, expirationSeconds: 600 });
    expect(part(token, 0)).toEqual({ alg: 'ES256', kid: 'key-1' });
    const uid = (path: string) => t.call('GET', path).body.metadata.uid;
    const now = Math.floor(t.server.nowMillis() / 1000);
    expect(part(token, 1)).toEqual({
      aud: ['https://kubernetes.default.svc.cluster.local'],
      exp: now + 600,
      iat: now,
      iss: 'https://kubernetes.default.svc.cluster.local',
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      'kubernetes.io': {
        namespace: 'default',
        node: { name: 'n1', uid: uid('/api/v1/nodes/n1') },
        pod: { name: 'web', uid: uid(`${podPath}/web`) },
        serviceaccount: { name: 'default', uid: uid(`${accounts}/default`) },
      },
      nbf: now,
      sub: 'system:serviceaccount:default:default',
    });
    expect(t.review(token)).toEqual({
      authenticated: true,
      audiences: ['https://kubernetes.default.svc.cluster.local'],
      user: {
        username: 'system:serviceaccount:default:default',
        uid: uid(`${accounts}/default`),
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
        extra: {
          'authentication.kubernetes.io/credential-id': [`JTI=${part(token, 1).jti}`],
          'authentication.kubernetes.io/node-name': ['n1'],
          'authentication.kubernetes.io/node-uid': [uid('/api/v1/nodes/n1')],
          'authentication.kubernetes.io/pod-name': ['web'],
          'authentication.kubernetes.io/pod-uid': [uid(`${podPath}/web`)],
        },
      },
    });
  });

  it('have one spelling', () => {
    const t = open();
    const token = t.token();
    const good = t.review(token);
    expect(good).toMatchObject({ authenticated: true });
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
    const respelt = letters.map((c) => token.slice(0, -1) + c).filter((one) => one !== token);
    const [head, body, tail] = token.split('.');
    for (const other of [
      ...respelt,
      ...[`${token}=`, `${token}==`, `${token} `, ` ${token}`, `${token}\n`, `${token}.`],
      ...[`${head}=.${body}.${tail}`, `${head}.${body}=.${tail}`, token.replaceAll('-', '+').replaceAll('_', '/')],
    ])
      if (other !== token) expect(t.review(other), other).not.toHaveProperty('authenticated');
  });

  it('are known by a server that did not give them out, and only under the same key', () => {
    const t = open();
    const token = t.token();
    const other = setup({ tokenKey });
    // It begins with the same seed, so that its account has the same uid.
    expect(other.server.checkToken(token, [])).toMatchObject({
      user: { name: 'system:serviceaccount:default:default' },
    });
    const foreign = setup({ tokenKey: { ...tokenKey, id: 'key-2' } });
    expect(foreign.server.checkToken(token, [])).toEqual({ error: 'invalid signature, no keys found' });
  });

  it('are good for their audiences', () => {
    const t = open();
    const token = t.token({ audiences: ['vault', 'bank'] });
    expect(t.review(token).error).toBe(
      '[invalid bearer token, token audiences ["vault" "bank"] is invalid for the target audiences ["https://kubernetes.default.svc.cluster.local"]]',
    );
    expect(t.review(token, ['bank', 'other'])).toMatchObject({ authenticated: true, audiences: ['bank'] });
    expect(t.server.userOfToken(token)).toBeNull();
  });

  it('end with their time, their account, or what they are bound to', () => {
    const t = open();
    t.call('POST', '/api/v1/namespaces/default/secrets', { json: { metadata: { name: 's' } } });
    const ofPod = t.token({ boundObjectRef: pod });
    const ofSecret = t.token({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 's' } });
    const ofNode = t.token({ boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: 'n1' } });
    const free = t.token({ expirationSeconds: 600 });
    const later = t.token({ expirationSeconds: 100_000 });
    for (const token of [ofPod, ofSecret, ofNode, free, later]) expect(t.review(token).authenticated).toBe(true);
    t.call('DELETE', `${podPath}/web?gracePeriodSeconds=0`);
    t.call('DELETE', '/api/v1/namespaces/default/secrets/s');
    t.call('DELETE', '/api/v1/nodes/n1');
    for (const token of [ofPod, ofSecret, ofNode])
      expect(t.review(token).error).toBe('[invalid bearer token, service account token has been invalidated]');
    t.pass(10 * Minute + Minute / 2);
    expect(t.review(free).authenticated).toBe(true);
    t.pass(Minute);
    expect(t.review(free).error).toBe('[invalid bearer token, service account token has expired]');
    t.pass(Hour);
    expect(t.review(later).authenticated).toBe(true);
    t.call('DELETE', `${accounts}/default`);
    expect(t.review(later).error).toContain('not found');
    // Another pod or account of the name is another one.
    t.call('POST', accounts, { json: { metadata: { name: 'default' } } });
    expect(t.review(later).error).toContain('does not match claim');
  });

  it('that somebody has changed are not taken', () => {
    const t = open();
    const token = t.token();
    const [head = '', body = '', tail = ''] = token.split('.');
    const claims = { ...part(token, 1), sub: 'system:serviceaccount:kube-system:admin' };
    const encoded = (value: object) => base64urlEncode(JSON.stringify(value));
    const unknown = 'invalid bearer token';
    const broken = '[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]';
    for (const [forged, error] of [
      [`${head}.${encoded(claims)}.${tail}`, broken],
      [`${encoded({ alg: 'none', kid: 'key-1' })}.${body}.`, broken],
      [`${encoded({ alg: 'HS256', kid: 'key-1' })}.${body}.${tail}`, broken],
      [`${encoded({ alg: 'ES256' })}.${body}.${tail}`, '[invalid bearer token, invalid signature, no keys found]'],
      [`${head}.${encoded({ ...claims, iss: 'https://elsewhere' })}.${tail}`, unknown],
      [`${head}.${body}`, unknown],
      [`${token}.${tail}`, unknown],
      ['a.b.c', unknown],
      ['x'.repeat(20_000), unknown],
    ] as const)
      expect(t.review(forged).error).toBe(error);
    expect(t.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { json: { spec: { token: '' } } }).code).toBe(
      400,
    );
  });

  it('last as long as was asked for, within bounds', () => {
    const t = open();
    expect(t.ask({ expirationSeconds: 599 }).body.message).toContain('may not specify a duration less than 10 minutes');
    expect(t.ask({ expirationSeconds: 2 ** 32 + 1 }).body.message).toContain('larger than 2^32 seconds');
    const long = t.ask({ expirationSeconds: 100_000_000 });
    expect(long.headers.warning).toBe(
      '299 - "requested expiration of 100000000 seconds shortened to 31536000 seconds"',
    );
    expect(long.body.status.expirationTimestamp).toBe('2027-01-01T00:00:00Z');
    // Of a pod's usual token, programs may be late to read the next.
    const usual = t.ask({ boundObjectRef: pod, expirationSeconds: 3607 });
    const { exp, iat, 'kubernetes.io': own } = part(String(usual.body.status.token), 1);
    expect([exp - iat, own.warnafter - iat]).toEqual([31_536_000, 3607]);
    expect(usual.body.status.expirationTimestamp).toBe('2026-01-01T01:00:07Z');
  });

  it.each([
    ['another name', {}, { name: 'other' }, 422, 'must match the service account name'],
    ['another uid', {}, { uid: 'x' }, 409, 'does not match the UID of the service account'],
    ['a kind that cannot hold it', { boundObjectRef: { kind: 'Service', name: 'x' } }, {}, 400, 'cannot bind token to'],
    ['what is not there', { boundObjectRef: { kind: 'Pod', name: 'x' } }, {}, 404, 'pods "x" not found'],
    ['another pod of the name', { boundObjectRef: { ...pod, uid: 'x' } }, {}, 409, 'does not match the UID in record'],
  ])('are refused for %s', (_, spec, metadata, code, words) => {
    const { body } = open().ask(spec, metadata);
    expect([body.code, body.message]).toEqual([code, expect.stringContaining(words)]);
  });

  it('can be checked by others: the key and where it is are published', () => {
    const t = open();
    const config = t.call('GET', '/.well-known/openid-configuration');
    expect(config.body).toEqual({
      issuer: 'https://kubernetes.default.svc.cluster.local',
      jwks_uri: 'https://10.96.0.1:443/openid/v1/jwks',
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    });
    const keys = t.call('GET', '/openid/v1/jwks');
    expect(keys.headers['content-type']).toBe('application/jwk-set+json');
    expect(keys.body).toEqual({
      keys: [{ use: 'sig', kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: 'key-1', alg: 'ES256' }],
    });
    expect(setup().call('GET', '/openid/v1/jwks').code).toBe(404);
    const sa = { name: 'system:serviceaccount:a:b', groups: ['system:serviceaccounts', 'system:authenticated'] };
    const guarded = setup({ tokenKey, authorizationModes: ['RBAC'] });
    expect(guarded.call('GET', '/openid/v1/jwks', { user: sa }).code).toBe(200);
    expect(
      guarded.call('GET', '/openid/v1/jwks', { user: { name: 'jane', groups: ['system:authenticated'] } }).code,
    ).toBe(403);
  });
});
