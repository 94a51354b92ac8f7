/** A device plug-in in this process whose every answer a test chooses. */
import { rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf';
import {
  Client,
  credentials,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceError,
  type sendUnaryData,
  status,
  type UntypedHandleCall,
} from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import { ignoreErrors } from '../../base/ignore-errors.js';
import { DevicePlugin, Registration } from '../api/gen/deviceplugin_pb.js';
import { Registration as PluginRegistration } from '../api/gen/pluginregistration_pb.js';
import type { Method } from '../connection.js';
import { decode, encode, pathOf } from '../messages.js';

export type Unary = (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => void;
export type Stream = (call: ServerWritableStream<Buffer, Buffer>) => void;

/** The handlers of a plug-in; a method without one is Unimplemented. */
export interface Behaviour {
  getDevicePluginOptions?: Unary;
  listAndWatch?: Stream;
  getPreferredAllocation?: Unary;
  allocate?: Unary;
  preStartContainer?: Unary;
  getInfo?: Unary;
  notifyRegistrationStatus?: Unary;
}

const same = (bytes: Buffer): Buffer => bytes;
const methods: Readonly<Record<keyof Behaviour, Method>> = { ...DevicePlugin.method, ...PluginRegistration.method };

/** An answer that is always the same. */
export const answers =
  <D extends DescMessage>(schema: D, message: MessageInitShape<D>): Unary =>
  (_call, answer) =>
    answer(null, encode(schema, message));

const missing: Unary = (_call, answer) => answer({ code: status.UNIMPLEMENTED, details: 'not implemented' });

/** Never answers. */
export const hangs = (): void => {};

export class FakePlugin {
  private server: Server | null = null;
  private readonly sockets = new Set<Socket>();
  private listener = createServer();

  private constructor(
    readonly path: string,
    readonly behaviour: Behaviour,
  ) {}

  /** Serves at a socket; gone when the test is over. `behaviour` may be changed while it serves. */
  static async serve(folder: string, behaviour: Behaviour, name = 'plugin.sock'): Promise<FakePlugin> {
    const plugin = new FakePlugin(join(folder, name), behaviour);
    onTestFinished(() => plugin.dies());
    await plugin.start();
    return plugin;
  }

  /** Serves, as after `dies`. */
  async start(): Promise<void> {
    await rm(this.path, { force: true });
    const server = new Server({ 'grpc.max_send_message_length': -1 });
    this.server = server;
    const names = Object.keys({ allocate: null, ...this.behaviour }) as (keyof Behaviour)[];
    server.addService(
      Object.fromEntries(
        names.map((name) => [
          name,
          {
            path: pathOf(methods[name]),
            requestStream: false,
            responseStream: name === 'listAndWatch',
            requestSerialize: same,
            requestDeserialize: same,
            responseSerialize: same,
            responseDeserialize: same,
          },
        ]),
      ),
      Object.fromEntries(names.map((name) => [name, this.handler(name)])),
    );
    const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    this.listener = ignoreErrors(createServer());
    this.listener.on('connection', (socket) => {
      this.sockets.add(ignoreErrors(socket));
      socket.once('close', () => this.sockets.delete(socket));
      injector.injectConnection(socket);
    });
    await new Promise<void>((resolve) => this.listener.listen(this.path, resolve));
  }

  /** Looked up at each call: a test may change the handlers. */
  private handler(name: keyof Behaviour): UntypedHandleCall {
    if (name === 'listAndWatch') return ((call) => this.behaviour.listAndWatch?.(call)) satisfies Stream;
    return ((call, answer) => (this.behaviour[name] ?? missing)(call, answer)) satisfies Unary;
  }

  get connections(): number {
    return this.sockets.size;
  }

  /** Ends like a process that is killed: connections end in the middle of anything, and nobody listens any more. */
  async dies(): Promise<void> {
    this.listener.close();
    for (const socket of this.sockets) socket.destroy();
    this.server?.forceShutdown();
    await rm(this.path, { force: true });
  }
}

/** Registers as a plug-in does. Rejects with the kubelet's answer. */
export function register(
  socket: string,
  request: MessageInitShape<typeof Registration.method.register.input>,
  options: { authority?: string; signal?: AbortSignal } = {},
): Promise<void> {
  const { authority = 'localhost', signal } = options;
  const client = new Client(`unix://${socket}`, credentials.createInsecure(), {
    'grpc.default_authority': authority,
    'grpc.use_local_subchannel_pool': 1,
  });
  const { register: method } = Registration.method;
  return new Promise<void>((resolve, reject) => {
    const call = client.makeUnaryRequest(
      pathOf(method),
      same,
      (bytes: Buffer) => decode(method.output, bytes),
      encode(method.input, request),
      (err: ServiceError | null) => (err ? reject(err) : resolve()),
    );
    signal?.addEventListener('abort', () => call.cancel());
  }).finally(() => client.close());
}
