import type { Pod } from '../types.js';

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

/** Labels that a kubelet sets on its node by default. upstream: kubelet_node_status.go initialNode */
export const nodeLabels = (nodeName: string, arch = 'amd64'): Readonly<Record<string, string>> => ({
  'beta.kubernetes.io/arch': arch,
  'beta.kubernetes.io/os': 'linux',
  'kubernetes.io/arch': arch,
  'kubernetes.io/hostname': nodeName,
  'kubernetes.io/os': 'linux',
});

/**
 * Returns true if the node matches the pod's nodeSelector and required affinity.
 * upstream: component-helpers nodeaffinity GetRequiredNodeAffinity
 */
export function matchesNodeAffinity(
  pod: Pod,
  { name: nodeName, labels }: { readonly name: string; readonly labels: Readonly<Record<string, string>> },
): boolean {
  const has = (k: string, v: string) => Object.hasOwn(labels, k) && labels[k] === v;
  if (Object.entries(pod.spec.nodeSelector ?? {}).some(([k, v]) => !has(k, v))) return false;
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

const wholeNumber = /^[+-]?\d+$/;

/** upstream: labels.Requirement.Matches */
function holds({ key, operator, values = [] }: Requirement, of: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(of, key) ? of[key] : undefined;
  const amount = value !== undefined && wholeNumber.test(value) ? Number(value) : null;
  const bound = wholeNumber.test(values[0] ?? '') ? Number(values[0]) : null;
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
      return amount !== null && bound !== null && amount > bound;
    case 'Lt':
      return amount !== null && bound !== null && amount < bound;
    default:
      return false;
  }
}
