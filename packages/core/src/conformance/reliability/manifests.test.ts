import { describe, expect, it } from 'vitest';
import { Rig } from './testing/rig.js';
import { deaf, names, server, sh, untilStopped } from './testing/specs.js';

const uid = 'aaaaaaaa-0000-4000-8000-000000000001';

describe('manifests that come, go and change', () => {
  it('[A1:17] edited three times within a long grace period: the old pod ends fully, only the last version starts', () => {
    const t = new Rig()
      .start()
      .put('web', server({ terminationGracePeriodSeconds: 20, containers: [sh('app', deaf)] }));
    expect(t.until(() => t.ready('web'), 30)).toBe(true);
    const first = t.pod('web')?.metadata.uid;
    const from = t.now;
    for (const n of [1, 2, 3]) t.put('web', server({ containers: [sh(`v${n}`, untilStopped)] })).run(3);
    expect(t.running().map((c) => c.name)).toEqual(['app']);
    expect(t.until(() => t.ready('web'), 60)).toBe(true);
    expect(t.now - from).toBeGreaterThan(19);
    expect(t.pod('web')?.metadata.uid).not.toBe(first);
    expect(t.running().map((c) => c.name)).toEqual(['v3']);
    const started = t
      .of('actual-container')
      .filter((c) => c.state === 'running')
      .map((c) => c.name);
    expect(started).toEqual(['app', 'v3']);
    const ended = t.of('actual-container').find((c) => c.name === 'app' && c.state === 'exited');
    expect(ended).toMatchObject({ exitCode: 137 });
    expect(t.violations).toEqual([]);
  });

  it('[A1:18] a file that is removed and put back unchanged makes the pod anew', () => {
    for (const [away, api] of [
      [0.3, false],
      [1.5, false],
      [5, false],
      [1.5, true],
      [5, true],
    ] as const) {
      const t = new Rig({ api }).start().put('web', server());
      expect(t.until(() => t.ready('web'), 30)).toBe(true);
      const [before] = t.running();
      t.run(3).remove('web').run(away).put('web', server());
      t.run(20);
      expect(t.until(() => t.ready('web'), 60)).toBe(true);
      if (away > 1) expect(t.running().map((c) => c.id)).not.toEqual([before?.id]);
      expect(t.running()).toHaveLength(1);
      expect(t.readySandboxes()).toHaveLength(1);
      if (api) expect(t.until(() => t.stored('web-node1')?.status.phase === 'Running', 20)).toBe(true);
      expect(t.violations).toEqual([]);
    }
  });

  it('[A1:19] the same uid again, while a volume of the old one cannot be removed: starts once it is', () => {
    const t = new Rig();
    let stuck = true;
    const { fs } = t.mock;
    const removeAll = fs.removeAll.bind(fs);
    fs.removeAll = function* (path) {
      if (stuck && path.includes('/volumes/')) throw new Error(`remove ${path}: device or resource busy`);
      yield* removeAll(path);
    };
    const spec = server({
      volumes: [{ name: 'data', emptyDir: {} }],
      containers: [sh('app', untilStopped, { volumeMounts: [{ name: 'data', mountPath: '/data' }] })],
    });
    t.start().put('web', spec, { uid });
    expect(t.until(() => t.ready('web'), 30)).toBe(true);
    t.remove('web').run(5).put('web', spec, { uid }).run(60);
    expect(t.running()).toEqual([]);
    stuck = false;
    // Tearing down is tried again after a back-off of 2 min 2 s at most.
    expect(t.until(() => t.ready('web'), 180)).toBe(true);
    expect(t.running()).toHaveLength(1);
    expect(t.violations).toEqual([]);
  });

  it('[A1:20] ten good files run beside a broken, an empty, a hidden and a swap file; the broken one works once it is mended', () => {
    const t = new Rig();
    const good = names(10);
    for (const n of good) t.put(n, server());
    t.node.writeManifest('broken.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: broken\n');
    t.node.writeManifest('empty.yaml', '');
    t.node.writeManifest(
      '.hidden.yaml',
      JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'hidden' }, spec: server() }),
    );
    t.node.writeManifest('.p0.json.swp', 'b0VIM 8.2\u0000\u0000\u0010');
    t.start();
    expect(t.until(() => t.allReady(good), 60)).toBe(true);
    expect(t.node.pods()).toHaveLength(10);
    const told = t.of('log').filter((l) => l.severity === 'E' && /broken\.yaml/.test(JSON.stringify(l)));
    expect(told.length).toBeGreaterThan(0);
    const calls = t.calls.length;
    t.node.writeManifest(
      'broken.yaml',
      JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'broken' }, spec: server() }),
    );
    expect(t.until(() => t.ready('broken'), 30)).toBe(true);
    expect(t.calls.slice(calls).map((c) => c.method)).toEqual(['runPodSandbox', 'createContainer', 'startContainer']);
    expect(t.violations).toEqual([]);
  });
});
