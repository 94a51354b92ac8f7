import { describe, expect, it } from 'vitest';
import { CRIError } from '../../cri/index.js';
import { background, Hour, Minute, Second } from '../../kernel/index.js';
import { makePod, TestManager } from '../kuberuntime/testing/harness.js';
import {
  defaultImageGCPolicy,
  ImageGCManager,
  type ImageGCManagerDeps,
  type ImageGCPolicy,
} from './image-gc-manager.js';

const MiB = 1024 * 1024;

function setup(
  available: number,
  capacity = 1000 * MiB,
  policy: Partial<ImageGCPolicy> = {},
  parts: ImageGCManagerDeps['parts'] = {},
) {
  const t = new TestManager();
  const disk = { available, capacity };
  const passes: (readonly string[])[] = [];
  const gc = new ImageGCManager({
    kernel: t.kernel,
    *postGC(remaining) {
      passes.push(remaining);
    },
    runtime: t.manager,
    imageService: t.runtime.services,
    recorder: t.recorder,
    nodeName: 'node1',
    parts,
    policy: { ...defaultImageGCPolicy, ...policy },
    *fsStats() {
      return disk;
    },
  });
  t.run(
    (function* () {
      gc.start();
    })(),
  );
  const image = (name: string, more = {}) =>
    t.runtime.addImage(`localhost/${name}:1`, `sha256:${name}`, { size: String(60 * MiB), ...more });
  const collect = (): string => {
    try {
      t.run(gc.garbageCollect(background));
      return '';
    } catch (err) {
      return (err as Error).message;
    }
  };
  const left = () => [...t.runtime.images.values()].map((i) => i.id).sort();
  return { t, gc, disk, image, collect, left, passes };
}
const busybox = 'sha256:7fcf72f2b6d03d3857c86737dbe03c28792d1eac4e66cc7ec072fdbe250b333c';

describe('image GC', () => {
  it('[2:M-14] [3:GC-05] does nothing below the high threshold', () => {
    const { t, image, collect, left } = setup(160 * MiB);
    image('a');
    t.wait(10 * Minute);
    expect(collect()).toBe('');
    expect(left()).toContain('sha256:a');
  });

  it('[2:M-14] [3:GC-05] frees down to the low threshold, least recently used first; spares what is pinned, used or young', () => {
    const { t, image, collect, left } = setup(100 * MiB);
    const pod = makePod();
    t.sync(pod);
    // Dead, yet it still uses its image.
    t.runtime.exit(t.runtime.container('app').id, 0);
    image('pinned', { pinned: true });
    image('first');
    t.wait(6 * Minute);
    image('second');
    t.wait(6 * Minute);
    image('young');
    t.wait(Second);
    // 200 MiB are to be free, 100 are: two images of 60.
    expect(collect()).toBe('');
    expect(left()).toEqual([busybox, 'sha256:pinned', 'sha256:young'].sort());
  });

  it('[2:M-15] [3:GC-06] says when too little can be freed', () => {
    const { t, image, collect } = setup(100 * MiB);
    t.sync(makePod());
    image('a');
    t.wait(8 * Minute);
    const text = `Insufficient free disk space on the node's image filesystem (90% of 1000.0 MiB used). Failed to free sufficient space by deleting unused images (freed ${60 * MiB} bytes). Investigate disk usage, as it could be used by active images, logs, volumes, or other data.`;
    expect(collect()).toBe(text);
    expect(t.of('kube-event').at(-1)).toMatchObject({
      reason: 'FreeDiskSpaceFailed',
      message: text,
      object: { kind: 'Node', name: 'node1' },
    });
  });

  it('[2:M-13] tells which unused images are left after a pass that made room, and after no other', () => {
    const { t, gc, image, collect, disk, passes } = setup(160 * MiB);
    t.sync(makePod());
    image('old');
    t.wait(12 * Minute);
    image('young');
    t.wait(Second);
    collect();
    expect(passes).toEqual([]);
    disk.available = 100 * MiB;
    t.runtime.failures.removeImage = [new CRIError(2, 'in use')];
    expect(collect()).toMatch(/^wanted to free \d+ bytes, but freed 0 bytes space/);
    expect(passes).toEqual([]);
    collect();
    expect(passes).toEqual([['sha256:young']]);
    t.run(gc.deleteUnusedImages(background));
    expect(passes).toHaveLength(2);
  });

  it('[2:M-15] without a bound it wanted to free as much as upstream says', () => {
    const { t, gc, image } = setup(100 * MiB);
    t.sync(makePod());
    image('a');
    t.wait(8 * Minute);
    t.runtime.failures.removeImage = [new CRIError(2, 'in use')];
    expect(() => t.run(gc.deleteUnusedImages(background))).toThrow(
      'wanted to free 9223372036854775807 bytes, but freed 0 bytes space with errors in image deletion: rpc error: code = Unknown desc = in use',
    );
  });

  it('[2:M-15] [3:GC-06] a capacity of 0 is no disk', () => {
    const { t, collect } = setup(0, 0);
    expect(collect()).toBe('invalid capacity 0 on image filesystem');
    expect(t.of('kube-event').at(-1)?.reason).toBe('InvalidDiskCapacity');
  });

  it('[2:M-15] [3:GC-05] an age limit counts only once the kubelet itself is that old', () => {
    const { t, image, collect, left } = setup(900 * MiB, 1000 * MiB, { maxAge: Hour });
    t.sync(makePod());
    image('a');
    t.wait(50 * Minute);
    collect();
    expect(left()).toContain('sha256:a');
    t.wait(11 * Minute);
    collect();
    expect(left()).toEqual([busybox]);
  });

  it('does not look again for space at images that their age has freed', () => {
    const { t, image, collect, left } = setup(100 * MiB, 1000 * MiB, { maxAge: Hour });
    t.sync(makePod());
    image('old');
    t.wait(61 * Minute);
    t.runtime.calls.length = 0;
    collect();
    expect(left()).toEqual([busybox]);
    expect(t.runtime.calls.filter((call) => JSON.stringify(call).includes('sha256:old'))).toHaveLength(1);
  });

  it('frees all that a part chose, also beyond what is wanted, in its order, and counts the rest as left', () => {
    const asked: unknown[] = [];
    const parts: ImageGCManagerDeps['parts'] = {
      imageGC({ images, bytesToFree }) {
        asked.push([images.map(({ id }) => id), bytesToFree]);
        return ['sha256:c', 'sha256:a'];
      },
    };
    const { t, image, collect, left, passes } = setup(150 * MiB, 1000 * MiB, {}, parts);
    for (const name of ['a', 'b', 'c']) image(name);
    t.wait(6 * Minute);
    // 50 MiB are wanted, and each image has 60.
    expect(collect()).toBe('');
    expect(asked).toEqual([[expect.arrayContaining(['sha256:a', 'sha256:b', 'sha256:c']), 50 * MiB]]);
    expect(left()).toEqual([busybox, 'sha256:b'].sort());
    expect([...(passes.at(-1) ?? [])].sort()).toEqual(left());
  });

  it('[2:D-01] lists images every 30 s for the node status, largest first', () => {
    const { t, gc, image } = setup(900 * MiB);
    image('big');
    t.wait(31 * Second);
    expect(gc.getImageList().map((i) => i.id)).toEqual(['sha256:big', busybox]);
  });
});
