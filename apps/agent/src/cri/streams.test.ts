import { type ContainerEventResponse, CRIError, type CRIServices, GrpcCode } from '@syncloop/core/cri';
import {
  background,
  type Chan,
  current,
  type Kernel,
  makeChan,
  range,
  receive,
  recv,
  select,
  send,
  sendTo,
  withCancel,
} from '@syncloop/core/kernel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { realKernel, run, signal } from '../testing/harness.js';
import { connected } from './testing/connected.js';

describe('streaming calls', () => {
  /** A stream of `count` events, then the given error. */
  const events = (count: number, error?: CRIError): Partial<CRIServices> => ({
    *getContainerEvents(ctx) {
      const { kernel } = current();
      const chan = makeChan<ContainerEventResponse | CRIError>(kernel, 'events');
      kernel.go('events', function* () {
        for (let i = 1; i <= count; i++) {
          const sent = yield* select({ sent: sendTo(chan, { containerId: `c${i}` }), done: recv(ctx.done()) });
          if (sent.case === 'done') return chan.close();
        }
        if (error) yield* send(chan, error);
        chan.close();
      });
      return chan;
    },
  });
  const collect = (kernel: Kernel, open: () => ReturnType<CRIServices['getContainerEvents']>) =>
    run(kernel, function* () {
      const all: (ContainerEventResponse | CRIError)[] = [];
      yield* range(yield* open(), function* (item) {
        all.push(item);
      });
      return all;
    });

  it('bring every answer in order, then close', async () => {
    const kernel = realKernel();
    const { runtime } = await connected(kernel, events(100));
    const got = await collect(kernel, () => runtime.getContainerEvents(background, {}));
    expect(got).toEqual(Array.from({ length: 100 }, (_, i) => ({ containerId: `c${i + 1}` })));
  });

  it('bring their error last', async () => {
    const kernel = realKernel();
    const { runtime } = await connected(kernel, events(40, new CRIError(GrpcCode.Aborted, 'shutting down')));
    const got = await collect(kernel, () => runtime.getContainerEvents(background, {}));
    expect(got).toHaveLength(41);
    expect(got.at(-1)).toMatchObject({ code: GrpcCode.Aborted, details: 'shutting down' });
  });

  it('that the runtime does not have bring Unimplemented', async () => {
    const kernel = realKernel();
    const { runtime } = await connected(kernel, {});
    const got = await collect(kernel, () => runtime.getContainerEvents(background, {}));
    expect(got).toMatchObject([{ code: GrpcCode.Unimplemented, method: 'getContainerEvents' }]);
  });

  it('end when the caller cancels, for both sides', async () => {
    const kernel = realKernel();
    const [begun, ended] = [signal(), signal()];
    const { runtime } = await connected(kernel, {
      *getContainerEvents(ctx) {
        begun.fire();
        ctx.afterFunc(ended.fire);
        return makeChan(current().kernel, 'events');
      },
    });
    const [ctx, cancel] = withCancel(kernel, background);
    const got = collect(kernel, () => runtime.getContainerEvents(ctx, {}));
    await begun.promise;
    kernel.post(cancel);
    // The receiver was waiting, so the error may or may not reach it; the end does.
    for (const item of await got) expect(item).toMatchObject({ code: GrpcCode.Canceled });
    await ended.promise;
  });

  it('hold the sender back while nobody receives', async () => {
    const kernel = realKernel();
    let sent = 0;
    const big = 'x'.repeat(10_000);
    const { runtime } = await connected(kernel, {
      *getContainerEvents(ctx) {
        const { kernel } = current();
        const chan = makeChan<ContainerEventResponse | CRIError>(kernel, 'events');
        kernel.go('events', function* () {
          for (;;) {
            const item = sendTo<ContainerEventResponse | CRIError>(chan, { containerId: big });
            if ((yield* select({ item, done: recv(ctx.done()) })).case === 'done') return;
            sent++;
          }
        });
        return chan;
      },
      *version() {
        return { version: '0.1.0', runtimeName: 'fake', runtimeVersion: '1', runtimeApiVersion: 'v1' };
      },
    });
    const [ctx, cancel] = withCancel(kernel, background);
    onTestFinished(() => kernel.post(cancel));
    const chan: Chan<ContainerEventResponse | CRIError> = await run(kernel, () => runtime.getContainerEvents(ctx, {}));
    // Makes round trips on the same connection, until the sender stands still over many of them.
    let still = 0;
    for (let last = -1; still < 20; still = sent === last ? still + 1 : 0) {
      last = sent;
      await run(kernel, () => runtime.version(background, {}));
    }
    expect(sent).toBeLessThan(200);
    const before = sent;
    await run(kernel, function* () {
      for (let i = 0; i < before + 1; i++) yield* receive(chan);
    });
    expect(sent).toBeGreaterThan(before);
  });
});
