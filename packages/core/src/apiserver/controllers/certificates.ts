import { base64Decode, base64Encode } from '../../base/index.js';
import { Hour, Millisecond, Second, type TimerHandle } from '../../kernel/index.js';
import type { CertificateHost, RequestedCertificate } from '../certificates/host.js';
import {
  asCSR,
  type CSR,
  type CSRCondition,
  clientProblem,
  clientSigner,
  csrStorage,
  hasCondition,
  kubeletClientProblem,
  kubeletClientSigner,
  kubeletServingProblem,
  kubeletServingSigner,
  readRequest,
} from '../certificates/request.js';
import type { ServerCore } from '../http/core.js';
import { copyJSON } from '../json.js';
import { certificateSigningRequests } from '../resources/certificates.js';
import { StatusError } from '../status.js';
import { setTimer } from '../storage/timers.js';
import type { UserInfo } from '../types.js';

export interface CertificateOptions {
  readonly certificates?: CertificateHost;
  readonly signingDuration?: number;
  readonly approveKubeletServing?: boolean;
}

const user: UserInfo = { name: 'system:kube-controller-manager', groups: ['system:masters', 'system:authenticated'] };
const pace = 10 * Millisecond;
/** Requests that one pass looks at: a signature takes about a millisecond. */
const atOnce = 10;
const minute = 60_000;
const year = 365 * 24 * 3600;

/** The check of each signer for a request; null if it passes. upstream: getCSRVerificationFuncForSignerName */
const signers: Readonly<Record<string, (r: RequestedCertificate, usages: readonly string[]) => string | null>> = {
  [kubeletClientSigner]: kubeletClientProblem,
  [kubeletServingSigner]: kubeletServingProblem,
  [clientSigner]: clientProblem,
};

/**
 * Approves kubelets' requests for certificates, signs what is approved and forgets what is old.
 * upstream: pkg/controller/certificates approver, signer, cleaner
 */
export class Certificates {
  /** Names of requests that have changed. */
  private readonly queue = new Set<string>();
  private timer: TimerHandle | null = null;
  private cleaning = false;

  constructor(
    private readonly server: ServerCore,
    private readonly options: CertificateOptions,
  ) {
    server.store.watch(csrStorage, {
      change: ({ type, object }) => {
        if (type !== 'DELETED') this.add(object.metadata.name);
      },
    });
    this.resync();
    if (!options.approveKubeletServing) return;
    server.store.watch('nodes', {
      change: ({ type, object }) => {
        if (type !== 'DELETED') this.addOf(`system:node:${object.metadata.name}`);
      },
    });
  }

  /** Looks at all requests: at the start, and when the store took changes back. */
  resync(): void {
    for (const o of this.server.store.list(csrStorage)) this.add(o.metadata.name);
  }
  private add(name: string): void {
    this.queue.add(name);
    this.wake(pace);
    this.planCleaning();
  }
  /** Looks at the requests of a node that has reported its addresses: they may be approved now. */
  private addOf(username: string): void {
    for (const o of this.server.store.list(csrStorage)) {
      const csr = asCSR(o);
      if (csr.spec.username === username && csr.spec.signerName === kubeletServingSigner && isPending(csr))
        this.add(o.metadata.name);
    }
  }
  private wake(after: number): void {
    this.timer ??= setTimer(this.server.kernel, after, () => {
      this.timer = null;
      this.pass();
    });
  }

  private pass(): void {
    for (const name of [...this.queue].slice(0, atOnce)) {
      // Its own change puts the request into the queue again.
      this.queue.delete(name);
      try {
        this.server.store.withReserve(() => this.handle(name));
      } catch (error) {
        // No room, or a change that came between: it is tried again. Other failures would happen again.
        if (error instanceof StatusError && (error.code >= 500 || error.code === 409)) {
          this.queue.add(name);
          this.wake(Second);
          return;
        }
      }
    }
    if (this.queue.size > 0) this.wake(pace);
  }

  private handle(name: string): void {
    const { certificates } = this.options;
    const found = this.server.store.get(csrStorage, name);
    if (!found || !certificates) return;
    const csr = asCSR(found);
    if (csr.status.certificate || hasCondition(csr, 'Failed') || hasCondition(csr, 'Denied')) return;
    if (!Object.hasOwn(signers, csr.spec.signerName)) return;
    const wanted = readRequest(csr, certificates) as RequestedCertificate;
    if (hasCondition(csr, 'Approved')) {
      this.sign(csr, wanted, certificates);
      return;
    }
    const message = this.approval(csr, wanted);
    if (message) this.write(csr, 'approval', { type: 'Approved', status: 'True', reason: 'AutoApproved', message });
  }

