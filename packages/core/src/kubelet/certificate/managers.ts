/** The kubelet's two certificates. upstream: pkg/kubelet/certificate/kubelet.go */

import type { RestTransport } from '../../api/client/transport.js';
import type { OSInterface } from '../../host/os.js';
import type { Kernel } from '../../kernel/index.js';
import type { CertificatesClient } from '../client/kube-client.js';
import { RestClient } from '../client/rest-client.js';
import { RestKubeClient } from '../client/rest-kube-client.js';
import type { KubeletMetrics } from '../metrics/kubelet-metrics.js';
import { CertificateManager } from './certificate-manager.js';
import { FileStore } from './certificate-store.js';
import type { CertificateCrypto, CertificateTemplate, KeyPair } from './host.js';

/** upstream: k8s.io/api/certificates/v1 KubeAPIServerClientKubeletSignerName, KubeletServingSignerName */
export const clientSigner = 'kubernetes.io/kube-apiserver-client-kubelet';
export const servingSigner = 'kubernetes.io/kubelet-serving';

/** An address of the node's status. */
export interface NodeAddress {
  readonly type: string;
  readonly address: string;
}

/** The parts that both managers are made of. */
interface ManagerDeps {
  readonly kernel: Kernel;
  readonly os: OSInterface;
  readonly crypto: CertificateCrypto;
  readonly nodeName: string;
  readonly certDirectory: string;
  /** A pair that is there already, for the time until there is another one; '' for none. */
  readonly certFile: string;
  readonly keyFile: string;
}

/** The parts that look after the certificate of the kubelet's own server. */
export interface ServingDeps {
  readonly crypto: CertificateCrypto;
  /** The folder of the certificates that the API server signed. */
  readonly certDirectory: string;
  /** A pair of files; '' for none. */
  readonly certFile: string;
  readonly keyFile: string;
  /** The API server signs it. upstream: KubeletConfiguration serverTLSBootstrap */
  readonly serverTLSBootstrap: boolean;
}

const subject = (nodeName: string) => ({ commonName: `system:node:${nodeName}`, organizations: ['system:nodes'] });

const storeOf = ({ kernel, os, crypto, certDirectory, certFile, keyFile }: ManagerDeps, pairNamePrefix: string) =>
  new FileStore({ kernel, os, crypto, pairNamePrefix, certDirectory, certFile, keyFile });

/** A client that only asks for certificates. */
export const newCertificatesClient = (kernel: Kernel, transport: RestTransport): CertificatesClient =>
  new RestKubeClient(new RestClient({ kernel, transport }));

/**
 * The manager of the certificate with which the kubelet speaks to the API server; not started.
 * upstream: NewKubeletClientCertificateManager
 */
export function newKubeletClientCertificateManager(
  deps: ManagerDeps & {
    readonly client: (current: KeyPair | null) => CertificatesClient;
    /** A pair with more rights, which is renewed at once. */
    readonly bootstrap: { readonly certPem: string; readonly keyPem: string } | null;
    readonly onRenewFailure: () => void;
  },
): CertificateManager {
  const { kernel, crypto, client, bootstrap, onRenewFailure, nodeName } = deps;
  return new CertificateManager({
    kernel,
    crypto,
    client,
    bootstrap,
    onRenewFailure,
    store: storeOf(deps, 'kubelet-client'),
    template: () => subject(nodeName),
    dynamicTemplate: false,
    signerName: clientSigner,
    usage: 'client auth',
  });
}

/**
 * The manager of the certificate that the kubelet's own server shows; not started. Without a client the certificate
 * that is kept is used as long as it is valid.
 * upstream: NewKubeletServerCertificateManager
 */
export function newKubeletServerCertificateManager(
  deps: ManagerDeps & {
    readonly client: CertificatesClient | null;
    /** The addresses of the node in the last status that was written. */
    readonly addresses: () => readonly NodeAddress[];
    /** Gate AllowDNSOnlyNodeCSR. */
    readonly allowDNSOnly: boolean;
    readonly metrics: KubeletMetrics;
  },
): CertificateManager {
  const { kernel, crypto, client, nodeName, addresses, allowDNSOnly } = deps;
  const manager = new CertificateManager({
    kernel,
    crypto,
    client: client && (() => client),
    store: storeOf(deps, 'kubelet-server'),
    template: () => servingTemplate(nodeName, addressesToHostnamesAndIPs(addresses(), crypto), allowDNSOnly),
    dynamicTemplate: true,
    signerName: servingSigner,
    usage: 'server auth',
    onRotated: (seconds) => rotated.observe(seconds),
    onRenewFailure: () => failures.add(1),
  });
  const { rotated, failures } = deps.metrics.servingCertificate(() => manager.ttlSeconds());
  return manager;
}

/**
 * Makes the template of the server's certificate; null while the node has no address of the kind that is needed.
 * upstream: newGetTemplateFn
 */
function servingTemplate(
  nodeName: string,
  { dnsNames, ipAddresses }: { readonly dnsNames: readonly string[]; readonly ipAddresses: readonly string[] },
  allowDNSOnly: boolean,
): CertificateTemplate | null {
  const enough = ipAddresses.length > 0 || (allowDNSOnly && dnsNames.length > 0);
  return enough ? { ...subject(nodeName), dnsNames, ipAddresses } : null;
}

/** Returns hostnames and IPs, sorted, each once. upstream: addressesToHostnamesAndIPs */
export function addressesToHostnamesAndIPs(
  addresses: readonly NodeAddress[],
  crypto: Pick<CertificateCrypto, 'canonicalIP'>,
): { readonly dnsNames: readonly string[]; readonly ipAddresses: readonly string[] } {
  const names = new Set<string>();
  const ips = new Set<string>();
  for (const { type, address } of addresses) {
    if (address === '') continue;
    const ip = /^(Hostname|ExternalIP|InternalIP)$/.test(type) ? crypto.canonicalIP(address) : null;
    if (ip !== null) ips.add(ip);
    else if (/^(Hostname|ExternalDNS|InternalDNS)$/.test(type)) names.add(address);
  }
  return { dnsNames: [...names].sort(), ipAddresses: [...ips].sort() };
}
