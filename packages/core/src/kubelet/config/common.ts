import { podFromJSON } from '../../api/decode.js';
import type { Pod } from '../../api/types.js';
import { validatePod } from '../../api/validation.js';
import { parseManifest } from '../../api/yaml.js';
import { canonicalJSON } from '../../base/deep.js';
import { fnv128a } from '../../base/index.js';
import { defaultGates, type FeatureConfig, featureEnabled } from '../features.js';
import { ConfigHashAnnotationKey } from '../types/pod-update.js';
import { staticPodReference } from './static-pod-reference.js';

/** upstream: pkg/kubelet/config/common.go maxConfigLength */
export const maxConfigLength = 10 * 1024 * 1024;

export interface DefaultsOptions {
  /** File name or URL. */
  readonly source: string;
  readonly isFile: boolean;
  readonly nodeName: string;
  /** Default: as they are by default. */
  readonly gates?: FeatureConfig;
  /** Takes out what this version of the kubelet does not know. */
  readonly onDecoded?: OnDecoded;
}

/** Changes a pod that was just decoded; what it returns is called once the pod has its name and UID. */
export type OnDecoded = (pod: Pod) => () => void;

/**
 * Fills in what a static pod gets from its node: uid, name, namespace, hash. Changes the pod.
 * upstream: common.go applyDefaults
 */
export function applyDefaults(pod: Pod, { source, isFile, nodeName }: DefaultsOptions): void {
  const { metadata } = pod;
  if (!metadata.uid)
    metadata.uid = fnv128a(canonicalJSON(pod) + (isFile ? `host:${nodeName}file:${source}` : `url:${source}`));
  metadata.name = `${metadata.name}-${nodeName.toLowerCase()}`;
  if (!metadata.namespace) metadata.namespace = 'default';
  pod.spec.nodeName = nodeName;
  metadata.annotations = { ...metadata.annotations, [ConfigHashAnnotationKey]: metadata.uid };
  if (isFile) addNoExecuteToleration(pod);
  pod.status = { ...pod.status, phase: 'Pending' };
}

/** upstream: pkg/apis/core/helper AddOrUpdateTolerationInPod */
function addNoExecuteToleration(pod: Pod): void {
  const tolerations = pod.spec.tolerations ?? [];
  const same = tolerations.some(
    (t) =>
      !t.key && !t.value && t.operator === 'Exists' && t.effect === 'NoExecute' && t.tolerationSeconds === undefined,
  );
  if (!same) pod.spec.tolerations = [...tolerations, { operator: 'Exists', effect: 'NoExecute' }];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL ends a path
const isPath = /^\.\.?$|[/\u0000]/;

export type DecodeResult =
  | { readonly parsed: true; readonly pod: Pod }
  /** `parsed`: it is a pod, but not one that may run here. */
  | { readonly parsed: boolean; readonly error: Error };

/** A manifest as one pod, with its defaults. Never throws. upstream: common.go tryDecodeSinglePod */
export function tryDecodeSinglePod(data: string, options: DefaultsOptions): DecodeResult {
  try {
    return tryDecodePod(parseManifest(data), options);
  } catch (err) {
    return { parsed: false, error: err as Error };
  }
}

/** The same for a value that was parsed already. */
export function tryDecodePod(value: unknown, options: DefaultsOptions): DecodeResult {
  let pod: Pod;
  try {
    pod = podFromJSON(value);
  } catch (err) {
    return { parsed: false, error: err as Error };
  }
  const no = (error: string): DecodeResult => ({ parsed: true, error: new Error(error) });
  if (!pod.metadata.name) return no('invalid pod: name is needed for the pod');
  // The uid names the folders of the pod. Upstream does not check it; only the writer of a manifest can choose it.
  const { uid } = pod.metadata;
  if (uid && isPath.test(uid))
    return no(
      `invalid pod: metadata.uid: Invalid value: ${JSON.stringify(uid)}: must be usable as the name of a folder`,
    );
  const accepted = options.onDecoded?.(pod);
  applyDefaults(pod, options);
  accepted?.();
  const { gates = defaultGates } = options;
  const errors = validatePod(pod, {
    allowContainerRestartPolicyRules: featureEnabled(gates, 'ContainerRestartRules'),
    allowRestartAllContainers: featureEnabled(gates, 'RestartAllContainersOnContainerExits'),
  });
  if (errors.length > 0) return no(`invalid pod: ${errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`}`);
  if (featureEnabled(gates, 'PreventStaticPodAPIReferences')) {
    const resource = staticPodReference(pod);
    if (resource) return no(`static pods may not reference ${resource}`);
  } else {
    const trustBundle = (pod.spec.volumes ?? []).some((v) =>
      v.projected?.sources?.some((s) => s.clusterTrustBundle !== undefined),
    );
    if (trustBundle) return no('static pods may not use ClusterTrustBundle projected volume sources');
    if ((pod.spec as { resourceClaims?: unknown[] }).resourceClaims?.length)
      return no('static pods may not use ResourceClaims');
  }
  return { parsed: true, pod };
}
