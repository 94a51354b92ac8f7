import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../api/types.js';
import { Kernel } from '../../kernel/index.js';
import type { TraceRecord } from '../../trace/index.js';
import { EventRecorder } from '../events.js';
import { makePod } from '../kuberuntime/testing/harness.js';
import { Configurer, type ConfigurerDeps } from './dns.js';
import { isValidIP } from './ip.js';

const resolvConf =
  '# comment\nnameserver 192.0.2.53\nsearch corp.example. example.com .\noptions ndots:2 timeout:1\noptions ndots:3\n';

function configurer(more: Partial<ConfigurerDeps> = {}) {
  const records: TraceRecord[] = [];
  const kernel = new Kernel({ sink: (r) => records.push(r) });
  const dns = new Configurer({
    kernel,
    recorder: new EventRecorder(kernel),
    nodeName: 'node1',
    resolvConf,
    clusterDNS: ['10.0.0.10'],
    clusterDomain: 'cluster.local',
    ...more,
  });
  return { dns, records };
}
function podDNS(
  spec: Partial<PodSpec>,
  clusterDNS: readonly string[] = ['10.0.0.10'],
  more: Partial<ConfigurerDeps> = {},
) {
  const { dns, records } = configurer({ clusterDNS, ...more });
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

  it('[2:S-10] [3:POD-18] without a cluster DNS falls back to the host, with a warning for node and pod', () => {
    expect(podDNS({}, [])).toEqual({ config: host, events: ['Node MissingClusterDNS', 'Pod MissingClusterDNS'] });
  });

  it('[2:S-10] [3:POD-19] takes at most three servers', () => {
    const { config, events } = podDNS({
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['1.1.1.1', '2.2.2.2', '3.3.3.3', '4.4.4.4'] },
    });
    expect(config.servers).toEqual(['1.1.1.1', '2.2.2.2', '3.3.3.3']);
    expect(events).toEqual(['Pod DNSConfigForming']);
  });

  it('[3:POD-19] takes at most 32 search paths, of 2048 characters in all and 253 each', () => {
    const searches = (list: string[]) => {
      const { config, events } = podDNS({ dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1'], searches: list } });
      return { searches: config.searches, events };
    };
    const many = Array.from({ length: 33 }, (_, i) => `d${i}.example`);
    expect(searches(many)).toEqual({ searches: many.slice(0, 32), events: ['Pod DNSConfigForming'] });
    const long = Array.from({ length: 20 }, (_, i) => `${String(i).padStart(2, '0')}${'x'.repeat(118)}`);
    expect(searches(long)).toEqual({ searches: long.slice(0, 16), events: ['Pod DNSConfigForming'] });
    expect(searches(['a.example', 'y'.repeat(254)])).toEqual({
      searches: ['a.example'],
      events: ['Pod DNSConfigForming'],
    });
    expect(searches(many.slice(0, 32)).events).toEqual([]);
  });

  it('[3:POD-18] with no file by request nobody answers lookups', () => {
    const of = (nodeIPs: string[], spec: Partial<PodSpec> = { dnsPolicy: 'Default' }) =>
      podDNS(spec, ['10.0.0.10'], { resolverConfig: '', resolvConf: '', nodeIPs }).config;
    expect(of(['192.0.2.1', 'fd00::1'])).toEqual({ servers: ['127.0.0.1', '::1'], searches: ['.'], options: [] });
    expect(of([]).servers).toEqual(['127.0.0.1']);
    expect(of([], {}).servers).toEqual(['10.0.0.10']);
  });

  it.each([
    ['a nameserver without address', 'nameserver\n', 'nameserver list is empty '],
    [
      'more search paths than pods may have',
      `search ${Array.from({ length: 30 }, (_, i) => `d${i}`).join(' ')}\n`,
      "Resolv.conf file '/etc/resolv.conf' contains search line consisting of more than 29 domains!",
    ],
    [
      'a search path that is too long',
      `search ${'x'.repeat(254)}\n`,
      'Resolv.conf file "/etc/resolv.conf" contains a search path which length is more than allowed 253 chars!',
    ],
    [
      'a search line that is too long',
      `search ${Array.from({ length: 17 }, () => 'x'.repeat(125)).join(' ')}\n`,
      "Resolv.conf file '/etc/resolv.conf' contains search line which length is more than allowed 2048 chars!",
    ],
    ['nothing wrong', resolvConf, undefined],
  ])('[3:POD-19] of the node’s own file says %s', (_, text, want) => {
    const { dns, records } = configurer({ resolvConf: text });
    dns.checkLimitsForResolvConf();
    const events = records.flatMap((r) =>
      r.kind === 'kube-event' ? [`${r.object.kind} ${r.reason}: ${r.message}`] : [],
    );
    expect(events).toEqual(want === undefined ? [] : [`Node CheckLimitsForResolvConf: ${want}`]);
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
