import { no, type PodAdmitHandler } from './types.js';

/** upstream: pkg/kubelet/sysctl/allowlist.go ForbiddenReason */
const ForbiddenReason = 'SysctlForbidden';

/**
 * The sysctls that a recent kernel isolates per namespace.
 * upstream: pkg/kubelet/sysctl/safe_sysctls.go safeSysctls
 */
export const safeSysctls: readonly string[] = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
];

/** A sysctl's name with dots between its parts. upstream: component-helpers node/util/sysctl NormalizeName */
export function normalizeSysctl(name: string): string {
  const slash = name.indexOf('/');
  const dot = name.indexOf('.');
  if (slash < 0 || (dot >= 0 && dot < slash)) return name;
  return name.replace(/[./]/g, (c) => (c === '/' ? '.' : '/'));
}

/** Namespaces as the kernel has them. upstream: component-helpers node/util/sysctl namespaceOf */
const namespaceOf = (name: string): 'IPC' | 'Net' | null => {
  if (name === 'kernel.sem' || /^(kernel\.(shm|msg)|fs\.mqueue\.)/.test(name)) return 'IPC';
  return name.startsWith('net.') ? 'Net' : null;
};

/**
 * Lets only such sysctls pass as are safe, or were allowed (`*` at the end of a name for all that begin so).
 * upstream: sysctl.NewAllowlist
 */
export function newSysctlAdmitHandler(allowedUnsafeSysctls: readonly string[] = []): PodAdmitHandler {
  const allowed = [...safeSysctls, ...allowedUnsafeSysctls.map(normalizeSysctl)];
  const validate = (given: string, hostNet: boolean, hostIPC: boolean): string | null => {
    const name = normalizeSysctl(given);
    const pattern = allowed.find((p) => (p.endsWith('*') ? name.startsWith(p.slice(0, -1)) : p === name));
    if (pattern === undefined) return `${JSON.stringify(name)} not allowlisted`;
    const namespace = namespaceOf(pattern);
    const shared = (namespace === 'IPC' && hostIPC) || (namespace === 'Net' && hostNet);
    return shared ? `${JSON.stringify(name)} not allowed with host ${namespace} enabled` : null;
  };
  return {
    name: 'sysctl',
    *admit({ pod }) {
      const { securityContext, hostNetwork = false, hostIPC = false } = pod.spec;
      for (const { name } of securityContext?.sysctls ?? []) {
        const error = validate(name, hostNetwork, hostIPC);
        if (error) return no(ForbiddenReason, `forbidden sysctl: ${error}`);
      }
      return { admit: true };
    },
  };
}
