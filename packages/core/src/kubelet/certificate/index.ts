/** The kubelet's certificates, for a host that connects it to an API server. */
export { type BootstrapOptions, type KubeconfigFiles, loadClientCert, loadClientConfig } from './bootstrap.js';
export type { CertificateManager, CertificateSource } from './certificate-manager.js';
export { followFiles } from './dynamic-file.js';
export type { CertificateCrypto, CertificateFacts, CertificateTemplate, KeyPair } from './host.js';
export {
  clientSigner,
  newCertificatesClient,
  newKubeletClientCertificateManager,
  type ServingDeps,
  servingSigner,
} from './managers.js';
export { followRotation } from './rotation.js';
