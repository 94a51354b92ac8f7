/**
 * The kubelet's way to an API server over the network: HTTP/1.1 with kept connections, JSON, one connection per watch.
 *
 * upstream: client-go rest.Request, transport
 */

import {
  type RestRequest,
  type RestResponse,
  type RestTransport,
  type RestWatch,
  undecodable,
  type WatchEvent,
} from '@syncloop/core/api';
import {
  type Chan,
  type Context,
  call,
  current,
  type Go,
  makeChan,
  recv,
  select,
  sendTo,
  withCancel,
} from '@syncloop/core/kernel';
import { exchange, type Incoming, type Outgoing, TransportError } from './exchange.js';
import { urlError } from './go-errors.js';
import { ConnectionHealth, connectionLost } from './health.js';
import type { ServerAccess } from './kubeconfig.js';
import { LineReader, LineTooLong } from './lines.js';

export interface TransportOptions {
  /** Default: `kubelet/v1.36.0 (linux/amd64) syncloop`. */
  readonly userAgent: string;
  /** The timeout of a request that sets none itself, ms. */
  readonly timeoutMillis?: number;
  /** Largest answer, and largest event of a watch, bytes. */
  readonly maxAnswer?: number;
  readonly maxEvent?: number;
  /** Silence after which the server is asked whether it is there, and how long it has to answer, ms. */
  readonly readIdleMillis?: number;
  readonly pingMillis?: number;
}

const MiB = 1024 * 1024;

/** Sends requests to the server of `access`. Credentials stay inside: no record, error or log contains them. */
export class HTTPSTransport implements RestTransport {
  private readonly timeoutMillis: number;
  private readonly maxAnswer: number;
  private readonly maxEvent: number;
  private readonly health: ConnectionHealth;

  constructor(
    private readonly access: ServerAccess,
    private readonly options: TransportOptions,
  ) {
    this.timeoutMillis = options.timeoutMillis ?? 60_000;
    this.maxAnswer = options.maxAnswer ?? 64 * MiB;
    this.maxEvent = options.maxEvent ?? 16 * MiB;
    this.health = new ConnectionHealth((signal) => this.ping(signal), options.readIdleMillis, options.pingMillis);
  }

  get host(): string {
    return this.access.url;
  }

  /** Ends all connections, watches too; the next requests make new ones. */
  closeConnections(): void {
    this.access.closeConnections();
  }

  close(): void {
    this.access.close();
  }

  *request(ctx: Context, request: RestRequest): Go<RestResponse> {
    const name = `${request.method} ${request.path}`;
    return yield* call(name, (signal) => this.send(request, this.url(request), signal), ctx);
  }

  *watch(ctx: Context, request: RestRequest): Go<RestWatch> {
    const { kernel } = current();
    const [inner, stop] = withCancel(kernel, ctx);
    const url = this.url({ ...request, query: { ...request.query, watch: '1' } });
    const name = `watch ${request.path}`;
    const events = makeChan<WatchEvent>(kernel, name, 0, { quiet: true });
    let begun: { readonly incoming: Incoming } | RestResponse;
    try {
      begun = yield* call(name, (signal) => this.begin(request, url, signal), inner);
    } catch (err) {
      stop();
      throw err;
    }
    if ('incoming' in begun) {
      const { incoming } = begun;
      kernel.go(name, () => this.pump(inner, incoming, events, stop), { quiet: true, daemon: true });
      return { code: 200, body: null, events, stop };
    }
    stop();
    events.close();
    return { ...begun, events, stop };
  }

  /** Any answer will do. */
  private async ping(signal: AbortSignal): Promise<void> {
    const request = { method: 'GET', path: '/livez' } as const;
    (await this.open(request, this.url(request), signal)).response.resume();
  }

  private url({ path, query = {} }: RestRequest): URL {
    const url = new URL(this.access.url + path);
    // Sorted by key, as Go does. upstream: net/url Values.Encode
    for (const key of Object.keys(query).sort()) url.searchParams.append(key, query[key] as string);
    return url;
  }

  private async open(request: RestRequest, url: URL, signal: AbortSignal): Promise<Incoming> {
    const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
    const outgoing: Outgoing = {
      method: request.method,
      url,
      timeoutMillis: request.timeout === undefined ? this.timeoutMillis : request.timeout / 1000,
      headers: {
        Accept: 'application/json',
        'User-Agent': this.options.userAgent,
        ...(body && { 'Content-Type': request.contentType ?? 'application/json' }),
      },
      ...(body && { body }),
    };
    const access = await this.access.next().catch((err: Error) => {
      throw new TransportError(urlError(request.method, url.href, `getting credentials: ${err.message}`));
    });
    const incoming = await exchange(outgoing, access, signal);
    this.health.heard();
    if (incoming.response.statusCode === 401) this.access.refused();
    return incoming;
  }

  private async send(request: RestRequest, url: URL, signal: AbortSignal): Promise<RestResponse> {
    return await this.answer(request, url, await this.open(request, url, signal));
  }

