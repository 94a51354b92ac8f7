import type { LeaseObject } from '../../api/cluster-types.js';
import { toTime } from '../../api/time.js';
import { messageOf } from '../../base/index.js';
import {
  background,
  type Context,
  epochMicros,
  frame,
  type Go,
  type Kernel,
  Millisecond,
  Second,
  sleep,
} from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import { APIError, isNotFound, type KubeClient } from '../client/kube-client.js';
import { Logger } from '../klog.js';
import { jitter } from '../util/jitter.js';

/** upstream: lease maxUpdateRetries, maxBackoff; kubelet nodeLeaseRenewIntervalFraction */
const maxUpdateRetries = 5;
const maxBackoff = 7 * Second;
const renewIntervalFraction = 0.25;
/** upstream: core/v1 NamespaceNodeLease */
export const NamespaceNodeLease = 'kube-node-lease';

/** The parts that {@link LeaseController} is built from. */
export interface LeaseDeps {
  readonly kernel: Kernel;
  readonly client: Pick<KubeClient, 'getLease' | 'createLease' | 'updateLease' | 'getNode'>;
  /** Name of the lease and of its holder. */
  readonly nodeName: string;
  readonly leaseDurationSeconds: number;
  readonly onRepeatedHeartbeatFailure?: () => void;
}

/** Shows that the node is alive by renewing a Lease. upstream: component-helpers/apimachinery/lease controller */
export class LeaseController {
  private readonly log: Logger;
  private readonly nodeLog: Logger;
  private readonly renewInterval: Micros;
  private latestLease: LeaseObject | null = null;

  constructor(private readonly deps: LeaseDeps) {
    this.log = new Logger(deps.kernel, 'controller.go');
    this.nodeLog = new Logger(deps.kernel, 'nodelease.go');
    this.renewInterval = Math.round(deps.leaseDurationSeconds * Second * renewIntervalFraction);
  }

  /**
   * Renews the lease, with a context of its own: a kubelet that shuts down renews as before (fidelity 3:LEASE-03).
   * upstream: Run
   */
  *run(): Go<void> {
    for (;;) {
      yield* frame('nodeLeaseController.sync', undefined, () => this.sync(background));
      yield* sleep(jitter(this.deps.kernel, this.renewInterval, 0.04));
    }
  }

  /**
   * Renews the lease, or makes it.
   * upstream: staging/src/k8s.io/component-helpers/apimachinery/lease/controller.go (*controller).sync
   */
  *sync(ctx: Context): Go<void> {
    if (this.latestLease) {
      // No other client writes the lease, so it is not read first.
      try {
        yield* this.retryUpdateLease(ctx, this.latestLease);
        return;
      } catch (err) {
        this.log.info(0, 'failed to update lease using latest lease, fallback to ensure lease', {
          err: messageOf(err),
        });
      }
    }
    const { lease, created } = yield* this.backoffEnsureLease(ctx);
    this.latestLease = lease;
    if (created || !lease) return;
    try {
      yield* this.retryUpdateLease(ctx, lease);
    } catch (err) {
      this.log.error(err, 'Will retry updating lease', { interval: `${this.renewInterval / Second}s` });
    }
  }

  /** upstream: backoffEnsureLease */
  private *backoffEnsureLease(ctx: Context): Go<{ lease: LeaseObject | null; created: boolean }> {
    let wait = 100 * Millisecond;
    for (;;)
      try {
        return yield* this.ensureLease(ctx);
      } catch (err) {
        wait = Math.min(2 * wait, maxBackoff);
        this.log.error(err, 'Failed to ensure lease exists, will retry', { interval: formatInterval(wait) });
        this.emit('failed', err);
        yield* sleep(wait);
      }
  }

  /** Returns the lease; null if it does not exist and cannot be made yet. upstream: ensureLease */
  private *ensureLease(ctx: Context): Go<{ lease: LeaseObject | null; created: boolean }> {
    const { client, nodeName } = this.deps;
    try {
      return { lease: yield* client.getLease(ctx, NamespaceNodeLease, nodeName), created: false };
    } catch (err) {
      if (!isNotFound(err)) throw err;
    }
    let made: LeaseObject;
    try {
      made = yield* this.newLease(null);
    } catch {
      return { lease: null, created: false };
    }
    const lease = yield* client.createLease(ctx, NamespaceNodeLease, made);
    this.emit('created', null);
    return { lease, created: true };
  }

  /** Throws when it could not be renewed for all tries. upstream: retryUpdateLease */
  private *retryUpdateLease(ctx: Context, from: LeaseObject): Go<void> {
    let base: LeaseObject | null = from;
    for (let i = 0; i < maxUpdateRetries; i++) {
      let renewed: LeaseObject | null = null;
      try {
        renewed = yield* this.newLease(base);
      } catch (err) {
        this.log.error(err, 'Failed to prepare lease');
      }
      if (renewed)
        try {
          this.latestLease = yield* this.deps.client.updateLease(ctx, NamespaceNodeLease, renewed);
          this.emit('renewed', null);
          return;
        } catch (err) {
          this.log.error(err, 'Failed to update lease');
          this.emit('failed', err);
          if (err instanceof APIError && err.reason === 'Conflict') {
            base = (yield* this.backoffEnsureLease(ctx)).lease;
            continue;
          }
        }
      if (i > 0) this.deps.onRepeatedHeartbeatFailure?.();
    }
    throw new Error(`failed ${maxUpdateRetries} attempts to update lease`);
  }

  /**
   * A copy of `base` renewed now, or a new one. Throws if the node, its owner, cannot be read.
   * upstream: newLease, util SetNodeOwnerFunc
   */
  private *newLease(base: LeaseObject | null): Go<LeaseObject> {
    const { kernel, client, nodeName, leaseDurationSeconds } = this.deps;
    const lease: LeaseObject = base
      ? { ...base, metadata: { ...base.metadata }, spec: { ...base.spec, leaseDurationSeconds } }
      : {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: nodeName, namespace: NamespaceNodeLease },
          spec: { holderIdentity: nodeName, leaseDurationSeconds },
        };
    lease.spec = { ...lease.spec, renewTime: microTime(kernel) };
    if ((lease.metadata.ownerReferences ?? []).length === 0)
      try {
        const { metadata } = yield* client.getNode(nodeName);
        lease.metadata.ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: metadata.uid ?? '' }];
      } catch (err) {
        this.nodeLog.error(err, 'Failed to get node when trying to set owner ref to the node lease', {
          node: nodeName,
        });
        throw err;
      }
    return lease;
  }

  private emit(op: 'created' | 'renewed' | 'failed', err: unknown): void {
    this.deps.kernel.emit({
      kind: 'node-lease',
      op,
      name: this.deps.nodeName,
      ...(op === 'failed' && { error: messageOf(err) }),
    });
  }
}

/** upstream: metav1.MicroTime MarshalJSON */
function microTime(kernel: Kernel): string {
  const now = kernel.now();
  const micros = (((epochMicros(kernel.clock) + now) % 1_000_000) + 1_000_000) % 1_000_000;
  return `${toTime(kernel, now).slice(0, -1)}.${String(Math.floor(micros)).padStart(6, '0')}Z`;
}

const formatInterval = (wait: Micros): string => (wait < Second ? `${wait / Millisecond}ms` : `${wait / Second}s`);
