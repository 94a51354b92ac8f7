import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';

import { Rig } from './testing/rig.js';
import { deaf, server, sh, sleeping, untilStopped } from './testing/specs.js';

const exec = (...command: string[]) => ({ exec: { command } });
/** Commands that are run in containers, with the second they began. */
function execs(t: Rig): { at: number; what: string }[] {
  const out: { at: number; what: string }[] = [];
  t.onCall = (method, request) => {
    if (method === 'execSync') out.push({ at: t.now, what: (request as { cmd: string[] }).cmd.join(' ') });
  };
  return out;
}
const create = (t: Rig, path: string, json: object) =>
  t.api.server.handle({
    method: 'POST',
    path,
    json,
    user: { name: 'admin', groups: ['system:masters'] },
    headers: { accept: 'application/json', 'content-type': 'application/json' },
  });
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'b' } });
const ends = (t: Rig, name: string) => t.of('actual-container').filter((c) => c.name === name && c.state === 'exited');

describe('how pods end', () => {
  it('[A1:29] liveness fails, and preStop is long: it runs, then TERM, then KILL', () => {
    const t = new Rig().start().run(2);
    const ran = execs(t);
    const probes = {
      livenessProbe: { ...exec('test', '-f', '/tmp/ok'), periodSeconds: 1, failureThreshold: 2 },
      readinessProbe: { ...exec('true', 'ready'), periodSeconds: 1 },
      lifecycle: { preStop: exec('sleep', '4') },
    };
    t.put(
      'web',
      server({ terminationGracePeriodSeconds: 8, containers: [sh('app', `touch /tmp/ok; ${deaf}`, probes)] }),
    );
    expect(t.until(() => t.ready('web'), 30)).toBe(true);
    t.run(5);
    t.kernel.go('rm', function* () {
      yield* t.mock.exec('web', 'app', ['rm', '/tmp/ok']);
    });
    expect(t.until(() => ran.some((r) => r.what === 'sleep 4'), 10)).toBe(true);
    const stop = ran.find((r) => r.what === 'sleep 4')?.at ?? 0;
    expect(t.until(() => ends(t, 'app').length === 1, 20)).toBe(true);
    expect(ends(t, 'app')[0]).toMatchObject({ exitCode: 137 });
    // The hook's time is part of the grace.
    expect(t.now - stop).toBeGreaterThan(7.9);
    expect(t.now - stop).toBeLessThan(9);
    const meanwhile = ran.filter((r) => r.at > stop + 0.1 && r.at < stop + 7);
    expect(meanwhile.filter((r) => r.what === 'true ready').length).toBeGreaterThanOrEqual(4);
    expect(t.until(() => t.ready('web') && t.pod('web')?.status.containerStatuses?.[0]?.restartCount === 1, 30)).toBe(
      true,
    );
    expect(t.violations).toEqual([]);
  });

  it('[A1:29] of a pod that is told to end: liveness is stopped, readiness goes on', () => {
    const t = new Rig({ api: true }).start().run(2);
    const ran = execs(t);
    const probes = {
      livenessProbe: { ...exec('true', 'live'), periodSeconds: 1 },
      readinessProbe: { ...exec('true', 'ready'), periodSeconds: 1 },
      lifecycle: { preStop: exec('sleep', '6') },
    };
    t.apply('web', server({ terminationGracePeriodSeconds: 15, containers: [sh('app', untilStopped, probes)] }));
    expect(t.until(() => t.ready('web'), 30)).toBe(true);
    t.run(5);
    t.api.delete('web');
    expect(t.until(() => ran.some((r) => r.what === 'sleep 6'), 10)).toBe(true);
    const from = t.now + 0.2;
    t.run(5);
    const meanwhile = ran.filter((r) => r.at > from);
    expect(meanwhile.filter((r) => r.what === 'true live')).toEqual([]);
    expect(meanwhile.filter((r) => r.what === 'true ready').length).toBeGreaterThanOrEqual(3);
    expect(t.until(() => !t.stored('web'), 20)).toBe(true);
    expect(t.violations).toEqual([]);
  });

  it('[A1:30] a container that ignores TERM is killed when its grace is over: 137, Error; nothing makes that later', () => {
    const t = new Rig({ api: true }).start().run(2);
    t.apply('web', server({ terminationGracePeriodSeconds: 30, containers: [sh('app', deaf)] }));
    expect(t.until(() => t.ready('web'), 30)).toBe(true);
    t.api.delete('web', 6);
    const from = t.now;
    t.run(2);
    t.api.delete('web', 60);
    t.run(1);
    // A pod that is being deleted takes no edit.
    expect(() =>
      t.apply('web', server({ terminationGracePeriodSeconds: 60, containers: [sh('app', deaf)] })),
    ).toThrow();
    expect(t.until(() => ends(t, 'app').length === 1, 20)).toBe(true);
    expect(t.now - from).toBeGreaterThan(5.9);
    expect(t.now - from).toBeLessThan(7.5);
    expect(ends(t, 'app')[0]).toMatchObject({ exitCode: 137, reason: 'Error' });
    expect(t.until(() => !t.stored('web'), 20)).toBe(true);
    expect(t.violations).toEqual([]);
  });

  it('[A1:31] sidecars end last and in reverse; how they end does not matter; one that hangs in init does not hold the end up', () => {
    const t = new Rig({ api: true }).start().run(2);
    const side = (name: string, script: string) => sh(name, script, { restartPolicy: 'Always' });
    t.apply('job', {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 5,
      initContainers: [
        side('s1', "trap 'exit 3' TERM; sleep 100000 & wait"),
        side('s2', "trap 'sleep 1; exit 4' TERM; sleep 100000 & wait"),
      ],
      containers: [sh('app', 'sleep 3')],
    });
    expect(t.until(() => t.stored('job')?.status.phase === 'Succeeded', 40)).toBe(true);
    const order = t
      .of('actual-container')
      .filter((c) => c.state === 'exited')
      .map((c) => [c.name, c.exitCode]);
    expect(order).toEqual([
      ['app', 0],
      ['s2', 4],
      ['s1', 3],
    ]);

    t.apply('stuck', {
      terminationGracePeriodSeconds: 3,
      initContainers: [side('side', untilStopped), sh('hangs', deaf)],
      containers: [sh('never', untilStopped)],
    });
    expect(t.until(() => t.running().some((c) => c.name === 'hangs'), 30)).toBe(true);
    t.api.delete('stuck');
    expect(t.until(() => !t.stored('stuck') && t.running().length === 0, 20)).toBe(true);
    expect(t.of('actual-container').some((c) => c.name === 'never')).toBe(false);
    expect(t.violations).toEqual([]);
  });

  it('[A1:32] a config map or secret that is missing: the right conditions; it starts when that is there; its end does not hang', () => {
    const t = new Rig({ api: true }).start().run(2);
    const mounting = (volume: object) =>
      server({
        volumes: [{ name: 'v', ...volume }],
        containers: [sh('app', untilStopped, { volumeMounts: [{ name: 'v', mountPath: '/v' }] })],
      });
    t.apply('a', mounting({ configMap: { name: 'missing' } }));
    t.apply('b', mounting({ secret: { secretName: 'missing' } }));
    t.apply(
      'c',
      server({ containers: [sh('app', untilStopped, { envFrom: [{ configMapRef: { name: 'missing' } }] })] }),
    );
    t.run(60);
    expect(t.running()).toEqual([]);
    for (const n of ['a', 'b']) {
      expect(t.stored(n)?.status).toMatchObject({
        phase: 'Pending',
        containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }],
      });
      expect(t.condition(n, 'PodReadyToStartContainers')).toBe('False');
      expect(t.condition(n, 'PodScheduled')).toBe('True');
      expect(t.events(n)).toContain('FailedMount');
    }
    expect(t.condition('c', 'PodReadyToStartContainers')).toBe('True');
    expect(t.stored('c')?.status.containerStatuses?.[0]?.state.waiting?.reason).toBe('CreateContainerConfigError');
    t.api.delete('b');
    expect(t.until(() => !t.stored('b'), 20)).toBe(true);
    create(t, '/api/v1/namespaces/default/configmaps', configMap('missing'));
    // The mount is tried again after 2 min 2 s at most, and a pod that timed out on it with its next sync.
    expect(t.until(() => t.allReady(['a', 'c']), 250)).toBe(true);
    t.api.server.handle({
      method: 'DELETE',
      path: '/api/v1/namespaces/default/configmaps/missing',
      user: { name: 'admin', groups: ['system:masters'] },
    });
    t.run(100);
    expect(t.allReady(['a', 'c'])).toBe(true);
    t.api.delete('a');
    t.api.delete('c');
    expect(t.until(() => t.api.list().length === 0 && t.running().length === 0, 20)).toBe(true);
    expect(t.violations).toEqual([]);
  });
});

