/** All sockets of a kubelet for plug-ins, and for clients that ask for the devices of pods. */
import { join } from 'node:path';
import type { PodResourcesLister } from '@syncloop/core/kubelet';
import { SetupError } from '../base/errors.js';
import { maxSocketPath } from '../cri/endpoint.js';
import { type NodePluginHost, nodePluginHost } from './host.js';
import { type PodResourcesOptions, servePodResources } from './pod-resources.js';

export interface PluginSockets {
  readonly host: NodePluginHost;
  /** Rejects with a SetupError if it cannot listen, as upstream's kubelet ends there. */
  servePodResources(answers: PodResourcesLister, run: PodResourcesOptions['run']): Promise<void>;
  /** Hangs up on everybody, and removes the sockets. */
  close(): Promise<void>;
}

/**
 * Returns the sockets below a kubelet's root directory. Null, with a warning, if its path is so long that no socket
 * below it can have an address.
 */
export function pluginSockets(rootDirectory: string, warn: (text: string) => void = () => {}): PluginSockets | null {
  const longest = join(rootDirectory, 'device-plugins', 'kubelet.sock');
  if (Buffer.byteLength(longest) > maxSocketPath) {
    warn(
      `no device plug-ins and no pod resources API: the path of ${longest} is longer than the ${maxSocketPath} bytes ` +
        'that a unix socket can have; choose a shorter --root-dir',
    );
    return null;
  }
  const host = nodePluginHost();
  let podResources: { close(): Promise<void> } | null = null;
  return {
    host,
    async servePodResources(answers, run) {
      const path = join(rootDirectory, 'pod-resources', 'kubelet.sock');
      try {
        podResources = await servePodResources(path, answers, { run });
      } catch (err) {
        throw new SetupError(`cannot serve the pod resources API: ${(err as Error).message}`, { cause: err });
      }
    },
    async close() {
      await Promise.all([host.close(), podResources?.close()]);
    },
  };
}
