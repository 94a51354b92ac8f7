import { AggregateSyncError, BackoffError, errorIs } from './container/sync-result.js';
import { type FeatureConfig, featureEnabled } from './features.js';

/** Returns true if the kubelet follows the rules of a version before 1.`minor`. */
export function isBefore(config: { readonly emulatedVersion?: string }, minor: number): boolean {
  const found = /^1\.(\d+)$/.exec(config.emulatedVersion ?? '');
  return found !== null && Number(found[1]) < minor;
}

/**
 * Returns true if a container that ran before its kubelet started counts as neither started nor ready until it is
 * probed. Up to v1.34 every kubelet does so, and there is no gate for it.
 */
export const changesStatusOnRestart = (config: FeatureConfig & { readonly emulatedVersion?: string }): boolean =>
  isBefore(config, 35) || featureEnabled(config, 'ChangeContainerStatusOnKubeletRestart');

/**
 * The error that a failed sync of the runtime gives to the pod's worker. Before 1.35 a back-off is an error like any
 * other: the worker does not know when it ends, and comes back after 10 to 15 s. (Before 1.33 upstream means to leave
 * back-offs out, but takes a result without an error for an error that is not a back-off, and such a result always
 * exists.)
 * upstream: (*Kubelet).SyncPod
 */
export function errorOfSync(config: { readonly emulatedVersion?: string }, error: Error | null): Error | null {
  if (!error || !isBefore(config, 35)) return error;
  const all = error instanceof AggregateSyncError ? error.errors : [error];
  return new AggregateSyncError(
    all.map((one) => (errorIs(one, (e) => e instanceof BackoffError) ? new Error(one.message) : one)),
  );
}
