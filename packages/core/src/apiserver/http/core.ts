import type { Kernel } from '../../kernel/index.js';
import type { TokenClaims, TokenUser } from '../authentication/index.js';
import type { KnownRules } from '../authorization/index.js';
import type { Registry } from '../registry/registry.js';
import type { Env, Resource } from '../registry/resource.js';
import type { Store } from '../storage/store.js';
import type { ApiRequest, AuthorizationAttributes, Decision, RandomSource, UserInfo } from '../types.js';
import type { RequestInfo } from './request-info.js';

/** The part of the server that the handlers need. */
export interface ServerCore {
  readonly kernel: Kernel;
  readonly store: Store;
  readonly registry: Registry;
  readonly random: RandomSource;
  /** Returns the wall time, ms since 1970. */
  nowMillis(): number;
  env(request: ApiRequest, options: { dryRun: boolean; warn(text: string): void }): Env;
  authorize(attributes: AuthorizationAttributes): Decision;
  /**
   * Throws a 403 if the sender of the request may not use this verb on the object that the request names. The verb is
   * not the one of the request's method.
   */
  mustAllow(info: RequestInfo, request: ApiRequest, verb: string): void;
  /** The rules of a user that the authorizers can list. */
  rulesFor(user: UserInfo, namespace: string): KnownRules;
  /** The user that a bearer token stands for. */
  checkToken(token: string, audiences: readonly string[]): TokenUser;
  issueToken(claims: TokenClaims): string;
  /** The issuer of the tokens that the server issues, and their audience if a request names none. */
  readonly issuer: string;
  /** True if tokens are signed and have all claims of a cluster's tokens. */
  readonly signsTokens: boolean;
  readonly resources: readonly Resource[];
  readonly gitVersion: string;
  readonly serverAddress: string;
}
