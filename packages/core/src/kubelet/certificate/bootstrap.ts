/**
 * The first client certificate of a node that has only a bootstrap token. upstream: pkg/kubelet/certificate/bootstrap
 */

import type { RestTransport } from '../../api/client/transport.js';
import { epochMillis } from '../../api/time.js';
import { base64urlEncode, messageOf, utf8Bytes } from '../../base/index.js';
import type { OSInterface } from '../../host/os.js';
import {
  type Context,
  type Go,
  Hour,
  type Kernel,
  Minute,
  recv,
  Second,
  select,
  Timer,
  withTimeout,
} from '../../kernel/index.js';
import { RestClient } from '../client/rest-client.js';
import { RestKubeClient } from '../client/rest-kube-client.js';
import { Logger } from '../klog.js';
import { jitter } from '../util/jitter.js';
import { usagesFor } from './certificate-manager.js';
import { FileStore } from './certificate-store.js';
import { requestCertificate, waitForCertificate } from './csr.js';
import type { CertificateCrypto } from './host.js';
import { clientSigner } from './managers.js';

/** upstream: tmpPrivateKeyFile */
const tmpPrivateKeyFile = 'kubelet-client.key.tmp';
const largestKeyFile = 64 * 1024;

/** Kubeconfig files, which the host reads and writes. */
export interface KubeconfigFiles {
  /**
   * Returns the client certificates of a kubeconfig in PEM, '' for none; null if there is no such file. Throws what
   * makes the file useless: no kubeconfig, a file that it names is missing, certificate and key do not belong together.
   */
  clientCertificates(path: string): Go<string | null>;
  /** Writes `path`: the cluster of the kubeconfig `from`, with the certificate and key of the file `pemPath`. */
  write(path: string, from: string, pemPath: string): Go<void>;
}

export interface BootstrapOptions {
  readonly kernel: Kernel;
  readonly os: OSInterface;
  readonly crypto: CertificateCrypto;
  readonly files: KubeconfigFiles;
  readonly nodeName: string;
  readonly kubeconfig: string;
  /** '' for none. */
  readonly bootstrapKubeconfig: string;
  readonly certDirectory: string;
}

const storeOf = ({ kernel, os, crypto, certDirectory }: BootstrapOptions) =>
  new FileStore({ kernel, os, crypto, certDirectory, pairNamePrefix: 'kubelet-client', certFile: '', keyFile: '' });

const loggerOf = (kernel: Kernel) => new Logger(kernel, 'bootstrap.go');

/**
 * Chooses the file with which the kubelet asks for certificates while it has none that is valid, when it renews its
 * client certificate itself. Writes the kubeconfig if there is none that can be used: it names the file of the
 * certificate that is still to come. Throws if the files cannot be read or written.
 * upstream: LoadClientConfig
 */
export function* loadClientConfig(o: BootstrapOptions): Go<'kubeconfig' | 'bootstrap-kubeconfig'> {
  const log = loggerOf(o.kernel);
  if (o.bootstrapKubeconfig === '') {
    log.info(2, 'No bootstrapping requested, will use kubeconfig');
    return 'kubeconfig';
  }
  const store = storeOf(o);
  yield* store.recover();
  if (yield* isClientConfigStillValid(o)) {
    log.info(2, 'Current kubeconfig file contents are still valid, no bootstrap necessary');
    return 'kubeconfig';
  }
  yield* o.files.write(o.kubeconfig, o.bootstrapKubeconfig, store.currentPath());
  log.info(2, 'Use the bootstrap credentials to request a cert, and set kubeconfig to point to the certificate dir');
  return 'bootstrap-kubeconfig';
}

/**
 * Gets a client certificate, once, and writes a kubeconfig with it, unless there is one that can be used. Waits up to a
 * minute for the server, and an hour for the certificate. The key is kept until then, so that a kubelet that is
 * started again goes on with the same request. `connect` gives the way to the server by the bootstrap kubeconfig.
 * Throws if there will be no certificate.
 * upstream: LoadClientCert
 */
export function* loadClientCert(o: BootstrapOptions, connect: () => Go<RestTransport>, ctx: Context): Go<void> {
  const { kernel, os, crypto, certDirectory } = o;
  const log = loggerOf(kernel);
  if (yield* isClientConfigStillValid(o)) {
    log.info(2, 'Kubeconfig exists and is valid, skipping bootstrap', { path: o.kubeconfig });
    return;
  }
  log.info(2, 'Using bootstrap kubeconfig to generate TLS client cert, key and kubeconfig file');
  const transport = yield* connect();
  const store = storeOf(o);
  yield* store.recover();
  let keyPem: string | null = null;
  try {
    keyPem = (yield* store.current()).keyPem;
  } catch {
    // There is none that can be used.
  }
  const keyPath = `${certDirectory}/${tmpPrivateKeyFile}`;
  if (keyPem === null) {
    log.info(2, 'No valid private key and/or certificate found, reusing existing private key or creating a new one');
    keyPem = yield* loadOrGenerateKey(o, keyPath);
  }
  try {
    yield* waitForServer(kernel, transport, ctx);
  } catch (err) {
    log.info(0, 'Error waiting for apiserver to come up', { err: messageOf(err) });
  }
  const client = new RestKubeClient(new RestClient({ kernel, transport }));
  const certPem = yield* requestNodeCertificate({ kernel, client, crypto }, ctx, keyPem, o.nodeName);
  yield* store.update(certPem, keyPem);
  try {
    yield* os.remove(keyPath);
  } catch (err) {
    if ((err as { code?: unknown }).code !== 'ENOENT')
      log.info(2, 'Failed cleaning up private key file', { path: keyPath, err: messageOf(err) });
  }
  yield* o.files.write(o.kubeconfig, o.bootstrapKubeconfig, store.currentPath());
}

