import { describe, expect, it } from 'vitest';
import { Kernel } from '../../kernel/index.js';
import type { TraceRecord } from '../../trace/index.js';
import type { PodSpec } from '../api/types.js';
import { EventRecorder } from '../events.js';
import { makePod } from '../kuberuntime/testing/harness.js';
import { Configurer } from './dns.js';
import { isValidIP } from './ip.js';

const resolvConf =
  '# comment\nnameserver 192.0.2.53\nsearch corp.example. example.com .\noptions ndots:2 timeout:1\noptions ndots:3\n';

function podDNS(spec: Partial<PodSpec>, clusterDNS: readonly string[] = ['10.0.0.10']) {
  const records: TraceRecord[] = [];
  const kernel = new Kernel({ sink: (r) => records.push(r) });
  const dns = new Configurer({
    kernel,
    recorder: new EventRecorder(kernel),
    nodeName: 'node1',
    resolvConf,
    clusterDNS,
    clusterDomain: 'cluster.local',
  });
  const config = dns.getPodDNS(makePod(spec));
  return { config, events: records.flatMap((r) => (r.kind === 'kube-event' ? [`${r.object.kind} ${r.reason}`] : [])) };
}
const host = { servers: ['192.0.2.53'], searches: ['corp.example', 'example.com'], options: ['ndots:3', 'timeout:1'] };
const cluster = {
  servers: ['10.0.0.10'],
  searches: ['default.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'corp.example', 'example.com'],
  options: ['ndots:5'],
};

describe('pod DNS', () => {
  it.each([
    ['ClusterFirst', {}, cluster],
    ['ClusterFirst on the host network', { hostNetwork: true }, host],
    ['ClusterFirstWithHostNet', { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' }, cluster],
    ['Default', { dnsPolicy: 'Default' }, host],
    ['None', { dnsPolicy: 'None' }, { servers: [], searches: [], options: [] }],
    [
      'dnsConfig merged into it',
      {
        dnsPolicy: 'Default',
        dnsConfig: {
          nameservers: ['192.0.2.53', '192.0.2.54'],
          searches: ['own.example'],
          options: [{ name: 'ndots', value: '1' }, { name: 'debug' }],
        },
      },
      {
        servers: ['192.0.2.53', '192.0.2.54'],
        searches: ['corp.example', 'example.com', 'own.example'],
        options: ['ndots:1', 'timeout:1', 'debug'],
      },
    ],
  ] as const)('[2:S-10] %s', (_, spec, want) => {
    expect(podDNS(spec as Partial<PodSpec>)).toEqual({ config: want, events: [] });
  });

  it('[2:S-10] without a cluster DNS falls back to the host, with a warning for node and pod', () => {
    expect(podDNS({}, [])).toEqual({ config: host, events: ['Node MissingClusterDNS', 'Pod MissingClusterDNS'] });
  });

  it('[2:S-10] takes at most three servers', () => {
    const { config, events } = podDNS({
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['1.1.1.1', '2.2.2.2', '3.3.3.3', '4.4.4.4'] },
    });
    expect(config.servers).toEqual(['1.1.1.1', '2.2.2.2', '3.3.3.3']);
    expect(events).toEqual(['Pod DNSConfigForming']);
  });

  it.each([
    ['10.0.0.1', true],
    ['010.0.0.1', true],
    ['::1', true],
    ['fd00::10.0.0.1', true],
    ['2001:db8:0:0:0:0:0:1', true],
    ['10.0.0', false],
    ['10.0.0.256', false],
    ['1::2::3', false],
    ['2001:db8::12345', false],
    ['', false],
  ])('%s is an IP: %s', (text, want) => {
    expect(isValidIP(text)).toBe(want);
  });
});
