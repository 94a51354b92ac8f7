import type { RuntimeCondition, RuntimeStatus } from '../cri/index.js';
import type { Kernel } from '../kernel/index.js';
import { background, type Context, frame, type Go, Mutex, Second, sleep } from '../kernel/index.js';
import type { Json } from '../trace/index.js';
import type { Logger } from './klog.js';
import type { KubeGenericRuntimeManager } from './kuberuntime/kuberuntime-manager.js';
import type { RuntimeState } from './runtime-state.js';

const updateRuntimePeriod = 5 * Second;

export interface RuntimeUpDeps {
  /** The minor number of the kubelet's version. */
  readonly minor: number;
  readonly kernel: Kernel;
  readonly log: Logger;
  readonly runtimeState: RuntimeState;
  readonly containerRuntime: Pick<KubeGenericRuntimeManager, 'features' | 'handlers' | 'status'>;
  /** True if a runtime that is not ready is logged at verbosity 0 from the beginning. */
  readonly readyExpected: boolean;
  /** Called once, when the runtime is ready for the first time. */
  readonly initializeRuntimeDependentModules: (ctx: Context) => Go<void>;
}

/**
 * Checks the runtime's health and, the first time it is ready, starts the modules that need it.
 * upstream: (*Kubelet).updateRuntimeUp
 */
export class RuntimeUp {
  private readonly updateRuntimeMux: Mutex;
  private oneTimeInitializer = false;
  /** True if a runtime that is not ready is logged at verbosity 0. upstream: containerRuntimeReadyExpected */
  private containerRuntimeReadyExpected: boolean;

  constructor(private readonly deps: RuntimeUpDeps) {
    this.containerRuntimeReadyExpected = deps.readyExpected;
    this.updateRuntimeMux = new Mutex(deps.kernel, 'updateRuntimeMux');
  }

  /** Runs the check every 5 s. */
  *run(): Go<void> {
    for (;;) {
      yield* this.updateRuntimeUp();
      yield* sleep(updateRuntimePeriod);
    }
  }

  /** Called by fast status updates only; never in a stand-alone kubelet (fidelity 3:RTS-07). */
  *expectReady(): Go<void> {
    yield* this.updateRuntimeMux.lock();
    this.containerRuntimeReadyExpected = true;
    this.updateRuntimeMux.unlock();
  }

  /** Makes one check. upstream: pkg/kubelet/kubelet.go (*Kubelet).updateRuntimeUp */
  *updateRuntimeUp(): Go<void> {
    yield* frame(
      'updateRuntimeUp',
      undefined,
      () => this.update(background),
      (kept) => kept,
    );
  }

  /** Returns what the runtime state keeps of a runtime that is ready. */
  private *update(ctx: Context): Go<object | undefined> {
    const { log, runtimeState, containerRuntime, kernel, minor } = this.deps;
    yield* this.updateRuntimeMux.lock();
    try {
      let status: RuntimeStatus | undefined;
      try {
        status = yield* containerRuntime.status(ctx);
      } catch (err) {
        log.error(err, 'Container runtime sanity check failed');
        return undefined;
      }
      if (!status) {
        log.error(null, 'Container runtime status is nil');
        return undefined;
      }
      log.info(4, 'Container runtime status', { status: status as unknown as Json });
      const v = this.containerRuntimeReadyExpected ? 0 : 4;
      const network = condition(status, 'NetworkReady');
      if (!network?.status) {
        log.info(v, 'Container runtime network not ready', { networkReady: conditionText(network) });
        runtimeState.setNetworkState(new Error(`${runtimeState.rules.networkNotReady}: ${conditionText(network)}`));
      } else runtimeState.setNetworkState(null);
      const ready = condition(status, 'RuntimeReady');
      if (!ready?.status) {
        log.info(v, 'Container runtime not ready', { runtimeReady: conditionText(ready) });
        runtimeState.setRuntimeState(new Error(`container runtime not ready: ${conditionText(ready)}`));
        return undefined;
      }
      runtimeState.setRuntimeState(null);
      const handlers = containerRuntime.handlers();
      const features = containerRuntime.features();
      runtimeState.setRuntimeHandlers(handlers);
      runtimeState.setRuntimeFeatures(features);
      if (!this.oneTimeInitializer) {
        this.oneTimeInitializer = true;
        yield* this.deps.initializeRuntimeDependentModules(ctx);
      }
      // Only now may the sync loop run.
      const lastBaseRuntimeSync = kernel.now();
      runtimeState.setRuntimeSync(lastBaseRuntimeSync);
      return {
        ...(minor >= 30 && { setRuntimeHandlers: handlers.map(({ name }) => name ?? '') }),
        ...(minor >= 31 && { setRuntimeFeatures: features }),
        setRuntimeSync: lastBaseRuntimeSync,
      };
    } finally {
      runtimeState.trace();
      this.updateRuntimeMux.unlock();
    }
  }
}

const condition = (status: RuntimeStatus, type: string): RuntimeCondition | undefined =>
  status.conditions?.find((c) => c.type === type);

/** upstream: container/runtime.go (*RuntimeCondition).String */
const conditionText = (c: RuntimeCondition | undefined): string =>
  c ? `${c.type ?? ''}=${c.status ?? false} reason:${c.reason ?? ''} message:${c.message ?? ''}` : '<nil>';
