/** A kubelet on the mock runtime in this process, and its server on a free port. For tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request as plainRequest, type Server } from 'node:http';
import { type RequestOptions, request as tlsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { RestTransport } from '@syncloop/core/api';
import { inProcessClient } from '@syncloop/core/cri';
import { type Go, Kernel, Second } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { type Kubelet, newKubelet } from '@syncloop/core/kubelet';
import { logFilesOf } from '@syncloop/core/kubelet/server';
import { newMockRuntime } from '@syncloop/core/mock';
import type { TraceRecord } from '@syncloop/core/trace';
import { onTestFinished } from 'vitest';
import { type AgentConfig, defaultAgentConfig } from '../../config/agent-config.js';
import type { RunningNode } from '../../node/kubelet-runner.js';
import { listenOn, makeServer } from '../http.js';
import { type KubeletServerOptions, serveKubelet, serverSource } from '../kubelet-server.js';
import { kubeletHandler } from '../routes.js';

export interface Answered {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

const manifests = '/etc/kubernetes/manifests';
export const token = 'test-token-test-token';

/** Serves a kubelet. `streams`: the address from which the runtime streams exec and its like. */
export async function served(
  options: {
    config?: (config: AgentConfig) => void;
    server?: KubeletServerOptions;
    streams?: string;
    readOnly?: boolean;
    runtime?: (services: ReturnType<typeof inProcessClient>) => Partial<ReturnType<typeof inProcessClient>>;
  } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-server-'));
  const records: TraceRecord[] = [];
  const kernel = new Kernel({ clock: new RealClock(), seed: 1, sink: (r) => records.push(r) });
  const driver = new RealDriver(kernel);
  const run = <T>(name: string, body: () => Go<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      kernel.post(() =>
        kernel.go(
          name,
          function* () {
            try {
              resolve(yield* body());
            } catch (err) {
              reject(err);
            }
          },
          { quiet: true },
        ),
      );
    });
  // Nothing takes longer than it must: the time is the real one.
  const mock = newMockRuntime(kernel, {
    latencies: { runPodSandbox: 0, createContainer: 0, startContainer: 0, execSync: 0, exit: 0, jitter: 0 },
  });
  const { streams } = options;
  const url = function* () {
    return { url: streams ?? '' };
  };
  const services = inProcessClient({ ...mock.runtime, ...mock.image });
  const client = {
    ...services,
    ...(streams && { exec: url, attach: url, portForward: url }),
    ...options.runtime?.(services),
  } as typeof services;
  const config = defaultAgentConfig();
  Object.assign(config.kubelet, {
    rootDirectory: folder,
    staticPodPath: manifests,
    fileCheckFrequency: Second / 50,
    nodeName: 'node1',
    failCgroupV1: false,
  });
  config.address = '127.0.0.1';
  options.config?.(config);
  const kubelet: Kubelet = newKubelet({
    kernel,
    config: config.kubelet,
    runtimeService: client,
    imageService: client,
    os: mock.fs,
    probeTransport: mock.probeTransport,
    nodeInfo: mock.nodeInfo,
  });
  mock.fs.mkdirAllSync(manifests);
  const node = {
    kernel,
    driver,
    kubelet,
    madeKubelet: () => kubelet,
    name: 'node1',
    run,
    addSink: (sink: (r: TraceRecord) => void) => void kernel.addSink(sink),
  };
  driver.start();
  kernel.post(() => kubelet.run());
  const serverOptions = {
    trustedTokens: new Map([[token, { name: 'tester', groups: ['system:masters'] }]]),
    ...options.server,
  };
  const source = {
    ...serverSource(node as unknown as RunningNode, config, serverOptions),
    logFiles: logFilesOf(mock.fs),
  };
  const server = options.readOnly
    ? { ...(await listenOn(makeServer(kubeletHandler(source, null)), '127.0.0.1', 0, '')), caPem: '' }
    : await serveKubelet(source, config, serverOptions, 0);
  if (!server) throw new Error('no server');
  onTestFinished(async () => {
    await server.close();
    driver.stop();
    rmSync(folder, { recursive: true });
  });
  const base: RequestOptions = { host: '127.0.0.1', port: server.port, ca: server.caPem ?? '', agent: false };
  const request = options.readOnly ? plainRequest : tlsRequest;
  const bearer = { Authorization: `Bearer ${token}` };
  return {
    node,
    mock,
    kubelet,
    records,
    folder,
    server,
    base,
    /** Runs a pod with one container `app`, and resolves when it runs. */
    async pod(name: string, script: string, more = ''): Promise<void> {
      mock.fs.writeFileSync(
        `${manifests}/${name}.yaml`,
        `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec:\n  terminationGracePeriodSeconds: 1\n  containers:\n  - name: app\n    image: localhost/busybox:dev\n    imagePullPolicy: IfNotPresent\n    command: [sh, -c, ${JSON.stringify(script)}]\n${more}`,
      );
      let resolve = () => {};
      const promise = new Promise<void>((r) => {
        resolve = r;
      });
      const done = kernel.addSink((r) => {
        const status =
          r.kind === 'status' && r.pod === `default/${name}-node1` ? (r.status as { phase?: string }) : null;
        if (status?.phase && status.phase !== 'Pending') resolve();
      });
      await promise;
      done();
    },
    /** An answer, with the token unless headers say otherwise. */
    ask(
      path: string,
      { method = 'GET', headers = bearer as Record<string, string>, body = '', tls = {} } = {},
    ): Promise<Answered> {
      return new Promise((resolve, reject) => {
        const sent = request({ ...base, path, method, headers, ...tls }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }),
          );
        });
        sent.on('error', reject).end(body);
      });
    },
    /** Each part of an answer as it comes. */
    follow(path: string): Promise<{ next(): Promise<string>; close(): void }> {
      return new Promise((resolve, reject) => {
        const sent = request({ ...base, path, headers: bearer }, (response) => {
          const parts = response.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>;
          resolve({
            next: async () => ((await parts.next()).value as string | undefined) ?? '',
            close: () => sent.destroy(),
          });
        });
        sent.on('error', reject).end();
      });
    },
    /** Asks for an upgrade: the connection, or the refusal. */
    upgrade(
      path: string,
      headers: Record<string, string>,
      method = 'GET',
    ): Promise<{ socket: Duplex; headers: IncomingMessage['headers'] } | Answered> {
      return new Promise((resolve, reject) => {
        const sent = request({ ...base, path, method, headers: { ...bearer, Connection: 'Upgrade', ...headers } });
        sent.on('upgrade', (response, socket, head) => {
          if (head.length > 0) socket.unshift(head);
          onTestFinished(() => void socket.destroy());
          resolve({ socket, headers: response.headers });
        });
        sent.on('response', (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }),
          );
        });
        sent.on('error', reject).end();
      });
    },
  };
}

