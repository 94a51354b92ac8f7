/**
 * Certificates of our own for servers on this machine: their structures come from @peculiar/asn1-x509, keys and
 * signatures from Node. EC P-256 with SHA-256 throughout.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  type Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';
import { extension, parseRequest, usageExtensions } from './request.js';

export { extension };

/** A certificate (PEM; more than one: the leaf first) and its private key (PKCS #8, PEM). */
export interface Pair {
  readonly certPem: string;
  readonly keyPem: string;
}

/** The names and the uses of a certificate. */
export interface LeafOptions {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** DNS names and IP addresses. */
  readonly hosts?: readonly string[];
  readonly days: number;
  readonly usage: 'server' | 'client';
}

/** Object identifiers that the library does not name. */
const oid = { ecdsaWithSHA256: '1.2.840.10045.4.3.2', commonName: '2.5.4.3', organization: '2.5.4.10' } as const;

const signature = new AlgorithmIdentifier({ algorithm: oid.ecdsaWithSHA256 });
const hour = 3_600_000;
const day = 24 * hour;

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pkcs8 = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string;
const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'der' });

const attribute = (type: string, utf8String: string) =>
  new RelativeDistinguishedName([new AttributeTypeAndValue({ type, value: new AttributeValue({ utf8String }) })]);
export const distinguishedName = (commonName: string, organizations: readonly string[] = []) =>
  new Name([...organizations.map((o) => attribute(oid.organization, o)), attribute(oid.commonName, commonName)]);

/** RFC 5280 4.2.1.2 (1): of the key's bits. */
const keyId = (publicKey: KeyObject) => {
  const { subjectPublicKey } = AsnConvert.parse(spki(publicKey), SubjectPublicKeyInfo);
  return createHash('sha1').update(Buffer.from(subjectPublicKey)).digest();
};

/** A host as a name in a certificate: an IPv6 address in the one form that a URL has for it, without a zone. */
export function generalName(host: string): GeneralName {
  if (isIPv6(host))
    return new GeneralName({ iPAddress: new URL(`http://[${host.split('%', 1)[0]}]`).hostname.slice(1, -1) });
  return new GeneralName(isIPv4(host) ? { iPAddress: host } : { dNSName: host });
}

interface Signer {
  readonly name: Name;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** Milliseconds since 1970. */
interface Life {
  readonly notBefore: number;
  readonly notAfter: number;
}
/** Valid from an hour ago, for clocks that differ. */
const lifeOf = (days: number): Life => ({ notBefore: Date.now() - hour, notAfter: Date.now() + days * day });
/** The format has whole seconds only. */
const wholeSeconds = (millis: number) => new Date(Math.floor(millis / 1000) * 1000);

/** A certificate in PEM. */
function certificate(
  subject: Name,
  publicKey: KeyObject,
  { notBefore, notAfter }: Life,
  extensions: Extension[],
  by: Signer,
): string {
  const serial = randomBytes(16);
  // A positive number that does not begin with a zero byte.
  serial.writeUInt8((serial.readUInt8(0) & 0x7f) | 0x40, 0);
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: bufferOf(serial),
    signature,
    issuer: by.name,
    validity: new Validity({ notBefore: wholeSeconds(notBefore), notAfter: wholeSeconds(notAfter) }),
    subject,
    subjectPublicKeyInfo: AsnConvert.parse(spki(publicKey), SubjectPublicKeyInfo),
    extensions: new Extensions([
      ...extensions,
      extension(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(keyId(publicKey))),
      extension(
        id_ce_authorityKeyIdentifier,
        false,
        new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(keyId(by.publicKey)) }),
      ),
    ]),
  });
  const signatureValue = bufferOf(sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), by.privateKey));
  const der = AsnConvert.serialize(new Certificate({ tbsCertificate, signatureAlgorithm: signature, signatureValue }));
  return new X509Certificate(Buffer.from(der)).toString();
}

/** An ArrayBuffer of these bytes alone: Node's buffers may share one. */
export const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

/** An authority: it signs with a key that only its keeper ({@link CertificateAuthority.pair}) may see. */
export class CertificateAuthority {
  readonly certPem: string;
  private readonly signer: Signer;
  private readonly notAfter: number;

  /** A new one, or that of a pair that was kept. Throws an Error if certificate and key do not belong together. */
  constructor(options: { readonly commonName: string; readonly days: number } | Pair) {
    if ('keyPem' in options) {
      const cert = new X509Certificate(options.certPem);
      const privateKey = createPrivateKey(options.keyPem);
      if (!cert.ca || !cert.checkPrivateKey(privateKey))
        throw new Error('the certificate is not that of an authority with this key');
      const { subject } = AsnConvert.parse(cert.raw, Certificate).tbsCertificate;
      this.signer = { name: subject, publicKey: createPublicKey(privateKey), privateKey };
      this.certPem = cert.toString();
    } else {
      const keys = newKeys();
      this.signer = { name: distinguishedName(options.commonName), ...keys };
      const extensions = [
        extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: true })),
        extension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyCertSign)),
      ];
      this.certPem = certificate(this.signer.name, keys.publicKey, lifeOf(options.days), extensions, this.signer);
    }
    this.notAfter = Date.parse(new X509Certificate(this.certPem).validTo);
  }

  /** Returns the certificate and the key that make the same authority again. */
  get pair(): Pair {
    return { certPem: this.certPem, keyPem: pkcs8(this.signer.privateKey) };
  }

  /**
   * Returns the certificate that a request asks for, with its subject and names. Throws an Error for a request that
   * {@link readRequest} refuses, for an unknown usage, and if the authority itself has expired. upstream:
   * pkg/controller/certificates/authority (*CertificateAuthority).Sign
   */
  signRequest(pem: string, { usages, ...life }: Life & { readonly usages: readonly string[] }): string {
    const { subject, publicKey, names } = parseRequest(pem);
    if (life.notBefore >= this.notAfter)
      throw new Error(`the signer has expired: NotAfter=${new Date(this.notAfter).toISOString()}`);
    const notAfter = Math.min(life.notAfter, this.notAfter);
    const extensions = [extension(id_ce_basicConstraints, true, new BasicConstraints()), ...usageExtensions(usages)];
    if (names.length > 0) extensions.push(extension(id_ce_subjectAltName, false, new SubjectAlternativeName(names)));
    return certificate(subject, publicKey, { ...life, notAfter }, extensions, this.signer);
  }

  /** A new key and its certificate. */
  issue({ commonName, organizations, hosts = [], days, usage }: LeafOptions): Pair {
    const { publicKey, privateKey } = newKeys();
    const extensions = [
      extension(id_ce_basicConstraints, true, new BasicConstraints()),
      extension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.digitalSignature)),
      extension(
        id_ce_extKeyUsage,
        false,
        new ExtendedKeyUsage([usage === 'server' ? id_kp_serverAuth : id_kp_clientAuth]),
      ),
      ...(hosts.length > 0
        ? [extension(id_ce_subjectAltName, false, new SubjectAlternativeName(hosts.map(generalName)))]
        : []),
    ];
    const subject = distinguishedName(commonName, organizations);
    return {
      certPem: certificate(subject, publicKey, lifeOf(days), extensions, this.signer),
      keyPem: pkcs8(privateKey),
    };
  }
}

/**
 * Returns a serving certificate that only an authority made for it vouches for, whose certificate follows in `certPem`
 * and is `caPem`. upstream: client-go/util/cert GenerateSelfSignedCertKey
 */
export function selfSigned(options: {
  readonly commonName: string;
  /** DNS names and IP addresses, in addition to the common name. */
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
