import { APIError } from '../../api/client/api-error.js';
import { epochMillis } from '../../api/time.js';
import { deepEqual } from '../../base/deep.js';
import { messageOf } from '../../base/index.js';
import {
  background,
  type CancelFunc,
  type Chan,
  type Context,
  type Go,
  type Kernel,
  Minute,
  makeChan,
  recv,
  Second,
  select,
  sendTo,
  Timer,
  withTimeout,
} from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { CertificatesClient } from '../client/kube-client.js';
import { Logger } from '../klog.js';
import { jitter } from '../util/jitter.js';
import { type FileStore, NoCertKeyError } from './certificate-store.js';
import { requestCertificate, waitForCertificate } from './csr.js';
import type { CertificateCrypto, CertificateTemplate, KeyPair } from './host.js';

/** upstream: certificateWaitTimeout */
const certificateWaitTimeout = 15 * Minute;
/** upstream: within (*manager).run, and wait.PollInfiniteWithContext there */
const backoff = { duration: 2 * Second, factor: 2, jitter: 0.1, steps: 5 };
const pollAfterBackoff = 32 * Second;

/** The part of the manager that a certificate's user needs. upstream: certificate.Manager */
export interface CertificateSource {
  /** Returns the pair to use now; null if there is none, or if it has expired. */
  current(): KeyPair | null;
  /** Returns true if the API server answered when it was asked last. */
  serverHealthy(): boolean;
}

export interface CertificateManagerOptions {
  readonly kernel: Kernel;
  readonly crypto: CertificateCrypto;
  readonly store: FileStore;
  /**
   * Makes the client of the API server, with the current pair or without one; null: the certificate is not renewed. It
   * is called for each request.
   */
  readonly client: ((current: KeyPair | null) => CertificatesClient) | null;
  /** The contents of the request; null while they are not known yet. */
  readonly template: () => CertificateTemplate | null;
  /** The template changes while the kubelet runs. */
  readonly dynamicTemplate: boolean;
  readonly signerName: string;
  /** `client auth` or `server auth`. */
  readonly usage: string;
  /** Used, and renewed at once, if the store has no certificate that is still valid. */
  readonly bootstrap?: { readonly certPem: string; readonly keyPem: string } | null;
  /** Called when a certificate is renewed, with the number of seconds for which it was in use. */
  readonly onRotated?: (seconds: number) => void;
  /** Called for each failed attempt to renew. */
  readonly onRenewFailure?: () => void;
}

/**
 * Keeps a certificate valid: asks the API server for a new one with a new key when 70 to 90 % of the life of the
 * current one are over, or when another one is needed.
 * upstream: client-go util/certificate (*manager)
 */
export class CertificateManager implements CertificateSource {
  private readonly log: Logger;
  private pair: KeyPair | null = null;
  private forceRotation = false;
  private serverHealth = false;
  private lastRequest: { readonly cancel: CancelFunc; readonly template: CertificateTemplate } | null = null;

  constructor(private readonly o: CertificateManagerOptions) {
    this.log = new Logger(o.kernel, 'certificate_manager.go', { logger: o.signerName });
  }

  /** Reads the pair that is kept. Throws if it cannot be used. upstream: getCurrentCertificateOrBootstrap */
  *load(): Go<void> {
    const { store, bootstrap, crypto, kernel } = this.o;
    yield* store.recover();
    try {
      const kept = yield* store.current();
      if (epochMillis(kernel) < kept.leaf.notAfterMillis) {
        this.pair = kept;
        return;
      }
    } catch (err) {
      if (!(err instanceof NoCertKeyError)) throw err;
    }
    this.forceRotation = true;
    if (!bootstrap) return;
    this.pair = crypto.keyPair(bootstrap.certPem, bootstrap.keyPem);
    try {
      yield* store.update(bootstrap.certPem, bootstrap.keyPem);
    } catch (err) {
      this.unhandled(err, 'Unable to set the cert/key pair to the bootstrap certificate');
    }
  }

  current(): KeyPair | null {
    const { pair } = this;
    if (pair && epochMillis(this.o.kernel) > pair.leaf.notAfterMillis) {
      this.log.info(2, 'Current certificate is expired');
      return null;
    }
    return pair;
  }

  serverHealthy(): boolean {
    return this.serverHealth;
  }

