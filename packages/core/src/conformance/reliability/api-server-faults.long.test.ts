import { describe, expect, it } from 'vitest';
import { Random, Second } from '../../kernel/index.js';
import { manyRuns } from '../invariants/testing/runs.js';
import { type ApiFault, statusOf } from './testing/faulty-transport.js';
import { Rig } from './testing/rig.js';
import { lingering, names, server, sh, untilStopped } from './testing/specs.js';

const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node1';

/** An object as in the server. */
// biome-ignore lint/suspicious/noExplicitAny: objects of any kind
function get(t: Rig, path: string): any {
  const answer = t.api.server.handle({ method: 'GET', path, user: { name: 'admin', groups: ['system:masters'] } });
  return answer.kind === 'answer' && answer.code === 200 ? answer.body : undefined;
}
const wall = (t: Rig): number => t.clock.epochMillis + t.now * 1000;
const renewedAt = (t: Rig): number => Date.parse(get(t, lease).spec.renewTime);
const nodeReady = (t: Rig) =>
  get(t, '/api/v1/nodes/node1').status.conditions.find((c: { type: string }) => c.type === 'Ready');

/** Lists where the server's pods differ from what runs. */
function inStep(t: Rig): string[] {
  const out: string[] = [];
  const running = t.running();
  const seen = new Set<string>();
  for (const { metadata, status } of t.api.list())
    for (const s of status.containerStatuses ?? []) {
      const is = running.find((c) => s.containerID?.endsWith(c.id));
      if (s.state.running && !is) out.push(`${metadata.name} is said to run, and does not`);
      if (s.state.running && is) seen.add(is.id);
    }
  for (const c of running) if (!seen.has(c.id)) out.push(`${c.pod} runs, and is not said to`);
  const stored = new Set(t.api.list().map((p) => p.metadata.name));
  for (const p of t.node.pods()) if (!stored.has(p.metadata.name)) out.push(`${p.metadata.name} is not stored`);
  return out;
}

/** Pods come and go, some edited, all through the API server, for a minute. */
function traffic(t: Rig, random: Random): { wanted: string[] } {
  const wanted = new Set<string>();
  let next = 0;
  for (let i = 0; i < 20; i++) {
    const what = random.float();
    const list = [...wanted];
    const some = list[Math.floor(random.float() * list.length)];
    if (what < 0.6 || !some) {
      const name = `p${next++}`;
      t.apply(name, server({ containers: [sh('app', i % 3 === 0 ? lingering : untilStopped)] }));
      wanted.add(name);
    } else if (what < 0.85) {
      t.api.delete(some, what < 0.65 ? 0 : undefined);
      wanted.delete(some);
    } else t.mock.killContainer(some, 'app');
    t.run(3);
  }
  return { wanted: [...wanted] };
}

const converged = (t: Rig, wanted: readonly string[]) =>
  t.api.list().length === wanted.length &&
  t.node.pods().length === wanted.length &&
  t.running().length === wanted.length &&
  t.readySandboxes().length === wanted.length &&
  t.allReady(wanted) &&
  inStep(t).length === 0;

