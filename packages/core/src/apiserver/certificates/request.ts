import { base64Decode } from '../../base/index.js';
import type { ApiObject } from '../types.js';
import type { CertificateHost, RequestedCertificate } from './host.js';

/** Certificate signing requests, and what the signers of every cluster take. upstream: pkg/apis/certificates */

export const csrStorage = 'certificatesigningrequests.certificates.k8s.io';
export const kubeletClientSigner = 'kubernetes.io/kube-apiserver-client-kubelet';
export const kubeletServingSigner = 'kubernetes.io/kubelet-serving';
export const clientSigner = 'kubernetes.io/kube-apiserver-client';

export interface CSRCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastUpdateTime?: string | null;
  lastTransitionTime?: string | null;
}
export interface CSR extends ApiObject {
  spec: {
    request: string;
    signerName: string;
    expirationSeconds?: number;
    usages?: string[];
    username?: string;
    uid?: string;
    groups?: string[];
    extra?: Record<string, string[]>;
  };
  status: { conditions?: CSRCondition[]; certificate?: string };
}
export const asCSR = (o: ApiObject): CSR => o as unknown as CSR;
export const hasCondition = (csr: CSR, type: string): boolean =>
  csr.status?.conditions?.some((c) => c.type === type) ?? false;

/** Most characters of a request: one with an RSA key of 16384 bits has some 4000. */
const maxRequest = 64 * 1024;

/**
 * Reads a certificate request; null if no host can. Throws an Error in upstream's words.
 * upstream: ParseCSR, CheckSignature
 */
export function readRequest(csr: CSR, host: CertificateHost | undefined): RequestedCertificate | null {
  if ((csr.spec.request?.length ?? 0) > maxRequest)
    throw new Error(`the request is longer than ${maxRequest} characters`);
  const pem = base64Decode(csr.spec.request);
  if (/-----BEGIN ([A-Z0-9 ]*)-----/.exec(pem)?.[1] !== 'CERTIFICATE REQUEST')
    throw new Error('PEM block type must be CERTIFICATE REQUEST');
  return host?.readRequest(pem) ?? null;
}

const isSet = (usages: readonly string[], wanted: readonly string[]) =>
  new Set(usages).size === wanted.length && wanted.every((u) => usages.includes(u));
/** The usages, where a key of a kind that cannot encipher leaves `key encipherment` out. */
function checkUsages(usages: readonly string[], purpose: 'client auth' | 'server auth'): string | null {
  const wanted = ['digital signature', 'key encipherment', purpose].sort();
  const withoutRSA = wanted.filter((u) => u !== 'key encipherment');
  return isSet(usages, wanted) || isSet(usages, withoutRSA) ? null : `usages did not match [${wanted.join(' ')}]`;
}
const isNodes = (r: RequestedCertificate) => r.organizations.length === 1 && r.organizations[0] === 'system:nodes';
const nodesOnly = 'subject organization is not system:nodes';
const nodeNamed = 'subject common name does not begin with system:node:';

/**
 * Says what is wrong with a request for a kubelet's client certificate; null if nothing is.
 * upstream: ValidateKubeletClientCSR
 */
export function kubeletClientProblem(r: RequestedCertificate, usages: readonly string[]): string | null {
  if (!isNodes(r)) return nodesOnly;
  if (r.dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (r.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (r.ipAddresses.length > 0) return 'IP subjectAltNames are not allowed';
  if (r.uris.length > 0) return 'URI subjectAltNames are not allowed';
  if (!r.commonName.startsWith('system:node:')) return nodeNamed;
  return checkUsages(usages, 'client auth');
}
/** The same for its serving certificate. upstream: ValidateKubeletServingCSR */
export function kubeletServingProblem(r: RequestedCertificate, usages: readonly string[]): string | null {
  if (!isNodes(r)) return nodesOnly;
  if (r.dnsNames.length === 0 && r.ipAddresses.length === 0) return 'DNS or IP subjectAltName is required';
  if (r.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (r.uris.length > 0) return 'URI subjectAltNames are not allowed';
  return checkUsages(usages, 'server auth') ?? (r.commonName.startsWith('system:node:') ? null : nodeNamed);
}
/** The same for any other client. upstream: pkg/controller/certificates/signer validAPIServerClientUsages */
export function clientProblem(_: RequestedCertificate, usages: readonly string[]): string | null {
  for (const u of usages)
    if (!['digital signature', 'key encipherment', 'client auth'].includes(u))
      return `invalid usage for client certificate: ${u}`;
  return usages.includes('client auth') ? null : 'missing required usage for client certificate: client auth';
}
