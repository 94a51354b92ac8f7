import type { Kernel } from '../../kernel/index.js';
import type { ToldRules } from '../authorization/index.js';
import type { Registry } from '../registry/registry.js';
import type { Env, Resource } from '../registry/resource.js';
import type { Store } from '../storage/store.js';
import type { ApiRequest, AuthorizationAttributes, Decision, RandomSource, UserInfo } from '../types.js';

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
  /** The rules of somebody, as far as they can be told. */
  rulesFor(user: UserInfo, namespace: string): ToldRules;
  /** The user that a service account's token stands for; null where it is no good. */
  userOfToken(token: string, audiences: readonly string[]): { user: UserInfo; audiences: readonly string[] } | null;
  issueToken(claims: TokenClaims): string;
  readonly resources: readonly Resource[];
  readonly gitVersion: string;
  readonly serverAddress: string;
}

/** What a token says. */
export interface TokenClaims {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  /** Seconds since 1970. */
  readonly expires: number;
  readonly issued: number;
  readonly bound?: { readonly kind: string; readonly name: string; readonly uid: string };
}
