import { deleteOptions } from '../api/objects/meta.js';
import { messageOf } from '../base/index.js';
import { trimRight } from '../base/trim.js';
import type { Kernel } from '../kernel/index.js';
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from './admission/certificates.js';
import { escalationCheck } from './admission/escalation.js';
import { nodeRestriction } from './admission/node-restriction.js';
import { type AuthenticationOptions, Authenticator, type TokenClaims, type TokenUser } from './authentication/index.js';
import {
  type AuthorizationMode,
  Authorizer,
  type Impersonation,
  impersonate,
  type KnownRules,
  refusal,
} from './authorization/index.js';
import type { CertificateHost } from './certificates/host.js';
import { Controllers } from './controllers/index.js';
import { bodyOf, bodyText, decodeObject } from './http/body.js';
import type { ServerCore } from './http/core.js';
import { Discovery } from './http/discovery.js';
import { Shaper } from './http/negotiate.js';
import { OpenAPI } from './http/openapi.js';
import { list, watch } from './http/read.js';
import { flag, param, type RequestInfo, requestInfo } from './http/request-info.js';
import { type Review, reviews } from './http/reviews.js';
import { bind, createToken, evict, forward, protectedNamespaces, refuseNamespace } from './http/subresources.js';
import { create, dryRunOf, patch, remove, removeAll, update } from './http/write.js';
import { copyJSON } from './json.js';
import { isPathSegment } from './registry/names.js';
import { Registry } from './registry/registry.js';
import { type Env, groupVersion, type Resource } from './registry/resource.js';
import { equalities } from './registry/selectors.js';
import { resources } from './resources/index.js';
import { badRequest, internalError, methodNotSupported, pageNotFound, StatusError } from './status.js';
import type { Journal, Kept } from './storage/journal.js';
import { keyOf, Store, type StoreLimits } from './storage/store.js';
import type {
  ApiAnswer,
  ApiObject,
  ApiRequest,
  ApiResponse,
  AuditEvent,
  AuthorizationAttributes,
  Decision,
  RandomSource,
  UserInfo,
} from './types.js';

export interface ApiServerOptions extends AuthenticationOptions {
  /**
   * Draws uids, names and tokens. Default: the kernel's, which can be foretold: a server for others needs one of its
   * own.
   */
  readonly random?: RandomSource;
  /**
   * The authorizers, in their order; members of system:masters may do everything. With `Node` comes the admission of
   * NodeRestriction, with `RBAC` the roles that every cluster begins with. Default: everybody may do everything.
   */
  readonly authorizationModes?: readonly AuthorizationMode[];
  /** A policy of the host's own, instead of these modes. */
  authorize?(attributes: AuthorizationAttributes): Decision;
  /** Called after each request. */
  onAudit?(event: AuditEvent): void;
  /** Changes per resource that a watch may go back. Default: 1000. */
  readonly window?: number;
  /** The limits of the store. Default: {@link defaultLimits}. */
  readonly limits?: StoreLimits;
  /** Keeps what is written; the server calls back through `store`. Default: none, everything is in memory. */
  readonly journal?: Journal;
  /** The state that the journal kept from an earlier run: the server goes on with it. */
  readonly kept?: Kept;
  /** Pods get a service account and its token. Off by default. */
  readonly serviceAccountAdmission?: boolean;
  /** Text of a CA for the ConfigMap kube-root-ca.crt of each namespace; none without it. */
  readonly rootCA?: string;
  /**
   * Pods without a node are bound to one that takes them, and nodes' taints follow their conditions. Off by default.
   */
  readonly schedulePods?: boolean;
  /** Jobs get their pods and are run to their completion. Off by default. */
  readonly runJobs?: boolean;
  /** True if dependents of deleted objects and the contents of deleted namespaces are deleted, too. Default: true. */
  readonly collectGarbage?: boolean;
  /** Reads and signs certificates. Without it the server keeps requests for them and signs none. */
  readonly certificates?: CertificateHost;
  /**
   * The longest time that a signed certificate is valid, seconds. Default: a year. upstream: --cluster-signing-duration
   */
  readonly signingDuration?: number;
  /**
   * A node's request for a serving certificate is approved when it names nothing but the addresses of its Node object.
   * Off by default, as upstream, which leaves it to `kubectl certificate approve`.
   */
  readonly approveKubeletServing?: boolean;
  /** The version that /version reports. Default: v1.36.2. */
  readonly gitVersion?: string;
  /** The address that the server gives to clients. Default: 10.96.0.1:443. */
  readonly serverAddress?: string;
}

