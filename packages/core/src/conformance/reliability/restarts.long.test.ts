import { describe, expect, it } from 'vitest';
import type { PodStatus } from '../../api/types.js';
import { background } from '../../kernel/index.js';
import { Rig } from './testing/rig.js';
import { deaf, server, sh, untilStopped } from './testing/specs.js';

const init = (name: string, more: object = {}) => sh(name, `echo ${name} >> /state/ran`, { ...mounts, ...more });
const mounts = { volumeMounts: [{ name: 'state', mountPath: '/state' }] };
const volumes = [{ name: 'state', emptyDir: {} }];

describe('the kubelet is killed and comes back', () => {
  it('[A1:2] killed inside RunPodSandbox: the sandbox is adopted or replaced, never two at once', () => {
    for (const when of ['before', 'after'] as const) {
      const t = new Rig().start().run(2);
      t.cutAt('cri', t.calls.length + 1, when).put('web', server());
      expect(t.until(() => t.ready('web'), 60)).toBe(true);
      expect(t.wasCut).toBe(true);
      t.run(70);
      expect(t.readySandboxes()).toHaveLength(1);
      expect(t.running()).toHaveLength(1);
      expect(t.violations).toEqual([]);
    }
  });

  it('[A1:3] killed between create and start: the next attempt runs, the leftover is collected', () => {
    const t = new Rig().start().run(2);
    t.cutAt('cri', t.calls.length + 3, 'before').put('web', server());
    expect(t.until(() => t.ready('web'), 60)).toBe(true);
    expect(t.calls.slice(0, 3).map((c) => c.method)).toEqual(['runPodSandbox', 'createContainer', 'startContainer']);
    const [left, next] = t.containersOf('web');
    expect(left).toMatchObject({ attempt: 0, state: 'created' });
    expect(next).toMatchObject({ attempt: 1, state: 'running' });
    expect(t.calls.filter((c) => c.method === 'startContainer')).toHaveLength(2);
    // Container GC keeps the newest dead one of each container: with the next it goes.
    t.run(120);
    expect(t.containersOf('web').map((c) => c.attempt)).toEqual([0, 1]);
    t.mock.killContainer('web', 'app');
    expect(
      t.until(
        () =>
          t
            .containersOf('web')
            .map((c) => c.attempt)
            .join() === '1,2',
        150,
      ),
    ).toBe(true);
    expect(t.violations).toEqual([]);
  });

  it('[A1:8] a terminal pod whose delete was not sent yet is deleted by the next kubelet', () => {
    for (const when of ['before', 'after'] as const) {
      const t = new Rig({ api: true }).start().run(5);
      t.apply('job', { restartPolicy: 'Never', containers: [sh('app', 'sleep 1')] });
      expect(t.until(() => t.stored('job')?.status.phase === 'Succeeded', 30)).toBe(true);
      t.transport?.cut();
      t.apiFault = (r) => (r.method === 'DELETE' && t.wasCut === false ? { lost: when } : null);
      t.cutAt('api', 1_000_000, 'before');
      t.api.delete('job', 30);
      t.run(4);
      t.node.stopKubelet('killed');
      t.run(1);
      t.apiFault = () => null;
      t.start();
      expect(t.until(() => !t.stored('job'), 30)).toBe(true);
      t.run(20);
      expect(t.pod('job')).toBeUndefined();
      expect(t.violations).toEqual([]);
    }
  });

  it('[A1:9] what came and was deleted meanwhile, and could never run, is deleted for good at once', () => {
    const t = new Rig({ api: true }).start().run(5);
    t.node.stopKubelet('killed');
    t.run(1);
    t.apply('huge', { containers: [sh('app', untilStopped, { resources: { requests: { cpu: '100' } } })] });
    t.api.delete('huge');
    expect(t.stored('huge')?.metadata.deletionTimestamp).toBeDefined();
    t.start();
    expect(t.until(() => !t.stored('huge'), 20)).toBe(true);
    expect(t.mock.sandboxes()).toEqual([]);
  });

  it('[A1:10] a running pod that is no longer admitted is rejected, its containers end, and it goes', () => {
    const t = new Rig({ api: true }).start().run(5);
    t.apply('a', server({ containers: [sh('app', deaf, { resources: { requests: { cpu: '3' } } })] }));
    expect(t.until(() => t.ready('a'), 30)).toBe(true);
    t.node.stopKubelet('killed');
    t.run(1);
    // The machine keeps more for itself now.
    t.node.config.systemReserved = { cpu: '2' };
    t.start();
    expect(t.until(() => t.stored('a')?.status.phase === 'Failed', 30)).toBe(true);
    expect(t.stored('a')?.status.reason).toBe('OutOfcpu');
    // It is only told once nothing of it runs.
    expect(t.running()).toEqual([]);
    expect(t.until(() => t.readySandboxes().length === 0, 30)).toBe(true);
    t.api.delete('a');
    expect(t.until(() => !t.stored('a') && !t.pod('a'), 30)).toBe(true);
    expect(t.violations).toEqual([]);
  });

  it('[A1:11] a static pod whose manifest went meanwhile is found at the runtime, ended and cleaned up', () => {
    const t = new Rig().start().put('web', server());
    expect(t.until(() => t.ready('web'), 30)).toBe(true);
    t.node.stopKubelet('killed');
    t.remove('web').run(3);
    expect(t.running()).toHaveLength(1);
    t.start();
    expect(t.until(() => t.running().length === 0 && t.readySandboxes().length === 0, 30)).toBe(true);
    expect(
      t.until(() => t.mock.sandboxes().length === 0 && t.node.kubelet?.podWorkers.snapshot().length === 0, 200),
    ).toBe(true);
    expect(t.mock.fs.readDirSync('/var/lib/kubelet/pods')).toEqual([]);
    expect(t.violations).toEqual([]);
  });

  it('[A1:12] the same of an API pod that was force-deleted meanwhile', () => {
    const t = new Rig({ api: true }).start().run(3);
    t.apply('web', server());
    expect(t.until(() => t.ready('web'), 30)).toBe(true);
    t.node.stopKubelet('killed');
    t.api.delete('web', 0);
    t.run(3);
    expect(t.stored('web')).toBeUndefined();
    t.start();
    expect(t.until(() => t.running().length === 0 && t.readySandboxes().length === 0, 30)).toBe(true);
    expect(
      t.until(() => t.mock.sandboxes().length === 0 && t.node.kubelet?.podWorkers.snapshot().length === 0, 200),
    ).toBe(true);
    expect(t.violations).toEqual([]);
  });

  it('[A1:13] init containers that are done never run again, even when their records are gone', () => {
    const t = new Rig().start().put(
      'web',
      server({
        volumes,
        initContainers: [init('one'), init('two')],
        containers: [sh('app', untilStopped, mounts)],
      }),
    );
    expect(t.until(() => t.ready('web'), 30)).toBe(true);
    t.node.stopKubelet('killed');
    const ran = () => {
      const at = `/var/lib/kubelet/pods/${t.readySandboxes()[0]?.uid}/volumes/kubernetes.io~empty-dir/state/ran`;
      return t.mock.fs.readFileSync(at);
    };
    expect(ran()).toBe('one\ntwo\n');
    for (const removed of [false, true]) {
      if (removed)
        for (const c of t.mock.containers().filter((x) => x.state === 'exited'))
          t.kernel.go('crictl rm', function* () {
            yield* t.mock.runtime.removeContainer(background, { containerId: c.id });
          });
      t.run(2).start().run(60);
      expect(t.ready('web')).toBe(true);
      expect(ran()).toBe('one\ntwo\n');
      expect(t.containersOf('web').filter((c) => c.state === 'running')).toHaveLength(1);
      t.node.stopKubelet('killed');
    }
    expect(t.violations).toEqual([]);
  });

  it('[A1:14] after a reboot the init containers run again in order, and then the pod', () => {
    const side = sh('side', untilStopped, {
      restartPolicy: 'Always',
      startupProbe: { exec: { command: ['true'] }, periodSeconds: 1 },
    });
    const t = new Rig({ keep: ['actual-container', 'status'] }).start().put(
      'web',
      server({
        volumes,
        initContainers: [init('one'), side, init('two')],
        containers: [sh('app', untilStopped)],
      }),
    );
    expect(t.until(() => t.ready('web'), 30)).toBe(true);
    t.node.stopKubelet('killed');
    for (const c of t.running()) t.mock.killContainer('web', c.name);
    t.mock.killSandbox('web');
    t.run(5);
    const from = t.records.length;
    t.start();
    expect(t.until(() => t.ready('web'), 60)).toBe(true);
    /** The phases that were reported when each of them began, and at the end. */
    let phase: string | undefined = '';
    const began: string[] = [];
    for (const r of t.records.slice(from)) {
      if (r.kind === 'actual-container' && r.state === 'running') began.push(r.name);
      if (r.kind !== 'status') continue;
      const status = r.status as PodStatus;
      phase = status.phase;
      const running = status.initContainerStatuses?.some((s) => s.state.running && s.name !== 'side');
      if (running) expect(phase).toBe('Pending');
      const ready = status.conditions?.find((c) => c.type === 'Ready')?.status;
      if (ready === 'True') expect(began).toContain('app');
    }
    expect(began).toEqual(['one', 'side', 'two', 'app']);
    expect(phase).toBe('Running');
    expect(t.readySandboxes()).toHaveLength(1);
    expect(t.mock.sandboxes().map((s) => s.attempt)).toContain(1);
    expect(t.violations).toEqual([]);
  });

  it('[A1:15] a spec that changed meanwhile is applied once', () => {
    const other = { ref: 'localhost/busybox:other', programs: 'busybox' } as const;
    const t = new Rig({ api: true, runtime: { images: [other] } }).start().run(3);
    t.apply('api', server()).put('file', server());
    expect(t.until(() => t.allReady(['api', 'file']), 30)).toBe(true);
    const before = t.stored('api');
    for (const reboot of [false, true]) {
      const image = reboot ? 'localhost/busybox:dev' : other.ref;
      const spec = server({ containers: [{ ...sh('app', untilStopped), image }] });
      t.node.stopKubelet('killed');
      if (reboot) for (const s of t.readySandboxes()) t.mock.killSandbox(s.uid);
      t.apply('api', spec).put('file', spec);
      t.run(2).start();
      const done = () =>
        t.allReady(['api', 'file']) && t.running().length === 2 && t.running().every((c) => c.image === image);
      expect(t.until(done, 60), image).toBe(true);
      const calls = t.calls.length;
      t.run(30);
      expect(t.calls.slice(calls).filter((c) => /^(start|create|run)/.test(c.method))).toEqual([]);
      expect(t.readySandboxes()).toHaveLength(2);
    }
    expect(t.stored('api')?.metadata.uid).toBe(before?.metadata.uid);
    expect(t.violations).toEqual([]);
  });

  it('[A1:16] a static pod that lost its init container or its sidecar while the kubelet was away is ready', () => {
    const app = sh('app', untilStopped);
    const whole = {
      containers: [app],
      initContainers: [sh('init', 'true'), sh('side', untilStopped, { restartPolicy: 'Always' })],
    };
    for (const left of [
      { initContainers: [whole.initContainers[1]] },
      { initContainers: [whole.initContainers[0]] },
      {},
    ])
      for (const metadata of [{}, { uid: 'aaaaaaaa-0000-4000-8000-000000000001' }]) {
        const t = new Rig().start().put('web', server(whole), metadata);
        expect(t.until(() => t.ready('web'), 30)).toBe(true);
        t.node.stopKubelet('killed');
        t.put('web', server({ containers: [app], ...left }), metadata)
          .run(2)
          .start();
        t.run(15);
        expect(
          t.until(() => t.ready('web'), 60),
          JSON.stringify({ left, metadata }),
        ).toBe(true);
        t.run(30);
        expect(t.readySandboxes()).toHaveLength(1);
        expect(t.ready('web')).toBe(true);
        expect(t.violations).toEqual([]);
      }
  });

  it('[A1:5] a pod in its grace period while the runtime is away stays terminating, and then ends', () => {
    const t = new Rig({ api: true }).start().run(3);
    t.apply('web', server({ terminationGracePeriodSeconds: 20, containers: [sh('app', deaf)] }));
    expect(t.until(() => t.ready('web'), 30)).toBe(true);
    t.api.delete('web');
    t.run(5);
    expect(t.stored('web')?.metadata.deletionTimestamp).toBeDefined();
    t.mock.stop();
    const phases = new Set<string | undefined>();
    for (let i = 0; i < 12; i++) phases.add(t.run(5).stored('web')?.status.phase);
    t.mock.start();
    expect(t.until(() => !t.stored('web'), 90)).toBe(true);
    expect([...phases]).toEqual(['Running']);
    expect(t.running()).toEqual([]);
    expect(t.readySandboxes()).toEqual([]);
    expect(t.violations).toEqual([]);
  });
});