describe('a node that is short of something, or goes down', () => {
  /** Holds so much memory. */
  const hungry = (mebibytes: number, resources: object) => ({
    ...sh('app', ''),
    command: ['dd', 'if=/dev/zero', 'of=/dev/null', `bs=${mebibytes}M`],
    resources,
  });

  it('[A1:34] memory: who is over his request goes first, by priority, then by how far; DisruptionTarget; a static pod stays', () => {
    const t = new Rig({ api: true, config: { evictionHard: { 'memory.available': '100Mi' } } }).start().run(2);
    const request = (memory: string) => ({ requests: { memory } });
    t.apply('within', { containers: [hungry(300, request('400Mi'))] });
    t.apply('over', { containers: [hungry(400, request('100Mi'))] });
    t.apply('effort', { containers: [hungry(100, {})] });
    t.apply('exact', {
      containers: [hungry(200, { requests: { memory: '210Mi', cpu: '10m' }, limits: { memory: '210Mi', cpu: '10m' } })],
    });
    t.put('critical', server());
    expect(t.until(() => t.allReady(['within', 'over', 'effort', 'exact', 'critical']), 40)).toBe(true);
    t.run(20);
    // As each pod goes, another load takes what it leaves.
    for (let i = 0; i < 3; i++) {
      const end = t.node.load.begin('memory', '20Mi');
      const failed = () => t.api.list().filter((p) => p.status.phase === 'Failed').length;
      expect(t.until(() => failed() === i + 1, 60)).toBe(true);
      end();
      t.run(12);
    }
    const evicted = t
      .of('kube-event')
      .filter((e) => e.reason === 'Evicted')
      .map((e) => e.object.name);
    expect(evicted.slice(0, 2)).toEqual(['over', 'effort']);
    expect(['within', 'exact']).toContain(evicted[2]);
    for (const n of evicted) {
      expect(t.stored(n)?.status.reason).toBe('Evicted');
      expect(t.stored(n)?.status.conditions?.find((c) => c.type === 'DisruptionTarget')).toMatchObject({
        status: 'True',
        reason: 'TerminationByKubelet',
      });
    }
    expect(t.ready('critical')).toBe(true);
    expect(t.violations).toEqual([]);
  });

  it('[A1:35] a shutdown called off half-way: groups end in order all the same, as they do upstream; the node is ready again and takes pods', () => {
    const config = { shutdownGracePeriod: 30 * Second, shutdownGracePeriodCriticalPods: 10 * Second };
    const t = new Rig({ api: true, config }).start().run(5);
    t.apply('plain', server({ terminationGracePeriodSeconds: 15, containers: [sh('app', deaf)] }));
    t.apply(
      'critical',
      server({
        priorityClassName: 'system-cluster-critical',
        containers: [sh('agent', `trap 'exit 1' TERM; ${sleeping}`)],
      }),
    );
    expect(t.until(() => t.allReady(['plain', 'critical']), 30)).toBe(true);
    const ready = () => {
      const [node] = t.api.server.peek('nodes') as unknown as readonly {
        status: { conditions: { type: string; status: string; message: string }[] };
      }[];
      return node?.status.conditions.find((c) => c.type === 'Ready');
    };
    t.run(12);
    expect(t.node.shutdown.announce(true)).toBe(true);
    t.run(5);
    expect(ready()).toMatchObject({ status: 'False', message: 'node is shutting down' });
    t.apply('late', server());
    t.run(3);
    expect(t.stored('late')?.status).toMatchObject({ phase: 'Failed', reason: 'NodeShutdown' });
    expect(t.node.shutdown.announce(false)).toBe(true);
    expect(t.until(() => ready()?.status === 'True', 30)).toBe(true);
    t.run(20);
    expect(t.stored('plain')?.status).toMatchObject({ phase: 'Failed', reason: 'Terminated' });
    expect(t.stored('critical')?.status).toMatchObject({ phase: 'Failed', reason: 'Terminated' });
    const ended = t.of('actual-container').filter((c) => c.state === 'exited');
    expect(ended.map((c) => c.name)).toEqual(['app', 'agent']);
    t.apply('new', server());
    expect(t.until(() => t.ready('new'), 30)).toBe(true);
    expect(t.violations).toEqual([]);
  });

  it('[A1:36] garbage: the newest dead one of each container stays; of images only what nobody uses, and not what is young', () => {
    const size = 2_000_000_000;
    const capacity = 18_000_000_000;
    const image = (name: string) => ({ ref: `registry.example/${name}:1`, programs: 'busybox', size }) as const;
    const t = new Rig({
      // Nobody is evicted meanwhile.
      config: { evictionHard: { 'memory.available': '50Mi' } },
      runtime: {
        images: ['old', 'older', 'used'].map(image),
        registry: { [image('young').ref]: { kind: 'serve', image: image('young'), bytesPerSecond: 1e9 } },
        node: { imageFsCapacityBytes: capacity },
      },
    }).start();
    const runs = (name: string) => server({ containers: [{ ...sh('app', untilStopped), image: image(name).ref }] });
    t.put('web', runs('used')).put('crash', server({ containers: [sh('app', 'sleep 1; exit 1')] }));
    expect(t.until(() => t.ready('web'), 30)).toBe(true);
    const used = () => t.mock.usage().imageDiskBytes / capacity;
    expect(used()).toBeLessThan(0.7);
    t.run(280);
    expect(
      t.mock
        .images()
        .flatMap((i) => i.tags)
        .filter((x) => x.startsWith('registry')),
    ).toHaveLength(3);
    t.put('brief', server({ ...runs('young'), restartPolicy: 'Never' }));
    expect(t.until(() => t.ready('brief'), 30)).toBe(true);
    // Above 85 %: one goes, and it is below 80 % again.
    expect(used()).toBeGreaterThan(0.85);
    t.remove('brief');
    t.run(320);
    const left = t.mock.images().flatMap((i) => i.tags);
    expect(left).toContain('registry.example/used:1');
    expect(left).toContain('registry.example/young:1');
    expect(left.filter((x) => /old/.test(x))).toHaveLength(1);
    expect(t.ready('web')).toBe(true);
    const dead = t
      .containersOf('crash')
      .filter((c) => c.state === 'exited')
      .map((c) => c.attempt);
    // Of the other pods nothing ran twice. One more may have ended since the last collection.
    const newest = Math.max(...t.of('actual-container').map((c) => c.attempt));
    expect(newest).toBeGreaterThan(3);
    expect(dead.length).toBeLessThanOrEqual(2);
    expect([newest, newest - 1]).toContain(dead.at(-1));
    expect(t.violations).toEqual([]);
  });
});
