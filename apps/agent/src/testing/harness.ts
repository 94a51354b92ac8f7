/**
 * Helpers that tests of several rooms share: a kernel on the real clock, temporary folders, a runtime of a few methods.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CRIError, type CRIServices, unimplementedServices } from '@syncloop/core/cri';
import { type Go, Kernel } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { expect, onTestFinished } from 'vitest';

/** A running kernel, stopped when the test is over. */
export function realKernel(): Kernel {
  const kernel = new Kernel({ clock: new RealClock() });
  const driver = new RealDriver(kernel);
  driver.start();
  onTestFinished(() => driver.stop());
  return kernel;
}

/** Runs `body` as a goroutine; settles as it ends. */
export function run<T>(kernel: Kernel, body: () => Go<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    kernel.post(() =>
      kernel.go('test', function* () {
        try {
          resolve(yield* body());
        } catch (err) {
          reject(err);
        }
      }),
    );
  });
}

/** A folder that is gone when the test is over. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cri-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A runtime with just these methods. */
export function fakeRuntime(methods: Partial<CRIServices>): CRIServices {
  return { ...unimplementedServices(), ...methods };
}

/** Returns a promise, and the function that settles it. */
export function signal(): { readonly promise: Promise<void>; readonly fire: () => void } {
  let fire = () => {};
  const promise = new Promise<void>((resolve) => {
    fire = resolve;
  });
  return { promise, fire };
}

/** The error that a promise rejects with. Which kind it is, the test must check. */
export const errorOf = <E extends Error = CRIError>(promise: Promise<unknown>): Promise<E> =>
  promise.then(
    () => expect.unreachable('it succeeded'),
    (err: unknown) => err as E,
  );
