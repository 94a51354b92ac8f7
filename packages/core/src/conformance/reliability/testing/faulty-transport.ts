import type { RestRequest, RestResponse, RestTransport } from '../../../api/client/transport.js';
import type { Context, Go } from '../../../kernel/index.js';
import { sleep } from '../../../kernel/index.js';
import type { Micros } from '../../../trace/index.js';

/** A fault of a request. Null: nothing. `instead`: it does not reach the server. */
export interface ApiFault {
  /** It takes this much longer on its way. */
  readonly delay?: Micros;
  /** An answer in the server's place. */
  readonly instead?: RestResponse;
  /** The connection fails: before the server has it, or after it did it. */
  readonly lost?: 'before' | 'after';
}

export interface FaultyTransportHooks {
  /** Sees each request, and each beginning of a watch, before it goes. */
  on(request: RestRequest, watch: boolean): ApiFault | null;
  /** Called around each request that writes: before it goes, and when its answer is there. */
  point?(when: 'before' | 'after', request: RestRequest): Go<void>;
}

/** A transport with a switch for the watches that go through it. */
export interface FaultyTransport extends RestTransport {
  /** Ends the watches whose paths match, as a lost connection does; returns their number. */
  cut(path?: RegExp): number;
  /** Paths of the watches that are open. */
  readonly open: readonly string[];
}

export const isWrite = (r: RestRequest): boolean => r.method !== 'GET';

const refused = 'read tcp 10.0.0.1:41222->10.96.0.1:443: read: connection reset by peer';

/** The server's words for a request that it does not take now. */
export const statusOf = (code: number, reason: string, message: string, retryAfterSeconds?: number): RestResponse => ({
  code,
  body: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    code,
    ...(retryAfterSeconds !== undefined && { details: { retryAfterSeconds } }),
  },
});

/** Returns `inner` with faults. */
export function faultyTransport(inner: RestTransport, hooks: FaultyTransportHooks): FaultyTransport {
  const watches = new Map<() => void, string>();

  function* ask(ctx: Context, request: RestRequest, fault: ApiFault | null): Go<RestResponse> {
    if (fault?.delay) yield* sleep(fault.delay);
    if (ctx.err()) throw ctx.err();
    if (fault?.instead) return fault.instead;
    if (fault?.lost === 'before') throw new Error(refused);
    const response = yield* inner.request(ctx, request);
    if (fault?.lost === 'after') throw new Error(refused);
    return response;
  }

  return {
    host: inner.host,
    get open() {
      return [...watches.values()];
    },
    cut(path = /./) {
      const hit = [...watches].filter(([, p]) => path.test(p));
      for (const [end] of hit) end();
      return hit.length;
    },
    *request(ctx, request) {
      const fault = hooks.on(request, false);
      if (!isWrite(request) || !hooks.point) return yield* ask(ctx, request, fault);
      yield* hooks.point('before', request);
      const response = yield* ask(ctx, request, fault);
      yield* hooks.point('after', request);
      return response;
    },
    *watch(ctx, request) {
      const fault = hooks.on(request, true);
      if (fault?.delay) yield* sleep(fault.delay);
      if (ctx.err()) throw ctx.err();
      if (fault?.lost) throw new Error(refused);
      const watch = yield* inner.watch(ctx, request);
      if (fault?.instead) {
        watch.stop();
        return { ...fault.instead, events: watch.events, stop: () => {} };
      }
      if (watch.code !== 200) return watch;
      const end = () => {
        watches.delete(end);
        watch.stop();
      };
      watches.set(end, request.path);
      return { ...watch, stop: end };
    },
  };
}
