import type { ServiceObject } from '../../api/cluster-types.js';

/** upstream: pkg/kubelet/kubelet_pods.go masterServices */
const masterServices: ReadonlySet<string> = new Set(['kubernetes']);

/**
 * Variables by which a pod of a namespace finds services: that of the API server always, those of its own namespace if
 * it wants them. Headless ones have none (fidelity 3:POD-10).
 * upstream: pkg/kubelet/kubelet_pods.go (*Kubelet).getServiceEnvVarMap
 */
export function serviceEnvVarMap(
  services: readonly ServiceObject[],
  namespace: string,
  enableServiceLinks: boolean,
): Map<string, string> {
  const chosen = new Map<string, ServiceObject>();
  for (const service of services) {
    if (!isServiceIPSet(service)) continue;
    const { name, namespace: ns } = service.metadata;
    if (ns === 'default' && masterServices.has(name)) {
      if (!chosen.has(name)) chosen.set(name, service);
    } else if (ns === namespace && enableServiceLinks) chosen.set(name, service);
  }
  return new Map([...chosen.values()].flatMap(fromService));
}

/** upstream: pkg/apis/core/v1/helper IsServiceIPSet */
const isServiceIPSet = ({ spec }: ServiceObject): boolean => Boolean(spec?.clusterIP) && spec?.clusterIP !== 'None';

/** upstream: pkg/kubelet/envvars/envvars.go FromServices, one of them */
function fromService({ metadata, spec }: ServiceObject): [string, string][] {
  const prefix = variableName(metadata.name);
  const ip = spec?.clusterIP ?? '';
  const ports = spec?.ports ?? [];
  const out: [string, string][] = [[`${prefix}_SERVICE_HOST`, ip]];
  const [first] = ports;
  if (!first) return out;
  out.push([`${prefix}_SERVICE_PORT`, String(first.port)]);
  for (const { name, port } of ports)
    if (name) out.push([`${prefix}_SERVICE_PORT_${variableName(name)}`, String(port)]);
  // Variables in the form of Docker's links.
  for (const [i, { port, protocol = 'TCP' }] of ports.entries()) {
    const url = `${protocol.toLowerCase()}://${ip.includes(':') ? `[${ip}]` : ip}:${port}`;
    if (i === 0) out.push([`${prefix}_PORT`, url]);
    const p = `${prefix}_PORT_${port}_${protocol.toUpperCase()}`;
    out.push([p, url], [`${p}_PROTO`, protocol.toLowerCase()], [`${p}_PORT`, String(port)], [`${p}_ADDR`, ip]);
  }
  return out;
}

/** upstream: makeEnvVariableName */
const variableName = (text: string): string => text.replaceAll('-', '_').toUpperCase();
