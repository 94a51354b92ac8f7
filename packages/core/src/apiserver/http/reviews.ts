import { selfSubjectReview, tokenReview } from '../../api/objects/authentication.js';
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
} from '../../api/objects/authorization.js';
import type { Struct } from '../../api/objects/field.js';
import { isObject } from '../../base/index.js';
import { equalities } from '../registry/selectors.js';
import { badRequest, invalid } from '../status.js';
import type { ApiObject, AuthorizationAttributes, Decision, UserInfo } from '../types.js';
import type { ServerCore } from './core.js';

/** Something that is only ever created: a question and its answer. */
export interface Review {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly type: Struct;
  /** Fills in the status. */
  answer(draft: ApiObject, server: ServerCore, user: UserInfo, namespace: string): void;
}

interface ResourceAttributes {
  verb?: string;
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  namespace?: string;
  name?: string;
  fieldSelector?: unknown;
}
interface AccessSpec {
  user?: string;
  groups?: string[];
  uid?: string;
  extra?: Record<string, string[]>;
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: Record<string, string>;
}
/** Requirements of equality of a field selector, raw or in parts. upstream: fieldSelectorAsSelector */
function equalitiesOf(selector: unknown): { key: string; value: string }[] {
  if (!isObject(selector)) return [];
  const { rawSelector, requirements } = selector;
  if (typeof rawSelector === 'string' && rawSelector !== '') return equalities(rawSelector);
  return (Array.isArray(requirements) ? requirements : []).flatMap((r: unknown) => {
    if (!isObject(r) || r.operator !== 'In' || typeof r.key !== 'string') return [];
    const values = Array.isArray(r.values) ? (r.values as unknown[]) : [];
    return values.length === 1 && typeof values[0] === 'string' ? [{ key: r.key, value: values[0] }] : [];
  });
}
function attributesOf(spec: AccessSpec, user: UserInfo): AuthorizationAttributes {
  const r = spec.resourceAttributes;
  const n = spec.nonResourceAttributes;
  const fieldSelector = equalitiesOf(r?.fieldSelector);
  return {
    user,
    verb: r?.verb ?? n?.verb ?? '',
    resourceRequest: r !== undefined,
    group: r?.group ?? '',
    version: r ? r.version || '*' : '',
    resource: r?.resource ?? '',
    subresource: r?.subresource ?? '',
    namespace: r?.namespace ?? '',
    name: r?.name ?? '',
    path: n?.path ?? '',
    ...(fieldSelector.length > 0 && { fieldSelector }),
  };
}
/** Throws a 422. upstream: pkg/apis/authorization/validation */
function validate(draft: ApiObject, kind: string, about: 'self' | 'others'): AccessSpec {
  const spec = (draft.spec ?? {}) as AccessSpec;
  const { resourceAttributes: r, nonResourceAttributes: n } = spec;
  const errors: string[] = [];
  if (r && n)
    errors.push(
      `spec.nonResourceAttributes: Invalid value: ${JSON.stringify(n)}: cannot be specified in combination with resourceAttributes`,
    );
  if (!r && !n)
    errors.push(
      'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
  if (about === 'others' && !spec.user && !spec.groups?.length)
    errors.push('spec.user: Invalid value: "": at least one of user or group must be specified');
  if (errors.length > 0) throw invalid('authorization.k8s.io', kind, draft.metadata.name ?? '', errors);
  return spec;
}
const decided = (d: Decision): object => ({ allowed: d.allowed, ...(d.reason && { reason: d.reason }) });
const asker = (spec: AccessSpec): UserInfo => ({
  name: spec.user ?? '',
  groups: spec.groups ?? [],
  ...(spec.uid && { uid: spec.uid }),
  ...(spec.extra && { extra: spec.extra }),
});

const about = (u: UserInfo): object => ({
  username: u.name,
  ...(u.uid && { uid: u.uid }),
  ...(u.groups.length > 0 && { groups: [...u.groups] }),
  ...(u.extra && { extra: u.extra }),
});

const authentication = { group: 'authentication.k8s.io', version: 'v1', namespaced: false } as const;
const authorization = { group: 'authorization.k8s.io', version: 'v1', namespaced: false } as const;

export const reviews: readonly Review[] = [
  {
    ...authentication,
    resource: 'selfsubjectreviews',
    singular: 'selfsubjectreview',
    kind: 'SelfSubjectReview',
    type: selfSubjectReview,
    answer(draft, _, user) {
      draft.status = { userInfo: about(user) };
    },
  },
  {
    ...authentication,
    resource: 'tokenreviews',
    singular: 'tokenreview',
    kind: 'TokenReview',
    type: tokenReview,
    answer(draft, server) {
      const { token = '', audiences = [] } = draft.spec as { token?: string; audiences?: string[] };
      if (token === '') throw badRequest('token is required for TokenReview in authentication');
      const found = server.checkToken(token, audiences);
      draft.status =
        found && 'user' in found
          ? { authenticated: true, user: about(found.user), audiences: found.audiences }
          : { user: {}, error: found ? `[invalid bearer token, ${found.error}]` : 'invalid bearer token' };
    },
  },
  {
    ...authorization,
    namespaced: true,
    resource: 'localsubjectaccessreviews',
    singular: 'localsubjectaccessreview',
    kind: 'LocalSubjectAccessReview',
    type: localSubjectAccessReview,
    answer(draft, server, _, namespace) {
      const spec = validate(draft, 'LocalSubjectAccessReview', 'others');
      if (spec.nonResourceAttributes)
        throw invalid('authorization.k8s.io', 'LocalSubjectAccessReview', '', [
          `spec.nonResourceAttributes: Invalid value: ${JSON.stringify(spec.nonResourceAttributes)}: disallowed on this kind of request`,
        ]);
      if ((spec.resourceAttributes?.namespace ?? '') !== namespace)
        throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
      draft.status = decided(server.authorize(attributesOf(spec, asker(spec))));
    },
  },
  {
    ...authorization,
    resource: 'selfsubjectaccessreviews',
    singular: 'selfsubjectaccessreview',
    kind: 'SelfSubjectAccessReview',
    type: selfSubjectAccessReview,
    answer(draft, server, user) {
      draft.status = decided(server.authorize(attributesOf(validate(draft, 'SelfSubjectAccessReview', 'self'), user)));
    },
  },
  {
    ...authorization,
    resource: 'selfsubjectrulesreviews',
    singular: 'selfsubjectrulesreview',
    kind: 'SelfSubjectRulesReview',
    type: selfSubjectRulesReview,
    answer(draft, server, user) {
      const { namespace = '' } = draft.spec as { namespace?: string };
      if (namespace === '') throw badRequest('no namespace on request');
      const { rules, problem } = server.rulesFor(user, namespace);
      draft.status = {
        resourceRules: rules.filter((r) => r.resources?.length).map((r) => ({ ...r })),
        nonResourceRules: rules.filter((r) => r.nonResourceURLs?.length).map((r) => ({ ...r })),
        incomplete: problem !== '',
        ...(problem && { evaluationError: problem }),
      };
    },
  },
  {
    ...authorization,
    resource: 'subjectaccessreviews',
    singular: 'subjectaccessreview',
    kind: 'SubjectAccessReview',
    type: subjectAccessReview,
    answer(draft, server) {
      const spec = validate(draft, 'SubjectAccessReview', 'others');
      draft.status = decided(server.authorize(attributesOf(spec, asker(spec))));
    },
  },
];
