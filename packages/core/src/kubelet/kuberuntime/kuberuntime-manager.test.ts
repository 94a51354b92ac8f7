import { describe, expect, it } from 'vitest';
import { CRIError, GrpcCode } from '../../cri/index.js';
import { background, Second } from '../../kernel/index.js';
import { fromRuntimeTime, hashContainer } from '../container/helpers.js';
import { defaulted, makePod, TestManager } from './testing/harness.js';

describe('reading pods', () => {
  it('[2:U-01] lists sandboxes, then containers, with the filters of each question', () => {
    const t = new TestManager();
    const pod = makePod();
    t.sync(pod);
    t.runtime.calls.length = 0;
    expect(
      t
        .run(t.manager.getPods(background, true))
        .map((p) => [p.id, p.name, p.sandboxes.length, p.containers.map((c) => c.name)]),
    ).toEqual([['uid1', 'web-node1', 1, ['app']]]);
    t.run(t.manager.getPods(background, false));
    t.run(t.manager.getPod(background, 'uid1'));
    const labelSelector = { 'io.kubernetes.pod.uid': 'uid1' };
    expect(t.runtime.calls.map((c) => [c.method, c.request])).toEqual([
      ['listPodSandbox', { filter: {} }],
      ['listContainers', { filter: {} }],
      ['listPodSandbox', { filter: { state: {} } }],
      ['listContainers', { filter: { state: { state: 'CONTAINER_RUNNING' } } }],
      ['listPodSandbox', { filter: { labelSelector } }],
      ['listContainers', { filter: { labelSelector } }],
    ]);
    expect(t.run(t.manager.getPod(background, 'nobody'))).toBeNull();
  });

  it('[2:U-02] [2:U-04] gives the newest first, with hash and count from the annotations', () => {
    const t = new TestManager();
    const pod = makePod();
    t.sync(pod);
    t.runtime.exit(t.runtime.container('app').id, 3, 'Error');
    t.sync(pod);
    const status = t.status(pod);
    expect(status.ips).toEqual(['10.89.0.2']);
    expect(status.containerStatuses.map((s) => [s.name, s.state, s.restartCount, s.exitCode, s.reason])).toEqual([
      ['app', 'running', 1, 0, ''],
      ['app', 'exited', 0, 3, 'Error'],
    ]);
    expect(status.containerStatuses[0]?.hash).toBe(hashContainer(pod.spec.containers[0] ?? { name: '' }));
    expect(fromRuntimeTime(t.kernel, status.containerStatuses[1]?.finishedAt ?? 0n)).toBeGreaterThan(0);
    expect(status.activeContainerStatuses.length).toBe(2);
  });

  it('[2:U-02] [2:X-05] skips what is gone, fails on anything else', () => {
    const t = new TestManager();
    const pod = makePod({ containers: [{ name: 'a' }, { name: 'b' }] });
    t.sync(pod);
    t.runtime.failures.containerStatus = [new CRIError(GrpcCode.NotFound, 'gone')];
    expect(t.status(pod).containerStatuses.length).toBe(1);
    t.runtime.failures.podSandboxStatus = [new CRIError(GrpcCode.NotFound, 'gone')];
    expect(t.status(pod).sandboxStatuses).toEqual([]);
    t.runtime.failures.containerStatus = [new CRIError(GrpcCode.Unavailable, 'down')];
    expect(() => t.status(pod)).toThrow('rpc error: code = Unavailable desc = down');
    // An equal error is logged once a minute.
    t.runtime.failures.containerStatus = [new CRIError(GrpcCode.Unavailable, 'down')];
    expect(() => t.status(pod)).toThrow();
    expect(t.of('log').filter((l) => l.msg === 'getPodContainerStatuses for pod failed').length).toBe(1);
  });

  it('[2:U-03] takes IPs only from the newest sandbox, and only while it is ready', () => {
    const t = new TestManager();
    const pod = makePod();
    t.sync(pod);
    const sandbox = [...t.runtime.sandboxes.values()][0];
    if (sandbox) sandbox.state = 'SANDBOX_NOTREADY';
    expect(t.status(pod).ips).toEqual([]);
  });

  it('[2:S-14] one IP that is none empties the list', () => {
    const t = new TestManager();
    const pod = makePod();
    t.sync(pod);
    const sandbox = [...t.runtime.sandboxes.values()][0];
    if (sandbox) sandbox.ip = 'nonsense';
    expect(t.status(pod).ips).toEqual([]);
    expect(t.of('log').at(-1)?.msg).toBe('Pod Sandbox reported an unparseable primary IP');
  });
});

