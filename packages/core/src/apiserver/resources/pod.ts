import { setPodDefaults } from '../../api/defaults.js';
import { computePodQOS } from '../../api/pod/qos.js';
import { semanticEqual } from '../../api/semantic.js';
import type { Pod, PodStatus, Toleration } from '../../api/types.js';
import { validatePod } from '../../api/validation.js';
import { copyJSON, equalJSON, type JsonObject } from '../json.js';
import { isLabel } from '../registry/names.js';
import type { Env, Strategy, Subresource } from '../registry/resource.js';
import { forbidden } from '../status.js';
import type { ApiObject } from '../types.js';
import { byName, validateContainerStates, validatePodResize, validatePodUpdate } from './pod-update.js';

export const asPod = (o: ApiObject): Pod => o as unknown as Pod;

/** upstream: pkg/registry/core/pod podStrategy, and the admission plug-ins that are on by default */
export const podStrategy: Strategy = {
  defaults(draft) {
    normalize(draft);
    setPodDefaults(asPod(draft));
  },
  prepareForCreate(draft, env) {
    draft.status = { phase: 'Pending' };
    draft.metadata.generation = 1;
    const pod = asPod(draft);
    for (const message of missing(pod)) env.warn(message);
    admitServiceAccount(draft, env);
    admitPriority(draft, env);
    admitTolerations(pod);
    pod.status.qosClass = qosOf(pod);
    if ((draft.spec as { schedulingGates?: unknown[] }).schedulingGates?.length)
      (draft.status as JsonObject).conditions = [
        {
          type: 'PodScheduled',
          status: 'False',
          lastProbeTime: null,
          lastTransitionTime: env.now,
          reason: 'SchedulingGated',
          message: 'Scheduling is blocked due to non-empty scheduling gates',
        },
      ];
  },
  prepareForUpdate(draft, old) {
    draft.status = copyJSON(old.status);
    // An update need not repeat what admission set at the creation.
    const [spec, before] = [draft.spec as JsonObject, old.spec as JsonObject];
    for (const field of ['priority', 'preemptionPolicy'] as const)
      if (spec[field] === undefined && before[field] !== undefined) spec[field] = before[field];
    admitTolerations(asPod(draft));
    if (!semanticEqual(draft.spec, old.spec)) draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  // The name and its like are looked at for all resources alike.
  validate: (draft) => validatePod(asPod(draft)).filter((e) => !e.startsWith('metadata.')),
  validateUpdate: (draft, old) => validatePodUpdate(asPod(draft), asPod(old)),
  graceOf(object, asked) {
    const { spec, status } = asPod(object);
    let grace = asked ?? spec.terminationGracePeriodSeconds ?? 0;
    // A pod without a node has no kubelet that could report its end.
    if (!spec.nodeName || status.phase === 'Failed' || status.phase === 'Succeeded') grace = 0;
    return grace < 0 ? 1 : grace;
  },
  returnsDeleted: true,
};

function qosOf(pod: Pod): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  try {
    return computePodQOS(pod);
  } catch {
    return 'BestEffort';
  }
}

