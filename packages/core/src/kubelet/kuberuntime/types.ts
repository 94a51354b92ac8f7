import type { Container, Pod } from '../../api/types.js';
import type { ContainerConfig, LinuxContainerSecurityContext, RuntimeService } from '../../cri/index.js';
import type { Go } from '../../kernel/index.js';
import type { Logger } from '../klog.js';

/** One logger for each of upstream's files, by the middle of its name. */
export type KubeRuntimeLoggers = Readonly<
  Record<'manager' | 'container' | 'sandbox' | 'gc' | 'image' | 'helpers', Logger>
>;

/** The runtime service as in the CRI. upstream: internalapi.RuntimeService */
export interface RuntimeServiceDeps {
  readonly runtimeService: RuntimeService;
  readonly log: KubeRuntimeLoggers;
}

/** Says which runtime it is, as in `containerd://<id>`. */
export interface RuntimeType {
  type(): string;
}

/** The special requests of a pod to the runtime: the handler of its RuntimeClass, a user namespace of its own. */
export interface RuntimeHandlers {
  lookupRuntimeHandler(pod: Pod): string;
  podRuntimeHandler(pod: Pod): string;
  getOrCreateUserNamespaceMappings(
    pod: Pod,
  ): NonNullable<LinuxContainerSecurityContext['namespaceOptions']>['usernsOptions'];
}

/**
 * Hooks of the managers of devices, CPUs and memory; they may refuse a container by throwing.
 * upstream: cm.InternalContainerLifecycle
 */
export interface InternalContainerLifecycle {
  preCreateContainer(pod: Pod, container: Container, config: ContainerConfig): Go<void>;
  preStartContainer(pod: Pod, container: Container, containerID: string): Go<void>;
}
