import { formatPod, kObj, type Pod } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import type { Kernel } from '../../kernel/index.js';
import { isHostNetworkPod } from '../container/helpers.js';
import { EventReason, type EventRecorder } from '../events.js';
import { Logger } from '../klog.js';

/** upstream: dns.go defaultDNSOptions */
const defaultDNSOptions = ['ndots:5'];
/** upstream: pkg/apis/core/validation MaxDNSNameservers */
const maxDNSNameservers = 3;
/** Limits of a search line. upstream: MaxDNSSearchPaths, MaxDNSSearchListChars */
const expanded = { paths: 32, chars: 2048 };
/** The limits up to v1.25, whose gate ExpandedDNSConfig is off. upstream: MaxDNSSearchPathsLegacy */
const legacy = { paths: 6, chars: 256 };
/** upstream: DNS1123SubdomainMaxLength */
const maxDomainLength = 253;

export interface DNSConfig {
  servers: string[];
  searches: string[];
  options: string[];
}

export interface ConfigurerDeps {
  readonly kernel: Kernel;
  readonly recorder: EventRecorder;
  readonly nodeName: string;
  /** Text of the node's resolv.conf. */
  readonly resolvConf: string;
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  /** The path of that resolv.conf, for messages. Default: /etc/resolv.conf. */
  readonly resolverConfig?: string;
  /** True for a version with the narrow limits of a search line, up to v1.25. */
  readonly legacyLimits?: boolean;
  /** Addresses of the node. Default: none are known. */
  readonly nodeIPs?: readonly string[];
}

/** Makes the contents of a pod's resolv.conf. upstream: pkg/kubelet/network/dns Configurer */
export class Configurer {
  private readonly log: Logger;
  private readonly limits: typeof expanded;
  constructor(private readonly deps: ConfigurerDeps) {
    this.limits = deps.legacyLimits ? legacy : expanded;
    this.log = new Logger(deps.kernel, 'dns.go');
  }