describe('termination messages', () => {
  const exited = (
    terminationMessagePolicy: 'File' | 'FallbackToLogsOnError',
    exitCode: number,
    file: string,
    log = '',
    reason?: string,
  ) => {
    const t = new TestManager();
    const pod = makePod({ containers: [defaulted({ terminationMessagePolicy })] });
    t.sync(pod);
    const c = t.runtime.container('app');
    const path = c.mounts?.find((m) => m.containerPath === '/dev/termination-log')?.hostPath ?? '';
    t.run(t.os.writeFile(path, file, 0o666));
    t.run(t.os.writeFile(c.logPath ?? '', log, 0o640));
    t.runtime.exit(c.id, exitCode, reason);
    Object.assign(c, { message: exitCode === 9 ? 'killed' : '' });
    return t.status(pod).containerStatuses[0]?.message ?? '';
  };
  it('[2:G-08] the path in the container is made absolute and clean, and the mount stays where chmod fails', () => {
    const t = new TestManager();
    Object.assign(t.os, {
      *chmod(path: string) {
        if (path.includes('/containers/')) throw new Error('operation not permitted');
      },
    });
    t.sync(makePod({ containers: [defaulted({ terminationMessagePath: 'var//run/../log/./why' })] }));
    expect(t.runtime.container('app').mounts?.map((m) => m.containerPath)).toEqual(['/etc/hosts', '/var/log/why']);
    expect(t.of('log').some((l) => /^unable to set termination-log file permissions/.test(String(l.kv.err)))).toBe(
      true,
    );
  });

  const line = (text: string, tag = 'F') => `2026-01-01T00:00:00.000000000Z stdout ${tag} ${text}\n`;

  it('[2:U-05] [3:POD-16] the end of the file, joined to what the runtime says', () => {
    expect(exited('File', 1, 'why')).toBe('why');
    expect(exited('File', 9, 'why')).toBe('killed: why');
    expect(exited('File', 1, `${'x'.repeat(5000)}end`)).toBe(`${'x'.repeat(4093)}end`);
    expect(exited('File', 1, '', line('log'))).toBe('');
  });

  it('[2:U-05] [3:POD-16] the end of the log, if asked for, the file is empty and it failed', () => {
    expect(exited('FallbackToLogsOnError', 1, '', line('one') + line('par', 'P') + line('tial'))).toBe(
      'one\npartial\n',
    );
    expect(exited('FallbackToLogsOnError', 1, 'file', line('log'))).toBe('file');
    expect(exited('FallbackToLogsOnError', 0, '', line('log'))).toBe('');
    expect(exited('FallbackToLogsOnError', 1, '', line('log'), 'ContainerCannotRun')).toBe('');
    const many = Array.from({ length: 100 }, (_, i) => line(`line ${i}`)).join('');
    expect(exited('FallbackToLogsOnError', 1, '', many).split('\n').slice(0, 2)).toEqual(['line 20', 'line 21']);
    expect(exited('FallbackToLogsOnError', 1, '', line('y'.repeat(3000))).length).toBe(2048);
  });
});

describe('running commands', () => {
  it('[2:H-01] [2:X-01] a timeout of 0 is none; output is both streams', () => {
    const t = new TestManager();
    const pod = makePod();
    t.sync(pod);
    t.runtime.exec = function* () {
      return { stdout: 'out ü ', stderr: 'err', exitCode: 2 };
    };
    const id = { type: 'containerd', id: t.runtime.container('app').id };
    t.runtime.calls.length = 0;
    expect(t.run(t.manager.runInContainer(background, id, ['x'], 0))).toEqual({ output: 'out ü err', exitCode: 2 });
    t.run(t.manager.runInContainer(background, id, ['x'], 3 * Second));
    expect(t.runtime.calls.map((c) => c.request)).toEqual([
      { containerId: id.id, cmd: ['x'] },
      { containerId: id.id, cmd: ['x'], timeout: '3' },
    ]);
  });
});

describe('what the runtime can do', () => {
  const users = { ...makePod(), spec: { ...makePod().spec, hostUsers: false } };
  const withHandlers = (features: { userNamespaces?: boolean } | null) => {
    const t = new TestManager();
    Object.assign(t.runtime.services, {
      *status() {
        return { status: {}, ...(features && { runtimeHandlers: [{ features }] }) };
      },
    });
    t.run(t.manager.status(background));
    return t;
  };

  it('gives a pod its own users only where the runtime can', () => {
    const refusal = "can't set `spec.hostUsers: false`, runtime does not support user namespaces";
    for (const features of [null, {}]) {
      const t = withHandlers(features);
      expect(() => t.manager.getOrCreateUserNamespaceMappings(users)).toThrow(refusal);
      expect(t.manager.getOrCreateUserNamespaceMappings(makePod())).toEqual({ mode: 'NODE' });
      t.sync(users);
      expect(t.events()).toEqual([`Warning FailedCreatePodSandBox -: Failed to create pod sandbox: ${refusal}`]);
    }
    const mapping = [{ hostId: 65536, length: 65536 }];
    expect(withHandlers({ userNamespaces: true }).manager.getOrCreateUserNamespaceMappings(users)).toEqual({
      uids: mapping,
      gids: mapping,
    });
  });

  it('[2:S-07] looks RuntimeClasses up only with an API server', () => {
    const pod = { ...makePod(), spec: { ...makePod().spec, runtimeClassName: 'other' } };
    expect(new TestManager().manager.lookupRuntimeHandler(pod)).toBe('');
    const lookup = (classes: [string, string][]) =>
      new TestManager({ deps: { runtimeClasses: new Map(classes) } }).manager.lookupRuntimeHandler(pod);
    expect(lookup([['other', 'runc']])).toBe('runc');
    expect(() => lookup([])).toThrow('failed to get RuntimeClass other: runtimeclass.node.k8s.io "other" not found');
  });
});
