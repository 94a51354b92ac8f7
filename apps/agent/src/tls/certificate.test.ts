import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressBytes, CertificateAuthority, selfSigned } from './certificate.js';
import { namedBits, oid, pem, time, tlv, unsigned } from './der.js';

describe('DER', () => {
  it('writes lengths in short and long form', () => {
    expect(tlv(4, Buffer.alloc(127)).subarray(0, 2).toString('hex')).toBe('047f');
    expect(tlv(4, Buffer.alloc(128)).subarray(0, 3).toString('hex')).toBe('048180');
    expect(tlv(4, Buffer.alloc(65536)).subarray(0, 5).toString('hex')).toBe('0483010000');
  });

  it('writes numbers without needless zeros and never as negative', () => {
    expect(unsigned(Buffer.from([0, 0, 0x7f])).toString('hex')).toBe('02017f');
    expect(unsigned(Buffer.from([0x80])).toString('hex')).toBe('02020080');
    expect(unsigned(Buffer.from([])).toString('hex')).toBe('020100');
  });

  it('writes object identifiers and named bits', () => {
    expect(oid('1.2.840.10045.4.3.2').toString('hex')).toBe('06082a8648ce3d040302');
    expect(namedBits(0, 5).toString('hex')).toBe('03020284');
    expect(namedBits(0).toString('hex')).toBe('03020780');
    expect(namedBits(8).toString('hex')).toBe('0303070080');
  });

  it('changes the form of times in 2050', () => {
    expect(time(new Date('2049-12-31T23:59:59Z')).toString('latin1')).toBe('\x17\x0d491231235959Z');
    expect(time(new Date('2050-01-01T00:00:00Z')).toString('latin1')).toBe('\x18\x0f20500101000000Z');
  });

  it('breaks PEM at 64 characters', () => {
    expect(pem('X', Buffer.alloc(50)).split('\n')[1]).toHaveLength(64);
  });

  it('writes any IPv6 address as its 16 bytes', () => {
    expect(addressBytes('::1').toString('hex')).toBe(`${'0'.repeat(31)}1`);
    expect(addressBytes('::ffff:1.2.3.4').toString('hex')).toBe('00000000000000000000ffff01020304');
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const hex = Buffer.from(bytes).toString('hex');
        expect(addressBytes((hex.match(/.{4}/g) as string[]).join(':')).toString('hex')).toBe(hex);
      }),
    );
  });
});

describe('certificates', () => {
  const hosts = ['localhost', '127.0.0.1', '::1'];

  it('an authority vouches for what it issues, and for nothing else', () => {
    const authority = new CertificateAuthority({ commonName: 'syncloop', days: 10 });
    const ca = new X509Certificate(authority.certPem);
    const leaf = new X509Certificate(
      authority.issue({
        commonName: 'system:node:n1',
        organizations: ['system:nodes'],
        hosts,
        days: 2,
        usage: 'server',
      }).certPem,
    );
    expect(ca.ca).toBe(true);
    expect(leaf.ca).toBe(false);
    expect(ca.verify(ca.publicKey)).toBe(true);
    expect(leaf.verify(ca.publicKey)).toBe(true);
    expect(leaf.checkIssued(ca)).toBe(true);
    const stranger = new CertificateAuthority({ commonName: 'syncloop', days: 10 });
    expect(leaf.verify(new X509Certificate(stranger.certPem).publicKey)).toBe(false);
    expect(leaf.subject).toBe('O=system:nodes\nCN=system:node:n1');
    expect(leaf.checkHost('localhost')).toBe('localhost');
    expect(leaf.checkHost('other')).toBeUndefined();
    expect(leaf.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(leaf.checkIP('127.0.0.2')).toBeUndefined();
    expect(leaf.checkIP('::1')).toBe('::1');
    const life = Date.parse(leaf.validTo) - Date.parse(leaf.validFrom);
    expect(life).toBe((2 * 24 + 1) * 3_600_000);
    expect(leaf.serialNumber).not.toBe(ca.serialNumber);
  });

  it('a client that trusts the authority of a self-signed pair reaches the server, another does not', async () => {
    const pair = selfSigned({ commonName: 'node1', hosts, days: 1 });
    const server = createServer({ cert: pair.certPem, key: pair.keyPem }, (_, response) => response.end('here'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const ask = (options: object) =>
      new Promise<string>((resolve) => {
        get({ host: '127.0.0.1', port, agent: false, ...options }, (response) => {
          response.setEncoding('utf8').on('data', resolve);
        }).on('error', (err: NodeJS.ErrnoException) => resolve(err.code ?? ''));
      });
    expect(await ask({ ca: pair.caPem })).toBe('here');
    expect(await ask({ ca: pair.caPem, servername: 'node1' })).toBe('here');
    expect(await ask({ ca: pair.caPem, servername: 'elsewhere' })).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await ask({})).toBe('SELF_SIGNED_CERT_IN_CHAIN');
    server.close();
    server.closeAllConnections();
  });

  it.skipIf(!existsSync('/usr/bin/openssl'))('openssl finds nothing wrong with them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'syncloop-tls-'));
    try {
      const authority = new CertificateAuthority({ commonName: 'syncloop', days: 30 * 365 });
      const leaf = authority.issue({ commonName: 'n1', hosts, days: 1, usage: 'server' });
      const file = (name: string, text: string) => {
        writeFileSync(join(folder, name), text);
        return join(folder, name);
      };
      const [ca, cert] = [file('ca.pem', authority.certPem), file('cert.pem', leaf.certPem)];
      const openssl = (...args: string[]) =>
        execFileSync('/usr/bin/openssl', args, { encoding: 'utf8', stdio: 'pipe' });
      const strict = ['verify', '-x509_strict', '-check_ss_sig', '-CAfile', ca];
      expect(openssl(...strict, '-purpose', 'sslserver', '-verify_ip', '::1', cert)).toBe(`${cert}: OK\n`);
      expect(() => openssl(...strict, '-purpose', 'sslclient', cert)).toThrow(/purpose/i);
      const text = openssl('x509', '-in', cert, '-noout', '-text');
      expect(text).toContain('DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
      expect(text).toContain('X509v3 Key Usage: critical\n                Digital Signature\n');
      expect(openssl('pkey', '-in', file('key.pem', leaf.keyPem), '-check', '-noout')).toMatch(/valid/i);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
