/**
 * Keys, requests and certificates for the kubelet's core: structures from @peculiar/asn1-csr and @peculiar/asn1-x509,
 * keys and signatures from Node. New keys are EC P-256.
 */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { Attributes, CertificationRequest, CertificationRequestInfo } from '@peculiar/asn1-csr';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  Attribute,
  Certificate,
  Extensions,
  id_ce_subjectAltName,
  SubjectAlternativeName,
  SubjectPublicKeyInfo,
} from '@peculiar/asn1-x509';
import type { CertificateCrypto, CertificateFacts, KeyPair } from '@syncloop/core/kubelet/certificate';
import { bufferOf, distinguishedName, generalName } from './certificate.js';
import { extension, parseRequest, readRequest, whoIs } from './request.js';

/** Object identifiers that the libraries do not name. */
const oid = {
  extensionRequest: '1.2.840.113549.1.9.14',
  ecdsaWithSHA256: '1.2.840.10045.4.3.2',
  rsaWithSHA256: '1.2.840.113549.1.1.11',
} as const;

const certificateBlock = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;
const keyBlock = /-----BEGIN ((?:[A-Z]+ )*)PRIVATE KEY-----[\s\S]*?-----END \1PRIVATE KEY-----/;

function privateKey(pem: string) {
  const block = keyBlock.exec(pem)?.[0];
  if (block === undefined) throw new Error('tls: failed to find any PEM data in key input');
  return createPrivateKey(block);
}

function factsOf(pem: string): CertificateFacts & { readonly pem: string } {
  // Node reads it first: a text that OpenSSL refuses is not a certificate.
  const { raw } = new X509Certificate(pem);
  const { tbsCertificate } = AsnConvert.parse(raw, Certificate);
  const { subject, validity, extensions } = tbsCertificate;
  const san = extensions?.find((e) => e.extnID === id_ce_subjectAltName);
  const names = san ? [...AsnConvert.parse(san.extnValue.buffer, SubjectAlternativeName)] : [];
  return {
    pem: new X509Certificate(raw).toString(),
    ...whoIs(subject),
    dnsNames: names.flatMap((n) => n.dNSName ?? []),
    ipAddresses: names.flatMap((n) => (n.iPAddress === undefined ? [] : (canonicalIP(n.iPAddress) ?? []))),
    notBeforeMillis: validity.notBefore.getTime().getTime(),
    notAfterMillis: validity.notAfter.getTime().getTime(),
  };
}

/** IPv6 as URLs have it, without a zone. */
function canonicalIP(text: string): string | null {
  if (isIPv4(text)) return text;
  return isIPv6(text) ? new URL(`http://[${text.split('%', 1)[0]}]`).hostname.slice(1, -1) : null;
}

function parseCertificates(pem: string) {
  const blocks = pem.match(certificateBlock) ?? [];
  if (blocks.length === 0) throw new Error('data does not contain any valid RSA or ECDSA certificates');
  return blocks.map(factsOf);
}

/** The cryptography that the kubelet's core is given on a real machine. */
export const nodeCrypto: CertificateCrypto = {
  generateKey: () =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' }) as string,

  publicKey: (keyPem) => createPublicKey(privateKey(keyPem)).export({ type: 'spki', format: 'der' }),

  isRSA: (keyPem) => privateKey(keyPem).asymmetricKeyType === 'rsa',

  createRequest(keyPem, { commonName, organizations, dnsNames = [], ipAddresses = [] }) {
    const key = privateKey(keyPem);
    const hosts = [...dnsNames, ...ipAddresses];
    const requested = new Extensions([
      extension(id_ce_subjectAltName, false, new SubjectAlternativeName(hosts.map(generalName))),
    ]);
    const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
    const info = new CertificationRequestInfo({
      subject: distinguishedName(commonName, organizations),
      subjectPKInfo: AsnConvert.parse(spki, SubjectPublicKeyInfo),
      attributes: new Attributes(
        hosts.length === 0
          ? []
          : [new Attribute({ type: oid.extensionRequest, values: [AsnConvert.serialize(requested)] })],
      ),
    });
    const rsa = key.asymmetricKeyType === 'rsa';
    const der = AsnConvert.serialize(
      new CertificationRequest({
        certificationRequestInfo: info,
        signatureAlgorithm: new AlgorithmIdentifier({
          algorithm: rsa ? oid.rsaWithSHA256 : oid.ecdsaWithSHA256,
          ...(rsa && { parameters: null }),
        }),
        signature: bufferOf(sign('sha256', Buffer.from(AsnConvert.serialize(info)), key)),
      }),
    );
    const lines = Buffer.from(der)
      .toString('base64')
      .replace(/.{64}(?=.)/g, '$&\n');
    return `-----BEGIN CERTIFICATE REQUEST-----\n${lines}\n-----END CERTIFICATE REQUEST-----\n`;
  },

  parseRequest(csrPem, keyPem) {
    const { commonName, organizations } = readRequest(csrPem);
    const key = createPublicKey(privateKey(keyPem));
    return { subject: JSON.stringify([commonName, organizations]), signed: parseRequest(csrPem).publicKey.equals(key) };
  },

  parseCertificates,

  keyPair(certPem, keyPem): KeyPair {
    const certificates = parseCertificates(certPem);
    const key = privateKey(keyPem);
    const { pem, ...leaf } = certificates[0] as (typeof certificates)[number];
    if (!new X509Certificate(pem).checkPrivateKey(key)) throw new Error('tls: private key does not match public key');
    return {
      certPem: certificates.map((c) => c.pem).join(''),
      keyPem: keyBlock.exec(keyPem)?.[0] ?? keyPem,
      leaf,
    };
  },

  canonicalIP,

  sha512_256: (data) => createHash('sha512-256').update(data).digest(),
};
