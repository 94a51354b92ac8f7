import { base64urlBytes, base64urlEncode, isObject, utf8TextStrict } from '../../base/index.js';
import type { Store } from '../storage/store.js';
import {
  type BoundObject,
  leeway,
  type ServiceAccountTokens,
  staleness,
  type TokenClaims,
  type TokenUser,
  userOf,
} from './service-account.js';

/** The key of service accounts, which is the host's. */
export interface TokenKey {
  /** Written as JWTs name it: `ES256`, `RS256`. */
  readonly algorithm: string;
  /** upstream: keyIDFromPublicKey */
  readonly id: string;
  /** The public key as RFC 7517 has it: `kty`, and what belongs to it. */
  readonly publicJWK: Readonly<Record<string, string>>;
  /** The signature over the text's bytes, as JWTs have it. */
  sign(text: string): Uint8Array;
  verify(text: string, signature: Uint8Array): boolean;
}

/** Most characters of a token: one of ours with the longest names has some 3000. */
const maxToken = 16_384;
const kubernetes = 'kubernetes.io';

/** Tokens that a client with the public key can check. upstream: pkg/serviceaccount jwt.go, claims.go */
export class SignedTokens implements ServiceAccountTokens {
  constructor(
    private readonly store: Store,
    private readonly key: TokenKey,
    private readonly issuer: string,
    private readonly nowMillis: () => number,
  ) {}

  issue(claims: TokenClaims): string {
    const { namespace, serviceAccount, uid, audiences, expires, issued, bound, node, warnAfter, id } = claims;
    const of = (o: { name: string; uid?: string }) => ({ name: o.name, ...(o.uid && { uid: o.uid }) });
    const at = bound?.kind === 'Node' ? bound : node;
    const header = { alg: this.key.algorithm, kid: this.key.id };
    const payload = {
      aud: audiences,
      exp: expires,
      iat: issued,
      iss: this.issuer,
      ...(id && { jti: id }),
      [kubernetes]: {
        namespace,
        ...(at && { node: of(at) }),
        ...(bound?.kind === 'Pod' && { pod: of(bound) }),
        ...(bound?.kind === 'Secret' && { secret: of(bound) }),
        serviceaccount: { name: serviceAccount, uid },
        ...(warnAfter !== undefined && { warnafter: warnAfter }),
      },
      nbf: issued,
      sub: `system:serviceaccount:${namespace}:${serviceAccount}`,
    };
    const text = [header, payload].map((part) => base64urlEncode(JSON.stringify(part))).join('.');
    return `${text}.${base64urlEncode(this.key.sign(text))}`;
  }

  check(token: string, audiences: readonly string[]): TokenUser {
    if (token.length > maxToken) return null;
    const parts = token.split('.');
    if (parts.length !== 3) return null;
    const [head = '', body = '', tail = ''] = parts;
    const header = objectOf(head);
    const payload = objectOf(body);
    const signature = base64urlBytes(tail);
    // Another issuer's token is nothing that could be wrong here.
    if (!header || !payload || !signature || payload.iss !== this.issuer) return null;
    if (header.kid !== this.key.id) return { error: 'invalid signature, no keys found' };
    // The algorithm is the key's, whatever the token says.
    if (header.alg !== this.key.algorithm || !this.key.verify(`${head}.${body}`, signature))
      return { error: 'go-jose/go-jose: error in cryptographic primitive' };
    const claims = claimsOf(payload);
    if (!claims) return { error: 'service account token claims could not be validated' };
    const now = this.nowMillis();
    const asked = audiences.length > 0 ? audiences : [this.issuer];
    const both = claims.audiences.filter((a) => asked.includes(a));
    if (both.length === 0)
      return { error: `token audiences ${go(claims.audiences)} is invalid for the target audiences ${go(asked)}` };
    if ((claims.expires + leeway) * 1000 < now) return { error: 'service account token has expired' };
    if ((claims.issued - leeway) * 1000 > now) return { error: 'service account token is not valid yet' };
    const stale = staleness(this.store, claims, now);
    return stale === null ? { user: userOf(claims), audiences: both } : { error: stale };
  }
}

const go = (texts: readonly string[]) => `[${texts.map((t) => JSON.stringify(t)).join(' ')}]`;

function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  const bytes = base64urlBytes(text);
  if (!bytes) return null;
  try {
    const value: unknown = JSON.parse(utf8TextStrict(bytes));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Reads the claims of a token that this server's own key has signed, in the form that {@link SignedTokens.issue} gives
 * it.
 */
function claimsOf(payload: Readonly<Record<string, unknown>>): TokenClaims | null {
  const own = payload[kubernetes];
  if (!isObject(own)) return null;
  const ref = (value: unknown) =>
    isObject(value) && typeof value.name === 'string'
      ? { name: value.name, ...(typeof value.uid === 'string' && { uid: value.uid }) }
      : null;
  const account = ref(own.serviceaccount);
  const [pod, secret, node] = [ref(own.pod), ref(own.secret), ref(own.node)];
  const { aud, exp, iat, jti } = payload;
  if (!account?.uid || typeof own.namespace !== 'string' || typeof exp !== 'number' || typeof iat !== 'number')
    return null;
  if (!Array.isArray(aud) || !aud.every((a): a is string => typeof a === 'string')) return null;
  const bound = (
    [
      ['Pod', pod],
      ['Secret', secret],
      ['Node', node],
    ] as const
  ).find(([, o]) => o !== null);
  return {
    namespace: own.namespace,
    serviceAccount: account.name,
    uid: account.uid,
    audiences: aud,
    expires: exp,
    issued: iat,
    ...(bound?.[1] && {
      bound: { kind: bound[0], name: bound[1].name, uid: bound[1].uid ?? '' } satisfies BoundObject,
    }),
    ...(pod && node && { node }),
    ...(typeof jti === 'string' && { id: jti }),
  };
}
