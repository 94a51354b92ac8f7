/**
 * The way to an API server for a node that asks for its own client certificate.
 * upstream: cmd/kubelet/app/server.go buildKubeletClientConfig
 */
import { background, call } from '@syncloop/core/kernel';
import {
  type CertificateManager,
  followRotation,
  loadClientCert,
  loadClientConfig,
  newCertificatesClient,
  newKubeletClientCertificateManager,
} from '@syncloop/core/kubelet/certificate';
import { connectAccess, connectCluster, userAgent } from '../api-client/cluster.js';
import { HTTPSTransport } from '../api-client/https-transport.js';
import { loadKubeconfig } from '../api-client/kubeconfig.js';
import { SetupError } from '../base/errors.js';
import { nodeOS } from '../host/os.js';
import type { RunningNode } from '../node/kubelet-runner.js';
import { nodeCrypto } from '../tls/crypto.js';
import { clientCredentials, kubeconfigFiles } from './kubeconfig-files.js';

export interface JoinOptions {
  readonly nodeName: string;
  readonly kubeconfig: string;
  /** '' for none. */
  readonly bootstrapKubeconfig: string;
  readonly certDirectory: string;
  /** The certificate is renewed before it expires. */
  readonly rotateCertificates: boolean;
  readonly warn: (text: string) => void;
  /** Aborts the wait for the first certificate. */
  readonly signal?: AbortSignal;
}

/** A node's way to its cluster. */
export interface Joined {
  readonly transport: HTTPSTransport;
  /** Null if the certificate is not renewed. */
  readonly figures: { ttlSeconds(): number; renewFailures(): number } | null;
  /** Settles when the node has no certificate left with which it could get another one. */
  readonly ended: Promise<Error>;
  close(): void;
}

/**
 * Joins a cluster. With a bootstrap token and without rotation it resolves when the node has its certificate; with
 * rotation at once: the certificate comes while the kubelet runs. Rejects with a SetupError for files that cannot be
 * used, and if there will be no certificate.
 */
export async function joinCluster(node: Pick<RunningNode, 'kernel' | 'run'>, o: JoinOptions): Promise<Joined> {
  const { kernel } = node;
  const { nodeName, kubeconfig, bootstrapKubeconfig, certDirectory, warn } = o;
  const os = nodeOS({ folders: [certDirectory] });
  const shared = { kernel, os, crypto: nodeCrypto, nodeName, certDirectory };
  const bootstrap = { ...shared, kubeconfig, bootstrapKubeconfig, files: kubeconfigFiles(nodeCrypto) };
  const never = new Promise<Error>(() => {});
  if (!o.rotateCertificates) {
    let requests: HTTPSTransport | null = null;
    const connect = () =>
      call('connect', async () => {
        requests = await connectAccess(await loadKubeconfig(bootstrapKubeconfig), nodeName, warn, true);
        return requests;
      });
    try {
      const work = node.run('bootstrap', () => loadClientCert(bootstrap, connect, background));
      await abortable(work, o.signal);
    } catch (err) {
      throw asSetupError(err);
    } finally {
      (requests as HTTPSTransport | null)?.close();
    }
    const transport = await connectCluster(kubeconfig, nodeName, warn);
    return { transport, figures: null, ended: never, close: () => transport.close() };
  }
  const source = await node
    .run('bootstrap', () => loadClientConfig(bootstrap))
    .catch((err) => {
      throw asSetupError(err);
    });
  const given = await clientCredentials(kubeconfig);
  let manager: CertificateManager | null = null;
  const access = await loadKubeconfig(kubeconfig, { clientPair: () => manager?.current() ?? null });
  const transport = new HTTPSTransport(access, { userAgent });
  // The first certificate is requested with a bootstrap token, or with the kubeconfig's credentials.
  let first: HTTPSTransport;
  try {
    const bootstraps = source !== 'kubeconfig';
    const credentials = await loadKubeconfig(bootstraps ? bootstrapKubeconfig : kubeconfig);
    first = await connectAccess(credentials, nodeName, warn, bootstraps);
  } catch (err) {
    access.close();
    throw err;
  }
  let failures = 0;
  const clients = [transport, first].map((way) => newCertificatesClient(kernel, way));
  const made = newKubeletClientCertificateManager({
    ...shared,
    certFile: given.certFile,
    keyFile: given.keyFile,
    bootstrap: given.inline ? await given.read() : null,
    client: (current) => clients[current ? 0 : 1] as (typeof clients)[number],
    onRenewFailure: () => failures++,
  });
  let exit: (err: Error) => void = () => {};
  const ended = new Promise<Error>((resolve) => {
    exit = resolve;
  });
  try {
    await node.run('client certificate', function* () {
      yield* made.load();
      manager = made;
      made.start();
      const closeConnections = () => transport.closeConnections();
      const options = { kernel, certificates: made, closeConnections, exit: (why: string) => exit(new Error(why)) };
      kernel.go('client certificate rotation', () => followRotation(background, options), { daemon: true });
    });
  } catch (err) {
    access.close();
    first.close();
    throw asSetupError(err);
  }
  return {
    transport,
    figures: { ttlSeconds: () => made.ttlSeconds(), renewFailures: () => failures },
    ended,
    close() {
      transport.close();
      first.close();
    },
  };
}

const asSetupError = (err: unknown): Error =>
  err instanceof SetupError || (err as Error).name === 'AbortError'
    ? (err as Error)
    : new SetupError(`failed to run Kubelet: ${(err as Error).message}`);

/** Ends the wait, but not the work: the process is about to end. */
function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
