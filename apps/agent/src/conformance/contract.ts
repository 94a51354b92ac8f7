/**
 * The contract of a container runtime: the same cases against the mock, served over gRPC, and against a real runtime.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ContractCase,
  type ContractSubject,
  contractAreas,
  contractImageNames,
  contractImages,
  registryBehaviours,
  runContractCase,
} from '@syncloop/core/conformance';
import type { CRIServices } from '@syncloop/core/cri';
import { background, type Go, Kernel } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { newMockRuntime } from '@syncloop/core/mock';
import { SetupError, UsageError } from '../base/errors.js';
import { connectRuntime } from '../cri/client.js';
import { EndpointError } from '../cri/endpoint.js';
import { serveRuntime } from '../cri/server.js';
import { busyboxImage, Containerd, whyNoContainerd } from './containerd.js';
import { startRegistry } from './contract-registry.js';

/** The runtime and the program that run the suite. */
export interface ContractOptions {
  readonly runtime: 'mock' | 'cri';
  /** A runtime that runs already; default: a containerd of our own. */
  readonly endpoint?: string | undefined;
  readonly seed?: number | undefined;
  /** Cases at once. */
  readonly jobs?: number | undefined;
  /** Prints cases that pass, too. */
  readonly verbose?: boolean | undefined;
  /** Runs only cases whose `area: name` has one of these texts in it. */
  readonly only?: readonly string[];
}

/** No case may take longer, ms. On a busy machine a container takes seconds to start. */
const caseMillis = 90_000;

/** A runtime that is ready to be judged. */
interface Judged {
  readonly subject: ContractSubject;
  /** Runs a case on the client's kernel. */
  readonly run: <T>(body: () => Go<T>) => Promise<T>;
}

type Undo = (() => unknown)[];

/** Runs the suite; resolves with its totals. Everything that it created is removed afterwards. */
export async function contract(
  options: ContractOptions,
  print: (line: string) => void,
): Promise<{ passed: number; failed: number }> {
  const undo: Undo = [];
  let interrupted = false;
  const interrupt = () => {
    interrupted = true;
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    const judged = await (options.runtime === 'mock' ? theMock(options, undo) : realRuntime(options, undo));
    const queue = contractAreas
      .flatMap(({ area, cases }) => cases.map((one) => ({ area, one })))
      .filter(({ area, one }) => !options.only?.length || options.only.some((t) => `${area}: ${one.name}`.includes(t)));
    if (queue.length === 0) throw new UsageError(`no case has ${options.only?.join(' or ')} in its name`);
    const totals = { passed: 0, failed: 0 };
    const byArea = new Map<string, { passed: number; failed: number }>();
    for (const { area } of queue) byArea.set(area, { passed: 0, failed: 0 });
    const work = async () => {
      for (let next = queue.shift(); next !== undefined && !interrupted; next = queue.shift()) {
        const { area, one } = next;
        const began = performance.now();
        const { problem, notes } = await judge(judged, one);
        const took = `(${((performance.now() - began) / 1000).toFixed(1)} s)`;
        for (const count of [totals, byArea.get(area)]) if (count) count[problem === undefined ? 'passed' : 'failed']++;
        if (problem !== undefined) print(`FAIL ${area}: ${one.name} -- ${problem} ${took}`);
        else if (options.verbose) print(`ok   ${area}: ${one.name} ${took}`);
        for (const note of notes) print(`note ${area}: ${one.name}: ${note}`);
      }
    };
    await Promise.all(Array.from({ length: options.jobs ?? (options.runtime === 'mock' ? 8 : 4) }, work));
    for (const [area, { passed, failed }] of byArea)
      print(`${failed > 0 ? 'FAIL' : 'ok  '} ${area}: ${passed} of ${passed + failed} cases`);
    if (interrupted) {
      print(`interrupted; ${queue.length} cases did not run`);
      totals.failed += queue.length;
    }
    return totals;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    for (const fn of undo.reverse()) await fn();
  }
}

