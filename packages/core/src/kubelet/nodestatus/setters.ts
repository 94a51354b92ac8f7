import type { Image, RuntimeHandler } from '../../cri/index.js';
import type { NodeInfo } from '../../host/os.js';
import type { Go } from '../../kernel/index.js';
import type { Logger } from '../klog.js';
import { systemInfo } from './machine-info.js';
import { isIPv4, isUnspecified, parseIP, validateNodeIP } from './node-ip.js';
import type { Setter } from './types.js';

/** upstream: nodestatus.MaxNamesPerImageInNodeStatus */
const maxNamesPerImage = 5;

/** The dependencies of {@link nodeAddress}. */
export interface NodeAddressOptions {
  /** The addresses as configured: none, one, or one of each family. 0.0.0.0 and :: only choose the family. */
  readonly nodeIPs: readonly string[];
  readonly hostname: string;
  readonly host: NodeInfo;
  readonly log: Logger;
}

/** Sets the addresses by which the node is known. upstream: nodestatus.NodeAddress (fidelity 3:NODE-02) */
export function nodeAddress({ nodeIPs, hostname, host, log }: NodeAddressOptions): Setter {
  const [first, second] = nodeIPs;
  const preferIPv4 = first === undefined || isIPv4(first);
  const given = (ip: string | undefined): ip is string => ip !== undefined && !isUnspecified(ip);
  const own = host.interfaceAddresses ?? host.addresses;
  const must = (ip: string, what: string) => {
    try {
      validateNodeIP(ip, own);
    } catch (err) {
      throw new Error(`failed to validate ${what}: ${(err as Error).message}`);
    }
  };
  /** Finds the address from the hostname, the node's name in DNS, or the interface of the default route. */
  function* find(name: string): Go<string> {
    if (given(first)) return first;
    if (parseIP(hostname)) return hostname;
    let found: string | undefined;
    let error: unknown = null;
    for (const ip of host.lookupIP ? yield* host.lookupIP(name) : []) {
      try {
        validateNodeIP(ip, own);
      } catch (err) {
        error = err;
        continue;
      }
      if (isIPv4(ip) === preferIPv4) return ip;
      found ??= ip;
    }
    found ??= host.addresses.find((ip) => isIPv4(ip) === preferIPv4) ?? host.addresses[0];
    if (found === undefined) {
      const why = error
        ? (error as Error).message
        : 'no default routes found in "/proc/net/route" or "/proc/net/ipv6_route"';
      throw new Error(`can't get ip address of node ${name}. error: ${why}`);
    }
    return found;
  }
  return function* (node) {
    if (given(first)) {
      must(first, 'nodeIP');
      log.info(4, 'Using node IP', { IP: first });
    }
    if (given(second)) {
      must(second, 'secondaryNodeIP');
      log.info(4, 'Using secondary node IP', { IP: second });
    }
    // The annotation of a cloud provider that the node had before.
    if (node.metadata.annotations) delete node.metadata.annotations['alpha.kubernetes.io/provided-node-ip'];
    const ips = given(first) && given(second) ? [first, second] : [yield* find(node.metadata.name)];
    node.status.addresses = [
      ...ips.map((address) => ({ type: 'InternalIP', address })),
      { type: 'Hostname', address: hostname },
    ];
  };
}

/** The dependencies of {@link versionInfo}. */
export interface VersionInfoOptions {
  readonly host: NodeInfo;
  readonly kubeletVersion: string;
  readonly runtimeType: () => string;
  readonly runtimeVersion: () => Go<string>;
}

/** upstream: nodestatus.VersionInfo (fidelity 3:NODE-07) */
export function versionInfo({ host, kubeletVersion, runtimeType, runtimeVersion }: VersionInfoOptions): Setter {
  return function* (node) {
    const system = systemInfo(node);
    system.kernelVersion = host.kernelVersion ?? '';
    system.osImage = host.osImage ?? '';
    let version = 'Unknown';
    try {
      version = yield* runtimeVersion();
    } catch {
      // The version stays unknown.
    }
    system.containerRuntimeVersion = `${runtimeType()}://${version}`;
    system.kubeletVersion = kubeletVersion;
    system.kubeProxyVersion = '';
  };
}

/** upstream: nodestatus.DaemonEndpoints */
export function daemonEndpoints(port: number): Setter {
  return function* (node) {
    node.status.daemonEndpoints = { kubeletEndpoint: { Port: port } };
  };
}

/** Sets the images. `list`: largest first. `max` -1: all. upstream: nodestatus.Images (fidelity 3:NODE-08) */
export function images(max: number, list: () => readonly Image[]): Setter {
  return function* (node) {
    const all = list();
    const shown = max > -1 ? all.slice(0, max) : all;
    if (shown.length === 0) {
      delete node.status.images;
      return;
    }
    node.status.images = shown.map((image) => ({
      names: [...(image.repoDigests ?? []), ...(image.repoTags ?? [])].slice(0, maxNamesPerImage),
      sizeBytes: Number(image.size ?? 0),
    }));
  };
}

/** upstream: nodestatus.GoRuntime */
export function goRuntime(host: NodeInfo): Setter {
  return function* (node) {
    const system = systemInfo(node);
    system.operatingSystem = 'linux';
    system.architecture = host.architecture ?? 'amd64';
  };
}

/** upstream: nodestatus.RuntimeHandlers */
export function runtimeHandlers(handlers: () => readonly RuntimeHandler[]): Setter {
  return function* (node) {
    const all = handlers();
    if (all.length === 0) {
      delete node.status.runtimeHandlers;
      return;
    }
    node.status.runtimeHandlers = all.map(({ name = '', features }) => ({
      name,
      features: {
        recursiveReadOnlyMounts: features?.recursiveReadOnlyMounts ?? false,
        userNamespaces: features?.userNamespaces ?? false,
      },
    }));
  };
}

/** Sets the node's features. `features` null: the runtime did not report any. upstream: nodestatus.NodeFeatures */
export function nodeFeatures(features: () => { readonly supplementalGroupsPolicy?: boolean } | null): Setter {
  return function* (node) {
    const known = features();
    if (known) node.status.features = { supplementalGroupsPolicy: known.supplementalGroupsPolicy ?? false };
  };
}

/** upstream: nodestatus.VolumesInUse (fidelity 3:NODE-14) */
export function volumesInUse(synced: () => boolean, list: () => readonly string[]): Setter {
  return function* (node) {
    if (!synced()) return;
    const names = [...new Set(list())].sort();
    if (names.length > 0) node.status.volumesInUse = names;
    else delete node.status.volumesInUse;
  };
}
