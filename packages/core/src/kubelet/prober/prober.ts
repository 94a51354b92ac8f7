import { type Container, kObj, type Pod, type PodStatus, type Probe } from '../../api/types.js';
import type { ProbeTransport } from '../../host/os.js';
import { background, type Context, type Go, type Kernel, Second } from '../../kernel/index.js';
import type { ProbeType } from '../../trace/index.js';
import { expand } from '../container/expansion.js';
import { containerFieldPath } from '../container/helpers.js';
import type { ContainerID, Runtime } from '../container/types.js';
import { EventReason, type EventRecorder } from '../events.js';
import { Logger } from '../klog.js';
import { execProbe } from '../probe/exec.js';
import { grpcProbe } from '../probe/grpc.js';
import { httpProbe } from '../probe/http.js';
import type { HandlerResult } from '../probe/probe.js';
import { resolveContainerPort } from '../probe/request.js';
import { tcpProbe } from '../probe/tcp.js';
import { probeDefaults, probeOf, probeTypeName } from './probe-spec.js';

/** The result of one probe. `result` null: an error, to be thrown away (fidelity 2:W-14). */
export interface ProbeRun extends HandlerResult {
  readonly result: 'Success' | 'Failure' | null;
}

/** upstream: pkg/kubelet/prober/prober.go maxProbeRetries */
export const maxProbeRetries = 3;

export interface ProberOptions {
  readonly kernel: Kernel;
  readonly runtime: Pick<Runtime, 'runInContainer'>;
  readonly recorder: EventRecorder;
  readonly probeTransport: ProbeTransport;
}

/** Runs probes and reports them. upstream: pkg/kubelet/prober/prober.go prober */
export class Prober {
  private readonly log: Logger;
  constructor(private readonly o: ProberOptions) {
    this.log = new Logger(o.kernel, 'prober.go');
  }

  /** upstream: (*prober).probe */
  *probe(
    probeType: ProbeType,
    pod: Pod,
    status: PodStatus,
    container: Container,
    containerID: ContainerID,
  ): Go<ProbeRun> {
    const name = probeTypeName(probeType);
    const ref = { probeType: name, pod: kObj(pod), podUID: pod.metadata.uid, containerName: container.name };
    const spec = probeOf(container, probeType);
    if (!spec) {
      this.log.info(0, 'Probe is nil', ref);
      return { outcome: 'success', output: '', result: 'Success' };
    }
    let handled: HandlerResult | null = null;
    let error: unknown = null;
    for (let i = 0; i < maxProbeRetries && !handled; i++) {
      try {
        handled = yield* this.runProbe(background, probeType, spec, pod, status, container, containerID);
      } catch (e) {
        error = e;
      }
    }
    if (!handled) {
      const text = error instanceof Error ? error.message : String(error);
      this.log.info(1, 'Probe errored', { ...ref, probeResult: 'unknown', err: text });
      this.event(
        pod,
        container,
        EventReason.ContainerUnhealthy,
        `${name} probe errored and resulted in unknown state: ${text}`,
      );
      return { outcome: 'unknown', output: text, result: null };
    }
    const { outcome, output } = handled;
    switch (outcome) {
      case 'success':
        this.log.info(3, 'Probe succeeded', ref);
        return { ...handled, result: 'Success' };
      case 'warning':
        this.event(pod, container, EventReason.ContainerProbeWarning, `${name} probe warning: ${output}`);
        this.log.info(3, 'Probe succeeded with a warning', { ...ref, output });
        return { ...handled, result: 'Success' };
      case 'failure':
        this.log.info(1, 'Probe failed', { ...ref, probeResult: outcome, output });
        this.event(pod, container, EventReason.ContainerUnhealthy, `${name} probe failed: ${output}`);
        return { ...handled, result: 'Failure' };
      case 'unknown':
        this.log.info(1, 'Probe unknown without error', { ...ref, probeResult: outcome });
        return { ...handled, result: 'Failure' };
    }
  }

  private event(pod: Pod, container: Container, reason: string, message: string): void {
    this.o.recorder.event(pod, 'Warning', reason, message, containerFieldPath(pod, container));
  }

  /** upstream: (*prober).runProbe */
  private *runProbe(
    ctx: Context,
    probeType: ProbeType,
    p: Probe,
    pod: Pod,
    status: PodStatus,
    container: Container,
    containerID: ContainerID,
  ): Go<HandlerResult> {
    const { kernel, runtime, probeTransport } = this.o;
    const timeout = probeDefaults(p).timeoutSeconds * Second;
    const podIP = status.podIP ?? '';
    const log = this.log;
    if (p.exec) {
      const command = p.exec.command ?? [];
      log.info(4, 'Exec-Probe runProbe', { pod: kObj(pod), containerName: container.name, execCommand: command });
      // Only literal values: the rest of the environment is not known here (fidelity 2:W-16). A later entry of a name
      // wins.
      const env = new Map((container.env ?? []).map((e) => [e.name, e.value ?? '']));
      const argv = command.map((word) => expand(word, (name) => env.get(name)));
      return yield* execProbe(runtime, ctx, containerID, argv, timeout);
    }
    if (p.httpGet)
      return yield* httpProbe(
        { kernel, transport: probeTransport, log },
        ctx,
        p.httpGet,
        container,
        podIP,
        timeout,
        probeTypeName(probeType),
      );
    if (p.tcpSocket) {
      let port: number;
      try {
        port = resolveContainerPort(p.tcpSocket.port, container);
      } catch (error) {
        log.info(4, 'TCP-Probe failed to resolve port', { error: (error as Error).message });
        throw error;
      }
      const host = p.tcpSocket.host || podIP;
      log.info(4, 'TCP-Probe', { host, port, timeout });
      return yield* tcpProbe({ kernel, transport: probeTransport }, ctx, host, port, timeout);
    }
    if (p.grpc) {
      const service = p.grpc.service ?? '';
      log.info(4, 'GRPC-Probe', { host: podIP, service, port: p.grpc.port, timeout });
      return yield* grpcProbe({ kernel, transport: probeTransport }, ctx, podIP, p.grpc.port, service, timeout);
    }
    log.info(4, 'Failed to find probe builder for container', { containerName: container.name });
    throw new Error(
      `missing probe handler for ${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid}):${container.name}`,
    );
  }
}
