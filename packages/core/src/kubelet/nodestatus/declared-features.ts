import { type Feature, type FeatureGates, featureEnabled } from '../features.js';

/** Features that a node says it has, each by the gate that turns it on. Sorted. */
const declarable = [
  'ExtendWebSocketsToKubelet',
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
] as const satisfies readonly Feature[];

/**
 * `userNamespacesHostNetwork`: the runtime can. upstream: component-helpers/nodedeclaredfeatures
 * (*Framework).DiscoverNodeFeatures
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