  /**
   * Returns the reason to approve the request; null if the controller leaves the decision to others.
   * upstream: recognizers
   */
  private approval(csr: CSR, wanted: RequestedCertificate): string | null {
    const { signerName, usages = [], username = '' } = csr.spec;
    const own = username === wanted.commonName;
    if (signerName === kubeletClientSigner && kubeletClientProblem(wanted, usages) === null) {
      if (own && this.may(csr, 'selfnodeclient'))
        return 'Auto approving self kubelet client certificate after SubjectAccessReview.';
      if (this.may(csr, 'nodeclient')) return 'Auto approving kubelet client certificate after SubjectAccessReview.';
    }
    const serving = this.options.approveKubeletServing && signerName === kubeletServingSigner && own;
    if (serving && kubeletServingProblem(wanted, usages) === null && this.isOfNode(csr, wanted))
      return 'Auto approving kubelet serving certificate for the addresses of its own node.';
    return null;
  }
  private may({ spec }: CSR, subresource: string): boolean {
    const { username: name = '', uid, groups = [], extra } = spec;
    return this.server.authorize({
      user: { name, groups, ...(uid && { uid }), ...(extra && { extra }) },
      verb: 'create',
      resourceRequest: true,
      group: 'certificates.k8s.io',
      version: '*',
      resource: 'certificatesigningrequests',
      subresource,
      namespace: '',
      name: '',
      path: '',
    }).allowed;
  }
  /** The node itself asks, and for names and addresses that its object has. */
  private isOfNode({ spec }: CSR, { dnsNames, ipAddresses }: RequestedCertificate): boolean {
    const { username = '', groups = [] } = spec;
    if (!groups.includes('system:nodes') || !username.startsWith('system:node:')) return false;
    const name = username.slice('system:node:'.length);
    const status = this.server.store.get('nodes', name)?.status as { addresses?: { address: string }[] } | undefined;
    const known = new Set([name, ...(status?.addresses ?? []).map((a) => a.address)]);
    return dnsNames.every((d) => known.has(d)) && ipAddresses.every((a) => known.has(a));
  }

  /** upstream: (*signer).handle, PermissiveSigningPolicy */
  private sign(csr: CSR, wanted: RequestedCertificate, host: CertificateHost): void {
    const { signerName, usages = [], expirationSeconds } = csr.spec;
    const problem = signers[signerName]?.(wanted, usages) ?? null;
    if (problem !== null) {
      const reason = 'SignerValidationFailure';
      this.write(csr, 'status', { type: 'Failed', status: 'True', reason, message: problem });
      return;
    }
    const now = this.server.nowMillis();
    const most = this.options.signingDuration ?? year;
    const seconds = Math.min(Math.max(expirationSeconds ?? most, 600), most);
    const backdate = 5 * minute;
    const short = seconds < 8 * 3600;
    const certificate = host.sign(base64Decode(csr.spec.request), {
      notBefore: now - backdate,
      notAfter: now + seconds * 1000 - (short ? 0 : backdate),
      usages,
    });
    this.write(csr, 'status', null, base64Encode(certificate));
  }

  private write(
    csr: CSR,
    subresource: 'approval' | 'status',
    condition: CSRCondition | null,
    certificate?: string,
  ): void {
    const { server } = this;
    const r = certificateSigningRequests;
    const rules = r.subresources?.[subresource];
    if (!rules) return;
    const change = (old: object) => {
      const next = asCSR(copyJSON(old) as typeof csr);
      if (condition) next.status.conditions = [...(next.status.conditions ?? []), { ...condition }];
      if (certificate) next.status.certificate = certificate;
      return next;
    };
    const env = server.env({ method: 'PUT', path: '', user }, { dryRun: false, warn() {} });
    server.registry.update(r, '', csr.metadata.name, change, env, {
      dryRun: false,
      manager: 'kube-controller-manager',
      subresource: { name: subresource, rules },
    });
  }

  private planCleaning(): void {
    if (this.cleaning) return;
    this.cleaning = true;
    setTimer(this.server.kernel, Hour, () => {
      this.cleaning = false;
      this.clean();
    });
  }
  /**
   * Requests that were decided go after an hour, such that nobody decided after a day.
   * upstream: pkg/controller/certificates/cleaner
   */
  private clean(): void {
    const now = this.server.nowMillis();
    const all = this.server.store.list(csrStorage);
    const env = this.server.env({ method: 'DELETE', path: '', user }, { dryRun: false, warn() {} });
    let left = 0;
    for (const o of [...all]) {
      const csr = asCSR(o);
      const decided = csr.status.conditions?.map((c) => Date.parse(c.lastUpdateTime ?? '')) ?? [];
      const end = isPending(csr)
        ? Date.parse(o.metadata.creationTimestamp ?? '') + 24 * 60 * minute
        : Math.max(...decided) + 60 * minute;
      if (end > now) left++;
      else this.server.registry.delete(certificateSigningRequests, '', o.metadata.name, env, { dryRun: false });
    }
    if (left > 0) this.planCleaning();
  }
}

const isPending = (csr: CSR): boolean => !['Approved', 'Denied', 'Failed'].some((type) => hasCondition(csr, type));
