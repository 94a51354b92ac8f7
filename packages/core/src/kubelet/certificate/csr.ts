/** Asking the API server for a certificate. upstream: client-go util/certificate/csr */

import { APIError } from '../../api/client/api-error.js';
import type { CertificateSigningRequestObject, NewCertificateSigningRequest } from '../../api/cluster-types.js';
import { epochMillis } from '../../api/time.js';
import { base64Decode, base64Encode, messageOf } from '../../base/index.js';
import {
  type Chan,
  type Context,
  type Go,
  type Kernel,
  makeChan,
  recv,
  Second,
  select,
  Timer,
  withCancel,
} from '../../kernel/index.js';
import type { CertificatesClient } from '../client/kube-client.js';
import { Reflector } from '../client/reflector.js';
import { Logger } from '../klog.js';
import type { CertificateCrypto } from './host.js';

/** upstream: wait.ErrWaitTimeout */
const timedOut = 'timed out waiting for the condition';

/** The arguments of {@link requestCertificate}. */
export interface CertificateRequest {
  readonly csrPem: string;
  /** '' for a name that the server makes; otherwise a request of this name that exists already is used. */
  readonly name: string;
  readonly signerName: string;
  readonly usages: readonly string[];
  readonly keyPem: string;
}

/** The parts that both functions work with. */
export interface RequestDeps {
  readonly kernel: Kernel;
  readonly client: CertificatesClient;
  readonly crypto: CertificateCrypto;
}

/**
 * Creates a CertificateSigningRequest, or finds the one that an earlier run of this kubelet created. Throws an APIError
 * of the server, or the transport's error.
 * upstream: csr.RequestCertificateWithContext
 */
export function* requestCertificate(
  deps: RequestDeps,
  ctx: Context,
  { csrPem, name, signerName, usages, keyPem }: CertificateRequest,
): Go<{ readonly name: string; readonly uid: string }> {
  const log = new Logger(deps.kernel, 'csr.go');
  const request: NewCertificateSigningRequest = {
    metadata: name === '' ? { generateName: 'csr-' } : { name },
    spec: { request: base64Encode(csrPem), signerName, usages: [...usages] },
  };
  try {
    const { metadata } = yield* deps.client.createCertificateSigningRequest(ctx, request);
    log.info(2, 'Certificate signing request created', { csr: metadata.name });
    return { name: metadata.name, uid: metadata.uid ?? '' };
  } catch (err) {
    if (!(err instanceof APIError && err.reason === 'AlreadyExists' && name !== ''))
      throw formatted('cannot create certificate signing request', err);
  }
  log.info(0, 'csr for this node already exists, reusing');
  let found: CertificateSigningRequestObject;
  try {
    found = yield* deps.client.getCertificateSigningRequest(ctx, name);
  } catch (err) {
    throw formatted('cannot retrieve certificate signing request', err);
  }
  try {
    ensureCompatible(deps, found, request, keyPem);
  } catch (err) {
    throw new Error(`retrieved csr is not compatible: ${messageOf(err)}`, { cause: err });
  }
  log.info(0, 'csr for this node is still valid');
  return { name: found.metadata.name, uid: found.metadata.uid ?? '' };
}

/**
 * Throws if the request that the server has is not the one that this kubelet would make with its key.
 * upstream: csr.ensureCompatible
 */
function ensureCompatible(
  { kernel, crypto }: RequestDeps,
  found: CertificateSigningRequestObject,
  request: NewCertificateSigningRequest,
  keyPem: string,
): void {
  const parse = (which: string, text: string) => {
    try {
      return crypto.parseRequest(base64Decode(text), keyPem);
    } catch (err) {
      throw new Error(`unable to parse ${which} csr: ${messageOf(err)}`, { cause: err });
    }
  };
  const there = parse('new', found.spec.request);
  const original = parse('original', request.spec.request);
  if (there.subject !== original.subject)
    throw new Error(`csr subjects differ: new: ${there.subject}, orig: ${original.subject}`);
  if (found.spec.signerName !== request.spec.signerName)
    throw new Error(
      `csr signerNames differ: new ${JSON.stringify(found.spec.signerName)}, orig: ${JSON.stringify(request.spec.signerName)}`,
    );
  if (!there.signed)
    throw new Error('error validating signature new CSR against old key: x509: ECDSA verification failure');
  if (!found.status?.certificate) return;
  let certificates: ReturnType<CertificateCrypto['parseCertificates']>;
  try {
    certificates = crypto.parseCertificates(base64Decode(found.status.certificate));
  } catch (err) {
    throw new Error(`error parsing signed certificate for CSR: ${messageOf(err)}`, { cause: err });
  }
  const expired = certificates.find((c) => epochMillis(kernel) > c.notAfterMillis);
  if (expired)
    throw new Error(
      `one of the certificates for the CSR has expired: ${new Date(expired.notAfterMillis).toISOString()}`,
    );
}

