import { execFile } from 'node:child_process';
import { lstat, readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { status } from '@grpc/grpc-js';
import type { DevicePluginClient, PluginDevice, Registration } from '@syncloop/core/host';
import { background, current, type Go, type Kernel, receive, withCancel, withTimeout } from '@syncloop/core/kernel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorOf, realKernel, run, signal, tempFolder } from '../testing/harness.js';
import { DevicePlugin } from './api/gen/deviceplugin_pb.js';
import { Registration as PluginRegistration } from './api/gen/pluginregistration_pb.js';
import { nodePluginHost } from './host.js';
import { decode, encode } from './messages.js';
import { answers, type Behaviour, FakePlugin, hangs, register } from './testing/fake-plugin.js';

const second = 1_000_000;
const { method } = DevicePlugin;
const list = (...devices: { ID: string; health: string; topology?: { nodes: { ID: bigint }[] } }[]) =>
  encode(method.listAndWatch.output, { devices });

function host() {
  const made = nodePluginHost();
  onTestFinished(() => made.close());
  return made;
}

/** A plug-in of this behaviour, and a connection to it. */
async function connected(kernel: Kernel, behaviour: Behaviour) {
  const plugin = await FakePlugin.serve(await tempFolder(), behaviour);
  const client = await run(kernel, () => host().dialDevicePlugin(background, plugin.path, 20 * second));
  return { plugin, client };
}

/** Returns everything that the stream reports, with the texts of errors. */
function* told(client: DevicePluginClient, ctx = background): Go<(readonly PluginDevice[] | string)[]> {
  const all: (readonly PluginDevice[] | string)[] = [];
  const chan = yield* client.listAndWatch(ctx);
  for (;;) {
    const [item, ok] = yield* receive(chan);
    if (!ok) return all;
    all.push(item instanceof Error ? item.message : (item as readonly PluginDevice[]));
  }
}

describe('a device plug-in', () => {
  it('is asked and answers', async () => {
    const kernel = realKernel();
    const asked: unknown[] = [];
    const { client } = await connected(kernel, {
      getDevicePluginOptions: answers(method.getDevicePluginOptions.output, {
        preStartRequired: true,
        getPreferredAllocationAvailable: true,
      }),
      getPreferredAllocation(call, answer) {
        asked.push(decode(method.getPreferredAllocation.input, call.request).containerRequests[0]);
        answer(null, encode(method.getPreferredAllocation.output, { containerResponses: [{ deviceIDs: ['b', 'a'] }] }));
      },
      allocate(call, answer) {
        asked.push(decode(method.allocate.input, call.request).containerRequests[0]?.devicesIds);
        answer(
          null,
          encode(method.allocate.output, {
            containerResponses: [
              {
                envs: { GPU: 'a,b' },
                mounts: [{ containerPath: '/c', hostPath: '/h', readOnly: true }],
                devices: [{ containerPath: '/dev/x', hostPath: '/dev/null', permissions: 'rw' }],
                annotations: { note: '1' },
                cdiDevices: [{ name: 'v/c=1' }],
              },
            ],
          }),
        );
      },
      preStartContainer(call, answer) {
        asked.push(decode(method.preStartContainer.input, call.request).devicesIds);
        answer(null, Buffer.alloc(0));
      },
    });
    const got = await run(kernel, function* () {
      return [
        yield* client.getDevicePluginOptions(background),
        yield* client.getPreferredAllocation(background, [
          { availableDeviceIDs: ['a', 'b'], mustIncludeDeviceIDs: ['b'], allocationSize: 2 },
        ]),
        yield* client.allocate(background, [['a', 'b']]),
        yield* client.preStartContainer(background, ['a']),
      ];
    });
    expect(got).toEqual([
      { preStartRequired: true, getPreferredAllocationAvailable: true },
      [['b', 'a']],
      [
        {
          envs: { GPU: 'a,b' },
          mounts: [{ containerPath: '/c', hostPath: '/h', readOnly: true }],
          devices: [{ containerPath: '/dev/x', hostPath: '/dev/null', permissions: 'rw' }],
          annotations: { note: '1' },
          cdiDevices: ['v/c=1'],
        },
      ],
      undefined,
    ]);
    expect(asked).toEqual([
      expect.objectContaining({ availableDeviceIDs: ['a', 'b'], mustIncludeDeviceIDs: ['b'], allocationSize: 2 }),
      ['a', 'b'],
      ['a'],
    ]);
  });

  it('[3:PLUG-02] tells its devices as often as it likes, and its end is EOF', async () => {
    const kernel = realKernel();
    const { client } = await connected(kernel, {
      listAndWatch(call) {
        call.write(list({ ID: 'a', health: 'Healthy', topology: { nodes: [{ ID: 0n }, { ID: 1n }] } }));
        call.write(list({ ID: 'a', health: 'Unhealthy' }));
        call.write(list());
        call.end();
      },
    });
    expect(await run(kernel, () => told(client))).toEqual([
      [{ id: 'a', health: 'Healthy', topology: [0, 1] }],
      [{ id: 'a', health: 'Unhealthy' }],
      [],
      'EOF',
    ]);
  });

  it('fails in the form of gRPC', async () => {
    const kernel = realKernel();
    const { client } = await connected(kernel, {
      allocate: (_call, answer) => answer({ code: status.UNKNOWN, details: 'no such device: 设备' }),
    });
    expect(await errorOf(run(kernel, () => client.allocate(background, [['a']])))).toHaveProperty(
      'message',
      'rpc error: code = Unknown desc = no such device: 设备',
    );
    const missing = await errorOf(run(kernel, () => client.getDevicePluginOptions(background)));
    expect(missing.message).toMatch(/^rpc error: code = Unimplemented desc = /);
  });

  it('[3:PLUG-01] is not there: that is told after the given time, also where something listens and says nothing', async () => {
    const kernel = realKernel();
    const folder = await tempFolder();
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(join(folder, 'silent.sock'), resolve));
    onTestFinished(() => void silent.close());
    for (const name of ['nobody.sock', 'silent.sock']) {
      const dial = run(kernel, () => host().dialDevicePlugin(background, join(folder, name), second / 10));
      expect(await errorOf(dial)).toHaveProperty('message', 'context deadline exceeded');
    }
    const canceled = run(kernel, function* () {
      const [ctx, cancel] = withCancel(current().kernel, background);
      current().kernel.post(cancel);
      return yield* host().dialRegistration(ctx, join(folder, 'nobody.sock'), 100 * second);
    });
    expect(await errorOf(canceled)).toHaveProperty('message', 'context canceled');
  });

  it('may come up while it is waited for', async () => {
    const kernel = realKernel();
    const folder = await tempFolder();
    const dial = run(kernel, () => host().dialDevicePlugin(background, join(folder, 'plugin.sock'), 20 * second));
    await FakePlugin.serve(folder, { listAndWatch: hangs });
    await dial;
  });
});