describe('the API server is away', () => {
  it('for ten minutes: pods go on, crashes are mended; then statuses, lease and mirror pods catch up', () => {
    const t = new Rig({ api: true }).start().run(3);
    t.apply('web', server()).apply('flaky', server()).apply('gone', server()).put('file', server());
    expect(t.until(() => t.allReady(['web', 'flaky', 'gone', 'file']) && inStep(t).length === 0, 40)).toBe(true);
    t.run(10);
    const [web] = t.containersOf('web');
    expect(wall(t) - renewedAt(t)).toBeLessThan(11_000);
    t.api.disconnect();
    t.run(20);
    t.mock.killContainer('flaky', 'app');
    t.put('late', server());
    t.run(280);
    t.api.delete('gone');
    t.apply('fresh', server());
    t.run(300);
    expect(wall(t) - renewedAt(t)).toBeGreaterThan(590_000);
    // It keeps up the pods that it knows, and leaves what it cannot know.
    expect(t.allReady(['web', 'flaky', 'gone', 'file', 'late'])).toBe(true);
    expect(t.pod('flaky')?.status.containerStatuses?.[0]?.restartCount).toBe(1);
    expect(t.pod('fresh')).toBeUndefined();
    expect(nodeReady(t).status).toBe('True');
    t.api.connect();
    expect(t.until(() => wall(t) - renewedAt(t) < 11_000, 10)).toBe(true);
    const all = ['web', 'flaky', 'file', 'late', 'fresh'];
    const mirrored = () => t.stored('late-node1') !== undefined;
    // A watch that fails is begun again after 30 s, and up to twice that.
    expect(t.until(() => t.allReady(all) && inStep(t).every((x) => /late/.test(x)), 65)).toBe(true);
    // A mirror pod is tried again with the next sync of its pod.
    expect(t.until(() => mirrored() && t.api.list().length === 5 && inStep(t).length === 0, 95)).toBe(true);
    expect(t.stored('flaky')?.status.containerStatuses?.[0]?.restartCount).toBe(1);
    expect(t.stored('late-node1')?.status.phase).toBe('Running');
    expect(t.containersOf('web').map((c) => c.id)).toEqual([web?.id]);
    expect(nodeReady(t).status).toBe('True');
    t.run(20);
    expect(wall(t) - Date.parse(nodeReady(t).lastHeartbeatTime)).toBeLessThan(305_000);
    expect(t.violations).toEqual([]);
  });

  it('from the start: static pods run, and everything else follows when it comes', () => {
    const t = new Rig({ api: true });
    t.api.disconnect();
    t.put('file', server());
    t.apply('web', server());
    t.start();
    expect(t.until(() => t.ready('file'), 60)).toBe(true);
    t.run(120);
    expect(t.pod('web')).toBeUndefined();
    t.api.connect();
    expect(t.until(() => t.ready('web') && t.stored('file-node1') !== undefined && inStep(t).length === 0, 60)).toBe(
      true,
    );
    expect(t.running()).toHaveLength(2);
    expect(t.violations).toEqual([]);
  });

  it('while a pod is deleted that is ending, and comes back after that: it is let go once', () => {
    const t = new Rig({ api: true }).start().run(3);
    t.apply('web', server({ terminationGracePeriodSeconds: 10, containers: [sh('app', lingering)] }));
    expect(t.until(() => t.ready('web') && inStep(t).length === 0, 30)).toBe(true);
    t.api.delete('web');
    t.run(1);
    t.api.disconnect();
    t.run(60);
    expect(t.running()).toEqual([]);
    expect(t.stored('web')).toBeDefined();
    t.api.connect();
    expect(t.until(() => !t.stored('web'), 30)).toBe(true);
    t.run(30);
    const deletes = t.writes.filter((w) => w.method === 'DELETE' && w.path.endsWith('/pods/web') && w.at > 65);
    expect(deletes).toHaveLength(1);
    expect(t.violations).toEqual([]);
  });
});

