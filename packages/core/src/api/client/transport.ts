import type { Chan, Context, Go } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';

/** One request to an API server, as it goes over the wire. */
export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute, percent-encoded, without query: `/api/v1/namespaces/default/pods/web`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Content type of the body. Default: application/json. */
  readonly contentType?:
    | 'application/json'
    | 'application/strategic-merge-patch+json'
    | 'application/merge-patch+json'
    | 'application/json-patch+json'
    | 'application/apply-patch+yaml';
  /** JSON value; undefined for none. */
  readonly body?: unknown;
  /** Default: the transport's own. */
  readonly timeout?: Micros;
}

/**
 * The answer: the HTTP code and the parsed body (an object, or a `Status` if the code is 400 or more; a text that the
 * server calls plain stays one).
 */
export interface RestResponse {
  readonly code: number;
  readonly body: unknown;
  /** Seconds that the header Retry-After names; missing if there is none. */
  readonly retryAfter?: number;
}

/** A watch that was begun. With a code other than 200 `events` is closed and `body` is the server's `Status`. */
export interface RestWatch extends RestResponse {
  /** `{type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR', object}`; closed when the connection ends. */
  readonly events: Chan<WatchEvent>;
  stop(): void;
}

/** upstream: apimachinery metav1.WatchEvent, decoded */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
}

/**
 * The way to an API server: HTTPS in the agent, straight into the in-memory server in a simulation. An answer with an
 * error code is an answer; only a transport that fails throws, with a text such as Go's
 * (`dial tcp 10.0.0.1:6443: connect: connection refused`). The context ends a request or a watch.
 * upstream: client-go rest.Interface
 */
export interface RestTransport {
  /** `https://10.0.0.1:6443`, as messages name it. */
  readonly host: string;
  request(ctx: Context, request: RestRequest): Go<RestResponse>;
  /** The query's `watch=1` is set by the transport. */
  watch(ctx: Context, request: RestRequest): Go<RestWatch>;
}
