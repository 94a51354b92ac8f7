import { getPodQOS } from '../api/pod/qos.js';
import { type Container, kObj, type Pod, type VolumeMount } from '../api/types.js';
import { cleanPath } from '../base/index.js';
import type { ImageSpec } from '../cri/index.js';
import type { NodeInfo, OSInterface } from '../host/os.js';
import { type Context, frame, type Go, type Kernel } from '../kernel/index.js';
import type { ObjectManagers } from './client/objects.js';
import { newCgroupName, parseCgroupfs, podCgroupNameSuffix, toCgroupfs, toSystemd } from './cm/cgroup-name.js';
import type { DeviceRunContainerOptions } from './cm/devicemanager/types.js';
import type { KubeletConfig } from './config.js';
import { expand } from './container/expansion.js';
import type { RunContainerOptions, RuntimeHelper } from './container/types.js';
import type { EventRecorder } from './events.js';
import { featureEnabled } from './features.js';
import { Logger } from './klog.js';
import { Configurer } from './network/dns.js';
import { makeEnvironmentVariables } from './pod-env.js';
import { prepareSafeSubpath, safeMakeDir } from './volume/subpath.js';
import type { MountedVolume } from './volumemanager/volume-manager.js';

export interface KubeletRuntimeHelperDeps {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly os: OSInterface;
  readonly nodeInfo: NodeInfo;
  readonly recorder: EventRecorder;
  /** The minor number of the kubelet's version. Default: as the newest. */
  readonly minor?: number;
  /** Called as soon as sandbox and network of a pod are ready (fidelity 2:S-17). */
  readonly onPodSandboxReady: (ctx: Context, pod: Pod) => Go<void>;
  /** Default: does nothing. */
  readonly requestPodReinspect?: (uid: string) => void;
  /** Bytes in use by container. Default: not known. */
  readonly memoryUsage?: (ctx: Context, uid: string) => Go<ReadonlyMap<string, number>>;
  /** Volumes that are mounted, by name. Default: none are. upstream: volumeManager.GetMountedVolumesForPod */
  readonly getMountedVolumesForPod?: (uid: string) => ReadonlyMap<string, MountedVolume>;
  /** ConfigMaps, Secrets and services for the environment. Default: none, as without an API server. */
  readonly objects?: ObjectManagers | null;
  /**
   * Returns the options that allocated devices add to a container. Default: nothing.
   * upstream: containerManager.GetResources
   */
  readonly getResources?: (ctx: Context, pod: Pod, container: Container) => Go<DeviceRunContainerOptions | null>;
  /** Returns true if the pod's runtime handler can mount read-only all the way down. Default: it cannot. */
  readonly supportsRecursiveReadOnly?: (pod: Pod) => boolean;
}

const noResources: DeviceRunContainerOptions = { envs: [], mounts: [], devices: [], annotations: [] };
function* nothing(): Go<null> {
  return null;
}

const etcHostsPath = '/etc/hosts';
const managedHostsHeader = '# Kubernetes-managed hosts file.\n';
const managedHostsHeaderWithHostNetwork = '# Kubernetes-managed hosts file (host network).\n';
const hostnameMaxLen = 63;

/** The kubelet's own additions to a pod's sandbox and containers. upstream: pkg/kubelet/kubelet_pods.go */
export class KubeletRuntimeHelper implements RuntimeHelper {
  private readonly log: Logger;
  private readonly dnsConfigurer: Configurer;
  constructor(readonly deps: KubeletRuntimeHelperDeps) {
    const { kernel, recorder, config, nodeInfo } = deps;
    this.log = new Logger(kernel, 'kubelet_pods.go');
    const { nodeName, clusterDNS, clusterDomain } = config;
    this.dnsConfigurer = new Configurer({
      kernel,
      recorder,
      nodeName,
      clusterDNS,
      clusterDomain,
      resolvConf: nodeInfo.resolvConf,
      legacyLimits: deps.minor !== undefined && deps.minor < 26,
      ...(nodeInfo.resolverConfig !== undefined && { resolverConfig: nodeInfo.resolverConfig }),
      nodeIPs: nodeInfo.addresses,
    });
  }

