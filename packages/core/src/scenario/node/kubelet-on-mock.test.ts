import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/index.js';
import { inProcessClient } from '../../cri/index.js';
import { Kernel, Second, seeded } from '../../kernel/index.js';
import { CgroupsInMemory } from '../../kubelet/cm/cgroups-in-memory.js';
import { defaultKubeletConfig, type Kubelet, type KubeletConfig, newKubelet } from '../../kubelet/index.js';
import { type MockRuntimeOptions, newMockRuntime } from '../../mock/index.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';

const manifests = '/etc/kubernetes/manifests';

interface NodeOptions {
  readonly config?: Partial<KubeletConfig>;
  readonly mock?: MockRuntimeOptions;
  readonly seed?: number;
}

/** A kubelet on the mock runtime, with a manifest folder. */
function node(options: NodeOptions = {}) {
  const records: TraceRecord[] = [];
  const k = new Kernel({
    sink: (r) => records.push(r),
    ...(options.seed !== undefined && {
      seed: options.seed,
      policy: seeded(options.seed, { goroutines: true, preempts: true }),
    }),
  });
  const mock = newMockRuntime(k, options.mock);
  const client = inProcessClient({ ...mock.runtime, ...mock.image });
  const config = {
    ...defaultKubeletConfig(),
    staticPodPath: manifests,
    fileCheckFrequency: Second,
    failCgroupV1: false,
    ...options.config,
  };
  let kl: Kubelet;
  const cgroups = new CgroupsInMemory(mock.nodeInfo.cgroupVersion);
  const start = () => {
    kl = newKubelet({
      kernel: k,
      config,
      runtimeService: client,
      imageService: client,
      os: mock.fs,
      probeTransport: mock.probeTransport,
      nodeInfo: mock.nodeInfo,
      cgroups,
    });
    kl.run();
  };
  start();
  const run = (seconds: number) => k.run({ until: k.now() + seconds * Second });
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  return {
    k,
    mock,
    run,
    of,
    records,
    start,
    get kl() {
      return kl;
    },
    put(name: string, spec: string) {
      const text = `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\nspec:\n${spec}`;
      k.go('put', function* () {
        yield* mock.fs.mkdirAll(manifests, 0o755);
        yield* mock.fs.writeFile(`${manifests}/${name}.yaml`, text, 0o644);
      });
    },
    rm(name: string) {
      k.go('rm', () => mock.fs.remove(`${manifests}/${name}.yaml`));
    },
    pod: (name: string): Pod | undefined => kl.getPods().find((p) => p.metadata.name === `${name}-node1`),
    events: () =>
      of('kube-event')
        .filter((e) => e.object.kind === 'Pod')
        .map((e) => e.reason),
    calls: () =>
      of('cri-call')
        .map((c) => c.method)
        .filter((m) => /^(RunPod|Create|Start|Stop|Remove|Pull)/.test(m)),
    runsUntil(done: () => boolean, seconds: number): boolean {
      const end = k.now() + seconds * Second;
      k.run({ until: end, stop: done });
      return done();
    },
  };
}

const sh = (name: string, script: string, more = '') =>
  `  - name: ${name}\n    image: localhost/busybox:dev\n    imagePullPolicy: IfNotPresent\n    command: [sh, -c, ${JSON.stringify(script)}]\n${more}`;
const forever = "trap 'exit 0' TERM; while true; do sleep 0.2; done";
const web = `  terminationGracePeriodSeconds: 5\n  containers:\n${sh('app', forever)}`;

