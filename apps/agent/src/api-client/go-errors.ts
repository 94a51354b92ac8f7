/** Errors below HTTP in the words of Go's net, crypto/tls and net/http, as a kubelet would log them. */
import { isIP, isIPv6 } from 'node:net';

/** The server that a request went to, for messages. */
export interface Peer {
  /** A name or an address; an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  /** The two ends, once connected. */
  readonly ends?: string;
}

export const joinHostPort = (host: string, port: number): string => `${isIPv6(host) ? `[${host}]` : host}:${port}`;

const dialReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'no route to host',
  EHOSTDOWN: 'host is down',
  ENETUNREACH: 'network is unreachable',
  ETIMEDOUT: 'connection timed out',
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'cannot assign requested address',
  EMFILE: 'too many open files',
};

const unknownAuthority = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
]);

interface NodeError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  readonly address?: string;
  readonly port?: number;
  /** Set if the certificate is for another host. */
  readonly cert?: { readonly subjectaltname?: string; readonly valid_from?: string; readonly valid_to?: string };
  readonly errors?: readonly Error[];
}

/** The text of a transport's error, without method and URL. */
export function goErrorText(error: Error, peer: Peer): string {
  const err = error as NodeError;
  // With Happy Eyeballs several addresses were tried; the last error is as good as any.
  if (err.errors?.length && !err.syscall) return goErrorText(err.errors.at(-1) as Error, peer);
  const { code = '' } = err;
  if (err.syscall === 'getaddrinfo' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    const why = code === 'EAI_AGAIN' ? 'Temporary failure in name resolution' : 'no such host';
    return `dial tcp: lookup ${peer.host}: ${why}`;
  }
  if (err.syscall === 'connect')
    return `dial tcp ${joinHostPort(err.address ?? peer.host, err.port ?? peer.port)}: connect: ${dialReasons[code] ?? code}`;
  if (unknownAuthority.has(code)) return x509('certificate signed by unknown authority');
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return x509('certificate has expired or is not yet valid');
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return x509(wrongName(err, peer.host));
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || /wrong version number|packet length too long/i.test(err.message))
    return 'http: server gave HTTP response to HTTPS client';
  const alert = /(?:tlsv\d+|sslv3) alert ([a-z ]+)/i.exec(err.message)?.[1];
  if (alert !== undefined) return `remote error: tls: ${alert.trim()}`;
  const ends = peer.ends ? ` ${peer.ends}` : '';
  if (code === 'EPIPE') return `write tcp${ends}: write: broken pipe`;
  // Node reports this, too, when the server closed the connection without an answer.
  if (code === 'ECONNRESET' && err.syscall === undefined) return 'EOF';
  if (code === 'ECONNRESET') return `read tcp${ends}: read: connection reset by peer`;
  if (code === 'ETIMEDOUT') return `read tcp${ends}: read: connection timed out`;
  if (code.startsWith('HPE_')) return `net/http: HTTP/1.x transport connection broken: malformed HTTP response`;
  return err.message;
}

/** upstream: crypto/tls CertificateVerificationError */
const x509 = (why: string) => `tls: failed to verify certificate: x509: ${why}`;

/** upstream: crypto/x509 HostnameError */
function wrongName(err: NodeError, host: string): string {
  const names = [...(err.cert?.subjectaltname ?? '').matchAll(/(DNS|IP Address):([^,]+)/g)];
  const list = (kind: string) => names.filter(([, k]) => k === kind).map(([, , name]) => name?.trim());
  if (isIP(host)) {
    const addresses = list('IP Address');
    return addresses.length > 0
      ? `certificate is valid for ${addresses.join(', ')}, not ${host}`
      : `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  }
  const all = list('DNS');
  return all.length > 0
    ? `certificate is valid for ${all.join(', ')}, not ${host}`
    : `certificate is not valid for any names, but wanted to match ${host}`;
}

/** upstream: net/url Error: `Get "https://...": why` */
export function urlError(method: string, url: string, why: string): string {
  return `${method.charAt(0)}${method.slice(1).toLowerCase()} ${JSON.stringify(url)}: ${why}`;
}
