import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types.js';
import { CRIError, GrpcCode } from '../../cri/index.js';
import { background, Second } from '../../kernel/index.js';
import { minBackoffExpiration } from '../container/sync-result.js';
import { defaulted, makePod, results, TestManager } from './testing/harness.js';

const unknown = (text: string) => new CRIError(GrpcCode.Unknown, text);
const firstStart = ['runPodSandbox web-node1#0', 'podSandboxStatus sandbox00000001'];
const starts = (name: string, attempt = 0) => [
  'imageStatus localhost/busybox:dev',
  'imageStatus localhost/busybox:dev',
  `createContainer ${name}#${attempt}`,
  `startContainer ${name}#${attempt}`,
];
const present = 'Container image "localhost/busybox:dev" already present on machine and can be accessed by the pod';
const startEvents = (name: string) => [
  `Normal Pulled ${name}: ${present}`,
  `Normal Created ${name}: Container created`,
  `Normal Started ${name}: Container started`,
];
const steps = (t: TestManager, fn: string) =>
  t
    .of('step')
    .filter((s) => s.fn === fn)
    .map((s) => `${s.n} ${s.name}${s.container ? ` ${s.container}` : ''}`);

describe('SyncPod', () => {
  it('[2:P-01] [2:P-02] [2:S-07] [2:S-14] [2:S-17] [2:T-01] [2:T-08] [2:T-10] first start of two containers, one after the other', () => {
    const t = new TestManager();
    const pod = makePod({ containers: [{ name: 'a' }, { name: 'b' }] });
    const r = t.sync(pod);
    expect(results(r)).toEqual([
      'KillPodSandbox uid1',
      'CreatePodSandbox web-node1_default(uid1)',
      'StartContainer a',
      'StartContainer b',
    ]);
    expect(r.error()).toBeNull();
    expect(t.runtime.log()).toEqual([...firstStart, ...starts('a'), ...starts('b')]);
    expect(t.events()).toEqual([...startEvents('a'), ...startEvents('b')]);
    expect(t.sandboxReady).toEqual(['web-node1']);
    expect(steps(t, 'kuberuntime.SyncPod')).toEqual([
      '1 compute sandbox and container changes',
      '2 kill pod',
      '4 create sandbox',
      '5 sandbox ready callback',
      '9 start container a',
      '9 start container b',
    ]);
    expect(steps(t, 'startContainer').slice(0, 3)).toEqual([
      '1 pull image a',
      '2 create container a',
      '3 start container a',
    ]);
    const log = t.of('log').map((l) => l.msg);
    expect(log.filter((m) => /PodSandbox|sandbox and network|Creating container|new pod/.test(m))).toEqual([
      'SyncPod received new pod, will create a sandbox for it',
      'Stopping PodSandbox for pod, will start new one',
      'Creating PodSandbox for pod',
      'Created PodSandbox for pod',
      'Pod sandbox and network ready, invoking callback',
      'Creating container in pod',
      'Creating container in pod',
    ]);
  });

  it('[2:S-10] warns of the missing cluster DNS whenever it makes a sandbox config, in idle passes too', () => {
    const t = new TestManager();
    const pod = makePod();
    t.sync(pod);
    t.sync(pod);
    const warnings = t.of('kube-event').filter((e) => e.reason === 'MissingClusterDNS' && e.object.kind === 'Pod');
    expect(warnings.map((w) => w.message)).toEqual(
      Array(3).fill(
        'pod: "web-node1_default(uid1)". kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.',
      ),
    );
    expect(t.of('kube-event').filter((e) => e.object.kind === 'Node').length).toBe(3);
    expect(t.runtime.log()).toEqual([]);
  });

  it('[2:I-04] [2:I-09] [2:P-09] init containers and a sidecar take a pass each', () => {
    const t = new TestManager();
    const pod = makePod({
      initContainers: [{ name: 'i1' }, { name: 'side', restartPolicy: 'Always' }, { name: 'i2' }],
    });
    t.sync(pod);
    expect(t.runtime.log()).toEqual([...firstStart, ...starts('i1')]);
    t.sync(pod);
    expect(t.runtime.log()).toEqual([]);
    t.runtime.exit(t.runtime.container('i1').id, 0);
    t.sync(pod);
    expect(t.runtime.log()).toEqual(starts('side'));
    t.sync(pod);
    expect(t.runtime.log()).toEqual(starts('i2'));
    t.runtime.exit(t.runtime.container('i2').id, 0);
    t.sync(pod);
    expect(t.runtime.log()).toEqual(starts('app'));
    t.sync(pod);
    expect(t.runtime.log()).toEqual([]);
    expect(t.events()).toEqual(['i1', 'side', 'i2', 'app'].flatMap(startEvents));
  });

  it('[2:S-16] RunPodSandbox fails: event, result and no more', () => {
    const t = new TestManager();
    t.runtime.failures.runPodSandbox = [unknown('no network')];
    const r = t.sync(makePod());
    expect(results(r)).toEqual([
      'KillPodSandbox uid1',
      'CreatePodSandbox web-node1_default(uid1): CreatePodSandboxError',
    ]);
    expect(r.error()?.message).toBe(
      'failed to "CreatePodSandbox" for "web-node1_default(uid1)" with CreatePodSandboxError: "Failed to create sandbox for pod \\"web-node1_default(uid1)\\": rpc error: code = Unknown desc = no network"',
    );
    expect(t.events()).toEqual([
      'Warning FailedCreatePodSandBox -: Failed to create pod sandbox: rpc error: code = Unknown desc = no network',
    ]);
  });

  it('[2:S-16] but nothing is said when the pod is to go', () => {
    const t = new TestManager();
    t.terminating.add('uid1');
    t.runtime.failures.runPodSandbox = [unknown('no network')];
    const r = t.sync(makePod());
    expect(r.error()).toBeNull();
    expect(t.events()).toEqual([]);
  });

  it('[2:S-14] PodSandboxStatus fails after RunPodSandbox', () => {
    const t = new TestManager();
    t.runtime.failures.podSandboxStatus = [unknown('gone')];
    const r = t.sync(makePod());
    expect(r.error()?.message).toBe('failed to SyncPod: rpc error: code = Unknown desc = gone');
    expect(t.events()).toEqual([
      'Warning FailedPodSandBoxStatus -: Unable to get pod sandbox status: rpc error: code = Unknown desc = gone',
    ]);
  });

  it('[2:S-14] PodSandboxStatus answers with nothing', () => {
    const t = new TestManager();
    Object.assign(t.runtime.services, {
      *podSandboxStatus() {
        return {};
      },
    });
    const r = t.sync(makePod());
    expect(r.error()?.message).toBe('failed to SyncPod: pod sandbox status is nil');
    expect(t.events()).toEqual([]);
    expect(t.runtime.log().filter((c) => c.startsWith('CreateContainer'))).toEqual([]);
  });

  it('[2:S-17] the callback comes once per sandbox, after its status and before any image; its error is only logged', () => {
    const seen: string[][] = [];
    const t: TestManager = new TestManager({
      helper: {
        *onPodSandboxReady() {
          seen.push(t.runtime.log());
          throw new Error('no status');
        },
      },
    });
    const pod = makePod();
    expect(t.sync(pod).error()).toBeNull();
    expect(seen).toEqual([firstStart]);
    expect(t.of('log').find((l) => /sandbox ready callback/.test(l.msg))?.kv.err).toBe('no status');
    expect(t.runtime.log()).toContain('startContainer app#0');
    t.runtime.exit(t.runtime.container('app').id, 1);
    t.sync(pod);
    expect(t.runtime.log()).toContain('startContainer app#1');
    expect(seen).toHaveLength(1);
  });

  it('[2:S-15] [2:I-18] [2:P-03] a dead sandbox: killed, init containers removed, everything again with higher counts', () => {
    const t = new TestManager();
    const pod = makePod({ initContainers: [{ name: 'i1' }], containers: [{ name: 'app' }] });
    t.sync(pod);
    t.runtime.exit(t.runtime.container('i1').id, 0);
    t.sync(pod);
    const sandbox = [...t.runtime.sandboxes.values()][0];
    if (sandbox) sandbox.state = 'SANDBOX_NOTREADY';
    const i1 = t.runtime.container('i1').id;
    t.records.length = 0;
    const r = t.sync(pod);
    expect(results(r)).toEqual([
      'KillContainer app',
      'KillPodSandbox uid1',
      'CreatePodSandbox web-node1_default(uid1)',
      'StartContainer i1',
    ]);
    expect(t.runtime.log()).toEqual([
      'stopContainer app#0 30s',
      'stopPodSandbox sandbox00000001',
      `containerStatus ${i1}`,
      `containerStatus ${i1}`,
      `removeContainer ${i1}`,
      'runPodSandbox web-node1#1',
      'podSandboxStatus sandbox00000004',
      ...starts('i1', 1),
    ]);
    expect(t.events().slice(0, 2)).toEqual([
      'Normal SandboxChanged -: Pod sandbox changed, it will be killed and re-created.',
      'Normal Killing app: Stopping container app',
    ]);
  });

  it('[2:P-03] a failing kill ends the pass', () => {
    const t = new TestManager();
    const pod = makePod();
    t.sync(pod);
    const sandbox = [...t.runtime.sandboxes.values()][0];
    if (sandbox) sandbox.state = 'SANDBOX_NOTREADY';
    t.runtime.failures.stopContainer = [unknown('busy')];
    const r = t.sync(pod);
    expect(results(r)).toEqual(['KillContainer app: KillContainerError', 'KillPodSandbox uid1']);
    expect(t.runtime.log()).toEqual(['stopContainer app#0 30s', 'stopPodSandbox sandbox00000001']);
  });

  it('[2:C-12] [2:P-04] [2:B-08] a failed liveness probe: killed with the probe grace, restarted in the same pass', () => {
    const t = new TestManager();
    const pod = makePod({
      containers: [defaulted({ livenessProbe: { exec: { command: ['true'] }, terminationGracePeriodSeconds: 45 } })],
    });
    t.sync(pod);
    t.liveness.results.set(t.runtime.container('app').id, 'Failure');
    t.records.length = 0;
    const r = t.sync(pod);
    expect(results(r)).toEqual(['KillContainer app', 'StartContainer app']);
    expect(t.runtime.log()).toEqual(['stopContainer app#0 45s', ...starts('app', 1)]);
    expect(t.events()).toEqual([
      'Normal Killing app: Container app failed liveness probe, will be restarted',
      ...startEvents('app'),
    ]);
  });

  it('[2:P-09] [2:P-11] a failing container does not stop the following ones', () => {
    const t = new TestManager();
    t.runtime.failures.createContainer = [unknown('container00000002 is bad')];
    const r = t.sync(makePod({ containers: [{ name: 'a' }, { name: 'b' }] }));
    expect(results(r).slice(2)).toEqual(['StartContainer a: CreateContainerError', 'StartContainer b']);
    expect(r.error()?.message).toBe(
      'failed to "StartContainer" for "a" with CreateContainerError: "container00000002 is bad"',
    );
    expect(t.events()).toContain('Warning Failed a: Error: container00000002 is bad');
  });

  it('[2:I-16] a plain init container that cannot start ends the pass, a sidecar does not', () => {
    const t = new TestManager();
    const pod = makePod({ initContainers: [{ name: 'side', restartPolicy: 'Always' }, { name: 'init' }] });
    t.sync(pod);
    // Both are due in one pass: the sidecar died, and its successor's turn has come.
    t.liveness.results.set(t.runtime.container('side').id, 'Failure');
    const withProbe: Pod = {
      ...pod,
      spec: {
        ...pod.spec,
        initContainers: (pod.spec.initContainers ?? []).map((c) =>
          c.name === 'side' ? { ...c, livenessProbe: {} } : c,
        ),
      },
    };
    t.runtime.failures.createContainer = [unknown('no'), unknown('no')];
    const r = t.sync(withProbe);
    expect(results(r)).toEqual([
      'KillContainer side',
      'StartContainer side: CreateContainerError',
      'StartContainer init: CreateContainerError',
    ]);
  });

  it('[2:I-17] keeps only the newest dead instance of an init container', () => {
    const t = new TestManager();
    const pod = makePod({ initContainers: [{ name: 'i1' }] });
    t.sync(pod);
    t.runtime.exit(t.runtime.container('i1', 0).id, 1);
    t.sync(pod);
    const oldest = t.runtime.container('i1', 0).id;
    t.runtime.exit(t.runtime.container('i1', 1).id, 1);
    t.wait(60 * Second);
    t.sync(pod);
    expect(t.runtime.log()).toEqual([
      `containerStatus ${oldest}`,
      `containerStatus ${oldest}`,
      `removeContainer ${oldest}`,
      ...starts('i1', 2),
    ]);
  });

  it('[2:R-06] [2:R-07] RestartAllContainers kills without grace, removes, and keeps logs and sandbox', () => {
    const t = new TestManager();
    const rules = [{ action: 'RestartAllContainers' as const, exitCodes: { operator: 'In' as const, values: [42] } }];
    const pod = makePod({
      containers: [{ name: 'a', restartPolicy: 'Never', restartPolicyRules: rules }, { name: 'b' }],
    });
    t.sync(pod);
    t.runtime.exit(t.runtime.container('a').id, 42);
    t.run(t.os.mkdirAll('/var/log/pods/default_web-node1_uid1/a', 0o755));
    t.run(t.os.writeFile('/var/log/pods/default_web-node1_uid1/a/0.log', 'x', 0o644));
    t.records.length = 0;
    const [a, b] = [t.runtime.container('a').id, t.runtime.container('b').id];
    const r = t.sync(pod, true);
    expect(results(r)).toEqual(['RemoveContainer b', 'RemoveContainer a']);
    expect(t.runtime.log()).toEqual([`stopContainer ${b} 2s`, `removeContainer ${b}`, `removeContainer ${a}`]);
    expect(t.events()).toEqual(['Normal Killing b: killing']);
    t.sync(pod);
    // The restart counts go on from the log files (fidelity 2:T-04).
    expect(t.runtime.log()).toEqual([...starts('a', 1), ...starts('b', 0)]);
  });

  it('[2:P-10] [2:C-13] a finished pod is killed and nothing else', () => {
    const t = new TestManager();
    const pod = makePod({ restartPolicy: 'Never' });
    t.sync(pod);
    t.runtime.exit(t.runtime.container('app').id, 0);
    const r = t.sync(pod);
    expect(results(r)).toEqual(['KillPodSandbox uid1']);
    expect(t.runtime.log()).toEqual(['stopPodSandbox sandbox00000001']);
  });

  it('[2:P-07] image volumes are pulled in every pass, and fail the containers that mount them', () => {
    const t = new TestManager();
    const pod = makePod({
      volumes: [{ name: 'art', image: { reference: 'localhost/art:1', pullPolicy: 'Never' } }],
      containers: [defaulted({ name: 'a', volumeMounts: [{ name: 'art', mountPath: '/art' }] }), { name: 'b' }],
    });
    const r = t.sync(pod);
    expect(results(r).slice(2)).toEqual(['StartContainer a: ErrImageNeverPull', 'StartContainer b']);
    expect(t.events().slice(0, 2)).toEqual([
      'Warning ErrImageNeverPull -: Container image "localhost/art:1" is not present with pull policy of Never',
      'Warning Failed a: Error: ErrImageNeverPull',
    ]);
    t.runtime.addImage('localhost/art:1', 'sha256:art');
    t.sync(pod);
    expect(t.runtime.log()).toEqual(['imageStatus localhost/art:1', ...starts('a')]);
    expect(t.runtime.container('a').mounts?.[0]).toMatchObject({
      containerPath: '/art',
      readonly: true,
      image: { image: 'sha256:art', userSpecifiedImage: 'localhost/art:1' },
    });
    t.sync(pod);
    expect(t.runtime.log()).toEqual(['imageStatus localhost/art:1']);
  });
});

