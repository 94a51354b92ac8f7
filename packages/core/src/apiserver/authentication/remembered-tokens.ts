import { base64urlEncode } from '../../base/index.js';
import type { Store } from '../storage/store.js';
import type { RandomSource } from '../types.js';
import {
  defaultIssuer,
  type ServiceAccountTokens,
  staleness,
  type TokenClaims,
  type TokenUser,
  userOf,
} from './service-account.js';

/** Tokens remembered at most; the oldest go first. */
const maxTokens = 10_000;

/**
 * Tokens of a server without keys, as simulations have: they look like a JWT, but nobody signed them. The server knows
 * those that it gave out by their text, and the same seed gives the same ones.
 */
export class RememberedTokens implements ServiceAccountTokens {
  private readonly given = new Map<string, TokenClaims>();
  constructor(
    private readonly store: Store,
    private readonly random: RandomSource,
    private readonly nowMillis: () => number,
  ) {}

  issue(claims: TokenClaims): string {
    const { namespace, serviceAccount, uid, audiences, expires, issued, bound } = claims;
    const header = base64urlEncode(JSON.stringify({ alg: 'RS256', kid: 'syncloop' }));
    const body = base64urlEncode(
      JSON.stringify({
        aud: audiences,
        exp: expires,
        iat: issued,
        iss: defaultIssuer,
        nbf: issued,
        'kubernetes.io': {
          namespace,
          serviceaccount: { name: serviceAccount, uid },
          ...(bound && { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } }),
        },
        sub: `system:serviceaccount:${namespace}:${serviceAccount}`,
      }),
    );
    const token = `${header}.${body}.${base64urlEncode(this.random.hex(64))}`;
    for (const [old, c] of this.given) {
      if (this.given.size < maxTokens && c.expires * 1000 > this.nowMillis()) break;
      this.given.delete(old);
    }
    this.given.set(token, claims);
    return token;
  }

  check(token: string, audiences: readonly string[]): TokenUser {
    const claims = this.given.get(token);
    if (!claims) return { error: 'token lookup failed' };
    const now = this.nowMillis();
    if (claims.expires * 1000 <= now) return { error: 'service account token has expired' };
    const asked = audiences.length > 0 ? audiences : [defaultIssuer];
    const both = claims.audiences.filter((a) => asked.includes(a));
    if (both.length === 0) return { error: 'the token is not for these audiences' };
    const stale = staleness(this.store, claims, now);
    return stale === null ? { user: userOf(claims), audiences: both } : { error: stale };
  }
}
