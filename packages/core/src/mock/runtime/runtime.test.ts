import { describe, expect, it } from 'vitest';
import { base64Decode, base64Encode } from '../../base/index.js';
import { CRIError } from '../../cri/index.js';
import { background, receive, Second, withCancel, withTimeout } from '../../kernel/index.js';
import { Bench, loop } from '../testing/runtime.js';

describe('mock runtime: processes and the runtime itself', () => {
  it('containers go on while the runtime is stopped, and it learns of their ends when it starts', () => {
    const b = new Bench();
    const { id } = b.do(() => b.pod('a', ['sh', '-c', 'sleep 2; exit 4']));
    b.mock.stop();
    expect(b.failure(b.s.listContainers(background, {}))).toMatch(
      /^rpc error: code = Unavailable desc = connection error:/,
    );
    b.seconds(5);
    expect(b.mock.containers()).toMatchObject([{ state: 'exited', exitCode: 4 }]);
    b.mock.start();
    expect(b.status(id)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 4, reason: 'Error' });
    expect(b.records.filter((r) => r.kind === 'process').map((r) => r.state)).toEqual([
      'started',
      'stopped',
      'started',
    ]);
  });

  it('calls in flight fail when the runtime stops, and their names are free again', () => {
    const b = new Bench();
    const config = b.sandboxConfig('a');
    b.k.addTimer(20_000, () => b.mock.stop());
    expect(b.failure(b.s.runPodSandbox(background, { config }))).toMatch(/Unavailable/);
    b.mock.start();
    expect(b.mock.sandboxes()).toEqual([]);
    b.do(() => b.s.runPodSandbox(background, { config }));
    expect(b.mock.sandboxes()).toHaveLength(1);
  });

  it('goes on with a call whose caller was killed', () => {
    const b = new Bench();
    const caller = b.k.process('kubelet');
    b.k.go('caller', () => b.s.runPodSandbox(background, { config: b.sandboxConfig('a') }) as never, {
      process: caller,
    });
    b.seconds(0.02);
    b.k.kill(caller);
    b.seconds(1);
    expect(b.mock.sandboxes()).toMatchObject([{ state: 'ready' }]);
  });

  it("ends a call with its caller's context", () => {
    const b = new Bench();
    const [late] = withTimeout(b.k, background, 1000);
    expect(b.failure(b.s.runPodSandbox(late, { config: b.sandboxConfig('a') }))).toBe(
      'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    );
    const [ctx, cancel] = withCancel(b.k, background);
    b.k.addTimer(b.k.now() + 1000, () => cancel());
    expect(b.failure(b.s.listContainers(ctx, {}))).toBe('rpc error: code = Canceled desc = context canceled');
    expect(b.failure(b.s.listContainers(ctx, {}))).toBe('rpc error: code = Canceled desc = context canceled');
  });

  it('a killed sandbox is not ready but keeps its address and its containers until it is stopped', () => {
    const b = new Bench();
    const { sandbox, id } = b.do(() => b.pod('a', loop));
    expect(b.mock.killSandbox('a')).toBe(true);
    b.seconds(1);
    const status = () => b.do(() => b.s.podSandboxStatus(background, { podSandboxId: sandbox })).status;
    expect(status()).toMatchObject({ state: 'SANDBOX_NOTREADY', network: { ip: '10.89.0.2' } });
    expect(b.status(id)?.state).toBe('CONTAINER_RUNNING');
    b.do(() => b.s.stopPodSandbox(background, { podSandboxId: sandbox }));
    expect(status()?.network).toEqual({});
    expect(b.status(id)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 137 });
  });

  it('the death of the sandbox takes a shared PID namespace with it', () => {
    const b = new Bench();
    const shared = { linux: { securityContext: { namespaceOptions: {} }, resources: {} } };
    const { id } = b.do(() => b.pod('a', loop, shared));
    b.mock.killSandbox('a');
    b.seconds(1);
    expect(b.status(id)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 137 });
  });

  it('addresses go round and come back', () => {
    const b = new Bench();
    const ip = (name: string) =>
      b.do(function* () {
        const { podSandboxId } = yield* b.s.runPodSandbox(background, { config: b.sandboxConfig(name) });
        const { status } = yield* b.s.podSandboxStatus(background, { podSandboxId });
        return [podSandboxId, status?.network?.ip] as const;
      });
    const [first, a] = ip('a');
    const [, second] = ip('b');
    b.do(() => b.s.stopPodSandbox(background, { podSandboxId: first }));
    expect([a, second, ip('c')[1]]).toEqual(['10.89.0.2', '10.89.0.3', '10.89.0.4']);
  });

  it('OOM: exit code 137, reason OOMKilled; a child of the first process only marks the container', () => {
    const b = new Bench();
    const linux = {
      securityContext: { namespaceOptions: { pid: 'CONTAINER' as const } },
      resources: { memoryLimitInBytes: '20000000' },
    };
    const a = b.do(() => b.pod('a', ['sh', '-c', 'tail /dev/zero'], { linux }));
    const c = b.do(() => b.pod('c', ['sh', '-c', 'tail /dev/zero; echo rc $?; sleep 100'], { linux }));
    const d = b.do(() => b.pod('d', loop));
    expect(b.mock.oom('d', 'app')).toBe(true);
    b.seconds(2);
    expect(b.status(a.id)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 137, reason: 'OOMKilled' });
    expect(b.status(c.id)).toMatchObject({ state: 'CONTAINER_RUNNING', reason: 'OOMKilled' });
    expect(b.mock.logs('c', 'app')).toMatch(/stderr F Killed\n.* stdout F rc 137\n$/);
    expect(b.status(d.id)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  it('a program that used up a budget: exit code 137, and the reason in status and log', () => {
    const b = new Bench();
    const { id } = b.do(() => b.pod('a', ['printf', '%999999999s']));
    b.seconds(5);
    expect(b.do(() => b.s.containerStatus(background, { containerId: id })).status).toMatchObject({
      state: 'CONTAINER_EXITED',
      exitCode: 137,
      reason: 'MockBudgetExceeded',
      message: expect.stringMatching(/^budget of the mock shell exceeded: more than 8 MiB of output/),
    });
    expect(b.mock.logs('a', 'app')).toMatch(/ stderr F printf: budget of the mock shell exceeded: .*\n$/);
  });

  it('a program in an exec that used up a budget fails alone', () => {
    const b = new Bench();
    const { id } = b.do(() => b.pod('a', loop));
    const run = (script: string) => b.do(() => b.mock.exec('a', 'app', ['sh', '-c', script]));
    expect(run('x=a; while :; do x=$x$x; done')).toMatchObject({
      exitCode: 137,
      stderr: expect.stringMatching(/^sh: budget of the mock shell exceeded: programs of a container hold/),
    });
    expect(run("grep -E '^(a+)+$' /none; echo $?").stdout).toBe('2\n');
    expect(b.do(() => b.s.containerStatus(background, { containerId: id })).status?.state).toBe('CONTAINER_RUNNING');
  });

  it('an environment that Linux does not take: it starts, says so in its log and ends with 255', () => {
    const b = new Bench();
    const values: readonly (readonly string[])[] = [['x'.repeat(131_072)], Array(20).fill('x'.repeat(120_000))];
    for (const [i, texts] of values.entries()) {
      const envs = texts.map((t, n) => ({ key: `e${n}`, value: base64Encode(t) }));
      const { id } = b.do(() => b.pod(`a${i}`, ['sleep', '10'], { envs }));
      b.seconds(1);
      const status = b.do(() => b.s.containerStatus(background, { containerId: id })).status;
      expect(status).toMatchObject({ exitCode: 255, reason: 'Error' });
      expect(b.mock.logs(`a${i}`, 'app')).toMatch(/ stderr F exec sleep: argument list too long\n$/);
    }
    const envs = [{ key: 'e', value: base64Encode('x'.repeat(131_000)) }];
    b.do(() => b.pod('b', ['sleep', '10'], { envs }));
    b.seconds(1);
    expect(b.mock.containers().at(-1)?.state).toBe('running');
  });

  it('says what is in the trace', () => {
    const b = new Bench();
    const { sandbox } = b.do(() => b.pod('a', ['sh', '-c', 'exit 3']));
    b.seconds(1);
    b.do(() => b.s.stopPodSandbox(background, { podSandboxId: sandbox }));
    b.do(() => b.s.removePodSandbox(background, { podSandboxId: sandbox }));
    const facts = b.records.flatMap((r) =>
      r.kind === 'actual-sandbox'
        ? [`sandbox ${r.state} ${r.ip ?? ''}`]
        : r.kind === 'actual-container'
          ? [`container ${r.state} ${r.exitCode ?? ''} ${r.reason ?? ''}`]
          : [],
    );
    expect(facts.map((f) => f.trim())).toEqual([
      'sandbox ready 10.89.0.2',
      'container created',
      'container running',
      'container exited 3 Error',
      'sandbox notready',
      'container removed',
      'sandbox removed',
    ]);
    expect(b.records.every((r) => r.kind !== 'goroutine-start' || !/app|containerd/.test(r.name))).toBe(true);
  });
});

