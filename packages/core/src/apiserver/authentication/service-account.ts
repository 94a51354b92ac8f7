import { keyOf, type Store } from '../storage/store.js';
import type { ApiObject, UserInfo } from '../types.js';

/** The issuer and audience if no others are given. upstream: --service-account-issuer of kubeadm */
export const defaultIssuer = 'https://kubernetes.default.svc.cluster.local';

/** Another object that a token is good as long as. */
export interface BoundObject {
  readonly kind: 'Pod' | 'Secret' | 'Node';
  readonly name: string;
  readonly uid: string;
}
/** The contents of a token. Times are seconds since 1970. */
export interface TokenClaims {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly expires: number;
  readonly issued: number;
  readonly bound?: BoundObject;
  /** The node of the pod that the token is bound to. It says where the token is used; the server does not check it. */
  readonly node?: { readonly name: string; readonly uid?: string };
  /** From this time on the server warns about each use of the token. upstream: WarnAfter */
  readonly warnAfter?: number;
  /** upstream: jti */
  readonly id?: string;
}

/** The sender of a token, or why it is unknown; null if this is not a token of this kind at all. */
export type TokenUser =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly error: string }
  | null;

/** Gives tokens to service accounts, and knows them again. */
export interface ServiceAccountTokens {
  issue(claims: TokenClaims): string;
  /** Returns the user of a token. `audiences`: those that it may be for; none means the server itself. */
  check(token: string, audiences: readonly string[]): TokenUser;
}

/** Seconds that clocks may differ, and that what is deleted may still be used. upstream: jwt.DefaultLeeway */
export const leeway = 60;

/**
 * Says why a token's account, or the object that it is bound to, makes it invalid; null if nothing does.
 * upstream: validator
 */
export function staleness(store: Store, claims: TokenClaims, nowMillis: number): string | null {
  const { namespace, serviceAccount: name, uid, bound } = claims;
  const deleted = ({ metadata }: ApiObject) =>
    !!metadata.deletionTimestamp && Date.parse(metadata.deletionTimestamp) < nowMillis - leeway * 1000;
  const account = store.get('serviceaccounts', keyOf(namespace, name));
  if (!account) return `serviceaccounts ${JSON.stringify(name)} not found`;
  if (account.metadata.uid !== uid)
    return `service account UID (${account.metadata.uid}) does not match claim (${uid})`;
  if (deleted(account)) return `service account ${namespace}/${name} has been deleted`;
  if (!bound) return null;
  const kind = bound.kind.toLowerCase();
  const there = store.get(`${kind}s`, keyOf(kind === 'node' ? '' : namespace, bound.name));
  if (!there || deleted(there)) return 'service account token has been invalidated';
  if (there.metadata.uid !== bound.uid)
    return `${kind} UID (${there.metadata.uid}) does not match service account ${kind} ref claim (${bound.uid})`;
  return null;
}

/** upstream: serviceaccount.ServiceAccountInfo UserInfo */
export function userOf({ namespace, serviceAccount, uid, bound, node, id }: TokenClaims): UserInfo {
  const at = bound?.kind === 'Node' ? bound : node;
  const extra = {
    ...(id && { 'credential-id': [`JTI=${id}`] }),
    ...(at && { 'node-name': [at.name] }),
    ...(at?.uid && { 'node-uid': [at.uid] }),
    ...(bound?.kind === 'Pod' && { 'pod-name': [bound.name], 'pod-uid': [bound.uid] }),
  };
  const keys = Object.entries(extra).map(([k, v]) => [`authentication.kubernetes.io/${k}`, v] as const);
  return {
    name: `system:serviceaccount:${namespace}:${serviceAccount}`,
    uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    ...(keys.length > 0 && { extra: Object.fromEntries(keys) }),
  };
}