describe('kubelet on the mock runtime', () => {
  it('takes a pod from manifest to Running and away again', () => {
    const t = node();
    t.run(3);
    t.put('web', web);
    expect(t.runsUntil(() => t.pod('web')?.status.containerStatuses?.[0]?.ready === true, 10)).toBe(true);
    expect(t.pod('web')?.status).toMatchObject({
      phase: 'Running',
      podIP: expect.stringMatching(/^10\./),
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'True' })]),
    });
    t.run(4);
    t.rm('web');
    expect(t.runsUntil(() => t.mock.sandboxes().every((s) => s.state === 'notready') && !t.pod('web'), 20)).toBe(true);
    t.run(3);
    expect(t.calls().slice(0, 5)).toEqual([
      'RunPodSandbox',
      'CreateContainer',
      'StartContainer',
      'StopContainer',
      'StopPodSandbox',
    ]);
    expect(t.events().filter((r) => r !== 'MissingClusterDNS')).toEqual(['Pulled', 'Created', 'Started', 'Killing']);
    expect(t.of('worker').map((w) => w.state)).toEqual(['sync', 'terminating', 'terminated', 'finished', 'removed']);
  });

  it('backs off from a crash loop: at once, 10 s, 20 s, 40 s', () => {
    const t = node();
    t.put('crash', `  terminationGracePeriodSeconds: 2\n  containers:\n${sh('app', 'sleep 0.5; exit 3')}`);
    t.run(120);
    const status = t.pod('crash')?.status.containerStatuses?.[0];
    expect(status?.restartCount).toBeGreaterThanOrEqual(4);
    expect(status?.lastState.terminated?.exitCode).toBe(3);
    const started = t
      .of('actual-container')
      .filter((c) => c.state === 'running')
      .map((c) => c.time);
    const gaps = started.slice(1).map((s, i) => (s - (started[i] as number)) / Second);
    expect(gaps[0]).toBeLessThan(4);
    expect(gaps[1]).toBeGreaterThan(9);
    expect(gaps[1]).toBeLessThan(16);
    expect(gaps[2]).toBeGreaterThan(19);
    expect(gaps[2]).toBeLessThan(32);
    expect(gaps[3]).toBeGreaterThan(39);
    expect(gaps[3]).toBeLessThan(62);
    expect(t.of('backoff').length).toBeGreaterThan(0);
    expect(t.of('status').some((s) => JSON.stringify(s.status).includes('CrashLoopBackOff'))).toBe(true);
  });

  it('leaves running pods alone over its own restart', () => {
    const t = node();
    t.put('web', web);
    t.run(6);
    const before = t.mock.containers().map((c) => c.id);
    t.k.kill(t.kl.process);
    t.run(5);
    const calls = t.calls().length;
    t.start();
    t.run(10);
    expect(t.pod('web')?.status).toMatchObject({
      phase: 'Running',
      containerStatuses: [{ restartCount: 0, ready: true }],
    });
    expect(t.mock.containers().map((c) => c.id)).toEqual(before);
    expect(t.calls()).toHaveLength(calls);
  });

  it('kills what was removed while it was away', () => {
    const t = node();
    t.put('web', web);
    t.run(6);
    t.k.kill(t.kl.process);
    t.rm('web');
    t.run(1);
    t.start();
    t.run(10);
    expect(t.mock.sandboxes().filter((s) => s.state === 'ready')).toEqual([]);
  });

  it('restarts a container that failed its liveness probe', () => {
    const t = node();
    t.put(
      'live',
      `  terminationGracePeriodSeconds: 1\n  containers:\n${sh('app', `touch /tmp/ok; sleep 8; rm /tmp/ok; ${forever}`, '    livenessProbe: {exec: {command: [test, -f, /tmp/ok]}, periodSeconds: 1, failureThreshold: 2}\n')}`,
    );
    t.run(25);
    expect(t.pod('live')?.status.containerStatuses?.[0]?.restartCount).toBeGreaterThanOrEqual(1);
    expect(t.events()).toContain('Unhealthy');
    expect(t.of('log').some((l) => l.msg === 'SyncLoop (probe)' && l.kv.probe === 'liveness')).toBe(true);
  });

  it('is down while the runtime is, and comes back', () => {
    const t = node();
    t.put('web', web);
    t.run(6);
    t.mock.stop();
    t.run(40);
    expect(t.of('runtime-state').at(-1)?.errors.join()).toContain('container runtime is down');
    t.mock.start();
    t.run(15);
    expect(t.of('runtime-state').at(-1)?.errors).toEqual([]);
    expect(t.pod('web')?.status).toMatchObject({ phase: 'Running', containerStatuses: [{ restartCount: 0 }] });
  });

  it('gives the same trace for the same seed', () => {
    const trace = (seed: number) => {
      const t = node({ seed });
      t.put('web', web);
      t.run(8);
      return JSON.stringify(t.records);
    };
    expect(trace(5)).toBe(trace(5));
  });

  it('gets there under any schedule', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const t = node({ seed });
      t.put('web', web);
      t.run(8);
      expect(t.pod('web')?.status.phase).toBe('Running');
      t.rm('web');
      t.run(12);
      expect(t.mock.sandboxes().filter((s) => s.state === 'ready')).toEqual([]);
      expect(t.kl.podWorkers.snapshot()).toEqual([]);
    }
  });
});
