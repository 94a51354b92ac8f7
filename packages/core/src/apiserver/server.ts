import { type Kernel, messageOf } from '../kernel/index.js';
import { deleteOptions } from '../kubelet/api/objects/meta.js';
import { trimRight } from '../kubelet/util/trim.js';
import { Controllers } from './controllers/index.js';
import { bodyOf, bodyText, decodeObject } from './http/body.js';
import type { ServerCore, TokenClaims } from './http/core.js';
import { Discovery } from './http/discovery.js';
import { Shaper } from './http/negotiate.js';
import { OpenAPI } from './http/openapi.js';
import { list, watch } from './http/read.js';
import { flag, type RequestInfo, requestInfo } from './http/request-info.js';
import { type Review, reviews } from './http/reviews.js';
import { bind, createToken, evict, forward, protectedNamespaces, refuseNamespace } from './http/subresources.js';
import { create, dryRunOf, patch, remove, removeAll, update } from './http/write.js';
import { copyJSON } from './json.js';
import { Registry } from './registry/registry.js';
import { type Env, groupVersion, type Resource } from './registry/resource.js';
import { resources } from './resources/index.js';
import { badRequest, forbidden, internalError, methodNotSupported, pageNotFound, StatusError } from './status.js';
import { keyOf, Store, type StoreLimits } from './storage/store.js';
import { Tokens } from './tokens.js';
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

export interface ApiServerOptions {
  /**
   * Draws uids, names and tokens. Default: the kernel's, which can be foretold: a server for others needs one of its
   * own.
   */
  readonly random?: RandomSource;
  /** Default: everybody may do everything. */
  authorize?(attributes: AuthorizationAttributes): Decision;
  /** Called after each request. */
  onAudit?(event: AuditEvent): void;
  /** Changes per resource that a watch may go back. Default: 1000. */
  readonly window?: number;
  /** How much the server may hold. Default: {@link defaultLimits}. */
  readonly limits?: StoreLimits;
  /** Pods get a service account and its token. Off by default. */
  readonly serviceAccountAdmission?: boolean;
  /** Text of a CA for the ConfigMap kube-root-ca.crt of each namespace; none without it. */
  readonly rootCA?: string;
  /**
   * Pods without a node are bound to one that takes them, and nodes' taints follow their conditions. Off by default.
   */
  readonly schedulePods?: boolean;
  /** Dependents of what is gone go too, and what is in a deleted namespace. Default: true. */
  readonly collectGarbage?: boolean;
  /** As /version says. Default: v1.36.2. */
  readonly gitVersion?: string;
  /** As clients are told. Default: 10.96.0.1:443. */
  readonly serverAddress?: string;
}

/**
 * Most characters of all warnings of an answer, and of each once that is too much. upstream: endpoints/filters
 * warning.go
 */
