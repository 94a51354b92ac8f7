import { describe, expect, it } from 'vitest';
import { background, Minute, Second } from '../../kernel/index.js';
import { ContainerGC, defaultGCPolicy } from './kuberuntime-gc.js';
import { makePod, TestManager } from './testing/harness.js';

/** A pod whose container ran `n` times; the last instance is running. */
function crashed(t: TestManager, n: number, uid = 'uid1') {
  const pod = makePod({}, { uid, name: `pod-${uid}` });
  t.sync(pod);
  for (let i = 0; i < n - 1; i++) {
    t.runtime.exit(instance(t, uid, i).id, 1);
    t.wait(10 * Minute);
    t.sync(pod);
  }
  t.runtime.calls.length = 0;
  t.records.length = 0;
  return pod;
}
function instance(t: TestManager, uid: string, attempt: number) {
  for (const c of t.runtime.containers.values())
    if (c.labels?.['io.kubernetes.pod.uid'] === uid && (c.metadata?.attempt ?? 0) === attempt) return c;
  throw new Error(`no instance ${attempt} of ${uid}`);
}
const removed = (t: TestManager) => t.runtime.calls.filter((c) => c.method === 'removeContainer').length;

describe('container GC', () => {
  it('[2:D-01] [2:D-03] [2:D-04] [3:GC-01] keeps one dead instance per container, logs go first', () => {
    const t = new TestManager();
    crashed(t, 4);
    const oldest = instance(t, 'uid1', 0);
    const log = `${oldest.logPath}`;
    t.run(t.os.writeFile(log, 'x', 0o640));
    t.run(t.os.writeFile(`${log}.20260101-000000`, 'x', 0o640));
    t.run(t.manager.garbageCollect(background, true, false));
    const ids = [0, 1].map((i) => `container0000000${i + 2}`);
    expect(t.runtime.log(['listContainers', 'listPodSandbox'])).toEqual(
      ids.flatMap((id) => [`containerStatus ${id}`, `containerStatus ${id}`, `removeContainer ${id}`]),
    );
    expect(t.os.files.has(log)).toBe(false);
    expect(t.os.files.has(`${log}.20260101-000000`)).toBe(false);
    expect(t.runtime.calls.map((c) => c.method).filter((m) => m.startsWith('list'))).toEqual([
      'listContainers',
      'listContainers',
      'listPodSandbox',
    ]);
  });

  it('[2:D-02] what was created and never started is a candidate too; a young one is not', () => {
    const t = new TestManager();
    crashed(t, 1);
    for (const c of t.runtime.containers.values()) Object.assign(c, { state: undefined });
    const gc = new ContainerGC(t.manager);
    t.run(gc.garbageCollect(background, { ...defaultGCPolicy, minAge: Minute, maxPerPodContainer: 0 }, true, false));
    expect(removed(t)).toBe(0);
    t.wait(2 * Minute);
    t.run(gc.garbageCollect(background, { ...defaultGCPolicy, minAge: Minute, maxPerPodContainer: 0 }, true, false));
    expect(removed(t)).toBe(1);
  });

  it('[2:D-03] [2:A-02] [3:GC-01] of a gone pod all dead ones go, but only when all sources are ready', () => {
    const t = new TestManager();
    crashed(t, 1);
    t.runtime.exit(instance(t, 'uid1', 0).id, 0);
    t.gone.add('uid1');
    t.run(t.manager.garbageCollect(background, false, false));
    expect(removed(t)).toBe(0);
    t.run(t.manager.garbageCollect(background, true, false));
    expect(removed(t)).toBe(1);
  });

  it('[2:D-03] a limit for the whole node: an equal share each, then the oldest', () => {
    const t = new TestManager();
    crashed(t, 4, 'uid1');
    crashed(t, 4, 'uid2');
    t.run(
      new ContainerGC(t.manager).garbageCollect(
        background,
        { minAge: 0, maxPerPodContainer: -1, maxContainers: 3 },
        true,
        false,
      ),
    );
    // Six dead: one each of the older pod and the newer pod stay, and nothing more fits an equal share.
    expect(removed(t)).toBe(4);
  });

  it('[2:D-04] stops what is in an unknown state before it removes it', () => {
    const t = new TestManager();
    crashed(t, 1);
    const c = instance(t, 'uid1', 0);
    Object.assign(c, { state: 'CONTAINER_UNKNOWN' });
    t.gone.add('uid1');
    t.run(t.manager.garbageCollect(background, true, false));
    expect(t.runtime.log(['listContainers', 'listPodSandbox']).slice(0, 2)).toEqual([
      `containerStatus ${c.id}`,
      `stopContainer ${c.id} 30s`,
    ]);
    expect(removed(t)).toBe(1);
    // Nobody knows the pod's spec any more, and a container that no spec names has no events.
    expect(t.events()).toEqual([]);
  });

  it('[2:D-04] a container whose log cannot be removed stays', () => {
    const t = new TestManager();
    crashed(t, 1);
    const c = instance(t, 'uid1', 0);
    t.run(t.os.writeFile(c.logPath ?? '', 'x', 0o640));
    t.os.stuck.add(c.logPath ?? '');
    t.runtime.exit(c.id, 0);
    t.gone.add('uid1');
    t.run(t.manager.garbageCollect(background, true, false));
    expect(removed(t)).toBe(0);
    expect(t.of('log').some((l) => l.msg === 'Failed to remove container')).toBe(true);
  });
});

