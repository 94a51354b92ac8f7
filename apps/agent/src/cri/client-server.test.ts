import { lstat, readdir } from 'node:fs/promises';
import {
  type ContainerEventResponse,
  CRIError,
  type CRIServices,
  GrpcCode,
  isDeadlineExceeded,
} from '@syncloop/core/cri';
import {
  background,
  type Context,
  current,
  makeChan,
  range,
  receive,
  send,
  withCancel,
  withTimeout,
} from '@syncloop/core/kernel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorOf, fakeRuntime, realKernel, run, signal, tempFolder } from '../testing/harness.js';
import { connectRuntime } from './client.js';
import { serveRuntime } from './server.js';
import type { CallEvent } from './tap.js';
import { connected } from './testing/connected.js';
import { grpcGoErrorText } from './transport.js';

const Millisecond = 1000;

/** Waits for the end of its context, and fails with why it ended. */
function* hang(ctx: Context): ReturnType<CRIServices['pullImage']> {
  yield* receive(ctx.done());
  throw ctx.err();
}

describe('unary calls', () => {
  it('carry requests and answers', async () => {
    const kernel = realKernel();
    const { runtime, image } = await connected(kernel, {
      *listContainers(_ctx, { filter }) {
        return { containers: [{ id: filter?.id, state: 'CONTAINER_RUNNING', createdAt: '1700000000000000001' }] };
      },
      *removeImage() {
        return {};
      },
    });
    const listed = await run(kernel, () => runtime.listContainers(background, { filter: { id: 'c1' } }));
    expect(listed).toEqual({
      containers: [{ id: 'c1', state: 'CONTAINER_RUNNING', createdAt: '1700000000000000001' }],
    });
    expect(await run(kernel, () => image.removeImage(background, { image: { image: 'busybox' } }))).toEqual({});
  });

  it('fail with the runtime’s code and text', async () => {
    const kernel = realKernel();
    const { runtime } = await connected(kernel, {
      *containerStatus(_ctx, { containerId }) {
        throw new CRIError(GrpcCode.NotFound, `container "${containerId}" – 没有`);
      },
      *startContainer() {
        throw new TypeError('a bug in the runtime');
      },
    });
    const missing = await errorOf(run(kernel, () => runtime.containerStatus(background, { containerId: 'c1' })));
    expect(missing).toBeInstanceOf(CRIError);
    expect(missing).toMatchObject({
      code: GrpcCode.NotFound,
      details: 'container "c1" – 没有',
      method: 'containerStatus',
      message: 'rpc error: code = NotFound desc = container "c1" – 没有',
    });
    const bug = await errorOf(run(kernel, () => runtime.startContainer(background, {})));
    expect(bug).toMatchObject({ code: GrpcCode.Unknown, details: 'a bug in the runtime' });
    const absent = await errorOf(run(kernel, () => runtime.checkpointPod(background, {})));
    expect(absent).toMatchObject({ code: GrpcCode.Unimplemented, details: 'method CheckpointPod not implemented' });
  });

  it('[2:X-03] check the answer', async () => {
    const kernel = realKernel();
    const { runtime } = await connected(kernel, {
      *createContainer() {
        return {};
      },
    });
    const config = { metadata: { name: 'app' } };
    const error = await errorOf(run(kernel, () => runtime.createContainer(background, { config })));
    expect(error).toMatchObject({
      code: GrpcCode.Unknown,
      message: 'ContainerId is not set for container "app"',
    });
  });

  it('[2:X-02] take answers of more than gRPC’s usual 4 MB', async () => {
    const kernel = realKernel();
    const stdout = Buffer.alloc(5_000_000, 'x').toString('base64');
    const { runtime } = await connected(kernel, {
      *execSync() {
        return { stdout };
      },
    });
    const answer = await run(kernel, () => runtime.execSync(background, { containerId: 'c', cmd: ['cat', 'big'] }));
    expect(answer.stdout === stdout).toBe(true);
  });

  it('[2:X-02] refuse answers of more than 16 MiB', async () => {
    const kernel = realKernel();
    const { runtime } = await connected(kernel, {
      *execSync() {
        return { stdout: Buffer.alloc(17 * 1024 * 1024).toString('base64') };
      },
    });
    const error = await errorOf(run(kernel, () => runtime.execSync(background, { containerId: 'c' })));
    expect(error.code).toBe(GrpcCode.ResourceExhausted);
  });
});

