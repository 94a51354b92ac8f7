import { selfSubjectReview, tokenReview } from '../../kubelet/api/objects/authentication.js';
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
} from '../../kubelet/api/objects/authorization.js';
import type { Struct } from '../../kubelet/api/objects/field.js';
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

interface AccessSpec {
  user?: string;
  groups?: string[];
  uid?: string;
  resourceAttributes?: Record<string, string>;
  nonResourceAttributes?: Record<string, string>;
}
function attributesOf(spec: AccessSpec, user: UserInfo): AuthorizationAttributes {
  const r = spec.resourceAttributes;
  const n = spec.nonResourceAttributes;
  return {
    user,
    verb: r?.verb ?? n?.verb ?? '',
    resourceRequest: r !== undefined,
    group: r?.group ?? '',
    version: r?.version ?? '',
    resource: r?.resource ?? '',
    subresource: r?.subresource ?? '',
    namespace: r?.namespace ?? '',
    name: r?.name ?? '',
    path: n?.path ?? '',
  };
}
const decided = (d: Decision): object => ({ allowed: d.allowed, ...(d.reason && { reason: d.reason }) });
const asker = (spec: AccessSpec): UserInfo => ({
  name: spec.user ?? '',
  groups: spec.groups ?? [],
  ...(spec.uid && { uid: spec.uid }),
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
      const found = server.userOfToken(token, audiences);
      draft.status = found
        ? { authenticated: true, user: about(found.user), audiences: found.audiences }
        : { user: {}, error: '[invalid bearer token, token lookup failed]' };
    },
  },
  {
    ...authorization,
    namespaced: true,
    resource: 'localsubjectaccessreviews',
    singular: 'localsubjectaccessreview',
    kind: 'LocalSubjectAccessReview',
    type: localSubjectAccessReview,
    answer(draft, server) {
      const spec = draft.spec as AccessSpec;
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
      draft.status = decided(server.authorize(attributesOf(draft.spec as AccessSpec, user)));
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
      const may = (verb: string, resource: string) =>
        server.authorize({
          user,
          verb,
          resourceRequest: true,
          group: '',
          version: 'v1',
          resource,
          subresource: '',
          namespace,
          name: '',
          path: '',
        }).allowed;
      const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
      const rules = server.resources
        .map((r) => ({ verbs: verbs.filter((v) => may(v, r.resource)), apiGroups: [r.group], resources: [r.resource] }))
        .filter((r) => r.verbs.length > 0);
      const paths = server.authorize({
        user,
        verb: 'get',
        resourceRequest: false,
        group: '',
        version: '',
        resource: '',
        subresource: '',
        namespace: '',
        name: '',
        path: '/api',
      }).allowed;
      draft.status = {
        resourceRules: rules,
        nonResourceRules: paths
          ? [
              {
                verbs: ['get'],
                nonResourceURLs: [
                  '/api',
                  '/api/*',
                  '/apis',
                  '/apis/*',
                  '/healthz',
                  '/livez',
                  '/openapi',
                  '/openapi/*',
                  '/readyz',
                  '/version',
                ],
              },
            ]
          : [],
        incomplete: false,
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
      const spec = draft.spec as AccessSpec;
      draft.status = decided(server.authorize(attributesOf(spec, asker(spec))));
    },
  },
];
