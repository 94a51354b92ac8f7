import type { Pod } from '../api/types.js';

/** One condition on a label or field. upstream: v1.NodeSelectorRequirement */
interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms?: readonly {
        readonly matchExpressions?: readonly Requirement[];
        readonly matchFields?: readonly Requirement[];
      }[];
    };
  };
}

/** Labels that a kubelet gives its node without being told. upstream: kubelet_node_status.go initialNode */
export const nodeLabels = (nodeName: string): Readonly<Record<string, string>> => ({
  'beta.kubernetes.io/arch': 'amd64',
  'beta.kubernetes.io/os': 'linux',
  'kubernetes.io/arch': 'amd64',
  'kubernetes.io/hostname': nodeName,
  'kubernetes.io/os': 'linux',
});

/** Whether the node has what nodeSelector and required affinity ask for. upstream: component-helpers nodeaffinity GetRequiredNodeAffinity */
export function matchesNodeAffinity(pod: Pod, nodeName: string): boolean {
  const labels = nodeLabels(nodeName);
  if (Object.entries(pod.spec.nodeSelector ?? {}).some(([k, v]) => labels[k] !== v)) return false;
  const terms = (pod.spec.affinity as Affinity | undefined)?.nodeAffinity
    ?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (!terms) return true;
  // Any term will do; one that says nothing matches nothing.
  return terms.some(({ matchExpressions = [], matchFields = [] }) => {
    if (matchExpressions.length + matchFields.length === 0) return false;
    return (
      matchExpressions.every((r) => holds(r, labels)) &&
      matchFields.every((r) => holds(r, { 'metadata.name': nodeName }))
    );
  });
}

/** upstream: labels.Requirement.Matches */
function holds({ key, operator, values = [] }: Requirement, of: Readonly<Record<string, string>>): boolean {
  const value = of[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}
