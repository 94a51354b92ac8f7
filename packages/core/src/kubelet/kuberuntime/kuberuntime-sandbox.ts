import { formatPod, kObj, type Pod } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import type { LinuxPodSandboxConfig, PodSandboxConfig, PodSandboxStatus, PortMapping } from '../../cri/index.js';
import type { NodeInfo, OSInterface } from '../../host/os.js';
import { type Context, frame, frameSync, type Go } from '../../kernel/index.js';
import type { KubeletConfig } from '../config.js';
import { hasPrivilegedContainer, isHostNetworkPod, makePortMappings } from '../container/helpers.js';
import type { RuntimeHelper } from '../container/types.js';
import { isValidIP } from '../network/ip.js';
import { buildPodLogsDirectory, withoutZeros } from './helpers.js';
import { sandboxResources } from './kuberuntime-container-linux.js';
import { newPodAnnotations, newPodLabels } from './labels.js';
import { int64Value } from './security-context.js';
import type { RuntimeHandlers, RuntimeServiceDeps } from './types.js';
import { namespacesForPod } from './util.js';

/** The parts of the runtime manager that a sandbox is made with. */
export interface PodSandboxDeps
  extends RuntimeServiceDeps,
    Pick<RuntimeHandlers, 'lookupRuntimeHandler' | 'getOrCreateUserNamespaceMappings'> {
  readonly config: KubeletConfig;
  readonly os: OSInterface;
  readonly nodeInfo: NodeInfo;
  readonly runtimeHelper: RuntimeHelper;
  readonly podLogsDirectory: string;
}

/** A sandbox could not be made: `detail` is the result's message, `message` the bare cause. */
export class CreatePodSandboxFailure extends Error {
  constructor(
    readonly detail: string,
    cause: unknown,
  ) {
    super(messageOf(cause), { cause });
  }
}

/**
 * Creates a sandbox: config, log directory, runtime handler, RunPodSandbox (fidelity 2:S-07). Returns its ID, or a
 * CreatePodSandboxFailure.
 * upstream: pkg/kubelet/kuberuntime/kuberuntime_sandbox.go (*kubeGenericRuntimeManager).createPodSandbox
 */
export function* createPodSandbox(m: PodSandboxDeps, ctx: Context, pod: Pod, attempt: number): Go<string> {
  return yield* frame(
    'createPodSandbox',
    { pod: kObj(pod), attempt },
    function* () {
      let config: PodSandboxConfig;
      try {
        config = generatePodSandboxConfig(m, pod, attempt);
      } catch (err) {
        m.log.sandbox.error(err, 'Failed to generate sandbox config for pod', { pod: kObj(pod) });
        throw new CreatePodSandboxFailure(
          `Failed to generate sandbox config for pod "${formatPod(pod)}": ${messageOf(err)}`,
          err,
        );
      }
      try {
        yield* m.os.mkdirAll(config.logDirectory ?? '', 0o755);
      } catch (err) {
        m.log.sandbox.error(err, 'Failed to create log directory for pod', { pod: kObj(pod) });
        throw new CreatePodSandboxFailure(
          `Failed to create log directory for pod "${formatPod(pod)}": ${messageOf(err)}`,
          err,
        );
      }
      try {
        const runtimeHandler = m.lookupRuntimeHandler(pod);
        if (runtimeHandler)
          m.log.sandbox.info(2, 'Running pod with runtime handler', { pod: kObj(pod), runtimeHandler });
        const response = yield* m.runtimeService.runPodSandbox(
          ctx,
          runtimeHandler ? { config, runtimeHandler } : { config },
        );
        return response.podSandboxId ?? '';
      } catch (err) {
        m.log.sandbox.error(err, 'Failed to create sandbox for pod', { pod: kObj(pod) });
        throw new CreatePodSandboxFailure(
          `Failed to create sandbox for pod "${formatPod(pod)}": ${messageOf(err)}`,
          err,
        );
      }
    },
    (id) => id,
  );
}

/**
 * The configuration with which the runtime creates a sandbox (fidelity 2:S-08 to 2:S-13).
 * upstream: pkg/kubelet/kuberuntime/kuberuntime_sandbox.go (*kubeGenericRuntimeManager).generatePodSandboxConfig
 */
export function generatePodSandboxConfig(m: PodSandboxDeps, pod: Pod, attempt: number): PodSandboxConfig {
  return frameSync('generatePodSandboxConfig', { pod: kObj(pod), attempt }, () => {
    const { name, namespace, uid } = pod.metadata;
    const config: PodSandboxConfig = {
      metadata: { name, namespace, uid, ...(attempt === 0 ? {} : { attempt }) },
      labels: newPodLabels(pod),
    };
    const annotations = newPodAnnotations(pod);
    if (annotations && Object.keys(annotations).length > 0) config.annotations = annotations;
    config.dnsConfig = withoutZeros(m.runtimeHelper.getPodDNS(pod));
    if (!isHostNetworkPod(pod)) {
      const { hostname, domain } = m.runtimeHelper.generatePodHostNameAndDomain(pod);
      config.hostname = getNodenameForKernel(hostname, domain, pod.spec.setHostnameAsFQDN ?? false);
    }
    config.logDirectory = buildPodLogsDirectory(m.podLogsDirectory, namespace, name, uid);
    const ports: PortMapping[] = pod.spec.containers.flatMap((c) =>
      makePortMappings(c, (portName) =>
        m.log.helpers.info(0, 'Port name conflicted, it is defined more than once', { portName }),
      ).map(
        (p) =>
          withoutZeros({
            protocol: p.protocol === 'TCP' ? undefined : p.protocol,
            containerPort: p.containerPort,
            hostPort: p.hostPort,
            hostIp: p.hostIP,
          }) as PortMapping,
      ),
    );
    if (ports.length > 0) config.portMappings = ports;
    config.linux = generatePodSandboxLinuxConfig(m, pod);
    return config;
  });
}

