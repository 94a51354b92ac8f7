import { parseDuration } from '@syncloop/core/base';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../base/errors.js';
import { defaultAgentConfig } from './agent-config.js';
import { parseKubeletConfiguration } from './kubelet-configuration.js';

const head = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

function parse(fields: string) {
  const warnings: string[] = [];
  const config = parseKubeletConfiguration('/etc/k/config.yaml', head + fields, (text) => warnings.push(text));
  return { config, warnings };
}

describe('parseKubeletConfiguration', () => {
  it('leaves the defaults where nothing is said', () => {
    const { config, warnings } = parse('');
    expect({ ...config, raw: {} }).toEqual(defaultAgentConfig());
    expect(warnings).toEqual([]);
  });

  it('takes what a node says', () => {
    const { config, warnings } = parse(`
staticPodPath: manifests
fileCheckFrequency: 1s
syncFrequency: 1m30s
runtimeRequestTimeout: 0s
address: 127.0.0.1
port: 20250
readOnlyPort: 10255
healthzPort: 0
podLogsDir: /tmp/logs
cgroupDriver: systemd
cgroupsPerQOS: false
maxPods: 5
clusterDNS: [10.0.0.10, "fd00::a"]
clusterDomain: cluster.local
serializeImagePulls: false
maxParallelImagePulls: 3
featureGates: {SomeGate: true}
containerRuntimeEndpoint: unix:///run/x.sock
crashLoopBackOff: {maxContainerRestartPeriod: 60s}
containerLogMaxSize: 1Mi
containerLogMaxFiles: 3
seccompDefault: true
logging: {verbosity: 3}
resolvConf: ""
`);
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      address: '127.0.0.1',
      port: 20250,
      readOnlyPort: 10255,
      healthzPort: 0,
      containerRuntimeEndpoint: 'unix:///run/x.sock',
      verbosity: 3,
      resolvConf: '',
    });
    expect(config.kubelet).toMatchObject({
      staticPodPath: '/etc/k/manifests',
      fileCheckFrequency: 1_000_000,
      syncFrequency: 90_000_000,
      runtimeRequestTimeout: 120_000_000,
      podLogsDir: '/tmp/logs',
      cgroupDriver: 'systemd',
      cgroupsPerQOS: false,
      maxPods: 5,
      clusterDNS: ['10.0.0.10', 'fd00::a'],
      clusterDomain: 'cluster.local',
      serializeImagePulls: false,
      maxParallelImagePulls: 3,
      featureGates: { SomeGate: true },
      maxContainerRestartPeriod: 60_000_000,
      containerLogMaxSizeBytes: 1 << 20,
      containerLogMaxFiles: 3,
      seccompDefault: true,
    });
  });

  it('warns once of each field that has no effect, by name and place', () => {
    const { warnings } = parse(
      'failSwapOn: false\nqosReserved:\n  memory: 10%\nfooBar: 1\nreadOnlyPrt: 1\nlogging: {format: json}\n',
    );
    expect(warnings).toEqual([
      '/etc/k/config.yaml:3:1: field failSwapOn is not supported and has no effect',
      '/etc/k/config.yaml:4:1: field qosReserved is not supported and has no effect',
      '/etc/k/config.yaml:6:1: field fooBar is unknown and has no effect',
      '/etc/k/config.yaml:7:1: field readOnlyPrt is unknown and has no effect (did you mean readOnlyPort?)',
      '/etc/k/config.yaml:8:11: field logging.format is not supported and has no effect',
    ]);
  });

  it.each([
    ['maxPods: many', '/etc/k/config.yaml:3:1: maxPods: it is "many"; it must be a whole number from 0'],
    ['port: 70000', 'port: it is 70000; it must be a whole number from 0 to 65535'],
    ['syncFrequency: 60', 'syncFrequency: it is 60; it must be a duration in quotes or plain, such as 20s'],
    ['syncFrequency: 1 minute', 'must be a duration'],
    ['cgroupDriver: podman', 'cgroupDriver: it is "podman"; it must be one of cgroupfs, systemd'],
    ['cgroupsPerQOS: "no"', 'cgroupsPerQOS: it is "no"; it must be true or false'],
    ['staticPodPath: [a]', 'staticPodPath: it is a list; it must be a text'],
    ['clusterDNS: 10.0.0.10', 'clusterDNS: it is "10.0.0.10"; it must be a list of IP addresses'],
    ['clusterDNS: [kube-dns]', 'clusterDNS[0]: it is "kube-dns"; it must be an IP address'],
    ['address: node1', 'address: it is "node1"; it must be an IP address'],
    [
      'crashLoopBackOff: {maxContainerRestartPeriod: 10m}',
      'crashLoopBackOff.maxContainerRestartPeriod: it is "10m"; it must be a duration from 1s to 300s',
    ],
    ['crashLoopBackOff: 3', 'crashLoopBackOff: it is 3; it must be a map'],
    ['featureGates: {A: 1}', 'featureGates.A: it is 1; it must be true or false'],
    ['featureGates: [A]', 'featureGates: it is a list; it must be a map from names of feature gates to true or false'],
    [
      'maxPods: many\nport: 70000',
      'config.yaml:3:1: maxPods: it is "many"; it must be a whole number from 0 to 2147483647\n/etc/k/config.yaml:4:1: port: it is 70000',
    ],
    ['containerLogMaxSize: big', 'must be an amount of bytes such as 10Mi'],
    ['maxParallelImagePulls: 2\nserializeImagePulls: true', 'needs serializeImagePulls: false'],
    ['a: [', '/etc/k/config.yaml:'],
    [`a: ${'['.repeat(1000)}`, 'max depth'],
  ])('refuses %s', (fields, text) => {
    expect(() => parse(fields)).toThrow(text);
    expect(() => parse(fields)).toThrow(UsageError);
  });

  it.each([
    ['', 'this is not a KubeletConfiguration'],
    ['[]', 'this is not a KubeletConfiguration'],
    ['kind: Pod\napiVersion: v1\n', 'kind is "Pod": write kind: KubeletConfiguration'],
    [
      'apiVersion: kubelet.config.k8s.io/v1\nkind: KubeletConfiguration\n',
      'write apiVersion: kubelet.config.k8s.io/v1beta1',
    ],
    ['staticPodPath: /x\n', 'kind is missing'],
  ])('refuses another kind of file: %s', (text, error) => {
    expect(() => parseKubeletConfiguration('f.yaml', text, () => {})).toThrow(error);
  });
});