describe('mock runtime: files', () => {
  it('writes logs in the CRI format, and a partial line as P', () => {
    const b = new Bench();
    b.do(() => b.pod('a', ['sh', '-c', 'echo one; echo two >&2; printf three']));
    b.seconds(1);
    const lines = b.mock.logs('a', 'app').split('\n');
    expect(lines.map((l) => l.replace(/^\S+ /, ''))).toEqual(['stdout F one', 'stderr F two', 'stdout P three', '']);
    expect(lines[0]).toMatch(/^2026-01-01T00:00:00\.\d{9}Z /);
  });

  it('ReopenContainerLog begins a new file after a rotation', () => {
    const b = new Bench();
    const { id } = b.do(() => b.pod('a', ['sh', '-c', 'while true; do echo x; sleep 1; done']));
    b.seconds(2.5);
    const path = '/var/log/pods/default_a-node1_uid-a/app/0.log';
    b.mock.fs.renameSync(path, `${path}.old`);
    b.seconds(1);
    expect(b.mock.fs.existsSync(path)).toBe(false);
    b.do(() => b.s.reopenContainerLog(background, { containerId: id }));
    b.seconds(2);
    expect(b.mock.fs.readFileSync(path).split('\n').length).toBe(3);
    expect(b.mock.fs.readFileSync(`${path}.old`).split('\n').length).toBe(5);
  });

  it('shares mounts: termination message, emptyDir, read-only', () => {
    const b = new Bench();
    b.mock.fs.writeFileSync('/var/lib/kubelet/pods/u/containers/app/1234', '');
    const mounts = [
      { containerPath: '/dev/termination-log', hostPath: '/var/lib/kubelet/pods/u/containers/app/1234' },
      { containerPath: '/data', hostPath: '/var/lib/kubelet/pods/u/volumes/empty' },
      { containerPath: '/ro', hostPath: '/etc', readonly: true },
    ];
    b.do(() =>
      b.pod('a', ['sh', '-c', 'echo why > /dev/termination-log; echo d > /data/f; echo x > /ro/f; cat /ro/hostname'], {
        mounts,
      }),
    );
    b.seconds(1);
    expect(b.mock.fs.readFileSync('/var/lib/kubelet/pods/u/containers/app/1234')).toBe('why\n');
    expect(b.mock.fs.readFileSync('/var/lib/kubelet/pods/u/volumes/empty/f')).toBe('d\n');
    expect(b.mock.logs('a', 'app')).toMatch(
      /stderr F sh: can't create \/ro\/f: Read-only file system\n.*stdout F node1\n/,
    );
  });

  it('a shell with an open standard input waits at it', () => {
    const b = new Bench();
    const open = b.do(() => b.pod('open', ['sh'], { stdin: true }));
    const closed = b.do(() => b.pod('closed', ['sh']));
    b.seconds(5);
    expect([b.status(open.id)?.state, b.status(closed.id)?.state]).toEqual(['CONTAINER_RUNNING', 'CONTAINER_EXITED']);
  });

  it('runs scripts on the node', () => {
    const b = new Bench();
    const r = b.do(() =>
      b.mock.shell('mkdir -p $WORK/x && echo hi > $WORK/x/f && cat $WORK/x/f; exit 3', { WORK: '/srv/w' }),
    );
    expect(r).toEqual({ exitCode: 3, stdout: 'hi\n', stderr: '' });
    expect(b.mock.fs.readFileSync('/srv/w/x/f')).toBe('hi\n');
  });

  it("has the runtime's tools on the node", () => {
    const b = new Bench();
    const { id } = b.do(() => b.pod('a', loop));
    const sh = (script: string) => b.do(() => b.mock.shell(script));
    expect(sh('crictl ps -q').stdout).toBe(`${id}\n`);
    expect(sh('ctr -n k8s.io images rm localhost/busybox:dev; ctr -n k8s.io images ls').stdout).toBe(
      'localhost/busybox:dev\nlocalhost/pause:dev\n',
    );
    expect(sh('crictl exec $(crictl ps -q) echo hi').stdout).toBe('hi\n');
    expect(sh(`ctr -n k8s.io tasks kill -s SIGKILL ${id}`).exitCode).toBe(0);
    b.seconds(1);
    expect(b.status(id)).toMatchObject({ exitCode: 137 });
    expect(sh('crictl rmp -f $(crictl pods -q --name a-node1); crictl pods -q').stdout).toBe('');
    b.mock.stop();
    expect(sh('crictl ps').exitCode).toBe(1);
  });

  it('an exec that leaves a child with its output keeps the call open', () => {
    const b = new Bench();
    const { id } = b.do(() => b.pod('a', loop));
    const took = (cmd: string, timeout?: string) => {
      const before = b.k.now();
      const text = b.failure(
        b.s.execSync(background, { containerId: id, cmd: ['sh', '-c', cmd], ...(timeout && { timeout }) }),
      );
      return [Math.round((b.k.now() - before) / Second), /timeout 1s exceeded/.test(text)];
    };
    expect(took('sleep 3 & exit 0')).toEqual([3, false]);
    // The shell is killed at the time-out, its child is not.
    expect(took('sleep 3; exit 0', '1')).toEqual([3, true]);
    // The last command takes the shell's place, so that there is no child.
    expect(took('sleep 3', '1')).toEqual([1, true]);
  });
});