/**
 * The most characters of all warnings of an answer, and of each warning once that is exceeded.
 * upstream: endpoints/filters warning.go
 */
const [allWarnings, eachWarning] = [4096, 256];
/**
 * The warnings that fit into headers: each once, without those that have control characters, and cut if they are too
 * long together. upstream: util/net NewWarningHeader
 */
function shortened(warnings: readonly string[]): string[] {
  const all = [...new Set(warnings)].filter((w) => !/\p{Cc}/u.test(w));
  if (all.reduce((n, w) => n + w.length, 0) <= allWarnings) return all;
  let left = allWarnings;
  return all
    .map((w) => w.slice(0, eachWarning))
    .filter((w) => {
      left -= w.length;
      return left >= 0;
    });
}

const anonymous: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/**
 * A Kubernetes API server: nodes, pods and what a kubelet and kubectl need around them. `handle` takes a request as
 * HTTP has it and answers at once; it never throws. With a journal, what it answers goes out through `whenCommitted`.
 */
export class ApiServer implements ServerCore {
  readonly store: Store;
  readonly registry: Registry;
  readonly random: RandomSource;
  readonly resources = resources;
  readonly gitVersion: string;
  readonly serverAddress: string;
  private readonly byPath = new Map<string, Resource>();
  private readonly reviews = new Map<string, Review>();
  private readonly discovery: Discovery;
  private readonly openapi: OpenAPI;
  private readonly authenticator: Authenticator;
  private readonly controllers: Controllers;
  private readonly authorizer: Authorizer | null;
  /** The newest version when a request began. */
  private readonly begun = new WeakMap<ApiRequest, number>();

  constructor(
    readonly kernel: Kernel,
    private readonly options: ApiServerOptions = {},
  ) {
    this.random = options.random ?? kernel.random;
    this.gitVersion = options.gitVersion ?? 'v1.36.2';
    this.serverAddress = options.serverAddress ?? '10.96.0.1:443';
    const { window, limits, journal, kept } = options;
    this.store = new Store({ window, limits, journal, kept, causes: kernel });
    const { authorizationModes: modes } = options;
    this.authorizer = modes ? new Authorizer(this.store, modes) : null;
    this.registry = new Registry(this.store, (resource, object) => this.controllers.gone(resource, object), [
      ...(this.authorizer?.modes.has('Node') ? [nodeRestriction] : []),
      ...(this.authorizer?.rbac ? [escalationCheck(this.authorizer.rbac)] : []),
      certificateApproval,
      certificateSigning,
      certificateSubjectRestriction,
    ]);
    this.discovery = new Discovery(resources, this.serverAddress);
    this.openapi = new OpenAPI(resources, this.discovery.groupVersions, this.gitVersion);
    for (const r of resources) this.byPath.set(`${r.group}/${r.version}/${r.resource}`, r);
    for (const r of reviews) this.reviews.set(`${r.group}/${r.version}/${r.resource}`, r);
    this.authenticator = new Authenticator(this.store, options, this.random, () => this.nowMillis());
    this.controllers = new Controllers(this, options);
    this.controllers.start(options.kept !== undefined);
  }

  nowMillis(): number {
    return this.kernel.clock.epochMillis + this.kernel.now() / 1000;
  }
  env(request: ApiRequest, { dryRun, warn }: { dryRun: boolean; warn(text: string): void }): Env {
    const nowMillis = this.nowMillis();
    const { store } = this;
    return {
      user: request.user ?? anonymous,
      userAgent: request.headers?.['user-agent'] ?? '',
      dryRun,
      nowMillis,
      now: `${new Date(Math.floor(nowMillis / 1000) * 1000).toISOString().slice(0, 19)}Z`,
      random: this.random,
      serviceAccountAdmission: this.options.serviceAccountAdmission ?? false,
      ...(request.identity && { identity: request.identity }),
      ...(this.options.certificates && { certificates: this.options.certificates }),
      authorize: (attributes) => this.authorize(attributes),
      lookup: (resource, namespace, name) => store.get(resource, keyOf(namespace, name)),
      listOf: (resource, namespace) => store.list(resource, namespace),
      warn,
    };
  }
  authorize(attributes: AuthorizationAttributes): Decision {
    if (this.options.authorize) return this.options.authorize(attributes);
    return this.authorizer?.authorize(attributes) ?? { allowed: true };
  }
  rulesFor(user: UserInfo, namespace: string): KnownRules {
    if (this.authorizer) return this.authorizer.rulesFor(user, namespace);
    const everything = [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ];
    return this.options.authorize
      ? { rules: [], problem: 'the policy has no list of rules' }
      : { rules: everything, problem: '' };
  }
  /** The user that a request impersonates. Throws a {@link StatusError} if that is forbidden. */
  impersonate(user: UserInfo, wanted: Impersonation): UserInfo {
    return impersonate(user, wanted, (a) => this.authorize(a));
  }
  checkToken(token: string, audiences: readonly string[]): TokenUser {
    return this.authenticator.check(token, audiences);
  }
  /** Returns the user of a bearer token; null if the token is not valid. For the host's authentication. */
  userOfToken(token: string, audiences: readonly string[] = []): UserInfo | null {
    const found = this.checkToken(token, audiences);
    return found && 'user' in found ? found.user : null;
  }
  get issuer(): string {
    return this.authenticator.issuer;
  }
  get signsTokens(): boolean {
    return this.options.tokenKey !== undefined;
  }
  issueToken(claims: TokenClaims): string {
    return this.authenticator.issue(claims);
  }
  /** Forgets all changes up to now, as etcd's compaction does: watches from before end with 410. */
  compact(): void {
    this.store.forget();
  }

