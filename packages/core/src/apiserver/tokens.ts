import { base64urlEncode } from '../base/index.js';
import type { ServerCore, TokenClaims } from './http/core.js';
import { keyOf } from './storage/store.js';
import type { UserInfo } from './types.js';

export const defaultAudience = 'https://kubernetes.default.svc.cluster.local';
/** Tokens remembered at most; the oldest go first. */
const maxTokens = 10_000;

/**
 * Tokens of service accounts. They look like a JWT, but are not signed: the server knows those that it gave out by
 * their text. upstream: pkg/serviceaccount
 */
export class Tokens {
  private readonly given = new Map<string, TokenClaims>();
  constructor(private readonly server: ServerCore) {}

  issue(claims: TokenClaims): string {
    const { namespace, serviceAccount, uid, audiences, expires, issued, bound } = claims;
    const header = base64urlEncode(JSON.stringify({ alg: 'RS256', kid: 'syncloop' }));
    const body = base64urlEncode(
      JSON.stringify({
        aud: audiences,
        exp: expires,
        iat: issued,
        iss: defaultAudience,
        nbf: issued,
        'kubernetes.io': {
          namespace,
          serviceaccount: { name: serviceAccount, uid },
          ...(bound && { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } }),
        },
        sub: `system:serviceaccount:${namespace}:${serviceAccount}`,
      }),
    );
    const token = `${header}.${body}.${base64urlEncode(this.server.random.hex(64))}`;
    for (const [old, c] of this.given) {
      if (this.given.size < maxTokens && c.expires * 1000 > this.server.nowMillis()) break;
      this.given.delete(old);
    }
    this.given.set(token, claims);
    return token;
  }

  /** Null for a token that was not given out, has expired, or whose account or bound object is gone. */
  check(token: string, audiences: readonly string[]): { user: UserInfo; audiences: readonly string[] } | null {
    const claims = this.given.get(token);
    if (!claims || claims.expires * 1000 <= this.server.nowMillis()) return null;
    const { namespace, serviceAccount, uid, bound } = claims;
    const { store } = this.server;
    if (store.get('serviceaccounts', keyOf(namespace, serviceAccount))?.metadata.uid !== uid) return null;
    if (bound) {
      const resource = `${bound.kind.toLowerCase()}s`;
      const there = store.get(resource, keyOf(resource === 'nodes' ? '' : namespace, bound.name));
      if (there?.metadata.uid !== bound.uid) return null;
    }
    const asked = audiences.length > 0 ? audiences : [defaultAudience];
    const both = asked.filter((a) => claims.audiences.includes(a));
    if (both.length === 0) return null;
    return {
      audiences: both,
      user: {
        name: `system:serviceaccount:${namespace}:${serviceAccount}`,
        uid,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
        ...(bound?.kind === 'Pod' && {
          extra: {
            'authentication.kubernetes.io/pod-name': [bound.name],
            'authentication.kubernetes.io/pod-uid': [bound.uid],
          },
        }),
      },
    };
  }
}
