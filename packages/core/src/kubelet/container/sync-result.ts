import { type Micros, quoteGo } from '../../trace/index.js';

export type SyncAction =
  | 'StartContainer'
  | 'KillContainer'
  | 'InitContainer'
  | 'CreatePodSandbox'
  | 'ConfigPodSandbox'
  | 'KillPodSandbox'
  | 'ResizePodInPlace'
  | 'RemoveContainer';

/** Errors with a fixed short name that becomes a waiting reason. upstream: sync_result.go, images/types.go */
export class ReasonError extends Error {
  /** `message` is the reason itself: CrashLoopBackOff, ErrImagePull, ... */
  constructor(readonly reason: string) {
    super(reason);
  }
}

/** A reason whose retry time is known. upstream: sync_result.go BackoffError */
export class BackoffError extends ReasonError {
  constructor(
    reason: string,
    readonly backoffTime: Micros,
  ) {
    super(reason);
  }
}

export interface SyncResult {
  readonly action: SyncAction;
  readonly target: string;
  error: Error | null;
  message: string;
}

/** upstream: sync_result.go PodSyncResult */
export class PodSyncResult {
  readonly syncResults: SyncResult[] = [];
  syncError: Error | null = null;

  /** Adds a result, as yet a success. */
  add(action: SyncAction, target: string): SyncResult {
    const result: SyncResult = { action, target, error: null, message: '' };
    this.syncResults.push(result);
    return result;
  }
  addSyncResult(...results: readonly SyncResult[]): void {
    this.syncResults.push(...results);
  }
  addPodSyncResult(other: PodSyncResult): void {
    this.syncResults.push(...other.syncResults);
    this.syncError = other.syncError;
  }
  fail(error: Error): void {
    this.syncError = error;
  }
  /** Returns all failures in one, or null. */
  error(): AggregateSyncError | null {
    const errors: Error[] = [];
    if (this.syncError)
      errors.push(new Error(`failed to SyncPod: ${this.syncError.message}`, { cause: this.syncError }));
    for (const r of this.syncResults)
      if (r.error)
        errors.push(
          new Error(`failed to "${r.action}" for "${r.target}" with ${r.error.message}: ${quoteGo(r.message)}`, {
            cause: r.error,
          }),
        );
    return errors.length > 0 ? new AggregateSyncError(errors) : null;
  }
}

/** One message plain, several distinct ones as [a, b]. upstream: apimachinery util/errors aggregate.Error */
function aggregateText(messages: readonly string[]): string {
  const texts = [...new Set(messages)];
  return texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`;
}

/** Several errors as one. upstream: utilerrors.NewAggregate */
export class AggregateSyncError extends Error {
  constructor(
    readonly errors: readonly Error[],
    print = aggregateText,
  ) {
    super(print(errors.map((e) => e.message)));
  }
}

/**
 * Returns the earliest retry time among the back-off errors in an error's tree, null if there is none.
 * upstream: MinBackoffExpiration
 */
export function minBackoffExpiration(error: unknown): Micros | null {
  if (!(error instanceof Error)) return null;
  let min: Micros | null = error instanceof BackoffError ? error.backoffTime : null;
  const inner = [...(error instanceof AggregateSyncError ? error.errors : []), ...(error.cause ? [error.cause] : [])];
  for (const e of inner) {
    const t = minBackoffExpiration(e);
    if (t !== null && (min === null || t < min)) min = t;
  }
  return min;
}

/** Returns true if `is` accepts an error, one that it was made of, or one of several in it. upstream: errors.Is */
export function errorIs(err: unknown, is: (err: Error) => boolean): boolean {
  for (let e = err; e instanceof Error; e = e.cause)
    if (is(e) || (e instanceof AggregateSyncError && e.errors.some((inner) => errorIs(inner, is)))) return true;
  return false;
}
