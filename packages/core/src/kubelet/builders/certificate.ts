import { background, type Go } from '../../kernel/index.js';
import type { CertificateSource } from '../certificate/certificate-manager.js';
import { DynamicFilePair } from '../certificate/dynamic-file.js';
import { newKubeletServerCertificateManager, type ServingDeps } from '../certificate/managers.js';
import type { CertificatesClient } from '../client/kube-client.js';
import { featureEnabled } from '../features.js';
import type { NodeStatusManager } from '../kubelet-node-status.js';
import type { KubeletMetrics } from '../metrics/kubelet-metrics.js';
import type { Foundation } from './types.js';

/** The certificate of the kubelet's own server, which is looked after once it is started. */
export interface ServerCertificateManager extends CertificateSource {
  /** Throws if what is kept cannot be used. */
  start(): Go<void>;
}

/**
 * Builds the manager of the server's certificate; null if that is the host's business. With gate
 * ReloadKubeletServerCertificateFile off, files are read once.
 * upstream: within NewMainKubelet
 */
export function newServerCertificateManager(
  { kernel, os, config }: Foundation,
  kl: {
    readonly serving: ServingDeps | undefined;
    readonly kubeClient: CertificatesClient | null;
    readonly nodeStatus: () => Pick<NodeStatusManager, 'lastObservedAddresses'>;
    readonly metrics: KubeletMetrics;
  },
): ServerCertificateManager | null {
  const { serving } = kl;
  if (!serving) return null;
  if (serving.serverTLSBootstrap && featureEnabled(config, 'RotateKubeletServerCertificate')) {
    const manager = newKubeletServerCertificateManager({
      ...serving,
      kernel,
      os,
      nodeName: config.nodeName,
      client: kl.kubeClient,
      metrics: kl.metrics,
      addresses: () => kl.nodeStatus().lastObservedAddresses(),
      allowDNSOnly: featureEnabled(config, 'AllowDNSOnlyNodeCSR'),
    });
    return {
      current: () => manager.current(),
      serverHealthy: () => manager.serverHealthy(),
      *start() {
        yield* manager.load();
        manager.start();
      },
    };
  }
  if (serving.certFile === '' || serving.keyFile === '') return null;
  const files = new DynamicFilePair({ ...serving, kernel, os });
  return {
    current: () => files.current(),
    serverHealthy: () => true,
    *start() {
      yield* files.load();
      if (featureEnabled(config, 'ReloadKubeletServerCertificateFile')) files.start(background);
    },
  };
}
