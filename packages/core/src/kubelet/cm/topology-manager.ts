import { type Container, kObj, type Pod, podRef } from '../../api/types.js';
import { frame, type Go, type Kernel, Millisecond } from '../../kernel/index.js';
import type { PodAdmitHandler, PodAdmitResult } from '../admission/types.js';
import { Logger } from '../klog.js';
import { metricsOf } from '../metrics/kubelet-metrics.js';
import { podAdmitResultOf } from './admission.js';

/**
 * A manager that gives resources of the machine to containers at admission: today that of devices. Those of CPUs and
 * memory are added the same way, and topology hints to this interface (decision 0035).
 * upstream: pkg/kubelet/cm/topologymanager HintProvider
 */
export interface HintProvider {
  /** Throws why the container cannot have what it asks for. Called for init containers first, in order. */
  allocate(pod: Pod, container: Container): Go<void>;
}

/**
 * The handler that allocates a pod's resources when it is admitted, container by container. Its policy is `none`: no
 * alignment to NUMA nodes.
 * upstream: pkg/kubelet/cm/topologymanager manager with scope none
 */
export class TopologyManager implements PodAdmitHandler {
  /** Under this name the page shows it among the admit handlers. */
  readonly name = 'container manager';
  private readonly hintProviders: HintProvider[] = [];
  private readonly log: Logger;

  constructor(private readonly kernel: Kernel) {
    this.log = new Logger(kernel, 'topology_manager.go');
  }

  addHintProvider(provider: HintProvider): void {
    this.hintProviders.push(provider);
  }

  /** upstream: pkg/kubelet/cm/topologymanager/topology_manager.go (*manager).Admit */
  *admit({ pod }: { readonly pod: Pod }): Go<PodAdmitResult> {
    // Without anything to allocate there is no trace of it.
    if (this.hintProviders.length === 0) return { admit: true };
    const metrics = metricsOf(this.kernel);
    this.log.info(4, 'Topology manager admission check', { pod: kObj(pod) });
    metrics.topologyManagerAdmissionRequests.add(1);
    const start = this.kernel.now();
    const result = yield* frame('topologyManager.Admit', podRef(pod), () => this.admitPolicyNone(pod));
    metrics.topologyManagerAdmissionDuration.observe(Math.floor((this.kernel.now() - start) / Millisecond));
    this.log.info(4, 'Pod Admit Result', { Message: result.admit ? '' : result.message, pod: kObj(pod) });
    return result;
  }

  /** upstream: pkg/kubelet/cm/topologymanager/scope.go (*scope).admitPolicyNone */
  private *admitPolicyNone(pod: Pod): Go<PodAdmitResult> {
    for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers])
      for (const provider of this.hintProviders)
        try {
          yield* provider.allocate(pod, container);
        } catch (err) {
          return podAdmitResultOf(err);
        }
    return { admit: true };
  }
}
