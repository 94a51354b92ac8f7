import { setDefaults } from '../../api/defaults.js';
import { service } from '../../api/objects/core.js';
import { base64Encode, base64Length, isObject } from '../../base/index.js';
import { copyJSON, equalJSON, type JsonObject } from '../json.js';
import type { Env, Strategy, Subresource } from '../registry/resource.js';
import { internalError } from '../status.js';
import type { ApiObject } from '../types.js';

/** upstream: pkg/registry/core/node nodeStrategy, and the admission plug-in TaintNodesByCondition */
export const nodeStrategy: Strategy = {
  prepareForCreate(draft) {
    const spec = (draft.spec ?? {}) as { taints?: JsonObject[] };
    draft.spec = spec;
    const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
    if (!spec.taints?.some((t) => t.key === taint.key && t.effect === taint.effect))
      spec.taints = [...(spec.taints ?? []), taint];
  },
  validate: (draft) => taints(draft),
  validateUpdate(draft, old) {
    const errors = taints(draft);
    const strip = (o: ApiObject) => {
      const {
        taints: _t,
        unschedulable: _u,
        podCIDR: _c,
        podCIDRs: _s,
        providerID: _p,
        ...rest
      } = o.spec as JsonObject;
      return rest;
    };
    const [a, b] = [draft.spec as JsonObject, old.spec as JsonObject];
    const fixed = (field: string) => {
      const [now, was] = [a[field], b[field]];
      const given = Array.isArray(was) ? was.length > 0 : !!was;
      return given && !equalJSON(now, was);
    };
    if (fixed('podCIDRs') || fixed('podCIDR'))
      errors.push('spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid');
    if (fixed('providerID'))
      errors.push('spec.providerID: Forbidden: node updates may not change providerID except from "" to valid');
    if (!equalJSON(strip(draft), strip(old)))
      errors.push(
        'spec: Forbidden: node updates may only change labels, taints, or capacity (or configSource, if the DynamicKubeletConfig feature gate is enabled)',
      );
    return errors;
  },
};
function taints(draft: ApiObject): string[] {
  const errors: string[] = [];
  const seen = new Set<string>();
  for (const [i, t] of ((draft.spec as { taints?: { key: string; effect: string }[] })?.taints ?? []).entries()) {
    const at = `spec.taints[${i}]`;
    if (!t.key) errors.push(`${at}.key: Invalid value: "": name part must be non-empty`);
    if (!t.effect) errors.push(`${at}.effect: Required value`);
    else if (!['NoSchedule', 'PreferNoSchedule', 'NoExecute'].includes(t.effect))
      errors.push(
        `${at}.effect: Unsupported value: ${JSON.stringify(t.effect)}: supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"`,
      );
    const id = `${t.key}:${t.effect}`;
    if (seen.has(id)) errors.push(`${at}: Duplicate value: ${JSON.stringify(t)}`);
    seen.add(id);
  }
  return errors;
}
/** upstream: nodeStatusStrategy: the spec stays as it was. */
export const statusOnly: Subresource = { verbs: ['get', 'patch', 'update'] };

export const namespaceStrategy: Strategy = {
  prepareForCreate(draft) {
    draft.spec = { finalizers: ['kubernetes'] };
    draft.status = { phase: 'Active' };
    draft.metadata.labels = { ...draft.metadata.labels, 'kubernetes.io/metadata.name': draft.metadata.name };
  },
  prepareForUpdate(draft, old) {
    draft.spec = copyJSON(old.spec);
    draft.status = copyJSON(old.status);
    draft.metadata.labels = { ...draft.metadata.labels, 'kubernetes.io/metadata.name': draft.metadata.name };
  },
  terminating(draft) {
    draft.status = { ...(draft.status as JsonObject), phase: 'Terminating' };
  },
};
/** upstream: namespaceFinalizeStrategy */
export const namespaceFinalize: Subresource = {
  verbs: ['update'],
  prepareForUpdate(draft, old) {
    draft.status = copyJSON(old.status);
  },
};