/**
 * Waits until the request has a certificate, which is returned in PEM. Throws if it is denied, fails or is deleted,
 * or when the context ends. A server that is away is waited for.
 * upstream: csr.WaitForCertificate
 */
export function* waitForCertificate(
  { kernel, client }: RequestDeps,
  ctx: Context,
  name: string,
  uid: string,
): Go<string> {
  const log = new Logger(kernel, 'csr.go');
  const listerWatcher = client.listerWatcher('certificatesigningrequests', '', `metadata.name=${name}`);
  for (;;) {
    try {
      yield* listerWatcher.list(ctx, {});
      break;
    } catch (err) {
      log.info(2, 'Error fetching v1 certificate signing request', { err: messageOf(err) });
    }
    if (ctx.err()) throw new Error(timedOut);
    const timer = new Timer(kernel, Second, { name: 'certificate request' });
    yield* select({ time: recv(timer.c), done: recv(ctx.done()) });
    timer.stop();
  }
  const [watching, stop] = withCancel(kernel, ctx);
  const outcome = makeChan<{ readonly certificate: string } | { readonly error: Error }>(kernel, 'certificate', 1);
  let known = false;
  const deleted = () => outcome.trySend({ error: new Error(`csr ${JSON.stringify(name)} was deleted`) });
  function* look(found: CertificateSigningRequestObject): Go<void> {
    known = true;
    try {
      const certificate = issued(found, uid, log);
      if (certificate !== null) outcome.trySend({ certificate });
    } catch (err) {
      outcome.trySend({ error: err as Error });
    }
  }
  const reflector = new Reflector<CertificateSigningRequestObject>({
    kernel,
    listerWatcher,
    name: 'csr.go',
    type: '*v1.CertificateSigningRequest',
    store: {
      *replace(items) {
        const [found] = items;
        if (found) yield* look(found);
        else if (known) deleted();
      },
      set: (item) => look(item),
      *delete() {
        deleted();
      },
    },
  });
  kernel.go('certificate request', () => reflector.run(watching), { daemon: true });
  try {
    const s = yield* select({
      outcome: recv(outcome as Chan<{ certificate: string } | { error: Error }>),
      done: recv(ctx.done()),
    });
    if (s.case === 'done' || !s.ok) throw new Error(timedOut);
    if ('error' in s.value) throw formatted('cannot watch on the certificate signing request', s.value.error);
    return base64Decode(s.value.certificate);
  } finally {
    stop();
  }
}

/** The certificate, in base64; null while there is none. Throws if there will be none. */
function issued({ metadata, status }: CertificateSigningRequestObject, uid: string, log: Logger): string | null {
  if (metadata.uid !== uid) throw new Error(`csr ${JSON.stringify(metadata.name)} changed UIDs`);
  let approved = false;
  for (const { type, reason, message } of status?.conditions ?? []) {
    const words = `reason: ${reason ?? ''}, message: ${message ?? ''}`;
    if (type === 'Denied') throw new Error(`certificate signing request is denied, ${words}`);
    if (type === 'Failed') throw new Error(`certificate signing request failed, ${words}`);
    if (type === 'Approved') approved = true;
  }
  if (!approved) return null;
  if (status?.certificate) {
    log.info(2, 'Certificate signing request is issued', { csr: metadata.name });
    return status.certificate;
  }
  log.info(2, 'Certificate signing request is approved, waiting to be issued', { csr: metadata.name });
  return null;
}

/** An error of the server stays one. upstream: csr.formatError */
function formatted(what: string, err: unknown): Error {
  const text = `${what}: ${messageOf(err)}`;
  return err instanceof APIError
    ? new APIError(err.reason, text, err.code, err.details)
    : new Error(text, { cause: err });
}