  /** Seconds until the certificate expires, whole; infinite if there is none. upstream: the gauges' functions */
  ttlSeconds(): number {
    const { pair } = this;
    const millis = pair ? pair.leaf.notAfterMillis - epochMillis(this.o.kernel) : -1;
    return pair && millis >= 0 ? Math.trunc(millis / 1000) : Number.POSITIVE_INFINITY;
  }

  /** Begins to renew, in goroutines of their own, until the context ends. upstream: (*manager).Start */
  start(ctx: Context = background): void {
    const { kernel, client, dynamicTemplate } = this.o;
    if (!client) {
      this.log.info(2, 'Certificate rotation is not enabled, no connection to the apiserver');
      return;
    }
    this.log.info(2, 'Certificate rotation is enabled');
    const changed = makeChan<null>(kernel, 'templateChanged');
    kernel.go('certificate rotation', () => this.until(ctx, () => this.rotateWhenDue(ctx, changed)), { daemon: true });
    if (dynamicTemplate)
      // Looks every second, and finds something once in months.
      kernel.go('certificate template', () => this.until(ctx, () => this.checkTemplate(ctx, changed)), {
        daemon: true,
        quiet: true,
      });
  }

  /** Runs `body` again and again, a second after each time. upstream: wait.UntilWithContext */
  private *until(ctx: Context, body: () => Go<void>): Go<void> {
    while (!ctx.err()) {
      yield* body();
      yield* this.wait(ctx, Second);
    }
  }

  /** Waits; returns false if the context ended first. */
  private *wait(ctx: Context, duration: Micros): Go<boolean> {
    const timer = new Timer(this.o.kernel, duration, { name: 'certificate', quiet: true });
    const s = yield* select({ time: recv(timer.c), done: recv(ctx.done()) });
    timer.stop();
    return s.case === 'time';
  }

  /** Makes one turn of the loop. upstream: rotate, within (*manager).run */
  private *rotateWhenDue(ctx: Context, changed: Chan<null>): Go<void> {
    const { kernel, template } = this.o;
    const due = this.nextRotationDeadline() - epochMillis(kernel);
    if (due > 0) {
      this.log.info(2, 'Waiting for next certificate rotation', { sleep: `${Math.round(due / 1000)}s` });
      const timer = new Timer(kernel, due * 1000, { name: 'certificate rotation' });
      const s = yield* select({ time: recv(timer.c), changed: recv(changed), done: recv(ctx.done()) });
      timer.stop();
      if (s.case === 'done') return;
      if (s.case === 'changed') {
        // It was asked for meanwhile.
        if (deepEqual(this.lastRequest?.template ?? null, template())) return;
        this.log.info(2, 'Certificate template changed, rotating');
      }
    }
    if (template() === null) return;
    let { duration } = backoff;
    for (let step = 1; step <= backoff.steps; step++) {
      if (yield* this.rotateCerts(ctx)) return;
      if (step === backoff.steps) break;
      if (!(yield* this.wait(ctx, jitter(kernel, duration, backoff.jitter)))) return;
      duration *= backoff.factor;
    }
    this.unhandled(
      new Error('timed out waiting for the condition'),
      'Reached backoff limit, still unable to rotate certs',
    );
    while (yield* this.wait(ctx, pollAfterBackoff)) if (yield* this.rotateCerts(ctx)) return;
  }

  /** Interrupts the wait for the deadline, and for a request of another template. upstream: within (*manager).run */
  private *checkTemplate(ctx: Context, changed: Chan<null>): Go<void> {
    const { lastRequest } = this;
    if (this.certSatisfiesTemplate() || deepEqual(lastRequest?.template ?? null, this.o.template())) return;
    lastRequest?.cancel();
    yield* select({ sent: sendTo(changed, null), done: recv(ctx.done()) });
  }

