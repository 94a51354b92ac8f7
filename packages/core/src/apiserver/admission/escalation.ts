import type { RBAC, RoleRef } from '../authorization/rbac.js';
import { rbacGroup } from '../authorization/rbac.js';
import { groupsText, type PolicyRule, rulesText, TooManyRules, uncovered } from '../authorization/rules.js';
import { equalJSON } from '../json.js';
import { forbidden, notFound } from '../status.js';
import type { ApiObject } from '../types.js';
import type { AdmissionPlugin, AdmissionRequest } from './index.js';

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];
interface Role extends ApiObject {
  readonly rules?: readonly PolicyRule[];
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly unknown[] };
}
interface Binding extends ApiObject {
  readonly roleRef: RoleRef;
}

/**
 * Refuses to grant what the writer does not have: a role's rules, and those of the role that a binding names, must be
 * among the writer's own. The verbs `escalate` and `bind` lift it.
 * upstream: pkg/registry/rbac policybased
 */
export function escalationCheck(rbac: RBAC): AdmissionPlugin {
  return {
    admit(a) {
      const { resource, object, old, env } = a;
      if (resource.group !== rbacGroup || !object || env.user.groups.includes('system:masters')) return;
      if (old && onlyMetadataOfDeletion(object, old)) return;
      if (resource.resource === 'roles' || resource.resource === 'clusterroles') checkRole(rbac, a, object as Role);
      else checkBinding(rbac, a, object as Binding);
    },
  };
}

/** upstream: IsOnlyMutatingGCFields */
function onlyMetadataOfDeletion(next: ApiObject, old: ApiObject): boolean {
  const bare = (o: ApiObject) => {
    const { ownerReferences: _o, finalizers: _f, managedFields: _m, ...metadata } = o.metadata;
    return { ...o, metadata };
  };
  return equalJSON(bare(next), bare(old));
}

const mayDo = ({ env, namespace }: AdmissionRequest, verb: string, resource: string, name: string): boolean =>
  env.authorize({
    user: env.user,
    verb,
    resourceRequest: true,
    group: rbacGroup,
    version: '*',
    resource,
    subresource: '',
    namespace,
    name,
    path: '',
  }).allowed;

function checkRole(rbac: RBAC, a: AdmissionRequest, role: Role): void {
  // As in upstream, the name comes from the request: a POST has none.
  if (mayDo(a, 'escalate', a.resource.resource, a.requestName)) return;
  confirm(rbac, a, role.rules ?? []);
  const gathers = (o: Role | null) => (o?.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;
  if (!gathers(role) && !gathers(a.old as Role | null)) return;
  if (missingOf(rbac, a, everything).length > 0)
    throw forbidden(a.resource, a.name, 'must have cluster-admin privileges to use the aggregationRule');
}

function checkBinding(rbac: RBAC, a: AdmissionRequest, { roleRef }: Binding): void {
  if (!roleRef?.name) return;
  const resource = roleRef.kind === 'Role' ? 'roles' : 'clusterroles';
  if (mayDo(a, 'bind', resource, roleRef.name)) return;
  const rules = rbac.rulesOf(roleRef, a.namespace);
  if (!rules) throw notFound({ group: rbacGroup, resource }, roleRef.name);
  confirm(rbac, a, rules);
}

function missingOf(
  rbac: RBAC,
  a: AdmissionRequest,
  rules: readonly PolicyRule[],
  problems: string[] = [],
): PolicyRule[] {
  try {
    return uncovered(rbac.rulesFor(a.env.user, a.namespace, problems), rules);
  } catch (error) {
    if (error instanceof TooManyRules) throw forbidden(a.resource, a.name, error.message);
    throw error;
  }
}
/** upstream: ConfirmNoEscalation */
function confirm(rbac: RBAC, a: AdmissionRequest, rules: readonly PolicyRule[]): void {
  const problems: string[] = [];
  const missing = missingOf(rbac, a, rules, problems);
  if (missing.length === 0) return;
  const { name, groups } = a.env.user;
  const unresolved = problems.length > 0 ? `; resolution errors: [${problems.join(', ')}]` : '';
  throw forbidden(
    a.resource,
    a.name,
    `user ${JSON.stringify(name)} (groups=${groupsText(groups)}) is attempting to grant RBAC permissions not currently held:\n${rulesText(missing)}${unresolved}`,
  );
}
