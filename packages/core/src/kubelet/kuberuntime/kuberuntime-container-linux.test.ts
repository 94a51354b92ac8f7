import { describe, expect, it } from 'vitest';
import type { Container } from '../../api/types.js';
import { generateLinuxContainerResources, sandboxResources } from './kuberuntime-container-linux.js';
import { makePod } from './testing/harness.js';

const node = { memoryCapacityBytes: 8 * 2 ** 30, cgroupVersion: 1 } as const;
const limits = { cpu: '500m', memory: '64Mi', 'hugepages-2Mi': '4Mi' };
const pod = makePod({ containers: [{ name: 'app', resources: { requests: limits, limits } } as Container] });
const container = pod.spec.containers[0] as Container;

describe('resources of a container', () => {
  it('[3:QOS-08] CPU limits as quota of a period; not held without CFS quota', () => {
    expect(generateLinuxContainerResources(pod, container, node)).toMatchObject({
      cpuShares: '512',
      cpuQuota: '50000',
      cpuPeriod: '100000',
      memoryLimitInBytes: '67108864',
    });
    const other = generateLinuxContainerResources(pod, container, node, { cpuCFSQuotaPeriod: 10_000 });
    expect(other).toMatchObject({ cpuQuota: '5000', cpuPeriod: '10000' });
    for (const free of [
      generateLinuxContainerResources(pod, container, node, { cpuCFSQuota: false }),
      sandboxResources(pod, 1, { cpuCFSQuota: false }).resources,
    ]) {
      expect(free).toMatchObject({ cpuShares: '512' });
      expect(free).not.toHaveProperty('cpuQuota');
      expect(free).not.toHaveProperty('cpuPeriod');
    }
  });

  it('huge pages of each size that the node has, none of them where there is no limit', () => {
    const hugePages = [
      { pageSizeKB: 2048, pages: 8 },
      { pageSizeKB: 1048576, pages: 0 },
    ];
    expect(generateLinuxContainerResources(pod, container, { ...node, hugePages }).hugepageLimits).toEqual([
      { pageSize: '2MB', limit: '4194304' },
      { pageSize: '1GB' },
    ]);
    expect(generateLinuxContainerResources(pod, container, node)).not.toHaveProperty('hugepageLimits');
    const limits = { 'hugepages-2Mi': '8Mi', 'hugepages-1Gi': '1Gi' };
    const whole = { ...pod, spec: { ...pod.spec, resources: { limits } } };
    expect(generateLinuxContainerResources(whole, container, { ...node, hugePages }).hugepageLimits).toEqual([
      { pageSize: '2MB', limit: '4194304' },
      { pageSize: '1GB', limit: '1073741824' },
    ]);
  });
});