/**
 * Returns true if the kubeconfig is there and all its client certificates are valid now. Throws if the file cannot even
 * be looked for.
 * upstream: isClientConfigStillValid
 */
function* isClientConfigStillValid({ kernel, files, crypto, kubeconfig }: BootstrapOptions): Go<boolean> {
  const log = loggerOf(kernel);
  const useless = (what: string, why: string): false => {
    log.error(new Error(`${what} ${kubeconfig}${why}`), 'Unhandled Error');
    return false;
  };
  let pem: string | null;
  try {
    pem = yield* files.clientCertificates(kubeconfig);
  } catch (err) {
    return useless('unable to read existing bootstrap client config from', `: ${messageOf(err)}`);
  }
  if (pem === null) return false;
  let certificates: ReturnType<CertificateCrypto['parseCertificates']>;
  try {
    certificates = crypto.parseCertificates(pem);
  } catch (err) {
    const what = 'unable to load TLS certificates from existing bootstrap client config read from';
    return useless(what, `: ${messageOf(err)}`);
  }
  const expired = certificates.find((c) => epochMillis(kernel) > c.notAfterMillis);
  if (!expired) return true;
  const when = new Date(expired.notAfterMillis).toISOString();
  return useless('part of the existing bootstrap client certificate in', ` is expired: ${when}`);
}

/** upstream: keyutil.LoadOrGenerateKeyFile */
function* loadOrGenerateKey({ os, crypto, certDirectory }: BootstrapOptions, path: string): Go<string> {
  if (yield* os.stat(path)) {
    const kept = yield* os.readFile(path, { limit: largestKeyFile });
    try {
      crypto.publicKey(kept);
      return kept;
    } catch {
      // A kubelet that was killed while it wrote the file: a new key serves as well, because no request has this one.
    }
  }
  const made = crypto.generateKey();
  yield* os.mkdirAll(certDirectory, 0o755);
  yield* os.writeFile(path, made, 0o600);
  yield* os.syncFile?.(path) ?? nothing();
  return made;
}

/** Waits until the server answers `/healthz`, at most a minute. Throws if it does not. upstream: waitForServer */
function* waitForServer(kernel: Kernel, transport: RestTransport, ctx: Context): Go<void> {
  const [waiting, cancel] = withTimeout(kernel, ctx, Minute);
  try {
    for (;;) {
      try {
        const { code } = yield* transport.request(waiting, { method: 'GET', path: '/healthz', timeout: Second });
        if (code < 400) return;
        throw new Error(`the server answered ${code} to /healthz`);
      } catch (err) {
        loggerOf(kernel).info(0, 'Failed to connect to apiserver', { err: messageOf(err) });
      }
      const timer = new Timer(kernel, jitter(kernel, 2 * Second, 0.2), { name: 'wait for server' });
      const s = yield* select({ time: recv(timer.c), done: recv(waiting.done()) });
      timer.stop();
      if (s.case === 'done') throw new Error('timed out waiting to connect to apiserver');
    }
  } finally {
    cancel();
  }
}

/**
 * Asks for a certificate of this node by a name that its key decides, and waits for it; the certificate in PEM.
 * upstream: requestNodeCertificate
 */
function* requestNodeCertificate(
  deps: { readonly kernel: Kernel; readonly client: RestKubeClient; readonly crypto: CertificateCrypto },
  ctx: Context,
  keyPem: string,
  nodeName: string,
): Go<string> {
  const { kernel, crypto } = deps;
  const template = { commonName: `system:node:${nodeName}`, organizations: ['system:nodes'] };
  const usages = usagesFor('client auth', crypto.isRSA(keyPem));
  const name = digestedName(crypto, crypto.publicKey(keyPem), template, usages);
  const csrPem = crypto.createRequest(keyPem, template);
  const asked = yield* requestCertificate(deps, ctx, { csrPem, name, signerName: clientSigner, usages, keyPem });
  const [waiting, cancel] = withTimeout(kernel, ctx, Hour);
  try {
    loggerOf(kernel).info(2, 'Waiting for client certificate to be issued');
    return yield* waitForCertificate(deps, waiting, asked.name, asked.uid);
  } finally {
    cancel();
  }
}

/**
 * A name that two requests share only when they ask for the same with the same key: `node-csr-` and a digest.
 * upstream: digestedName
 */
export function digestedName(
  crypto: Pick<CertificateCrypto, 'sha512_256'>,
  publicKey: Uint8Array,
  { commonName, organizations }: { readonly commonName: string; readonly organizations: readonly string[] },
  usages: readonly string[],
): string {
  const parts = [publicKey, ...[commonName, ...organizations, ...usages].map(utf8Bytes)];
  const text = parts.map((part) => `${base64urlEncode(part)}|`).join('');
  return `node-csr-${base64urlEncode(crypto.sha512_256(utf8Bytes(text)))}`;
}

function* nothing(): Go<void> {}
