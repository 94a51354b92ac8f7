import {
  type Container,
  formatPod,
  type HTTPGetAction,
  kObj,
  type LifecycleHandler,
  type Pod,
} from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import type { ProbeTransport } from '../../host/os.js';
import { type Context, frame, type Go, Hour, type Kernel, recv, Second, select, Timer } from '../../kernel/index.js';
import { quoteGo } from '../../trace/index.js';
import type { ContainerID, RuntimePod, RuntimePodStatus } from '../container/types.js';
import type { EventRecorder } from '../events.js';
import { type FeatureConfig, olderFeatureEnabled } from '../features.js';
import { Logger } from '../klog.js';
import { metricsOf } from '../metrics/kubelet-metrics.js';
import { doRequest } from '../probe/client.js';
import { type HTTPGetRequest, joinHostPort, newRequestForHTTPGetAction } from '../probe/request.js';
import { goList } from '../util/go-format.js';

/** A hook failed. `detail` is the text for the container's status, `message` the bare cause. */
export class HookError extends Error {
  constructor(
    readonly detail: string,
    cause: unknown,
  ) {
    super(messageOf(cause), { cause });
  }
}

export interface HandlerRunnerDeps {
  readonly kernel: Kernel;
  readonly config: FeatureConfig;
  readonly transport: ProbeTransport;
  readonly recorder: EventRecorder;
  /** Runs a command to its end, with no deadline at timeout 0. */
  readonly execSync: (
    ctx: Context,
    id: ContainerID,
    cmd: readonly string[],
    timeout: number,
  ) => Go<{ stdout: string; stderr: string; exitCode: number }>;
  readonly podStatusProvider: {
    getPod(ctx: Context, uid: string): Go<RuntimePod | null>;
    getPodStatus(ctx: Context, pod: RuntimePod): Go<RuntimePodStatus>;
  };
}

/** Runs postStart and preStop hooks. upstream: pkg/kubelet/lifecycle/handlers.go handlerRunner */
export class HandlerRunner {
  private readonly log: Logger;
  constructor(private readonly deps: HandlerRunnerDeps) {
    this.log = new Logger(deps.kernel, 'handlers.go');
  }

  /**
   * Waits for the hook; throws a HookError (fidelity 2:H-01 to 2:H-03).
   * upstream: pkg/kubelet/lifecycle/handlers.go (*handlerRunner).Run
   */
  *run(ctx: Context, id: ContainerID, pod: Pod, container: Container, handler: LifecycleHandler): Go<void> {
    const kind = handler.exec ? 'exec' : handler.httpGet ? 'httpGet' : handler.sleep ? 'sleep' : 'none';
    yield* frame('handlerRunner.Run', { pod: kObj(pod), container: container.name, handler: kind }, () =>
      this.dispatch(ctx, id, pod, container, handler),
    );
  }

  private *dispatch(
    ctx: Context,
    id: ContainerID,
    pod: Pod,
    container: Container,
    handler: LifecycleHandler,
  ): Go<void> {
    const where = `for Container "${container.name}" in Pod "${formatPod(pod)}" failed`;
    if (handler.exec) {
      const cmd = handler.exec.command ?? [];
      let output = '';
      try {
        const { stdout, stderr, exitCode } = yield* this.deps.execSync(ctx, id, cmd, 0);
        output = stdout + stderr;
        if (exitCode !== 0) throw new Error(`command '${cmd.join(' ')}' exited with ${exitCode}: ${stderr}`);
      } catch (err) {
        this.log.info(1, 'Exec lifecycle hook for Container in Pod failed', {
          execCommand: [...cmd],
          containerName: container.name,
          pod: kObj(pod),
          message: output,
          err: messageOf(err),
        });
        throw new HookError(
          `Exec lifecycle hook (${goList(cmd)}) ${where} - error: ${messageOf(err)}, message: ${quoteGo(output)}`,
          err,
        );
      }
    } else if (handler.httpGet) {
      const path = handler.httpGet.path ?? '';
      try {
        yield* this.runHTTPHandler(ctx, pod, container, handler.httpGet);
      } catch (err) {
        this.log.info(1, 'HTTP lifecycle hook for Container in Pod failed', {
          path,
          containerName: container.name,
          pod: kObj(pod),
          err: messageOf(err),
        });
        throw new HookError(`HTTP lifecycle hook (${path}) ${where} - error: ${messageOf(err)}`, err);
      }
    } else if (handler.sleep) {
      const { seconds } = handler.sleep;
      try {
        yield* this.runSleepHandler(ctx, seconds);
      } catch (err) {
        this.log.info(1, 'Sleep lifecycle hook for Container in Pod failed', {
          sleepSeconds: seconds,
          containerName: container.name,
          pod: kObj(pod),
          err: messageOf(err),
        });
        throw new HookError(`Sleep lifecycle hook (${seconds}) ${where} - error: ${messageOf(err)}`, err);
      }
    } else {
      // tcpSocket is in the API but was never implemented.
      const err = new Error(`invalid handler: ${JSON.stringify(handler)}`);
      this.log.error(err, 'Cannot run handler');
      throw new HookError(`Cannot run handler: ${err.message}`, err);
    }
  }