describe('a plug-in whose plug is pulled', () => {
  const eof = /^rpc error: code = (Unavailable desc = error reading from server: EOF|Canceled desc = .*)$/;
  type Call = (client: DevicePluginClient) => Go<unknown>;
  const calls: [keyof Behaviour, Call][] = [
    ['getDevicePluginOptions', (client) => client.getDevicePluginOptions(background)],
    ['getPreferredAllocation', (client) => client.getPreferredAllocation(background, [])],
    ['allocate', (client) => client.allocate(background, [['a']])],
    ['preStartContainer', (client) => client.preStartContainer(background, ['a'])],
  ];

  it.each(calls)('during %s: the call ends, and so does the next', async (name, ask) => {
    const kernel = realKernel();
    const asked = signal();
    const { plugin, client } = await connected(kernel, { [name]: asked.fire });
    const call = errorOf(run(kernel, () => ask(client)));
    await asked.promise;
    await plugin.dies();
    expect((await call).message).toMatch(eof);
    const next = await errorOf(run(kernel, () => ask(client)));
    expect(next.message).toMatch(
      /^rpc error: code = Unavailable desc = (connection error: desc = "transport: Error while dialing: dial unix .*: connect: no such file or directory"|error reading from server: EOF)$/,
    );
  });

  it.each(calls)('before %s', async (_name, ask) => {
    const kernel = realKernel();
    const { plugin, client } = await connected(kernel, {});
    await plugin.dies();
    expect((await errorOf(run(kernel, () => ask(client)))).message).toMatch(/^rpc error: code = Unavailable desc = /);
  });

  it.each(calls)('and that hangs in %s: the call ends with its context', async (name, ask) => {
    const kernel = realKernel();
    const { client } = await connected(kernel, { [name]: hangs });
    const call = run(kernel, function* () {
      const [ctx] = withTimeout(current().kernel, background, second / 20);
      switch (name) {
        case 'allocate':
          return yield* client.allocate(ctx, []);
        case 'preStartContainer':
          return yield* client.preStartContainer(ctx, []);
        case 'getPreferredAllocation':
          return yield* client.getPreferredAllocation(ctx, []);
        default:
          return yield* client.getDevicePluginOptions(ctx);
      }
    });
    expect(await errorOf(call)).toHaveProperty(
      'message',
      'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    );
    const closed = errorOf(run(kernel, () => ask(client)));
    client.close();
    expect(await closed).toHaveProperty(
      'message',
      'rpc error: code = Canceled desc = grpc: the client connection is closing',
    );
  });

  it('[3:PLUG-02] in ListAndWatch, before and after its first list', async () => {
    const kernel = realKernel();
    for (const first of [false, true]) {
      const asked = signal();
      const { plugin, client } = await connected(kernel, {
        listAndWatch(call) {
          if (first) call.write(list({ ID: 'a', health: 'Healthy' }));
          asked.fire();
        },
      });
      const all = run(kernel, () => told(client));
      await asked.promise;
      await plugin.dies();
      const got = await all;
      expect(got.at(-1)).toMatch(eof);
      expect(got.length).toBeLessThanOrEqual(first ? 2 : 1);
    }
  });

  it('by the kubelet: ListAndWatch ends, whether its context ends or its connection', async () => {
    const kernel = realKernel();
    const { client, plugin } = await connected(kernel, { listAndWatch: hangs });
    const canceled = run(kernel, function* () {
      const [ctx, cancel] = withTimeout(current().kernel, background, second / 20);
      const all = yield* told(client, ctx);
      cancel();
      return all;
    });
    // The end of a stream may not reach the caller who ended it.
    expect((await canceled).length).toBeLessThanOrEqual(1);
    const closed = run(kernel, () => told(client));
    kernel.post(() => client.close());
    expect(await closed).toEqual(['rpc error: code = Canceled desc = grpc: the client connection is closing']);
    await expect.poll(() => plugin.connections).toBe(0);
    expect(await run(kernel, () => told(client))).toEqual([
      'rpc error: code = Canceled desc = grpc: the client connection is closing',
    ]);
  });

  it('comes back at the same path: a new connection reaches it', async () => {
    const kernel = realKernel();
    const { plugin } = await connected(kernel, { listAndWatch: (call) => void call.write(list()) });
    await plugin.dies();
    await plugin.start();
    const again = await run(kernel, () => host().dialDevicePlugin(background, plugin.path, 20 * second));
    const [first] = await run(kernel, function* () {
      return yield* receive(yield* again.listAndWatch(background));
    });
    expect(first).toEqual([]);
  });
});

describe('registration', () => {
  const request = {
    version: 'v1beta1',
    endpoint: 'a.sock',
    resourceName: 'example.com/a',
    options: { preStartRequired: true },
  };

  async function served(kernel = realKernel()) {
    const folder = join(await tempFolder(), 'device-plugins');
    const path = join(folder, 'kubelet.sock');
    const made = host();
    let cancel = () => {};
    const chan = await run(kernel, function* () {
      const [ctx, end] = withCancel(current().kernel, background);
      cancel = () => kernel.post(end);
      return yield* made.serveRegistration(ctx, path);
    });
    return { kernel, folder, path, chan, cancel, host: made };
  }

  it('[3:PLUG-01] is for root only, in a folder that is not for others, and gives what plug-ins ask', async () => {
    const { kernel, folder, path, chan } = await served();
    expect((await lstat(path)).mode & 0o777).toBe(0o600);
    expect((await lstat(folder)).mode & 0o777).toBe(0o750);
    const asked = register(path, request);
    const [first] = await run(kernel, () => receive(chan));
    expect(first?.request).toEqual({
      version: 'v1beta1',
      endpoint: 'a.sock',
      resourceName: 'example.com/a',
      options: { preStartRequired: true, getPreferredAllocationAvailable: false },
    });
    (first as Registration).answer(null);
    await asked;
    const refused = errorOf(register(path, { ...request, options: undefined }));
    const [second] = await run(kernel, () => receive(chan));
    expect(second?.request.options).toBeNull();
    (second as Registration).answer('requested API version "v2" is not supported');
    (second as Registration).answer(null);
    expect(await refused).toMatchObject({
      code: status.UNKNOWN,
      details: 'requested API version "v2" is not supported',
    });
  });

  it('replaces a socket that nobody listens at, and no other', async () => {
    const { kernel, path, folder, host: first } = await served();
    const second = errorOf(run(kernel, () => host().serveRegistration(background, path)));
    expect((await second).message).toMatch(/^somebody already listens at .*kubelet\.sock: stop that server/);
    await first.close();
    // A killed kubelet leaves its socket like this.
    await promisify(execFile)(process.execPath, [
      '-e',
      `net.createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 9))`,
    ]).catch(() => {});
    expect(await readdir(folder)).toEqual(['kubelet.sock']);
    const chan = await run(kernel, () => host().serveRegistration(background, path));
    const asked = register(path, request);
    const [registration] = await run(kernel, () => receive(chan));
    (registration as Registration).answer(null);
    await asked;
  });

  it('ends with its context: who waits is told, and the socket is gone', async () => {
    const { kernel, folder, path, chan, cancel } = await served();
    const waiting = errorOf(register(path, request));
    const [taken] = await run(kernel, () => receive(chan));
    const left = [errorOf(register(path, request)), errorOf(register(path, request))];
    await expect.poll(async () => taken !== undefined).toBe(true);
    cancel();
    expect(await run(kernel, () => receive(chan))).toEqual([undefined, false]);
    await expect.poll(() => readdir(folder)).toEqual([]);
    for (const one of [waiting, ...left]) expect((await one).message).toMatch(/UNAVAILABLE|UNKNOWN|CANCELLED/);
  });

  it('ends with the host where the kubelet cannot end its contexts any more', async () => {
    const { folder, host } = await served();
    await host.close();
    expect(await readdir(folder)).toEqual([]);
  });

  it('says where a path is too long for a socket', async () => {
    const kernel = realKernel();
    const path = join(await tempFolder(), 'x'.repeat(100), 'kubelet.sock');
    const error = await errorOf(run(kernel, () => host().serveRegistration(background, path)));
    expect(error.message).toMatch(/is longer than 107 bytes: choose a shorter --root-dir$/);
  });
});

describe('a registration socket', () => {
  it('says what it serves, and is told how that went', async () => {
    const kernel = realKernel();
    const { getInfo, notifyRegistrationStatus } = PluginRegistration.method;
    const notified: unknown[] = [];
    const plugin = await FakePlugin.serve(await tempFolder(), {
      getInfo: answers(getInfo.output, { type: 'DevicePlugin', name: 'example.com/a', supportedVersions: ['v1beta1'] }),
      notifyRegistrationStatus(call, answer) {
        notified.push(decode(notifyRegistrationStatus.input, call.request));
        answer(null, Buffer.alloc(0));
      },
    });
    const info = await run(kernel, function* () {
      const client = yield* host().dialRegistration(background, plugin.path, 20 * second);
      const got = yield* client.getInfo(background);
      yield* client.notifyRegistrationStatus(background, true, '');
      yield* client.notifyRegistrationStatus(background, false, 'no');
      client.close();
      return got;
    });
    expect(info).toEqual({ type: 'DevicePlugin', name: 'example.com/a', endpoint: '', supportedVersions: ['v1beta1'] });
    expect(notified).toMatchObject([
      { pluginRegistered: true, error: '' },
      { pluginRegistered: false, error: 'no' },
    ]);
  });
});
