import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CertificateAuthority } from './certificate.js';
import { nodeCrypto } from './crypto.js';

const template = {
  commonName: 'system:node:n1',
  organizations: ['system:nodes'],
  dnsNames: ['n1', 'n1.example'],
  ipAddresses: ['10.0.0.7', 'fd00::7'],
};

describe('keys, requests and certificates', () => {
  it.skipIf(!existsSync('/usr/bin/openssl'))('openssl reads requests, whose signature is good', () => {
    const folder = mkdtempSync(join(tmpdir(), 'syncloop-csr-'));
    try {
      const openssl = (...args: string[]) =>
        execFileSync('/usr/bin/openssl', args, { encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
      const key = nodeCrypto.generateKey();
      const file = (name: string, text: string) => {
        writeFileSync(join(folder, name), text);
        return join(folder, name);
      };
      const request = file('request.pem', nodeCrypto.createRequest(key, template));
      const text = openssl('req', '-in', request, '-noout', '-text', '-verify');
      expect(text).toContain('Subject: O = system:nodes, CN = system:node:n1');
      expect(text).toContain('DNS:n1, DNS:n1.example, IP Address:10.0.0.7, IP Address:FD00:0:0:0:0:0:0:7');
      expect(text).toContain('ecdsa-with-SHA256');
      expect(openssl('ec', '-in', file('key.pem', key), '-noout', '-text')).toContain('P-256');
      // And those of others: with RSA, without names.
      const rsa = openssl('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048');
      expect(nodeCrypto.isRSA(rsa)).toBe(true);
      const other = file('rsa.pem', nodeCrypto.createRequest(rsa, { commonName: 'x', organizations: [] }));
      expect(openssl('req', '-in', other, '-noout', '-text', '-verify')).toContain('sha256WithRSAEncryption');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('tells who signed a request', () => {
    const [key, other] = [nodeCrypto.generateKey(), nodeCrypto.generateKey()];
    const request = nodeCrypto.createRequest(key, template);
    expect(nodeCrypto.parseRequest(request, key).signed).toBe(true);
    expect(nodeCrypto.parseRequest(request, other).signed).toBe(false);
    const second = nodeCrypto.createRequest(other, { commonName: 'system:node:n2', organizations: ['system:nodes'] });
    expect(nodeCrypto.parseRequest(second, key).subject).not.toBe(nodeCrypto.parseRequest(request, key).subject);
    expect(() => nodeCrypto.parseRequest('nonsense', key)).toThrow('PEM block type must be CERTIFICATE REQUEST');
    expect(() => nodeCrypto.parseRequest(request, 'nonsense')).toThrow('failed to find any PEM data in key input');
  });

  it('reads what a certificate says, also of a file that holds its key too', () => {
    const authority = new CertificateAuthority({ commonName: 'ca', days: 10 });
    const pair = authority.issue({
      commonName: 'system:node:n1',
      organizations: ['system:nodes', 'b'],
      hosts: ['n1', '10.0.0.7', 'fd00:0:0::7'],
      days: 2,
      usage: 'server',
    });
    const text = `${pair.certPem}${authority.certPem}${pair.keyPem}`;
    const { leaf, certPem, keyPem } = nodeCrypto.keyPair(text, text);
    expect(leaf).toMatchObject({
      commonName: 'system:node:n1',
      organizations: ['system:nodes', 'b'],
      dnsNames: ['n1'],
      ipAddresses: ['10.0.0.7', 'fd00::7'],
    });
    expect(leaf.notAfterMillis - leaf.notBeforeMillis).toBe((2 * 24 + 1) * 3_600_000);
    expect(certPem.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(keyPem).not.toContain('CERTIFICATE');
    expect(nodeCrypto.canonicalIP('FD00:0::7')).toBe(leaf.ipAddresses[1]);
    expect(nodeCrypto.canonicalIP('n1')).toBeNull();
  });

  it('refuses a certificate with the key of another, and what is none', () => {
    const authority = new CertificateAuthority({ commonName: 'ca', days: 10 });
    const one = authority.issue({ commonName: 'a', days: 1, usage: 'client' });
    const other = authority.issue({ commonName: 'b', days: 1, usage: 'client' });
    expect(() => nodeCrypto.keyPair(one.certPem, other.keyPem)).toThrow('tls: private key does not match public key');
    expect(() => nodeCrypto.keyPair('', other.keyPem)).toThrow('does not contain any valid');
    expect(() => nodeCrypto.keyPair(one.certPem, '')).toThrow('failed to find any PEM data in key input');
    expect(() => nodeCrypto.keyPair(one.certPem.slice(0, -80), one.keyPem)).toThrow();
    expect(() => nodeCrypto.keyPair(one.certPem.replace(/MII/, 'AAA'), one.keyPem)).toThrow();
  });

  it('makes a new key each time, and names its public half', () => {
    const [a, b] = [nodeCrypto.generateKey(), nodeCrypto.generateKey()];
    expect(a).toContain('-----BEGIN EC PRIVATE KEY-----');
    expect(nodeCrypto.publicKey(a)).toHaveLength(91);
    expect(nodeCrypto.publicKey(a)).not.toEqual(nodeCrypto.publicKey(b));
    expect(nodeCrypto.sha512_256(new Uint8Array([1]))).toHaveLength(32);
  });
});
