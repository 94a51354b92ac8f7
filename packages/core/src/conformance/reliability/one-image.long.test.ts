import { describe, expect, it } from 'vitest';
import { manyRuns } from '../invariants/testing/runs.js';
import { Rig } from './testing/rig.js';
import { names, server, sh, untilStopped } from './testing/specs.js';

/** SYNCLOOP_RUNS: as many as a large node has. */
const pods = names(manyRuns ? 200 : 60);
const image = 'reg.example.com/app:1';

/** Each pod pulls, whether the image is there or not. */
const pulling = server({ containers: [sh('app', untilStopped, { image, imagePullPolicy: 'Always' })] });

describe('many pods of one image at once', () => {
  it.each([
    ['one pull after the other', 1, {}],
    ['ten pulls at a time', 2, { serializeImagePulls: false, maxParallelImagePulls: 10 }],
    ['all pulls at a time', 3, { serializeImagePulls: false }],
    ...(manyRuns ? [['all pulls at a time, in another order', 4, { serializeImagePulls: false }] as const] : []),
  ] as const)('[6:1] %s: all run, and nothing is told that upstream would not tell', (_, seed, config) => {
    const t = new Rig({
      seed,
      slowDisk: true,
      check: false,
      keep: ['kube-event', 'log'],
      // Else most of them are told that they ask too often, as upstream tells them.
      config: { ...config, clusterDNS: ['10.96.0.10'], maxPods: 250, registryPullQPS: 0 },
      runtime: { registry: { [image]: { kind: 'serve', image: { ref: image, programs: 'busybox' } } } },
    }).start();
    for (const name of pods) t.put(name, pulling);
    expect(t.until(() => t.allReady(pods), 600)).toBe(true);
    const warnings = t.of('kube-event').filter((e) => e.object.kind === 'Pod' && e.type === 'Warning');
    expect(warnings.map((e) => `${e.reason}: ${e.message}`)).toEqual([]);
    const errors = t.of('log').filter((l) => l.severity === 'E' && /pull|image/i.test(l.msg));
    expect(errors.map((l) => `${l.msg}: ${l.kv.err}`)).toEqual([]);
    expect(t.of('kube-event').filter((e) => e.reason === 'Pulled')).toHaveLength(pods.length);
    for (const p of t.node.podsWithStatus()) expect(p.status.containerStatuses?.[0]).toMatchObject({ restartCount: 0 });
    // Of all pulls one record is left, and nothing that was on its way.
    const left = (folder: string) => t.mock.fs.readDirSync(`${t.node.config.rootDirectory}/image_manager/${folder}`);
    expect(left('pulling')).toEqual([]);
    expect(left('pulled').map(({ name }) => name)).toEqual([expect.stringMatching(/^sha256-[0-9a-f]{64}$/)]);
  });
});
