import { undecodable } from '../api/client/api-error.js';
import type { RestRequest, RestResponse, RestTransport, RestWatch, WatchEvent } from '../api/client/transport.js';
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
import type { Micros } from '../trace/index.js';
import type { ApiServer } from './server.js';
import { connectionLost, Silence } from './silence.js';
import type { ApiRequest, ApiResponse, ApiWatch, UserInfo } from './types.js';

export interface InProcessOptions {
  readonly user: UserInfo;
  /** One way there and back. Default: 2 ms. */
  readonly latency?: Micros;
  /** Written as messages name it. Default: https://10.96.0.1:443. */
  readonly host?: string;
  /** False: the server does not answer. */
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
  /** Lets nothing come back from now on, until the function that it returns is called. */
  silence(): () => void;
}

/** Connects straight to the server: each body is copied on its way, so neither side can change what the other has. */
export function inProcessTransport(kernel: Kernel, server: ApiServer, options: InProcessOptions): InProcessTransport {
  const {
    user,
    latency = 2 * Millisecond,
    host = 'https://10.96.0.1:443',
    userAgent = 'syncloop',
    buffer = 1000,
  } = options;
  const reachable = options.reachable ?? (() => true);
  const open = new Set<OpenWatch>();
  const silence = new Silence(kernel, (lost) => {
    for (const watch of [...open]) watch.resume(lost);
  });
  const address = host.replace(/^https?:\/\//, '');

  function* go(ctx: Context, request: RestRequest, watch: boolean): Go<ApiRequest> {
    if (ctx.err()) throw ctx.err();
    if (latency > 0) yield* sleep(latency);
    if (ctx.err()) throw ctx.err();
    if (silence.on) yield* silence.wait(ctx, address, request.timeout);
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

  /** Returns the server's answer once the change is committed. */
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
      for (const watch of [...open]) watch.finish();
    },
    silence: () => silence.begin(),
    *request(ctx: Context, request: RestRequest): Go<RestResponse> {
      const response = yield* committed(ctx, yield* go(ctx, request, false));
      if (response.kind === 'answer') return { code: response.code, body: response.body };
      if (response.kind === 'watch') throw new Error('a watch cannot be sent as a request: use watch');
      throw new Error(`${response.subresource} is answered by a kubelet, which is out of reach here`);
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
      const watch = new OpenWatch(events, silence, buffer);
      watch.begin(response, () => open.delete(watch));
      if (!watch.over) {
        open.add(watch);
        watch.undo = (ctx ?? background).afterFunc(() => watch.finish());
      }
      return { code: 200, body: null, events, stop: () => watch.finish() };
    },
  };
}

/** One watch between server and client. */
class OpenWatch {
  over = false;
  undo: () => boolean = () => false;
  private stopServer = (): void => {};
  private closed = (): void => {};
  /** Events that the server sent while the network was silent. */
  private late: WatchEvent[] = [];
  /** The server has ended it, and nobody knows yet. */
  private ended = false;

  constructor(
    private readonly events: Chan<WatchEvent>,
    private readonly silence: Silence,
    private readonly buffer: number,
  ) {}

  begin(watch: ApiWatch, closed: () => void): void {
    this.closed = closed;
    const stop = watch.open({
      event: (event) => {
        if (this.over || this.ended) return false;
        return this.silence.on ? this.late.push(event) <= this.buffer : this.events.trySend(event);
      },
      end: () => {
        if (this.silence.on) this.ended = true;
        else this.finish();
      },
    });
    this.stopServer = stop;
    if (this.over) stop();
  }

  /** Ends the silence: the network is back, or this connection is given up. */
  resume(lost: boolean): void {
    if (lost) this.events.trySend({ type: 'ERROR', object: undecodable(connectionLost) });
    else for (const event of this.late) this.events.trySend(event);
    this.late = [];
    if (lost || this.ended) this.finish();
  }

  finish(): void {
    if (this.over) return;
    this.over = true;
    this.undo();
    this.closed();
    this.stopServer();
    if (!this.events.closed) this.events.close();
  }
}

function describeEvent({ type, object }: WatchEvent) {
  const { kind = '', metadata } = (object ?? {}) as { kind?: string; metadata?: { namespace?: string; name?: string } };
  const name = metadata?.name ?? '';
  return { type, object: kind, name: metadata?.namespace ? `${metadata.namespace}/${name}` : name };
}
