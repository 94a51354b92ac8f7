/** The kubeconfig of our own API server: the one way to its token. */
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SetupError } from '../base/errors.js';

export interface OwnKubeconfig {
  readonly server: string;
  readonly caPem: string;
  readonly token: string;
}

/** Writes it whole or not at all, for its owner's eyes only. Rejects with a SetupError. */
export async function writeKubeconfig(file: string, { server, caPem, token }: OwnKubeconfig): Promise<void> {
  const name = 'syncloop';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } }],
    users: [{ name: 'syncloop-admin', user: { token } }],
    contexts: [{ name, context: { cluster: name, user: 'syncloop-admin', namespace: 'default' } }],
    'current-context': name,
  };
  const half = `${file}.${process.pid}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await rm(half, { force: true });
    await writeFile(half, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    // The mask of this process may have taken bits away, never added any.
    await chmod(half, 0o600);
    await rename(half, file);
  } catch (err) {
    await rm(half, { force: true }).catch(() => {});
    throw new SetupError(
      `cannot write the kubeconfig of the API server: ${(err as Error).message}; choose another place with --serve-api-kubeconfig FILE`,
    );
  }
}

/** Returns a word of a shell, quoted if necessary. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
