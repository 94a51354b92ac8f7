import { isLabel, isSubdomain } from '../registry/names.js';
import { badRequest, forbidden } from '../status.js';
import type { Store } from '../storage/store.js';
import type { AuthorizationAttributes, Decision, UserInfo } from '../types.js';
import { NodeAuthorizer, nodeOf } from './node.js';
import { everybodysRules } from './policy.js';
import { RBAC } from './rbac.js';
import { type PolicyRule, ruleAllows } from './rules.js';

/** upstream: --authorization-mode */
export type AuthorizationMode = 'Node' | 'RBAC';

/** The rules of a user that the authorizers can list, for SelfSubjectRulesReview. */
export interface KnownRules {
  readonly rules: readonly PolicyRule[];
  /** The rules that are missing, and why; '' if the list is complete. */
  readonly problem: string;
}

/**
 * The authorizers in their order: the first that allows a request decides. upstream: apiserver pkg/authorization/union
 */
export class Authorizer {
  private readonly node: NodeAuthorizer | null;
  readonly rbac: RBAC | null;
  readonly modes: ReadonlySet<AuthorizationMode>;

  constructor(store: Store, modes: readonly AuthorizationMode[]) {
    this.modes = new Set(modes);
    this.node = this.modes.has('Node') ? new NodeAuthorizer(store) : null;
    this.rbac = this.modes.has('RBAC') ? new RBAC(store) : null;
  }

  authorize(attributes: AuthorizationAttributes): Decision {
    // upstream: authorizerfactory NewPrivilegedGroups
    if (attributes.user.groups.includes('system:masters')) return { allowed: true };
    const reasons: string[] = [];
    for (const authorizer of [this.node, this.rbac]) {
      const decision = authorizer?.authorize(attributes);
      if (decision?.allowed) return decision;
      if (decision?.reason) reasons.push(decision.reason);
    }
    // Without RBAC there are no bindings that would say so.
    const known = !this.rbac && attributes.user.groups.includes('system:authenticated');
    if (known && everybodysRules.some((r) => ruleAllows(attributes, r))) return { allowed: true };
    return { allowed: false, ...(reasons.length > 0 && { reason: reasons.join('\n') }) };
  }

  rulesFor(user: UserInfo, namespace: string): KnownRules {
    if (user.groups.includes('system:masters'))
      return {
        rules: [
          { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
          { verbs: ['*'], nonResourceURLs: ['*'] },
        ],
        problem: '',
      };
    const problems: string[] = [];
    const rules = this.rbac?.rulesFor(user, namespace, problems) ?? everybodysRules;
    if (this.node && nodeOf(user) !== null) problems.unshift('node authorizer does not support user rule resolution');
    return { rules, problem: problems.join(', ') };
  }
}

/** The user that a request asks to be instead of its sender. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/**
 * The service account that a user is; null for any other name, as one that no account can have. upstream: apiserver
 * pkg/authentication/serviceaccount SplitUsername
 */
function accountOf(user: string): { readonly namespace: string; readonly name: string } | null {
  const [, namespace = '', name = ''] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return isLabel(namespace).length === 0 && isSubdomain(name).length === 0 ? { namespace, name } : null;
}

/** Groups and extra values that one request may ask for. */
const maxImpersonated = 64;
/**
 * Returns the user to be, if the sender may impersonate it. Throws a 403.
 * upstream: apiserver pkg/endpoints/filters/impersonation
 */
export function impersonate(
  user: UserInfo,
  wanted: Impersonation,
  authorize: (a: AuthorizationAttributes) => Decision,
): UserInfo {
  const ask = (group: string, resource: string, name: string, subresource = '', namespace = '') => {
    const version = 'v1';
    const verb = 'impersonate';
    const path = '';
    const asked = { user, verb, resourceRequest: true, group, version, resource, subresource, namespace, name, path };
    const { allowed, reason } = authorize(asked);
    if (!allowed) throw refusal(asked, reason);
  };
  const asked = wanted.groups.length + Object.values(wanted.extra).reduce((n, values) => n + values.length, 0);
  // Each is a decision of its own.
  if (asked > maxImpersonated)
    throw badRequest(`at most ${maxImpersonated} groups and extra values can be impersonated at once`);
  const account = accountOf(wanted.user);
  if (account) ask('', 'serviceaccounts', account.name, '', account.namespace);
  else ask('', 'users', wanted.user);
  for (const g of wanted.groups) ask('', 'groups', g);
  for (const [key, values] of Object.entries(wanted.extra))
    for (const v of values) ask('authentication.k8s.io', 'userextras', v, key);
  if (wanted.uid) ask('authentication.k8s.io', 'uids', wanted.uid);
  const given =
    wanted.groups.length > 0 || !account
      ? wanted.groups
      : ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`];
  const anonymous = wanted.user === 'system:anonymous';
  const everybody = anonymous ? 'system:unauthenticated' : 'system:authenticated';
  return {
    name: wanted.user,
    ...(wanted.uid && { uid: wanted.uid }),
    groups: [...new Set([...given, ...(given.includes('system:unauthenticated') ? [] : [everybody])])],
    ...(Object.keys(wanted.extra).length > 0 && { extra: wanted.extra }),
  };
}

/** Escapes what looks like HTML in a message. upstream: apiserver responsewriters sanitizer */
const plain = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** upstream: responsewriters ForbiddenStatusError */
export function refusal(a: AuthorizationAttributes, reason: string | undefined) {
  const { user, verb, path, group, resource, subresource, namespace, name } = a;
  const who = `User ${JSON.stringify(user.name)} cannot ${verb}`;
  const because = reason ? `: ${reason}` : '';
  if (!a.resourceRequest)
    return forbidden({ group: '', resource: '' }, '', `${plain(`${who} path ${JSON.stringify(path)}`)}${because}`);
  const what = JSON.stringify(subresource ? `${resource}/${subresource}` : resource);
  const where = namespace ? `in the namespace ${JSON.stringify(namespace)}` : 'at the cluster scope';
  const text = `${who} resource ${what} in API group ${JSON.stringify(group)} ${where}`;
  return forbidden({ group, resource }, name, `${plain(text)}${because}`);
}
