import { messageOf } from '../base/index.js';
import type { RuntimeFeatures, RuntimeHandler } from '../cri/index.js';
import type { Kernel } from '../kernel/index.js';
import type { Micros } from '../trace/index.js';
import { AggregateSyncError } from './container/sync-result.js';

/** upstream: errors.go NetworkNotReadyErrorMsg, ErrNetworkUnknown */
export const NetworkNotReadyErrorMsg = 'network is not ready';
export const ErrNetworkUnknown = new Error('network state unknown');

/** Null when healthy, else the reason. */
type HealthCheck = () => Error | null;

/** Differences between versions of the kubelet in what keeps the loop from running. */
export interface RuntimeStateRules {
  /** The error until a check of the runtime has succeeded. */
  readonly neverChecked: string;
  /** The error of a PLEG that has not listed anything yet. */
  readonly neverRelisted: string;
  /** True if a runtime that says it is not ready is an error of its own; else it is a check that did not succeed. */
  readonly keepsRuntimeError: boolean;
  /** The beginning of the error of a network that is not ready. */
  readonly networkNotReady: string;
  /** Prints the errors for the log. Default: as an aggregate. */
  readonly print?: (messages: readonly string[]) => string;
}

/** v1.36. upstream: pkg/kubelet/runtime.go (*runtimeState).runtimeErrors, pkg/kubelet/pleg/generic.go Healthy */
export const runtimeStateRules: RuntimeStateRules = {
  neverChecked: 'container runtime status check may not have completed yet',
  neverRelisted: 'pleg has yet to be successful',
  keepsRuntimeError: true,
  networkNotReady: 'container runtime network not ready',
};

/**
 * The runtime's health as the kubelet knows it. The sync loop checks it before each iteration.
 * upstream: runtime.go runtimeState
 */
export class RuntimeState {
  private lastBaseRuntimeSync: Micros | null = null;
  private networkError: Error | null = ErrNetworkUnknown;
  private runtimeError: Error | null = null;
  private storageError: Error | null = null;
  private handlers: readonly RuntimeHandler[] = [];
  private features: RuntimeFeatures | null = null;
  private cidr = '';
  private readonly healthChecks: { name: string; fn: HealthCheck }[] = [];
  private said = '';

  constructor(
    private readonly kernel: Kernel,
    /** The time for which the last good status check counts. */
    private readonly baseRuntimeSyncThreshold: Micros,
    readonly rules: RuntimeStateRules = runtimeStateRules,
  ) {}

  addHealthCheck(name: string, fn: HealthCheck): void {
    this.healthChecks.push({ name, fn });
  }
  setRuntimeSync(at: Micros): void {
    this.lastBaseRuntimeSync = at;
  }
  setNetworkState(error: Error | null): void {
    this.networkError = error;
  }
  setRuntimeState(error: Error | null): void {
    if (this.rules.keepsRuntimeError) this.runtimeError = error;
  }

  setStorageState(error: Error | null): void {
    this.storageError = error;
  }
  /** Sets the handlers, sorted by name, so that the runtime's order does not change the node's status. */
  setRuntimeHandlers(handlers: readonly RuntimeHandler[]): void {
    this.handlers = handlers.toSorted((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1));
  }
  runtimeHandlers(): readonly RuntimeHandler[] {
    return this.handlers;
  }
  /** Sets the features; null: the runtime does not report them. */
  setRuntimeFeatures(features: RuntimeFeatures | null): void {
    this.features = features;
  }
  runtimeFeatures(): RuntimeFeatures | null {
    return this.features;
  }
  setPodCIDR(cidr: string): void {
    this.cidr = cidr;
  }
  podCIDR(): string {
    return this.cidr;
  }

  /** The reason why the sync loop must not run; null when it may. upstream: (*runtimeState).runtimeErrors */
  runtimeErrors(): AggregateSyncError | null {
    const errors: Error[] = [];
    if (this.lastBaseRuntimeSync === null) errors.push(new Error(this.rules.neverChecked));
    else if (this.lastBaseRuntimeSync + this.baseRuntimeSyncThreshold <= this.kernel.now())
      errors.push(new Error('container runtime is down'));
    for (const { name, fn } of this.healthChecks) {
      const err = fn();
      if (err) errors.push(new Error(`${name} is not healthy: ${err.message}`));
    }
    if (this.runtimeError) errors.push(this.runtimeError);
    return errors.length > 0 ? new AggregateSyncError(errors, this.rules.print) : null;
  }

  /**
   * Returns the error of the network. It is not part of runtimeErrors, because pods on the host's network can run.
   * upstream: (*runtimeState).networkErrors
   */
  networkErrors(): Error | null {
    return this.networkError;
  }

  /** Keeps the node from being Ready, but nothing else. upstream: (*runtimeState).storageErrors */
  storageErrors(): Error | null {
    return this.storageError;
  }

  /**
   * Records the state in the trace if it differs from the last record. `backoff`: how long the loop now sleeps.
   */
  trace(backoff?: Micros): void {
    const errors = this.runtimeErrors()?.errors.map(messageOf) ?? [];
    const networkError = this.networkError?.message;
    // Durations in a message would make every check a new record.
    const said = JSON.stringify([errors.map((e) => e.replace(/\d[\d.hmsµ]*/g, '#')), networkError, backoff ?? 0]);
    if (said === this.said) return;
    this.said = said;
    this.kernel.emit({
      kind: 'runtime-state',
      errors,
      ...(networkError === undefined ? {} : { networkError }),
      ...(backoff === undefined ? {} : { backoff }),
    });
  }
}
