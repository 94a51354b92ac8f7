import type { ContainerConfig, PodSandboxConfig } from '../../../cri/index.js';
import type { CRIDialect } from '../cri.js';
import { withoutUserNamespace } from '../v1.21/cri.js';

type Confined = Pick<NonNullable<PodSandboxConfig['linux']> & NonNullable<ContainerConfig['linux']>, 'securityContext'>;

/**
 * The gate UserNamespacesSupport is off by default until v1.33: a request does not say that a pod is in the node's.
 * upstream: v1.32 pkg/kubelet/userns/userns_manager.go (*UsernsManager).GetOrCreateUserNamespaceMappings
 */
function unspoken<T extends { linux?: Confined }>(config: T): T {
  const { linux } = config;
  const namespaceOptions = linux?.securityContext?.namespaceOptions;
  if (!linux || !namespaceOptions) return config;
  const securityContext = { ...linux.securityContext, namespaceOptions: withoutUserNamespace(namespaceOptions) };
  return { ...config, linux: { ...linux, securityContext } };
}

/** The requests of v1.32. */
export const dialect: CRIDialect = { sandbox: unspoken, container: unspoken };
