/** Kubeconfig files as bootstrapping reads and writes them. upstream: pkg/kubelet/certificate/bootstrap */
import { chmod, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { call } from '@syncloop/core/kernel';
import type { CertificateCrypto, KubeconfigFiles } from '@syncloop/core/kubelet/certificate';
import { kubeconfigContent } from '../api-client/kubeconfig.js';
import { SetupError } from '../base/errors.js';
import { readSettings } from '../base/read-file.js';

/** Reads the client certificate and key of a kubeconfig in PEM, '' for a missing one; and the files that it names. */
export async function clientCredentials(file: string) {
  const { clientCertificate, clientKey } = await kubeconfigContent(file);
  const read = async (part: { readonly data?: string; readonly file?: string }) => {
    if (part.data !== undefined) return Buffer.from(part.data, 'base64').toString('utf8');
    return part.file === undefined ? '' : await readSettings(part.file);
  };
  return {
    read: async () => ({ certPem: await read(clientCertificate), keyPem: await read(clientKey) }),
    inline: clientCertificate.data !== undefined && clientKey.data !== undefined,
    certFile: clientCertificate.file ?? '',
    keyFile: clientKey.file ?? '',
  };
}

/** Certificates in it, '' for none; null if there is no file. Rejects if it cannot be used. */
async function clientCertificates(path: string, crypto: CertificateCrypto): Promise<string | null> {
  try {
    await stat(path);
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw err;
  }
  const { certPem, keyPem } = await (await clientCredentials(path)).read();
  if (certPem !== '') crypto.keyPair(certPem, keyPem);
  return certPem;
}

/** Writes it whole or not at all, for its owner's eyes only. Rejects with a SetupError. */
async function writeNodeKubeconfig(path: string, from: string, pemPath: string): Promise<void> {
  const { cluster } = await kubeconfigContent(from);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'default-cluster', cluster }],
    users: [{ name: 'default-auth', user: { 'client-certificate': pemPath, 'client-key': pemPath } }],
    contexts: [
      { name: 'default-context', context: { cluster: 'default-cluster', user: 'default-auth', namespace: 'default' } },
    ],
    'current-context': 'default-context',
  };
  const half = `${path}.${process.pid}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    await rm(half, { force: true });
    const file = await open(half, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(config, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(half, 0o600);
    await rename(half, path);
  } catch (err) {
    await rm(half, { force: true }).catch(() => {});
    throw new SetupError(
      `cannot write the kubeconfig of the node: ${(err as Error).message}; choose another place with --kubeconfig FILE`,
    );
  }
}

export const kubeconfigFiles = (crypto: CertificateCrypto): KubeconfigFiles => ({
  *clientCertificates(path) {
    return yield* call('read kubeconfig', () => clientCertificates(path, crypto));
  },
  *write(path, from, pemPath) {
    yield* call('write kubeconfig', () => writeNodeKubeconfig(path, from, pemPath));
  },
});
