import type { Kernel } from '../../kernel/index.js';
import type { TokenClaims, TokenUser } from '../authentication/index.js';
import type { KnownRules } from '../authorization/index.js';
import type { Registry } from '../registry/registry.js';
import type { Env, Resource } from '../registry/resource.js';
import type { Store } from '../storage/store.js';
import type { ApiRequest, AuthorizationAttributes, Decision, RandomSource, UserInfo } from '../types.js';
import type { RequestInfo } from './request-info.js';

/** What the handlers need of the server. */
export interface ServerCore {
  readonly kernel: Kernel;
  readonly store: Store;
  readonly registry: Registry;
  readonly random: RandomSource;
  /** Wall time, ms since 1970. */
  nowMillis(): number;
  env(request: ApiRequest, options: { dryRun: boolean; warn(text: string): void }): Env;
  authorize(attributes: AuthorizationAttributes): Decision;
  /**
   * Throws a 403 where whoever sent the request may not do this to what it names, with another verb than its method
   * has.
   */
  mustAllow(info: RequestInfo, request: ApiRequest, verb: string): void;
  /** The rules of somebody, as far as they can be told. */
  rulesFor(user: UserInfo, namespace: string): KnownRules;
  /** Who a bearer token stands for. */
  checkToken(token: string, audiences: readonly string[]): TokenUser;
  issueToken(claims: TokenClaims): string;
  /** Of the tokens that it gives, and their audience where none is asked for. */
  readonly issuer: string;
  /** Tokens are signed, and say all that a cluster's say. */
  readonly signsTokens: boolean;
  readonly resources: readonly Resource[];
  readonly gitVersion: string;
  readonly serverAddress: string;
}
