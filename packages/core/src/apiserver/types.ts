import type { ObjectMeta as DeclaredMeta } from '../api/objects/meta.js';

export type { ManagedFieldsEntry, OwnerReference } from '../api/objects/meta.js';
/** upstream: metav1.ObjectMeta; a new object has no UID yet, and a namespace only if its kind has one. */
export interface ObjectMeta extends Partial<Omit<DeclaredMeta, 'name'>> {
  name: string;
}

/** Any object of the API. */
export interface ApiObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** The user of a request. upstream: user.Info */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** One request as in HTTP. */
export interface ApiRequest {
  readonly method: string;
  /** Absolute, percent-encoded, without query. */
  readonly path: string;
  /** Decoded; a list for a parameter given more than once. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** Names in lower case. Read: accept, content-type, user-agent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body as text, if it is one. */
  readonly body?: string;
  /** The body as bytes, which application/vnd.kubernetes.protobuf needs. */
  readonly bytes?: Uint8Array;
  /** The body as a JSON value, which is not changed. */
  readonly json?: unknown;
  /** The user that the host has authenticated; absent: system:anonymous. */
  readonly user?: UserInfo;
  /**
   * The metadata of an object that is created, in place of what the server would give it. Not for requests from
   * outside.
   */
  readonly identity?: Identity;
}

/** The identity of an object in a real cluster whose life is re-enacted. */
export interface Identity {
  readonly uid?: string;
  readonly creationTimestamp?: string;
  /** Only one that is still to come is taken. */
  readonly resourceVersion?: string;
}

/**
 * A whole answer. `body`: a JSON value; with a content-type other than JSON, text. It shares nothing with what is
 * stored.
 */
export interface ApiAnswer {
  readonly kind: 'answer';
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /**
   * Yields the body's text of a list in parts of some 32 KiB, made one at a time, which is cheaper than `body` and
   * never blocks for long. A part may be empty if many objects did not match. The list is as it was at the request.
   */
  parts?(): Generator<string, void>;
}

/** upstream: metav1.WatchEvent */
export interface ApiWatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
}
/** The receiver of a watch's events. */
export interface WatchSink {
  /** Returns false if the reader does not keep up; the watch then ends. Must not call the server. */
  event(event: ApiWatchEvent): boolean;
  /** Called once when the server ends the watch. */
  end(): void;
}
/** A watch whose events wait, as texts, until a reader takes them. */
export interface WatchReader {
  /** Returns the next event, a JSON text with its line end; null if none waits. */
  next(): string | null;
  /** True if the watch has ended; `next` may still return events that wait. */
  readonly over: boolean;
  /** Ends the watch, and drops the events that wait. */
  stop(): void;
}
/**
 * A watch that may begin. Nothing is sent before `open` or `read`; the function that `open` returns ends it (without a
 * call of `end`).
 */
export interface ApiWatch {
  readonly kind: 'watch';
  readonly code: 200;
  readonly headers: Readonly<Record<string, string>>;
  open(sink: WatchSink): () => void;
  /**
   * Begins a reader of its own pace. `wake` is called when there is something to read or it is over, never from within
   * `next`; it must not call the server. A reader that is more than `maxBehind` bytes of objects behind is ended, as
   * upstream's cacher does.
   */
  read(wake: () => void, maxBehind: number): WatchReader;
}

/**
 * A request for the host: logs, exec, attach and port-forward of a pod, or a node's proxy. It was found and allowed.
 */
export interface ApiForward {
  readonly kind: 'forward';
  readonly resource: 'pods' | 'nodes';
  /** `log`, `exec`, `attach`, `portforward` or `proxy`. */
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The node whose kubelet has it. */
  readonly nodeName: string;
  /** The container meant; '' with portforward and proxy. */
  readonly container: string;
  /** Behind `proxy`: with its leading slash, or ''. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
}

export type ApiResponse = ApiAnswer | ApiWatch | ApiForward;

/** The request as a policy sees it. upstream: authorizer.Attributes */
export interface AuthorizationAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  /** False for paths such as /version. */
  readonly resourceRequest: boolean;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  /** Fields that a list, a watch or a deletion of many asks to be equal to a value. */
  readonly fieldSelector?: readonly { readonly key: string; readonly value: string }[];
}
export interface Decision {
  readonly allowed: boolean;
  readonly reason?: string;
}

/** One request as an audit log has it. */
export interface AuditEvent {
  /** get, list, watch, create, update, patch, delete, deletecollection; for other paths the method in lower case. */
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  readonly user: string;
  readonly userAgent: string;
  /** Null for none. Of secrets and tokens: null. */
  readonly requestBody: unknown;
  readonly path: string;
}

/** Draws ids and tokens. kernel.Random is one; a host that serves others gives one that cannot be foretold. */
export interface RandomSource {
  /** Returns `n` lower-case hex digits. */
  hex(n: number): string;
  /** Returns a whole number in [0, n). */
  below(n: number): number;
}
