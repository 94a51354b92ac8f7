import type { TokenRequestObject } from '../../api/cluster-types.js';
import { fromTime } from '../../api/time.js';
import { messageOf } from '../../base/index.js';
import { background, type Go, Hour, type Kernel, Minute, Second, sleep } from '../../kernel/index.js';
import type { KubeClient } from '../client/kube-client.js';
import { Logger } from '../klog.js';

/** upstream: pkg/kubelet/token/token_manager.go */
const maxTTL = 24 * Hour;
const gcPeriod = Minute;
const maxJitter = 10 * Second;

/** Tokens of service accounts, kept until most of their time is over. upstream: pkg/kubelet/token (*Manager) */
export class TokenManager {
  private readonly cache = new Map<string, TokenRequestObject>();
  private readonly log: Logger;

  constructor(
    private readonly kernel: Kernel,
    private readonly client: Pick<KubeClient, 'createToken'>,
  ) {
    this.log = new Logger(kernel, 'token_manager.go');
  }

  /** Forgets what is over, once a minute. */
  start(): void {
    const manager = this;
    this.kernel.go(
      'token cleanup',
      function* () {
        for (;;) {
          for (const [key, token] of manager.cache) if (manager.expired(token)) manager.cache.delete(key);
          yield* sleep(gcPeriod);
        }
      },
      { place: 'volumes', daemon: true },
    );
  }

  /**
   * Returns a token from the cache, or a new one; the old one if the request for a new one fails and it is still valid.
   * upstream: (*Manager).GetServiceAccountToken
   */
  *getServiceAccountToken(namespace: string, name: string, request: TokenRequestObject): Go<TokenRequestObject> {
    const key = keyOf(namespace, name, request);
    const known = this.cache.get(key);
    if (known && !this.requiresRefresh(known)) return known;
    let fresh: TokenRequestObject;
    try {
      fresh = yield* this.client.createToken(background, namespace, name, request);
      if (!fresh.status?.token) throw new Error('the server sent no token');
    } catch (err) {
      if (!known) throw new Error(`failed to fetch token: ${messageOf(err)}`, { cause: err });
      if (this.expired(known))
        throw new Error(`token ${key} expired and refresh failed: ${messageOf(err)}`, { cause: err });
      this.log.error(err, "Couldn't update token", { cacheKey: key });
      return known;
    }
    this.cache.set(key, fresh);
    return fresh;
  }

  /** Deletes the tokens of a pod that is gone. upstream: DeleteServiceAccountToken */
  deleteServiceAccountToken(podUID: string): void {
    for (const [key, { spec }] of this.cache) if (spec.boundObjectRef?.uid === podUID) this.cache.delete(key);
  }

  private expiry(token: TokenRequestObject): number {
    return fromTime(this.kernel, token.status?.expirationTimestamp) ?? Number.NEGATIVE_INFINITY;
  }
  private expired(token: TokenRequestObject): boolean {
    return this.kernel.now() > this.expiry(token);
  }

  /** Returns true if four fifths of its time are over, or a day. upstream: requiresRefresh */
  private requiresRefresh(token: TokenRequestObject): boolean {
    const now = this.kernel.now();
    const expires = this.expiry(token);
    const ttl = token.spec.expirationSeconds * Second;
    // Whole seconds, as upstream's.
    const jitter = Math.floor((this.kernel.random.float() * maxJitter) / Second) * Second;
    if (now > expires - ttl + maxTTL - jitter) return true;
    return now > expires - Math.floor((token.spec.expirationSeconds * 20) / 100) * Second - jitter;
  }
}

/** Says nothing that is secret. */
function keyOf(namespace: string, name: string, { spec, metadata }: TokenRequestObject): string {
  const q = JSON.stringify;
  return [
    q(name),
    q(namespace),
    q(spec.audiences),
    spec.expirationSeconds,
    q(spec.boundObjectRef ?? {}),
    q(metadata?.uid ?? ''),
  ].join('/');
}
