/**
 * Labels, taints and addresses that a node asks for itself, as flags write them.
 *
 * upstream: cmd/kubelet/app/options ValidateKubeletFlags, kubelet/pkg/apis/well_known_labels.go, pkg/util/taints
 */
import { isIP } from 'node:net';

/** upstream: core/v1 Taint, as far as a kubelet sets it */
export interface NodeTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

const prefixes = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const allowed: ReadonlySet<string> = new Set([
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
]);

const name = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)$/;
const labelValue = /^(([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?)$/;
const domain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Explains what is wrong with a label's key; null: nothing. upstream: apimachinery IsQualifiedName */
function wrongKey(key: string): string | null {
  const parts = key.split('/');
  const last = parts.at(-1) ?? '';
  if (parts.length > 2) return 'has more than one slash';
  if (!name.test(last)) return 'must be a name of up to 63 letters, digits, "-", "_" and "."';
  const [prefix] = parts;
  if (parts.length === 2 && (prefix === undefined || prefix.length > 253 || !domain.test(prefix)))
    return 'must have a DNS name before its slash';
  return null;
}

const isKubernetes = (key: string): boolean => {
  const prefix = key.includes('/') ? (key.split('/')[0] as string) : '';
  return /(^|\.)(kubernetes|k8s)\.io$/.test(prefix);
};
const isKubelets = (key: string): boolean => {
  if (allowed.has(key)) return true;
  const prefix = key.split('/')[0] as string;
  return key.includes('/') && prefixes.some((p) => prefix === p || prefix.endsWith(`.${p}`));
};

/** `a=b,c=d`; throws an Error without the flag's name. */
export function parseNodeLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = Object.create(null);
  for (const pair of items(text)) {
    const at = pair.indexOf('=');
    if (at < 0) throw new Error(`${JSON.stringify(pair)} must be KEY=VALUE`);
    const [key, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    const wrong = wrongKey(key);
    if (wrong) throw new Error(`the key ${JSON.stringify(key)} ${wrong}`);
    if (!labelValue.test(value))
      throw new Error(
        `the value ${JSON.stringify(value)} of ${key} must have up to 63 letters, digits, "-", "_" and "."`,
      );
    labels[key] = value;
  }
  const unknown = Object.keys(labels).filter((key) => isKubernetes(key) && !isKubelets(key));
  if (unknown.length > 0)
    throw new Error(
      `unknown 'kubernetes.io' or 'k8s.io' labels: ${unknown.sort().join(', ')}; labels in the 'kubernetes.io' namespace ` +
        `must begin with an allowed prefix (${prefixes.join(', ')}) or be in the specifically allowed set (${[...allowed].sort().join(', ')})`,
    );
  return { ...labels };
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

/** Explains what is wrong with a taint; null: nothing. upstream: pkg/util/taints CheckTaintValidation */
export function wrongTaint({
  key,
  value = '',
  effect,
}: {
  key: string;
  value?: string;
  effect: string;
}): string | null {
  const wrong = wrongKey(key);
  if (wrong) return `the key ${JSON.stringify(key)} ${wrong}`;
  if (!labelValue.test(value)) return `the value ${JSON.stringify(value)} of ${key} is not a valid label value`;
  if (!effects.includes(effect as (typeof effects)[number]))
    return `the effect of ${key} is ${JSON.stringify(effect)}, but must be ${effects.join(', ')}`;
  return null;
}

/** `key=value:Effect,key:Effect`; throws an Error without the flag's name. upstream: pkg/util/taints ParseTaints */
export function parseTaints(text: string): NodeTaint[] {
  const taints: NodeTaint[] = [];
  for (const item of items(text)) {
    const [, key = '', value, effect = ''] = /^([^=:]+)(?:=([^:]*))?:([^:]+)$/.exec(item) ?? [];
    if (key === '') throw new Error(`${JSON.stringify(item)} must be KEY=VALUE:EFFECT or KEY:EFFECT`);
    const wrong = wrongTaint({ key, ...(value !== undefined && { value }), effect });
    if (wrong) throw new Error(wrong);
    if (taints.some((t) => t.key === key && t.effect === effect))
      throw new Error(`there are two taints with key ${key} and effect ${effect}`);
    taints.push({ key, ...(value !== undefined && { value }), effect: effect as NodeTaint['effect'] });
  }
  return taints;
}

/**
 * One address, or one of each family; throws an Error without the flag's name.
 * upstream: k8s.io/component-helpers/node/util ParseNodeIPArgument
 */
export function parseNodeIPs(text: string): string[] {
  const ips = items(text);
  const bad = ips.find((ip) => isIP(ip) === 0);
  if (bad !== undefined) throw new Error(`${JSON.stringify(bad)} is not an IP address`);
  if (ips.length > 2) throw new Error('at most two addresses can be given, one of each family');
  if (ips.length === 2 && isIP(ips[0] as string) === isIP(ips[1] as string))
    throw new Error('two addresses must be of different families: one IPv4, one IPv6');
  return ips;
}

const items = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
