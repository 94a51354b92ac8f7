import { describe, expect, it } from 'vitest';
import { Rig } from './testing/rig.js';
import { names, server, sh, sleeping, untilStopped } from './testing/specs.js';

const pods = names(100);
const small = server({ containers: [sh('app', untilStopped)] });

/** Ids of what runs, and of its sandboxes. */
const ids = (t: Rig) => [...t.running().map((c) => c.id), ...t.readySandboxes().map((s) => s.id)].sort();

describe('a hundred pods', () => {
  it('[A1:1] killed and started again: nothing is touched, all are ready', () => {
    const t = new Rig({ check: false, keep: [] }).start();
    for (const n of pods) t.put(n, small);
    expect(t.until(() => t.allReady(pods), 120)).toBe(true);
    t.run(5);
    const before = ids(t);
    const { length } = t.calls;
    for (const down of [0, 2, 60]) {
      t.crash(down);
      expect(t.until(() => t.allReady(pods), 60)).toBe(true);
      t.run(70);
      expect(t.calls.slice(length)).toEqual([]);
      expect(ids(t)).toEqual(before);
      for (const p of t.node.podsWithStatus())
        expect(p.status.containerStatuses?.[0]).toMatchObject({ restartCount: 0, ready: true });
    }
  });

  it('[A1:4] the runtime is killed six times, 20 s apart: no container ends, all are ready within 5 minutes, no address is lost', () => {
    const t = new Rig({ check: false, keep: [] }).start();
    for (const n of pods) t.put(n, small);
    expect(t.until(() => t.allReady(pods), 120)).toBe(true);
    const before = ids(t);
    const addresses = t.readySandboxes().map((s) => s.ip);
    for (let i = 0; i < 6; i++) {
      t.mock.stop();
      t.run(2);
      t.mock.start();
      t.run(18);
    }
    expect(t.until(() => t.allReady(pods), 300)).toBe(true);
    expect(ids(t)).toEqual(before);
    expect(t.readySandboxes().map((s) => s.ip)).toEqual(addresses);
    expect(new Set(addresses).size).toBe(100);
    // Those that were starting meanwhile come up too, and leave no address behind.
    const late = names(10, 'late');
    for (const n of late) t.put(n, small);
    t.run(1.3);
    t.mock.stop();
    t.run(20);
    t.mock.start();
    expect(t.until(() => t.allReady([...pods, ...late]), 300)).toBe(true);
    expect(new Set(t.readySandboxes().map((s) => s.ip)).size).toBe(110);
    for (const n of late) t.remove(n);
    expect(t.until(() => t.mock.sandboxes().length === 100, 300)).toBe(true);
    expect(ids(t)).toEqual(before);
  });

  it('[A1:7] pods that Succeeded do not count against the CPU after a restart', () => {
    const t = new Rig({ api: true, check: false, keep: [] }).start().run(3);
    const job = {
      restartPolicy: 'Never',
      containers: [sh('app', 'sleep 1', { resources: { requests: { cpu: '30m' } } })],
    };
    const jobs = names(105, 'job');
    // Neither the CPU nor the places would be enough for all.
    const fresh = names(10, 'new');
    for (const n of jobs) t.apply(n, job);
    const done = () => t.api.list().filter((p) => p.status.phase === 'Succeeded').length;
    expect(t.until(() => done() === 105, 240)).toBe(true);
    t.crash(2);
    t.run(3);
    for (const n of fresh)
      t.apply(n, server({ containers: [sh('app', untilStopped, { resources: { requests: { cpu: '350m' } } })] }));
    expect(t.until(() => t.allReady(fresh), 60)).toBe(true);
    expect(done()).toBe(105);
  });

  it('[A1:28] fifty containers with probes each second: none restarts in two minutes', () => {
    const t = new Rig({ check: false, keep: [] }).start();
    const probe = { exec: { command: ['true'] }, periodSeconds: 1, failureThreshold: 1 };
    for (const n of names(50))
      t.put(n, server({ containers: [sh('app', sleeping, { livenessProbe: probe, readinessProbe: probe })] }));
    expect(t.until(() => t.allReady(names(50)), 120)).toBe(true);
    const before = ids(t);
    t.run(120);
    expect(ids(t)).toEqual(before);
    expect(t.allReady(names(50))).toBe(true);
  });
});