describe('restart back-off', () => {
  it('[2:B-01] [2:B-02] [2:B-05] [2:P-12] waits 0, 10, 20, 40, 80, 160, 300, 300 s', () => {
    const t = new TestManager();
    const pod = makePod();
    t.sync(pod);
    const waits: number[] = [];
    const messages: string[] = [];
    for (let attempt = 0; attempt < 8; attempt++) {
      t.runtime.exit(t.runtime.container('app', attempt).id, 1);
      const exitedAt = t.kernel.now();
      let r = t.sync(pod);
      const expires = minBackoffExpiration(r.error());
      if (expires !== null) {
        expect(results(r)).toEqual(['StartContainer app: CrashLoopBackOff']);
        expect(t.runtime.log()).toEqual([]);
        messages.push(r.syncResults[0]?.message ?? '');
        t.wait(expires - t.kernel.now() - 2 * Second);
        expect(results(t.sync(pod))).toEqual(['StartContainer app: CrashLoopBackOff']);
        t.wait(2 * Second);
        r = t.sync(pod);
      }
      waits.push(expires === null ? 0 : Math.round((expires - exitedAt) / Second));
      expect(results(r)).toEqual(['StartContainer app']);
    }
    expect(waits).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
    expect(messages).toContain('back-off 1m20s restarting failed container=app pod=web-node1_default(uid1)');
    expect(messages.at(-1)).toBe('back-off 5m0s restarting failed container=app pod=web-node1_default(uid1)');
    expect(t.events()).toContain(
      'Warning BackOff app: Back-off restarting failed container app in pod web-node1_default(uid1)',
    );
  });

  it('[2:B-04] starts afresh when it ran 600 s past the last permitted restart', () => {
    const t = new TestManager();
    const pod = makePod();
    t.sync(pod);
    const crash = (attempt: number) => {
      t.runtime.exit(t.runtime.container('app', attempt).id, 1);
      const r = t.sync(pod);
      const expires = minBackoffExpiration(r.error());
      if (expires !== null) {
        t.wait(expires - t.kernel.now() + 1);
        t.sync(pod);
      }
      return r.syncResults[0]?.message ?? '';
    };
    crash(0);
    expect(crash(1)).toMatch(/back-off 10s/);
    expect(crash(2)).toMatch(/back-off 20s/);
    t.wait(601 * Second);
    expect(crash(3)).toBe('');
    expect(crash(4)).toMatch(/back-off 10s/);
  });

  it('[2:B-06] a changed image has no back-off yet', () => {
    const t = new TestManager();
    t.runtime.addImage('localhost/other:1', 'sha256:other');
    const pod = makePod();
    t.sync(pod);
    for (const attempt of [0, 1]) {
      t.runtime.exit(t.runtime.container('app', attempt).id, 1);
      t.sync(pod);
    }
    const other = makePod({ containers: [defaulted({ image: 'localhost/other:1' })] });
    expect(results(t.sync(other))).toEqual(['StartContainer app']);
  });

  it('[2:B-03] [2:T-09] a container that never started is replaced without back-off', () => {
    const t = new TestManager();
    const pod = makePod();
    t.runtime.failures.startContainer = [unknown('cannot'), unknown('cannot'), unknown('cannot')];
    for (const attempt of [0, 1, 2]) {
      const r = t.sync(pod);
      expect(results(r).at(-1)).toBe('StartContainer app: RunContainerError');
      expect(t.runtime.log()).toContain(`createContainer app#${attempt}`);
    }
    expect(t.events().filter((e) => e.startsWith('Warning'))).toEqual(
      Array(3).fill('Warning Failed app: Error: cannot'),
    );
  });
});