  /** upstream: (*Configurer).GetPodDNS */
  getPodDNS(pod: Pod): DNSConfig {
    const { clusterDNS, clusterDomain, recorder, nodeName } = this.deps;
    let config = parseResolvConf(this.deps.resolvConf);
    const type = this.getPodDNSType(pod);
    const cluster = type === 'cluster' && clusterDNS.length > 0;
    // No file is configured: lookups shall fail rather than use the runtime's default.
    if (type !== 'none' && !cluster && this.deps.resolverConfig === '') config = this.localhost();
    if (type === 'none') config = { servers: [], searches: [], options: [] };
    else if (cluster) {
      const own = clusterDomain
        ? [`${pod.metadata.namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain]
        : [];
      config = {
        servers: [...clusterDNS],
        searches: clusterDomain ? omitDuplicates([...own, ...config.searches]) : config.searches,
        options: [...defaultDNSOptions],
      };
    } else if (type === 'cluster') {
      const text =
        'kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.';
      recorder.event(
        { metadata: { name: nodeName, namespace: '', uid: nodeName } },
        'Warning',
        EventReason.MissingClusterDNS,
        text,
        '',
        'Node',
      );
      recorder.event(pod, 'Warning', EventReason.MissingClusterDNS, `pod: "${formatPod(pod)}". ${text}`);
    }
    const own = pod.spec.dnsConfig;
    if (own)
      config = {
        servers: omitDuplicates([...config.servers, ...(own.nameservers ?? [])]),
        searches: omitDuplicates([...config.searches, ...(own.searches ?? [])]),
        options: mergeDNSOptions(config.options, own.options ?? []),
      };
    return this.fitLimits(config, pod);
  }

  /** An address at which no resolver answers. upstream: within (*Configurer).GetPodDNS */
  private localhost(): DNSConfig {
    const servers = (this.deps.nodeIPs ?? []).map((ip) => (ip.includes(':') ? '::1' : '127.0.0.1'));
    return { servers: servers.length > 0 ? servers : ['127.0.0.1'], searches: ['.'], options: [] };
  }

  /**
   * Says on the node, once, what of its own resolv.conf no pod can have.
   * upstream: (*Configurer).CheckLimitsForResolvConf
   */
  checkLimitsForResolvConf(): void {
    const { recorder, nodeName, clusterDomain, resolverConfig = '/etc/resolv.conf' } = this.deps;
    if (resolverConfig === '') return;
    const warn = (text: string) => {
      const node = { metadata: { name: nodeName, namespace: '', uid: nodeName } };
      recorder.event(node, 'Warning', 'CheckLimitsForResolvConf', text, '', 'Node');
      this.log.info(4, 'Check limits for resolv.conf failed', { eventlog: text });
    };
    let searches: string[];
    try {
      searches = parseResolvConf(this.deps.resolvConf).searches;
    } catch (err) {
      warn(messageOf(err));
      return;
    }
    // Three places are the cluster's own.
    const { paths, chars } = this.limits;
    const most = paths - (clusterDomain ? 3 : 0);
    const file = `Resolv.conf file '${resolverConfig}' contains`;
    if (searches.length > most) warn(`${file} search line consisting of more than ${most} domains!`);
    else if (searches.some((s) => s.length > maxDomainLength))
      warn(
        `Resolv.conf file "${resolverConfig}" contains a search path which length is more than allowed ${maxDomainLength} chars!`,
      );
    else if (searches.join(' ').length > chars)
      warn(`${file} search line which length is more than allowed ${chars} chars!`);
  }

  /** upstream: getPodDNSType */
  private getPodDNSType(pod: Pod): 'none' | 'cluster' | 'host' {
    switch (pod.spec.dnsPolicy) {
      case 'None':
        return 'none';
      case 'ClusterFirstWithHostNet':
        return 'cluster';
      case 'ClusterFirst':
        return isHostNetworkPod(pod) ? 'host' : 'cluster';
      case 'Default':
        return 'host';
      default:
        this.log.error(
          new Error(`invalid DNSPolicy=${pod.spec.dnsPolicy ?? ''}`),
          'Failed to get DNS type for pod. Falling back to DNSClusterFirst policy.',
          { pod: kObj(pod) },
        );
        return 'cluster';
    }
  }

  /** upstream: formDNSConfigFitsLimits */
  private fitLimits(config: DNSConfig, pod: Pod): DNSConfig {
    let { servers, searches } = config;
    if (servers.length > maxDNSNameservers) {
      servers = servers.slice(0, maxDNSNameservers);
      this.warn(
        pod,
        `Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: ${servers.join(' ')}`,
        'Nameserver limits exceeded',
      );
    }
    const before = searches.length;
    searches = searches.slice(0, this.limits.paths).filter((s) => s.length <= maxDomainLength);
    while (searches.join(' ').length > this.limits.chars) searches.pop();
    if (searches.length < before)
      this.warn(
        pod,
        `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${searches.join(' ')}`,
        'Search Line limits exceeded',
      );
    return { ...config, servers, searches };
  }

  private warn(pod: Pod, text: string, line: string): void {
    this.deps.recorder.event(pod, 'Warning', EventReason.DNSConfigForming, text);
    this.log.error(new Error(text), line);
  }
}

const omitDuplicates = (list: readonly string[]): string[] => [...new Set(list)];

/**
 * Servers add up, the last search line wins, a later option replaces an earlier one of its name. Throws if a server
 * has no address.
 * upstream: parseResolvConf
 */
export function parseResolvConf(text: string): DNSConfig {
  const servers: string[] = [];
  let searches: string[] = [];
  const options = new Map<string, string>();
  let empty = 0;
  for (const line of text.split('\n')) {
    if (line.trim().startsWith('#')) continue;
    const [keyword, ...fields] = line.trim().split(/\s+/);
    if (keyword === 'nameserver') {
      if (fields[0]) servers.push(fields[0]);
      else empty++;
    }
    if (keyword === 'search')
      searches = fields.filter((s) => s !== '.').map((s) => (s.endsWith('.') ? s.slice(0, -1) : s));
    if (keyword === 'options') for (const o of fields) options.set(o.split(':')[0] as string, o);
  }
  if (empty > 0) throw new Error('nameserver list is empty ');
  return { servers, searches, options: [...options.values()] };
}

/** upstream: mergeDNSOptions, which gives them in no order; here: as they came. */
function mergeDNSOptions(existing: readonly string[], own: readonly { name?: string; value?: string }[]): string[] {
  const merged = new Map<string, string>();
  for (const option of existing) {
    const i = option.indexOf(':');
    merged.set(i < 0 ? option : option.slice(0, i), i < 0 ? '' : option.slice(i + 1));
  }
  for (const { name = '', value = '' } of own) merged.set(name, value);
  return [...merged].map(([name, value]) => (value ? `${name}:${value}` : name));
}