describe('parseDuration', () => {
  it.each([
    ['0', 0],
    ['1h2m3s', 3_723_000_000],
    ['1.5s', 1_500_000],
    ['-10ms', -10_000],
    ['100us', 100],
    ['.5s', 500_000],
  ])('%s', (text, micros) => {
    expect(parseDuration(text)).toBe(micros);
  });
  it.each(['', '1', 's', '1 s', '1d', '1s ', '+', '1..s2'])('%j is none', (text) => {
    expect(parseDuration(text)).toBeNull();
  });
});

describe('the node and its API server', () => {
  const parse = (text: string) =>
    parseKubeletConfiguration(
      'c.yaml',
      `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n${text}`,
      () => {},
    ).kubelet;

  it('are configured by the file', () => {
    expect(
      parse(`registerNode: false
registerWithTaints: [{key: a, value: b, effect: NoSchedule}, {key: c, effect: NoExecute}]
providerID: cloud://1
nodeStatusReportFrequency: 1m
nodeLeaseDurationSeconds: 20
nodeStatusMaxImages: -1
kubeAPIQPS: 7
kubeAPIBurst: 8
eventRecordQPS: 0
eventBurst: 0
podsPerCore: 5
enableControllerAttachDetach: false
failCgroupV1: false
allowedUnsafeSysctls: ["net.*"]
`),
    ).toMatchObject({
      registerNode: false,
      registerWithTaints: [
        { key: 'a', value: 'b', effect: 'NoSchedule' },
        { key: 'c', effect: 'NoExecute' },
      ],
      providerID: 'cloud://1',
      nodeStatusReportFrequency: 60_000_000,
      nodeLeaseDurationSeconds: 20,
      nodeStatusMaxImages: -1,
      kubeAPIQPS: 7,
      kubeAPIBurst: 8,
      eventRecordQPS: 0,
      eventBurst: 100,
      podsPerCore: 5,
      enableControllerAttachDetach: false,
      failCgroupV1: false,
      allowedUnsafeSysctls: ['net.*'],
    });
  });

  it('[3:BOOT-15] reports of the node come as often as looks at it, where only these are configured', () => {
    const minute = 60_000_000;
    expect(parse('').nodeStatusReportFrequency).toBe(5 * minute);
    expect(parse('nodeStatusUpdateFrequency: 20s').nodeStatusReportFrequency).toBe(minute / 3);
    expect(parse('nodeStatusUpdateFrequency: 0s').nodeStatusReportFrequency).toBe(5 * minute);
    expect(parse('nodeStatusUpdateFrequency: 20s\nnodeStatusReportFrequency: 1m').nodeStatusReportFrequency).toBe(
      minute,
    );
  });

  it.each([
    [
      'registerWithTaints: [{key: a, effect: Never}]',
      /registerWithTaints\[0\]: the effect of a is "Never".*it must be a taint/,
    ],
    [
      'registerWithTaints: [{key: "a b", effect: NoExecute}]',
      /registerWithTaints\[0\]: the key "a b" .*it must be a taint/,
    ],
    ['kubeAPIQPS: -1', /kubeAPIQPS: it is -1; it must be a whole number from 0/],
    ['nodeStatusMaxImages: -2', /nodeStatusMaxImages: it is -2/],
  ])('%s is refused', (text, why) => {
    expect(() => parse(text)).toThrow(why);
  });
});
