import type { ApiObject } from '../types.js';
import { nodeRules } from './node.js';
import { type RoleRef, rbacGroup, type Subject } from './rbac.js';
import type { PolicyRule } from './rules.js';

/**
 * Roles and bindings that a cluster begins with, of those that have a meaning here: what only names resources or
 * components that this server has not is left out. upstream: plugin/pkg/auth/authorizer/rbac/bootstrappolicy
 */

const read = ['get', 'list', 'watch'];
const write = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const readWrite = [...read, ...write];
const rule = (verbs: readonly string[], apiGroups: readonly string[], ...resources: readonly string[]): PolicyRule => ({
  verbs,
  apiGroups,
  resources,
});
const urls = (...nonResourceURLs: readonly string[]): PolicyRule => ({ verbs: ['get'], nonResourceURLs });
const certificates = ['certificates.k8s.io'];

const viewRules: readonly PolicyRule[] = [
  rule(read, [''], 'pods', 'serviceaccounts', 'services', 'services/status', 'endpoints', 'configmaps'),
  rule(read, [''], 'bindings', 'pods/status', 'namespaces/status', 'pods/log'),
  rule(read, [''], 'namespaces'),
  rule(read, ['', 'events.k8s.io'], 'events'),
  rule(read, ['batch'], 'jobs', 'jobs/status'),
];
const editRules: readonly PolicyRule[] = [
  rule(read, [''], 'pods/attach', 'pods/proxy', 'pods/exec', 'pods/portforward', 'secrets', 'services/proxy'),
  rule(['impersonate'], [''], 'serviceaccounts'),
  rule(write, [''], 'pods', 'pods/attach', 'pods/proxy', 'pods/exec', 'pods/portforward'),
  rule(['create'], [''], 'pods/eviction'),
  rule(write, [''], 'serviceaccounts', 'services', 'services/proxy', 'configmaps', 'secrets'),
  rule(['create'], [''], 'serviceaccounts/token'),
  rule(write, ['', 'events.k8s.io'], 'events'),
  rule(readWrite, ['coordination.k8s.io'], 'leases'),
  rule(write, ['batch'], 'jobs'),
];
const adminRules: readonly PolicyRule[] = [
  rule(['create'], ['authorization.k8s.io'], 'localsubjectaccessreviews'),
  rule(readWrite, [rbacGroup], 'roles', 'rolebindings'),
];

const discovery = urls(
  '/livez',
  '/readyz',
  '/healthz',
  '/version',
  '/version/',
  '/openapi',
  '/openapi/*',
  '/api',
  '/api/*',
  '/apis',
  '/apis/*',
);
const basicUser: readonly PolicyRule[] = [
  rule(['create'], ['authorization.k8s.io'], 'selfsubjectaccessreviews', 'selfsubjectrulesreviews'),
  rule(['create'], ['authentication.k8s.io'], 'selfsubjectreviews'),
];
/** The permissions of every authenticated user: the roles that are bound to system:authenticated. */
export const everybodysRules: readonly PolicyRule[] = [discovery, ...basicUser];

