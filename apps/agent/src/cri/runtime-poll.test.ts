import {
  type ContainerEventResponse,
  CRIError,
  type CRIServices,
  GrpcCode,
  rpcMethods,
  rpcs,
  servicesFrom,
} from '@syncloop/core/cri';
import { makeChan, send } from '@syncloop/core/kernel';
import { isListing } from '@syncloop/core/trace';
import { type Evidence, Observer, RuntimeExtractor } from '@syncloop/observe';
import { expect, it, onTestFinished } from 'vitest';
import { realKernel, tempFolder } from '../testing/harness.js';
import { pollRuntime, readOnlyMethods } from './runtime-poll.js';
import { serveRuntime } from './server.js';

const labels = { 'io.kubernetes.pod.uid': 'u1' };
const sandbox = { id: 's1', metadata: { name: 'web', namespace: 'default', uid: 'u1' } };

it('knows no method that changes anything', () => {
  for (const method of readOnlyMethods)
    expect(isListing(rpcs[method].name) || method === 'getContainerEvents', method).toBe(true);
});

it('tells what is there, what changes, and calls nothing else', async () => {
  const kernel = realKernel();
  const called = new Set<string>();
  let state: 'CONTAINER_RUNNING' | 'CONTAINER_EXITED' = 'CONTAINER_RUNNING';
  const answers: Partial<Record<string, () => object>> = {
    version: () => ({ version: '0.1.0', runtimeName: 'fake', runtimeVersion: '1', runtimeApiVersion: 'v1' }),
    listPodSandbox: () => ({ items: [sandbox] }),
    listContainers: () => ({
      containers: [{ id: 'c1', podSandboxId: 's1', metadata: { name: 'app' }, state, labels }],
    }),
    containerStatus: () => ({
      status: { id: 'c1', metadata: { name: 'app' }, state, exitCode: 3, finishedAt: '5', reason: 'Error', labels },
    }),
    listImages: () => ({ images: [{ id: 'sha256:1', repoTags: ['busybox:dev'] }] }),
  };
  const services: CRIServices = servicesFrom(function* (method) {
    called.add(method);
    if (method !== 'getContainerEvents') return answers[method]?.() ?? {};
    const events = makeChan<ContainerEventResponse>(kernel, 'events', 1);
    yield* send(events, {
      containerId: 's1',
      containerEventType: 'CONTAINER_STARTED_EVENT',
      podSandboxStatus: sandbox,
    });
    return events;
  });
  const endpoint = `unix://${await tempFolder()}/cri.sock`;
  const server = await serveRuntime(kernel, services, services, endpoint);
  onTestFinished(() => server.close());
  const heard: Evidence[] = [];
  const poll = pollRuntime({
    endpoint,
    emit: (evidence) => void heard.push(...evidence),
    pace: { lists: 10, listsWithEvents: 10, slow: 50, between: 1, again: 10 },
  });
  onTestFinished(() => poll.close());
  const records = () => {
    const extractor = new RuntimeExtractor();
    const observer = new Observer({ sources: [], extractors: [extractor] });
    return [...observer.push(heard), ...observer.end()];
  };
  const containers = () => records().flatMap((r) => (r.kind === 'actual-container' ? [[r.state, r.exitCode]] : []));
  await expect.poll(containers).toEqual([['running', undefined]]);
  state = 'CONTAINER_EXITED';
  await expect.poll(() => containers().at(-1)).toEqual(['exited', 3]);
  answers.listContainers = () => ({});
  await expect.poll(() => containers().at(-1)).toEqual(['removed', 3]);
  expect(records()).toContainEqual(
    expect.objectContaining({ kind: 'actual-sandbox', id: 's1', pod: 'default/web', uid: 'u1', state: 'ready' }),
  );
  expect(records()).toContainEqual(expect.objectContaining({ kind: 'actual-image', image: 'busybox:dev' }));
  expect(heard).toContainEqual(expect.objectContaining({ kind: 'container-event' }));
  const changing = rpcMethods.filter((method) => !(readOnlyMethods as readonly string[]).includes(method));
  expect([...called].filter((method) => (changing as string[]).includes(method))).toEqual([]);
  // Nothing of it is a call of the kubelet.
  expect(records().some((r) => r.kind === 'cri-call')).toBe(false);
});

it('says what fails, and goes on where the runtime comes back', async () => {
  const kernel = realKernel();
  const endpoint = `unix://${await tempFolder()}/cri.sock`;
  const heard: Evidence[] = [];
  const pace = { lists: 10, slow: 50, between: 1, again: 10 };
  const poll = pollRuntime({ endpoint, emit: (evidence) => void heard.push(...evidence), pace });
  onTestFinished(() => poll.close());
  await expect.poll(() => heard).toContainEqual(expect.objectContaining({ kind: 'runtime', error: expect.anything() }));
  const services = servicesFrom(function* (method) {
    if (method === 'getContainerEvents') throw new CRIError(GrpcCode.Unimplemented, 'not here');
    return { runtimeName: 'fake' };
  });
  const server = await serveRuntime(kernel, services, services, endpoint);
  onTestFinished(() => server.close());
  await expect
    .poll(() => heard)
    .toContainEqual(expect.objectContaining({ kind: 'runtime', response: expect.anything() }));
});
