import {
  type ContainerConfig,
  type CRIServices,
  type CreateContainerRequest,
  invoke,
  type PodSandboxConfig,
  type RunPodSandboxRequest,
  servicesFrom,
} from '../../cri/index.js';

/** What an older kubelet puts into its requests. Each function gets what v1.36 would send. */
export interface CRIDialect {
  readonly sandbox: (config: PodSandboxConfig) => PodSandboxConfig;
  readonly container: (config: ContainerConfig) => ContainerConfig;
}

/** The given services, asked in the words of another version. Calls that have not changed pass as they are. */
export function inDialect(services: CRIServices, { sandbox, container }: CRIDialect): CRIServices {
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
    return invoke(services, method, ctx, request);
  });
}
