import { describe, expect, it } from 'vitest';
import type { Volume } from '../../api/types.js';
import { background, Canceled, Kernel, Second, withCancel } from '../../kernel/index.js';
import { MemFS } from '../../mock/fs/memfs.js';
import { initialState, reduce } from '../../trace/index.js';
import { defaulted } from '../kuberuntime/testing/harness.js';
import { podsDir, TestVolumes, tenths } from '../volume/testing/fake-volumes.js';

type Options = ConstructorParameters<typeof TestVolumes>[1];
const fresh = (options: Options = {}) =>
  new TestVolumes<MemFS>((k) => new MemFS(k), options as ConstructorParameters<typeof TestVolumes<MemFS>>[1]);
const emptyDir = (name = 'd') => ({ name, emptyDir: {} });
const hostDir = (name = 'h', path = '/x'): Volume => ({ name, hostPath: { path, type: 'Directory' } });
const pathOf = (plugin: string, name: string, uid = 'uid1') =>
  `${podsDir}/${uid}/volumes/kubernetes.io~${plugin}/${name}`;

describe('the two loops', () => {
  it('[3:VOL-01] unmount only after the populator has looked at all pods of all sources', () => {
    const t = fresh({ run: false });
    t.sourcesReady = false;
    t.os.mkdirAllSync(pathOf('empty-dir', 'old', 'gone'));
    t.go(t.os.mkdirAll(podsDir, 0o750));
    t.kernel.go('run', function* () {
      t.manager.run();
    });
    t.run(5);
    // Nobody wants it, as far as is known; but not all have spoken.
    expect(t.work('old')).toEqual(['reconstruct done']);
    t.sourcesReady = true;
    t.manager.podsChanged();
    t.run(1);
    expect(t.work('old')).toEqual(['reconstruct done', 'volume_unmount start', 'volume_unmount done']);
    expect(t.os.existsSync(pathOf('empty-dir', 'old', 'gone'))).toBe(false);
    expect(t.of('log').filter((l) => l.msg === 'Finished populating initial desired state of world')).toHaveLength(1);
  });

  it('[3:VOL-01] turn every 100 ms, and not at all when there is nothing to do', () => {
    const t = fresh();
    const pod = t.pod({ volumes: [emptyDir()] });
    t.mount(pod);
    t.run(1);
    const before = t.records.length;
    t.run(600);
    expect(t.records.length).toBe(before);
  });

  it('[3:VOL-02] only what a container mounts or maps is wanted, and nothing of a pod that ends', () => {
    const t = fresh();
    const volumeMounts = [{ name: 'a', mountPath: '/a' }];
    const initMounts = [{ name: 'b', mountPath: '/b' }];
    const pod = t.pod({
      volumes: [emptyDir('a'), emptyDir('b'), emptyDir('unused')],
      containers: [defaulted({ volumeMounts })],
      initContainers: [defaulted({ name: 'i', volumeMounts: initMounts })],
    });
    t.mount(pod);
    expect([...t.manager.getMountedVolumesForPod('uid1').keys()]).toEqual(['a', 'b']);
    expect(t.work('unused')).toEqual([]);
    t.terminating.add('uid2');
    t.pod({ volumes: [emptyDir('late')] }, 'uid2');
    t.manager.podsChanged();
    t.run(1);
    expect(t.work('late')).toEqual([]);
  });

  it('[3:VOL-10] even what nobody attaches is attached first: a mount takes two passes', () => {
    const t = fresh();
    t.mount(t.pod({ volumes: [emptyDir()] }));
    expect(t.work()).toEqual([
      'verify_controller_attached_volume start',
      'verify_controller_attached_volume done',
      'volume_mount start',
      'volume_mount done',
    ]);
    const [verify, , mount] = t.of('volume');
    expect(tenths((mount?.time ?? 0) - (verify?.time ?? 0))).toBe(1);
  });
});

