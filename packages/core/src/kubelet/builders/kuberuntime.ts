import type { CRIServices } from '../../cri/index.js';
import type { ProbeTransport } from '../../host/os.js';
import type { CallSteps } from '../call-steps.js';
import type { Informers } from '../client/informer.js';
import type { PodContainerManager } from '../cm/pod-container-manager.js';
import type { PodStateProvider, RuntimeHelper } from '../container/types.js';
import { type ImageCredentials, newNodeKeyring } from '../credentialprovider/image-credentials.js';
import { type KubeGenericRuntimeManager, newKubeGenericRuntimeManager } from '../kuberuntime/kuberuntime-manager.js';
import type { RuntimeRules } from '../kuberuntime/rules.js';
import type { ResultsManager } from '../prober/types.js';
import type { Foundation } from './types.js';

export interface ContainerRuntimeParts {
  readonly services: CRIServices;
  readonly livenessManager: ResultsManager;
  readonly readinessManager: ResultsManager;
  readonly startupManager: ResultsManager;
  readonly runtimeHelper: RuntimeHelper;
  readonly podStateProvider: PodStateProvider;
  readonly probeTransport: ProbeTransport;
  readonly podContainers: PodContainerManager;
  readonly imageCredentials: ImageCredentials | undefined;
  /** The rules of its version; undefined: those of v1.36. */
  readonly rules: RuntimeRules | undefined;
  readonly steps: CallSteps;
  /** Null in a stand-alone kubelet, which ignores a pod's RuntimeClass. */
  readonly informers: Pick<Informers, 'runtimeClasses'> | null;
}

/** upstream: kuberuntime.NewKubeGenericRuntimeManager */
export function newContainerRuntime(
  base: Foundation,
  { services, imageCredentials, informers, rules, ...parts }: ContainerRuntimeParts,
): KubeGenericRuntimeManager {
  const { kernel, os, config } = base;
  return newKubeGenericRuntimeManager({
    ...base,
    ...parts,
    ...(rules && { rules }),
    runtimeService: services,
    imageService: services,
    nodeKeyring: newNodeKeyring(kernel, os, config.rootDirectory, imageCredentials),
    ...(informers && { runtimeClasses: { get: (name: string) => informers.runtimeClasses.get(name)?.handler } }),
  });
}
