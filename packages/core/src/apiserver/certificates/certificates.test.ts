import { describe, expect, it } from 'vitest';
import { base64Decode, base64Encode } from '../../base/index.js';
import { Hour, Minute, Second } from '../../kernel/index.js';
import type { ApiServerOptions, CertificateHost, RequestedCertificate, SigningPolicy } from '../index.js';
import { patchType, setup } from '../testing/setup.js';

const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const usages = ['digital signature', 'client auth'];
const kubeletClient = 'kubernetes.io/kube-apiserver-client-kubelet';
const node = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };
const joining = { name: 'system:bootstrap:abcdef', groups: ['system:bootstrappers', 'system:authenticated'] };

const pem = (label: string, text: string) => `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----\n`;
/** A request that a host without cryptography can read. */
const requestOf = (wanted: Partial<RequestedCertificate>) =>
  base64Encode(
    pem(
      'CERTIFICATE REQUEST',
      base64Encode(
        JSON.stringify({
          commonName: 'system:node:n1',
          organizations: ['system:nodes'],
          dnsNames: [],
          ipAddresses: [],
          emailAddresses: [],
          uris: [],
          ...wanted,
        }),
      ),
    ),
  );
function host() {
  const signed: SigningPolicy[] = [];
  const made: CertificateHost = {
    readRequest(text) {
      const body = base64Decode(/-----\n(.*)\n-----/.exec(text)?.[1] ?? '');
      if (!body.startsWith('{')) throw new Error('asn1: syntax error');
      return JSON.parse(body) as RequestedCertificate;
    },
    checkCertificates(text) {
      if (text.includes('bad')) throw new Error('x509: malformed certificate');
    },
    sign(_, policy) {
      signed.push(policy);
      return pem('CERTIFICATE', `signed${signed.length}`);
    },
  };
  return { signed, made };
}
interface Status {
  conditions?: { type: string; reason: string; message: string }[];
  certificate?: string;
}
function open(options: ApiServerOptions = {}) {
  const { signed, made } = host();
  const t = setup({ certificates: made, ...options });
  const ask = (spec: object, user = joining, name = 'csr-1') =>
    t.call('POST', path, {
      user,
      json: {
        metadata: { name },
        spec: { request: requestOf({}), signerName: kubeletClient, usages, ...spec },
      },
    });
  const status = (name = 'csr-1') => t.call('GET', `${path}/${name}`).body.status as unknown as Status;
  return { ...t, signed, ask, status };
}