describe('the wait for mounts', () => {
  it('[3:VOL-03] is none without volumes, and looks at once and every 300 ms', () => {
    const t = fresh();
    expect(t.mount(t.pod({ volumes: [] }))).toBeLessThan(1000);
    const pod = t.pod({ volumes: [emptyDir()] });
    expect(tenths(t.mount(pod))).toBe(3);
    // Mounted already: the first look is enough.
    expect(t.mount(pod)).toBeLessThan(1000);
  });

  it('[3:VOL-03] has content volumes written anew, beside it', () => {
    const t = fresh();
    t.objects.configMaps.set('c', { data: { k: 'one' } });
    const pod = t.pod({ volumes: [{ name: 'c', configMap: { name: 'c', defaultMode: 0o644 } }] });
    t.mount(pod);
    t.objects.configMaps.set('c', { data: { k: 'two' } });
    t.run(60);
    expect(t.os.readFileSync(`${pathOf('configmap', 'c')}/k`)).toBe('one');
    expect(t.mount(pod)).toBeLessThan(1000);
    t.run(0.3);
    expect(t.os.readFileSync(`${pathOf('configmap', 'c')}/k`)).toBe('two');
    expect(t.work('c').slice(-2)).toEqual(['volume_mount again start', 'volume_mount again done']);
  });

  it('[3:VOL-03] [3:VOL-05] gives up after 2 min 3 s, and says what is missing', () => {
    const t = fresh();
    const pod = t.pod({ volumes: [hostDir('b'), hostDir('a'), emptyDir('ok')] });
    const began = t.kernel.now();
    expect(() => t.mount(pod)).toThrow(
      'unmounted volumes=[a b], unattached volumes=[], failed to process volumes=[]: context deadline exceeded',
    );
    expect(tenths(t.kernel.now() - began)).toBe(1230);
  });

  it('[3:VOL-04] [3:VOL-05] ends at once with the stored errors of the pod', () => {
    const t = fresh();
    const pod = t.pod({
      volumes: [{ name: 'n', nfs: { server: 's', path: '/' } }, { name: 'm', csi: { driver: 'd' } }, emptyDir('d')],
    });
    t.manager.podsChanged();
    t.run(1);
    const began = t.kernel.now();
    expect(() => t.mount(pod)).toThrow(
      'unmounted volumes=[m n], unattached volumes=[], failed to process volumes=[m n]: failed to get Plugin from volumeSpec for volume "m" err=no volume plugin matched; failed to get Plugin from volumeSpec for volume "n" err=no volume plugin matched',
    );
    expect(t.kernel.now() - began).toBeLessThan(1000);
  });

  it('[3:VOL-04] a stored error is no error once all is mounted', () => {
    const t = fresh();
    const pod = t.pod({ volumes: [emptyDir()] });
    t.mount(pod);
    // The pod as the populator sees it has more, its worker does not know yet.
    t.pods.set('uid1', {
      ...pod,
      spec: {
        ...pod.spec,
        volumes: [emptyDir(), { name: 'n', nfs: { server: 's', path: '/' } }],
        containers: [
          defaulted({
            volumeMounts: [
              { name: 'n', mountPath: '/n' },
              { name: 'd', mountPath: '/d' },
            ],
          }),
        ],
      },
    });
    expect(t.mount(pod)).toBeLessThan(1000);
    t.run(1);
    expect(t.of('log').filter((l) => l.msg === 'Failed to add volume to desiredStateOfWorld')).toHaveLength(1);
    expect(t.mount(pod)).toBeLessThan(1000);
  });

  it('[3:VOL-06] an end from outside is told as one', () => {
    const t = fresh();
    const pod = t.pod({ volumes: [hostDir()] });
    const [ctx, cancel] = withCancel(t.kernel, background);
    t.kernel.addTimer(t.kernel.now() + Second, () => cancel());
    let caught: unknown;
    try {
      t.go(t.manager.waitForAttachAndMount(ctx, pod));
    } catch (err) {
      caught = err;
    }
    expect((caught as Error).cause).toBe(Canceled);
  });

  it('[3:VOL-09] one operation at a time; one that failed waits half a second, twice as long each time', () => {
    const t = fresh();
    const pod = t.pod({ volumes: [hostDir()] });
    expect(() => t.mount(pod)).toThrow();
    const starts = t.of('volume').filter((r) => r.op === 'volume_mount' && r.phase === 'start');
    const gaps = starts.slice(1).map((r, i) => tenths(r.time - (starts[i]?.time ?? 0)));
    expect(gaps).toEqual([5, 10, 20, 40, 80, 160, 320]);
    const text =
      'FailedMount: MountVolume.SetUp failed for volume "h" : hostPath type check failed: /x is not a directory';
    expect(t.events()).toEqual(starts.map(() => text));
    // Passes between: nothing was said of them.
    expect(
      t
        .of('log')
        .filter((l) => l.severity === 'E')
        .map((l) => l.msg)[0],
    ).toMatch(
      /^Operation for "\{volumeName:kubernetes\.io\/host-path\/uid1-h podName:uid1 nodeName:\}" failed\. No retries permitted until 2026-01-01 00:00:00\.\d+ \+0000 UTC \(durationBeforeRetry 500ms\)\. Error: MountVolume\.SetUp failed for volume "h" \(UniqueName: "kubernetes\.io\/host-path\/uid1-h"\) pod "web" \(UID: "uid1"\) : hostPath type check failed: \/x is not a directory$/,
    );
    expect(t.of('log').filter((l) => l.severity === 'E')).toHaveLength(starts.length);
  });
});

