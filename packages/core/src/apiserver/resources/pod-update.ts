import { computePodQOS } from '../../api/pod/qos.js';
import { semanticEqual } from '../../api/semantic.js';
import type {
  Container,
  ContainerStatus,
  Pod,
  ResourceList,
  ResourceRequirements,
  Toleration,
} from '../../api/types.js';
import { validatePod } from '../../api/validation.js';
import { copyJSON, textOfJSON } from '../json.js';

const forbiddenUpdate =
  'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

interface Gated {
  schedulingGates?: { name: string }[];
}

/**
 * Returns the errors of an update of a pod. Upstream's text goes on with a dump of the differences; here it ends before
 * it. Upstream lets gated pods make node selector and affinity narrower; here they may not.
 * upstream: pkg/apis/core/validation ValidatePodUpdate
 */
export function validatePodUpdate(now: Pod, before: Pod): string[] {
  const errors = ofWhole(now, before);
  for (const [field, a, b] of [
    ['containers', now.spec.containers, before.spec.containers],
    ['initContainers', now.spec.initContainers ?? [], before.spec.initContainers ?? []],
  ] as const) {
    if (a.length !== b.length)
      return [...errors, `spec.${field}: Forbidden: pod updates may not add or remove containers`];
    for (const [i, c] of a.entries()) if (!c.image) errors.push(`spec.${field}[${i}].image: Required value`);
  }
  const late = deadline(now, before);
  if (late !== null) return [...errors, late];
  const withoutSeconds = ({ tolerationSeconds: _, ...rest }: Toleration) => textOfJSON(rest);
  const kept = new Set((now.spec.tolerations ?? []).map(withoutSeconds));
  for (const old of before.spec.tolerations ?? []) {
    if (kept.has(withoutSeconds(old))) continue;
    errors.push('spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds');
    break;
  }
  const gates = new Set((before.spec as Gated).schedulingGates?.map((g) => g.name));
  for (const [i, gate] of ((now.spec as Gated).schedulingGates ?? []).entries())
    if (!gates.has(gate.name))
      errors.push(
        `spec.schedulingGates[${i}].name: Forbidden: only deletion is allowed, but found new scheduling gate '${gate.name}'`,
      );
  const munged = copyJSON(now);
  for (const [i, c] of munged.spec.containers.entries()) imageOf(c, before.spec.containers[i]);
  for (const [i, c] of (munged.spec.initContainers ?? []).entries()) imageOf(c, before.spec.initContainers?.[i]);
  replace(munged.spec, before.spec, 'activeDeadlineSeconds');
  replace(munged.spec, before.spec, 'tolerations');
  replace(munged.spec as Gated, before.spec as Gated, 'schedulingGates');
  if ((before.spec.terminationGracePeriodSeconds ?? 0) < 0 && now.spec.terminationGracePeriodSeconds === 1)
    replace(munged.spec, before.spec, 'terminationGracePeriodSeconds');
  if (!semanticEqual(munged.spec, before.spec)) errors.push(forbiddenUpdate);
  return errors;
}

function imageOf(c: Container, old: Container | undefined): void {
  if (old?.image === undefined) delete c.image;
  else c.image = old.image;
}
function replace<T extends object, K extends keyof T>(to: T, from: T, key: K): void {
  if (from[key] === undefined) delete to[key];
  else to[key] = copyJSON(from[key]);
}

function deadline(now: Pod, before: Pod): string | null {
  const [a, b] = [now.spec.activeDeadlineSeconds, before.spec.activeDeadlineSeconds];
  const path = 'spec.activeDeadlineSeconds: Invalid value';
  if (a !== undefined && a !== null) {
    if (a < 0 || a > 2147483647) return `${path}: ${a}: must be between 0 and 2147483647, inclusive`;
    if (b !== undefined && b !== null && b < a) return `${path}: ${a}: must be less than or equal to previous value`;
  } else if (b !== undefined && b !== null)
    return `${path}: null: must not update from a positive integer to nil value`;
  return null;
}

/** Errors of the object as such; those that it had already do not count. */
function ofWhole(now: Pod, before: Pod): string[] {
  const withoutEphemeral = (pod: Pod): Pod => {
    const { ephemeralContainers: _, ...spec } = pod.spec;
    return { ...pod, spec };
  };
  const known = new Set(validatePod(withoutEphemeral(before)));
  return validatePod(withoutEphemeral(now)).filter((e) => !known.has(e) && !/\.image: Required value/.test(e));
}

const sizes = ['cpu', 'memory'];
/** Resources without what a resize may change. */
const fixedPart = (r: ResourceRequirements | undefined): object => {
  const others = (list: ResourceList | undefined) =>
    Object.fromEntries(Object.entries(list ?? {}).filter(([k]) => !sizes.includes(k)));
  return { limits: others(r?.limits), requests: others(r?.requests), claims: r?.claims ?? [] };
};

function removed(now: ResourceRequirements | undefined, old: ResourceRequirements | undefined, path: string): string[] {
  const lost = (a: ResourceList = {}, b: ResourceList = {}) => Object.keys(b).some((k) => !Object.hasOwn(a, k));
  return [
    ...(lost(now?.requests, old?.requests) ? [`${path}.requests: Forbidden: resource requests cannot be removed`] : []),
    ...(lost(now?.limits, old?.limits) ? [`${path}.limits: Forbidden: resource limits cannot be removed`] : []),
  ];
}