/** Fills in what Go's decoder would have made of fields that are there but empty. */
function normalize(draft: ApiObject): void {
  const spec = (draft.spec ?? {}) as JsonObject;
  draft.spec = spec;
  spec.containers ??= [];
  // The old name of the field goes along with the new one.
  if (spec.serviceAccount && !spec.serviceAccountName) spec.serviceAccountName = spec.serviceAccount;
  if (spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName;
}

/** upstream: pkg/api/pod/warnings.go */
function missing(pod: Pod): string[] {
  const out: string[] = [];
  for (const [field, list] of [
    ['initContainers', pod.spec.initContainers ?? []],
    ['containers', pod.spec.containers],
  ] as const)
    for (const [i, c] of list.entries()) {
      const seen = new Map<string, number>();
      for (const [j, e] of (c.env ?? []).entries()) {
        const before = seen.get(e.name);
        if (before !== undefined)
          out.push(
            `spec.${field}[${i}].env[${j}]: hides previous definition of ${JSON.stringify(e.name)}, which may be dropped when using apply`,
          );
        seen.set(e.name, j);
      }
    }
  const label = isLabel(pod.metadata.name);
  if (pod.metadata.name && label.length > 0)
    out.push(
      `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${label.join(' ')}]`,
    );
  return out;
}

/** upstream: plugin/pkg/admission/serviceaccount. Off unless the option of the server turns it on. */
function admitServiceAccount(draft: ApiObject, env: Env): void {
  if (!env.serviceAccountAdmission) return;
  const spec = draft.spec as JsonObject & {
    volumes?: JsonObject[];
    containers: JsonObject[];
    initContainers?: JsonObject[];
  };
  if (draft.metadata.annotations?.['kubernetes.io/config.mirror']) return;
  const namespace = draft.metadata.namespace as string;
  const name = (spec.serviceAccountName as string) || 'default';
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
  const account = env.lookup('serviceaccounts', namespace, name);
  if (!account)
    throw forbidden(
      { group: '', resource: 'pods' },
      draft.metadata.name,
      `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`,
    );
  const pull = account.imagePullSecrets as JsonObject[] | undefined;
  if (pull && !(spec.imagePullSecrets as unknown[] | undefined)?.length) spec.imagePullSecrets = copyJSON(pull);
  if ((spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) === false) return;
  const path = '/var/run/secrets/kubernetes.io/serviceaccount';
  const all = [...(spec.initContainers ?? []), ...spec.containers];
  const mounts = (c: JsonObject) => (c.volumeMounts as JsonObject[] | undefined) ?? [];
  const without = all.filter((c) => !mounts(c).some((m) => m.mountPath === path));
  if (without.length === 0) return;
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  const volume = `kube-api-access-${Array.from({ length: 5 }, () => letters[env.random.below(letters.length)]).join('')}`;
  for (const c of without) c.volumeMounts = [...mounts(c), { name: volume, readOnly: true, mountPath: path }];
  spec.volumes = [
    ...(spec.volumes ?? []),
    {
      name: volume,
      projected: {
        sources: [
          { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
          { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
          {
            downwardAPI: {
              items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
            },
          },
        ],
        defaultMode: 0o644,
      },
    },
  ];
}

/** upstream: plugin/pkg/admission/priority */
function admitPriority(draft: ApiObject, env: Env): void {
  const spec = draft.spec as JsonObject;
  const no = (why: string) => forbidden({ group: '', resource: 'pods' }, draft.metadata.name, why);
  const name = spec.priorityClassName as string | undefined;
  let found: ApiObject | undefined;
  if (name) {
    found = env.lookup('priorityclasses.scheduling.k8s.io', '', name);
    if (!found) throw no(`no PriorityClass with name ${name} was found`);
  } else {
    found = env.listOf('priorityclasses.scheduling.k8s.io').find((c) => c.globalDefault);
    if (found) spec.priorityClassName = found.metadata.name;
  }
  const priority = Number(found?.value ?? 0);
  const policy = (found?.preemptionPolicy as string | undefined) ?? 'PreemptLowerPriority';
  if (spec.priority !== undefined && spec.priority !== priority)
    throw no(
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy)
    throw no(
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  spec.priority = priority;
  spec.preemptionPolicy = policy;
}

/** upstream: plugin/pkg/admission/defaulttolerationseconds */
function admitTolerations({ spec }: Pod): void {
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
    const there = (spec.tolerations ?? []).some(
      (t: Toleration) => (t.key === key || !t.key) && (t.effect === 'NoExecute' || !t.effect),
    );
    if (!there)
      spec.tolerations = [
        ...(spec.tolerations ?? []),
        { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ];
  }
}

/** Keeps observed generations that a writer does not know of. upstream: preserveOldObservedGeneration */
function keepGenerations(status: PodStatus, before: PodStatus): void {
  if (!status.observedGeneration && before.observedGeneration) status.observedGeneration = before.observedGeneration;
  const known = new Map<string, number[]>();
  for (const c of before.conditions ?? []) known.set(c.type, [...(known.get(c.type) ?? []), c.observedGeneration ?? 0]);
  for (const c of status.conditions ?? []) {
    const old = known.get(c.type)?.shift() ?? 0;
    if (!c.observedGeneration && old) c.observedGeneration = old;
  }
}

/** upstream: podStatusStrategy */
export const podStatus: Subresource = {
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate(draft, old) {
    draft.spec = copyJSON(old.spec);
    if (old.metadata.ownerReferences) draft.metadata.ownerReferences = copyJSON(old.metadata.ownerReferences);
    else delete draft.metadata.ownerReferences;
    const status = (draft.status ?? {}) as JsonObject;
    draft.status = status;
    const before = (old.status ?? {}) as JsonObject;
    if (!status.qosClass && before.qosClass) status.qosClass = before.qosClass;
    keepGenerations(status as PodStatus, before as PodStatus);
  },
  validateUpdate(draft, old) {
    const errors: string[] = [];
    const [now, before] = [asPod(draft), asPod(old)];
    if (before.status.qosClass && now.status.qosClass !== before.status.qosClass)
      errors.push(`status.qosClass: Invalid value: ${JSON.stringify(now.status.qosClass)}: field is immutable`);
    const nominated = now.status.nominatedNodeName;
    if (nominated && before.spec.nodeName && nominated !== before.status.nominatedNodeName)
      errors.push('status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node');
    if (nominated && !/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(nominated))
      errors.push(
        `status.nominatedNodeName: Invalid value: ${JSON.stringify(nominated)}: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character`,
      );
    return [...errors, ...validateContainerStates(now, before)];
  },
};

/** upstream: podResizeStrategy */
export const podResize: Subresource = {
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate(draft, old) {
    normalize(draft);
    setPodDefaults(asPod(draft));
    draft.status = copyJSON(old.status);
    draft.metadata = {
      ...copyJSON(old.metadata),
      ...(draft.metadata.resourceVersion && { resourceVersion: draft.metadata.resourceVersion }),
    };
    if (!semanticEqual(draft.spec, old.spec)) draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validateUpdate: (draft, old) => validatePodResize(asPod(draft), asPod(old)),
};

/** upstream: podEphemeralContainersStrategy */
export const podEphemeralContainers: Subresource = {
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate(draft, old) {
    const given = (draft.spec as { ephemeralContainers?: unknown[] } | undefined)?.ephemeralContainers;
    draft.spec = { ...(copyJSON(old.spec) as JsonObject) };
    if (given) (draft.spec as JsonObject).ephemeralContainers = given;
    else delete (draft.spec as JsonObject).ephemeralContainers;
    draft.status = copyJSON(old.status);
    draft.metadata = {
      ...copyJSON(old.metadata),
      ...(draft.metadata.resourceVersion && { resourceVersion: draft.metadata.resourceVersion }),
    };
    setPodDefaults(asPod(draft));
    if (!semanticEqual(draft.spec, old.spec)) draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validateUpdate(draft, old) {
    const [now, before] = [asPod(draft), asPod(old)];
    if (before.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined)
      return [': Forbidden: static pods do not support ephemeral containers'];
    const errors: string[] = [];
    const list = now.spec.ephemeralContainers ?? [];
    const own = new Set(now.spec.containers.map((c) => c.name));
    const names = new Set([...own, ...(now.spec.initContainers ?? []).map((c) => c.name)]);
    for (const [i, c] of list.entries()) {
      const at = `spec.ephemeralContainers[${i}]`;
      if (!c.name) errors.push(`${at}.name: Required value`);
      else if (names.has(c.name)) errors.push(`${at}.name: Duplicate value: ${JSON.stringify(c.name)}`);
      names.add(c.name);
      if (!c.image) errors.push(`${at}.image: Required value`);
      for (const field of ['ports', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'] as const)
        if (c[field] !== undefined) errors.push(`${at}.${field}: Forbidden: cannot be set for an Ephemeral Container`);
      if (c.resources && Object.keys(c.resources).length > 0)
        errors.push(`${at}.resources: Forbidden: cannot be set for an Ephemeral Container`);
      const target = (c as { targetContainerName?: string }).targetContainerName;
      if (target && !own.has(target)) errors.push(`${at}.targetContainerName: Not found: ${JSON.stringify(target)}`);
    }
    const given = byName(list);
    for (const c of before.spec.ephemeralContainers ?? []) {
      const same = given.get(c.name);
      if (!same)
        errors.push(
          `spec.ephemeralContainers: Forbidden: existing ephemeral containers ${JSON.stringify(c.name)} may not be removed\n`,
        );
      else if (!equalJSON(same, c))
        errors.push(
          `spec.ephemeralContainers: Forbidden: existing ephemeral containers ${JSON.stringify(c.name)} may not be changed\n`,
        );
    }
    return errors;
  },
};