/** A small streaming server of a runtime: switches protocols and sends back what it gets, after what it was asked. */
export async function streamingServer(): Promise<{ url: string; incoming: IncomingMessage[] }> {
  const incoming: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    incoming.push(request);
    response.writeHead(400).end('no upgrade');
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    incoming.push(request);
    const { upgrade = '' } = request.headers;
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\n\r\n`);
    socket.write(head);
    socket.on('error', () => {});
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/exec/one-time-secret`, incoming };
}

/** Answers reviews: by token, and by what a user asks for. */
export function reviewer(
  users: Readonly<Record<string, { username: string; groups?: string[] }>>,
  allows: (user: string, verb: string, subresource: string) => boolean,
) {
  const incoming: { path: string; body: unknown }[] = [];
  let fails = false;
  const transport: RestTransport = {
    host: 'https://test',
    *request(_ctx, { path, body }) {
      incoming.push({ path, body });
      if (fails) return { code: 503, body: { kind: 'Status', message: 'the server is away' } };
      const { spec } = body as {
        spec: { token: string; user: string; resourceAttributes: { verb: string; subresource: string } };
      };
      if (path.endsWith('/tokenreviews')) {
        const user = Object.hasOwn(users, spec.token) ? users[spec.token] : undefined;
        return { code: 201, body: { status: user ? { authenticated: true, user } : { authenticated: false } } };
      }
      const { verb, subresource } = spec.resourceAttributes;
      return { code: 201, body: { status: { allowed: allows(spec.user, verb, subresource) } } };
    },
    *watch() {
      throw new Error('no watches');
    },
  };
  return {
    transport,
    incoming,
    fail(yes: boolean) {
      fails = yes;
    },
  };
}
