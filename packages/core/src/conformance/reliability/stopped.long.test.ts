import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import { manyRuns } from '../invariants/testing/runs.js';
import { Rig } from './testing/rig.js';
import { names, sh, untilStopped } from './testing/specs.js';

/** SYNCLOOP_RUNS: as many as a large node has. */
const pods = names(manyRuns ? 200 : 60);
const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node1';

/** The process gets no time, as by SIGSTOP: clocks go on, and all that was due meanwhile is due at once. */
const stopped = (t: Rig, seconds: number) => t.clock.advanceTo(t.kernel.now() + seconds * Second);

/** Written as the API server has it. */
function ready(t: Rig): string | undefined {
  const user = { name: 'admin', groups: ['system:masters'] };
  const answer = t.api.server.handle({ method: 'GET', path: '/api/v1/nodes/node1', user });
  if (answer.kind !== 'answer') return undefined;
  const { conditions } = (answer.body as { status: { conditions: { type: string; status: string }[] } }).status;
  return conditions.find((c) => c.type === 'Ready')?.status;
}

const probe = { exec: { command: ['true'] }, periodSeconds: 5 };
const spec = { terminationGracePeriodSeconds: 2, containers: [sh('app', untilStopped, { livenessProbe: probe })] };

describe('a kubelet that is stopped and goes on', () => {
  it.each([
    [30, 1, false],
    [30, 2, true],
    [300, 3, true],
  ])(
    '[6:3] after %i s, seed %i, slow disk %s: the node is ready within 20 s, and no pod has noticed',
    (seconds, seed, slowDisk) => {
      const t = new Rig({ api: true, seed, slowDisk, check: false, keep: [], config: { maxPods: 250 } }).start().run(3);
      for (const name of pods) t.apply(name, spec);
      expect(t.until(() => t.allReady(pods), 300)).toBe(true);
      t.run(20);
      const before = t
        .running()
        .map((c) => c.id)
        .sort();
      stopped(t, seconds);
      const wentOn = t.now;
      t.run(2);
      expect(t.until(() => ready(t) === 'True', 20)).toBe(true);
      // It stays so, its lease goes on, and each pod is what it was.
      t.run(30);
      expect(ready(t)).toBe('True');
      const renewed = t.writes.filter((w) => w.path === lease && w.at > wentOn).map((w) => Math.round(w.at - wentOn));
      expect(renewed[0]).toBeLessThanOrEqual(1);
      expect(renewed.length).toBeGreaterThanOrEqual(3);
      expect(t.allReady(pods)).toBe(true);
      expect(
        t
          .running()
          .map((c) => c.id)
          .sort(),
      ).toEqual(before);
    },
  );
});
