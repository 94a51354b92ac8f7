import { describe, expect, it } from 'vitest';
import { Canceled, Second } from '../kernel/index.js';
import { manifest, setup } from './testing/fake-node.js';
import { VolumeAttachLimitExceededError } from './volumemanager/volume-manager.js';

describe('image garbage collection', () => {
  const images = () => [
    { id: 'sha256:old', size: '500' },
    { id: 'sha256:big', size: '400' },
  ];
  const start = (options: Parameters<typeof setup>[0]) => {
    const t = setup(options);
    t.cri.images = images();
    return t;
  };

  it('[2:M-14] removes what nobody uses, every 5 min, when the node has a disk and it is full', () => {
    const t = start({ nodeInfo: { imageFsCapacityBytes: 1000 } });
    t.run(120);
    expect(t.cri.images).toHaveLength(2);
    t.run(400);
    // 90 % used: down to 80 %.
    expect(t.cri.images).toHaveLength(1);
    expect(t.cri.calls).toContain('RemoveImage');
    const removed = t.of('cri-call').find((c) => c.method === 'RemoveImage');
    expect(Math.round((removed?.time ?? 0) / Second)).toBe(300);
  });

  it('[2:M-14] asks the host where it can, by the mount point that the runtime names', () => {
    const asked: string[] = [];
    const t = start({
      deps: {
        *fsStats(mountpoint: string) {
          asked.push(mountpoint);
          return { capacity: 1000, available: 500 };
        },
      },
    });
    t.run(400);
    expect(new Set(asked)).toEqual(new Set(['/var/lib/images']));
    expect(t.cri.images).toHaveLength(2);
  });

  it('[2:M-15] [3:GC-06] says on the node what is wrong: no capacity at once, the failure the second time', () => {
    const t = start({ nodeInfo: { imageFsCapacityBytes: 0 } });
    t.run(100);
    const reasons = () =>
      t
        .of('kube-event')
        .filter((e) => e.object.kind === 'Node' && /InvalidDisk|ImageGC/.test(e.reason))
        .map((e) => `${e.reason}: ${e.message}`);
    expect(reasons()).toEqual(['InvalidDiskCapacity: invalid capacity 0 on image filesystem']);
    t.run(300);
    expect(reasons().at(-1)).toBe('ImageGCFailed: invalid capacity 0 on image filesystem');
  });
});

describe('volumes', () => {
  /** A kubelet whose volumes fail as told. */
  const failing = (err: Error) => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    Object.assign(t.kl.volumeManager, {
      *waitForAttachAndMount() {
        throw err;
      },
    });
    t.run(5);
    return t;
  };

  it('[1:C07] [3:VOL-17] too many for this node: the pod is rejected and ends', () => {
    const t = failing(new VolumeAttachLimitExceededError('node has 3 volumes'));
    expect(t.podOf('web-node1')?.status).toMatchObject({
      phase: 'Failed',
      reason: 'VolumeAttachmentLimitExceeded',
      message: 'Pod was rejected: node has 3 volumes',
    });
    expect(t.of('worker').map((w) => w.state)).toEqual(['sync', 'terminating', 'terminated', 'finished']);
    expect(
      t
        .of('kube-event')
        .filter((e) => e.object.kind === 'Pod')
        .map((e) => e.reason),
    ).toEqual(['VolumeAttachmentLimitExceeded']);
  });

  it('[1:C07] a wait that was cut short is no event, but an error', () => {
    const t = failing(Canceled);
    expect(t.of('kube-event').filter((e) => e.reason === 'FailedMount')).toEqual([]);
    expect(t.logs(/Sync exited with context cancellation error/).length).toBeGreaterThan(0);
    expect(t.cri.calls).not.toContain('RunPodSandbox');
  });

  it('[1:C07] a volume that fails is tried again, later each time, for 2 min 3 s, and the pod waits for it', () => {
    const wants = (type: string) =>
      manifest(
        'web',
        `    volumeMounts: [{name: d, mountPath: /d}]\n  volumes:\n  - name: d\n    hostPath: {path: /x, type: ${type}}\n`,
      );
    const t = setup({ manifests: { 'web.yaml': wants('Directory') } });
    t.run(10);
    const failed = () =>
      t
        .of('kube-event')
        .filter((e) => e.reason === 'FailedMount')
        .map((e) => [Math.round(e.time / 100_000) / 10, e.message]);
    const text = 'MountVolume.SetUp failed for volume "d" : hostPath type check failed: /x is not a directory';
    const times = failed().map(([at]) => Number(at));
    expect(failed()[0]?.[1]).toBe(text);
    expect(times.slice(0, 4).map((at) => Math.round((at - (times[0] ?? 0)) * 10) / 10)).toEqual([0, 0.5, 1.5, 3.5]);
    expect(t.podOf('web-node1')).toBeDefined();
    expect(t.cri.calls).not.toContain('RunPodSandbox');
    t.run(130);
    // The pod worker gave up and will come back: no event of its own for that.
    const err = t.of('log').find((l) => l.msg === 'Error syncing pod, skipping')?.kv.err;
    expect(err).toBe(
      'unmounted volumes=[d], unattached volumes=[], failed to process volumes=[]: context deadline exceeded',
    );
    expect(new Set(failed().map(([, message]) => message))).toEqual(new Set([text]));
    t.os.dirs.add('/x');
    t.run(300);
    expect(t.cri.calls).toContain('RunPodSandbox');
  });

  it('[1:C07] a pod that is to go does not wait any longer', () => {
    const text = manifest(
      'web',
      '    volumeMounts: [{name: d, mountPath: /d}]\n  volumes:\n  - name: d\n    hostPath: {path: /x, type: Directory}\n',
    );
    const t = setup({ manifests: { 'web.yaml': text } });
    t.run(5);
    t.os.files.delete('/m/web.yaml');
    t.run(5);
    expect(t.logs(/Sync exited with context cancellation error/)).toHaveLength(1);
    expect(t.podOf('web-node1')).toBeUndefined();
    expect(t.of('worker').at(-1)?.state).toBe('removed');
  });

  it('[2:G-08] a downward API volume holds what the pod says of itself, not to be written', () => {
    const text = manifest(
      'web',
      '    volumeMounts: [{name: d, mountPath: /d}]\n  volumes:\n  - name: d\n    downwardAPI: {items: [{path: a/labels, fieldRef: {fieldPath: metadata.labels}}]}\n',
    ).replace('name: web', 'name: web\n  labels: {x: one}');
    const t = setup({ manifests: { 'web.yaml': text } });
    t.run(5);
    const create = t.of('cri-call').find((c) => c.method === 'CreateContainer');
    const request = create?.request as { config: { mounts: { hostPath: string; readonly?: boolean }[] } } | undefined;
    const mounts = request?.config.mounts ?? [];
    const uid = t.podOf('web-node1')?.metadata.uid;
    expect(mounts[0]).toMatchObject({
      hostPath: `/var/lib/kubelet/pods/${uid}/volumes/kubernetes.io~downward-api/d`,
      readonly: true,
    });
    expect(t.os.text(`${mounts[0]?.hostPath}/a/labels`)).toBe('x="one"');
  });
});
