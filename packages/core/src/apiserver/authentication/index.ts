import type { Store } from '../storage/store.js';
import type { RandomSource, UserInfo } from '../types.js';
import { userOfBootstrapToken } from './bootstrap-tokens.js';
import { RememberedTokens } from './remembered-tokens.js';
import { defaultIssuer, type ServiceAccountTokens, type TokenClaims, type TokenUser } from './service-account.js';
import { SignedTokens, type TokenKey } from './signed-tokens.js';

export type { BoundObject, TokenClaims, TokenUser } from './service-account.js';
export type { TokenKey } from './signed-tokens.js';

export interface AuthenticationOptions {
  /** Signs the tokens of service accounts. Without it they are known by their text alone, and end with the server. */
  readonly tokenKey?: TokenKey;
  /** An https URL. Default: https://kubernetes.default.svc.cluster.local */
  readonly issuer?: string;
  /** Tokens that the host knows, such as the administrator's. Its time must not depend on the text. */
  hostToken?(token: string): UserInfo | null;
}

/** Bearer tokens: of the host, of nodes that join, of service accounts. upstream: pkg/kubeapiserver/authenticator */
export class Authenticator {
  readonly issuer: string;
  private readonly serviceAccounts: ServiceAccountTokens;

  constructor(
    private readonly store: Store,
    private readonly options: AuthenticationOptions,
    random: RandomSource,
    private readonly nowMillis: () => number,
  ) {
    const { tokenKey, issuer = defaultIssuer } = options;
    this.issuer = tokenKey ? issuer : defaultIssuer;
    this.serviceAccounts = tokenKey
      ? new SignedTokens(store, tokenKey, issuer, nowMillis)
      : new RememberedTokens(store, random, nowMillis);
  }

  issue(claims: TokenClaims): string {
    return this.serviceAccounts.issue(claims);
  }
  /** Checks a token for these audiences and returns its user; no audience means the server itself. */
  check(token: string, audiences: readonly string[]): TokenUser {
    const known = this.options.hostToken?.(token) ?? userOfBootstrapToken(this.store, token, this.nowMillis());
    if (!known) return this.serviceAccounts.check(token, audiences);
    const both = audiences.length === 0 ? [this.issuer] : audiences.filter((a) => a === this.issuer);
    return both.length > 0 ? { user: known, audiences: both } : null;
  }

  /** Documents for those who check tokens themselves; null for any other path. upstream: openidmetadata.go */
  document(path: string, serverAddress: string): { readonly contentType: string; readonly body: object } | null {
    const { tokenKey } = this.options;
    if (!tokenKey) return null;
    const { algorithm: alg, id: kid, publicJWK } = tokenKey;
    if (path === '/openid/v1/jwks')
      return { contentType: 'application/jwk-set+json', body: { keys: [{ use: 'sig', ...publicJWK, kid, alg }] } };
    if (path !== '/.well-known/openid-configuration') return null;
    return {
      contentType: 'application/json',
      body: {
        issuer: this.issuer,
        jwks_uri: `https://${serverAddress}/openid/v1/jwks`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [alg],
      },
    };
  }
}
