import { describe, expect, it } from 'vitest';
import { background, type Context, type Go, Kernel, receive, Second, sleep, withCancel } from '../kernel/index.js';
import { CRIError, GrpcCode } from './errors.js';
import { inProcessClient, unimplementedServices } from './in-process.js';
import { redactRequest } from './redact.js';
import { callTimeout } from './rpcs.js';
import type { CRIServices } from './services.js';
import type { ContainerStatus, PodSandboxStatus } from './types.js';

/** Runs `body` to its end on virtual time: what it returned or threw, and how long it took. */
function run<T>(kernel: Kernel, body: () => Go<T>): { value?: T; error?: unknown; took: number } {
  let outcome: { value?: T; error?: unknown; took: number } | undefined;
  const start = kernel.now();
  kernel.go('test', function* () {
    try {
      outcome = { value: yield* body(), took: kernel.now() - start };
    } catch (error) {
      outcome = { error, took: kernel.now() - start };
    }
  });
  kernel.run();
  if (!outcome) throw new Error('it never ended');
  return outcome;
}

const client = (methods: Partial<CRIServices>) => inProcessClient({ ...unimplementedServices(), ...methods });

function* hang(ctx: Context): Go<never> {
  yield* receive(ctx.done());
  throw ctx.err();
}

describe('inProcessClient', () => {
  it('[2:X-01] ends calls at the kubelet’s deadlines', () => {
    const cri = client({ stopPodSandbox: hang, runPodSandbox: hang, stopContainer: hang, execSync: hang });
    for (const [call, seconds] of [
      [() => cri.stopPodSandbox(background, {}), 120],
      [() => cri.runPodSandbox(background, {}), 240],
      [() => cri.stopContainer(background, { timeout: '30' }), 150],
      [() => cri.execSync(background, { timeout: '1' }), 121],
    ] as const) {
      const { error, took } = run<unknown>(new Kernel(), call);
      expect(error).toMatchObject({
        code: GrpcCode.DeadlineExceeded,
        message: 'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
      });
      expect(Math.round(took / Second)).toBe(seconds);
    }
  });

  it('[2:X-01] gives PullImage, and ExecSync without timeout, all the time they need', () => {
    const cri = client({
      *pullImage() {
        yield* sleep(3600 * Second);
        return { imageRef: 'sha256:1' };
      },
      *execSync() {
        yield* sleep(3600 * Second);
        return { exitCode: 1 };
      },
    });
    expect(run(new Kernel(), () => cri.pullImage(background, {})).value).toEqual({ imageRef: 'sha256:1' });
    expect(run(new Kernel(), () => cri.execSync(background, {})).value).toEqual({ exitCode: 1 });
  });

  it('leaves no timer behind', () => {
    const kernel = new Kernel();
    const cri = client({
      *stopPodSandbox() {
        return {};
      },
    });
    expect(run(kernel, () => cri.stopPodSandbox(background, {})).took).toBeLessThan(Second);
    expect(kernel.nextTimerAt()).toBeNull();
  });

  it('shows what goes wrong as a gRPC client would', () => {
    const cri = client({
      *startContainer() {
        throw new TypeError('oops');
      },
      *stopContainer() {
        throw new CRIError(GrpcCode.NotFound, 'no such container');
      },
    });
    const errorOf = (call: () => Go<unknown>) => run(new Kernel(), call).error;
    expect(errorOf(() => cri.startContainer(background, {}))).toMatchObject({
      code: GrpcCode.Unknown,
      message: 'rpc error: code = Unknown desc = oops',
    });
    expect(errorOf(() => cri.stopContainer(background, {}))).toMatchObject({
      message: 'rpc error: code = NotFound desc = no such container',
    });
    expect(errorOf(() => cri.status(background, {}))).toMatchObject({
      message: 'rpc error: code = Unimplemented desc = method Status not implemented',
    });
  });

  it('takes the prefix off PullImage’s unknown errors, for Events to read well', () => {
    const failing = (code: number) =>
      client({
        *pullImage() {
          throw new CRIError(code, 'failed to pull: 429 Too Many Requests');
        },
      });
    const messageOf = (code: number) =>
      (run(new Kernel(), () => failing(code).pullImage(background, {})).error as Error).message;
    expect(messageOf(GrpcCode.Unknown)).toBe('failed to pull: 429 Too Many Requests');
    expect(messageOf(GrpcCode.NotFound)).toBe(
      'rpc error: code = NotFound desc = failed to pull: 429 Too Many Requests',
    );
  });

  it('does not call with a context that has ended', () => {
    const kernel = new Kernel();
    const [ctx, cancel] = withCancel(kernel, background);
    cancel();
    const cri = client({
      *version() {
        return expect.unreachable();
      },
    });
    expect(run(kernel, () => cri.version(ctx, {})).error).toMatchObject({ code: GrpcCode.Canceled });
  });

  it('raises CheckpointContainer’s timeout to the kubelet’s', () => {
    const sent: unknown[] = [];
    const cri = client({
      *checkpointContainer(_ctx, request) {
        sent.push(request.timeout);
        return {};
      },
    });
    for (const timeout of [undefined, '5', '500']) {
      run(new Kernel(), () => cri.checkpointContainer(background, { timeout }));
    }
    expect(sent).toEqual(['120', '120', '500']);
    expect(run(new Kernel(), () => cri.checkpointContainer(background, { timeout: '-1' })).error).toMatchObject({
      message: 'CheckpointContainer requires the timeout value to be > 0',
    });
  });
});