describe('sandbox GC', () => {
  it('[2:D-06] [2:D-07] [3:GC-02] a dead sandbox lives on while it holds a container, and the newest while the pod lives', () => {
    const t = new TestManager();
    const pod = crashed(t, 1);
    const first = [...t.runtime.sandboxes.values()][0];
    if (first) first.state = 'SANDBOX_NOTREADY';
    t.sync(pod);
    t.runtime.calls.length = 0;
    t.run(t.manager.garbageCollect(background, true, false));
    expect(t.runtime.sandboxes.size).toBe(2);
    // Its container is replaced once more, so that the old instance goes, and the sandbox after it.
    t.runtime.exit(instance(t, 'uid1', 1).id, 1);
    t.wait(Minute);
    t.sync(pod);
    t.runtime.calls.length = 0;
    t.run(t.manager.garbageCollect(background, true, false));
    expect(t.runtime.log().slice(-2)).toEqual(['stopPodSandbox sandbox00000001', 'removePodSandbox sandbox00000001']);
    expect(t.runtime.sandboxes.size).toBe(1);
  });

  it('[2:D-06] [3:GC-02] of a deleted pod the last one goes as well; [2:D-07] not if it cannot be stopped', () => {
    const t = new TestManager();
    crashed(t, 1);
    const [s] = t.runtime.sandboxes.values();
    if (s) s.state = 'SANDBOX_NOTREADY';
    t.runtime.exit(instance(t, 'uid1', 0).id, 0);
    t.gone.add('uid1');
    t.runtime.failures.stopPodSandbox = [new Error('busy')];
    t.run(t.manager.garbageCollect(background, true, false));
    expect(t.runtime.sandboxes.size).toBe(1);
    t.run(t.manager.garbageCollect(background, true, false));
    expect(t.runtime.sandboxes.size).toBe(0);
  });
});

describe('log GC', () => {
  it('[2:D-08] [3:GC-03] removes log folders of gone pods, and dangling links of dead containers', () => {
    const t = new TestManager();
    crashed(t, 1);
    const c = instance(t, 'uid1', 0);
    t.run(t.os.mkdirAll('/var/log/pods/default_other_uid9/app', 0o755));
    t.run(t.os.mkdirAll('/var/log/containers', 0o755));
    t.run(t.os.symlink('/nowhere', `/var/log/containers/web_default_app-${c.id}.log`));
    t.run(t.os.symlink('/nowhere', '/var/log/containers/web_default_app-unknown00.log'));
    t.gone.add('uid9');
    t.run(t.manager.garbageCollect(background, false, false));
    expect(t.os.files.has('/var/log/pods/default_other_uid9/')).toBe(true);
    t.run(t.manager.garbageCollect(background, true, false));
    expect(t.os.files.has('/var/log/pods/default_other_uid9/')).toBe(false);
    const links = [...t.os.files.keys()].filter((f) => f.startsWith('/var/log/containers/web'));
    // The running container may be in the middle of a rotation.
    expect(links).toEqual([`/var/log/containers/web_default_app-${c.id}.log`]);
  });

  it('[2:D-08] an unreadable log folder is the error of the pass', () => {
    const t = new TestManager();
    t.run(t.os.removeAll('/var/log/pods'));
    t.os.files.delete('/var/log/pods/');
    expect(() => t.run(t.manager.garbageCollect(background, true, false))).toThrow(
      'failed to read podLogsDirectory "/var/log/pods"',
    );
    t.wait(Second);
  });
});