describe('mock runtime: images', () => {
  it('pulls well-known images, in time', () => {
    const b = new Bench({ pullBytesPerSecond: 10_000_000 });
    const before = b.k.now();
    const { imageRef } = b.do(() => b.s.pullImage(background, { image: { image: 'nginx' } }));
    expect((b.k.now() - before) / Second).toBeGreaterThan(5);
    const { image } = b.do(() => b.s.imageStatus(background, { image: { image: 'docker.io/library/nginx:latest' } }));
    expect(image).toMatchObject({ id: imageRef, repoTags: ['docker.io/library/nginx:latest'] });
    expect(image?.repoDigests?.[0]).toMatch(/^docker\.io\/library\/nginx@sha256:[0-9a-f]{64}$/);
    expect(b.records.flatMap((r) => (r.kind === 'actual-image' ? [r.state] : []))).toEqual(['pulling', 'present']);
    b.do(() => b.s.removeImage(background, { image: { image: 'nginx' } }));
    expect(b.do(() => b.s.imageStatus(background, { image: { image: 'nginx' } }))).toEqual({});
  });

  it.each([
    [
      'nope',
      'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/nope:latest": failed to resolve image: docker.io/library/nope:latest: not found',
    ],
    ['nginx:1.161', /docker\.io\/library\/nginx:1\.161: not found$/],
    ['localhost/x:1', /dial tcp 127\.0\.0\.1:443: connect: connection refused$/],
    ['registry.example.org/x', /dial tcp: lookup registry\.example\.org on 10\.255\.255\.53:53: no such host$/],
    ['private/app', /pull access denied/],
  ])('fails to pull %s as containerd does', (image, text) => {
    const b = new Bench({ registry: { 'private/app': { kind: 'unauthorized' } } });
    expect(b.failure(b.s.pullImage(background, { image: { image } }))).toMatch(
      text instanceof RegExp ? text : new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')),
    );
  });

  it('without a network no registry can be found', () => {
    const b = new Bench({ offline: true });
    expect(b.failure(b.s.pullImage(background, { image: { image: 'busybox' } }))).toMatch(
      /Head "https:\/\/registry-1\.docker\.io\/v2\/library\/busybox\/manifests\/latest": dial tcp: lookup registry-1\.docker\.io on /,
    );
  });

  it('a registry that never answers is given up with the context', () => {
    const b = new Bench();
    b.mock.setRegistry('slow:1', { kind: 'hang' });
    const [ctx] = withTimeout(b.k, background, 5 * Second);
    expect(b.failure(b.s.pullImage(ctx, { image: { image: 'slow:1' } }))).toMatch(/DeadlineExceeded/);
  });

  it('a container of a removed image is still shown', () => {
    const b = new Bench();
    const { id } = b.do(() => b.pod('a', loop));
    expect(b.mock.removeImage('localhost/busybox:dev')).toBe(true);
    expect(b.status(id)?.image?.image).toBe('localhost/busybox:dev');
  });
});