describe('[2:X-03] answers are checked', () => {
  const errorOf = (methods: Partial<CRIServices>, call: (cri: CRIServices) => Go<unknown>) => {
    const { error } = run(new Kernel(), () => call(client(methods)));
    return error === undefined ? undefined : (error as Error).message;
  };

  const sandbox: PodSandboxStatus = { id: 's', metadata: { name: 'n', namespace: 'ns', uid: 'u' }, createdAt: '1' };
  it.each([
    [sandbox, undefined],
    [undefined, undefined],
    [{ ...sandbox, id: '' }, 'status.Id is not set'],
    [{ ...sandbox, metadata: undefined }, 'status.Metadata is not set'],
    [
      { ...sandbox, metadata: { name: 'n', uid: 'u' } },
      'metadata.Name, metadata.Namespace or metadata.Uid is not in metadata {"name":"n","uid":"u"}',
    ],
    [{ ...sandbox, createdAt: '0' }, 'status.CreatedAt is not set'],
  ])('PodSandboxStatus %j', (status, message) => {
    const podSandboxStatus = function* () {
      return { status };
    };
    expect(errorOf({ podSandboxStatus }, (cri) => cri.podSandboxStatus(background, {}))).toBe(message);
  });

  const container: ContainerStatus = {
    id: 'c',
    metadata: { name: 'n' },
    createdAt: '1',
    image: { image: 'i' },
    imageRef: 'r',
  };
  it.each([
    [container, undefined],
    [undefined, undefined],
    [{ ...container, id: undefined }, 'status.Id is not set'],
    [{ ...container, metadata: undefined }, 'status.Metadata is not set'],
    [{ ...container, metadata: { attempt: 1 } }, 'metadata.Name is not in metadata {"attempt":1}'],
    [{ ...container, createdAt: undefined }, 'status.CreatedAt is not set'],
    [{ ...container, image: {} }, 'status.Image is not set'],
    [{ ...container, imageRef: '' }, 'status.ImageRef is not set'],
  ])('ContainerStatus %j', (status, message) => {
    const containerStatus = function* () {
      return { status };
    };
    expect(errorOf({ containerStatus }, (cri) => cri.containerStatus(background, {}))).toBe(message);
  });

  it.each([
    ['version', {}, /missing Version, RuntimeName, RuntimeApiVersion, RuntimeVersion/],
    ['status', { status: { conditions: [{ type: 'RuntimeReady' }] } }, /RuntimeReady or NetworkReady/],
    ['runPodSandbox', {}, /PodSandboxId is not set/],
    ['createContainer', {}, /ContainerId is not set/],
    ['exec', {}, /URL is not set/],
    ['attach', {}, /URL is not set/],
    ['portForward', {}, /URL is not set/],
    ['imageStatus', { image: { id: 'i' } }, /Id or size of image "" is not set/],
    ['pullImage', {}, /imageRef of image "" is not set/],
  ] as const)('%s %j', (method, answer, message) => {
    const methods = {
      *[method]() {
        return answer;
      },
    } as Partial<CRIServices>;
    expect(errorOf(methods, (cri) => cri[method](background, {}) as Go<unknown>)).toMatch(message);
  });

  it('an image that is not there is no error', () => {
    const imageStatus = function* () {
      return {};
    };
    expect(errorOf({ imageStatus }, (cri) => cri.imageStatus(background, {}))).toBeUndefined();
  });
});

describe('callTimeout', () => {
  it('[2:X-01] follows runtimeRequestTimeout', () => {
    const t = 10 * Second;
    expect(callTimeout('listContainers', {}, t)).toBe(10 * Second);
    expect(callTimeout('runPodSandbox', {}, t)).toBe(20 * Second);
    expect(callTimeout('stopContainer', {}, t)).toBe(10 * Second);
    expect(callTimeout('checkpointContainer', { timeout: '60' }, t)).toBe(60 * Second);
    expect(callTimeout('checkpointContainer', { timeout: '5' }, t)).toBe(10 * Second);
    expect(callTimeout('getContainerEvents', {}, t)).toBeUndefined();
    expect(callTimeout('pullImage', {}, t)).toBeUndefined();
    expect(callTimeout('execSync', { timeout: '0' }, t)).toBeUndefined();
  });
});

describe('redactRequest', () => {
  it('hides registry credentials, and only those', () => {
    const request = { image: { image: 'i' }, auth: { username: 'me', password: 'secret', registryToken: '' } };
    expect(redactRequest('pullImage', request)).toEqual({
      image: { image: 'i' },
      auth: { username: 'me', password: '[REDACTED]', registryToken: '' },
    });
    expect(request.auth.password).toBe('secret');
    expect(redactRequest('imageStatus', request)).toBe(request);
  });
});