describe('the end', () => {
  it('[3:VOL-07] a volume stays as long as a container of the pod may run, even when the pod is gone', () => {
    const t = fresh();
    const pod = t.pod({ volumes: [emptyDir()] });
    t.mount(pod);
    t.pods.delete('uid1');
    t.terminating.add('uid1');
    t.manager.podsChanged();
    t.run(5);
    expect(t.os.existsSync(pathOf('empty-dir', 'd'))).toBe(true);
    expect(t.manager.hasPossiblyMountedVolumesForPod('uid1')).toBe(true);
    t.terminated.add('uid1');
    expect(tenths(t.unmount(pod))).toBe(3);
    expect(t.os.existsSync(pathOf('empty-dir', 'd'))).toBe(false);
    expect(t.manager.hasPossiblyMountedVolumesForPod('uid1')).toBe(false);
  });

  it('[3:VOL-08] waits 300 ms and again, 2 min 3 s at most, and says what is mounted still', () => {
    const t = fresh();
    const pod = t.pod({ volumes: [emptyDir('b'), emptyDir('a')] });
    t.mount(pod);
    // Its containers do not end: nothing is unmounted.
    t.terminating.add('uid1');
    const began = t.kernel.now();
    expect(() => t.unmount(pod)).toThrow(
      'mounted volumes=[kubernetes.io/empty-dir/uid1-a kubernetes.io/empty-dir/uid1-b]: context deadline exceeded',
    );
    expect(tenths(t.kernel.now() - began)).toBe(1230);
  });

  it('[3:VOL-08] what cannot be torn down may be mounted still, and is tried again', () => {
    const t = fresh();
    const pod = t.pod({ volumes: [emptyDir()] });
    t.mount(pod);
    // Somebody has mounted something of his own there.
    t.os.mkdirAllSync(`${pathOf('empty-dir', 'd')}/in`);
    t.os.mounter.mountSync('tmpfs', `${pathOf('empty-dir', 'd')}/in`, 'tmpfs', []);
    t.terminated.add('uid1');
    t.unmount(pod);
    expect(t.manager.hasPossiblyMountedVolumesForPod('uid1')).toBe(true);
    t.os.mounter.unmountSync(`${pathOf('empty-dir', 'd')}/in`);
    t.run(5);
    expect(t.manager.hasPossiblyMountedVolumesForPod('uid1')).toBe(false);
  });
});

