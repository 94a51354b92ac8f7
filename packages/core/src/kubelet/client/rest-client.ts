import { type Context, type Go, type Kernel, Millisecond, messageOf, Second, sleep } from '../../kernel/index.js';
import type { Json, Micros } from '../../trace/index.js';
import { Logger } from '../klog.js';
import { APIError, errorFromResponse } from './api-error.js';
import { TokenBucket } from './flowcontrol.js';
import type { RestRequest, RestResponse, RestTransport, RestWatch } from './transport.js';

export type RestVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** What a request is about. `group` '' is the core group. */
export interface RestTarget {
  readonly verb: RestVerb;
  readonly group?: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

export interface RestOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface RestClientOptions {
  readonly kernel: Kernel;
  readonly transport: RestTransport;
  /** Requests a second, and how many at once before that counts. Missing, or negative: no bound. */
  readonly qps?: number;
  readonly burst?: number;
  /** Of one request; watches have none. */
  readonly timeout?: Micros;
  /** Numbers that tell requests of one kubelet apart in the trace. */
  readonly ids?: { next: number };
}

const methods = { create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;
/** Waits longer than this are told. upstream: client-go rest/request.go longThrottleLatency */
const longThrottleLatency = 50 * Millisecond;
/** upstream: client-go rest/request.go maxRetries */
const maxRetries = 10;

/**
 * Requests to an API server: within a rate, retried when the server says when, each with `api` records in the trace (never
 * what it carries). Errors are APIErrors, or an Error in the words of Go's HTTP client. upstream: client-go rest.RESTClient
 */
export class RestClient {
  private readonly log: Logger;
  private readonly bucket: TokenBucket | null;
  private readonly ids: { next: number };

  constructor(private readonly o: RestClientOptions) {
    this.log = new Logger(o.kernel, 'request.go');
    const { qps = -1, burst = 0 } = o;
    this.bucket = qps > 0 ? new TokenBucket(o.kernel, qps, burst) : null;
    this.ids = o.ids ?? { next: 1 };
  }

  get host(): string {
    return this.o.transport.host;
  }

  /** The answer's body. */
  *do<T>(ctx: Context, target: RestTarget, options: RestOptions = {}): Go<T> {
    const { transport, timeout } = this.o;
    const request: RestRequest = {
      method: Object.hasOwn(methods, target.verb) ? methods[target.verb as keyof typeof methods] : 'GET',
      path: pathOf(target),
      ...(options.query && { query: options.query }),
      ...(options.body !== undefined && { body: options.body }),
      ...(target.verb === 'patch' && { contentType: 'application/strategic-merge-patch+json' as const }),
      ...(timeout !== undefined && { timeout }),
    };
    for (let retries = 0; ; retries++) {
      const answer = yield* this.traced(ctx, target, request, (c, r) => transport.request(c, r));
      if (answer.code < 400) return answer.body as T;
      const error = errorFromResponse(answer.code, answer.body, target.verb, whatOf(target));
      // Only where the server says when to come again. upstream: checkWait
      const after = answer.code === 429 || answer.code >= 500 ? (error.details.retryAfterSeconds ?? 0) : 0;
      if (!(after > 0) || retries >= maxRetries) throw error;
      this.log.info(4, 'Got a Retry-After response', {
        delay: `${after}s`,
        attempt: retries + 1,
        url: this.url(request),
      });
      yield* sleep(after * Second);
    }
  }

  /** A watch that the server began; its `stop` is to be called once it is no longer read. */
  *watch(ctx: Context, target: RestTarget, query: Readonly<Record<string, string>>): Go<RestWatch> {
    const { transport, kernel } = this.o;
    const request: RestRequest = { method: 'GET', path: pathOf(target), query };
    const id = this.ids.next;
    const answer = yield* this.traced(ctx, target, request, (c, r) => transport.watch(c, r));
    if (answer.code !== 200) {
      answer.stop();
      throw errorFromResponse(answer.code, answer.body, target.verb, whatOf(target));
    }
    let open = true;
    return {
      code: answer.code,
      body: answer.body,
      events: answer.events,
      stop() {
        if (!open) return;
        open = false;
        answer.stop();
        kernel.emit({ kind: 'api', id, phase: 'end', ...recordOf(target) });
      },
    };
  }

  private *traced<R extends RestResponse>(
    ctx: Context,
    target: RestTarget,
    request: RestRequest,
    send: (ctx: Context, request: RestRequest) => Go<R>,
  ): Go<R> {
    const { kernel } = this.o;
    // Taken before any wait: a watch reads it, too.
    const id = this.ids.next++;
    const waited = this.bucket ? yield* this.bucket.wait() : 0;
    if (waited > longThrottleLatency)
      this.log.info(3, 'Waited before sending request', {
        delay: duration(waited),
        reason: 'client-side throttling, not priority and fairness',
        verb: request.method,
        URL: this.url(request),
      });
    const about = recordOf(target);
    kernel.emitCause({ kind: 'api', id, phase: 'request', ...about });
    const started = kernel.now();
    const took = () => kernel.now() - started;
    try {
      const answer = yield* send(ctx, request);
      kernel.emitCause({
        kind: 'api',
        id,
        phase: 'response',
        ...about,
        code: answer.code,
        took: took(),
        ...(answer.code >= 400 && {
          error: errorFromResponse(answer.code, answer.body, target.verb, whatOf(target)).message,
        }),
      });
      return answer;
    } catch (err) {
      // As Go's http.Client says it: method, URL, what the connection said.
      const method = request.method.charAt(0) + request.method.slice(1).toLowerCase();
      const error = new Error(`${method} ${JSON.stringify(this.url(request))}: ${messageOf(err)}`, { cause: err });
      kernel.emitCause({ kind: 'api', id, phase: 'response', ...about, took: took(), error: error.message });
      throw error;
    }
  }

  private url({ path, query }: RestRequest): string {
    const pairs = Object.entries(query ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    const text = pairs.map(([k, v]) => `${encodeURIComponent(k)}=${encodeURIComponent(v)}`).join('&');
    return `${this.host}${path}${text && `?${text}`}`;
  }
}

const segment = (text: string): string => encodeURIComponent(text);

/** `/api/v1/namespaces/default/pods/web/status`. */
function pathOf({ group = '', resource, namespace, name, subresource, verb }: RestTarget): string {
  // An object without a name would be its whole collection.
  if (name === '' && verb !== 'list' && verb !== 'watch' && verb !== 'create')
    throw new APIError('BadRequest', 'resource name may not be empty', 0);
  return [
    group === '' ? '/api/v1' : `/apis/${group}/v1`,
    ...(namespace ? ['namespaces', segment(namespace)] : []),
    resource,
    ...(name ? [segment(name)] : []),
    ...(subresource ? [subresource] : []),
  ].join('/');
}

const whatOf = ({ group, resource, name }: RestTarget): string =>
  `${resource}${group ? `.${group}` : ''}${name ? ` ${name}` : ''}`;

function recordOf({ verb, resource, subresource, namespace, name }: RestTarget): {
  verb: string;
  resource: string;
  subresource?: string;
  namespace?: string;
  name?: string;
} {
  return {
    verb,
    resource,
    ...(subresource && { subresource }),
    ...(namespace && { namespace }),
    ...(name && { name }),
  };
}

const duration = (d: Micros): Json => `${Math.round(d / Millisecond)}ms`;
