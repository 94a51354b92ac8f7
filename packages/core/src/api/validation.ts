import type { Container, Pod, PodSpec, Probe } from './types.js';

/** upstream: apimachinery util/validation */
const dns1123Label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const dns1123Subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const labelMessage =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const subdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** Errors of one pod, each with its field: `spec.containers[0].image: Required value`. */
class Errors {
  readonly list: string[] = [];
  required(path: string, detail = ''): void {
    this.list.push(`${path}: Required value${detail && `: ${detail}`}`);
  }
  invalid(path: string, value: unknown, detail: string): void {
    this.list.push(`${path}: Invalid value: ${JSON.stringify(value)}: ${detail}`);
  }
  duplicate(path: string, value: unknown): void {
    this.list.push(`${path}: Duplicate value: ${JSON.stringify(value)}`);
  }
  unsupported(path: string, value: unknown, supported: readonly string[]): void {
    this.list.push(
      `${path}: Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((s) => JSON.stringify(s)).join(', ')}`,
    );
  }
  notFound(path: string, value: unknown): void {
    this.list.push(`${path}: Not found: ${JSON.stringify(value)}`);
  }
  /** upstream: apimachinery validation/field TooMany */
  tooMany(path: string, count: number, most: number): void {
    this.list.push(`${path}: Too many: ${count}: must have at most ${most} item${most === 1 ? '' : 's'}`);
  }
  forbidden(path: string, detail: string): void {
    this.list.push(`${path}: Forbidden: ${detail}`);
  }
  label(path: string, value: string): void {
    if (!dns1123Label.test(value)) this.invalid(path, value, labelMessage);
    else if (value.length > 63) this.invalid(path, value, 'must be no more than 63 characters');
  }
  subdomain(path: string, value: string): void {
    if (!dns1123Subdomain.test(value)) this.invalid(path, value, subdomainMessage);
    else if (value.length > 253) this.invalid(path, value, 'must be no more than 253 characters');
  }
  oneOf(path: string, value: string | undefined, supported: readonly string[]): void {
    if (value !== undefined && !supported.includes(value)) this.unsupported(path, value, supported);
  }
}

/** upstream: validEnvDownwardAPIFieldPathExpressions */
const envFieldPaths = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
/** These are fields as well, but not for an environment variable. upstream: ConvertDownwardAPIFieldLabel */
const otherFieldPaths = [
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
];

