/**
 * Asks the API server whose token this is (TokenReview), and whether that user may do this (SubjectAccessReview).
 * upstream: apiserver plugin/pkg/{authenticator/token,authorizer}/webhook
 */
import { createHash } from 'node:crypto';
import type { RestRequest, RestResponse, RestTransport } from '@syncloop/core/api';
import {
  background,
  type Context,
  current,
  type Go,
  Millisecond,
  recv,
  select,
  Timer,
  withTimeout,
} from '@syncloop/core/kernel';
import { withRetry } from '@syncloop/core/kubelet';
import type { NodeRequestAttributes } from '@syncloop/core/kubelet/server';
import { Cache } from './cache.js';
import type { User } from './tokens.js';

/** Runs code that may block in the kubelet's kernel. */
export type Run = <T>(name: string, body: () => Go<T>) => Promise<T>;

const most = 1024;
const timeout = 10_000_000;
/** upstream: genericoptions.DefaultAuthWebhookRetryBackoff */
const backoff = { duration: 500 * Millisecond, factor: 1.5, jitter: 0.2, steps: 5 };
/** The time for which a token that was refused with a reason is refused without asking, ms. */
const strangerMillis = 10_000;

const keyOf = (token: string): string => createHash('sha256').update(token).digest('base64');

/** Asks the API server; throws if it does not answer. */
export class Reviews {
  private readonly users: Cache<User>;
  /** Tokens of nobody: apart, so that many of them do not push out valid ones. */
  private readonly strangers: Cache<string>;
  private readonly incoming = new Map<string, Promise<User | null>>();
  private readonly decisions: Cache<boolean>;

  constructor(
    private readonly run: Run,
    private readonly transport: RestTransport,
    /** The times for which answers are valid, ms. */
    private readonly ttl: { readonly token: number; readonly allowed: number; readonly denied: number },
    now?: () => number,
  ) {
    this.users = new Cache(most, now);
    this.strangers = new Cache(most, now);
    this.decisions = new Cache(most, now);
  }

  /** Returns the user of a token without asking; undefined: unknown. Null: it is nobody's. */
  knownToken(token: string): User | null | undefined {
    const key = keyOf(token);
    return this.users.get(key) ?? (this.strangers.get(key) === undefined ? undefined : null);
  }

  /**
   * Asks the API server for a token's user. Null: it is nobody's. Many requests with the same token are one question.
   */
  tokenReview(token: string): Promise<User | null> {
    const known = this.knownToken(token);
    if (known !== undefined) return Promise.resolve(known);
    const key = keyOf(token);
    let incoming = this.incoming.get(key);
    if (!incoming) {
      incoming = this.review(token, key).finally(() => this.incoming.delete(key));
      this.incoming.set(key, incoming);
    }
    return incoming;
  }

  private async review(token: string, key: string): Promise<User | null> {
    const status = await this.ask('/apis/authentication.k8s.io/v1/tokenreviews', {
      kind: 'TokenReview',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: {},
      spec: { token },
      status: { user: {} },
    });
    const { user, error } = status as { user?: Partial<User> & { username?: string }; error?: string };
    const authenticated = status.authenticated === true;
    if (!authenticated) {
      // Upstream asks again each time if there is a reason, and so for each wrong token.
      this.strangers.set(key, error ?? '', error ? Math.min(this.ttl.token, strangerMillis) : this.ttl.token);
      if (error) throw new Error(error);
      return null;
    }
    const found = {
      name: user?.username ?? '',
      groups: user?.groups ?? [],
      ...(user?.uid && { uid: user.uid }),
      ...(user?.extra && { extra: user.extra }),
    };
    this.users.set(key, found, this.ttl.token);
    return found;
  }

  async subjectAccessReview(user: User, attributes: NodeRequestAttributes): Promise<boolean> {
    const { verb, subresource, name } = attributes;
    const spec = {
      resourceAttributes: { verb, version: 'v1', resource: 'nodes', subresource, name },
      user: user.name,
      ...(user.groups.length > 0 && { groups: user.groups }),
      ...(user.extra && { extra: user.extra }),
      ...(user.uid && { uid: user.uid }),
    };
    const key = JSON.stringify(spec);
    const known = this.decisions.get(key);
    if (known !== undefined) return known;
    const status = await this.ask('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      kind: 'SubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {},
      spec,
      status: { allowed: false },
    });
    // upstream: (*WebhookAuthorizer).Authorize
    if (status.allowed === true && status.denied === true)
      throw new Error('webhook subject access review returned both allow and deny response');
    const allowed = status.allowed === true;
    this.decisions.set(key, allowed, allowed ? this.ttl.allowed : this.ttl.denied);
    return allowed;
  }

  private async ask(path: string, body: unknown): Promise<Record<string, unknown>> {
    const { transport } = this;
    const answer = await this.run('review', function* () {
      const { kernel } = current();
      const [ctx, cancel] = withTimeout(kernel, background, timeout);
      try {
        return yield* persistently(ctx, transport, { method: 'POST', path, body });
      } finally {
        cancel();
      }
    });
    const { status, message } = (answer.body ?? {}) as { status?: unknown; message?: unknown };
    if (answer.code >= 400 || typeof status !== 'object' || status === null)
      throw new Error(typeof message === 'string' ? message : `the API server answered ${answer.code} to ${path}`);
    return status as Record<string, unknown>;
  }
}

/**
 * Sends a question again, at growing intervals, as long as the problem may be temporary. Returns the last answer, or
 * throws the last error. upstream: apiserver pkg/util/webhook WithExponentialBackoff, DefaultShouldRetry
 */
function* persistently(ctx: Context, transport: RestTransport, request: RestRequest): Go<RestResponse> {
  const { kernel } = current();
  let { duration } = backoff;
  for (let step = 1; ; step++) {
    let answer: RestResponse | null = null;
    let failure: unknown = null;
    try {
      answer = yield* withRetry(ctx, () => transport.request(ctx, request));
    } catch (err) {
      failure = err;
    }
    const passing = answer ? [429, 500, 504].includes(answer.code) : /connection reset by peer/.test(`${failure}`);
    if (!passing || step === backoff.steps) {
      if (answer) return answer;
      throw failure;
    }
    const wait = duration * (1 + kernel.random.float() * backoff.jitter);
    const timer = new Timer(kernel, Math.round(wait), { name: 'review', quiet: true });
    const s = yield* select({ time: recv(timer.c), done: recv(ctx.done()) });
    timer.stop();
    if (s.case === 'done') throw failure ?? ctx.err();
    duration *= backoff.factor;
  }
}
