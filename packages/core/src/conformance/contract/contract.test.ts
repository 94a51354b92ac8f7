import { describe, expect, it } from 'vitest';
import { type CRIServices, inProcessClient } from '../../cri/index.js';
import { Kernel, seeded } from '../../kernel/index.js';
import { newMockRuntime } from '../../mock/index.js';
import { contractAreas, contractImageNames, contractImages, registryBehaviours, runContractCase } from './index.js';

const registry = 'localhost:5000';

describe.each(contractAreas)('runtime contract, on the mock: $area', ({ cases }) => {
  it.each(cases.map((c) => [c.name, c] as const))('%s', (_, one) => {
    for (const seed of [1, 2, 3]) {
      const kernel = new Kernel({ policy: seeded(seed, { goroutines: true }), seed });
      const mock = newMockRuntime(kernel, { images: contractImages, registry: registryBehaviours(registry) });
      const services = inProcessClient({ ...mock.runtime, ...mock.image });
      let notes: readonly string[] | null = null;
      kernel.go('contract', function* () {
        const images = { busybox: 'localhost/busybox:dev', more: contractImageNames };
        const subject = {
          services,
          prefix: 'contract',
          strict: true,
          images,
          registry,
          cgroupParent: '/contract',
          folder: '/var/log/pods',
        };
        notes = yield* runContractCase(subject, one);
      });
      kernel.run({ until: 120e6 });
      expect(notes).toEqual([]);
      expect([mock.sandboxes(), mock.containers()]).toEqual([[], []]);
    }
  });
});

/** Runs one case on the mock, with some of its services done otherwise; gives what went wrong. */
function problemOf(area: string, name: string, wrong: (right: CRIServices) => Partial<CRIServices>): string | null {
  const one = contractAreas.find((a) => a.area === area)?.cases.find((c) => c.name.startsWith(name));
  if (!one) throw new Error(`there is no case ${area}: ${name}`);
  const kernel = new Kernel({ seed: 1 });
  const mock = newMockRuntime(kernel, { images: contractImages, registry: registryBehaviours(registry) });
  const right: CRIServices = { ...mock.runtime, ...mock.image };
  const services = inProcessClient({ ...right, ...wrong(right) });
  let problem: string | null = 'it is not done in time';
  kernel.go('contract', function* () {
    const images = { busybox: 'localhost/busybox:dev', more: contractImageNames };
    const subject = {
      services,
      prefix: 'p',
      strict: true,
      images,
      registry,
      cgroupParent: '/c',
      folder: '/var/log/pods',
    };
    try {
      yield* runContractCase(subject, one);
      problem = null;
    } catch (error) {
      problem = (error as Error).message;
    }
  });
  kernel.run({ until: 120e6 });
  return problem;
}

describe('runtime contract, on runtimes that break it', () => {
  type Breakage = (right: CRIServices) => Partial<CRIServices>;
  const table: [string, string, string, Breakage][] = [
    [
      'a list without its filter',
      'lists',
      'containers by state',
      (right) => ({ listContainers: (ctx) => right.listContainers(ctx, {}) }),
    ],
    [
      'a stop that does not wait',
      'StopContainer',
      'SIGKILL after',
      (right) => ({ stopContainer: (ctx, { containerId = '' }) => right.stopContainer(ctx, { containerId }) }),
    ],
    [
      'exit codes that are lost',
      'container',
      'exit codes and reasons',
      (right) => ({
        *containerStatus(ctx, request) {
          const { status: { exitCode: _, ...status } = {} } = yield* right.containerStatus(ctx, request);
          return { status };
        },
      }),
    ],
    [
      'labels that are lost',
      'sandbox',
      'labels and annotations',
      (right) => ({
        *podSandboxStatus(ctx, request) {
          const { status: { labels: _, ...status } = {} } = yield* right.podSandboxStatus(ctx, request);
          return { status };
        },
      }),
    ],
    [
      'an exec without its time-out',
      'ExecSync',
      'time-out',
      (right) => ({ execSync: (ctx, { timeout: _, ...request }) => right.execSync(ctx, request) }),
    ],
    [
      'a removal that does nothing',
      'container',
      'RemoveContainer',
      () => ({
        *removeContainer() {
          return {};
        },
      }),
    ],
    [
      'a log that is never reopened',
      'logs',
      'rotation',
      () => ({
        *reopenContainerLog() {
          return {};
        },
      }),
    ],
    [
      'an RPC that is not there',
      'runtime',
      'RuntimeConfig',
      (right) => ({ runtimeConfig: (ctx) => right.checkpointPod(ctx, {}) }),
    ],
  ];
  it.each(table)('%s', (_, area, name, wrong) => {
    expect(problemOf(area, name, () => ({}))).toBeNull();
    expect(problemOf(area, name, wrong)).not.toBeNull();
  });
});
