/** Client certificates as authentication: common name and organizations are user and groups. */
import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { UserInfo } from '@syncloop/core/apiserver';
import { subjectOf } from '../tls/request.js';

interface Certified {
  readonly user: UserInfo;
  /** Milliseconds since 1970. */
  readonly notAfter: number;
}
/** A certificate is read once for each connection; null: it names nobody. */
const known = new WeakMap<TLSSocket, Certified | null>();

/**
 * Returns the user of a connection whose certificate the server's authority vouches for; null for any other, and once
 * it has expired. upstream: apiserver pkg/authentication/request/x509 (*Authenticator).AuthenticateRequest,
 * CommonNameUserConversion
 */
export function userOfCertificate(socket: TLSSocket): UserInfo | null {
  if (!socket.authorized) return null;
  let found = known.get(socket);
  if (found === undefined) {
    found = read(socket.getPeerX509Certificate?.());
    known.set(socket, found);
  }
  return found && Date.now() < found.notAfter ? found.user : null;
}

function read(certificate: X509Certificate | undefined): Certified | null {
  if (!certificate) return null;
  const { commonName, organizations } = subjectOf(certificate.raw);
  if (commonName === '') return null;
  const fingerprint = certificate.fingerprint256.replaceAll(':', '').toLowerCase();
  const groups = [...new Set([...organizations, 'system:authenticated'])];
  return {
    user: {
      name: commonName,
      groups,
      extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] },
    },
    notAfter: Date.parse(certificate.validTo),
  };
}
