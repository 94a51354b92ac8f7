import { createPublicKey, X509Certificate } from 'node:crypto';
import { Attributes, CertificationRequest, CertificationRequestInfo } from '@peculiar/asn1-csr';
import { AsnConvert } from '@peculiar/asn1-schema';
import { AlgorithmIdentifier, GeneralName, SubjectPublicKeyInfo } from '@peculiar/asn1-x509';
import { describe, expect, it } from 'vitest';
import { CertificateAuthority, distinguishedName } from './certificate.js';
import { checkCertificates, readRequest, subjectOf } from './request.js';
import { newRequest } from './testing/new-request.js';

const authority = new CertificateAuthority({ commonName: 'syncloop', days: 30 * 365 });
const now = Date.parse('2030-01-02T03:04:05.678Z');
const policy = { notBefore: now - 300_000, notAfter: now + 3_600_000, usages: ['digital signature', 'client auth'] };
const node = { commonName: 'system:node:n1', organizations: ['system:nodes'] };

describe('certificate signing requests', () => {
  it('say what they want', () => {
    const { requestPem } = newRequest({ ...node, hosts: ['n1.local', '10.0.0.1', '::1'] });
    expect(readRequest(requestPem)).toEqual({
      ...node,
      dnsNames: ['n1.local'],
      ipAddresses: ['10.0.0.1', '::1'],
      emailAddresses: [],
      uris: [],
    });
    expect(readRequest(newRequest({ commonName: 'jane', rsa: 2048 }).requestPem)).toMatchObject({
      commonName: 'jane',
      organizations: [],
    });
  });

  it('are not taken when they are not whole, not their own, or ask for what nobody here knows', () => {
    const pem = (text: string) => `-----BEGIN CERTIFICATE REQUEST-----\n${text}\n-----END CERTIFICATE REQUEST-----`;
    const { requestPem } = newRequest(node);
    const cut = requestPem.replace(/[^\n]{40}(?=\n-----END)/, '');
    const other = newRequest({ ...node, names: [new GeneralName({ registeredID: '1.2.3' })] });
    expect(() => readRequest('')).toThrow('PEM block type must be CERTIFICATE REQUEST');
    expect(() => readRequest(cut)).toThrow('x509: cannot read');
    expect(() => readRequest(newRequest({ ...node, spoil: true }).requestPem)).toThrow('is not that of its key');
    expect(() => readRequest(other.requestPem)).toThrow('not a DNS name, IP address, email address or URI');
    // Tags that nest a thousand times in a thousand.
    expect(() => readRequest(pem(Buffer.alloc(40_000, '3080', 'hex').toString('base64')))).toThrow('x509: cannot read');
  });

  it('are not taken with a key so large that to check its signature takes long', () => {
    const n = Buffer.alloc(4096, 0xff).toString('base64url');
    const key = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' });
    const info = new CertificationRequestInfo({
      subject: distinguishedName('x'),
      subjectPKInfo: AsnConvert.parse(key.export({ type: 'spki', format: 'der' }), SubjectPublicKeyInfo),
      attributes: new Attributes(),
    });
    const signatureAlgorithm = new AlgorithmIdentifier({ algorithm: '1.2.840.113549.1.1.11', parameters: null });
    const request = new CertificationRequest({
      certificationRequestInfo: info,
      signatureAlgorithm,
      signature: new ArrayBuffer(4096),
    });
    const text = Buffer.from(AsnConvert.serialize(request)).toString('base64');
    expect(() =>
      readRequest(`-----BEGIN CERTIFICATE REQUEST-----\n${text}\n-----END CERTIFICATE REQUEST-----`),
    ).toThrow('an RSA key of 32768 bits is too large: at most 8192 are allowed');
  });

  it('become certificates of the authority, with their names, and with what the policy says', () => {
    const { requestPem, keyPem } = newRequest({ ...node, hosts: ['n1', '10.0.0.1'] });
    const cert = new X509Certificate(authority.signRequest(requestPem, policy));
    const ca = new X509Certificate(authority.certPem);
    expect(cert.verify(ca.publicKey) && cert.checkIssued(ca)).toBe(true);
    expect(cert.ca).toBe(false);
    expect(subjectOf(cert.raw)).toEqual(node);
    expect(cert.checkHost('n1')).toBe('n1');
    expect(cert.checkIP('10.0.0.1')).toBe('10.0.0.1');
    expect(new Date(cert.validFrom).toISOString()).toBe('2030-01-02T02:59:05.000Z');
    expect(cert.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(new X509Certificate(authority.signRequest(requestPem, policy)).serialNumber).not.toBe(cert.serialNumber);
    expect(keyPem).toContain('PRIVATE KEY');
    expect(() => authority.signRequest(requestPem, { ...policy, usages: ['flying'] })).toThrow(
      'unrecognized usage values: ["flying"]',
    );
  });

  it('end no later than the authority, which signs nothing once it has expired', () => {
    const { requestPem } = newRequest(node);
    const end = Date.parse(new X509Certificate(authority.certPem).validTo);
    const late = authority.signRequest(requestPem, { ...policy, notBefore: end - 60_000, notAfter: end + 60_000 });
    expect(Date.parse(new X509Certificate(late).validTo)).toBe(end);
    expect(() => authority.signRequest(requestPem, { ...policy, notBefore: end })).toThrow('the signer has expired');
  });

  it('are signed by the same authority after it was kept and read again', () => {
    const again = new CertificateAuthority(authority.pair);
    const cert = new X509Certificate(again.signRequest(newRequest(node).requestPem, policy));
    expect(again.certPem).toBe(authority.certPem);
    expect(cert.verify(new X509Certificate(authority.certPem).publicKey)).toBe(true);
    const other = new CertificateAuthority({ commonName: 'other', days: 1 });
    expect(() => new CertificateAuthority({ ...authority.pair, keyPem: other.pair.keyPem })).toThrow('this key');
  });

  it('are told from certificates', () => {
    expect(() => checkCertificates(authority.certPem)).not.toThrow();
    expect(() => checkCertificates('nothing')).toThrow('must contain at least one CERTIFICATE PEM block');
    expect(() => checkCertificates(authority.certPem.replace('MII', 'AAA'))).toThrow('cannot read a certificate');
  });
});
