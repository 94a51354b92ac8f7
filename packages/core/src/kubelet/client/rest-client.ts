import { APIError, errorFromResponse } from '../../api/client/api-error.js';
import type { RestRequest, RestResponse, RestTransport, RestWatch, WatchEvent } from '../../api/client/transport.js';
import { messageOf } from '../../base/index.js';
import {
  type Context,
  current,
  type Go,
  type Kernel,
  Millisecond,
  makeChan,
  recv,
  Second,
  select,
  Timer,
} from '../../kernel/index.js';
import type { Json, Micros } from '../../trace/index.js';
import { Logger } from '../klog.js';
import { TokenBucket } from './flowcontrol.js';

export type RestVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** The subject of a request. `group` '' is the core group. */
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
  /** Deadline of one request with all its attempts; watches have none. */
  readonly timeout?: Micros;
  /** Numbers that tell requests of one kubelet apart in the trace. */
  readonly ids?: { next: number };
}

const methods = { create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;
/** Longer waits are logged. upstream: client-go rest/request.go longThrottleLatency */
const longThrottleLatency = 50 * Millisecond;
/** upstream: client-go rest/request.go maxRetries */
const maxRetries = 10;

/**
 * True if a connection ended without an answer: most of these are worth another try.
 * upstream: apimachinery pkg/util/net IsProbableEOF
 */
const isProbableEOF = (text: string): boolean =>
  /(^|: )(unexpected )?EOF$|(^|: )http: can't write HTTP request on broken connection$/.test(text) ||
  /connection reset by peer|http2: server sent GOAWAY and closed the connection|use of closed network connection/i.test(
    text,
  );
/** upstream: apimachinery pkg/util/net IsHTTP2ConnectionLost */
const isConnectionLost = (text: string): boolean => text.includes('http2: client connection lost');
/** upstream: apimachinery pkg/util/net IsTimeout */
const isTimeout = (text: string): boolean =>
  /i\/o timeout$|TLS handshake timeout$|context deadline exceeded|connection timed out$/.test(text);

export interface RetryOptions {
  /** Returns true for a connection error after which to retry. Default: never. */
  readonly isRetryable?: (text: string) => boolean;
  /** Called before each wait. */
  readonly onRetry?: (seconds: number, attempt: number) => void;
  /** The time at which all attempts and waits must be over. */
  readonly deadline?: Micros;
}

/**
 * Sends until there is an answer that does not ask to come again (429 and 5xx with Retry-After do), at most eleven
 * times; after a connection error it sends again a second later. The last answer is returned, the last error thrown;
 * the end of the context and the deadline end a wait, too.
 * upstream: client-go rest/with_retry.go
 */
export function* withRetry<R extends RestResponse>(
  ctx: Context,
  send: (left: Micros | undefined) => Go<R>,
  { isRetryable = () => false, onRetry, deadline }: RetryOptions = {},
): Go<R> {
  const { kernel } = current();
  let previous: unknown = null;
  for (let attempt = 1; ; attempt++) {
    let failure: unknown = null;
    let seconds: number | null = null;
    let answer: R | null = null;
    try {
      answer = yield* send(deadline === undefined ? undefined : deadline - kernel.now());
      seconds = retryAfter(answer);
    } catch (err) {
      failure = err;
      if (!(err instanceof APIError) && !ctx.err() && isRetryable(messageOf(err))) seconds = 1;
    }
    if (seconds === null || attempt > maxRetries) {
      if (answer) return answer;
      throw wrapPrevious(failure, previous);
    }
    onRetry?.(seconds, attempt);
    const until = kernel.now() + seconds * Second;
    const timer = new Timer(kernel, Math.min(until, deadline ?? until) - kernel.now(), { name: 'retry after' });
    const first = yield* select({ time: recv(timer.c), done: recv(ctx.done()) });
    timer.stop();
    if (first.case === 'done') throw ctx.err();
    if (deadline !== undefined && until >= deadline)
      throw wrapPrevious(new Error('context deadline exceeded'), failure ?? previous);
    previous = failure ?? previous;
  }
}

/** Returns the seconds after which to try again; null if the server does not say. upstream: checkWait */
function retryAfter({ code, body, retryAfter }: RestResponse): number | null {
  if (code !== 429 && code < 500) return null;
  if (retryAfter !== undefined) return retryAfter;
  // A server in this process has no headers; upstream's always puts both.
  const seconds = (body as { details?: { retryAfterSeconds?: unknown } | null } | null)?.details?.retryAfterSeconds;
  return typeof seconds === 'number' && seconds > 0 ? seconds : null;
}

/** upstream: (*withRetry).WrapPreviousError */
function wrapPrevious(last: unknown, previous: unknown): unknown {
  if (previous === null || messageOf(last) === messageOf(previous)) return last;
  // The request is named only once.
  const why = messageOf((previous as { cause?: unknown }).cause ?? previous);
  return new Error(`${messageOf(last)} - error from a previous attempt: ${why}`, { cause: last });
}

/**
 * Requests to an API server: within a rate, retried when the server says when, each with `api` records in the trace
 * (never what it carries). Errors are APIErrors, or an Error in the words of Go's HTTP client.
 * upstream: client-go rest.RESTClient
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
    const deadline = timeout === undefined ? undefined : this.o.kernel.now() + timeout;
    const request: RestRequest = {
      method: Object.hasOwn(methods, target.verb) ? methods[target.verb as keyof typeof methods] : 'GET',
      path: pathOf(target),
      ...(options.query && { query: options.query }),
      ...(options.body !== undefined && { body: options.body }),
      ...(target.verb === 'patch' && { contentType: 'application/strategic-merge-patch+json' as const }),
    };
    const send = (left: Micros | undefined) =>
      this.traced(ctx, target, { ...request, ...(left !== undefined && { timeout: left }) }, (c, r) =>
        transport.request(c, r),
      );
    const answer = yield* withRetry(ctx, send, {
      // A write may have been carried out.
      ...(request.method === 'GET' && { isRetryable: (text) => isProbableEOF(text) || isConnectionLost(text) }),
      ...(deadline !== undefined && { deadline }),
      onRetry: (seconds, attempt) => this.tellRetry(request, seconds, attempt),
    });
    if (answer.code < 400) return answer.body as T;
    throw errorFromResponse(answer.code, answer.body, target.verb, whatOf(target));
  }

  private tellRetry(request: RestRequest, seconds: number, attempt: number): void {
    this.log.info(4, 'Got a Retry-After response', { delay: `${seconds}s`, attempt, url: this.url(request) });
  }

  /**
   * A watch that the server began; its `stop` is to be called once it is no longer read. If the connection fails again
   * and again without an answer, it is one that has ended already: its reader goes on where it was.
   * upstream: (*Request).Watch
   */
  *watch(ctx: Context, target: RestTarget, query: Readonly<Record<string, string>>): Go<RestWatch> {
    const { transport, kernel } = this.o;
    const request: RestRequest = { method: 'GET', path: pathOf(target), query };
    let id = this.ids.next;
    // Watches are not held back by the rate, only their repetitions are.
    let held = false;
    const isRetryable = (text: string) => isProbableEOF(text) || isTimeout(text);
    const send = () => {
      id = this.ids.next;
      const sent = this.traced(ctx, target, request, (c, r) => transport.watch(c, r), held);
      held = true;
      return sent;
    };
    let answer: RestWatch;
    try {
      answer = yield* withRetry(ctx, send, {
        isRetryable,
        onRetry: (seconds, attempt) => this.tellRetry(request, seconds, attempt),
      });
    } catch (err) {
      if (err instanceof APIError || ctx.err() || !isRetryable(messageOf((err as Error).cause ?? err))) throw err;
      const events = makeChan<WatchEvent>(kernel, `watch ${request.path}`, 0, { quiet: true });
      events.close();
      return { code: 200, body: null, events, stop() {} };
    }
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
    held = true,
  ): Go<R> {
    const { kernel } = this.o;
    // Taken before any wait: a watch reads it, too.
    const id = this.ids.next++;
    const waited = held && this.bucket ? yield* this.bucket.wait() : 0;
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
      // The text of Go's http.Client: method, URL, the connection's error; a transport over the network has it already.
      const method = request.method.charAt(0) + request.method.slice(1).toLowerCase();
      const text = messageOf(err);
      const full = text.startsWith(`${method} "`) ? text : `${method} ${JSON.stringify(this.url(request))}: ${text}`;
      const error = new Error(full, { cause: err });
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

/** Returns the path of a target: `/api/v1/namespaces/default/pods/web/status`. */
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
