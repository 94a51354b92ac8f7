/** Watching CRI calls on the wire, for recordings. */
import type { CRIError, RpcMethod } from '@syncloop/core/cri';

/** An event on the wire. */
export type CallEvent = {
  /** The number of the call on its connection, from 1. */
  readonly id: number;
  readonly method: RpcMethod;
  /** Milliseconds since 1970. */
  readonly at: number;
} & (
  | { readonly phase: 'begin'; readonly request: object }
  /** One answer of a streaming call. */
  | { readonly phase: 'message'; readonly response: object }
  /** Has `error` if the call failed, else `response` if it was unary: the one before any checks. */
  | {
      readonly phase: 'end';
      readonly request: object;
      readonly response?: object;
      readonly error?: CRIError;
      /** Milliseconds since the call's begin. */
      readonly tookMs: number;
    }
);

/**
 * Called for every call as it happens. It gets messages as they are, including the credentials of PullImage: see
 * `redactRequest` in core. A tap must neither throw nor change them.
 */
export type Tap = (event: CallEvent) => void;

/** The end of a call. */
export interface Outcome {
  response?: object;
  error?: CRIError;
}

/** Tells a tap about one call. */
export class CallTrace {
  private readonly start = performance.now();
  private over = false;

  constructor(
    private readonly tap: Tap | undefined,
    private readonly id: number,
    private readonly method: RpcMethod,
    private readonly request: object,
  ) {
    tap?.({ phase: 'begin', id, method, request, at: Date.now() });
  }

  message(response: object): void {
    this.tap?.({ phase: 'message', id: this.id, method: this.method, response, at: Date.now() });
  }

  /** The first call counts; later ones are ignored. */
  end(outcome: Outcome): void {
    if (this.over) return;
    this.over = true;
    const { id, method, request, start } = this;
    this.tap?.({ phase: 'end', id, method, request, ...outcome, at: Date.now(), tookMs: performance.now() - start });
  }
}