describe('the end of a call', () => {
  it('[2:X-01] comes at the deadline, for both sides', async () => {
    const kernel = realKernel();
    const ended = signal();
    const { runtime } = await connected(
      kernel,
      {
        *stopPodSandbox(ctx) {
          try {
            return yield* hang(ctx);
          } finally {
            ended.fire();
          }
        },
      },
      // Long enough for the call to reach the server on a busy machine: the server learns of the end of no other.
      { timeout: 500 * Millisecond },
    );
    const error = await errorOf(run(kernel, () => runtime.stopPodSandbox(background, { podSandboxId: 's' })));
    expect(isDeadlineExceeded(error)).toBe(true);
    expect(error.message).toMatch(/^rpc error: code = DeadlineExceeded desc = context deadline exceeded$/);
    await ended.promise;
  });

  it('[2:X-01] is not limited for PullImage, except by the caller', async () => {
    const kernel = realKernel();
    const { image } = await connected(kernel, { pullImage: hang }, { timeout: 1 });
    const error = await errorOf(
      run(kernel, function* () {
        const [ctx] = withTimeout(current().kernel, background, 30 * Millisecond);
        return yield* image.pullImage(ctx, { image: { image: 'busybox' } });
      }),
    );
    expect(error).toMatchObject({ code: GrpcCode.DeadlineExceeded, details: 'context deadline exceeded' });
  });

  it('comes when the caller cancels, for both sides', async () => {
    const kernel = realKernel();
    const [begun, ended] = [signal(), signal()];
    let seen: unknown;
    const { image } = await connected(kernel, {
      *pullImage(ctx) {
        begun.fire();
        yield* receive(ctx.done());
        seen = ctx.err()?.message;
        ended.fire();
        return {};
      },
    });
    const [ctx, cancel] = withCancel(kernel, background);
    const pull = errorOf(run(kernel, () => image.pullImage(ctx, {})));
    await begun.promise;
    kernel.post(cancel);
    expect(await pull).toMatchObject({ code: GrpcCode.Canceled, details: 'context canceled' });
    await ended.promise;
    expect(seen).toBe('context canceled');
  });

  it('is at once if the context has ended before', async () => {
    const kernel = realKernel();
    const { runtime } = await connected(kernel, {
      *version() {
        return expect.unreachable();
      },
    });
    const [ctx, cancel] = withCancel(kernel, background);
    cancel();
    expect(await errorOf(run(kernel, () => runtime.version(ctx, {})))).toMatchObject({ code: GrpcCode.Canceled });
  });

  it('comes when the connection is closed', async () => {
    const kernel = realKernel();
    const begun = signal();
    const { image, close } = await connected(kernel, {
      *pullImage(ctx) {
        begun.fire();
        return yield* hang(ctx);
      },
    });
    const pull = errorOf(run(kernel, () => image.pullImage(background, {})));
    await begun.promise;
    close();
    const closed = { code: GrpcCode.Canceled, details: 'grpc: the client connection is closing' };
    expect(await pull).toMatchObject(closed);
    expect(await errorOf(run(kernel, () => image.pullImage(background, {})))).toMatchObject(closed);
  });

  it('is Unavailable when the runtime goes away; its return is noticed', async () => {
    const kernel = realKernel();
    const begun = signal();
    const methods: Partial<CRIServices> = {
      *removeContainer() {
        return {};
      },
      *pullImage(ctx) {
        begun.fire();
        return yield* hang(ctx);
      },
    };
    const { runtime, image, server, endpoint } = await connected(kernel, methods);
    const pull = errorOf(run(kernel, () => image.pullImage(background, {})));
    await begun.promise;
    await server.close();
    expect([GrpcCode.Unavailable, GrpcCode.Canceled]).toContain((await pull).code);
    const away = await errorOf(run(kernel, () => runtime.removeContainer(background, {})));
    expect(away).toMatchObject({
      code: GrpcCode.Unavailable,
      details: expect.stringMatching(/^(connection error: desc = "transport: |error reading from server: EOF$)/),
    });

    const fake = fakeRuntime(methods);
    const again = await serveRuntime(kernel, fake, fake, endpoint);
    onTestFinished(() => again.close());
    for (;;) {
      const code = await run(kernel, () => runtime.removeContainer(background, {})).then(
        () => GrpcCode.OK,
        (err: CRIError) => err.code,
      );
      if (code === GrpcCode.OK) break;
      expect(code).toBe(GrpcCode.Unavailable);
    }
  });

  it("says in grpc-go's words that nobody listens", () => {
    const dialing = 'connection error: desc = "transport: Error while dialing: dial unix /run/c.sock: connect: ';
    const last = (why: string) => `No connection established. Last error: ${why}. Resolution note: `;
    expect(grpcGoErrorText(last('Error: connect ECONNREFUSED /run/c.sock'))).toBe(`${dialing}connection refused"`);
    expect(grpcGoErrorText(last('Error: connect ENOENT /run/c.sock'))).toBe(`${dialing}no such file or directory"`);
    expect(grpcGoErrorText('Connection dropped')).toBe('error reading from server: EOF');
    expect(grpcGoErrorText('the image is broken')).toBe('the image is broken');
  });
});

describe('the tap', () => {
  it('sees each call begin and end', async () => {
    const kernel = realKernel();
    const seen: CallEvent[] = [];
    const { runtime } = await connected(
      kernel,
      {
        *reopenContainerLog() {
          return {};
        },
        *getContainerEvents() {
          const chan = makeChan<ContainerEventResponse | CRIError>(current().kernel, 'events', 1);
          yield* send(chan, { containerId: 'c' });
          chan.close();
          return chan;
        },
      },
      { tap: (event) => seen.push(event) },
    );
    await run(kernel, () => runtime.reopenContainerLog(background, { containerId: 'c' }));
    await errorOf(run(kernel, () => runtime.attach(background, {})));
    await run(kernel, function* () {
      const chan = yield* runtime.getContainerEvents(background, {});
      yield* range(chan, function* () {});
    });
    const at = expect.any(Number);
    const end = { phase: 'end', at, tookMs: at };
    expect(seen).toEqual([
      { phase: 'begin', id: 1, method: 'reopenContainerLog', at, request: { containerId: 'c' } },
      { ...end, id: 1, method: 'reopenContainerLog', request: { containerId: 'c' }, response: {} },
      { phase: 'begin', id: 2, method: 'attach', at, request: {} },
      { ...end, id: 2, method: 'attach', request: {}, error: expect.any(CRIError) },
      { phase: 'begin', id: 3, method: 'getContainerEvents', at, request: {} },
      { phase: 'message', id: 3, method: 'getContainerEvents', at, response: { containerId: 'c' } },
      { ...end, id: 3, method: 'getContainerEvents', request: {} },
    ]);
  });
});

describe('the server', () => {
  it('makes a socket for this user only, and leaves nothing behind', async () => {
    const kernel = realKernel();
    const { folder, server } = await connected(kernel, {});
    expect((await lstat(`${folder}/cri.sock`)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['cri.sock']);
    await server.close();
    expect(await readdir(folder)).toEqual([]);
  });

  it('answers Unavailable once its process is dead', async () => {
    const kernel = realKernel();
    const process = kernel.process('runtime');
    const endpoint = `unix://${await tempFolder()}/cri.sock`;
    const fake = fakeRuntime({});
    const server = await serveRuntime(kernel, fake, fake, endpoint, { process });
    onTestFinished(() => server.close());
    const { runtime, close } = await connectRuntime(endpoint);
    onTestFinished(close);
    kernel.kill(process);
    expect(await errorOf(run(kernel, () => runtime.version(background, {})))).toMatchObject({
      code: GrpcCode.Unavailable,
      details: 'the runtime is not running',
    });
  });
});