  /**
   * Throws why a container's environment or mounts cannot be made.
   * upstream: pkg/kubelet/kubelet_pods.go (*Kubelet).GenerateRunContainerOptions
   */
  *generateRunContainerOptions(
    ctx: Context,
    pod: Pod,
    container: Container,
    podIP: string,
    podIPs: readonly string[],
    imageVolumes: ReadonlyMap<string, ImageSpec> | null,
  ): Go<RunContainerOptions> {
    return yield* frame('GenerateRunContainerOptions', { pod: kObj(pod), container: container.name }, () =>
      this.generate(ctx, pod, container, podIP, podIPs, imageVolumes),
    );
  }

  private *generate(
    ctx: Context,
    pod: Pod,
    container: Container,
    podIP: string,
    podIPs: readonly string[],
    imageVolumes: ReadonlyMap<string, ImageSpec> | null,
  ): Go<RunContainerOptions> {
    const { os, nodeInfo, config } = this.deps;
    // Devices come first: what the pod itself says of the same variable counts.
    const given = (yield* this.deps.getResources?.(ctx, pod, container) ?? nothing()) ?? noResources;
    const { hostname, domain } = this.generatePodHostNameAndDomain(pod);
    const volumes = this.deps.getMountedVolumesForPod?.(pod.metadata.uid) ?? new Map<string, MountedVolume>();
    this.makeBlockVolumes(container);
    const envs = yield* makeEnvironmentVariables({
      pod,
      container,
      podIP,
      podIPs,
      objects: this.deps.objects ?? null,
      nodeInfo,
      files: featureEnabled(config, 'EnvFiles') ? { os, volumes } : null,
    });
    const mounts = yield* this.makeMounts(pod, container, hostname, domain, podIPs, volumes, envs, imageVolumes);
    let podContainerDir = '';
    if (container.terminationMessagePath) {
      const dir = this.getPodContainerDir(pod.metadata.uid, container.name);
      try {
        yield* os.mkdirAll(dir, 0o750);
        podContainerDir = dir;
      } catch (err) {
        this.log.error(err, 'Error on creating dir', { path: dir });
      }
    }
    return {
      ...given,
      envs: [...given.envs, ...envs],
      mounts: [...given.mounts, ...mounts],
      portMappings: [],
      podContainerDir,
      hostname,
    };
  }

  /** Refuses block volumes: none of the volumes here is a device. upstream: (*Kubelet).makeBlockVolumes */
  private makeBlockVolumes(container: Container): void {
    for (const { name, devicePath } of container.volumeDevices ?? []) {
      if (!devicePath.startsWith('/')) throw new Error(`error DevicePath \`${devicePath}\` must be an absolute path`);
      this.log.error(
        null,
        'Block volume cannot be satisfied for container, because the volume is missing or the volume mapper is nil',
        { containerName: container.name, device: { name, devicePath } },
      );
      throw new Error(`cannot find volume "${name}" to pass into container "${container.name}"`);
    }
  }

