/**
 * Certificates of our own for servers on this machine: Node makes keys and signatures, but no certificates. EC P-256 with
 * SHA-256 throughout.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import {
  bitString,
  bool,
  explicit,
  implicit,
  namedBits,
  octetString,
  oid,
  pem,
  sequence,
  set,
  time,
  unsigned,
  utf8String,
} from './der.js';

/** A certificate (PEM; more than one: the leaf first) and its private key (PKCS #8, PEM). */
export interface Pair {
  readonly certPem: string;
  readonly keyPem: string;
}

/** What a certificate is for. */
export interface LeafOptions {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** DNS names and IP addresses. */
  readonly hosts?: readonly string[];
  readonly days: number;
  readonly usage: 'server' | 'client';
}

const oids = {
  ecdsaWithSHA256: oid('1.2.840.10045.4.3.2'),
  commonName: oid('2.5.4.3'),
  organization: oid('2.5.4.10'),
  subjectKeyIdentifier: oid('2.5.29.14'),
  keyUsage: oid('2.5.29.15'),
  subjectAltName: oid('2.5.29.17'),
  basicConstraints: oid('2.5.29.19'),
  authorityKeyIdentifier: oid('2.5.29.35'),
  extKeyUsage: oid('2.5.29.37'),
  serverAuth: oid('1.3.6.1.5.5.7.3.1'),
  clientAuth: oid('1.3.6.1.5.5.7.3.2'),
} as const;

const signature = sequence(oids.ecdsaWithSHA256);
const hour = 3_600_000;
const day = 24 * hour;

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pkcs8 = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string;
const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'der' });

const attribute = (type: Buffer, value: string) => set(sequence(type, utf8String(value)));
const distinguishedName = (commonName: string, organizations: readonly string[] = []) =>
  sequence(...organizations.map((o) => attribute(oids.organization, o)), attribute(oids.commonName, commonName));

/** RFC 5280 4.2.1.2 (1): of the key's bits. They are the last 65 bytes of a P-256 SubjectPublicKeyInfo. */
const keyId = (publicKey: KeyObject) => createHash('sha1').update(spki(publicKey).subarray(-65)).digest();

function extension(id: Buffer, critical: boolean, value: Buffer): Buffer {
  return sequence(id, ...(critical ? [bool(true)] : []), octetString(value));
}

/** The bytes of an IPv4 or IPv6 address. */
export function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // A URL writes each IPv6 address in one form: hexadecimal, with at most one `::`.
  const [left = '', right] = new URL(`http://[${address.split('%', 1)[0]}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string | undefined) => (text ? text.split(':').map((g) => Number.parseInt(g, 16)) : []);
  const [head, tail] = [groups(left), groups(right)];
  const all = [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
  return Buffer.from(all.flatMap((g) => [g >> 8, g & 0xff]));
}

function subjectAltName(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    isIP(host) ? implicit(7, addressBytes(host)) : implicit(2, Buffer.from(host, 'latin1')),
  );
  return extension(oids.subjectAltName, false, sequence(...names));
}

interface Signer {
  readonly name: Buffer;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

function certificate(subject: Buffer, publicKey: KeyObject, days: number, extensions: Buffer[], by: Signer): Buffer {
  // An hour back, for clocks that differ; whole seconds, as the format has no more.
  const from = Math.floor((Date.now() - hour) / 1000) * 1000;
  const serial = randomBytes(16);
  serial.writeUInt8((serial.readUInt8(0) & 0x7f) | 0x40, 0);
  const body = sequence(
    explicit(0, unsigned(Buffer.from([2]))),
    unsigned(serial),
    signature,
    by.name,
    sequence(time(new Date(from)), time(new Date(from + hour + days * day))),
    subject,
    spki(publicKey),
    explicit(
      3,
      sequence(
        ...extensions,
        extension(oids.subjectKeyIdentifier, false, octetString(keyId(publicKey))),
        extension(oids.authorityKeyIdentifier, false, sequence(implicit(0, keyId(by.publicKey)))),
      ),
    ),
  );
  return sequence(body, signature, bitString(sign('sha256', body, by.privateKey)));
}

/** An authority that lives in memory: its key never leaves it. */
export class CertificateAuthority {
  readonly certPem: string;
  private readonly signer: Signer;

  constructor({ commonName, days }: { readonly commonName: string; readonly days: number }) {
    const keys = newKeys();
    this.signer = { name: distinguishedName(commonName), ...keys };
    const extensions = [
      extension(oids.basicConstraints, true, sequence(bool(true))),
      // Digital signature, certificate signing.
      extension(oids.keyUsage, true, namedBits(0, 5)),
    ];
    this.certPem = pem('CERTIFICATE', certificate(this.signer.name, keys.publicKey, days, extensions, this.signer));
  }

  /** A new key and its certificate. */
  issue({ commonName, organizations, hosts = [], days, usage }: LeafOptions): Pair {
    const { publicKey, privateKey } = newKeys();
    const extensions = [
      extension(oids.basicConstraints, true, sequence()),
      // Digital signature.
      extension(oids.keyUsage, true, namedBits(0)),
      extension(oids.extKeyUsage, false, sequence(usage === 'server' ? oids.serverAuth : oids.clientAuth)),
      ...(hosts.length > 0 ? [subjectAltName(hosts)] : []),
    ];
    const subject = distinguishedName(commonName, organizations);
    const der = certificate(subject, publicKey, days, extensions, this.signer);
    return { certPem: pem('CERTIFICATE', der), keyPem: pkcs8(privateKey) };
  }
}

/**
 * A serving certificate that nobody vouches for but an authority made for it alone, whose certificate follows in
 * `certPem`; `caPem` is that one. upstream: client-go/util/cert GenerateSelfSignedCertKey
 */
export function selfSigned(options: {
  readonly commonName: string;
  /** DNS names and IP addresses beside the common name. */
  readonly hosts: readonly string[];
  readonly days: number;
}): Pair & { readonly caPem: string } {
  const { commonName, days } = options;
  const stamp = Math.floor(Date.now() / 1000);
  const authority = new CertificateAuthority({ commonName: `${commonName}-ca@${stamp}`, days });
  const hosts = [...new Set([commonName, ...options.hosts])];
  const { certPem, keyPem } = authority.issue({ commonName: `${commonName}@${stamp}`, hosts, days, usage: 'server' });
  return { certPem: certPem + authority.certPem, keyPem, caPem: authority.certPem };
}
