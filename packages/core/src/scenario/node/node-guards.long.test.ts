import { describe, expect, it } from 'vitest';
import { decodePod } from '../../api/decode.js';
import type { Pod } from '../../api/types.js';
import { background, type Chan, Kernel, Second, seeded, send } from '../../kernel/index.js';
import type { SourceUpdate } from '../../kubelet/config/mux.js';
import type { KubeletConfig } from '../../kubelet/config.js';
import type { MockRuntimeOptions } from '../../mock/index.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import { SimulatedNode } from './node.js';

const idle = `["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]`;

/** A node whose pods come as from an API server, which it does not have: so they are not critical. */
function setup(config: Partial<KubeletConfig> = {}, runtime: MockRuntimeOptions = {}) {
  const records: TraceRecord[] = [];
  const k = new Kernel({ policy: seeded(3), sink: (r) => records.push(r) });
  const node = new SimulatedNode(k, { config: { staticPodPath: '/m', failCgroupV1: false, ...config }, runtime });
  node.startKubelet();
  const kl = node.kubelet as NonNullable<typeof node.kubelet>;
  const ch: Chan<SourceUpdate> = kl.podConfig.channel(background, 'api');
  const pods: Pod[] = [];
  const run = (seconds: number) => k.run({ until: k.now() + seconds * Second });
  const say = () => {
    k.go('source', () => send(ch, { pods: pods.map((p) => structuredClone(p)) }), { process: kl.process });
  };
  const add = (name: string, command = idle, more = '', spec = '') => {
    const pod = decodePod(
      `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\nspec:\n  terminationGracePeriodSeconds: 5\n${spec}  containers:\n  - name: app\n    image: localhost/busybox:dev\n    command: ${command}\n${more}`,
    );
    pods.push({ ...pod, metadata: { ...pod.metadata, namespace: 'default', uid: `uid-${name}` } });
    say();
  };
  say();
  run(1);
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  const status = (name: string) => kl.statusManager.getPodStatus(`uid-${name}`);
  const events = (reason: string) => of('kube-event').filter((e) => e.reason === reason);
  const evicted = () => of('eviction').flatMap((r) => (r.phase === 'evict' ? [r.pod] : []));
  return { k, node, kl, add, run, of, status, events, evicted, records };
}
/** Holds this many Mi in memory. */
const hog = (mi: number) => `["dd", "if=/dev/zero", "of=/dev/null", "bs=${mi}M"]`;
const asks = (what: string) => `    resources:\n      requests: {${what}}\n`;

describe('a node that is short of memory', () => {
  it('[3:EV-12] [3:EV-13] ends the pod that uses most beyond what it asked for; its status says why', () => {
    const t = setup();
    t.add('hungry', hog(200), asks('memory: 16Mi'));
    t.add('modest', idle, asks('memory: 64Mi'));
    t.run(5);
    expect([t.status('hungry')?.phase, t.status('modest')?.phase]).toEqual(['Running', 'Running']);
    t.node.load.begin('memory', '40Mi');
    t.run(25);
    expect(t.evicted()).toEqual(['default/hungry']);
    const status = t.status('hungry');
    expect(status).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
    expect(status?.message).toMatch(
      /^The node was low on resource: memory\. Threshold quantity: 100Mi, available: \d+(Ki|Mi)?\. Container app was using \d+(Ki)?, request is 16Mi, has larger consumption of memory\. $/,
    );
    expect(status?.conditions?.find((c) => c.type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'TerminationByKubelet',
      message: status?.message,
    });
    // Through its worker; the one second is less than a container always gets.
    expect(
      t.of('pod-update').filter((r) => r.updateType === 'kill' && r.pod === 'default/hungry').length,
    ).toBeGreaterThan(0);
    expect(
      t
        .of('cri-call')
        .filter((r) => r.method === 'StopContainer')
        .map((r) => (r.request as { timeout?: string }).timeout),
    ).toEqual(['2']);
    expect(t.status('modest')?.phase).toBe('Running');
    expect(t.kl.evictionManager.isUnderMemoryPressure()).toBe(true);
  });

  it('[3:ADM-05] [3:EV-05] refuses pods that ask for nothing, five minutes longer than it is so', () => {
    const t = setup();
    const end = t.node.load.begin('memory', '40Mi');
    t.run(25);
    end();
    t.add('late');
    t.add('asks', idle, asks('memory: 1Mi'));
    t.run(5);
    expect(t.status('late')).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      message: 'Pod was rejected: The node had condition: [MemoryPressure]. ',
    });
    expect(t.status('asks')?.phase).toBe('Running');
    t.run(305);
    t.add('later');
    t.run(5);
    expect(t.status('later')?.phase).toBe('Running');
  });

  it('[3:EV-13] a pod that does not die in time is said to have had its time; it counts all the same', () => {
    const t = setup();
    t.add('hungry', hog(200));
    t.run(5);
    t.node.mock.faults.add({ method: 'StopContainer', effect: { kind: 'hang' } });
    t.node.load.begin('memory', '40Mi');
    t.run(25);
    expect(t.events('ExceededGracePeriod').map((e) => e.object.name)).toEqual(['hungry']);
    expect(t.of('eviction').find((r) => r.phase === 'evicted')?.error).toBe('timeout waiting to kill pod');
    const [evict, exceeded] = [t.of('eviction').find((r) => r.phase === 'evict'), t.events('ExceededGracePeriod')[0]];
    expect(Math.round(((exceeded?.time ?? 0) - (evict?.time ?? 0)) / Second)).toBe(10);
  });
});