const keyText =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
function dataKeys(data: unknown, field: string): string[] {
  if (!isObject(data)) return [];
  return Object.keys(data).flatMap((k) => {
    const at = `${field}[${k}]`;
    if (k.length > 253) return [`${at}: Invalid value: ${JSON.stringify(k)}: must be no more than 253 characters`];
    if (!/^[-._a-zA-Z0-9]+$/.test(k)) return [`${at}: Invalid value: ${JSON.stringify(k)}: ${keyText}`];
    if (k === '.' || k === '..') return [`${at}: Invalid value: ${JSON.stringify(k)}: must not be '${k}'`];
    return k.startsWith('..') ? [`${at}: Invalid value: ${JSON.stringify(k)}: must not start with '..'`] : [];
  });
}
const maxData = 1024 * 1024;

function immutables(draft: ApiObject, old: ApiObject, fields: readonly string[]): string[] {
  if (!old.immutable) return [];
  const errors: string[] = [];
  if (!draft.immutable) errors.push('immutable: Forbidden: field is immutable when `immutable` is set');
  for (const f of fields)
    if (!equalJSON(draft[f] ?? null, old[f] ?? null))
      errors.push(`${f}: Forbidden: field is immutable when \`immutable\` is set`);
  return errors;
}

function validateConfigMap(draft: ApiObject): string[] {
  const { data, binaryData } = draft as { data?: Record<string, string>; binaryData?: Record<string, string> };
  const errors = [...dataKeys(data, 'data'), ...dataKeys(binaryData, 'binaryData')];
  for (const k of Object.keys(data ?? {}))
    if (Object.hasOwn(binaryData ?? {}, k))
      errors.push(`data[${k}]: Invalid value: ${JSON.stringify(k)}: duplicate of key present in binaryData`);
  const size =
    Object.values(data ?? {}).reduce((n, v) => n + v.length, 0) +
    Object.values(binaryData ?? {}).reduce((n, v) => n + base64Length(v), 0);
  if (size > maxData) errors.push(`[]: Too long: may not be more than ${maxData} bytes`);
  return errors;
}
export const configMapStrategy: Strategy = {
  validate: validateConfigMap,
  validateUpdate: (draft, old) => [...immutables(draft, old, ['data', 'binaryData']), ...validateConfigMap(draft)],
};

function prepareSecret(draft: ApiObject): void {
  draft.type ||= 'Opaque';
  const text = draft.stringData as Record<string, string> | undefined;
  if (text) {
    const data: JsonObject = { ...(draft.data as JsonObject) };
    for (const [k, v] of Object.entries(text)) data[k] = base64Encode(v);
    draft.data = data;
    delete draft.stringData;
  }
}
const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};
function validateSecret(draft: ApiObject): string[] {
  const data = (draft.data ?? {}) as Record<string, string>;
  const errors = dataKeys(data, 'data');
  const size = Object.values(data).reduce((n, v) => n + base64Length(v), 0);
  if (size > maxData) errors.push(`data: Too long: may not be more than ${maxData} bytes`);
  const type = String(draft.type);
  for (const k of Object.hasOwn(requiredKeys, type) ? (requiredKeys[type] ?? []) : [])
    if (!Object.hasOwn(data, k)) errors.push(`data[${k}]: Required value`);
  if (type === 'kubernetes.io/basic-auth' && !Object.hasOwn(data, 'username') && !Object.hasOwn(data, 'password'))
    errors.push('data[username]: Required value', 'data[password]: Required value');
  if (
    type === 'kubernetes.io/service-account-token' &&
    !draft.metadata.annotations?.['kubernetes.io/service-account.name']
  )
    errors.push('metadata.annotations[kubernetes.io/service-account.name]: Required value');
  return errors;
}
export const secretStrategy: Strategy = {
  prepareForCreate: prepareSecret,
  prepareForUpdate(draft, old) {
    // A type that is left out is the one that it has.
    draft.type ||= old.type;
    prepareSecret(draft);
  },
  validate: validateSecret,
  validateUpdate: (draft, old) => [
    ...(draft.type === old.type ? [] : [`type: Invalid value: ${JSON.stringify(draft.type)}: field is immutable`]),
    ...immutables(draft, old, ['data']),
    ...validateSecret(draft),
  ],
};