interface NewRole {
  readonly name: string;
  readonly rules?: readonly PolicyRule[];
  /** Roles of this label are put together. */
  readonly gathers?: string;
  readonly labels?: Readonly<Record<string, string>>;
}
const to = (role: string) => ({ [`rbac.authorization.k8s.io/aggregate-to-${role}`]: 'true' });
const approver = (signer: string): NewRole => ({
  name: `system:certificates.k8s.io:${signer}-approver`,
  rules: [{ ...rule(['approve'], certificates, 'signers'), resourceNames: [`kubernetes.io/${signer}`] }],
});
const clusterRoles: readonly NewRole[] = [
  {
    name: 'cluster-admin',
    rules: [rule(['*'], ['*'], '*'), { verbs: ['*'], nonResourceURLs: ['*'] }],
  },
  {
    name: 'system:discovery',
    rules: [discovery],
  },
  {
    name: 'system:monitoring',
    rules: [
      urls('/metrics', '/metrics/slis', '/livez', '/readyz', '/healthz', '/livez/*', '/readyz/*', '/healthz/*'),
      rule(['get'], [''], 'nodes/metrics'),
    ],
  },
  {
    name: 'system:basic-user',
    rules: basicUser,
  },
  { name: 'system:public-info-viewer', rules: [urls('/livez', '/readyz', '/healthz', '/version', '/version/')] },
  { name: 'admin', gathers: 'admin' },
  { name: 'edit', gathers: 'edit', labels: to('admin') },
  { name: 'view', gathers: 'view', labels: to('edit') },
  { name: 'system:aggregate-to-admin', rules: adminRules, labels: to('admin') },
  { name: 'system:aggregate-to-edit', rules: editRules, labels: to('edit') },
  { name: 'system:aggregate-to-view', rules: viewRules, labels: to('view') },
  { name: 'system:node', rules: nodeRules },
  {
    name: 'system:node-problem-detector',
    rules: [
      rule(['get'], [''], 'nodes'),
      rule(['patch'], [''], 'nodes/status'),
      rule(['create', 'patch', 'update'], ['', 'events.k8s.io'], 'events'),
    ],
  },
  {
    name: 'system:node-bootstrapper',
    rules: [rule(['create', ...read], certificates, 'certificatesigningrequests')],
  },
  {
    name: 'system:auth-delegator',
    rules: [
      rule(['create'], ['authentication.k8s.io'], 'tokenreviews'),
      rule(['create'], ['authorization.k8s.io'], 'subjectaccessreviews'),
    ],
  },
  {
    name: 'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
    rules: [rule(['create'], certificates, 'certificatesigningrequests/nodeclient')],
  },
  {
    name: 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
    rules: [rule(['create'], certificates, 'certificatesigningrequests/selfnodeclient')],
  },
  approver('kubelet-serving'),
  approver('kube-apiserver-client'),
  approver('kube-apiserver-client-kubelet'),
  {
    name: 'system:service-account-issuer-discovery',
    rules: [
      urls(
        '/.well-known/openid-configuration',
        '/.well-known/openid-configuration/',
        '/openid/v1/jwks',
        '/openid/v1/jwks/',
      ),
    ],
  },
  {
    name: 'system:kubelet-api-admin',
    rules: [
      rule(read, [''], 'nodes'),
      rule(['proxy'], [''], 'nodes'),
      rule(['*'], [''], 'nodes/proxy', 'nodes/metrics', 'nodes/stats', 'nodes/log'),
      rule(['*'], [''], 'nodes/pods', 'nodes/healthz', 'nodes/configz'),
    ],
  },
];

const group = (name: string): Subject => ({ kind: 'Group', apiGroup: rbacGroup, name });
interface NewBinding {
  readonly name: string;
  /** The role has the binding's name if this is left out. */
  readonly role?: string;
  readonly subjects?: readonly Subject[];
}
const everybody = group('system:authenticated');
const clusterRoleBindings: readonly NewBinding[] = [
  { name: 'cluster-admin', subjects: [group('system:masters')] },
  { name: 'system:monitoring', subjects: [group('system:monitoring')] },
  { name: 'system:discovery', subjects: [everybody] },
  { name: 'system:basic-user', subjects: [everybody] },
  { name: 'system:public-info-viewer', subjects: [everybody, group('system:unauthenticated')] },
  { name: 'system:node' },
  { name: 'system:service-account-issuer-discovery', subjects: [group('system:serviceaccounts')] },
];
/**
 * The bindings with which nodes join, under the names of upstream's documentation of TLS bootstrapping, which leaves
 * them to whoever sets up a cluster.
 */
const joining: readonly NewBinding[] = [
  {
    name: 'create-csrs-for-bootstrapping',
    role: 'system:node-bootstrapper',
    subjects: [group('system:bootstrappers')],
  },
  {
    name: 'auto-approve-csrs-for-group',
    role: 'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
    subjects: [group('system:bootstrappers')],
  },
  {
    name: 'auto-approve-renewals-for-nodes',
    role: 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
    subjects: [group('system:nodes')],
  },
];

const defaults = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };

/** New objects each time; the registry takes them over. */
export const bootstrapClusterRoles = (): ApiObject[] =>
  clusterRoles.map(({ name, rules, gathers, labels }) => ({
    metadata: { name, labels: { ...defaults, ...labels }, annotations: { ...annotations } },
    rules: structuredRules(gathers ? gathered(gathers) : (rules ?? [])),
    ...(gathers && { aggregationRule: { clusterRoleSelectors: [{ matchLabels: to(gathers) }] } }),
  }));
/** The first rules of an aggregated role, so that it is not empty before its controller has run. */
const gathered = (role: string): readonly PolicyRule[] =>
  ({ admin: [...adminRules, ...editRules, ...viewRules], edit: [...editRules, ...viewRules], view: viewRules })[role] ??
  [];
const structuredRules = (rules: readonly PolicyRule[]) => JSON.parse(JSON.stringify(rules)) as PolicyRule[];

export const bootstrapClusterRoleBindings = (): ApiObject[] => {
  const made = (b: NewBinding, metadata: object): ApiObject => ({
    metadata: { name: b.name, ...metadata },
    ...(b.subjects && { subjects: b.subjects.map((s) => ({ ...s })) }),
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: b.role ?? b.name } satisfies RoleRef,
  });
  return [
    ...clusterRoleBindings.map((b) => made(b, { labels: { ...defaults }, annotations: { ...annotations } })),
    ...joining.map((b) => made(b, {})),
  ];
};
