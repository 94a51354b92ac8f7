import { describe, expect, it } from 'vitest';
import { Minute } from '../../kernel/index.js';
import { setup } from '../testing/setup.js';

const token = 'abcdef.0123456789abcdef';
function withSecret(stringData: Record<string, string> = {}, more: object = {}) {
  const t = setup();
  const made = t.call('POST', '/api/v1/namespaces/kube-system/secrets', {
    json: {
      metadata: { name: 'bootstrap-token-abcdef' },
      type: 'bootstrap.kubernetes.io/token',
      stringData: {
        'token-id': 'abcdef',
        'token-secret': '0123456789abcdef',
        'usage-bootstrap-authentication': 'true',
        ...stringData,
      },
      ...more,
    },
  });
  expect(made.code).toBe(201);
  return t;
}

describe('bootstrap tokens', () => {
  it('stand for a user of their own, in the groups of their secret', () => {
    const t = withSecret({ 'auth-extra-groups': 'system:bootstrappers:worker' });
    expect(t.server.userOfToken(token)).toEqual({
      name: 'system:bootstrap:abcdef',
      groups: ['system:bootstrappers', 'system:bootstrappers:worker', 'system:authenticated'],
    });
    const review = t.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { json: { spec: { token } } });
    expect(review.body.status).toMatchObject({ authenticated: true, user: { username: 'system:bootstrap:abcdef' } });
    expect(t.server.userOfToken(token, ['elsewhere'])).toBeNull();
  });

  it('end at their time', () => {
    const t = withSecret({ expiration: '2026-01-01T00:10:00Z' });
    t.pass(9 * Minute);
    expect(t.server.userOfToken(token)).not.toBeNull();
    t.pass(2 * Minute);
    expect(t.server.userOfToken(token)).toBeNull();
  });

  it.each([
    ['another secret', { 'token-secret': '0123456789abcdee' }],
    ['another id', { 'token-id': 'abcdeg' }],
    ['no use', { 'usage-bootstrap-authentication': 'false' }],
    ['a time that is none', { expiration: 'tomorrow' }],
    ['a group of others', { 'auth-extra-groups': 'system:masters' }],
    ['a group that only begins right', { 'auth-extra-groups': 'system:bootstrappers:a,system:masters' }],
  ])('stand for nobody with %s', (_, data) => {
    expect(withSecret(data).server.userOfToken(token)).toBeNull();
  });

  it('stand for nobody without a secret of their type, or once it is gone', () => {
    expect(withSecret({}, { type: 'Opaque' }).server.userOfToken(token)).toBeNull();
    expect(setup().server.userOfToken(token)).toBeNull();
    const t = withSecret();
    for (const odd of ['abcdef', 'ABCDEF.0123456789abcdef', `${token}0`, `../${token}`])
      expect(t.server.userOfToken(odd), odd).toBeNull();
    t.call('DELETE', '/api/v1/namespaces/kube-system/secrets/bootstrap-token-abcdef');
    expect(t.server.userOfToken(token)).toBeNull();
  });
});
