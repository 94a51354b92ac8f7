import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { servingCertificate } from './serving-certificate.js';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'syncloop-test-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}
const own = { certFile: '', keyFile: '', nodeName: 'node1', hosts: ['127.0.0.1'] };

it('a pair of our own is kept, and made anew where a file of it is of another pair or is damaged', async () => {
  const certDir = folder();
  const first = await servingCertificate({ ...own, certDir });
  expect(await servingCertificate({ ...own, certDir })).toEqual(first);
  const other = await servingCertificate({ ...own, certDir: folder() });
  for (const key of [other.keyPem, first.keyPem.slice(0, 100), '']) {
    writeFileSync(join(certDir, 'kubelet.key'), key);
    const again = await servingCertificate({ ...own, certDir });
    expect(again.keyPem).not.toBe(key);
    expect(readFileSync(join(certDir, 'kubelet.key'), 'utf8')).toBe(again.keyPem);
  }
});

it('a certificate whose last line is spoiled is made anew, and refused by its name where it is given', async () => {
  const certDir = folder();
  const first = await servingCertificate({ ...own, certDir });
  const spoiled = first.certPem.replace(/-+\s*$/, '\0\0\0\0\0\n');
  const certFile = join(certDir, 'kubelet.crt');
  writeFileSync(certFile, spoiled);
  const given = { ...own, certFile, keyFile: join(certDir, 'kubelet.key'), certDir };
  await expect(servingCertificate(given)).rejects.toThrow(`${certFile} is not a certificate in PEM: `);
  expect((await servingCertificate({ ...own, certDir })).certPem).not.toBe(spoiled);
});

it('files that are given and do not belong together are refused by their names', async () => {
  const [certDir, otherDir] = [folder(), folder()];
  await servingCertificate({ ...own, certDir });
  await servingCertificate({ ...own, certDir: otherDir });
  const [certFile, keyFile] = [join(certDir, 'kubelet.crt'), join(otherDir, 'kubelet.key')];
  await expect(servingCertificate({ ...own, certFile, keyFile, certDir })).rejects.toThrow(
    `${keyFile} (tlsPrivateKeyFile) is not the key of ${certFile} (tlsCertFile)`,
  );
});