async function judge(
  { subject, run }: Judged,
  one: ContractCase,
): Promise<{ problem?: string; notes: readonly string[] }> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${caseMillis / 1000} s`)), caseMillis);
  });
  try {
    return { notes: await Promise.race([run(() => runContractCase(subject, one)), late]) };
  } catch (err) {
    return { problem: err instanceof Error ? err.message : String(err), notes: [] };
  } finally {
    clearTimeout(timer);
  }
}

/** A kernel on the real clock that runs until it is undone. */
function realKernel(undo: Undo, seed?: number): Kernel {
  const kernel = new Kernel({ clock: new RealClock(), ...(seed !== undefined && { seed }) });
  const driver = new RealDriver(kernel);
  driver.start();
  undo.push(() => driver.stop());
  return kernel;
}

/** The subject behind an endpoint, seen through a connection of its own. */
async function behind(
  endpoint: string,
  undo: Undo,
  what: Omit<ContractSubject, 'services' | 'prefix'>,
): Promise<Judged> {
  const kernel = realKernel(undo);
  const connection = await connectRuntime(endpoint).catch((err: unknown) => {
    throw err instanceof EndpointError ? new SetupError(err.message) : err;
  });
  undo.push(() => connection.close());
  const services: CRIServices = { ...connection.runtime, ...connection.image };
  const run = <T>(body: () => Go<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      kernel.post(() =>
        kernel.go('contract', function* () {
          try {
            resolve(yield* body());
          } catch (err) {
            reject(err);
          }
        }),
      );
    });
  return { subject: { ...what, services, prefix: `c${randomBytes(4).toString('hex')}` }, run };
}

async function theMock({ seed }: ContractOptions, undo: Undo): Promise<Judged> {
  const folder = await mkdtemp(join(tmpdir(), 'syncloop-contract-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const kernel = realKernel(undo, seed ?? 1);
  const registry = 'localhost:5000';
  const mock = newMockRuntime(kernel, {
    images: contractImages,
    registry: registryBehaviours(registry),
  });
  const endpoint = `unix://${join(folder, 'mock.sock')}`;
  const server = await serveRuntime(kernel, mock.runtime, mock.image, endpoint);
  undo.push(() => server.close());
  // The mock's files are its own: this folder is on no disk.
  const images = { busybox: busyboxImage, more: contractImageNames };
  return await behind(endpoint, undo, {
    ...{ images, registry, cgroupParent: '/contract' },
    ...{ folder: '/var/log/contract', strict: true },
  });
}

async function realRuntime({ endpoint }: ContractOptions, undo: Undo): Promise<Judged> {
  const folder = await mkdtemp(join(tmpdir(), 'syncloop-contract-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const registry = await startRegistry();
  undo.push(() => registry.close());
  const what = { registry: registry.host, folder, strict: false };
  if (endpoint !== undefined) {
    const judged = await behind(endpoint, undo, {
      ...what,
      cgroupParent: null,
      images: { busybox: busyboxImage, more: null },
    });
    const { image } = await judged.run(() =>
      judged.subject.services.imageStatus(background, { image: { image: busyboxImage } }),
    );
    if (!image) throw new SetupError(`the runtime at ${endpoint} has no image ${busyboxImage}: give it one`);
    return judged;
  }
  const reason = whyNoContainerd();
  if (reason !== undefined) throw new SetupError(reason);
  const containerd = await Containerd.create();
  undo.push(() => containerd.destroy());
  await containerd.importBusybox(
    contractImages.map(({ ref, programs: _, ...config }) => ({ name: ref, ...config })),
    'contract.tar',
  );
  const cgroupParent = `/syncloop-contract-${process.pid}`;
  undo.push(() => removeCgroups(cgroupParent));
  const images = { busybox: busyboxImage, more: contractImageNames };
  return await behind(containerd.endpoint, undo, { ...what, cgroupParent, images });
}

/** Removes the leftovers of sandboxes in a cgroup, in every hierarchy. */
async function removeCgroups(path: string): Promise<void> {
  const root = '/sys/fs/cgroup';
  for (const hierarchy of ['', ...(await readdir(root).catch(() => []))]) {
    const top = join(root, hierarchy, path);
    for (const name of await readdir(top).catch(() => [])) await rmdir(join(top, name)).catch(() => {});
    await rmdir(top).catch(() => {});
  }
}
