import type { Pod } from '../../api/types.js';
import { isObject } from '../../base/index.js';
import type { UnknownField, UnknownFields } from '../era/types.js';
import { type FeatureConfig, featureEnabled } from '../features.js';

interface Field {
  /** From `spec`; `[]` is any element of a list, `containers*` the containers of all three kinds. */
  readonly path: string;
  readonly since: number;
  readonly on?: number;
  readonly gate?: string;
  readonly then?: UnknownField['then'];
  /** A kubelet that knows it keeps it while its gate is off, and then does nothing for it. */
  readonly kept?: true;
}

const field = (path: string, since: number, on?: number, gate?: string, then?: UnknownField['then']): Field => ({
  path,
  since,
  ...(then && { then }),
  ...(on !== undefined && { on }),
  ...(gate !== undefined && { gate }),
});

/**
 * Fields of a pod that came after v1.11 and that the kubelet acts on: since which version the API has them, since which
 * they work without a gate that is set. upstream: pkg/apis/core/types.go, pkg/features/kube_features.go
 */
export const fields: readonly Field[] = [
  field('runtimeClassName', 12, 14, 'RuntimeClass'),
  field('overhead', 16, 18, 'PodOverhead'),
  field('ephemeralContainers', 16, 23, 'EphemeralContainers'),
  field('setHostnameAsFQDN', 19, 20, 'SetHostnameAsFQDN'),
  field('os', 23, 24, 'IdentifyPodOS'),
  field('hostUsers', 25, 33, 'UserNamespacesSupport'),
  field('schedulingGates', 26, 27, 'PodSchedulingReadiness'),
  field('resourceClaims', 26, 34, 'DynamicResourceAllocation'),
  field('resources', 32, 34, 'PodLevelResources'),
  field('hostnameOverride', 34, 35, 'HostnameOverride'),
  field('securityContext.fsGroupChangePolicy', 18, 20, 'ConfigurableFSGroupPolicy'),
  field('securityContext.seccompProfile', 19, 19),
  field('securityContext.appArmorProfile', 30, 30),
  field('securityContext.supplementalGroupsPolicy', 31, 33, 'SupplementalGroupsPolicy'),
  field('volumes[].csi', 15, 16, 'CSIInlineVolume'),
  field('volumes[].ephemeral', 19, 21, 'GenericEphemeralVolume'),
  field('volumes[].image', 31, 35, 'ImageVolume'),
  field('volumes[].projected.sources[].clusterTrustBundle', 27, undefined, 'ClusterTrustBundleProjection'),
  field('volumes[].projected.sources[].podCertificate', 34, undefined, 'PodCertificateRequest'),
  field('containers*[].startupProbe', 16, 18, 'StartupProbe'),
  field('containers*[].livenessProbe.grpc', 23, 24, 'GRPCContainerProbe'),
  field('containers*[].readinessProbe.grpc', 23, 24, 'GRPCContainerProbe'),
  field('containers*[].startupProbe.grpc', 23, 24, 'GRPCContainerProbe'),
  field('containers*[].livenessProbe.terminationGracePeriodSeconds', 21, 25, 'ProbeTerminationGracePeriod'),
  field('containers*[].startupProbe.terminationGracePeriodSeconds', 21, 25, 'ProbeTerminationGracePeriod'),
  field('containers*[].resizePolicy', 27, 33, 'InPlacePodVerticalScaling'),
  field('initContainers[].restartPolicy', 28, 29, 'SidecarContainers', {
    en: 'it is not a sidecar: the pod waits for its end as for that of any init container',
    zh: '它不是 sidecar：Pod 会像等待其他 init 容器一样等它结束',
  }),
  { ...field('containers*[].lifecycle.preStop.sleep', 29, 30, 'PodLifecycleSleepAction'), kept: true },
  { ...field('containers*[].lifecycle.postStart.sleep', 29, 30, 'PodLifecycleSleepAction'), kept: true },
  field('containers*[].lifecycle.stopSignal', 33, undefined, 'ContainerStopSignals'),
  field('containers[].restartPolicy', 34, 35, 'ContainerRestartRules'),
  field('containers*[].restartPolicyRules', 34, 35, 'ContainerRestartRules'),
  field('containers*[].securityContext.procMount', 12, 33, 'ProcMountType'),
  field('containers*[].securityContext.seccompProfile', 19, 19),
  field('containers*[].securityContext.appArmorProfile', 30, 30),
  field('containers*[].volumeMounts[].subPathExpr', 14, 15, 'VolumeSubpathEnvExpansion'),
  field('containers*[].volumeMounts[].recursiveReadOnly', 30, 31, 'RecursiveReadOnlyMounts'),
  field('containers*[].env[].valueFrom.fileKeyRef', 34, 35, 'EnvFiles'),
];

