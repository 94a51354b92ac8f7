/** Certificate signing requests (PKCS #10): their structures come from @peculiar/asn1-csr, signatures from Node. */
import { createPublicKey, type KeyObject, verify, X509Certificate } from 'node:crypto';
import { CertificationRequest } from '@peculiar/asn1-csr';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  type GeneralName,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_kp_clientAuth,
  id_kp_codeSigning,
  id_kp_emailProtection,
  id_kp_OCSPSigning,
  id_kp_serverAuth,
  id_kp_timeStamping,
  KeyUsage,
  KeyUsageFlags,
  type Name,
  SubjectAlternativeName,
} from '@peculiar/asn1-x509';

/** The names and uses that a request asks for. upstream: crypto/x509.CertificateRequest */
export interface RequestedCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
}

const oid = { commonName: '2.5.4.3', organization: '2.5.4.10', extensionRequest: '1.2.840.113549.1.9.14' } as const;
/** Digests of the signatures that are taken; null: the key's own. */
const digests: Readonly<Record<string, string | null>> = {
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.3.101.112': null,
};
/** Bits of an RSA key at most: to check a signature takes time by their square. upstream: crypto/tls checkKeySize */
const maxRSA = 8192;

/** An extension; `value` is an object of the library's schema. */
export const extension = (extnID: string, critical: boolean, value: unknown) =>
  new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });

interface ParsedRequest {
  readonly subject: Name;
  readonly publicKey: KeyObject;
  readonly names: readonly GeneralName[];
}

const block = /-----BEGIN CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE REQUEST-----/;

/** Reads a request and checks its signature. Throws an Error that names its problem. */
export function parseRequest(pem: string): ParsedRequest & { names: GeneralName[] } {
  const text = block.exec(pem)?.[1];
  if (text === undefined) throw new Error('PEM block type must be CERTIFICATE REQUEST');
  const request = read('the request', () => AsnConvert.parse(Buffer.from(text, 'base64'), CertificationRequest));
  const { certificationRequestInfo: info, certificationRequestInfoRaw: signed } = request;
  const { algorithm } = request.signatureAlgorithm;
  const digest = Object.hasOwn(digests, algorithm) ? digests[algorithm] : undefined;
  if (digest === undefined) throw new Error(`x509: cannot verify signature: algorithm ${algorithm} is not supported`);
  const publicKey = read('the public key', () =>
    createPublicKey({ key: Buffer.from(AsnConvert.serialize(info.subjectPKInfo)), format: 'der', type: 'spki' }),
  );
  const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits > maxRSA) throw new Error(`x509: an RSA key of ${bits} bits is too large: at most ${maxRSA} are allowed`);
  const valid =
    signed !== undefined &&
    read('the signature', () => verify(digest, Buffer.from(signed), publicKey, Buffer.from(request.signature)));
  if (!valid) throw new Error('x509: the signature of the request is not that of its key');
  const wanted = [...(info.attributes ?? [])].find((a) => a.type === oid.extensionRequest)?.values[0];
  const extensions = wanted ? read('the extensions', () => AsnConvert.parse(wanted, Extensions)) : [];
  const san = [...extensions].find((e) => e.extnID === id_ce_subjectAltName);
  const names = san ? read('the names', () => AsnConvert.parse(san.extnValue.buffer, SubjectAlternativeName)) : [];
  return { subject: info.subject, publicKey, names: [...names] };
}
function read<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch (err) {
    throw new Error(`x509: cannot read ${what}: ${(err as Error).message.slice(0, 200)}`);
  }
}

/** upstream: crypto/x509/pkix (*Name).FillFromRDNSequence */
export function whoIs(name: Name): { readonly commonName: string; readonly organizations: readonly string[] } {
  const attributes = [...name].flatMap((rdn) => [...rdn]);
  const of = (type: string) => attributes.filter((a) => a.type === type).map((a) => a.value.toString());
  return { commonName: of(oid.commonName).at(-1) ?? '', organizations: of(oid.organization) };
}

/** Returns the subject of a certificate in DER. Throws an Error. */
export const subjectOf = (der: Uint8Array) => whoIs(AsnConvert.parse(der, Certificate).tbsCertificate.subject);

/** The same, as a signer looks at it. Throws an Error; a name of a kind that no certificate here has is one. */
export function readRequest(pem: string): RequestedCertificate {
  const { subject, names } = parseRequest(pem);
  const every = (pick: (name: GeneralName) => string | undefined) =>
    names.flatMap((n) => {
      const text = pick(n);
      return text === undefined ? [] : [text];
    });
  const found = {
    ...whoIs(subject),
    dnsNames: every((n) => n.dNSName),
    ipAddresses: every((n) => n.iPAddress),
    emailAddresses: every((n) => n.rfc822Name),
    uris: every((n) => n.uniformResourceIdentifier),
  };
  const known = found.dnsNames.length + found.ipAddresses.length + found.emailAddresses.length + found.uris.length;
  if (known < names.length)
    throw new Error('x509: the request has a subjectAltName that is not a DNS name, IP address, email address or URI');
  return found;
}

/** Throws an Error if a text has PEM blocks that are not certificates. */
export function checkCertificates(pem: string): void {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error('must contain at least one CERTIFICATE PEM block');
  if (blocks.length > 100) throw new Error('has more than 100 certificates');
  for (const one of blocks) read('a certificate', () => new X509Certificate(one));
}

const keyUsages: Readonly<Record<string, number>> = {
  signing: KeyUsageFlags.digitalSignature,
  'digital signature': KeyUsageFlags.digitalSignature,
  'content commitment': KeyUsageFlags.nonRepudiation,
  'key encipherment': KeyUsageFlags.keyEncipherment,
  'key agreement': KeyUsageFlags.keyAgreement,
  'data encipherment': KeyUsageFlags.dataEncipherment,
  'cert sign': KeyUsageFlags.keyCertSign,
  'crl sign': KeyUsageFlags.cRLSign,
  'encipher only': KeyUsageFlags.encipherOnly,
  'decipher only': KeyUsageFlags.decipherOnly,
};
const extendedUsages: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': id_kp_serverAuth,
  'client auth': id_kp_clientAuth,
  'code signing': id_kp_codeSigning,
  'email protection': id_kp_emailProtection,
  's/mime': id_kp_emailProtection,
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: id_kp_timeStamping,
  'ocsp signing': id_kp_OCSPSigning,
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};
/** Throws an Error for a usage that there is not. upstream: keyUsagesFromStrings */
export function usageExtensions(usages: readonly string[]): Extension[] {
  let flags = 0;
  const extended = new Set<string>();
  for (const usage of usages) {
    if (Object.hasOwn(keyUsages, usage)) flags |= keyUsages[usage] as number;
    else if (Object.hasOwn(extendedUsages, usage)) extended.add(extendedUsages[usage] as string);
    else throw new Error(`unrecognized usage values: [${JSON.stringify(usage)}]`);
  }
  return [
    ...(flags ? [extension(id_ce_keyUsage, true, new KeyUsage(flags))] : []),
    ...(extended.size > 0 ? [extension(id_ce_extKeyUsage, false, new ExtendedKeyUsage([...extended]))] : []),
  ];
}
