import { clusterRole, clusterRoleBinding, role, roleBinding } from '../../api/objects/rbac.js';
import { type RoleRef, rbacGroup, type Subject } from '../authorization/rbac.js';
import type { PolicyRule } from '../authorization/rules.js';
import { equalJSON } from '../json.js';
import { isPathSegment, isSubdomain } from '../registry/names.js';
import { allVerbs, type Resource, type Strategy } from '../registry/resource.js';
import { labelSelectorProblems } from '../registry/selectors.js';
import type { ApiObject } from '../types.js';
import { age, ageOf, col, name, plainTable } from './tables.js';

/** upstream: pkg/registry/rbac, pkg/apis/rbac/validation */

interface Role extends ApiObject {
  rules?: PolicyRule[] | null;
  aggregationRule?: { clusterRoleSelectors?: object[] };
}
interface Binding extends ApiObject {
  subjects?: Subject[];
  roleRef: { apiGroup: string; kind: string; name: string };
}
const quoted = JSON.stringify;

function ruleErrors(rule: PolicyRule, at: string, namespaced: boolean): string[] {
  const errors: string[] = [];
  const bad = (why: string) =>
    errors.push(`${at}.nonResourceURLs: Invalid value: ${quoted(rule.nonResourceURLs?.slice(0, 20))}: ${why}`);
  if (!rule.verbs?.length) errors.push(`${at}.verbs: Required value: verbs must contain at least one value`);
  if (rule.nonResourceURLs?.length) {
    if (namespaced) bad('namespaced rules cannot apply to non-resource URLs');
    if (rule.apiGroups?.length || rule.resources?.length || rule.resourceNames?.length)
      bad('rules cannot apply to both regular resources and non-resource URLs');
    return errors;
  }
  if (!rule.apiGroups?.length)
    errors.push(`${at}.apiGroups: Required value: resource rules must supply at least one api group`);
  if (!rule.resources?.length)
    errors.push(`${at}.resources: Required value: resource rules must supply at least one resource`);
  return errors;
}
function roleErrors(draft: ApiObject, namespaced: boolean): string[] {
  const { rules, aggregationRule } = draft as Role;
  const errors = (rules ?? []).flatMap((r, i) => ruleErrors(r, `rules[${i}]`, namespaced));
  if (!aggregationRule) return errors;
  const at = 'aggregationRule.clusterRoleSelectors';
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0)
    errors.push(`${at}: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil`);
  for (const [i, s] of selectors.entries()) errors.push(...labelSelectorProblems(s, `${at}[${i}]`));
  return errors;
}
const roleStrategy = (namespaced: boolean): Strategy => ({
  validate: (draft) => roleErrors(draft, namespaced),
  validateUpdate: (draft) => roleErrors(draft, namespaced),
  createOnUpdate: true,
});

