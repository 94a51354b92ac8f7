import type {
  ContainerConfig,
  LinuxContainerSecurityContext,
  NamespaceOption,
  PodSandboxConfig,
} from '../../../cri/index.js';
import type { CRIDialect } from '../cri.js';

/** upstream: v1.21 pkg/securitycontext/util.go defaultMaskedPaths, defaultReadonlyPaths */
const defaultMaskedPaths = [
  '/proc/acpi',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
];
const defaultReadonlyPaths = ['/proc/asound', '/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

/** User namespaces come with v1.25, and are on by default since v1.33. */
export const withoutUserNamespace = ({ usernsOptions: _, ...rest }: NamespaceOption): NamespaceOption => rest;

/**
 * Resources of the sandbox come with v1.22; the profile's path goes away with v1.26. upstream: v1.21
 * pkg/kubelet/kuberuntime/kuberuntime_sandbox.go (*kubeGenericRuntimeManager).generatePodSandboxLinuxConfig
 */
export function sandbox({ linux, ...config }: PodSandboxConfig): PodSandboxConfig {
  if (!linux) return config;
  const { resources: _, overhead: __, securityContext, ...rest } = linux;
  if (!securityContext) return { ...config, linux: rest };
  const { namespaceOptions } = securityContext;
  return {
    ...config,
    linux: {
      ...rest,
      securityContext: {
        ...securityContext,
        seccompProfilePath: 'runtime/default',
        ...(namespaceOptions && { namespaceOptions: withoutUserNamespace(namespaceOptions) }),
      },
    },
  };
}

/**
 * The image goes by its id alone until v1.29; CDI devices come with v1.27.
 * upstream: v1.21 pkg/kubelet/kuberuntime/kuberuntime_container.go (*kubeGenericRuntimeManager).generateContainerConfig
 */
function container({ image, linux, CDIDevices: _, stopSignal: __, ...config }: ContainerConfig): ContainerConfig {
  return {
    ...config,
    ...(image && { image: { image: image.image ?? '' } }),
    ...(linux && {
      linux: { ...linux, ...(linux.securityContext && { securityContext: confined(linux.securityContext) }) },
    }),
  };
}

function confined({ namespaceOptions, ...context }: LinuxContainerSecurityContext): LinuxContainerSecurityContext {
  const { maskedPaths = [], readonlyPaths = [] } = context;
  return {
    ...context,
    // None if the pod wants to see all of /proc.
    ...(maskedPaths.length > 0 && { maskedPaths: defaultMaskedPaths }),
    ...(readonlyPaths.length > 0 && { readonlyPaths: defaultReadonlyPaths }),
    ...(namespaceOptions && { namespaceOptions: withoutUserNamespace(namespaceOptions) }),
  };
}

/** The requests of v1.21, which it makes by runtime.v1alpha2: the fields are those of v1. */
export const dialect: CRIDialect = { sandbox, container };