interface ServicePort {
  name?: string;
  port: number;
  protocol?: string;
  targetPort?: number | string;
  nodePort?: number;
}
interface ServiceSpec {
  type?: string;
  clusterIP?: string;
  clusterIPs?: string[];
  ports?: ServicePort[];
  sessionAffinity?: string;
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  internalTrafficPolicy?: string;
  externalTrafficPolicy?: string;
  externalName?: string;
}
/** upstream: SetDefaults_Service and the allocators of pkg/registry/core/service */
function prepareService(draft: ApiObject, old: ApiObject | null, env: Env): void {
  const spec = (draft.spec ?? {}) as ServiceSpec;
  draft.spec = spec;
  setDefaults(service, draft);
  for (const p of spec.ports ?? []) p.targetPort ??= p.port;
  draft.status ??= { loadBalancer: {} };
  if (spec.type === 'ExternalName') return;
  const before = (old?.spec ?? {}) as ServiceSpec;
  spec.clusterIP ||= before.clusterIP || (spec.clusterIPs?.[0] ?? freeAddress(env));
  spec.clusterIPs = [spec.clusterIP];
  spec.ipFamilies ??= ['IPv4'];
  spec.ipFamilyPolicy ??= 'SingleStack';
  spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type === 'ClusterIP') return;
  spec.externalTrafficPolicy ??= 'Cluster';
  const taken = new Set(
    env.listOf('services').flatMap((s) => ((s.spec as ServiceSpec).ports ?? []).map((p) => p.nodePort)),
  );
  const known = new Map((before.ports ?? []).map((o) => [`${o.protocol} ${o.port}`, o.nodePort]));
  for (const p of spec.ports ?? []) {
    p.nodePort ||= known.get(`${p.protocol} ${p.port}`) ?? 0;
    p.nodePort ||= free(env, nodePorts, (n) => n, taken, 'failed to allocate a nodePort');
    taken.add(p.nodePort);
  }
}
/** upstream: --service-node-port-range */
const nodePorts = { from: 30_000, count: 2768 };
/** Host parts of the addresses of services. */
const addresses = { from: 10, count: 65_000 };
function freeAddress(env: Env): string {
  const taken = new Set(env.listOf('services').map((s) => (s.spec as ServiceSpec).clusterIP));
  return free(env, addresses, (n) => `10.96.${n >> 8}.${n & 255}`, taken, 'failed to allocate a serviceIP');
}
/**
 * The first free one after a random place. Throws a 500 if all are taken.
 * upstream: pkg/registry/core/service allocator
 */
function free<T>(
  env: Env,
  { from, count }: { readonly from: number; readonly count: number },
  make: (n: number) => T,
  taken: ReadonlySet<unknown>,
  failed: string,
): T {
  const start = env.random.below(count);
  for (let i = 0; i < count; i++) {
    const one = make(from + ((start + i) % count));
    if (!taken.has(one)) return one;
  }
  throw internalError(`${failed}: range is full`);
}
function validateService(draft: ApiObject): string[] {
  const spec = draft.spec as ServiceSpec;
  const errors: string[] = [];
  const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
  if (!types.includes(spec.type as string))
    errors.push(
      `spec.type: Unsupported value: ${JSON.stringify(spec.type)}: supported values: ${types.map((t) => JSON.stringify(t)).join(', ')}`,
    );
  if (spec.type === 'ExternalName') {
    if (!spec.externalName) errors.push('spec.externalName: Required value');
    return errors;
  }
  if (!spec.ports?.length && spec.clusterIP !== 'None') errors.push('spec.ports: Required value');
  const names = new Set<string>();
  for (const [i, p] of (spec.ports ?? []).entries()) {
    const at = `spec.ports[${i}]`;
    if ((spec.ports ?? []).length > 1 && !p.name) errors.push(`${at}.name: Required value`);
    if (p.name && names.has(p.name)) errors.push(`${at}.name: Duplicate value: ${JSON.stringify(p.name)}`);
    if (p.name) names.add(p.name);
    if (!(p.port >= 1 && p.port <= 65535))
      errors.push(`${at}.port: Invalid value: ${p.port}: must be between 1 and 65535, inclusive`);
    if (!['SCTP', 'TCP', 'UDP'].includes(p.protocol as string))
      errors.push(
        `${at}.protocol: Unsupported value: ${JSON.stringify(p.protocol)}: supported values: "SCTP", "TCP", "UDP"`,
      );
  }
  return errors;
}
export const serviceStrategy: Strategy = {
  prepareForCreate(draft, env) {
    draft.status = { loadBalancer: {} };
    prepareService(draft, null, env);
  },
  prepareForUpdate(draft, old, env) {
    draft.status = copyJSON(old.status);
    prepareService(draft, old, env);
  },
  validate: validateService,
  validateUpdate(draft, old) {
    const [a, b] = [(draft.spec as ServiceSpec).clusterIP, (old.spec as ServiceSpec).clusterIP];
    const fixed = b && a !== b && (draft.spec as ServiceSpec).type !== 'ExternalName';
    return [
      ...(fixed ? [`spec.clusterIPs[0]: Invalid value: ${JSON.stringify([a])}: may not change once set`] : []),
      ...validateService(draft),
    ];
  },
  createOnUpdate: true,
  returnsDeleted: true,
};

