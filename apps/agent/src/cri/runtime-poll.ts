/**
 * Observes a container runtime independently of its kubelet: by calls that change nothing, at a limited rate, and by
 * its stream of events.
 */
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { type RpcMethod, rpcs } from '@syncloop/core/cri';
import { rpcCodecs } from '@syncloop/core/cri/codec';
import type { Json } from '@syncloop/core/trace';
import type { Evidence } from '@syncloop/observe';
import { socketPath } from './endpoint.js';
import { maxMessageSize } from './transport.js';

/** All that is ever called from here. None of them changes anything, in any runtime. */
export const readOnlyMethods = [
  'version',
  'status',
  'listPodSandbox',
  'listContainers',
  'containerStatus',
  'listImages',
  'imageFsInfo',
  'getContainerEvents',
] as const satisfies readonly RpcMethod[];
type ReadOnlyMethod = (typeof readOnlyMethods)[number];

export interface PollPace {
  /** Milliseconds between two looks at sandboxes and containers. By default 5 s, or 60 s while events come. */
  readonly lists: number;
  readonly listsWithEvents: number;
  /** Milliseconds between two looks at status, images and file systems. */
  readonly slow: number;
  /** Milliseconds between two calls, whichever are due. */
  readonly between: number;
  /** Milliseconds until an attempt to have events is made again. */
  readonly again: number;
}
const PACE: PollPace = { lists: 5000, listsWithEvents: 60_000, slow: 60_000, between: 100, again: 10_000 };
const DEADLINE_MILLIS = 10_000;

export interface PollOptions {
  /** `unix:///PATH`. Nobody need listen there yet. */
  readonly endpoint: string;
  /** The id of the source. */
  readonly source?: string;
  readonly emit: (evidence: readonly Evidence[]) => void;
  readonly pace?: Partial<PollPace>;
}

export interface RuntimePoll {
  close(): void;
}

/** Asks the runtime behind a socket for its version; rejects with gRPC's text if it does not answer. */
export function askVersion(path: string): Promise<void> {
  const client = new Client(`unix://${path}`, credentials.createInsecure(), {
    'grpc.default_authority': 'localhost',
    'grpc.use_local_subchannel_pool': 1,
  });
  const { path: method, request, response } = rpcCodecs.version;
  return new Promise<void>((resolve, reject) => {
    client.makeUnaryRequest<object, object>(
      method,
      (message) => Buffer.from(request.encode(message)),
      (bytes) => response.decode(bytes),
      {},
      new Metadata(),
      { deadline: Date.now() + DEADLINE_MILLIS },
      (err) => (err ? reject(err) : resolve()),
    );
  }).finally(() => client.close());
}

/** Begins to look. Errors of the runtime are evidence; it goes on until it is closed. */
export function pollRuntime({ endpoint, source = 'events', emit, pace: given = {} }: PollOptions): RuntimePoll {
  const pace = { ...PACE, ...given };
  const client = new Client(`unix://${socketPath(endpoint)}`, credentials.createInsecure(), {
    'grpc.default_authority': 'localhost',
    'grpc.max_receive_message_length': maxMessageSize,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_channelz': 0,
  });
  let closed = false;
  let events = false;
  /** Ended containers whose exit code was asked for. */
  const asked = new Set<string>();
  const head = () => ({ source, at: Math.round((performance.timeOrigin + performance.now()) * 1000), place: {} });

  /** Makes a call; resolves with its answer, or null if it failed. */
  const ask = (method: Exclude<ReadOnlyMethod, 'getContainerEvents'>, request: object = {}): Promise<object | null> =>
    new Promise((resolve) => {
      if (closed) return resolve(null);
      const { path, request: encoder, response } = rpcCodecs[method];
      client.makeUnaryRequest<object, object>(
        path,
        (message) => Buffer.from(encoder.encode(message as never)),
        (bytes) => response.decode(bytes),
        request,
        new Metadata(),
        { deadline: Date.now() + DEADLINE_MILLIS },
        (err, answer) => {
          if (closed) return resolve(null);
          const { name } = rpcs[method];
          emit([
            err
              ? { ...head(), kind: 'runtime', method: name, error: { code: err.code, details: err.details } }
              : { ...head(), kind: 'runtime', method: name, response: (answer ?? {}) as Json },
          ]);
          resolve(err ? null : (answer ?? {}));
        },
      );
    });

  const listen = () => {
    const { path, request, response } = rpcCodecs.getContainerEvents;
    const stream = client.makeServerStreamRequest<object, object>(
      path,
      (message) => Buffer.from(request.encode(message)),
      (bytes) => response.decode(bytes),
      {},
    );
    stream.on('data', (event: object) => {
      events = true;
      if (!closed) emit([{ ...head(), kind: 'container-event', event: event as Json }]);
    });
    stream.on('error', (err: ServiceError) => {
      if (closed) return;
      if (events)
        emit([
          {
            ...head(),
            kind: 'gap',
            why: `The runtime's events end here, and may be missing until lists are seen: ${err.details}.`,
          },
        ]);
      events = false;
    });
    stream.on('end', () => {
      events = false;
      if (!closed) timer(listen, pace.again);
    });
  };

  const timers = new Set<NodeJS.Timeout>();
  const timer = (then: () => void, millis: number) => {
    if (closed) return;
    const one = setTimeout(() => {
      timers.delete(one);
      then();
    }, millis);
    timers.add(one);
  };
  /** Does not come back once it is closed. */
  const pause = (millis: number) => new Promise<void>((resolve) => timer(resolve, millis));

  const look = async () => {
    let slowDue = 0;
    while (!closed) {
      const now = performance.now();
      if (now >= slowDue) {
        slowDue = now + pace.slow;
        for (const method of ['version', 'status', 'listImages', 'imageFsInfo'] as const) {
          await ask(method);
          await pause(pace.between);
        }
      }
      await ask('listPodSandbox');
      await pause(pace.between);
      const answer = (await ask('listContainers')) as { containers?: { id?: string; state?: string }[] } | null;
      const there = answer?.containers ?? [];
      for (const id of asked) if (answer && !there.some((one) => one.id === id)) asked.delete(id);
      for (const { id = '', state } of there) {
        if (closed || state !== 'CONTAINER_EXITED' || asked.has(id)) continue;
        asked.add(id);
        await pause(pace.between);
        await ask('containerStatus', { containerId: id });
      }
      await pause(events ? pace.listsWithEvents : pace.lists);
    }
  };
  listen();
  void look();
  return {
    close() {
      closed = true;
      for (const one of timers) clearTimeout(one);
      client.close();
    },
  };
}