describe('a node whose disk fills up', () => {
  const images = [{ ref: 'registry.example/old:1', size: 8 * 2 ** 30 }];

  it('[3:EV-08] removes dead containers and unused images first, and then no pod has to go', () => {
    const t = setup({ imageMinimumGCAge: 10 * Second }, { images });
    t.add('once', '["true"]', '', '  restartPolicy: OnFailure\n');
    t.add('stays');
    t.run(30);
    t.node.load.begin('disk', '9%');
    t.run(15);
    expect(
      t
        .of('eviction')
        .map((r) => r.what ?? r.phase)
        .slice(-3),
    ).toEqual(['containers', 'images', 'reclaimed']);
    expect(t.node.mock.images().flatMap((i) => i.tags)).not.toContain('registry.example/old:1');
    // Also of a pod that has ended and is not deleted.
    expect(t.node.mock.containers().map((c) => c.pod)).toEqual(['stays']);
    expect(t.evicted()).toEqual([]);
    expect(t.kl.evictionManager.nodeConditions()).toEqual(['DiskPressure']);
  });

  it('[3:EV-06] ends pods that hold more of it than they may: an emptyDir, a container', () => {
    const t = setup();
    const volume = '  volumes:\n  - {name: cache, emptyDir: {sizeLimit: 10Mi}}\n';
    t.add(
      'cache',
      `["sh", "-c", "dd if=/dev/zero of=/cache/x bs=1M count=20; sleep 999"]`,
      '    volumeMounts: [{name: cache, mountPath: /cache}]\n',
      volume,
    );
    t.add(
      'writes',
      `["sh", "-c", "dd if=/dev/zero of=/tmp/x bs=1M count=20; sleep 999"]`,
      '    resources:\n      limits: {ephemeral-storage: 15Mi}\n',
    );
    t.add(
      'small',
      `["sh", "-c", "dd if=/dev/zero of=/tmp/x bs=1M count=10; sleep 999"]`,
      '    resources:\n      limits: {ephemeral-storage: 15Mi}\n',
    );
    t.run(100);
    expect(t.status('cache')).toMatchObject({
      reason: 'Evicted',
      message: 'Usage of EmptyDir volume "cache" exceeds the limit "10Mi". ',
    });
    expect(t.status('writes')?.message).toBe(
      'Pod ephemeral local storage usage exceeds the total limit of containers 15Mi. ',
    );
    expect(t.status('writes')?.conditions?.some((c) => c.type === 'DisruptionTarget')).toBe(false);
    expect(t.status('small')?.phase).toBe('Running');
  });

  it('[3:GC-05] [3:GC-06] the pass every five minutes brings it below the low threshold, or says that it could not', () => {
    const t = setup({ imageMinimumGCAge: 10 * Second, evictionHard: {} }, { images });
    t.run(20);
    t.node.load.begin('disk', '14%');
    t.run(300);
    expect(t.node.mock.images().flatMap((i) => i.tags)).not.toContain('registry.example/old:1');
    expect(t.events('FreeDiskSpaceFailed')).toEqual([]);
    t.node.load.begin('disk', '5%');
    t.run(300);
    expect(t.events('FreeDiskSpaceFailed')[0]?.message).toMatch(
      /^Insufficient free disk space on the node's image filesystem \(95% of 100\.0 GiB used\)\. /,
    );
    // The first failure is only logged.
    expect(t.events('ImageGCFailed')).toEqual([]);
    t.run(300);
    expect(t.events('ImageGCFailed')).toHaveLength(1);
  });

  it('[3:GC-05] with the high threshold at 100 and no greatest age it is off', () => {
    const t = setup({ imageGCHighThresholdPercent: 100, evictionHard: {} }, { images });
    t.run(150);
    t.node.load.begin('disk', '0');
    t.run(400);
    expect(t.node.mock.images().flatMap((i) => i.tags)).toContain('registry.example/old:1');
    expect(t.of('enter').filter((e) => e.fn === 'Images/GarbageCollect')).toEqual([]);
  });
});

