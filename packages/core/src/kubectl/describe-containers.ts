/** The containers of `kubectl describe pod`. upstream: kubectl pkg/describe describeContainers */
import type { Container, ContainerPort, ContainerState, ContainerStatus, EnvVar, Pod, Probe } from '../api/types.js';
import { rfc1123 } from './duration.js';

const L1 = '  ';
const L2 = '    ';
const L3 = '      ';

export function describeContainers(
  out: string[],
  label: string,
  containers: readonly Container[],
  statuses: readonly ContainerStatus[],
  pod: Pod,
): void {
  if (containers.length === 0) {
    out.push(`${label}: <none>`);
    return;
  }
  out.push(`${label}:`);
  for (const c of containers) {
    const status = statuses.find((s) => s.name === c.name);
    basics(out, c, status);
    listed(out, 'Command', c.command);
    listed(out, 'Args', c.args);
    if (status) states(out, status);
    resources(out, 'Limits', c.resources?.limits);
    resources(out, 'Requests', c.resources?.requests);
    if (c.livenessProbe) out.push(`${L2}Liveness:\t${describeProbe(c.livenessProbe)}`);
    if (c.readinessProbe) out.push(`${L2}Readiness:\t${describeProbe(c.readinessProbe)}`);
    if (c.startupProbe) out.push(`${L2}Startup:\t${describeProbe(c.startupProbe)}`);
    environment(out, c, pod);
    mounts(out, c);
  }
}

function basics(out: string[], c: Container, status: ContainerStatus | undefined): void {
  out.push(`${L1}${c.name}:`);
  if (status) out.push(`${L2}Container ID:\t${status.containerID ?? ''}`);
  out.push(`${L2}Image:\t${c.image ?? ''}`);
  if (status) out.push(`${L2}Image ID:\t${status.imageID}`);
  for (const [name, of] of [
    ['Port', (p: ContainerPort) => p.containerPort],
    ['Host Port', (p: ContainerPort) => p.hostPort ?? 0],
  ] as const) {
    const text = (c.ports ?? [])
      .map((p) => `${of(p)}/${p.protocol ?? 'TCP'}${p.name ? ` (${p.name})` : ''}`)
      .join(', ');
    out.push(`${L2}${name}${text.includes(',') ? 's' : ''}:\t${text || '<none>'}`);
  }
}

function listed(out: string[], title: string, words: readonly string[] | undefined): void {
  if (!words?.length) return;
  out.push(`${L2}${title}:`);
  for (const word of words) for (const line of word.split('\n')) out.push(`${L3}${line}`);
}

function states(out: string[], status: ContainerStatus): void {
  describeState(out, 'State', status.state);
  if (status.lastState?.terminated) describeState(out, 'Last State', status.lastState);
  out.push(`${L2}Ready:\t${status.ready ? 'True' : 'False'}`, `${L2}Restart Count:\t${status.restartCount}`);
}

/** upstream: describeStatus */
function describeState(out: string[], title: string, { running, waiting, terminated }: ContainerState): void {
  if (running) {
    out.push(`${L2}${title}:\tRunning`, `${L3}Started:\t${rfc1123(running.startedAt)}`);
  } else if (waiting) {
    out.push(`${L2}${title}:\tWaiting`);
    if (waiting.reason) out.push(`${L3}Reason:\t${waiting.reason}`);
  } else if (terminated) {
    const { reason, message, exitCode, signal, startedAt, finishedAt } = terminated;
    out.push(`${L2}${title}:\tTerminated`);
    if (reason) out.push(`${L3}Reason:\t${reason}`);
    if (message) out.push(`${L3}Message:\t${message}`);
    out.push(`${L3}Exit Code:\t${exitCode}`);
    if (signal) out.push(`${L3}Signal:\t${signal}`);
    out.push(`${L3}Started:\t${rfc1123(startedAt)}`, `${L3}Finished:\t${rfc1123(finishedAt)}`);
  } else out.push(`${L2}${title}:\tWaiting`);
}

function resources(out: string[], title: string, list: Readonly<Record<string, string>> | undefined): void {
  const names = Object.keys(list ?? {}).sort();
  if (names.length === 0) return;
  out.push(`${L2}${title}:`, ...names.map((name) => `${L3}${name}:\t${list?.[name]}`));
}

