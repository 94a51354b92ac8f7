import { generateKeyPairSync, sign } from 'node:crypto';
import { Attributes, CertificationRequest, CertificationRequestInfo } from '@peculiar/asn1-csr';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  Attribute,
  Extensions,
  type GeneralName,
  id_ce_subjectAltName,
  SubjectAlternativeName,
  SubjectPublicKeyInfo,
} from '@peculiar/asn1-x509';
import { bufferOf, distinguishedName, extension, generalName } from '../certificate.js';

/** A key and a request for a certificate of it, both PEM. `spoil` changes the bytes that are signed afterwards. */
export function newRequest({
  commonName,
  organizations = [],
  hosts = [],
  names = hosts.map(generalName),
  rsa,
  spoil = false,
}: {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly hosts?: readonly string[];
  readonly names?: GeneralName[];
  /** Bits of an RSA key; P-256 without it. */
  readonly rsa?: number;
  readonly spoil?: boolean;
}): { readonly requestPem: string; readonly keyPem: string } {
  const { publicKey, privateKey } = rsa
    ? generateKeyPairSync('rsa', { modulusLength: rsa })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const wanted = new Extensions([extension(id_ce_subjectAltName, false, new SubjectAlternativeName(names))]);
  const attribute = new Attribute({ type: '1.2.840.113549.1.9.14', values: [AsnConvert.serialize(wanted)] });
  const info = new CertificationRequestInfo({
    subject: distinguishedName(commonName, organizations),
    subjectPKInfo: AsnConvert.parse(publicKey.export({ type: 'spki', format: 'der' }), SubjectPublicKeyInfo),
    attributes: new Attributes(names.length > 0 ? [attribute] : []),
  });
  const signature = sign('sha256', Buffer.from(AsnConvert.serialize(info)), privateKey);
  if (spoil) info.subject = distinguishedName(`${commonName}!`, organizations);
  const algorithm = rsa ? '1.2.840.113549.1.1.11' : '1.2.840.10045.4.3.2';
  const request = new CertificationRequest({
    certificationRequestInfo: info,
    signatureAlgorithm: new AlgorithmIdentifier({ algorithm, ...(rsa && { parameters: null }) }),
    signature: bufferOf(signature),
  });
  const text = Buffer.from(AsnConvert.serialize(request)).toString('base64');
  return {
    requestPem: `-----BEGIN CERTIFICATE REQUEST-----\n${text}\n-----END CERTIFICATE REQUEST-----\n`,
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}