describe('mock runtime: containers that cannot be made', () => {
  const create = (b: Bench, config: object) => {
    const { sandbox } = b.do(() => b.pod('a', loop));
    const metadata = { name: 'odd' };
    return b.s.createContainer(background, {
      podSandboxId: sandbox,
      config: { metadata, image: { image: 'localhost/busybox:dev' }, command: ['true'], ...config },
    });
  };
  it('needs the seccomp profile that is asked for', () => {
    const b = new Bench();
    const localhost = { profileType: 'Localhost' as const, localhostRef: '/profiles/x.json' };
    const config = { linux: { securityContext: { seccomp: localhost } } };
    expect(b.failure(create(b, config))).toMatch(
      /failed to create containerd container: cannot load seccomp profile "\/profiles\/x\.json": open \/profiles\/x\.json: no such file or directory/,
    );
  });
  it.each([
    ['PROPAGATION_BIDIRECTIONAL', 'shared'],
    ['PROPAGATION_HOST_TO_CONTAINER', 'shared or slave'],
  ])('needs shared mounts for %s', (propagation, kind) => {
    const mounts = [{ hostPath: '/data', containerPath: '/data', propagation }];
    const there = new Bench();
    expect(there.do(() => create(there, { mounts })).containerId).toBeTruthy();
    const b = new Bench({ privateMounts: true });
    expect(b.failure(create(b, { mounts }))).toMatch(
      `failed to generate spec: path "/data" is mounted on "/" but it is not a ${kind} mount`,
    );
  });
  it('kills what reads more than it may keep', () => {
    const b = new Bench();
    const linux = { resources: { memoryLimitInBytes: String(16 << 20) } };
    const config = { command: ['sh', '-c', 'head -c 60m /dev/zero | tail'], linux };
    const { containerId = '' } = b.do(() => create(b, config));
    b.do(() => b.s.startContainer(background, { containerId }));
    b.seconds(2);
    expect(b.status(containerId)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });
});

describe('mock runtime: network and the rest', () => {
  it('answers http and tcp probes where something listens', () => {
    const b = new Bench();
    const { sandbox } = b.do(() =>
      b.pod('a', ['sh', '-c', 'mkdir /www; echo ok > /www/index.html; httpd -f -p 8080 -h /www']),
    );
    b.seconds(0.5);
    const ip = b.do(() => b.s.podSandboxStatus(background, { podSandboxId: sandbox })).status?.network?.ip as string;
    const get = (port: number, path: string, host = ip) =>
      b.mock.probeTransport.httpGet(background, { scheme: 'http', host, port, path, headers: [], timeout: Second });
    expect(b.do(() => get(8080, '/'))).toMatchObject({ status: 200, body: 'ok\n' });
    expect(b.do(() => get(8080, '/nope'))).toMatchObject({ status: 404 });
    expect(b.failure(get(81, '/'))).toBe(`Get "http://${ip}:81/": dial tcp ${ip}:81: connect: connection refused`);
    expect(b.failure(get(80, '/', '10.89.0.99'))).toBe(
      'Get "http://10.89.0.99:80/": dial tcp 10.89.0.99:80: i/o timeout (Client.Timeout exceeded while awaiting headers)',
    );
    b.do(() => b.mock.probeTransport.tcpConnect(background, ip, 8080, Second));
    b.mock.killContainer('a', 'app');
    b.seconds(0.1);
    expect(b.failure(b.mock.probeTransport.tcpConnect(background, ip, 8080, Second))).toBe(
      `dial tcp ${ip}:8080: connect: connection refused`,
    );
  });

  it('nginx listens a moment after its start and ends on its stop signal', () => {
    const b = new Bench({ images: [{ ref: 'nginx', cmd: ['nginx'], programs: ['nginx'] }] });
    const { id } = b.do(() => b.pod('n', ['nginx'], { image: { image: 'nginx' } }));
    const get = () =>
      b.mock.probeTransport.httpGet(background, {
        scheme: 'http',
        host: '10.89.0.2',
        port: 80,
        path: '/',
        headers: [],
        timeout: Second,
      });
    expect(b.failure(get())).toMatch(/connection refused/);
    b.seconds(0.2);
    expect(b.do(get).status).toBe(200);
    b.do(() => b.s.stopContainer(background, { containerId: id, timeout: '30' }));
    expect(b.status(id)).toMatchObject({ reason: 'Completed' });
  });

  it('a network that is not ready shows in Status and fails sandboxes', () => {
    const b = new Bench();
    b.mock.setNetworkReady(false);
    const { status } = b.do(() => b.s.status(background, {}));
    expect(status?.conditions?.find((c) => c.type === 'NetworkReady')).toEqual({
      type: 'NetworkReady',
      reason: 'NetworkPluginNotReady',
      message: 'Network plugin returns error: cni plugin not initialized',
    });
    expect(b.failure(b.s.runPodSandbox(background, { config: b.sandboxConfig('a') }))).toMatch(
      /cni plugin not initialized/,
    );
  });

  /** The events of a bench, as they come. */
  function eventsOf(b: Bench): string[] {
    const seen: string[] = [];
    b.k.go(
      'stream',
      function* () {
        const chan = yield* b.s.getContainerEvents(background, {});
        for (;;) {
          const [e, ok] = yield* receive(chan);
          if (!ok) return;
          seen.push(e instanceof CRIError ? `error ${e.code}` : (e.containerEventType ?? 'CONTAINER_CREATED_EVENT'));
        }
      },
      { daemon: true },
    );
    b.seconds(0.1);
    return seen;
  }
  const started = ['CONTAINER_CREATED_EVENT', 'CONTAINER_STARTED_EVENT'];

  it('streams container events, until the runtime stops', () => {
    const b = new Bench();
    const seen = eventsOf(b);
    b.do(() => b.pod('a', ['true']));
    b.seconds(1);
    b.mock.stop();
    b.seconds(0.1);
    expect(seen).toEqual([...started, ...started, 'CONTAINER_STOPPED_EVENT', 'error 14']);
  });

  it('says that a container was started that ends before its start is answered', () => {
    const b = new Bench({ latencies: { exit: 0 } });
    const seen = eventsOf(b);
    b.do(() => b.pod('a', ['true']));
    expect(seen).toEqual([...started, ...started, 'CONTAINER_STOPPED_EVENT']);
  });

  it('an older runtime has neither events nor RuntimeConfig', () => {
    const b = new Bench({ modern: false });
    expect(b.failure(b.s.runtimeConfig(background, {}))).toBe(
      'rpc error: code = Unimplemented desc = method RuntimeConfig not implemented',
    );
    expect(b.failure(b.s.getContainerEvents(background, {}))).toMatch(/Unimplemented/);
    expect(b.failure(b.s.checkpointContainer(background, { containerId: 'x' }))).toMatch(/Unimplemented/);
  });

  it('execs behind the back of the kubelet, and finds pods by any of their names', () => {
    const b = new Bench();
    b.do(() => b.pod('a', loop));
    for (const name of ['a', 'a-node1', 'uid-a', 'default/a-node1', 'default/a'])
      expect(b.do(() => b.mock.exec(name, 'app', ['echo', 'hi'])).stdout).toBe('hi\n');
    expect(b.failure(b.mock.exec('b', 'app', ['true']))).toBe("exec: pod 'b' has no container 'app'");
    expect(b.mock.killContainer('a', 'nope')).toBe(false);
    expect(() => b.mock.killContainer('a', 'app', 'NOPE')).toThrow(/no signal/);
  });

  it('gives bytes of exec output as base64 of UTF-8', () => {
    const b = new Bench();
    const { id } = b.do(() => b.pod('a', loop));
    const r = b.do(() => b.s.execSync(background, { containerId: id, cmd: ['echo', 'grüß 😀'] }));
    expect(base64Decode(r.stdout ?? '')).toBe('grüß 😀\n');
  });

  it('is the same for the same seed', () => {
    const run = () => {
      const b = new Bench();
      b.do(() => b.pod('a', ['sh', '-c', 'echo $RANDOM; exit 1']));
      b.seconds(2);
      return JSON.stringify([b.records, b.mock.logs('a', 'app')]);
    };
    expect(run()).toBe(run());
  });
});