describe('a restart', () => {
  /** A kubelet of before, which left its volumes; then another one. */
  const restarted = (prepare: (before: ReturnType<typeof fresh>) => void) => {
    const before = fresh();
    prepare(before);
    return before;
  };

  it('[3:VOL-16] takes up what lies in the folders: wanted, it is mounted again in place; else it is torn down', () => {
    const before = restarted((t) => {
      t.mount(t.pod({ volumes: [emptyDir('kept')] }, 'stays'));
      t.mount(t.pod({ volumes: [emptyDir('left')] }, 'goes'));
      t.os.writeFileSync(`${pathOf('empty-dir', 'kept', 'stays')}/data`, 'of before');
    });
    const after = fresh({ kernel: before.kernel, os: before.os, standalone: true, run: false });
    const pod = before.pods.get('stays');
    if (!pod) throw new Error('no pod');
    after.pods.set('stays', pod);
    after.records.length = 0;
    after.kernel.go('run', function* () {
      after.manager.run();
    });
    after.run(1);
    expect(after.work('kept')).toEqual(['reconstruct done', 'volume_mount start', 'volume_mount done']);
    expect(after.work('left')).toEqual(['reconstruct done', 'volume_unmount start', 'volume_unmount done']);
    expect(after.os.readFileSync(`${pathOf('empty-dir', 'kept', 'stays')}/data`)).toBe('of before');
    expect(after.os.existsSync(pathOf('empty-dir', 'left', 'goes'))).toBe(false);
    expect([...after.manager.getMountedVolumesForPod('stays').keys()]).toEqual(['kept']);
  });

  it('[3:VOL-16] with an API server nothing is unmounted before the Node could be read', () => {
    const before = restarted((t) => void t.mount(t.pod({ volumes: [emptyDir('left')] }, 'goes')));
    const after = fresh({ kernel: before.kernel, os: before.os, run: false });
    after.node = new Error('connection refused');
    after.records.length = 0;
    after.kernel.go('run', function* () {
      after.manager.run();
    });
    after.run(5);
    expect(after.work('left')).toEqual(['reconstruct done']);
    expect(after.manager.reconcilerStatesHasBeenSynced()).toBe(false);
    after.node = {};
    after.run(1);
    expect(after.os.existsSync(pathOf('empty-dir', 'left', 'goes'))).toBe(false);
    expect(after.manager.reconcilerStatesHasBeenSynced()).toBe(true);
  });

  it('[3:VOL-16] says of what it does not know that it cannot clean it up', () => {
    const before = restarted((t) => t.os.mkdirAllSync(`${podsDir}/u/volumes/example.com~odd/v`));
    const after = fresh({ kernel: before.kernel, os: before.os });
    after.run(1);
    expect(after.of('log').map((l) => l.msg)).toEqual(
      expect.arrayContaining(['Could not construct volume information', 'Orphan volume cleanup finished']),
    );
    expect(after.os.existsSync(`${podsDir}/u/volumes/example.com~odd/v`)).toBe(true);
  });
});

it('the records tell the state of each volume', () => {
  const t = fresh({ kernel: new Kernel() });
  const pod = t.pod({ volumes: [hostDir('bad'), emptyDir('good')] });
  expect(() => t.mount(pod)).toThrow();
  const state = initialState();
  for (const record of t.records) reduce(state, record);
  expect(state.pods.uid1?.volumes).toMatchObject({
    good: { state: 'mounted', plugin: 'kubernetes.io/empty-dir', error: '', failures: 0 },
    bad: { state: 'waiting', error: expect.stringContaining('/x is not a directory'), failures: 8 },
  });
  t.terminated.add('uid1');
  t.unmount(pod);
  const end = initialState();
  for (const record of t.records) reduce(end, record);
  expect(Object.keys(end.pods.uid1?.volumes ?? {})).toEqual(['bad']);
});
