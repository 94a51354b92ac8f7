/** Fields of a KubeletConfiguration about resources, cgroups and credentials for images. */
import { isQuantity, parseQuantity } from '@syncloop/core/base';
import { custom, map, type Shape } from '@syncloop/core/shape';
import type { AgentConfig } from './agent-config.js';
import { bool, durationWithin, type Field, field, int, listOf, oneOf, string } from './readers.js';

const enforceable = [
  'none',
  'pods',
  'system-reserved',
  'kube-reserved',
  'system-reserved-compressible',
  'kube-reserved-compressible',
];
const reservable = ['cpu', 'memory', 'ephemeral-storage', 'pid'];

/** Amounts by resource, none of them below 0. */
const reserved: Shape<Record<string, string>> = custom({ type: 'object' }, (r) => {
  const what = `a map from ${reservable.join(', ')} to amounts such as 500m or 1Gi`;
  const out: Record<string, string> = {};
  for (const [name, amount] of Object.entries(r.object(what))) {
    if (!reservable.includes(name)) r.unknown(name, reservable);
    const text = typeof amount === 'number' ? String(amount) : amount;
    if (typeof text !== 'string' || !isQuantity(text) || parseQuantity(text) < 0n)
      throw r.at(name).mustBe('an amount such as 500m or 1Gi');
    out[name] = text;
  }
  return out;
});

const enforcement = map(listOf(oneOf(...enforceable), `some of ${enforceable.join(', ')}`), (keys, r) => {
  if (keys.includes('none') && keys.length > 1) throw r.mustBe('none alone, or a list without it');
  return keys.filter((key) => key !== 'none');
});

/** CFS allows 1 ms to 1 s. */
const period = durationWithin(1000, 1_000_000, 'a duration from 1ms to 1s');

export const resourceFields: Readonly<Record<string, Field>> = {
  podPidsLimit: field(int(-1), (c, v) => {
    c.kubelet.podPidsLimit = v;
  }),
  cpuCFSQuota: field(bool, (c, v) => {
    c.kubelet.cpuCFSQuota = v;
  }),
  cpuCFSQuotaPeriod: field(period, (c, v) => {
    c.kubelet.cpuCFSQuotaPeriod = v;
  }),
  enforceNodeAllocatable: field(enforcement, (c, v) => {
    c.kubelet.enforceNodeAllocatable = v;
  }),
  kubeReserved: field(reserved, (c, v) => {
    c.kubelet.kubeReserved = v;
  }),
  systemReserved: field(reserved, (c, v) => {
    c.kubelet.systemReserved = v;
  }),
  kubeReservedCgroup: field(string, (c, v) => {
    c.kubelet.kubeReservedCgroup = v;
  }),
  systemReservedCgroup: field(string, (c, v) => {
    c.kubelet.systemReservedCgroup = v;
  }),
  imagePullCredentialsVerificationPolicy: field(
    oneOf('NeverVerify', 'NeverVerifyPreloadedImages', 'NeverVerifyAllowlistedImages', 'AlwaysVerify'),
    (c, v) => {
      c.kubelet.imagePullCredentialsVerificationPolicy = v;
    },
  ),
  preloadedImagesVerificationAllowlist: field(listOf(string, 'image names'), (c, v) => {
    c.kubelet.preloadedImagesVerificationAllowlist = v;
  }),
};

/** Finds contradictions between these fields; null if there are none. upstream: ValidateKubeletConfiguration */
export function resourceProblem(
  { kubelet }: AgentConfig,
  given: Readonly<Record<string, unknown>>,
): { readonly field: string; readonly text: string } | null {
  const { enforceNodeAllocatable = [], cgroupsPerQOS, kubeReservedCgroup, systemReservedCgroup } = kubelet;
  const problem = (field: string, text: string) => ({ field, text });
  if (!cgroupsPerQOS && given.enforceNodeAllocatable !== undefined && enforceNodeAllocatable.length > 0)
    return problem(
      'enforceNodeAllocatable',
      'it is not supported unless cgroupsPerQOS is true: with cgroupsPerQOS: false, set enforceNodeAllocatable: []',
    );
  for (const [who, cgroup] of [
    ['kube', kubeReservedCgroup],
    ['system', systemReservedCgroup],
  ] as const) {
    const asked = enforceNodeAllocatable.filter((key) => key.startsWith(`${who}-reserved`));
    if (asked.length > 0 && !cgroup)
      return problem(
        'enforceNodeAllocatable',
        `${asked[0]} needs ${who}ReservedCgroup: set it to an existing cgroup, which then gets the limits`,
      );
    if (asked.length > 1)
      return problem('enforceNodeAllocatable', `${asked.join(' and ')} cannot be set together: remove one of them`);
  }
  const { cpuCFSQuotaPeriod, featureGates } = kubelet;
  if (cpuCFSQuotaPeriod !== undefined && cpuCFSQuotaPeriod !== 100_000 && !featureGates.CustomCPUCFSQuotaPeriod)
    return problem(
      'cpuCFSQuotaPeriod',
      'a period other than 100ms needs featureGates: {CustomCPUCFSQuotaPeriod: true}',
    );
  const { imagePullCredentialsVerificationPolicy: policy, preloadedImagesVerificationAllowlist: allowlist } = kubelet;
  if (allowlist && allowlist.length > 0 && policy !== 'NeverVerifyAllowlistedImages')
    return problem(
      'preloadedImagesVerificationAllowlist',
      'it counts only with imagePullCredentialsVerificationPolicy: NeverVerifyAllowlistedImages',
    );
  return null;
}
