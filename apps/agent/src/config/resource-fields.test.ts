import { describe, expect, it } from 'vitest';
import { parseKubeletConfiguration } from './kubelet-configuration.js';

const parse = (text: string) =>
  parseKubeletConfiguration(
    'c.yaml',
    `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n${text}`,
    (w) => {
      throw new Error(w);
    },
  );

describe('resources in a KubeletConfiguration', () => {
  it('are taken', () => {
    const { kubelet } = parse(`podPidsLimit: 100
cpuCFSQuota: false
cpuCFSQuotaPeriod: 10ms
featureGates: {CustomCPUCFSQuotaPeriod: true}
enforceNodeAllocatable: [pods, system-reserved]
systemReservedCgroup: /system
kubeReserved: {cpu: 500m, memory: 1Gi}
systemReserved: {memory: 256Mi, pid: "1000"}
imagePullCredentialsVerificationPolicy: NeverVerifyAllowlistedImages
preloadedImagesVerificationAllowlist: [registry.io/*]
`);
    expect(kubelet).toMatchObject({
      podPidsLimit: 100,
      cpuCFSQuota: false,
      cpuCFSQuotaPeriod: 10_000,
      enforceNodeAllocatable: ['pods', 'system-reserved'],
      systemReservedCgroup: '/system',
      kubeReserved: { cpu: '500m', memory: '1Gi' },
      systemReserved: { memory: '256Mi', pid: '1000' },
      imagePullCredentialsVerificationPolicy: 'NeverVerifyAllowlistedImages',
      preloadedImagesVerificationAllowlist: ['registry.io/*'],
    });
    expect(parse('enforceNodeAllocatable: [none]').kubelet.enforceNodeAllocatable).toEqual([]);
  });

  it.each([
    ['kubeReserved: {gpu: 1}', /kubeReserved.gpu: there is no such field; did you mean "cpu"/],
    ['kubeReserved: {cpu: -1}', /kubeReserved/],
    ['systemReserved: {memory: much}', /systemReserved/],
    ['cpuCFSQuotaPeriod: 2s', /must be a duration from 1ms to 1s/],
    ['cpuCFSQuotaPeriod: 10ms', /needs featureGates: \{CustomCPUCFSQuotaPeriod: true\}/],
    [
      'enforceNodeAllocatable: [everything]',
      /enforceNodeAllocatable\[0\]: it is "everything"; it must be one of none, pods/,
    ],
    ['enforceNodeAllocatable: [none, pods]', /none alone/],
    ['enforceNodeAllocatable: [pods, kube-reserved]', /kube-reserved needs kubeReservedCgroup/],
    ['cgroupsPerQOS: false\nenforceNodeAllocatable: [pods]', /not supported unless cgroupsPerQOS is true/],
    ['preloadedImagesVerificationAllowlist: [a]', /counts only with imagePullCredentialsVerificationPolicy/],
    ['imagePullCredentialsVerificationPolicy: Sometimes', /must be one of NeverVerify, /],
  ])('%j is refused', (text, why) => {
    expect(() => parse(text)).toThrow(why);
  });

  it('without cgroups per QoS class nothing has to be said of enforcement', () => {
    expect(parse('cgroupsPerQOS: false').kubelet.cgroupsPerQOS).toBe(false);
  });
});
