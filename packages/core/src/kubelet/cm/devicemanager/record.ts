import { type Pod, podRef } from '../../../api/types.js';
import type { PluginDevice } from '../../../host/device-plugins.js';
import type { Kernel } from '../../../kernel/index.js';

/** The devices of one resource, as the page draws them. */
export interface DevicesState {
  readonly endpoint: 'connected' | 'stopped' | 'removed';
  readonly all: ReadonlyMap<string, PluginDevice> | undefined;
  readonly healthy: ReadonlySet<string> | undefined;
  readonly allocated: ReadonlySet<string> | undefined;
  /** Returns the UID of the pod that has a device; null if there is none. */
  readonly podOf: (id: string) => string | null;
}

/** Puts the devices of a resource on the record, sorted by id. */
export function recordDevices(kernel: Kernel, resource: string, state: DevicesState): void {
  const { endpoint, all, healthy, allocated, podOf } = state;
  kernel.emit({
    kind: 'devices',
    resource,
    endpoint,
    devices: [...new Set([...(all?.keys() ?? []), ...(allocated ?? [])])].sort().map((id) => {
      const uid = podOf(id);
      return {
        id,
        healthy: healthy?.has(id) ?? false,
        allocated: allocated?.has(id) ?? false,
        ...(uid !== null && { uid }),
      };
    }),
  });
}

/** Puts on the record what devicesToAllocate decided for a container, and by which values. */
export function recordVerdict(
  kernel: Kernel,
  pod: Pod,
  of: { readonly resourceName: string; readonly containerName: string },
  verdict: string,
  values: { readonly [key: string]: number | readonly string[] },
): void {
  const { resourceName: resource, containerName: container } = of;
  kernel.emit({
    kind: 'decision',
    rule: 'devicesToAllocate',
    verdict,
    values: { resource, container, ...values },
    ...podRef(pod),
  });
}