describe('a node that runs out of processes', () => {
  it('[3:EV-09] ends the pod with most of them, where a threshold was set', () => {
    const t = setup({ evictionHard: { 'pid.available': '100' } });
    t.add('one');
    t.add('many', '["sh", "-c", "sleep 999 & sleep 999 & sleep 999 & wait"]');
    t.run(5);
    t.node.load.begin('pid', '98');
    t.run(20);
    expect(t.evicted()).toEqual(['default/many']);
    expect(t.kl.evictionManager.isUnderPIDPressure()).toBe(true);
  });
  it('without one nobody would notice, and the fault says so', () => {
    const t = setup();
    expect(() => t.node.load.begin('pid')).toThrow(
      /no threshold of this node watches pid\.available.*node\.evictionHard/,
    );
  });
});

describe('[3:SHUT-01] the machine goes down', () => {
  it('pods end by group, new ones are refused, until it is called off', () => {
    const t = setup({ shutdownGracePeriod: 20 * Second, shutdownGracePeriodCriticalPods: 8 * Second });
    const dies = (seconds: number, code: number) =>
      `["sh", "-c", "trap 'sleep ${seconds}; exit ${code}' TERM; while true; do sleep 0.2; done"]`;
    t.add('web', dies(3, 143));
    t.add('ends-well', dies(1, 0));
    t.add('system', dies(0, 1), '', '  priority: 2000000000\n');
    t.run(5);
    expect(t.node.shutdown.announce(true)).toBe(true);
    t.run(1);
    t.add('late');
    t.run(15);
    for (const name of ['web', 'system'])
      expect(t.status(name)).toMatchObject({
        phase: 'Failed',
        reason: 'Terminated',
        message: 'Pod was terminated in response to imminent node shutdown.',
      });
    // Upstream's own: whose containers all end well has succeeded, whatever made them end.
    expect(t.status('ends-well')).toMatchObject({ phase: 'Succeeded' });
    expect(t.status('late')).toMatchObject({ phase: 'Failed', reason: 'NodeShutdown' });
    const order = t
      .of('decision')
      .filter((r) => r.rule === 'nodeshutdown.killPods')
      .map((r) => r.values.pods);
    expect(order).toEqual([['default/web', 'default/ends-well'], ['default/system']]);
    expect(t.node.shutdown.held).toBe(false);
    t.node.shutdown.announce(false);
    t.run(1);
    t.add('again');
    t.run(5);
    expect(t.status('again')?.phase).toBe('Running');
    expect(t.node.shutdown.held).toBe(true);
  });
});

it('[3:OOM-01] a process of the node itself that falls is an event of the node', () => {
  const t = setup();
  t.node.ooms.systemOOM('redis-server', 4242);
  t.run(1);
  expect(t.events('SystemOOM').map((e) => e.message)).toEqual([
    'System OOM encountered, victim process: redis-server, pid: 4242',
  ]);
});
