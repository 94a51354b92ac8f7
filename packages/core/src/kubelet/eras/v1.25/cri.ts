import type { PodSandboxConfig } from '../../../cri/index.js';
import type { CRIDialect } from '../cri.js';
import { dialect as before, sandbox as sandboxOfThen } from '../v1.21/cri.js';

/**
 * Changes the config like v1.21, with the resources of the sandbox, which came with v1.22.
 * upstream: v1.25 pkg/kubelet/kuberuntime/kuberuntime_sandbox_linux.go applySandboxResources
 */
function sandbox(config: PodSandboxConfig): PodSandboxConfig {
  const asked = sandboxOfThen(config);
  const { resources, overhead } = config.linux ?? {};
  return {
    ...asked,
    ...(asked.linux && { linux: { ...asked.linux, ...(resources && { resources }), ...(overhead && { overhead }) } }),
  };
}

/** The requests of v1.25. */
export const dialect: CRIDialect = { ...before, sandbox };