  /**
   * Calls back with what may go out as the answer to a request: the response, once all that it rests on is committed,
   * or an error if that could not be kept. At once for reads, which see nothing else, and without a journal.
   */
  whenCommitted(request: ApiRequest, response: ApiResponse, done: (response: ApiResponse) => void): void {
    if (request.method === 'GET' || request.method === 'HEAD') done(response);
    else
      this.store.whenCommitted(this.begun.get(request) ?? 0, (error) =>
        done(error ? answer(error.code, error.status) : response),
      );
  }

  /**
   * Restarts the server's process, as clients see it: the objects are there, from etcd, but no change that led to them.
   * It has written something of its own meanwhile (its lease, its endpoints), so that nobody's version is the newest.
   * upstream: storage/cacher watch_cache.go getAllEventsSinceLocked, after the first list
   */
  restarted(): void {
    this.store.advance(this.store.version + 1);
    this.store.forget();
  }

  handle(request: ApiRequest): ApiResponse {
    const steps = this.steps(request);
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
    }
  }
  /**
   * The same in steps, between which others may have their turn: what writes a large object or deletes many takes
   * some.
   */
  *steps(request: ApiRequest): Generator<void, ApiResponse> {
    this.begun.set(request, this.store.newest);
    const warnings: string[] = [];
    let info: RequestInfo | null = null;
    let response: ApiResponse;
    try {
      info = requestInfo(request);
      this.mustAllow(info, request, info.verb);
      response = info.isResource ? yield* this.resource(info, request, warnings) : this.other(info, request);
    } catch (error) {
      const status = error instanceof StatusError ? error.status : internalError(messageOf(error)).status;
      response = answer(status.code as number, status);
    }
    this.audit(info, request, response);
    const sent = shortened(warnings);
    if (response.kind !== 'answer' || sent.length === 0) return response;
    // One header holds them all: hosts may part it at the line ends.
    const header = sent.map((w) => `299 - ${JSON.stringify(w)}`).join('\n');
    return { ...response, headers: { ...response.headers, warning: header } };
  }

  mustAllow(info: RequestInfo, request: ApiRequest, verb: string): void {
    const attributes = attributesOf({ ...info, verb }, request);
    const decision = this.authorize(attributes);
    if (!decision.allowed) throw refusal(attributes, decision.reason);
  }

  private audit(info: RequestInfo | null, request: ApiRequest, response: ApiResponse): void {
    const { onAudit } = this.options;
    if (!onAudit) return;
    const {
      verb = request.method.toLowerCase(),
      group = '',
      resource = '',
      subresource = '',
      namespace = '',
      path = request.path,
    } = info ?? {};
    // Building the body of a list here would be wasted work.
    const made =
      verb === 'create' && response.kind === 'answer'
        ? (response.body as { metadata?: { name?: string } } | null)?.metadata?.name
        : '';
    const name = info?.name || (made ?? '');
    const secret = resource === 'secrets' || resource === 'tokenreviews' || subresource === 'token';
    let requestBody: unknown = null;
    if (!secret && verb !== 'get' && verb !== 'list' && verb !== 'watch') {
      try {
        const deletes = verb === 'delete' || verb === 'deletecollection';
        const own =
          subresource === 'binding' || subresource === 'eviction'
            ? null
            : this.byPath.get(`${group}/${info?.version}/${resource}`)?.type;
        requestBody = bodyOf(request, deletes ? deleteOptions : (own ?? null)) ?? null;
      } catch {
        requestBody = null;
      }
    }
    onAudit({
      verb,
      group,
      resource,
      subresource,
      namespace,
      name,
      code: response.kind === 'forward' ? 200 : response.code,
      user: (request.user ?? anonymous).name,
      userAgent: request.headers?.['user-agent'] ?? '',
      requestBody,
      path,
    });
  }

  // --- objects -------------------------------------------------------------------------------------------------------

  private *resource(info: RequestInfo, request: ApiRequest, warnings: string[]): Generator<void, ApiResponse> {
    if (info.verbViaPath) throw pageNotFound();
    const key = `${info.group}/${info.version}/${info.resource}`;
    const warn = (text: string) => void warnings.push(text);
    if (key === '/v1/bindings' && info.verb === 'create')
      return done(bind(this, info, request, this.env(request, { dryRun: dryRunOf(request, 'CreateOptions'), warn })));
    const review = this.reviews.get(key);
    if (review) return this.review(review, info, request, warn);
    const r = this.byPath.get(key);
    if (!r) throw pageNotFound();
    // The namespace in which a request was allowed must be the one that it reaches.
    const ofItself = r.resource === 'namespaces' && info.namespace === info.name;
    if (info.namespace && !r.namespaced && !ofItself) throw pageNotFound();
    const { verb, subresource } = info;
    if (verb === 'list') return list(this, r, info, request);
    if (verb === 'watch') return watch(this, r, info, request);
    if (r.namespaced && !info.namespace && info.name) throw pageNotFound();
    if (subresource) return yield* this.part(r, info, request, warn);
    if (verb === 'get')
      return answer(
        200,
        new Shaper(r, request, () => this.nowMillis()).one(
          this.registry.getCommitted(r, r.namespaced ? info.namespace : '', info.name),
        ),
      );
    if (!r.verbs.includes(verb)) throw methodNotSupported(r, verb);
    const kind = { create: 'CreateOptions', update: 'UpdateOptions', patch: 'PatchOptions' }[verb] ?? 'DeleteOptions';
    const env = this.env(request, { dryRun: dryRunOf(request, kind), warn });
    const call = { server: this, resource: r, info, request, env };
    switch (verb) {
      case 'create':
        return shaped(yield* create(call));
      case 'update':
        return shaped(yield* update(call, null));
      case 'patch':
        return shaped(yield* patch(call, null));
      case 'delete':
        if (r.resource === 'namespaces' && protectedNamespaces.includes(info.name)) throw refuseNamespace(info.name);
        return done(remove(call, (owner) => this.controllers.orphan(owner)));
      default:
        return yield* removeAll(call);
    }
  }

  private *part(
    r: Resource,
    info: RequestInfo,
    request: ApiRequest,
    warn: (text: string) => void,
  ): Generator<void, ApiResponse> {
    const { verb, subresource } = info;
    const rules =
      r.subresources && Object.hasOwn(r.subresources, subresource) ? r.subresources[subresource] : undefined;
    if (!rules) throw pageNotFound();
    if (!rules.verbs.includes(verb)) throw methodNotSupported(r, verb);
    if (['log', 'exec', 'attach', 'portforward', 'proxy'].includes(subresource)) return forward(this, r, info, request);
    const env = this.env(request, { dryRun: dryRunOf(request, 'CreateOptions'), warn });
    const call = { server: this, resource: r, info, request, env };
    switch (subresource) {
      case 'binding':
        return done(bind(this, info, request, env));
      case 'eviction':
        return done(evict(this, info, request, env));
      case 'token':
        return done(createToken(this, r, info, request, env));
    }
    if (verb === 'get')
      return answer(
        200,
        new Shaper(r, request, () => this.nowMillis()).one(
          this.registry.getCommitted(r, r.namespaced ? info.namespace : '', info.name),
        ),
      );
    const sub = { name: subresource, rules };
    return shaped(yield* verb === 'update' ? update(call, sub) : patch(call, sub));
  }

  private review(r: Review, info: RequestInfo, request: ApiRequest, warn: (text: string) => void): ApiResponse {
    if (info.verb !== 'create' || info.name) throw methodNotSupported(r, info.verb);
    const value = bodyOf(request, r.type);
    if (value === undefined)
      throw badRequest(`${r.kind} in version ${JSON.stringify(groupVersion(r))} cannot be handled as a ${r.kind}: EOF`);
    const draft = decodeObject(r.type, value, {
      apiVersion: groupVersion(r),
      kind: r.kind,
      validation: 'Warn',
      text: bodyText(request),
      warn,
    });
    r.answer(draft, this, request.user ?? anonymous, info.namespace);
    return answer(201, copyJSON(draft));
  }

  // --- all else ------------------------------------------------------------------------------------------------------

  private other(info: RequestInfo, request: ApiRequest): ApiAnswer {
    const { path } = info;
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new StatusError(
        405,
        'MethodNotAllowed',
        'the server does not allow this method on the requested resource',
        {},
      );
    const bare = trimRight(path, '/') || '/';
    if (/^\/(healthz|livez|readyz)(\/.*)?$/.test(bare)) return health(bare, request);
    if (bare === '/version') return answer(200, this.version());
    if (bare === '/api' || /^\/api\/v1$/.test(bare) || bare === '/apis' || /^\/apis\/[^/]+(\/[^/]+)?$/.test(bare)) {
      const { body, contentType } = this.discovery.document({ ...request, path: bare });
      return { kind: 'answer', code: 200, headers: { 'content-type': contentType }, body };
    }
    const keys = this.authenticator.document(bare, this.serverAddress);
    if (keys) {
      const headers = { 'content-type': keys.contentType, 'Cache-Control': 'public, max-age=3600' };
      return { kind: 'answer', code: 200, headers, body: keys.body };
    }
    const document = this.openapi.answer(bare, request);
    if (document) return document;
    if (bare === '/')
      return answer(200, {
        paths: [
          '/api',
          '/api/v1',
          '/apis',
          ...this.discovery.groupVersions
            .filter((g) => g.group)
            .flatMap((g) => [`/apis/${g.group}`, `/apis/${groupVersion(g)}`]),
          ...(this.signsTokens ? ['/.well-known/openid-configuration'] : []),
          '/healthz',
          '/livez',
          '/openapi/v2',
          '/openapi/v3',
          ...(this.signsTokens ? ['/openid/v1/jwks'] : []),
          '/readyz',
          '/version',
        ],
      });
    throw pageNotFound();
  }

  private version(): object {
    const [major = '1', minor = '36'] = this.gitVersion.replace(/^v/, '').split('.');
    return {
      major,
      minor,
      emulationMajor: major,
      emulationMinor: minor,
      gitVersion: this.gitVersion,
      gitCommit: '',
      gitTreeState: 'clean',
      buildDate: '1970-01-01T00:00:00Z',
      goVersion: '',
      compiler: 'syncloop',
      platform: 'memory',
    };
  }

  /** Objects as they are stored, for who must not go through a request. Never to be changed. */
  peek(resource: string): readonly ApiObject[] {
    return this.store.list(resource);
  }
}

