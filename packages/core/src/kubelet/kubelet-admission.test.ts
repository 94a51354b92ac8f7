import { describe, expect, it } from 'vitest';
import type { Pod } from '../api/types.js';
import type { PodAdmitHandler } from './admission/types.js';
import { no } from './admission/types.js';
import { apiPod, setup } from './testing/fake-node.js';

const secured = (securityContext: NonNullable<Pod['spec']['securityContext']>) => (p: Pod) => {
  p.spec.securityContext = securityContext;
};
const requesting = (requests: Record<string, string>) => (p: Pod) => {
  const [c] = p.spec.containers;
  if (c) c.resources = { requests };
};

describe('admission', () => {
  it('[1:B02] a pod is known before it is admitted, and stays known when it is rejected', () => {
    let known: boolean[] = [];
    let t: ReturnType<typeof setup> | undefined;
    const refuse: PodAdmitHandler = {
      name: 'refuse',
      *admit({ pod }) {
        known = [...known, t?.kl.podManager.getPodByUID(pod.metadata.uid) !== undefined];
        return no('Nope', 'not today');
      },
    };
    t = setup({ deps: { admitHandlers: [refuse] } });
    t.say('api', apiPod('a'));
    t.run(5);
    expect(known).toEqual([true]);
    expect(t.podOf('a')).toBeDefined();
    expect(t.kl.podWorkers.snapshot()).toEqual([]);
    expect(t.kl.statusManager.getPodStatus('uid-a')).toMatchObject({
      phase: 'Failed',
      reason: 'Nope',
      message: 'Pod was rejected: not today',
    });
  });

  it('[1:B06] asks in order; the first no counts', () => {
    const t = setup({ nodeInfo: { appArmorEnabled: false } });
    t.say('api', apiPod('fine'));
    t.run(3);
    const asked = (pod: string) =>
      t
        .of('decision')
        .filter((d) => d.rule === 'canAdmitPod' && d.pod === `default/${pod}`)
        .map((d) => `${d.values.handler}: ${d.verdict}`);
    const chain = [
      'resize',
      'eviction',
      'sysctl',
      'container manager',
      'predicate',
      'AppArmor',
      'pod features',
      'declared features',
      'node shutdown',
    ];
    expect(asked('fine')).toEqual(chain.map((h) => `${h}: admit`));
    // Everything is wrong with this one: only the first is said.
    const wrong = apiPod('wrong');
    wrong.spec.securityContext = {
      sysctls: [{ name: 'kernel/msgmax', value: '1' }],
      appArmorProfile: { type: 'RuntimeDefault' },
    };
    wrong.spec.os = { name: 'windows' };
    t.say('api', apiPod('fine'), wrong);
    t.run(2);
    expect(asked('wrong')).toEqual(['resize: admit', 'eviction: admit', 'sysctl: SysctlForbidden']);
    const denied = t.of('log').find((l) => l.msg === 'Pod admission denied');
    expect(denied).toMatchObject({
      v: 0,
      kv: {
        pod: 'default/wrong',
        reason: 'SysctlForbidden',
        message: 'forbidden sysctl: "kernel.msgmax" not allowlisted',
        operation: 'add',
      },
    });
  });

  it.each<[string, (pod: Pod) => void, string | null, string]>([
    ['a safe sysctl', secured({ sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }] }), null, ''],
    [
      'a safe one of a shared namespace',
      (p) => {
        p.spec.hostNetwork = true;
        p.spec.securityContext = { sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }] };
      },
      'SysctlForbidden',
      'forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host Net enabled',
    ],
    [
      'AppArmor on a host without it',
      secured({ appArmorProfile: { type: 'RuntimeDefault' } }),
      'AppArmor',
      'Cannot enforce AppArmor: AppArmor is not enabled on the host',
    ],
    ['no AppArmor wanted', secured({ appArmorProfile: { type: 'Unconfined' } }), null, ''],
    [
      'a user namespace on the host network',
      (p) => Object.assign(p.spec, { hostNetwork: true, hostUsers: false }),
      'PodFeatureUnsupported',
      'Pod requires node features that are not available: UserNamespacesHostNetworkSupport',
    ],
    [
      'an affinity for another node',
      (p) => {
        p.spec.affinity = {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'NotIn', values: ['node1'] }] },
              ],
            },
          },
        };
      },
      'NodeAffinity',
      "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ],
    [
      'more storage than there is',
      requesting({ 'ephemeral-storage': '2k' }),
      'OutOfephemeral-storage',
      "Node didn't have enough resource: ephemeral-storage, requested: 2000, used: 0, capacity: 900",
    ],
    [
      'huge pages',
      requesting({ 'hugepages-2Mi': '2Mi' }),
      'OutOfhugepages-2Mi',
      "Node didn't have enough resource: hugepages-2Mi, requested: 2097152, used: 0, capacity: 0",
    ],
    ['a device that the node does not have', requesting({ 'example.com/gpu': '1' }), null, ''],
  ])('[1:B06] [1:B08] %s', (_, change, reason, message) => {
    const t = setup({ nodeInfo: { appArmorEnabled: false, ephemeralStorageBytes: 1000 } });
    const pod = apiPod('a');
    pod.status.phase = 'Pending';
    change(pod);
    t.say('api', pod);
    t.run(3);
    const status = t.kl.statusManager.getPodStatus('uid-a');
    if (reason === null) expect(status?.phase).toBe('Running');
    else expect(status).toMatchObject({ phase: 'Failed', reason, message: `Pod was rejected: ${message}` });
  });

  it('[1:B06] a critical pod pushes others out, the one that fits best first, and waits for them', () => {
    const t = setup();
    const sized = (name: string, cpu: string, priority?: number) => {
      const pod = apiPod(name);
      const [c] = pod.spec.containers;
      if (c) c.resources = { requests: { cpu } };
      if (priority !== undefined) pod.spec.priority = priority;
      return pod;
    };
    const small = sized('small', '1');
    const large = sized('large', '2');
    t.say('api', small, large);
    t.run(4);
    t.say('api', small, large, sized('vital', '3', 2_000_000_000));
    t.run(10);
    expect(
      t
        .of('kube-event')
        .filter((e) => e.reason === 'Preempting')
        .map((e) => e.object.name),
    ).toEqual(['large']);
    const disrupted = expect.arrayContaining([
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }),
    ]);
    expect(t.of('status').map((s) => s.status)).toContainEqual(
      expect.objectContaining({
        phase: 'Failed',
        reason: 'Preempting',
        message: 'Preempted in order to admit critical pod',
        conditions: disrupted,
      }),
    );
    // It ended with 0, and so that is what it ends as: upstream's own oddity.
    expect(t.kl.statusManager.getPodStatus('uid-large')).toMatchObject({ phase: 'Succeeded', conditions: disrupted });
    expect(t.kl.statusManager.getPodStatus('uid-vital')?.phase).toBe('Running');
    expect(t.kl.statusManager.getPodStatus('uid-small')?.phase).toBe('Running');
    const stop = t.of('cri-return').find((c) => c.method === 'StopPodSandbox');
    const start = t
      .of('cri-call')
      .filter((c) => c.method === 'RunPodSandbox')
      .at(-1);
    expect(stop?.seq).toBeLessThan(start?.seq ?? 0);
  });
});