function setBindingDefaults(draft: ApiObject): void {
  const { roleRef, subjects } = draft as Binding;
  if (roleRef && !roleRef.apiGroup) roleRef.apiGroup = rbacGroup;
  for (const s of subjects ?? []) if (!s.apiGroup && (s.kind === 'User' || s.kind === 'Group')) s.apiGroup = rbacGroup;
}
function subjectErrors(s: Subject, at: string, namespaced: boolean): string[] {
  const errors: string[] = [];
  if (!s.name) errors.push(`${at}.name: Required value`);
  const group = s.apiGroup ?? '';
  const wrongGroup = (supported: string) =>
    errors.push(`${at}.apiGroup: Unsupported value: ${quoted(group)}: supported values: ${quoted(supported)}`);
  switch (s.kind) {
    case 'ServiceAccount':
      if (s.name)
        for (const m of isSubdomain(s.name)) errors.push(`${at}.name: Invalid value: ${quoted(s.name)}: ${m}`);
      if (group) wrongGroup('');
      if (!namespaced && !s.namespace) errors.push(`${at}.namespace: Required value`);
      break;
    case 'User':
    case 'Group':
      if (group !== rbacGroup) wrongGroup(rbacGroup);
      break;
    default:
      errors.push(
        `${at}.kind: Unsupported value: ${quoted(s.kind)}: supported values: "ServiceAccount", "User", "Group"`,
      );
  }
  return errors;
}
function bindingErrors(draft: ApiObject, namespaced: boolean): string[] {
  const { roleRef, subjects } = draft as Binding;
  const errors: string[] = [];
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  if (roleRef.apiGroup !== rbacGroup)
    errors.push(
      `roleRef.apiGroup: Unsupported value: ${quoted(roleRef.apiGroup)}: supported values: ${quoted(rbacGroup)}`,
    );
  if (!kinds.includes(roleRef.kind))
    errors.push(
      `roleRef.kind: Unsupported value: ${quoted(roleRef.kind)}: supported values: ${kinds.map((k) => quoted(k)).join(', ')}`,
    );
  if (!roleRef.name) errors.push('roleRef.name: Required value');
  else
    for (const m of isPathSegment(roleRef.name))
      errors.push(`roleRef.name: Invalid value: ${quoted(roleRef.name)}: ${m}`);
  for (const [i, s] of (subjects ?? []).entries()) errors.push(...subjectErrors(s, `subjects[${i}]`, namespaced));
  return errors;
}
const bindingStrategy = (namespaced: boolean): Strategy => ({
  defaults: setBindingDefaults,
  validate: (draft) => bindingErrors(draft, namespaced),
  validateUpdate(draft, old) {
    const errors = bindingErrors(draft, namespaced);
    const { roleRef } = draft as Binding;
    if (!equalJSON(roleRef, (old as Binding).roleRef))
      errors.push(`roleRef: Invalid value: ${quoted(roleRef satisfies RoleRef)}: cannot change roleRef`);
    return errors;
  },
  createOnUpdate: true,
});

const names = (o: ApiObject, kind: string): string =>
  ((o as Binding).subjects ?? [])
    .filter((s) => s.kind === kind)
    .map((s) => (kind === 'ServiceAccount' && s.namespace ? `${s.namespace}/${s.name}` : s.name))
    .join(', ');
const bindingTable: Resource['table'] = {
  columns: [
    name,
    col('Role', 'The role that is granted.'),
    age,
    col('Users', 'Users to whom it is granted.', 1),
    col('Groups', 'Groups to which it is granted.', 1),
    col('ServiceAccounts', 'Service accounts to which it is granted.', 1),
  ],
  cells(o, now) {
    const { roleRef } = o as Binding;
    const who = ['User', 'Group', 'ServiceAccount'].map((kind) => names(o, kind));
    return [o.metadata.name, `${roleRef.kind}/${roleRef.name}`, ageOf(o, now), ...who];
  },
};

const common = { group: rbacGroup, version: 'v1', verbs: allVerbs, nameRule: isPathSegment } as const;
export const roles: Resource = {
  ...common,
  resource: 'roles',
  singular: 'role',
  kind: 'Role',
  namespaced: true,
  type: role,
  strategy: roleStrategy(true),
  table: plainTable,
};
export const clusterRoles: Resource = {
  ...common,
  resource: 'clusterroles',
  singular: 'clusterrole',
  kind: 'ClusterRole',
  namespaced: false,
  type: clusterRole,
  strategy: roleStrategy(false),
  table: plainTable,
};
export const roleBindings: Resource = {
  ...common,
  resource: 'rolebindings',
  singular: 'rolebinding',
  kind: 'RoleBinding',
  namespaced: true,
  type: roleBinding,
  strategy: bindingStrategy(true),
  table: bindingTable,
};
export const clusterRoleBindings: Resource = {
  ...common,
  resource: 'clusterrolebindings',
  singular: 'clusterrolebinding',
  kind: 'ClusterRoleBinding',
  namespaced: false,
  type: clusterRoleBinding,
  strategy: bindingStrategy(false),
  table: bindingTable,
};