/** upstream: pkg/apis/core/validation ValidatePodResize */
export function validatePodResize(now: Pod, before: Pod): string[] {
  if (before.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined)
    return [': Forbidden: static pods cannot be resized'];
  if (before.spec.os?.name === 'windows') return [': Forbidden: windows pods cannot be resized'];
  const errors = ofWhole(now, before);
  const qos = before.status.qosClass;
  if (qos && computePodQOS({ ...now, status: {} }) !== qos)
    errors.push(`spec: Invalid value: ${JSON.stringify(qos)}: Pod QOS Class may not change as a result of resizing`);
  // A kubelet that knows of resizes tells the resources of what runs.
  const running = (before.status.containerStatuses ?? []).find((c) => c.state?.running);
  if (running && !running.resources) errors.push('spec: Forbidden: Pod running on node without support for resize');
  const moved = ordering(now, before);
  if (moved.length > 0) return [...errors, ...moved];
  const munged = copyJSON(now);
  for (const [i, c] of munged.spec.containers.entries()) {
    const was = before.spec.containers[i] as Container;
    errors.push(...removed(c.resources, was.resources, `spec.containers[${i}].resources`));
    if (!settled(c, was)) errors.push('spec: Forbidden: only cpu and memory resources are mutable');
  }
  for (const [i, c] of (munged.spec.initContainers ?? []).entries()) {
    const was = before.spec.initContainers?.[i] as Container;
    const at = `spec.initContainers[${i}]`;
    const changed = !semanticEqual(c, was);
    errors.push(...removed(c.resources, was.resources, `${at}.resources`));
    if (!settled(c, was))
      errors.push(`${at}: Forbidden: only cpu and memory resources for init or sidecar containers are mutable`);
    const restarted = was.resizePolicy?.some((p) => p.restartPolicy === 'RestartContainer');
    if (changed && was.restartPolicy !== 'Always' && restarted)
      errors.push(
        `${at}: Forbidden: non-sidecar init containers with a resize policy of RestartContainer cannot be resized`,
      );
  }
  if (before.spec.resources && !munged.spec.resources)
    errors.push('spec.resources: Forbidden: pod-level resources cannot be removed');
  if (errors.length > 0) return errors;
  if (munged.spec.resources && semanticEqual(fixedPart(munged.spec.resources), fixedPart(before.spec.resources)))
    replace(munged.spec, before.spec, 'resources');
  return semanticEqual(munged.spec, before.spec) ? [] : ['spec: Forbidden: only cpu and memory resources are mutable'];
}

/** Returns true if nothing but cpu and memory differs; the container is then as it was. */
function settled(c: Container, was: Container): boolean {
  if (!semanticEqual(fixedPart(c.resources), fixedPart(was.resources))) return false;
  replace(c, was, 'resources');
  return semanticEqual(c, was);
}

function ordering(now: Pod, before: Pod): string[] {
  return (['containers', 'initContainers'] as const).flatMap((field) => {
    const [a, b] = [now.spec[field] ?? [], before.spec[field] ?? []];
    if (a.length !== b.length) return [`spec.${field}: Forbidden: ${field} may not be added or removed on resize`];
    return b.flatMap((c, i) =>
      a[i]?.name === c.name
        ? []
        : [`spec.${field}[${i}].name: Forbidden: ${field} may not be renamed or reordered on resize`],
    );
  });
}

/** The first of each name: looking through the list for each name would take quadratic time. */
export function byName<T extends { readonly name: string }>(list: readonly T[]): ReadonlyMap<string, T> {
  const out = new Map<string, T>();
  for (const item of list) if (!out.has(item.name)) out.set(item.name, item);
  return out;
}

/** A container that ended for good does not come back. upstream: ValidateContainerStateTransition and its like */
export function validateContainerStates(now: Pod, before: Pod): string[] {
  const { spec, status } = before;
  const gone = (
    field: 'containerStatuses' | 'initContainerStatuses' | 'ephemeralContainerStatuses',
    mayRestart: (was: ContainerStatus) => boolean,
  ): string[] => {
    const after = byName(now.status[field] ?? []);
    return (status[field] ?? []).flatMap((was, i) => {
      const is = after.get(was.name);
      return was.state?.terminated && is && !is.state?.terminated && !mayRestart(was)
        ? [`status.${field}[${i}].state: Forbidden: may not be transitioned to non-terminated state`]
        : [];
    });
  };
  const code = (s: ContainerStatus) => s.state.terminated?.exitCode ?? 0;
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  const everyMay = all.some((c) => c.restartPolicyRules?.some((r) => r.action === 'RestartAllContainers'));
  const containers = byName(spec.containers);
  const inits = byName(spec.initContainers ?? []);
  const own = (s: ContainerStatus) => everyMay || restarts(containers.get(s.name), spec.restartPolicy, code(s));
  const init = (s: ContainerStatus) => {
    const c = inits.get(s.name);
    return everyMay || c?.restartPolicy === 'Always' || restarts(c, spec.restartPolicy, code(s));
  };
  return [
    ...gone('containerStatuses', own),
    ...gone('initContainerStatuses', init),
    ...gone('ephemeralContainerStatuses', () => false),
  ];
}

/** upstream: podutil.ContainerShouldRestart */
function restarts(c: Container | undefined, podPolicy: string | undefined, exitCode: number): boolean {
  for (const { exitCodes } of c?.restartPolicyRules ?? []) {
    const has = exitCodes?.values?.includes(exitCode) ?? false;
    if (exitCodes && (exitCodes.operator === 'In' ? has : !has)) return true;
  }
  const policy = c?.restartPolicy ?? podPolicy;
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}
