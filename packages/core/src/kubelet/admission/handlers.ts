import { containerIter } from '../../api/pod/podutil.js';
import type { Pod } from '../../api/types.js';
import type { KubeletConfig } from '../config.js';
import { featureEnabled } from '../features.js';
import { appArmorProfileOf, appArmorRequired } from '../util/apparmor.js';
import { no, type PodAdmitHandler } from './types.js';

/**
 * Builds the handler for AppArmor. `enabled`: the host can confine.
 * upstream: pkg/kubelet/lifecycle/handlers.go appArmorAdmitHandler
 */
export function newAppArmorAdmitHandler(enabled: boolean): PodAdmitHandler {
  const wrong = (pod: Pod): string | null => {
    if (!appArmorRequired(pod)) return null;
    if (!enabled) return 'AppArmor is not enabled on the host';
    for (const [c] of containerIter(pod.spec)) {
      const profile = appArmorProfileOf(pod, c);
      if (profile?.type === 'Localhost' && !profile.localhostProfile?.trim())
        return `invalid empty AppArmor profile name: ${JSON.stringify(profile.localhostProfile ?? '')}`;
    }
    return null;
  };
  return {
    name: 'AppArmor',
    *admit({ pod }) {
      // A pod that runs already, or has ended, is not judged again.
      if (pod.status.phase !== 'Pending') return { admit: true };
      const error = wrong(pod);
      return error ? no('AppArmor', `Cannot enforce AppArmor: ${error}`) : { admit: true };
    },
  };
}

/** upstream: pkg/kubelet/lifecycle/handlers.go podFeaturesAdmitHandler, isPodLevelResourcesSupported */
export function newPodFeaturesAdmitHandler(config: Pick<KubeletConfig, 'featureGates'>): PodAdmitHandler {
  return {
    name: 'pod features',
    *admit({ pod }) {
      const { requests, limits } = pod.spec.resources ?? {};
      const own = Object.keys({ ...requests, ...limits }).length > 0;
      return own && !featureEnabled(config, 'PodLevelResources')
        ? no('PodLevelResourcesNotSupported', 'PodLevelResources feature gate is disabled')
        : { admit: true };
    },
  };
}

/** Features that pods may need of a node that declares its own. upstream: component-helpers nodedeclaredfeatures */
const declared: readonly {
  readonly name: string;
  readonly needed: (pod: Pod) => boolean;
  readonly there: (config: Pick<KubeletConfig, 'featureGates'>) => boolean;
}[] = [
  {
    name: 'RestartAllContainersOnContainerExits',
    needed: ({ spec }) =>
      [...spec.containers, ...(spec.initContainers ?? [])].some((c) =>
        c.restartPolicyRules?.some((r) => r.action === 'RestartAllContainers'),
      ),
    there: (config) => featureEnabled(config, 'RestartAllContainersOnContainerExits'),
  },
  {
    name: 'UserNamespacesHostNetworkSupport',
    needed: ({ spec }) => (spec.hostNetwork ?? false) && spec.hostUsers === false,
    // It takes a runtime that says so, too; none does.
    there: () => false,
  },
];

/** upstream: pkg/kubelet/lifecycle/handlers.go declaredFeaturesAdmitHandler */
export function newDeclaredFeaturesAdmitHandler(config: Pick<KubeletConfig, 'featureGates'>): PodAdmitHandler {
  return {
    name: 'declared features',
    *admit({ pod }) {
      const missing = declared.filter((f) => f.needed(pod) && !f.there(config)).map((f) => f.name);
      return missing.length > 0
        ? no('PodFeatureUnsupported', `Pod requires node features that are not available: ${missing.join(', ')}`)
        : { admit: true };
    },
  };
}
