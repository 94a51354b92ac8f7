import { describe, expect, it } from 'vitest';
import type { Pod } from '../api/types.js';
import { background, send } from '../kernel/index.js';
import type { KubeletConfig } from './config.js';
import type { Kubelet } from './kubelet.js';
import { metricsOf } from './metrics/kubelet-metrics.js';
import { apiPod, setup } from './testing/fake-node.js';

const sized = (name: string, cpu: string, created = '2024-01-01T00:00:00Z'): Pod => {
  const pod = apiPod(name, { creationTimestamp: created });
  const [c] = pod.spec.containers;
  if (c) c.resources = { requests: { cpu } };
  return pod;
};

describe('pods that are turned away', () => {
  it('[3:ADM-01] the older of a batch wins; each sees those admitted a moment ago', () => {
    const t = setup();
    t.say(
      'api',
      sized('young', '3', '2024-01-02T00:00:00Z'),
      sized('old', '3'),
      sized('last', '1', '2024-01-03T00:00:00Z'),
    );
    t.run(4);
    const phase = (name: string) => t.kl.statusManager.getPodStatus(`uid-${name}`)?.phase;
    expect([phase('old'), phase('young'), phase('last')]).toEqual(['Running', 'Failed', 'Running']);
    expect(t.kl.statusManager.getPodStatus('uid-young')?.message).toBe(
      "Pod was rejected: Node didn't have enough resource: cpu, requested: 3000, used: 3000, capacity: 4000",
    );
  });

  it('[3:ADM-01] pods that have ended, or are asked to, are not judged', () => {
    const t = setup();
    const ended = sized('ended', '99');
    ended.status = { ...ended.status, phase: 'Succeeded' };
    t.say('api', ended);
    t.run(3);
    expect(t.of('decision').filter((d) => d.rule === 'canAdmitPod' && d.pod === 'default/ended')).toEqual([]);
  });

  it('[3:ADM-03] event, status with reason and QoS class, a log line; no worker ever hears of it', () => {
    const t = setup();
    t.say('api', sized('big', '5'));
    t.run(3);
    const text = "Node didn't have enough resource: cpu, requested: 5000, used: 0, capacity: 4000";
    expect(t.of('kube-event').filter((e) => e.object.name === 'big')).toMatchObject([
      { type: 'Warning', reason: 'OutOfcpu', message: text },
    ]);
    expect(t.kl.statusManager.getPodStatus('uid-big')).toMatchObject({
      phase: 'Failed',
      reason: 'OutOfcpu',
      message: `Pod was rejected: ${text}`,
      qosClass: 'Burstable',
    });
    expect(t.of('pod-update')).toEqual([]);
    expect(t.logs(/^Pod admission denied$/)).toHaveLength(1);
  });

  it('[3:ADM-04] counts known reasons, resources that not all nodes have as one, and the rest as Other', () => {
    const t = setup({
      nodeInfo: { appArmorEnabled: false },
      config: { registerWithTaints: [{ key: 'k', effect: 'NoExecute' }] },
    });
    const pods = ['cpu', 'huge', 'name', 'armor', 'taint'].map((name) => apiPod(name));
    const [cpu, huge, named, armor] = pods as [Pod, Pod, Pod, Pod];
    const of = (p: Pod) => p.spec.containers[0] as { resources?: object };
    of(cpu).resources = { requests: { cpu: '9' } };
    of(huge).resources = { requests: { 'hugepages-2Mi': '2Mi' } };
    named.spec.nodeName = 'other';
    armor.spec.securityContext = { appArmorProfile: { type: 'RuntimeDefault' } };
    armor.status = { ...armor.status, phase: 'Pending' };
    for (const p of [cpu, huge, named, armor]) p.spec.tolerations = [{ operator: 'Exists' }];
    t.say('api', ...pods);
    t.run(3);
    const counted = Object.fromEntries(
      metricsOf(t.k)
        .admissionRejections.lines()
        .flatMap((line) => {
          const [, reason, n] = /reason="([^"]*)"\} (\d+)/.exec(line) ?? [];
          return reason === undefined ? [] : [[reason, Number(n)] as const];
        }),
    );
    // The quirk: the list has the description of a taint, not its reason, and so it is Other like the name.
    expect(counted).toEqual({ OutOfcpu: 1, OutOfExtendedResources: 1, AppArmor: 1, Other: 2 });
  });

  it('[3:ADM-02] the chain in order', () => {
    const t = setup();
    t.say('api', apiPod('a'));
    t.run(3);
    const asked = t
      .of('decision')
      .filter((d) => d.rule === 'canAdmitPod')
      .map((d) => d.values.handler);
    expect(asked).toEqual([
      'resize',
      'eviction',
      'sysctl',
      'container manager',
      'predicate',
      'AppArmor',
      'pod features',
      'declared features',
      'node shutdown',
    ]);
  });

  it('[3:ADM-13] AppArmor is asked only while the phase is Pending', () => {
    const t = setup({ nodeInfo: { appArmorEnabled: false } });
    const secured = (name: string, phase: 'Pending' | 'Running') => {
      const pod = apiPod(name);
      pod.spec.securityContext = { appArmorProfile: { type: 'RuntimeDefault' } };
      pod.status = { ...pod.status, phase };
      return pod;
    };
    t.say('api', secured('new', 'Pending'), secured('old', 'Running'));
    t.run(3);
    expect(t.kl.statusManager.getPodStatus('uid-new')).toMatchObject({
      reason: 'AppArmor',
      message: 'Pod was rejected: Cannot enforce AppArmor: AppArmor is not enabled on the host',
    });
    expect(t.kl.statusManager.getPodStatus('uid-old')?.phase).toBe('Running');
  });

  it('[3:ADM-13] pod-level resources without their gate; features that the node does not declare', () => {
    const t = setup({
      config: { featureGates: { PodLevelResources: false, InPlacePodLevelResourcesVerticalScaling: false } },
    });
    const whole = apiPod('whole');
    whole.spec.resources = { requests: { cpu: '1' } };
    const foreign = apiPod('foreign');
    foreign.spec.hostNetwork = true;
    foreign.spec.hostUsers = false;
    t.say('api', whole, foreign);
    t.run(3);
    expect(t.kl.statusManager.getPodStatus('uid-whole')?.reason).toBe('PodLevelResourcesNotSupported');
    expect(t.kl.statusManager.getPodStatus('uid-foreign')?.reason).toBe('PodFeatureUnsupported');
  });

  /** Pods from the api source of a kubelet that was started later. */
  const say = (t: ReturnType<typeof setup>, kl: Kubelet, ...pods: Pod[]) => {
    const updates = kl.podConfig.channel(background, 'api');
    t.k.go('source', () => send(updates, { pods }), { process: kl.process });
  };

  it('[3:ADM-14] after a restart what runs is admitted again, with what was allocated to it', () => {
    const t = setup();
    t.say('api', sized('a', '3'));
    t.run(4);
    t.k.kill(t.kl.process);
    const kl = t.start();
    const before = t.records.length;
    // Meanwhile it was asked to grow beyond the node: as a new pod it would be rejected.
    say(t, kl, sized('a', '9'));
    t.run(10);
    const judged = t.of('decision').filter((d) => d.seq > before && d.rule === 'canAdmitPod');
    expect(judged.filter((d) => d.values.operation === 'add').map((d) => d.verdict)).toEqual(Array(9).fill('admit'));
    expect(kl.statusManager.getPodStatus('uid-a')?.phase).toBe('Running');
    expect(t.cri.calls).not.toContain('StopContainer');
  });

  it('[3:ADM-14] and what does not fit any more is rejected and killed', () => {
    const config: Partial<KubeletConfig> = {};
    const t = setup({ config });
    const pods = [sized('a', '1'), sized('b', '1', '2024-01-02T00:00:00Z')];
    t.say('api', ...pods);
    t.run(4);
    expect(t.kl.statusManager.getPodStatus('uid-b')?.phase).toBe('Running');
    t.k.kill(t.kl.process);
    config.maxPods = 1;
    const before = t.records.length;
    const kl = t.start();
    say(t, kl, ...pods);
    t.run(12);
    expect(kl.statusManager.getPodStatus('uid-a')?.phase).toBe('Running');
    const told = t.of('status').filter((r) => r.uid === 'uid-b' && r.seq > before);
    expect(told[0]?.status).toMatchObject({ phase: 'Failed', reason: 'OutOfpods' });
    // Its worker hears of it by the PLEG. Then its containers ended with 0: upstream's own oddity.
    expect(kl.statusManager.getPodStatus('uid-b')?.phase).toBe('Succeeded');
    expect(t.cri.calls.filter((c) => c === 'StopContainer')).toHaveLength(1);
  });
});