describe('certificate signing requests', () => {
  it('are approved and signed for a node that joins', () => {
    const t = open();
    const made = t.ask({ username: 'somebody else', groups: ['system:masters'] });
    expect(made.code).toBe(201);
    expect(made.body.spec).toMatchObject({ username: 'system:bootstrap:abcdef', groups: joining.groups });
    t.pass(Second);
    const { conditions, certificate } = t.status();
    expect(conditions).toMatchObject([
      {
        type: 'Approved',
        reason: 'AutoApproved',
        message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
      },
    ]);
    expect(base64Decode(certificate)).toBe(pem('CERTIFICATE', 'signed1'));
    const now = t.server.nowMillis();
    const [policy] = t.signed as [SigningPolicy];
    expect(policy.usages).toEqual(usages);
    // Five minutes back, and a year in all.
    expect(Math.round((policy.notAfter - policy.notBefore) / 1000)).toBe(365 * 24 * 3600);
    expect(Math.round((now - policy.notBefore) / 60_000)).toBe(5);
  });

  it('are approved for a node that renews its own certificate, and not for one that asks for that of another', () => {
    const t = open({ authorize: (a) => ({ allowed: a.subresource !== 'nodeclient' }) });
    t.ask({}, node);
    t.ask({}, { ...node, name: 'system:node:n2' }, 'csr-2');
    t.pass(Second);
    expect(t.status().conditions?.[0]?.message).toBe(
      'Auto approving self kubelet client certificate after SubjectAccessReview.',
    );
    expect(t.status('csr-2')).toEqual({});
  });

  it('of other kinds wait for somebody to approve them', () => {
    const t = open();
    const serving = { signerName: 'kubernetes.io/kubelet-serving', usages: ['digital signature', 'server auth'] };
    t.ask({ ...serving, request: requestOf({ dnsNames: ['n1'] }), expirationSeconds: 3600 }, node);
    t.pass(Minute);
    expect(t.status()).toEqual({});
    const csr = t.call('GET', `${path}/csr-1`).body as unknown as { status: object };
    const approved = { type: 'Approved', status: 'True', reason: 'KubectlApprove', message: 'by kubectl' };
    const put = t.call('PUT', `${path}/csr-1/approval`, {
      json: { ...csr, status: { conditions: [approved], certificate: base64Encode('x') } },
    });
    expect(put.body.status).toMatchObject({
      conditions: [{ type: 'Approved', lastUpdateTime: '2026-01-01T00:01:00Z' }],
    });
    expect(put.body.status).not.toHaveProperty('certificate');
    t.pass(Second);
    expect(t.status().certificate).toBeTruthy();
    // Of a short one the end is not put back.
    const [policy] = t.signed as [SigningPolicy];
    expect(Math.round((policy.notAfter - policy.notBefore) / 1000)).toBe(3600 + 300);
  });

  it('for serving are approved, where that was chosen, when they name the addresses of their own node only', () => {
    const t = open({ approveKubeletServing: true });
    const serving = { signerName: 'kubernetes.io/kubelet-serving', usages: ['digital signature', 'server auth'] };
    const own = { ...serving, request: requestOf({ dnsNames: ['n1'], ipAddresses: ['10.0.0.1'] }) };
    t.ask(own, node);
    t.ask({ ...serving, request: requestOf({ dnsNames: ['n1', 'kubernetes'] }) }, node, 'too-much');
    t.ask(own, { ...node, name: 'system:node:n2' }, 'of-another');
    t.pass(Second);
    expect(t.status()).toEqual({});
    const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }];
    t.call('POST', '/api/v1/nodes', { json: { metadata: { name: 'n1' }, status: { addresses } } });
    t.pass(Second);
    expect(t.status().conditions?.[0]?.message).toContain('the addresses of its own node');
    expect(t.status().certificate).toBeTruthy();
    expect(t.status('too-much')).toEqual({});
    expect(t.status('of-another')).toEqual({});
  });

  it.each([
    ['no request', { request: '' }, 'spec.request: Invalid value: "": PEM block type must be CERTIFICATE REQUEST'],
    [
      'a request that nobody can read',
      { request: base64Encode(pem('CERTIFICATE REQUEST', 'AAAA')) },
      'asn1: syntax error',
    ],
    ['no usages', { usages: [] }, 'spec.usages: Required value'],
    ['an unknown usage', { usages: ['flying'] }, 'spec.usages[0]: Unsupported value: "flying"'],
    ['a usage twice', { usages: ['any', 'any'] }, 'spec.usages[1]: Duplicate value: "any"'],
    ['no signer', { signerName: '' }, 'spec.signerName: Required value'],
    ['a signer without a path', { signerName: 'x' }, "of the form 'example.com/signer-name'"],
    ['a signer without a domain', { signerName: 'x/y' }, 'should be a domain with at least two segments'],
    ['a signer that is no name', { signerName: 'X.y/z' }, 'validating label "X"'],
    ['the signer of old', { signerName: 'kubernetes.io/legacy-unknown' }, 'is not allowed via this API version'],
    ['too short a life', { expirationSeconds: 599 }, 'may not specify a duration less than 600 seconds (10 minutes)'],
    ['a request that is too long', { request: 'A'.repeat(70_000) }, 'longer than 65536 characters'],
  ])('are refused with %s', (_, spec, words) => {
    const { code, body } = open().ask(spec);
    expect(code).toBe(422);
    expect(body.message).toContain(words);
  });

  it('that are approved but not as their signer wants them fail', () => {
    const t = open();
    t.ask({ signerName: 'kubernetes.io/kube-apiserver-client', usages: ['server auth'] });
    t.call('PATCH', `${path}/csr-1/approval`, {
      ...patchType('merge'),
      json: { status: { conditions: [{ type: 'Approved', status: 'True' }] } },
    });
    t.pass(Second);
    expect(t.status().conditions?.[1]).toMatchObject({
      type: 'Failed',
      reason: 'SignerValidationFailure',
      message: 'invalid usage for client certificate: server auth',
    });
    expect(t.signed).toHaveLength(0);
  });

  it('of other signers are kept for whoever signs them', () => {
    const t = open();
    t.ask({ signerName: 'example.com/mine' });
    t.pass(Minute);
    expect(t.status()).toEqual({});
    const put = (certificate: string) =>
      t.call('PATCH', `${path}/csr-1/status`, { ...patchType('merge'), json: { status: { certificate } } });
    expect(put(base64Encode(pem('CERTIFICATE', 'bad'))).body.message).toContain('x509: malformed certificate');
    expect(put(base64Encode('x')).body.message).toContain('must contain at least one CERTIFICATE PEM block');
    expect(put(base64Encode(pem('PRIVATE KEY', 'x'))).body.message).toContain('found "PRIVATE KEY"');
    expect(put(base64Encode(pem('CERTIFICATE', 'x'))).code).toBe(200);
    expect(put(base64Encode(pem('CERTIFICATE', 'y'))).body.message).toContain('may not modify existing certificate');
  });

  it('keep what was decided, each part through its own door', () => {
    const t = open();
    t.ask({ signerName: 'example.com/mine' });
    const write = (sub: string, conditions: object[]) =>
      t.call('PATCH', `${path}/csr-1${sub}`, { ...patchType('merge'), json: { status: { conditions } } });
    const approved = { type: 'Approved', status: 'True' };
    expect(write('/status', [approved]).body.message).toContain('updates may not add a condition of type "Approved"');
    expect(write('', [approved]).body.status).toEqual({});
    expect(write('/approval', [{ type: 'Approved', status: 'False' }]).body.message).toContain(
      'supported values: "True"',
    );
    expect(write('/approval', [approved, { type: 'Denied', status: 'True' }]).body.message).toContain(
      'mutually exclusive',
    );
    expect(write('/approval', [approved]).code).toBe(200);
    expect(write('/approval', []).body.message).toContain('updates may not remove a condition of type "Approved"');
    expect(
      t.call('PATCH', `${path}/csr-1`, { ...patchType('merge'), json: { spec: { usages: ['any'] } } }).body.spec,
    ).toMatchObject({ usages });
  });

  it('are only approved and signed by who may do that for their signer', () => {
    const t = open({
      authorize: (a) => ({
        allowed: a.resource !== 'signers' || (a.verb === 'approve' && a.name === 'example.com/*'),
      }),
    });
    t.ask({ signerName: 'example.com/mine' });
    t.ask({ signerName: 'example.org/other' }, joining, 'csr-2');
    const approve = (name: string) =>
      t.call('PATCH', `${path}/${name}/approval`, {
        ...patchType('merge'),
        json: { status: { conditions: [{ type: 'Approved', status: 'True' }] } },
      });
    expect(approve('csr-1').code).toBe(200);
    expect(approve('csr-2').body.message).toBe(
      'certificatesigningrequests.certificates.k8s.io "csr-2" is forbidden: user not permitted to approve requests with signerName "example.org/other"',
    );
    const sign = t.call('PATCH', `${path}/csr-1/status`, {
      ...patchType('merge'),
      json: { status: { certificate: base64Encode(pem('CERTIFICATE', 'x')) } },
    });
    expect(sign.body.message).toContain('user not permitted to sign requests with signerName "example.com/mine"');
  });

  it('make nobody an administrator', () => {
    const { body } = open().ask({
      signerName: 'kubernetes.io/kube-apiserver-client',
      request: requestOf({ organizations: ['system:masters'] }),
    });
    expect(body.message).toContain(
      'use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    );
  });

  it('go when they are old: an hour after a decision, a day without one', () => {
    const t = open();
    t.ask({});
    t.ask({ signerName: 'example.com/mine' }, joining, 'csr-2');
    const names = () => t.call('GET', path).body.items.map((o) => o.metadata.name);
    t.pass(30 * Minute);
    expect(names()).toEqual(['csr-1', 'csr-2']);
    t.pass(2 * Hour);
    expect(names()).toEqual(['csr-2']);
    t.pass(24 * Hour);
    expect(names()).toEqual([]);
  });

  it('are kept, approved and not signed where there is no host to sign them', () => {
    const t = setup();
    t.call('POST', path, {
      json: { metadata: { name: 'a' }, spec: { request: requestOf({}), signerName: kubeletClient, usages } },
    });
    t.pass(Minute);
    expect(t.call('GET', `${path}/a`).body.status).toEqual({});
  });

  it('are shown as kubectl shows them', () => {
    const t = open();
    t.ask({ expirationSeconds: 3600 });
    t.pass(Second);
    const table = t.call('GET', path, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }).body;
    expect(table.columnDefinitions.map((c) => c.name)).toEqual([
      'Name',
      'Age',
      'SignerName',
      'Requestor',
      'RequestedDuration',
      'Condition',
    ]);
    expect(table.rows[0]?.cells).toEqual([
      'csr-1',
      '1s',
      kubeletClient,
      'system:bootstrap:abcdef',
      '60m',
      'Approved,Issued',
    ]);
  });
});