  /** Makes the volume mounts in order, then /etc/hosts (fidelity 2:G-08). upstream: kubelet_pods.go makeMounts */
  private *makeMounts(
    pod: Pod,
    container: Container,
    hostname: string,
    domain: string,
    podIPs: readonly string[],
    volumes: ReadonlyMap<string, MountedVolume>,
    envs: RunContainerOptions['envs'],
    imageVolumes: ReadonlyMap<string, ImageSpec> | null,
  ): Go<RunContainerOptions['mounts']> {
    let mountEtcHostsFile = podIPs.length > 0 || (pod.spec.hostNetwork ?? false);
    this.log.info(3, 'Creating hosts mount for container', {
      pod: kObj(pod),
      containerName: container.name,
      podIPs,
      path: mountEtcHostsFile,
    });
    const mounts: RunContainerOptions['mounts'] = [];
    const values = new Map(envs.map((e) => [e.name, e.value]));
    for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
      if (mount.mountPath === etcHostsPath) mountEtcHostsFile = false;
      const image = imageVolumes?.get(mount.name);
      const volume = volumes.get(mount.name);
      if (!volume && !image) {
        this.log.error(
          null,
          'Mount cannot be satisfied for the container, because the volume is missing or the volume mounter (vol.Mounter) is nil',
          {
            containerName: container.name,
            ok: false,
            volumeMounter: mount.name,
          },
        );
        throw new Error(`cannot find volume "${mount.name}" to mount into container "${container.name}"`);
      }
      const subPath = subPathOf(mount, values);
      let hostPath = volume?.hostPath ?? '';
      if (subPath && !image) hostPath = yield* this.subPathOnHost(pod, container, mount, index, hostPath, subPath);
      mounts.push({
        name: mount.name,
        containerPath: mount.mountPath.startsWith('/') ? mount.mountPath : cleanPath(mount.mountPath),
        hostPath: image ? '' : hostPath,
        readOnly: (mount.readOnly ?? false) || (volume?.readOnly ?? image !== undefined),
        selinuxRelabel: volume?.seLinuxRelabel ?? false,
        propagation: propagationOf(mount),
        recursiveReadOnly: resolveRecursiveReadOnly(mount, this.deps.supportsRecursiveReadOnly?.(pod) ?? false),
        ...(image ? { image, ...(subPath ? { imageSubPath: subPath } : {}) } : {}),
      });
    }
    if (mountEtcHostsFile) mounts.push(yield* this.makeHostsMount(pod, podIPs, hostname, domain));
    return mounts;
  }

  /**
   * The path on the host from which a part of a volume is mounted. Its errors go to the node's log, not to the pod's
   * owner, because they could reveal files of the host.
   * upstream: within makeMounts
   */
  private *subPathOnHost(
    pod: Pod,
    container: Container,
    mount: VolumeMount,
    index: number,
    volumePath: string,
    subPath: string,
  ): Go<string> {
    const { os } = this.deps;
    const path = `${volumePath}/${subPath}`;
    const kv = { containerName: container.name, volumeMountName: mount.name };
    const of = `volumeMount "${mount.name}" of container "${container.name}"`;
    if ((yield* os.stat(path)) === null) {
      try {
        yield* safeMakeDir(os, subPath, volumePath, (yield* os.stat(volumePath))?.mode ?? 0o777);
      } catch (err) {
        this.log.error(null, 'Failed to create subPath directory for volumeMount of the container', kv);
        throw new Error(`failed to create subPath directory for ${of}`, { cause: err });
      }
    }
    try {
      return yield* prepareSafeSubpath(os, {
        volumeMountIndex: index,
        path,
        volumeName: mount.name,
        volumePath,
        podDir: this.getPodDir(pod.metadata.uid),
        containerName: container.name,
      });
    } catch (err) {
      this.log.error(null, 'Failed to prepare subPath for volumeMount of the container', kv);
      throw new Error(`failed to prepare subPath for ${of}`, { cause: err });
    }
  }

  /** Writes the pod's hosts file again. upstream: makeHostsMount, ensureHostsFile */
  private *makeHostsMount(
    pod: Pod,
    podIPs: readonly string[],
    hostname: string,
    domain: string,
  ): Go<RunContainerOptions['mounts'][number]> {
    const { os } = this.deps;
    const hostPath = `${this.getPodDir(pod.metadata.uid)}/etc-hosts`;
    const aliases = pod.spec.hostAliases ?? [];
    const content = pod.spec.hostNetwork
      ? `${managedHostsHeaderWithHostNetwork}${yield* os.readFile(etcHostsPath)}${hostsEntriesFromHostAliases(aliases)}`
      : managedHostsFileContent(podIPs, hostname, domain, aliases);
    yield* os.writeFile(hostPath, content, 0o644);
    // The umask has its say in what is created.
    if (os.chmod) yield* os.chmod(hostPath, 0o644);
    return {
      name: 'k8s-managed-etc-hosts',
      containerPath: etcHostsPath,
      hostPath,
      readOnly: false,
      selinuxRelabel: true,
      propagation: 'PROPAGATION_PRIVATE',
    };
  }

  getPodDNS(pod: Pod): { servers: string[]; searches: string[]; options: string[] } {
    return this.dnsConfigurer.getPodDNS(pod);
  }

  /** Called once, when the loop begins. upstream: Configurer.CheckLimitsForResolvConf */
  checkLimitsForResolvConf(): void {
    this.dnsConfigurer.checkLimitsForResolvConf();
  }

  /**
   * Returns the cgroup of a pod; '' without cgroups per QoS class.
   * upstream: (*podContainerManagerImpl).GetPodContainerName
   */
  getPodCgroupParent(pod: Pod): string {
    const { cgroupsPerQOS, cgroupDriver, cgroupRoot } = this.deps.config;
    if (!cgroupsPerQOS) return '';
    const qos = getPodQOS(pod);
    const tier = ['kubepods', ...(qos === 'Guaranteed' ? [] : [qos.toLowerCase()])];
    const name = newCgroupName(parseCgroupfs(cgroupRoot), ...tier, podCgroupNameSuffix(pod.metadata.uid));
    return cgroupDriver === 'systemd' ? toSystemd(name) : toCgroupfs(name);
  }

  /** Returns `<root>/pods`. */
  getPodsDir(): string {
    return `${this.deps.config.rootDirectory}/pods`;
  }
  /** Returns `<root>/pods/<uid>`. */
  getPodDir(uid: string): string {
    return `${this.getPodsDir()}/${uid}`;
  }
  /** upstream: (*Kubelet).getPodContainerDir */
  getPodContainerDir(uid: string, container: string): string {
    return `${this.getPodDir(uid)}/containers/${container}`;
  }

  /** upstream: (*Kubelet).GeneratePodHostNameAndDomain */
  generatePodHostNameAndDomain(pod: Pod): { hostname: string; domain: string } {
    const { hostname: given, subdomain, hostnameOverride } = pod.spec;
    if (hostnameOverride !== undefined && featureEnabled(this.deps.config, 'HostnameOverride')) {
      const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
      if (!new RegExp(`^${label}(\\.${label})*$`).test(hostnameOverride) || hostnameOverride.length > 253)
        throw new Error(
          `pod HostnameOverride "${hostnameOverride}" is not a valid DNS subdomain: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${label}(\\.${label})*')`,
        );
      return { hostname: this.truncatePodHostnameIfNeeded(pod.metadata.name, hostnameOverride), domain: '' };
    }
    const check = (what: string, label: string) => {
      if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(label) || label.length > hostnameMaxLen)
        throw new Error(
          `pod ${what} "${label}" is not a valid DNS label: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
        );
    };
    if (given) check('Hostname', given);
    const hostname = this.truncatePodHostnameIfNeeded(pod.metadata.name, given || pod.metadata.name);
    if (!subdomain) return { hostname, domain: '' };
    check('Subdomain', subdomain);
    return { hostname, domain: `${subdomain}.${pod.metadata.namespace}.svc.${this.deps.config.clusterDomain}` };
  }

  /** upstream: truncatePodHostnameIfNeeded */
  private truncatePodHostnameIfNeeded(podName: string, hostname: string): string {
    if (hostname.length <= hostnameMaxLen) return hostname;
    const truncatedHostname = hostname.slice(0, hostnameMaxLen);
    this.log.error(null, 'Hostname for pod was too long, truncated it', { podName, hostnameMaxLen, truncatedHostname });
    const trimmed = truncatedHostname.replace(/[-.]+$/, '');
    if (trimmed === '') throw new Error(`hostname for pod "${podName}" was invalid: "${hostname}"`);
    return trimmed;
  }

  getExtraSupplementalGroupsForPod(_pod: Pod): number[] {
    return [];
  }

  onPodSandboxReady(ctx: Context, pod: Pod): Go<void> {
    return this.deps.onPodSandboxReady(ctx, pod);
  }
  requestPodReinspect(uid: string): void {
    this.deps.requestPodReinspect?.(uid);
  }
  *memoryUsage(ctx: Context, uid: string): Go<ReadonlyMap<string, number>> {
    return this.deps.memoryUsage ? yield* this.deps.memoryUsage(ctx, uid) : new Map();
  }
}

function subPathOf(mount: VolumeMount, values: ReadonlyMap<string, string>): string {
  let subPath = mount.subPath ?? '';
  if (mount.subPathExpr) {
    const missing = new Set<string>();
    subPath = expand(mount.subPathExpr, (name) => {
      const value = values.get(name);
      if (!value) missing.add(name);
      return value ?? '';
    });
    if (missing.size > 0) throw new Error(`missing value for ${[...missing].sort().join(', ')}`);
  }
  if (subPath.startsWith('/')) throw new Error(`error SubPath \`${subPath}\` must not be an absolute path`);
  if (subPath.split('/').includes('..'))
    throw new Error(`unable to provision SubPath \`${subPath}\`: must not contain '..'`);
  return subPath;
}