const [allWarnings, eachWarning] = [4096, 256];
/** What a header can hold: each once, and cut where they are too long together. */
function shortened(warnings: readonly string[]): string[] {
  const all = [...new Set(warnings)];
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
 * A Kubernetes API server in memory: nodes, pods and what a kubelet and kubectl need around them. `handle` takes a
 * request as HTTP has it and answers at once; it never throws.
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
  private readonly tokens: Tokens;
  private readonly controllers: Controllers;

  constructor(
    readonly kernel: Kernel,
    private readonly options: ApiServerOptions = {},
  ) {
    this.random = options.random ?? kernel.random;
    this.gitVersion = options.gitVersion ?? 'v1.36.2';
    this.serverAddress = options.serverAddress ?? '10.96.0.1:443';
    this.store = new Store(options.window, options.limits);
    this.registry = new Registry(this.store, (resource, object) => this.controllers.gone(resource, object));
    this.discovery = new Discovery(resources, this.serverAddress);
    this.openapi = new OpenAPI(resources, this.discovery.groupVersions, this.gitVersion);
    for (const r of resources) this.byPath.set(`${r.group}/${r.version}/${r.resource}`, r);
    for (const r of reviews) this.reviews.set(`${r.group}/${r.version}/${r.resource}`, r);
    this.tokens = new Tokens(this);
    this.controllers = new Controllers(this, options);
    this.controllers.start();
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
      lookup: (resource, namespace, name) => store.get(resource, keyOf(namespace, name)),
      listOf: (resource, namespace) => store.list(resource, namespace),
      warn,
    };
  }
  authorize(attributes: AuthorizationAttributes): Decision {
    return this.options.authorize?.(attributes) ?? { allowed: true };
  }
  /** The service account that a bearer token stands for; null where it is no good. For the host's authentication. */
  userOfToken(
    token: string,
    audiences: readonly string[] = [],
  ): { user: UserInfo; audiences: readonly string[] } | null {
    return this.tokens.check(token, audiences);
  }
  issueToken(claims: TokenClaims): string {
    return this.tokens.issue(claims);
  }
  /** Forgets all changes up to now, as etcd's compaction does: watches from before end with 410. */
  compact(): void {
    this.store.forget();
  }

  /**
   * As after its process ended and began anew: the objects are there, from etcd, but no change that led to them. It has
   * written something of its own meanwhile (its lease, its endpoints), so that nobody's version is the newest.
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
    const warnings: string[] = [];
    let info: RequestInfo | null = null;
    let response: ApiResponse;
    try {
      info = requestInfo(request);
      this.allow(info, request);
      response = info.isResource ? yield* this.resource(info, request, warnings) : this.other(info, request);
    } catch (error) {
      const status = error instanceof StatusError ? error.status : internalError(messageOf(error)).status;
      response = answer(status.code as number, status);
    }
    this.audit(info, request, response);
    if (response.kind !== 'answer' || warnings.length === 0) return response;
    // One header holds them all: hosts may part it at the line ends.
    const header = shortened(warnings)
      .map((w) => `299 - ${JSON.stringify(w)}`)
      .join('\n');
    return { ...response, headers: { ...response.headers, warning: header } };
  }

  private allow(info: RequestInfo, request: ApiRequest): void {
    const user = request.user ?? anonymous;
    const { isResource, verb, group, version, resource, subresource, namespace, name, path } = info;
    const decision = this.authorize({
      user,
      verb,
      resourceRequest: isResource,
      group,
      version,
      resource,
      subresource,
      namespace,
      name,
      path,
    });
    if (decision.allowed) return;
    const who = `User ${JSON.stringify(user.name)} cannot`;
    const because = decision.reason ? `: ${decision.reason}` : '';
    if (!isResource)
      throw forbidden({ group: '', resource: '' }, '', `${who} ${verb} path ${JSON.stringify(path)}${because}`);
    const what = subresource ? `${resource}/${subresource}` : resource;
    const where =
      namespace && resource !== 'namespaces' ? `in the namespace ${JSON.stringify(namespace)}` : 'at the cluster scope';
    throw forbidden(
      { group, resource },
      name,
      `${who} ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}${because}`,
    );
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
    // Of a list the body would be made for nothing.
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
    const key = `${info.group}/${info.version}/${info.resource}`;
    const warn = (text: string) => void warnings.push(text);
    if (key === '/v1/bindings' && info.verb === 'create')
      return done(bind(this, info, request, this.env(request, { dryRun: dryRunOf(request, 'CreateOptions'), warn })));
    const review = this.reviews.get(key);
    if (review) return this.review(review, info, request, warn);
    const r = this.byPath.get(key);
    if (!r || (info.namespace && !r.namespaced && r.resource !== 'namespaces')) throw pageNotFound();
    const { verb, subresource } = info;
    if (verb === 'list') return list(this, r, info, request);
    if (verb === 'watch') return watch(this, r, info, request);
    if (r.namespaced && !info.namespace && info.name) throw pageNotFound();
    if (subresource) return yield* this.part(r, info, request, warn);
    if (verb === 'get')
      return answer(
        200,
        new Shaper(r, request, () => this.nowMillis()).one(
          this.registry.get(r, r.namespaced ? info.namespace : '', info.name),
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
          this.registry.get(r, r.namespaced ? info.namespace : '', info.name),
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
          '/healthz',
          '/livez',
          '/openapi/v2',
          '/openapi/v3',
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
/** Of what a Shaper has made: a copy already. */
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