describe('an API server that misbehaves', () => {
  const cases: Record<string, (random: Random, path: string, watch: boolean, write: boolean) => ApiFault | null> = {
    'each third request is refused with 429 and Retry-After': (r) =>
      r.float() < 0.33 ? { instead: statusOf(429, 'TooManyRequests', 'try later', 1) } : null,
    'each second request fails with 500': (r) =>
      r.float() < 0.5 ? { instead: statusOf(500, 'InternalError', 'etcdserver: request timed out') } : null,
    'each request takes 4 s': () => ({ delay: 4 * Second }),
    'requests take up to 3 s, so that they overtake each other': (r) => ({ delay: Math.floor(r.float() * 3 * Second) }),
    'each third connection is lost before the request is through': (r) =>
      r.float() < 0.33 ? { lost: 'before' } : null,
    'each third answer is lost': (r, _, watch) => (!watch && r.float() < 0.33 ? { lost: 'after' } : null),
    'all of it together': (r) => {
      const x = r.float();
      return {
        ...(r.float() < 0.3 && { delay: Math.floor(r.float() * 2 * Second) }),
        ...(x < 0.1 && { instead: statusOf(503, 'ServiceUnavailable', 'the server is starting', 1) }),
        ...(x > 0.9 && { lost: x > 0.95 ? ('before' as const) : ('after' as const) }),
      };
    },
  };
  it.each(Object.entries(cases))('%s: nothing is lost', (_, fault) => {
    const t = new Rig({ api: true, keep: [] }).start().run(3);
    const random = new Random(11);
    t.apiFault = (request, watch) => fault(random, request.path, watch, request.method !== 'GET');
    const { wanted } = traffic(t, new Random(5));
    t.apiFault = () => null;
    const done = t.until(() => converged(t, wanted), 120);
    expect({ done, out: inStep(t), pods: t.node.pods().length }).toEqual({ done: true, out: [], pods: wanted.length });
    expect(wall(t) - renewedAt(t)).toBeLessThan(30_000);
    expect(t.violations).toEqual([]);
  });

  it('watches are cut at random: nothing is lost, and most go on where they were', () => {
    const t = new Rig({ api: true, keep: [] }).start().run(3);
    const random = new Random(3);
    let cut = 0;
    let lists = 0;
    let resumed = 0;
    t.apiFault = (r, watch) => {
      if (/\/v1\/pods$/.test(r.path)) {
        if (!watch || r.query?.sendInitialEvents === 'true') lists++;
        else resumed++;
      }
      if (random.float() < 0.2)
        t.kernel.post(() => {
          cut += t.transport?.cut() ?? 0;
        });
      return null;
    };
    const { wanted } = traffic(t, new Random(6));
    t.apiFault = () => null;
    expect(t.until(() => converged(t, wanted), 120)).toBe(true);
    expect(cut).toBeGreaterThan(20);
    // Only after a watch that ended within a second, and with nothing in it.
    expect(resumed).toBeGreaterThan(lists);
    expect(t.violations).toEqual([]);
  });

  it('410: the server forgot the changes meanwhile, and the node catches up with one list', () => {
    const t = new Rig({ api: true }).start().run(3);
    for (const n of names(5)) t.apply(n, server());
    expect(t.until(() => t.allReady(names(5)) && inStep(t).length === 0, 40)).toBe(true);
    t.records.length = 0;
    const before = t.containersOf('p4').map((c) => c.id);
    t.api.disconnect();
    t.api.delete('p0');
    t.api.delete('p1', 0);
    t.apply('new', server());
    for (let i = 0; i < 20; i++) t.apply('new', server(), { labels: { i: `${i}` } });
    t.api.server.compact();
    t.run(30);
    let lists = 0;
    t.apiFault = (r, watch) => {
      if (/\/pods$/.test(r.path) && (!watch || r.query?.sendInitialEvents === 'true')) lists++;
      return null;
    };
    t.api.connect();
    const wanted = ['p2', 'p3', 'p4', 'new'];
    expect(t.until(() => converged(t, wanted), 90)).toBe(true);
    const refused = t.of('log').filter((l) => l.msg === 'Watch closed' && l.kv.type === '*v1.Pod');
    expect(refused.map((l) => l.kv.err)).toEqual([expect.stringContaining('too old resource version')]);
    expect(lists).toBe(1);
    expect(t.containersOf('p4').map((c) => c.id)).toEqual(before);
    t.run(30);
    expect(lists).toBe(1);
    expect(t.violations).toEqual([]);
  });

  it('many pods and the server away for a minute in the middle of it', () => {
    const t = new Rig({ api: true, keep: [], check: false }).start().run(3);
    // SYNCLOOP_RUNS: as many as a node has by default.
    const pods = names(manyRuns ? 110 : 40);
    const deleted = pods.slice(0, pods.length / 2);
    for (const n of pods) t.apply(n, server());
    t.run(4);
    t.api.disconnect();
    t.run(60);
    t.api.connect();
    expect(t.until(() => converged(t, pods), 120)).toBe(true);
    for (const n of deleted) t.api.delete(n);
    t.run(2);
    t.api.disconnect();
    t.crash(2);
    t.run(58);
    t.api.connect();
    expect(t.until(() => converged(t, pods.slice(deleted.length)), 180)).toBe(true);
  });
});
