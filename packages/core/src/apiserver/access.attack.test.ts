/** Permissions, asked by somebody who wants the answer to take long, or to come out wrong. */
import { describe, expect, it } from 'vitest';
import { base64Encode, base64urlEncode } from '../base/index.js';
import { Second } from '../kernel/index.js';
import type { TokenKey } from './index.js';
import { setup } from './testing/setup.js';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const admin = { name: 'root', groups: ['system:masters'] };
const jane = { name: 'jane', groups: ['system:authenticated'] };
const range = <T>(n: number, of: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => of(i));

describe('rules without end', () => {
  const roleOf = (name: string, rules: object[]) => ({ metadata: { name }, rules });
  const open = () => {
    const t = setup({ authorizationModes: ['RBAC'] });
    const make = (path: string, json: object, user = admin) => t.call('POST', `${rbac}${path}`, { user, json });
    const bind = (name: string, role: string, user: string) =>
      make('/namespaces/default/rolebindings', {
        metadata: { name },
        roleRef: { kind: 'Role', name: role },
        subjects: [{ kind: 'User', name: user }],
      });
    return { ...t, make, bind };
  };
  const may = (t: ReturnType<typeof open>, user: string) =>
    t.server.authorize({
      user: { name: user, groups: [] },
      verb: 'list',
      resourceRequest: true,
      group: '',
      version: 'v1',
      resource: 'pods',
      subresource: '',
      namespace: 'default',
      name: '',
      path: '',
    });

  it('are looked at up to a bound, by whoever has them, and keep nobody else', () => {
    const t = open();
    const long = { verbs: range(3000, (i) => `v${i}`), apiGroups: [''], resources: ['pods'] };
    for (let i = 0; i < 70; i++) {
      expect(t.make('/namespaces/default/roles', roleOf(`r${i}`, [long])).code).toBe(201);
      t.bind(`b${i}`, `r${i}`, 'jane');
    }
    t.make('/namespaces/default/roles', roleOf('reader', [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }]));
    // In the order of their names hers comes last, and is not reached.
    t.bind('z', 'reader', 'jane');
    t.bind('zz', 'reader', 'joe');
    expect(may(t, 'jane')).toEqual({
      allowed: false,
      reason: 'RBAC: more than 200000 rules would have to be looked at',
    });
    expect(may(t, 'joe').allowed).toBe(true);
    const rules = t.server.rulesFor({ name: 'jane', groups: [] }, 'default');
    expect([rules.rules.length, rules.problem]).toEqual([66, 'there are more than 200000 rules']);
  });

  it('that multiply are refused by the check of escalation, before it has compared them all', () => {
    const t = open();
    const clerk = [
      { verbs: ['*'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles/none'] },
      { verbs: ['create'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'] },
      { verbs: ['*'], apiGroups: ['*'], resources: range(1000, (i) => `r${i}`) },
    ];
    t.make('/namespaces/default/roles', roleOf('clerk', clerk));
    t.bind('clerk', 'clerk', 'jane');
    const many = (letter: string) => range(1300, (i) => `${letter}${i}`);
    const product = { verbs: many('v'), apiGroups: many('g'), resources: ['r0'], resourceNames: ['n'] };
    const { code, body } = t.make('/namespaces/default/roles', roleOf('big', [product]), jane);
    expect([code, body.message]).toEqual([
      403,
      'roles.rbac.authorization.k8s.io "big" is forbidden: the permissions are too many to compare with those that you have',
    ]);
    // The answer names some of the missing rules, not a million.
    const missing = { verbs: ['get'], apiGroups: [''], resources: range(1500, (i) => `secret${i}`) };
    const told = t.make('/namespaces/default/roles', roleOf('more', [missing]), jane).body.message;
    expect(told.split('\n')).toHaveLength(52);
    expect(told).toMatch(/and 1450 more$/);
  });

  it('are not asked for a hundred impersonated groups', () => {
    const t = open();
    const wanted = { user: 'x', groups: range(100, (i) => `g${i}`), extra: {} };
    expect(() => t.server.impersonate(admin, wanted)).toThrow('at most 64 groups');
  });
});

describe('names that try to be clever', () => {
  it('of users, roles and objects are only names', () => {
    const t = setup({ authorizationModes: ['Node', 'RBAC'] });
    const ask = (user: string, groups: string[], name: string) =>
      t.call('GET', `/api/v1/namespaces/default/secrets/${name}`, { user: { name: user, groups } }).code;
    for (const user of ['__proto__', 'constructor', 'system:node:__proto__', 'system:node:../n1', 'User root'])
      expect(ask(user, ['system:nodes'], '__proto__'), user).toBe(403);
    const made = t.call('POST', `${rbac}/clusterroles`, {
      user: admin,
      json: { metadata: { name: '..' }, rules: [] },
    });
    expect([made.code, made.body.message]).toEqual([422, expect.stringContaining("may not be '..'")]);
    const role = { metadata: { name: '__proto__' }, rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] };
    expect(t.call('POST', `${rbac}/clusterroles`, { user: admin, json: role }).code).toBe(201);
    expect(t.call('GET', '/api/v1/pods', { user: jane }).code).toBe(403);
  });
});

describe('credentials', () => {
  it('that are too long, or of another issuer, are no work for the key', () => {
    const verified: string[] = [];
    const tokenKey: TokenKey = {
      algorithm: 'ES256',
      id: 'k',
      publicJWK: {},
      sign: () => new Uint8Array(64),
      verify: (text) => verified.push(text) < 0,
    };
    const { server } = setup({ tokenKey });
    const part = (value: object) => base64urlEncode(JSON.stringify(value));
    const head = part({ alg: 'ES256', kid: 'k' });
    const own = part({ iss: server.issuer });
    expect(server.userOfToken(`${head}.${own}.${'A'.repeat(3_000_000)}`)).toBeNull();
    expect(server.userOfToken(`${head}.${part({ iss: 'https://elsewhere' })}.AAAA`)).toBeNull();
    expect(server.userOfToken(`${part({ alg: 'none', kid: 'k' })}.${own}.AAAA`)).toBeNull();
    expect(verified).toEqual([]);
    expect(server.userOfToken(`${head}.${own}.AAAA`)).toBeNull();
    expect(verified).toHaveLength(1);
  });

  it('are signed ten at a time, however many ask for them', () => {
    let signed = 0;
    const wanted = {
      commonName: 'system:node:n1',
      organizations: ['system:nodes'],
      dnsNames: [],
      ipAddresses: [],
      emailAddresses: [],
      uris: [],
    };
    const t = setup({
      certificates: {
        readRequest: () => wanted,
        checkCertificates() {},
        sign: () => `-----BEGIN CERTIFICATE-----\n${signed++}\n-----END CERTIFICATE-----`,
      },
    });
    const request = base64Encode('-----BEGIN CERTIFICATE REQUEST-----\nA\n-----END CERTIFICATE REQUEST-----');
    const signerName = 'kubernetes.io/kube-apiserver-client-kubelet';
    for (let i = 0; i < 35; i++)
      t.call('POST', '/apis/certificates.k8s.io/v1/certificatesigningrequests', {
        json: {
          metadata: { name: `c${i}` },
          spec: { request, signerName, usages: ['digital signature', 'client auth'] },
        },
      });
    const counts: number[] = [];
    for (let i = 0; i < 10; i++) {
      const before = signed;
      t.pass(10_000);
      counts.push(signed - before);
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(10);
    t.pass(Second);
    expect(signed).toBe(35);
  });
});