export const eventStrategy: Strategy = {
  prepareForCreate(draft) {
    delete draft.status;
  },
  validate(draft) {
    const involved = (draft.involvedObject ?? {}) as { namespace?: string };
    const namespace = draft.metadata.namespace ?? '';
    // Events of what has no namespace are in default.
    if (involved.namespace ? involved.namespace !== namespace : namespace !== 'default' && namespace !== 'kube-system')
      return [
        `involvedObject.namespace: Invalid value: ${JSON.stringify(involved.namespace ?? '')}: does not match event.namespace`,
      ];
    return [];
  },
  createOnUpdate: true,
};

function validateLease(draft: ApiObject): string[] {
  const spec = draft.spec as { leaseDurationSeconds?: number; leaseTransitions?: number; holderIdentity?: string };
  const errors: string[] = [];
  if (spec.leaseDurationSeconds !== undefined && spec.leaseDurationSeconds <= 0)
    errors.push(`spec.leaseDurationSeconds: Invalid value: ${spec.leaseDurationSeconds}: must be greater than 0`);
  if (spec.leaseTransitions !== undefined && spec.leaseTransitions < 0)
    errors.push(`spec.leaseTransitions: Invalid value: ${spec.leaseTransitions}: must be greater than or equal to 0`);
  if (spec.holderIdentity !== undefined && spec.holderIdentity === '')
    errors.push('spec.holderIdentity: Invalid value: "": must not be empty');
  return errors;
}
export const leaseStrategy: Strategy = {
  validate: validateLease,
  validateUpdate: (draft) => validateLease(draft),
  createOnUpdate: true,
  conditionalUpdate: true,
};

export const priorityClassStrategy: Strategy = {
  prepareForCreate(draft) {
    draft.metadata.generation = 1;
    draft.preemptionPolicy ??= 'PreemptLowerPriority';
  },
  validate(draft) {
    const name = draft.metadata.name;
    const errors: string[] = [];
    if (name.startsWith('system-') && name !== 'system-node-critical' && name !== 'system-cluster-critical')
      errors.push(
        `metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`,
      );
    else if (Number(draft.value) > 1_000_000_000 && !name.startsWith('system-'))
      errors.push('value: Forbidden: maximum allowed value of a user defined priority is 1000000000');
    return errors;
  },
  validateUpdate: (draft, old) => [
    ...(draft.value === old.value ? [] : ['value: Forbidden: may not be changed in an update.']),
    ...(draft.preemptionPolicy === old.preemptionPolicy || !draft.preemptionPolicy
      ? []
      : [`preemptionPolicy: Invalid value: ${JSON.stringify(draft.preemptionPolicy)}: field is immutable`]),
  ],
};

export const runtimeClassStrategy: Strategy = {
  validate: (draft) =>
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(String(draft.handler))
      ? []
      : [
          `handler: Invalid value: ${JSON.stringify(draft.handler)}: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
        ],
  validateUpdate: (draft, old) =>
    draft.handler === old.handler
      ? []
      : [`handler: Invalid value: ${JSON.stringify(draft.handler)}: field is immutable`],
};