/**
 * Decides about a recursive read-only mount; throws if it is requested but not supported.
 * upstream: resolveRecursiveReadOnly
 */
function resolveRecursiveReadOnly(mount: VolumeMount, supported: boolean): boolean {
  const { name, recursiveReadOnly: mode, mountPropagation } = mount;
  if (mode === undefined || mode === 'Disabled') return false;
  const fail = (why: string) => new Error(`failed to resolve recursive read-only mode: ${why}`);
  const wants = `volume "${name}" requested recursive read-only mode, but it is not`;
  if (!mount.readOnly) throw fail(`${wants} read-only`);
  if (mountPropagation !== undefined && mountPropagation !== 'None')
    throw fail(`${wants} compatible with propagation "${mountPropagation}"`);
  if (mode === 'IfPossible') return supported;
  if (mode !== 'Enabled') throw fail(`unknown recursive read-only mode "${mode}"`);
  if (!supported) throw fail(`${wants} supported by the runtime`);
  return true;
}

/** upstream: translateMountPropagation */
function propagationOf(mount: VolumeMount): RunContainerOptions['mounts'][number]['propagation'] {
  switch (mount.mountPropagation) {
    case undefined:
    case 'None':
      return 'PROPAGATION_PRIVATE';
    case 'HostToContainer':
      return 'PROPAGATION_HOST_TO_CONTAINER';
    case 'Bidirectional':
      return 'PROPAGATION_BIDIRECTIONAL';
    default:
      throw new Error(`invalid MountPropagation mode: "${mount.mountPropagation}"`);
  }
}

/** upstream: managedHostsFileContent */
export function managedHostsFileContent(
  podIPs: readonly string[],
  hostname: string,
  domain: string,
  aliases: readonly { ip: string; hostnames?: string[] }[],
): string {
  const names = domain ? `${hostname}.${domain}\t${hostname}` : hostname;
  return [
    managedHostsHeader,
    '127.0.0.1\tlocalhost\n',
    '::1\tlocalhost ip6-localhost ip6-loopback\n',
    'fe00::0\tip6-localnet\n',
    'fe00::0\tip6-mcastprefix\n',
    'fe00::1\tip6-allnodes\n',
    'fe00::2\tip6-allrouters\n',
    ...podIPs.map((ip) => `${ip}\t${names}\n`),
    hostsEntriesFromHostAliases(aliases),
  ].join('');
}

function hostsEntriesFromHostAliases(aliases: readonly { ip: string; hostnames?: string[] }[]): string {
  if (aliases.length === 0) return '';
  return `\n# Entries added by HostAliases.\n${aliases.map((a) => `${a.ip}\t${(a.hostnames ?? []).join('\t')}\n`).join('')}`;
}