describe('startContainer', () => {
  it('[2:T-02] says of a failed image what the image manager said, and that the container failed', () => {
    const t = new TestManager();
    const r = t.sync(makePod({ containers: [defaulted({ image: 'localhost/absent:1', imagePullPolicy: 'Never' })] }));
    expect(r.syncResults.at(-1)).toMatchObject({
      message: 'Container image "localhost/absent:1" is not present with pull policy of Never',
    });
    expect(r.syncResults.at(-1)?.error?.message).toBe('ErrImageNeverPull');
    expect(t.events()).toEqual([
      'Warning ErrImageNeverPull app: Container image "localhost/absent:1" is not present with pull policy of Never',
      'Warning Failed app: Error: ErrImageNeverPull',
    ]);
  });

  it('[2:T-05] a config that cannot be built', () => {
    const t = new TestManager();
    const env = [{ name: 'K', valueFrom: { configMapKeyRef: { name: 'late', key: 'k' } } }];
    const r = t.sync(makePod({ containers: [defaulted({ env })] }));
    expect(r.syncResults.at(-1)?.error?.message).toBe('CreateContainerConfigError');
    expect(t.events().at(-1)).toBe(
      "Warning Failed app: Error: couldn't get configMap default/late, no kubeClient defined",
    );
  });

  it('[2:T-05] an ephemeral container whose target is missing', () => {
    const t = new TestManager();
    const pod = makePod();
    t.sync(pod);
    const debug = {
      ...pod,
      spec: { ...pod.spec, ephemeralContainers: [{ ...defaulted({ name: 'debug' }), targetContainerName: 'nobody' }] },
    };
    const r = t.sync(debug);
    expect(r.syncResults.at(-1)).toMatchObject({ message: 'unable to find target container nobody' });
    expect(t.events().at(-1)).toBe('Warning Failed debug: Error: unable to find target container nobody');
    expect(t.of('kube-event').at(-1)?.object.fieldPath).toBe('spec.ephemeralContainers{debug}');
  });

  it('[2:T-06] hooks of the resource managers may refuse', () => {
    let fail: 'create' | 'start' = 'create';
    const t = new TestManager({
      deps: {
        internalLifecycle: {
          *preCreateContainer() {
            if (fail === 'create') throw new Error('no device');
          },
          *preStartContainer(_pod, _container, id) {
            throw new Error(`${id} has no CPU`);
          },
        },
      },
    });
    const pod = makePod();
    expect(results(t.sync(pod)).at(-1)).toBe('StartContainer app: PreCreateHookError');
    fail = 'start';
    expect(results(t.sync(pod)).at(-1)).toBe('StartContainer app: PreStartHookError');
    expect(t.events().filter((e) => e.startsWith('Warning'))).toEqual([
      'Warning Failed app: Internal PreCreateContainer hook failed: no device',
      'Warning Failed app: Internal PreStartContainer hook failed: app has no CPU',
    ]);
    expect(t.runtime.container('app').state).toBeUndefined();
  });

  it('[2:T-03] [2:T-04] counts restarts from the newest status, else from the log files', () => {
    const t = new TestManager();
    const pod = makePod();
    const dir = '/var/log/pods/default_web-node1_uid1/app';
    t.run(t.os.mkdirAll(dir, 0o755));
    for (const name of ['2.log', '6.log.20260101-000000.gz', 'notes.log', '99999999999999999999.log'])
      t.run(t.os.writeFile(`${dir}/${name}`, '', 0o644));
    t.sync(pod);
    expect(t.runtime.log()).toContain('createContainer app#7');
  });

  it('[2:T-11] [3:POD-03] links the log where shippers look for it, if there is one', () => {
    const t = new TestManager();
    const pod = makePod();
    t.sync(pod);
    const link = (id: string) => `/var/log/containers/web-node1_default_app-${id}.log`;
    expect(t.os.files.has(link(t.runtime.container('app').id))).toBe(false);
    t.run(t.os.writeFile('/var/log/pods/default_web-node1_uid1/app/1.log', 'x', 0o644));
    t.runtime.exit(t.runtime.container('app').id, 1);
    t.sync(pod);
    expect(t.os.files.get(link(t.runtime.container('app', 1).id))).toBe(
      '-> /var/log/pods/default_web-node1_uid1/app/1.log',
    );
  });

  it('[2:T-12] [2:T-13] [2:H-01] a failing postStart kills the container', () => {
    const t = new TestManager();
    t.runtime.exec = function* () {
      return { exitCode: 1 };
    };
    const command = ['sh', '-c', 'exit 1'];
    const r = t.sync(
      makePod({
        terminationGracePeriodSeconds: 5,
        containers: [defaulted({ lifecycle: { postStart: { exec: { command } } } })],
      }),
    );
    expect(r.syncResults.at(-1)?.error?.message).toBe('PostStartHookError');
    expect(r.syncResults.at(-1)?.message).toBe(
      'Exec lifecycle hook ([sh -c exit 1]) for Container "app" in Pod "web-node1_default(uid1)" failed - error: command \'sh -c exit 1\' exited with 1: , message: ""',
    );
    expect(t.runtime.log().slice(-2)).toEqual(['execSync app#0 sh -c exit 1', 'stopContainer app#0 5s']);
    expect(t.events().slice(-2)).toEqual([
      'Warning FailedPostStartHook app: PostStartHook failed',
      'Normal Killing app: FailedPostStartHook',
    ]);
  });

  it('[2:H-02] an HTTP hook asks for the pod IP, and any answer will do', () => {
    const t = new TestManager();
    const asked: string[] = [];
    t.httpGet = function* (_ctx, r) {
      asked.push(`${r.scheme}://${r.host}:${r.port}${r.path}`);
      return { status: 500, body: '' };
    };
    const lifecycle = { postStart: { httpGet: { path: '/up', port: 'web' } } };
    const r = t.sync(
      makePod({ containers: [defaulted({ lifecycle, ports: [{ name: 'web', containerPort: 8080 }] })] }),
    );
    expect(r.error()).toBeNull();
    expect(asked).toEqual(['http://10.89.0.2:8080/up']);
    expect(t.runtime.log().slice(-4)).toEqual([
      'listPodSandbox',
      'listContainers',
      'podSandboxStatus sandbox00000001',
      'containerStatus app#0',
    ]);
  });

  it('[2:H-02] HTTPS answered in plain HTTP is tried as HTTP', () => {
    const t = new TestManager();
    t.httpGet = function* (_ctx, r) {
      if (r.scheme === 'https')
        throw new Error('Get "https://10.89.0.2:443/": http: server gave HTTP response to HTTPS client');
      return { status: 200, body: '' };
    };
    const lifecycle = { postStart: { httpGet: { path: '/', port: 443, scheme: 'HTTPS' as const } } };
    expect(t.sync(makePod({ containers: [defaulted({ lifecycle })] })).error()).toBeNull();
    expect(t.events().at(-1)).toBe(
      'Warning LifecycleHTTPFallback -: request to HTTPS lifecycle hook 10.89.0.2:443 got HTTP response, retry with HTTP succeeded',
    );
  });

  it('[2:H-03] a sleep hook sleeps; a TCP hook is none', () => {
    const t = new TestManager();
    const before = t.kernel.now();
    expect(
      t.sync(makePod({ containers: [defaulted({ lifecycle: { postStart: { sleep: { seconds: 7 } } } })] })).error(),
    ).toBeNull();
    expect(Math.round((t.kernel.now() - before) / Second)).toBe(7);
    const tcp = makePod(
      { containers: [defaulted({ lifecycle: { postStart: { tcpSocket: { port: 1 } } } })] },
      { uid: 'uid2' },
    );
    expect(t.sync(tcp).syncResults.at(-1)?.message).toMatch(/^Cannot run handler: invalid handler/);
  });

  it('[2:X-02] checks the version that the runtime answers', () => {
    const t = new TestManager();
    expect(t.manager.type()).toBe('containerd');
    expect(t.run(t.manager.version(background))).toEqual({
      runtimeName: 'containerd',
      runtimeVersion: '2.1.9',
      runtimeApiVersion: 'v1',
    });
  });
});
