import { describe, expect, it } from 'vitest';
import { parseKubeletConfiguration } from './kubelet-configuration.js';

const read = (text: string) => {
  const warnings: string[] = [];
  const config = parseKubeletConfiguration(
    'kubelet.yaml',
    `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n${text}`,
    (w) => warnings.push(w),
  );
  return { kubelet: config.kubelet, warnings };
};

describe('[3:EV-02] eviction, image GC and shutdown in a KubeletConfiguration', () => {
  it('are read', () => {
    const { kubelet, warnings } = read(`
evictionHard: { memory.available: 200Mi, nodefs.available: "5%" }
evictionSoft: { memory.available: 1Gi }
evictionSoftGracePeriod: { memory.available: 1m30s }
evictionMinimumReclaim: { memory.available: 50Mi }
evictionPressureTransitionPeriod: 30s
evictionMaxPodGracePeriod: 60
mergeDefaultEvictionSettings: true
imageGCHighThresholdPercent: 70
imageGCLowThresholdPercent: 60
imageMinimumGCAge: 1m
imageMaximumGCAge: 240h
shutdownGracePeriod: 30s
shutdownGracePeriodCriticalPods: 10s
localStorageCapacityIsolation: false
`);
    expect(warnings).toEqual([]);
    expect(kubelet).toMatchObject({
      evictionHard: { 'memory.available': '200Mi', 'nodefs.available': '5%' },
      evictionSoftGracePeriod: { 'memory.available': '1m30s' },
      evictionPressureTransitionPeriod: 30_000_000,
      imageGCHighThresholdPercent: 70,
      imageMaximumGCAge: 240 * 3_600_000_000,
      shutdownGracePeriod: 30_000_000,
      localStorageCapacityIsolation: false,
    });
  });

  it.each([
    ['evictionHard: { memory.free: 1Mi }', /kubelet.yaml:3:.*evictionHard.*unsupported eviction signal memory.free/],
    ['evictionHard: { memory.available: 3 }', /evictionHard.memory.available: it is 3; it must be a text/],
    ['evictionHard: { memory.available: "120%" }', /must be <= 100%: 120%/],
    ['evictionSoft: { memory.available: 1Gi }', /evictionSoft: grace period must be specified/],
    ['imageGCHighThresholdPercent: 101', /a whole number from 0 to 100/],
    ['imageGCLowThresholdPercent: 90', /must be less than imageGCHighThresholdPercent, which is 85/],
    ['shutdownGracePeriodCriticalPods: 10s', /must not be longer than shutdownGracePeriod/],
    [
      'shutdownGracePeriod: 10s\nshutdownGracePeriodByPodPriority: [{priority: 1, shutdownGracePeriodSeconds: 5}]',
      /remove it or those two/,
    ],
    [
      'shutdownGracePeriodByPodPriority: [{priority: high}]',
      /shutdownGracePeriodByPodPriority\[0\].priority: it is "high"; it must be a whole number/,
    ],
  ])('%s', (text, wrong) => {
    expect(() => read(text)).toThrow(wrong);
  });
});