type Values = { [key: string]: unknown };

/** Returns the reason why a version does not act on this field; null if it does. */
function missing(of: Field, minor: number, gates: FeatureConfig): Omit<UnknownField, 'field' | 'container'> | null {
  const { since, on, gate, then } = of;
  const reason = { since, ...(on !== undefined && { on }), ...(then && { then }) };
  if (minor < since) return reason;
  if (gate === undefined || (on !== undefined && minor >= on)) return null;
  if (gates.featureGates[gate] === true && featureEnabled(gates, gate as Parameters<typeof featureEnabled>[1]))
    return null;
  return { ...reason, gate };
}

/**
 * Searches a pod's spec, or a part of one, for the fields that a version does not act on. `found` is called with the
 * object that has the field, and its key.
 */
function search(
  spec: unknown,
  minor: number,
  gates: FeatureConfig,
  found: (unknown: UnknownField, owner: Values, key: string, kept: boolean) => void,
): void {
  for (const one of fields) {
    const why = missing(one, minor, gates);
    if (!why) continue;
    const steps = one.path.replace('containers*', 'containers').split('.');
    const lists = one.path.startsWith('containers*') ? ['containers', 'initContainers', 'ephemeralContainers'] : [null];
    const name = one.path.replace(/^(?:\w*ontainers\*?\[\]\.)/, '').replaceAll('[]', '');
    for (const list of lists) {
      const path = list === null ? steps : [`${list}[]`, ...steps.slice(1)];
      walk(spec, path, undefined, (owner, key, container) =>
        found(
          { field: name, ...(container !== undefined && { container }), ...why },
          owner,
          key,
          one.kept === true && minor >= one.since,
        ),
      );
    }
  }
}

function walk(
  at: unknown,
  [step = '', ...rest]: readonly string[],
  container: string | undefined,
  found: (owner: Values, key: string, container: string | undefined) => void,
): void {
  if (!isObject(at)) return;
  const key = step.replace('[]', '');
  const value = Object.hasOwn(at, key) ? at[key] : undefined;
  if (value === undefined || value === null) return;
  if (rest.length === 0) found(at, key, container);
  else if (!step.endsWith('[]')) walk(value, rest, container, found);
  else if (Array.isArray(value))
    for (const one of value) {
      const name = /ontainers$/.test(key) && isObject(one) && typeof one.name === 'string' ? one.name : container;
      walk(one, rest, name, found);
    }
}

/** The fields of a spec that a version does not act on. The spec may be of a patch: a part. */
function unknownFields(spec: unknown, minor: number, gates: FeatureConfig): readonly UnknownField[] {
  const list: UnknownField[] = [];
  search(spec, minor, gates, (unknown) => list.push(unknown));
  return list;
}

/**
 * Takes these fields out of a pod that was just decoded: the decoder of that version does not have them, or its API
 * server drops them while their gate is off.
 */
function dropUnknownFields(pod: Pod, minor: number, gates: FeatureConfig): readonly UnknownField[] {
  const list: UnknownField[] = [];
  search(pod.spec, minor, gates, (unknown, owner, key, kept) => {
    list.push(unknown);
    if (!kept) delete owner[key];
  });
  // A volume without a source is an emptyDir. upstream: pkg/apis/core/v1/defaults.go SetDefaults_Volume
  for (const volume of pod.spec.volumes ?? [])
    if (Object.keys(volume).length === 1) (volume as { emptyDir?: object }).emptyDir = {};
  return list;
}

/** The rule of the version with this minor number. */
export const fieldsOf = (minor: number): UnknownFields => ({
  in: (spec, gates) => unknownFields(spec, minor, gates),
  drop: (pod, gates) => dropUnknownFields(pod, minor, gates),
});