  private async answer(request: RestRequest, url: URL, incoming: Incoming): Promise<RestResponse> {
    const { statusCode: code = 0, headers } = incoming.response;
    const text = await this.text(request, url, incoming);
    // /healthz and similar paths answer in plain text.
    const plain = code < 400 && /^text\/plain\b/i.test(headers['content-type'] ?? '');
    const body = plain ? text : decode(code, text, () => urlError(request.method, url.href, ''));
    // HTTP allows a date as well, but no client of Kubernetes understands one. upstream: retryAfterSeconds
    const after = headers['retry-after'];
    return { code, body, ...(after !== undefined && /^\d{1,9}$/.test(after) && { retryAfter: Number(after) }) };
  }

  /** Reads the whole body within what remains of the request's timeout. */
  private async text(request: RestRequest, url: URL, incoming: Incoming): Promise<string> {
    const millis = request.timeout === undefined ? this.timeoutMillis : request.timeout / 1000;
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      incoming.response.destroy(new Error('late'));
    }, millis);
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of incoming.response as AsyncIterable<Buffer>) {
        this.health.heard();
        size += chunk.length;
        if (size > this.maxAnswer) {
          incoming.abort();
          throw new TransportError(
            urlError(request.method, url.href, `the answer has more than ${this.maxAnswer} bytes`),
          );
        }
        chunks.push(chunk);
      }
    } catch (err) {
      if (err instanceof TransportError) throw err;
      const why = 'context deadline exceeded (Client.Timeout or context cancellation while reading body)';
      throw late ? new TransportError(why) : bodyError(incoming, err as Error);
    } finally {
      clearTimeout(timer);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  private async begin(
    request: RestRequest,
    url: URL,
    signal: AbortSignal,
  ): Promise<{ incoming: Incoming } | RestResponse> {
    const incoming = await this.open(request, url, signal);
    return incoming.response.statusCode === 200 ? { incoming } : await this.answer(request, url, incoming);
  }

  /** Passes events on, one by one; TCP slows the server down to the speed of the reader. */
  private *pump(ctx: Context, incoming: Incoming, events: Chan<WatchEvent>, stop: () => void): Go<void> {
    const lines = new LineReader(incoming.response, this.maxEvent);
    let lost = false;
    const unwatched = this.health.watch(() => {
      lost = true;
      incoming.abort();
    });
    const pass = function* (event: WatchEvent): Go<boolean> {
      const sent = yield* select({ sent: sendTo(events, event), done: recv(ctx.done()) });
      return sent.case === 'sent';
    };
    // The signal aborts when the context ends, and also when the whole process does.
    const next = (signal: AbortSignal) => {
      signal.addEventListener('abort', () => incoming.abort(), { once: true });
      return lines.next();
    };
    try {
      for (;;) {
        const line = yield* call(events.name, next, ctx);
        if (line === null || ctx.err()) break;
        this.health.heard();
        const event = parseEvent(line);
        if (!event) yield* pass({ type: 'ERROR', object: undecodable(line.slice(0, 200)) });
        if (!event || !(yield* pass(event))) break;
      }
    } catch (err) {
      // A connection that ends, for whatever reason, is the ordinary end of a watch; unreadable data is reported.
      // upstream: apimachinery pkg/watch/streamwatcher.go
      const broken = incoming.malformed() ? 'malformed chunked encoding' : null;
      const why = lost ? connectionLost : err instanceof LineTooLong ? err.message : broken;
      if (why !== null) yield* pass({ type: 'ERROR', object: undecodable(why) });
    }
    unwatched();
    incoming.abort();
    stop();
    events.close();
  }
}

/** The error of a body that broke off. upstream: io.ErrUnexpectedEOF */
function bodyError(incoming: Incoming, err: Error): Error {
  const code = (err as NodeJS.ErrnoException).code;
  return code === 'ECONNRESET' && err.message === 'aborted'
    ? new TransportError('unexpected EOF')
    : incoming.explain(err);
}

/**
 * Parses the JSON that the server sent. An error that is not JSON becomes a Status. upstream: rest
 * (*Request).transformResponse
 */
function decode(code: number, text: string, prefix: () => string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (code < 400 || isStatus(value)) return value;
  } catch (err) {
    if (code < 400) throw new TransportError(`${prefix()}the answer is not JSON: ${(err as Error).message}`);
  }
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: text.trim().slice(0, 2048) || 'unknown',
    reason: reasons[code] ?? 'InternalError',
    code,
  };
}

// upstream: apimachinery pkg/api/errors NewGenericServerResponse
const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

const isStatus = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'Status';

const types: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']);

function parseEvent(line: string): WatchEvent | null {
  try {
    const value = JSON.parse(line) as { type?: unknown; object?: unknown } | null;
    return value && types.has(value.type) && typeof value.object === 'object' ? (value as WatchEvent) : null;
  } catch {
    return null;
  }
}
