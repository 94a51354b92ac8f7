import {
  background,
  type Chan,
  type Context,
  type Go,
  type Kernel,
  Millisecond,
  makeChan,
  recv,
  select,
  sleep,
} from '../kernel/index.js';
import type { RestRequest, RestResponse, RestTransport, RestWatch, WatchEvent } from '../kubelet/client/transport.js';
import type { Micros } from '../trace/index.js';
import type { ApiServer } from './server.js';
import type { ApiRequest, ApiResponse, UserInfo } from './types.js';

export interface InProcessOptions {
  readonly user: UserInfo;
  /** One way there and back. Default: 2 ms. */
  readonly latency?: Micros;
  /** As messages name it. Default: https://10.96.0.1:443. */
  readonly host?: string;
  /** False: nobody answers. */
  readonly reachable?: () => boolean;
  /** Default: syncloop. Managed fields are named after it. */
  readonly userAgent?: string;
  /** Events that a watch's reader may be behind. Default: 1000. */
  readonly buffer?: number;
}

/** A transport with a switch. */
export interface InProcessTransport extends RestTransport {
  /** Ends all its watches, as a lost connection does. */
  disconnect(): void;
}

/** Straight into the server: each body is copied on its way, so neither side can change what the other has. */
export function inProcessTransport(kernel: Kernel, server: ApiServer, options: InProcessOptions): InProcessTransport {
  const {
    user,
    latency = 2 * Millisecond,
    host = 'https://10.96.0.1:443',
    userAgent = 'syncloop',
    buffer = 1000,
  } = options;
  const reachable = options.reachable ?? (() => true);
  const open = new Set<() => void>();
  const address = host.replace(/^https?:\/\//, '');

  function* go(ctx: Context, request: RestRequest, watch: boolean): Go<ApiRequest> {
    if (ctx.err()) throw ctx.err();
    if (latency > 0) yield* sleep(latency);
    if (ctx.err()) throw ctx.err();
    if (!reachable()) throw new Error(`dial tcp ${address}: connect: connection refused`);
    return {
      method: request.method,
      path: request.path,
      query: watch ? { ...request.query, watch: '1' } : (request.query ?? {}),
      headers: {
        accept: 'application/json',
        'content-type': request.contentType ?? 'application/json',
        'user-agent': userAgent,
      },
      ...(request.body !== undefined && { json: request.body }),
      user,
    };
  }

  /** What the server answers once that is kept. */
  function* committed(ctx: Context, request: ApiRequest): Go<ApiResponse> {
    const out: { answer?: ApiResponse; later?: Chan<ApiResponse> } = {};
    server.whenCommitted(request, server.handle(request), (answer) => {
      if (out.later) out.later.trySend(answer);
      else out.answer = answer;
    });
    if (out.answer) return out.answer;
    out.later = makeChan<ApiResponse>(kernel, 'commit', 1, { quiet: true });
    const got = yield* select({ answer: recv(out.later), done: recv(ctx.done()) });
    if (got.case === 'done') throw ctx.err();
    return got.value as ApiResponse;
  }

  return {
    host,
    disconnect() {
      for (const end of [...open]) end();
    },
    *request(ctx: Context, request: RestRequest): Go<RestResponse> {
      const response = yield* committed(ctx, yield* go(ctx, request, false));
      if (response.kind === 'answer') return { code: response.code, body: response.body };
      if (response.kind === 'watch') throw new Error('a watch was asked for as a request: use watch');
      throw new Error(`${response.subresource} goes to the kubelet and cannot be had in process`);
    },
    *watch(ctx: Context, request: RestRequest): Go<RestWatch> {
      const response = server.handle(yield* go(ctx, request, true));
      const events = makeChan<WatchEvent>(kernel, `watch ${request.path}`, buffer, { describe: describeEvent });
      if (response.kind !== 'watch') {
        events.close();
        return {
          code: response.kind === 'answer' ? response.code : 400,
          body: response.kind === 'answer' ? response.body : null,
          events,
          stop() {},
        };
      }
      let over = false;
      let undo: () => boolean = () => false;
      const finish = () => {
        if (over) return;
        over = true;
        undo();
        open.delete(finish);
        stopServer();
        if (!events.closed) events.close();
      };
      let stopServer = (): void => {};
      const stop = response.open({
        event: (event) => !over && events.trySend(event),
        end: finish,
      });
      stopServer = stop;
      if (over) stop();
      else {
        open.add(finish);
        undo = (ctx ?? background).afterFunc(finish);
      }
      return { code: 200, body: null, events, stop: finish };
    },
  };
}

function describeEvent({ type, object }: WatchEvent) {
  const { kind = '', metadata } = (object ?? {}) as { kind?: string; metadata?: { namespace?: string; name?: string } };
  const name = metadata?.name ?? '';
  return { type, object: kind, name: metadata?.namespace ? `${metadata.namespace}/${name}` : name };
}
