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

/** The masks of /proc and /sys that came with a version, or with its last patches. */
const masks: readonly { readonly path: RegExp; readonly since: number }[] = [
  { path: /powercap$/, since: 29 },
  { path: /interrupts$|thermal_throttle$/, since: 31 },
];

/** upstream: v1.27 pkg/kubelet/kuberuntime/kuberuntime_container.go generateContainerConfig, pkg/securitycontext */
function masked(minor: number, { image, linux, ...config }: ContainerConfig): ContainerConfig {
  const { securityContext } = linux ?? {};
  const later = masks.filter(({ since }) => minor < since);
  const maskedPaths = securityContext?.maskedPaths?.filter((of) => !later.some(({ path }) => path.test(of)));
  return {
    ...config,
    // Its name came next to its id with v1.29.
    ...(image && { image: minor < 29 ? { image: image.image ?? '' } : image }),
    ...(linux && {
      linux: {
        ...linux,
        ...(securityContext && { securityContext: { ...securityContext, ...(maskedPaths && { maskedPaths }) } }),
      },
    }),
  };
}

/** The requests of v1.27 to v1.34. */
export const dialectOf = (minor: number): CRIDialect => {
  const namespaces = minor < 33 ? unspoken : <T>(config: T): T => config;
  return { sandbox: namespaces, container: (config) => namespaces(minor < 31 ? masked(minor, config) : config) };
};
