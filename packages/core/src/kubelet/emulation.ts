import { AggregateSyncError, BackoffError, errorIs } from './container/sync-result.js';

/** Whether the kubelet goes by the rules of a version before 1.`minor`. */
export function isBefore(config: { readonly emulatedVersion?: string }, minor: number): boolean {
  const found = /^1\.(\d+)$/.exec(config.emulatedVersion ?? '');
  return found !== null && Number(found[1]) < minor;
}

/**
 * What a sync of the runtime that failed is to the pod's worker. Before 1.33 no error at all where all that failed
 * waits for the end of a back-off: the next try came with the resync. Before 1.35 an error like any other: the worker
 * did not know when the back-off ends. upstream: (*Kubelet).SyncPod
 */
export function errorOfSync(config: { readonly emulatedVersion?: string }, error: Error | null): Error | null {
  if (!error || !isBefore(config, 35)) return error;
  const all = error instanceof AggregateSyncError ? error.errors : [error];
  const waits = (one: Error) => errorIs(one, (e) => e instanceof BackoffError);
  if (isBefore(config, 33) && all.every(waits)) return null;
  return new AggregateSyncError(all.map((one) => (waits(one) ? new Error(one.message) : one)));
}
