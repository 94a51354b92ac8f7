import type { CRIServices, ImageService, RuntimeService } from '../../cri/index.js';
import type { Context, Go, Kernel } from '../../kernel/index.js';
import type { KubeletConfig } from '../config.js';
import { newInstrumentedServices } from '../cri-instrumented.js';
import { newPacedServices } from '../cri-paced.js';
import { newStreamingListServices } from '../cri-streaming.js';
import { featureEnabled } from '../features.js';
import { kubernetesPodUIDLabel } from '../kuberuntime/labels.js';

/**
 * The runtime and image service as the kubelet calls them: traced and counted, with no more calls at once than
 * configured, and with lists as streams if the gate says so.
 * upstream: cri-client NewRemoteRuntimeService, NewRemoteImageService
 */
export function newRemoteServices(
  kernel: Kernel,
  config: Pick<KubeletConfig, 'featureGates' | 'runtimeConcurrency' | 'runtimeRequestTimeout'>,
  runtimeService: RuntimeService,
  imageService: ImageService,
): CRIServices {
  const traced = newInstrumentedServices(kernel, bothServices(runtimeService, imageService));
  const services = config.runtimeConcurrency ? newPacedServices(kernel, traced, config.runtimeConcurrency) : traced;
  return featureEnabled(config, 'CRIListStreaming')
    ? newStreamingListServices(kernel, services, config.runtimeRequestTimeout)
    : services;
}

/**
 * Bytes of memory that a pod's containers use, by name.
 * upstream: (*Kubelet).PodCPUAndMemoryStats, which asks cAdvisor
 */
export function* memoryUsage(
  services: Pick<RuntimeService, 'listContainerStats'>,
  ctx: Context,
  uid: string,
): Go<Map<string, number>> {
  const { stats = [] } = yield* services.listContainerStats(ctx, {
    filter: { labelSelector: { [kubernetesPodUIDLabel]: uid } },
  });
  return new Map(
    stats.map((s) => [s.attributes?.metadata?.name ?? '', Number(s.memory?.usageBytes?.value ?? 0)] as const),
  );
}

const imageMethods: ReadonlySet<string> = new Set([
  'listImages',
  'streamImages',
  'imageStatus',
  'pullImage',
  'removeImage',
  'imageFsInfo',
]);

/** Two services as one object. Each method is called on the service that it belongs to. */
function bothServices(runtimeService: RuntimeService, imageService: ImageService): CRIServices {
  return new Proxy({} as CRIServices, {
    get: (_, key) => {
      const service = imageMethods.has(String(key)) ? imageService : runtimeService;
      const method = (service as unknown as Record<PropertyKey, unknown>)[key];
      return typeof method === 'function' ? method.bind(service) : method;
    },
  });
}
