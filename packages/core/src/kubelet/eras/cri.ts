import {
  type ContainerConfig,
  type CRIServices,
  type CreateContainerRequest,
  invoke,
  type ListPodSandboxRequest,
  type PodSandboxConfig,
  type RunPodSandboxRequest,
  servicesFrom,
} from '../../cri/index.js';

/** Changes of an older kubelet's requests. Each function gets what v1.36 would send; absent: no change. */
export interface CRIDialect {
  readonly sandbox?: (config: PodSandboxConfig) => PodSandboxConfig;
  readonly container?: (config: ContainerConfig) => ContainerConfig;
}

const same = <T>(config: T): T => config;

/**
 * The given services, asked in the words of another version. Calls that have not changed pass as they are. Whoever
 * wants all sandboxes sends no filter, up to v1.32 at least.
 * upstream: v1.32 pkg/kubelet/kuberuntime/kuberuntime_sandbox.go (*kubeGenericRuntimeManager).getKubeletSandboxes
 */
export function inDialect(services: CRIServices, { sandbox = same, container = same }: CRIDialect): CRIServices {
  return servicesFrom((method, ctx, request) => {
    if (method === 'runPodSandbox') {
      const { config, ...rest } = request as RunPodSandboxRequest;
      return invoke(services, method, ctx, { ...rest, ...(config && { config: sandbox(config) }) });
    }
    if (method === 'createContainer') {
      const { config, sandboxConfig, ...rest } = request as CreateContainerRequest;
      const asked: CreateContainerRequest = { ...rest };
      if (config) asked.config = container(config);
      if (sandboxConfig) asked.sandboxConfig = sandbox(sandboxConfig);
      return invoke(services, method, ctx, asked);
    }
    if (method === 'listPodSandbox') {
      const { filter } = request as ListPodSandboxRequest;
      return invoke(services, method, ctx, filter && Object.keys(filter).length > 0 ? request : {});
    }
    return invoke(services, method, ctx, request);
  });
}
