import { isRestartableInitContainer } from '../../api/pod/podutil.js';
import { semanticEqual } from '../../api/semantic.js';
import type { Pod } from '../../api/types.js';
import { type Feature, type FeatureGates, featureEnabled } from '../features.js';

/** Features that a node says it has, each by the gate that turns it on. Sorted. */
const declarable = [
  'ExtendWebSocketsToKubelet',
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
] as const satisfies readonly Feature[];

/**
 * Finds the features that the node declares. `userNamespacesHostNetwork`: the runtime can.
 * upstream: component-helpers/nodedeclaredfeatures (*Framework).DiscoverNodeFeatures
 */
export function discoverNodeDeclaredFeatures(
  config: { readonly featureGates: FeatureGates },
  userNamespacesHostNetwork: boolean,
): string[] {
  const features: string[] = declarable.filter((f) => featureEnabled(config, f));
  if (userNamespacesHostNetwork && featureEnabled(config, 'UserNamespacesHostNetworkSupport'))
    features.push('UserNamespacesHostNetworkSupport');
  return features;
}

/**
 * Features that an update of a pod needs, and this node does not declare. None if the gate NodeDeclaredFeatures is
 * off. upstream: component-helpers/nodedeclaredfeatures (*Framework).InferForPodUpdate, MatchNodeFeatureSet
 */
export function missingForUpdate(
  config: { readonly featureGates: FeatureGates },
  { spec: before }: Pod,
  { spec: after }: Pod,
): readonly Feature[] {
  if (!featureEnabled(config, 'NodeDeclaredFeatures')) return [];
  const needed: Feature[] = [];
  if (!semanticEqual(before.resources, after.resources)) needed.push('InPlacePodLevelResourcesVerticalScaling');
  const resized = (before.initContainers ?? []).some(
    (c, i) => !isRestartableInitContainer(c) && !semanticEqual(c.resources, after.initContainers?.[i]?.resources),
  );
  if (resized) needed.push('InPlacePodVerticalScalingInitContainers');
  return needed.filter((feature) => !featureEnabled(config, feature));
}
