import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';

import type { PodResourcesLister } from '@syncloop/core/kubelet';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorOf, realKernel, run, tempFolder } from '../testing/harness.js';
import { PodResourcesLister as Service } from './api/gen/podresources_pb.js';
import type { Method } from './connection.js';
import { decode, encode, pathOf } from './messages.js';
import { servePodResources } from './pod-resources.js';
import { TokenBucket } from './token-bucket.js';

const same = (bytes: Buffer): Buffer => bytes;

const lister: PodResourcesLister = {
  *list() {
    return [
      {
        name: 'web',
        namespace: 'default',
        containers: [
          {
            name: 'app',
            devices: [{ resourceName: 'example.com/a', deviceIds: ['a1'], topology: [1] }],
            cpuIds: [2, 3],
            memory: [{ memoryType: 'memory', size: 2 ** 40, topology: [0] }],
          },
        ],
      },
    ];
  },
  *get(namespace, name) {
    if (name !== 'web') throw new Error(`pod ${name} in namespace ${namespace} not found`);
    return { name, namespace, containers: [] };
  },
  *getAllocatableResources() {
    return { devices: [{ resourceName: 'example.com/a', deviceIds: ['a1'] }], cpuIds: [], memory: [] };
  },
};

/** Serves it on a clock that stands still unless `later` is called, and asks as any client does. */
async function served() {
  const kernel = realKernel();
  const folder = join(await tempFolder(), 'pod-resources');
  const path = join(folder, 'kubelet.sock');
  let now = 0;
  const server = await servePodResources(path, lister, { run: (_name, body) => run(kernel, body), now: () => now });
  onTestFinished(() => server.close());
  const client = new Client(`unix://${path}`, credentials.createInsecure(), {
    'grpc.default_authority': 'localhost',
    'grpc.use_local_subchannel_pool': 1,
  });
  onTestFinished(() => client.close());
  const ask = <I extends DescMessage, O extends DescMessage>(
    method: Method<I, O>,
    request: MessageInitShape<I>,
    at?: string,
  ) =>
    new Promise<MessageShape<O>>((resolve, reject) => {
      client.makeUnaryRequest(
        at ?? pathOf(method),
        same,
        (bytes: Buffer) => decode(method.output, bytes),
        encode(method.input, request),
        (err: ServiceError | null, answer) => (err ? reject(err) : resolve(answer as MessageShape<O>)),
      );
    });
  const later = (millis: number) => {
    now += millis;
  };
  return { ask, later, path, folder, server };
}

const { list, get, getAllocatableResources } = Service.method;

describe('the pod resources API', () => {
  it('[3:PLUG-04] answers List, Get and GetAllocatableResources', async () => {
    const { ask } = await served();
    const { podResources } = await ask(list, {});
    expect(podResources).toMatchObject([
      {
        name: 'web',
        namespace: 'default',
        containers: [
          {
            name: 'app',
            devices: [{ resourceName: 'example.com/a', deviceIds: ['a1'], topology: { nodes: [{ ID: 1n }] } }],
            cpuIds: [2n, 3n],
            memory: [{ memoryType: 'memory', size: 2n ** 40n, topology: { nodes: [{ ID: 0n }] } }],
          },
        ],
      },
    ]);
    expect((await ask(get, { podName: 'web', podNamespace: 'default' })).podResources).toMatchObject({ name: 'web' });
    const { devices } = await ask(getAllocatableResources, {});
    expect(devices).toMatchObject([{ resourceName: 'example.com/a', deviceIds: ['a1'] }]);
    expect(devices[0]?.topology).toBeUndefined();
  });

  it('[3:PLUG-04] answers List of v1alpha1, which has pods, containers and devices only', async () => {
    const { ask } = await served();
    const { podResources } = await ask(list, {}, '/v1alpha1.PodResourcesLister/List');
    expect(podResources).toMatchObject([
      {
        name: 'web',
        containers: [{ name: 'app', devices: [{ resourceName: 'example.com/a' }], cpuIds: [], memory: [] }],
      },
    ]);
    expect(podResources[0]?.containers[0]?.devices[0]?.topology).toBeUndefined();
  });

  it('says what is not there', async () => {
    const { ask } = await served();
    expect(await errorOf(ask(get, { podName: 'x', podNamespace: 'ns' }))).toMatchObject({
      code: status.UNKNOWN,
      details: 'pod x in namespace ns not found',
    });
    expect(await errorOf(ask(get, {}, '/v1.PodResourcesLister/Other'))).toMatchObject({ code: status.UNIMPLEMENTED });
  });

  it('[3:PLUG-04] answers ten at once and a hundred in a second, whoever asks', async () => {
    const { ask, later } = await served();
    const codes = async (n: number) =>
      await Promise.all(
        Array.from({ length: n }, () =>
          ask(list, {}).then(
            () => 0,
            (err: ServiceError) => `${err.code} ${err.details}`,
          ),
        ),
      );
    const refused = `${status.RESOURCE_EXHAUSTED} rejected by rate limit`;
    const count = (all: (string | number)[]) => [
      all.filter((c) => c === 0).length,
      all.filter((c) => c === refused).length,
    ];
    expect(count(await codes(15))).toEqual([10, 5]);
    later(20);
    expect(count(await codes(4))).toEqual([2, 2]);
    later(1000);
    expect(count(await codes(12))).toEqual([10, 2]);
  });

  it('is for root only, and leaves nothing behind', async () => {
    const { path, folder, server } = await served();
    expect((await lstat(path)).mode & 0o777).toBe(0o600);
    expect((await lstat(folder)).mode & 0o777).toBe(0o750);
    await server.close();
    expect(await readdir(folder)).toEqual([]);
  });
});

it('a bucket of tokens fills with time, to its size', () => {
  let now = 0;
  const bucket = new TokenBucket(2, 3, () => now);
  const taken = (n: number) => Array.from({ length: n }, () => bucket.allow()).filter(Boolean).length;
  expect(taken(5)).toBe(3);
  now = 499;
  expect(taken(1)).toBe(0);
  now = 500;
  expect(taken(2)).toBe(1);
  now = 60_000;
  expect(taken(5)).toBe(3);
});