/** upstream: DescribeProbe */
export function describeProbe(p: Probe): string {
  const attributes = `delay=${p.initialDelaySeconds ?? 0}s timeout=${p.timeoutSeconds ?? 1}s period=${p.periodSeconds ?? 10}s #success=${p.successThreshold ?? 1} #failure=${p.failureThreshold ?? 3}`;
  if (p.exec) return `exec [${(p.exec.command ?? []).join(' ')}] ${attributes}`;
  if (p.httpGet) {
    const { scheme = 'HTTP', host = '', port, path = '' } = p.httpGet;
    const slash = path === '' || path.startsWith('/') ? '' : '/';
    return `http-get ${scheme.toLowerCase()}://${host}:${port}${slash}${path} ${attributes}`;
  }
  if (p.tcpSocket) return `tcp-socket ${p.tcpSocket.host ?? ''}:${p.tcpSocket.port} ${attributes}`;
  if (p.grpc) return `grpc <pod>:${p.grpc.port} ${p.grpc.service ?? ''} ${attributes}`;
  return `unknown ${attributes}`;
}

function environment(out: string[], c: Container, pod: Pod): void {
  if (c.envFrom?.length) {
    out.push(`${L2}Environment Variables from:`);
    for (const { configMapRef, secretRef, prefix } of c.envFrom) {
      const ref = configMapRef ?? secretRef;
      const from = configMapRef ? 'ConfigMap' : 'Secret';
      out.push(
        `${L3}${ref?.name ?? ''}\t${from}${prefix ? ` with prefix '${prefix}'` : ''}\tOptional: ${ref?.optional ?? false}`,
      );
    }
  }
  if (!c.env?.length) {
    out.push(`${L2}Environment:\t<none>`);
    return;
  }
  out.push(`${L2}Environment:`);
  for (const variable of c.env) {
    const [first = '', ...rest] = envValue(variable, c, pod).split('\n');
    out.push(`${L3}${variable.name}:\t${first}`, ...rest.map((line) => `${L3}\t${line}`));
  }
}

function envValue({ value, valueFrom: from }: EnvVar, c: Container, pod: Pod): string {
  if (!from) return value ?? '';
  if (from.fieldRef) {
    const { apiVersion = 'v1', fieldPath } = from.fieldRef;
    return `${fieldValue(pod, fieldPath)} (${apiVersion}:${fieldPath})`;
  }
  if (from.resourceFieldRef) {
    const { containerName, resource } = from.resourceFieldRef;
    const target = containerName
      ? [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find((x) => x.name === containerName)
      : c;
    const [list, name = ''] = resource.split(/\.(.*)/s);
    const amounts = list === 'limits' ? target?.resources?.limits : target?.resources?.requests;
    return `${amounts?.[name] ?? (list === 'limits' ? 'node allocatable' : '0')} (${resource})`;
  }
  const optional = (o: boolean | undefined) => `\tOptional: ${o ?? false}`;
  if (from.secretKeyRef) {
    const { key, name = '', optional: o } = from.secretKeyRef;
    return `<set to the key '${key}' in secret '${name}'>${optional(o)}`;
  }
  if (from.configMapKeyRef) {
    const { key, name = '', optional: o } = from.configMapKeyRef;
    return `<set to the key '${key}' of config map '${name}'>${optional(o)}`;
  }
  return '';
}

/**
 * Returns a field of the metadata, as kubectl does: it shows nothing of the spec and the status.
 * upstream: pkg/fieldpath ExtractFieldPathAsString
 */
function fieldValue({ metadata }: Pod, path: string): string {
  const subscript = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  if (subscript)
    return (subscript[1] === 'labels' ? metadata.labels : metadata.annotations)?.[subscript[2] ?? ''] ?? '';
  if (path === 'metadata.name') return metadata.name;
  if (path === 'metadata.namespace') return metadata.namespace;
  return path === 'metadata.uid' ? metadata.uid : '';
}

function mounts(out: string[], c: Container): void {
  const list = [...(c.volumeMounts ?? [])].sort((a, b) => (a.mountPath < b.mountPath ? -1 : 1));
  if (list.length === 0) {
    out.push(`${L2}Mounts:\t<none>`);
    return;
  }
  out.push(`${L2}Mounts:`);
  for (const m of list) {
    const flags = [m.readOnly ? 'ro' : 'rw', ...(m.subPath ? [`path="${m.subPath}"`] : [])];
    out.push(`${L3}${m.mountPath} from ${m.name} (${flags.join(',')})`);
  }
}
