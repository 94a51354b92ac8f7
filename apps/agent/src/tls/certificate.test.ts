import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CertificateAuthority, selfSigned } from './certificate.js';

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

  it('name any IPv6 address', () => {
    const authority = new CertificateAuthority({ commonName: 'syncloop', days: 1 });
    const named = (address: string) =>
      new X509Certificate(authority.issue({ commonName: 'n1', hosts: [address], days: 1, usage: 'server' }).certPem);
    expect(named('::ffff:1.2.3.4').checkIP('::ffff:102:304')).toBe('::ffff:102:304');
    expect(named('fe80::1%eth0').checkIP('fe80::1')).toBe('fe80::1');
    fc.assert(
      fc.property(fc.ipV6(), fc.ipV6(), (address, other) => {
        expect(named(address).checkIP(address)).toBe(address);
        const same = new URL(`http://[${address}]`).host === new URL(`http://[${other}]`).host;
        expect(named(address).checkIP(other)).toBe(same ? other : undefined);
      }),
    );
  });

  it('are positive numbers in their serial, and change the form of times in 2050', () => {
    const authority = new CertificateAuthority({ commonName: 'syncloop', days: 1 });
    for (let n = 0; n < 50; n++) {
      const days = n % 2 === 0 ? 1 : 100 * 365;
      const { raw, serialNumber, validTo } = new X509Certificate(
        authority.issue({ commonName: 'n1', days, usage: 'client' }).certPem,
      );
      expect(serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/);
      const utc = new Date(validTo).toISOString().replace(/[-:T]|\.000/g, '');
      expect(raw.includes(days === 1 ? `\x17\x0d${utc.slice(2)}` : `\x18\x0f${utc}`, 'latin1')).toBe(true);
    }
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
      expect(openssl('x509', '-in', ca, '-noout', '-text')).toContain('Digital Signature, Certificate Sign\n');
      expect(openssl('pkey', '-in', file('key.pem', leaf.keyPem), '-check', '-noout')).toMatch(/valid/i);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
