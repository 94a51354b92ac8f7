/** Replays a recording's steps against our kubelet on a real runtime, in real time. */
import { setTimeout as delay } from 'node:timers/promises';
import { needsApiServer, type Recording } from '@syncloop/core/conformance/compare';
import { version } from '../base/version.js';
import type { Containerd } from './containerd.js';
import { NodeUnderTest } from './node-under-test.js';
import { doStep, stepArgs, unsupportedStep, workFolder } from './steps.js';

/** The recorder let a kubelet settle this long before its first step, ms. */
const settleMillis = 3500;

/**
 * Runs our kubelet on the same steps and returns its recording. Rejects with an Error that names the step that could
 * not be done.
 */
export async function runOnRuntime(
  reference: Recording,
  endpoint: string,
  managed: Containerd | null,
  signal?: AbortSignal,
): Promise<Recording> {
  const problem = unsupportedStep(reference.steps);
  if (problem !== undefined) throw new Error(problem);
  const node = await NodeUnderTest.create(endpoint, managed, needsApiServer(reference));
  let interrupt = () => {};
  const interruption = new Promise<never>((_, reject) => {
    interrupt = () => reject(signal?.reason);
  });
  signal?.addEventListener('abort', interrupt);
  const marks: { at: number; step: string; args: unknown[] }[] = [];
  try {
    const elsewhere = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(node.work, workFolder)) as T;
    await node.startKubelet();
    const containerd = node.runtimeName;
    await delay(settleMillis - node.now());
    for (const [i, step] of reference.steps.entries()) {
      signal?.throwIfAborted();
      const [verb, ...args] = step;
      marks.push({ at: Math.round(node.now()), step: verb, args: stepArgs(verb, args) });
      await Promise.race([doStep(node, i, step), interruption]);
    }
    const cluster = node.clusterRecord();
    return {
      scenario: reference.scenario,
      ...(reference.about !== undefined && { about: reference.about }),
      kubelet: `syncloop ${version}`,
      containerd,
      steps: reference.steps,
      marks,
      cri: elsewhere(node.cri.all()),
      status: elsewhere(node.status),
      klog: elsewhere(node.klog),
      ...(cluster && (elsewhere(cluster) as unknown as Partial<Recording>)),
    };
  } finally {
    signal?.removeEventListener('abort', interrupt);
    await node.close();
  }
}