  /** Asks for a certificate once, and keeps it. Returns true if there is a new one. upstream: (*manager).rotateCerts */
  private *rotateCerts(ctx: Context): Go<boolean> {
    const { kernel, crypto, store, client, signerName, usage, onRotated } = this.o;
    this.log.info(2, 'Rotating certificates');
    const failed = (err: unknown, message: string): false => {
      this.unhandled(err, message);
      this.o.onRenewFailure?.();
      return false;
    };
    let keyPem: string;
    let csrPem: string;
    const template = this.o.template();
    try {
      if (!template) throw new Error('unable to create a csr, no template available');
      keyPem = crypto.generateKey();
      csrPem = crypto.createRequest(keyPem, template);
    } catch (err) {
      return failed(err, 'Unable to generate a certificate signing request');
    }
    let way: CertificatesClient;
    try {
      way = (client as NonNullable<typeof client>)(this.current());
    } catch (err) {
      return failed(err, 'Unable to load a client to request certificates');
    }
    const deps = { kernel, crypto, client: way };
    const request = { csrPem, keyPem, name: '', signerName, usages: usagesFor(usage, crypto.isRSA(keyPem)) };
    let asked: { readonly name: string; readonly uid: string };
    try {
      asked = yield* requestCertificate(deps, ctx, request);
    } catch (err) {
      this.updateServerError(err);
      return failed(err, 'Failed while requesting a signed certificate from the control plane');
    }
    const [waiting, cancel] = withTimeout(kernel, ctx, certificateWaitTimeout);
    this.lastRequest = { cancel, template };
    let certPem: string;
    try {
      certPem = yield* waitForCertificate(deps, waiting, asked.name, asked.uid);
    } catch (err) {
      return failed(err, 'Certificate request was not signed');
    } finally {
      cancel();
    }
    let pair: KeyPair;
    try {
      pair = yield* store.update(certPem, keyPem);
    } catch (err) {
      return failed(err, 'Unable to store the new cert/key pair');
    }
    const old = this.pair;
    this.pair = pair;
    this.serverHealth = true;
    if (old) onRotated?.((epochMillis(kernel) - old.leaf.notBeforeMillis) / 1000);
    return true;
  }

  /**
   * Returns true if the current certificate has all that the template wants; it may have more.
   * upstream: (*manager).certSatisfiesTemplateLocked
   */
  private certSatisfiesTemplate(): boolean {
    const { pair } = this;
    if (!pair) return false;
    const template = this.o.template();
    if (!template) return true;
    const { leaf } = pair;
    if (template.commonName !== leaf.commonName) {
      this.log.info(2, 'Current certificate CN does not match requested CN', {
        currentName: leaf.commonName,
        requestedName: template.commonName,
      });
      return false;
    }
    const lacks = (message: string, key: string, wanted: readonly string[] = [], there: readonly string[]) => {
      const missing = wanted.filter((one) => !there.includes(one)).sort();
      if (missing.length > 0) this.log.info(2, message, { [key]: missing });
      return missing.length > 0;
    };
    const { dnsNames, ipAddresses, organizations } = template;
    return !(
      lacks('Current certificate is missing requested DNS names', 'dnsNames', dnsNames, leaf.dnsNames) ||
      lacks('Current certificate is missing requested IP addresses', 'IPs', ipAddresses, leaf.ipAddresses) ||
      lacks('Current certificate is missing requested orgs', 'orgs', organizations, leaf.organizations)
    );
  }

  /** Milliseconds since 1970. upstream: (*manager).nextRotationDeadline, jitteryDuration */
  private nextRotationDeadline(): number {
    const { kernel } = this.o;
    const now = epochMillis(kernel);
    if (this.forceRotation) {
      this.forceRotation = false;
      return now;
    }
    if (!this.pair || !this.certSatisfiesTemplate()) return now;
    const { notBeforeMillis, notAfterMillis } = this.pair.leaf;
    const total = (notAfterMillis - notBeforeMillis) * 1000;
    const deadline = notBeforeMillis + (jitter(kernel, total, 0.2) - total * 0.3) / 1000;
    this.log.info(2, 'Certificate rotation deadline determined', {
      expiration: new Date(notAfterMillis).toISOString(),
      deadline: new Date(deadline).toISOString(),
    });
    return deadline;
  }

  /** Derives the server's health from an error. upstream: (*manager).updateServerError */
  private updateServerError(err: unknown): void {
    // A proxy may answer Unauthorized in place of the server.
    const healthy = ['Unauthorized', 'NotFound', 'Forbidden'];
    const unexpected = (e: APIError) => (e.details.causes ?? []).some((c) => c.reason === 'UnexpectedServerResponse');
    this.serverHealth =
      err instanceof APIError && healthy.includes(err.reason) && (err.reason === 'Unauthorized' || !unexpected(err));
  }

  /** upstream: utilruntime.HandleErrorWithContext */
  private unhandled(err: unknown, message: string): void {
    this.log.error(new Error(messageOf(err)), message);
  }
}

/** upstream: DefaultKubeletClientGetUsages, DefaultKubeletServingGetUsages */
export const usagesFor = (usage: string, rsa: boolean): readonly string[] =>
  rsa ? ['digital signature', 'key encipherment', usage] : ['digital signature', usage];
