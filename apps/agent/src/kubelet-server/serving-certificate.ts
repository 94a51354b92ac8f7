/** The certificate that the server shows. upstream: cmd/kubelet/app/server.go initializeTLS */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { ServingDeps } from '@syncloop/core/kubelet/certificate';
import { SetupError } from '../base/errors.js';
import { readSettings } from '../base/read-file.js';
import { type AgentConfig, certDirectoryOf } from '../config/agent-config.js';
import { nodeCrypto } from '../tls/crypto.js';

export interface ServingCertificate {
  readonly certPem: string;
  readonly keyPem: string;
  /** The authority that a client has to trust, in PEM. */
  readonly caPem: string;
}

const days = 365;

/** Files of the pair that the server shows; '' if the API server signs it and no other pair is given. */
export function servingFiles(config: AgentConfig): { readonly certFile: string; readonly keyFile: string } {
  const { tlsCertFile, tlsPrivateKeyFile, serverTLSBootstrap } = config.server;
  if (tlsCertFile !== '' || tlsPrivateKeyFile !== '' || serverTLSBootstrap)
    return { certFile: tlsCertFile, keyFile: tlsPrivateKeyFile };
  const directory = certDirectoryOf(config);
  return { certFile: join(directory, 'kubelet.crt'), keyFile: join(directory, 'kubelet.key') };
}

/** Returns what the kubelet needs to look after that certificate; null if there is no server. */
export function servingDeps(config: AgentConfig): ServingDeps | null {
  if (!config.enableServer) return null;
  const { serverTLSBootstrap } = config.server;
  const certDirectory = resolve(certDirectoryOf(config));
  return { crypto: nodeCrypto, certDirectory, serverTLSBootstrap, ...servingFiles(config) };
}

export interface CertificateOptions {
  /** '' for none: then there is a pair of our own in `certDir`. */
  readonly certFile: string;
  readonly keyFile: string;
  readonly certDir: string;
  readonly nodeName: string;
  readonly hosts: readonly string[];
}

/**
 * Reads the given pair, or the one in `certDir`, which is created if it is missing, expired or damaged. Throws a
 * SetupError.
 */
export async function servingCertificate(o: CertificateOptions): Promise<ServingCertificate> {
  if ((o.certFile === '') !== (o.keyFile === ''))
    throw new SetupError(
      'tlsCertFile and tlsPrivateKeyFile belong together: give both, or neither to get a self-signed pair',
    );
  if (o.certFile !== '') {
    const [certPem, keyPem] = [await read(o.certFile, 'tlsCertFile'), await read(o.keyFile, 'tlsPrivateKeyFile')];
    checked(certPem, o.certFile);
    const why = whyNoPair(certPem, keyPem);
    if (why !== null)
      throw new SetupError(
        `${o.keyFile} (tlsPrivateKeyFile) is not the key of ${o.certFile} (tlsCertFile)${why}: give a pair that was made together`,
      );
    return { certPem, keyPem, caPem: certPem };
  }
  const [certFile, keyFile] = [join(o.certDir, 'kubelet.crt'), join(o.certDir, 'kubelet.key')];
  const kept = await keptPair(certFile, keyFile);
  if (kept) return kept;
  // Loaded only here: most starts find the pair of an earlier one.
  const { selfSigned } = await import('../tls/certificate.js');
  const made = selfSigned({ commonName: o.nodeName, hosts: [...o.hosts], days });
  try {
    await mkdir(o.certDir, { recursive: true, mode: 0o755 });
    await writeFile(keyFile, made.keyPem, { mode: 0o600 });
    await writeFile(certFile, made.certPem, { mode: 0o644 });
  } catch (err) {
    throw new SetupError(
      `cannot write the server's certificate: ${(err as Error).message}; choose another folder with --cert-dir`,
    );
  }
  return { ...made, caPem: made.certPem };
}

async function keptPair(certFile: string, keyFile: string): Promise<ServingCertificate | null> {
  try {
    const [certPem, keyPem] = [await readSettings(certFile), await readSettings(keyFile)];
    checked(certPem, certFile);
    if (whyNoPair(certPem, keyPem) !== null) return null;
    const until = Date.parse(new X509Certificate(certPem).validTo);
    return until > Date.now() ? { certPem, keyPem, caPem: certPem } : null;
  } catch {
    return null;
  }
}

/** Returns null if the key is the certificate's; else the problem of the key, in brackets, or ''. */
function whyNoPair(certPem: string, keyPem: string): string | null {
  try {
    return new X509Certificate(certPem).checkPrivateKey(createPrivateKey(keyPem)) ? null : '';
  } catch (err) {
    return ` (${(err as Error).message})`;
  }
}

async function read(file: string, field: string): Promise<string> {
  try {
    return await readSettings(file);
  } catch (err) {
    throw new SetupError(`cannot read ${field}: ${(err as Error).message}`);
  }
}

function checked(certPem: string, file: string): void {
  try {
    // A server reads the file more strictly than that class, and all of it.
    createSecureContext({ cert: certPem });
  } catch (err) {
    throw new SetupError(`${file} is not a certificate in PEM: ${(err as Error).message}`);
  }
}
