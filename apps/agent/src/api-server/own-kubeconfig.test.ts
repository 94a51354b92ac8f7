import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadKubeconfig } from '../api-client/kubeconfig.js';
import { CertificateAuthority } from '../tls/certificate.js';
import { shellWord, writeKubeconfig } from './own-kubeconfig.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syncloop-own-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const own = {
  server: 'https://127.0.0.1:6443',
  caPem: new CertificateAuthority({ commonName: 'x', days: 1 }).certPem,
  token: 'canary-token',
};

describe('the kubeconfig of our own API server', () => {
  it('is for its owner only, in a folder of its own, and leads to the server', async () => {
    const file = join(folder, 'api', 'kubeconfig');
    await writeKubeconfig(file, own);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'api'))).mode & 0o777).toBe(0o700);
    const access = await loadKubeconfig(file, { env: {} });
    expect(access.url).toBe(own.server);
    expect((await access.next()).headers).toEqual({ Authorization: 'Bearer canary-token' });
  });

  it('takes the place of an older one whole, whatever that was', async () => {
    const file = join(folder, 'kubeconfig');
    const elsewhere = join(folder, 'elsewhere');
    await writeFile(elsewhere, 'kept');
    await symlink(elsewhere, file);
    await writeKubeconfig(file, own);
    expect(await readFile(elsewhere, 'utf8')).toBe('kept');
    await chmod(file, 0o644);
    await writeKubeconfig(file, { ...own, token: 'next' });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toContain('next');
    expect(await readdir(folder)).toEqual(['elsewhere', 'kubeconfig']);
  });

  it('that cannot be written is an error with a remedy, without the token', async () => {
    await writeFile(join(folder, 'file'), '');
    const error = await writeKubeconfig(join(folder, 'file', 'kubeconfig'), own).catch((err: Error) => err.message);
    expect(error).toMatch(/^cannot write the kubeconfig of the API server: .*--serve-api-kubeconfig FILE$/);
    expect(error).not.toContain('canary');
  });

  it('a path is shown as a shell wants it', () => {
    expect(shellWord('/var/lib/kubelet/api/kubeconfig')).toBe('/var/lib/kubelet/api/kubeconfig');
    expect(shellWord("/a b/it's")).toBe("'/a b/it'\\''s'");
  });
});