/** upstream: validateObjectFieldSelector */
function envFieldPath(e: Errors, at: string, path: string | undefined): void {
  if (!path) {
    e.required(at);
    return;
  }
  const [, field, subscript] = /^(.*)\['(.*)'\]$/.exec(path) ?? [];
  if (field !== undefined) {
    if (field !== 'metadata.annotations' && field !== 'metadata.labels')
      e.invalid(at, field, 'does not support subscript');
    else if (!/^([^/]+\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(subscript ?? ''))
      e.invalid(
        at,
        subscript,
        "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      );
  } else if (otherFieldPaths.includes(path)) e.unsupported(at, path, envFieldPaths);
  else if (!envFieldPaths.includes(path) && path !== 'spec.host')
    e.invalid(at, path, `error converting fieldPath: field label not supported: ${path}`);
}

/** The features that gates allow. Default: all of them. upstream: pkg/apis/core/validation PodValidationOptions */
export interface PodValidationOptions {
  readonly allowContainerRestartPolicyRules?: boolean;
  readonly allowRestartAllContainers?: boolean;
}

/**
 * Returns the errors of the pod, in upstream's words; empty if there are none.
 * upstream: pkg/apis/core/validation ValidatePodCreate
 */
export function validatePod(pod: Pod, options: PodValidationOptions = {}): string[] {
  const e = new Errors();
  e.subdomain('metadata.name', pod.metadata.name);
  if (pod.metadata.namespace) e.label('metadata.namespace', pod.metadata.namespace);
  else e.required('metadata.namespace');
  const { spec } = pod;
  e.oneOf('spec.restartPolicy', spec.restartPolicy, ['Always', 'OnFailure', 'Never']);
  e.oneOf('spec.dnsPolicy', spec.dnsPolicy, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']);
  if (spec.dnsPolicy === 'None' && !spec.dnsConfig?.nameservers?.length)
    e.required('spec.dnsConfig.nameservers', 'must provide at least one DNS nameserver when `dnsPolicy` is None');
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0)
    e.invalid(
      'spec.terminationGracePeriodSeconds',
      spec.terminationGracePeriodSeconds,
      'must be greater than or equal to 0',
    );
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined && deadline !== null && (deadline < 1 || deadline > 2147483647))
    e.invalid('spec.activeDeadlineSeconds', deadline, 'must be between 1 and 2147483647, inclusive');
  if (spec.hostname) e.label('spec.hostname', spec.hostname);
  if (spec.subdomain) e.label('spec.subdomain', spec.subdomain);
  volumes(e, spec);
  containers(e, pod, options);
  return e.list;
}

function volumes(e: Errors, spec: PodSpec): void {
  const names = new Set<string>();
  for (const [i, v] of (spec.volumes ?? []).entries()) {
    const path = `spec.volumes[${i}]`;
    if (!v.name) e.required(`${path}.name`);
    else {
      e.label(`${path}.name`, v.name);
      if (names.has(v.name)) e.duplicate(`${path}.name`, v.name);
    }
    names.add(v.name);
    const kinds = Object.keys(v).filter((k) => k !== 'name');
    for (const kind of kinds.slice(1)) e.forbidden(`${path}.${kind}`, 'may not specify more than 1 volume type');
    if (v.hostPath) {
      if (!v.hostPath.path) e.required(`${path}.hostPath.path`);
      else if (v.hostPath.path.split('/').includes('..'))
        e.invalid(`${path}.hostPath.path`, v.hostPath.path, "must not contain '..'");
      e.oneOf(`${path}.hostPath.type`, v.hostPath.type, hostPathTypes);
    }
  }
}

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function containers(e: Errors, pod: Pod, options: PodValidationOptions): void {
  const { spec } = pod;
  const volumeNames = new Set((spec.volumes ?? []).map((v) => v.name));
  const names = new Set<string>();
  if (spec.containers.length === 0) e.required('spec.containers');
  const each = (list: readonly Container[], field: string, init: boolean) => {
    for (const [i, c] of list.entries()) {
      const path = `spec.${field}[${i}]`;
      if (!c.name) e.required(`${path}.name`);
      else {
        e.label(`${path}.name`, c.name);
        if (names.has(c.name)) e.duplicate(`${path}.name`, c.name);
        names.add(c.name);
      }
      container(e, path, c, volumeNames, init, spec);
      restartPolicy(e, path, c, init, options);
    }
  };
  each(spec.containers, 'containers', false);
  each(spec.initContainers ?? [], 'initContainers', true);
  if (spec.ephemeralContainers?.length) e.forbidden('spec.ephemeralContainers', 'cannot be set on create');
}

function container(
  e: Errors,
  path: string,
  c: Container,
  volumes: ReadonlySet<string>,
  init: boolean,
  spec: PodSpec,
): void {
  if (!c.image) e.required(`${path}.image`);
  else if (c.image.trim() !== c.image)
    e.invalid(`${path}.image`, c.image, 'must not have leading or trailing whitespace');
  e.oneOf(`${path}.imagePullPolicy`, c.imagePullPolicy, ['Always', 'IfNotPresent', 'Never']);
  e.oneOf(`${path}.terminationMessagePolicy`, c.terminationMessagePolicy, ['FallbackToLogsOnError', 'File']);
  const portNames = new Set<string>();
  for (const [i, p] of (c.ports ?? []).entries()) {
    const at = `${path}.ports[${i}]`;
    if (!p.containerPort) e.required(`${at}.containerPort`);
    else port(e, `${at}.containerPort`, p.containerPort);
    if (p.hostPort) port(e, `${at}.hostPort`, p.hostPort);
    if (spec.hostNetwork && p.hostPort && p.hostPort !== p.containerPort)
      e.invalid(`${at}.hostPort`, p.hostPort, 'must match `containerPort` when `hostNetwork` is true');
    e.oneOf(`${at}.protocol`, p.protocol, ['SCTP', 'TCP', 'UDP']);
    if (!p.name) continue;
    if (!/^(?=.{1,15}$)(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*$/.test(p.name))
      e.invalid(
        `${at}.name`,
        p.name,
        'must be at most 15 characters, lower case alphanumeric with single dashes, with at least one letter',
      );
    if (portNames.has(p.name)) e.duplicate(`${at}.name`, p.name);
    portNames.add(p.name);
  }
  for (const [i, v] of (c.env ?? []).entries()) {
    const at = `${path}.env[${i}]`;
    if (!v.name) e.required(`${at}.name`);
    else if (!/^[ -<>-~]+$/.test(v.name))
      e.invalid(
        `${at}.name`,
        v.name,
        "a valid environment variable name must consist only of printable ASCII characters other than '='",
      );
    if (!v.valueFrom) continue;
    const sources = Object.keys(v.valueFrom).length;
    if (v.value) e.invalid(`${at}.valueFrom`, '', 'may not be specified when `value` is not empty');
    if (sources === 0)
      e.invalid(
        `${at}.valueFrom`,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
      );
    if (sources > 1) e.invalid(`${at}.valueFrom`, '', 'may not have more than one field specified at a time');
    if (v.valueFrom.fieldRef) envFieldPath(e, `${at}.valueFrom.fieldRef.fieldPath`, v.valueFrom.fieldRef.fieldPath);
  }
  const paths = new Set<string>();
  for (const [i, m] of (c.volumeMounts ?? []).entries()) {
    const at = `${path}.volumeMounts[${i}]`;
    if (!m.name) e.required(`${at}.name`);
    else if (!volumes.has(m.name)) e.notFound(`${at}.name`, m.name);
    if (!m.mountPath) e.required(`${at}.mountPath`);
    else if (paths.has(m.mountPath)) e.invalid(`${at}.mountPath`, m.mountPath, 'must be unique');
    paths.add(m.mountPath);
    if (m.subPath && (m.subPath.startsWith('/') || m.subPath.split('/').includes('..')))
      e.invalid(`${at}.subPath`, m.subPath, "must be a relative path and not contain '..'");
  }
  // An init container may have probes and a lifecycle only as a sidecar.
  const plainInit = init && c.restartPolicy !== 'Always';
  for (const kind of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    const p = c[kind];
    if (!p) continue;
    if (plainInit) e.forbidden(`${path}.${kind}`, 'may not be set for init containers without restartPolicy=Always');
    else probe(e, `${path}.${kind}`, p, kind);
  }
  if (plainInit && c.lifecycle)
    e.forbidden(`${path}.lifecycle`, 'may not be set for init containers without restartPolicy=Always');
  else
    for (const hook of ['postStart', 'preStop'] as const)
      if (c.lifecycle?.[hook])
        handler(e, `${path}.lifecycle.${hook}`, c.lifecycle[hook], ['exec', 'httpGet', 'tcpSocket', 'sleep']);
}

/** upstream: validateContainerRestartPolicy, validateInitContainerRestartPolicy */
function restartPolicy(e: Errors, path: string, c: Container, init: boolean, options: PodValidationOptions): void {
  const { allowContainerRestartPolicyRules: allowed = true, allowRestartAllContainers: restartsAll = true } = options;
  const rules = c.restartPolicyRules ?? [];
  if (!allowed && !init) {
    if (c.restartPolicy !== undefined) e.forbidden(`${path}.restartPolicy`, 'may not be set for non-init containers');
    return;
  }
  if (c.restartPolicy === undefined) {
    if (rules.length > 0) e.required(`${path}.restartPolicy`, 'must specify restartPolicy when restart rules are used');
    if (init) return;
  } else e.oneOf(`${path}.restartPolicy`, c.restartPolicy, allowed ? ['Always', 'Never', 'OnFailure'] : ['Always']);
  if (!allowed) return;
  if (init && c.restartPolicy === 'Always' && !restartsAll) {
    if (rules.length > 0)
      e.forbidden(
        `${path}.restartPolicyRules`,
        'restartPolicyRules are not allowed for init containers with restart policy Always',
      );
    return;
  }
  if (rules.length > 20) e.tooMany(`${path}.restartPolicyRules`, rules.length, 20);
  for (const [i, rule] of rules.entries()) {
    const at = `${path}.restartPolicyRules[${i}]`;
    e.oneOf(`${at}.action`, rule.action, restartsAll ? ['Restart', 'RestartAllContainers'] : ['Restart']);
    if (!rule.exitCodes) e.required(`${at}.exitCodes`, 'must be specified');
    else {
      e.oneOf(`${at}.exitCodes.operator`, rule.exitCodes.operator, ['In', 'NotIn']);
      const { values = [] } = rule.exitCodes;
      if (values.length > 255) e.tooMany(`${at}.exitCodes.values`, values.length, 255);
    }
  }
}

function port(e: Errors, path: string, value: number): void {
  if (value < 1 || value > 65535) e.invalid(path, value, 'must be between 1 and 65535, inclusive');
}

function handler(e: Errors, path: string, h: object, kinds: readonly string[]): void {
  const given = kinds.filter((k) => (h as Record<string, unknown>)[k] !== undefined);
  if (given.length === 0) e.required(path, 'must specify a handler type');
  for (const kind of given.slice(1)) e.forbidden(`${path}.${kind}`, 'may not specify more than 1 handler type');
  const { exec, httpGet, tcpSocket } = h as Probe;
  if (exec && !exec.command?.length) e.required(`${path}.exec.command`);
  for (const [kind, target] of [
    ['httpGet', httpGet],
    ['tcpSocket', tcpSocket],
  ] as const) {
    if (!target) continue;
    if (typeof target.port === 'number') port(e, `${path}.${kind}.port`, target.port);
    else if (!target.port) e.required(`${path}.${kind}.port`);
  }
  if (httpGet) e.oneOf(`${path}.httpGet.scheme`, httpGet.scheme, ['HTTP', 'HTTPS']);
}

function probe(e: Errors, path: string, p: Probe, kind: 'livenessProbe' | 'readinessProbe' | 'startupProbe'): void {
  handler(e, path, p, ['exec', 'httpGet', 'tcpSocket', 'grpc']);
  for (const field of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const)
    if ((p[field] ?? 0) < 0) e.invalid(`${path}.${field}`, p[field], 'must be greater than or equal to 0');
  const grace = p.terminationGracePeriodSeconds;
  if (grace !== undefined && grace !== null) {
    if (kind === 'readinessProbe')
      e.invalid(`${path}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes');
    else if (grace <= 0) e.invalid(`${path}.terminationGracePeriodSeconds`, grace, 'must be greater than 0');
  }
  if (kind !== 'readinessProbe' && (p.successThreshold ?? 1) !== 1)
    e.invalid(`${path}.successThreshold`, p.successThreshold, 'must be 1');
}