function answer(code: number, body: unknown): ApiAnswer {
  return { kind: 'answer', code, headers: { 'content-type': 'application/json' }, body };
}
/**
 * Returns the attributes of a request for the authorizers. A list or watch of one object by its name counts as one of
 * that object.
 * upstream: apiserver pkg/endpoints/filters GetAuthorizerAttributes, request.RequestInfo
 */
function attributesOf(info: RequestInfo, request: ApiRequest): AuthorizationAttributes {
  const { isResource, verb, group, version, resource, subresource, namespace, path } = info;
  const selects = ['list', 'watch', 'deletecollection'].includes(verb) && !info.verbViaPath;
  const selector = selects ? param(request, 'fieldSelector') : '';
  const fieldSelector = selector === '' ? [] : equalities(selector);
  const named = fieldSelector.find((f) => f.key === 'metadata.name')?.value ?? '';
  return {
    user: request.user ?? anonymous,
    verb,
    resourceRequest: isResource,
    group,
    version,
    resource,
    subresource,
    namespace,
    name: info.name || (verb !== 'deletecollection' && isPathSegment(named).length === 0 ? named : ''),
    path,
    ...(fieldSelector.length > 0 && { fieldSelector }),
  };
}
/** The answer for a body that a Shaper made, which is already a copy. */
const shaped = ({ code, body }: { code: number; body: unknown }): ApiAnswer => answer(code, body);
const done = ({ code, body }: { code: number; body: unknown }): ApiAnswer => answer(code, copyJSON(body));

const checks = ['ping', 'log', 'etcd', 'informer-sync', 'poststarthook/start-apiserver-admission-initializer'];
function health(path: string, request: ApiRequest): ApiAnswer {
  const [, which = '', one] = path.split('/') as [string, string, string?];
  const text = (code: number, body: string): ApiAnswer => ({
    kind: 'answer',
    code,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body,
  });
  if (one !== undefined && !checks.includes(path.split('/').slice(2).join('/'))) throw pageNotFound();
  if (one !== undefined || !flag(request, 'verbose')) return text(200, 'ok');
  return text(200, `${checks.map((c) => `[+]${c} ok\n`).join('')}${which} check passed\n`);
}