  /** Returns at once while its gate is off, as in v1.29. upstream: runSleepHandler */
  private *runSleepHandler(ctx: Context, seconds: number): Go<void> {
    const { config } = this.deps;
    if (config.eraFeatures && !olderFeatureEnabled(config, 'PodLifecycleSleepAction')) return;
    const timer = new Timer(this.deps.kernel, seconds * Second, { name: 'sleep hook' });
    const r = yield* select({ done: recv(ctx.done()), timer: recv(timer.c) });
    timer.stop();
    if (r.case !== 'done') return;
    metricsOf(this.deps.kernel).lifecycleHandlerSleepTerminated.add(1);
    throw new Error('container terminated before sleep hook finished');
  }

  /** Sends the request; any answer is a success, whatever its status (fidelity 2:H-02). upstream: runHTTPHandler */
  private *runHTTPHandler(ctx: Context, pod: Pod, container: Container, action: HTTPGetAction): Go<void> {
    const { kernel, recorder } = this.deps;
    const host = action.host || (yield* this.podIP(ctx, pod));
    const request = newRequestForHTTPGetAction(action, container, host, 'lifecycle');
    try {
      yield* doRequest(this.deps, ctx, request, kernel.now() + noTimeout);
    } catch (err) {
      if (!messageOf(err).includes('server gave HTTP response to HTTPS client')) throw err;
      const address = joinHostPort(request.target.host, request.target.port);
      this.log.info(1, 'HTTPS request to lifecycle hook got HTTP response, retrying with HTTP.', {
        pod: kObj(pod),
        host: address,
        err: messageOf(err),
      });
      const plain: HTTPGetRequest = {
        target: { ...request.target, scheme: 'http' },
        // Credentials that were meant for HTTPS do not go over the wire in the clear.
        headers: request.headers.filter((h) => h.name !== 'Authorization'),
      };
      try {
        yield* doRequest(this.deps, ctx, plain, kernel.now() + noTimeout);
      } catch {
        // The first error is the hook's, as upstream's.
        throw err;
      }
      metricsOf(kernel).lifecycleHandlerHTTPFallbacks.add(1);
      recorder.event(
        pod,
        'Warning',
        'LifecycleHTTPFallback',
        `request to HTTPS lifecycle hook ${address} got HTTP response, retry with HTTP succeeded`,
      );
    }
  }

  private *podIP(ctx: Context, pod: Pod): Go<string> {
    const { podStatusProvider: provider } = this.deps;
    const runtimePod = yield* provider.getPod(ctx, pod.metadata.uid);
    if (!runtimePod) throw new Error('unable to get pod, event handlers may be invalid: pod not found');
    let status: RuntimePodStatus;
    try {
      status = yield* provider.getPodStatus(ctx, runtimePod);
    } catch (err) {
      throw new Error(`unable to get pod status, event handlers may be invalid: ${messageOf(err)}`, { cause: err });
    }
    const [ip] = status.ips;
    if (!ip) throw new Error(`failed to find networking container: ${status.name}_${status.namespace}(${status.id})`);
    return ip;
  }
}

/** Upstream's client for hooks has no deadline; a day is as good as none. */
const noTimeout = 24 * Hour;