/**
 * The whole name if the pod asks for it and it fits the kernel's 64 characters.
 * upstream: pkg/kubelet/util GetNodenameForKernel
 */
function getNodenameForKernel(hostname: string, domain: string, setHostnameAsFQDN: boolean): string {
  if (!domain || !setHostnameAsFQDN) return hostname;
  const fqdn = `${hostname}.${domain}`;
  if (fqdn.length > 64)
    throw new Error(
      `failed to construct FQDN from pod hostname and cluster domain, FQDN ${fqdn} is too long (64 characters is the max, ${fqdn.length} characters requested)`,
    );
  return fqdn;
}

/** upstream: generatePodSandboxLinuxConfig, applySandboxResources */
function generatePodSandboxLinuxConfig(
  m: Pick<PodSandboxDeps, 'config' | 'nodeInfo' | 'runtimeHelper' | 'getOrCreateUserNamespaceMappings'>,
  pod: Pod,
): LinuxPodSandboxConfig {
  const sc = pod.spec.securityContext;
  // seccomp is RuntimeDefault, the zero value, whatever the pod says: the sandbox' own process needs no more.
  const security: NonNullable<LinuxPodSandboxConfig['securityContext']> = { seccomp: {} };
  if (hasPrivilegedContainer(pod)) security.privileged = true;
  const linux: LinuxPodSandboxConfig = { securityContext: security };
  const cgroupParent = m.runtimeHelper.getPodCgroupParent(pod);
  if (cgroupParent) linux.cgroupParent = cgroupParent;
  if (sc) {
    if (sc.sysctls && sc.sysctls.length > 0)
      linux.sysctls = Object.fromEntries(sc.sysctls.map((s) => [sysctlWithDots(s.name), s.value]));
    if (sc.runAsUser !== undefined) security.runAsUser = int64Value(sc.runAsUser);
    if (sc.runAsGroup !== undefined) security.runAsGroup = int64Value(sc.runAsGroup);
    security.namespaceOptions = namespacesForPod(pod, m.getOrCreateUserNamespaceMappings(pod));
    const groups = [
      ...(sc.fsGroup !== undefined ? [sc.fsGroup] : []),
      ...m.runtimeHelper.getExtraSupplementalGroupsForPod(pod),
      ...(sc.supplementalGroups ?? []),
    ];
    if (groups.length > 0) security.supplementalGroups = groups.map(String);
    if (sc.supplementalGroupsPolicy === 'Strict') security.supplementalGroupsPolicy = 'Strict';
    else if (sc.supplementalGroupsPolicy && sc.supplementalGroupsPolicy !== 'Merge')
      throw new Error(`unsupported supplementalGroupsPolicy: ${sc.supplementalGroupsPolicy}`);
    const se = sc.seLinuxOptions;
    if (se)
      security.selinuxOptions = withoutZeros({
        user: se.user ?? '',
        role: se.role ?? '',
        type: se.type ?? '',
        level: se.level ?? '',
      });
  }
  return { ...linux, ...sandboxResources(pod, m.nodeInfo.cgroupVersion, m.config) };
}

/**
 * Returns `net/ipv4/tcp_syncookies` as `net.ipv4.tcp_syncookies`; a name that starts with dots stays.
 * upstream: sysctl.NormalizeName and ConvertPodSysctlsVariableToDotsSeparator
 */
function sysctlWithDots(name: string): string {
  const slash = name.indexOf('/');
  const dot = name.indexOf('.');
  if (slash < 0 || (dot >= 0 && dot < slash)) return name;
  return name.replace(/[./]/g, (c) => (c === '/' ? '.' : '/'));
}

/**
 * Returns the primary IP, then the others; none at all if one of them is not an IP (fidelity 2:S-14).
 * upstream: determinePodSandboxIPs
 */
export function determinePodSandboxIPs(
  m: Pick<PodSandboxDeps, 'log'>,
  pod: string,
  status: PodSandboxStatus,
): string[] {
  if (!status.network) {
    m.log.sandbox.info(0, "Pod Sandbox status doesn't have network information, cannot report IPs", { pod });
    return [];
  }
  const ips: string[] = [];
  if (status.network.ip) {
    if (!isValidIP(status.network.ip)) {
      m.log.sandbox.info(0, 'Pod Sandbox reported an unparseable primary IP', { pod, IP: status.network.ip });
      return [];
    }
    ips.push(status.network.ip);
  }
  for (const { ip } of status.network.additionalIps ?? []) {
    if (!isValidIP(ip ?? '')) {
      m.log.sandbox.info(0, 'Pod Sandbox reported an unparseable additional IP', { pod, IP: ip });
      return [];
    }
    ips.push(ip ?? '');
  }
  return ips;
}
