import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KubeletParts, type PartWorkerState, useParts } from '../../kubelet/parts/index.js';
import { parseScenario } from '../../scenario/document/parse.js';
import { startScenario } from '../../scenario/index.js';
import type { Json, TraceRecord } from '../../trace/index.js';

/** Parts that decide as the kubelet does, written independently of it. */
const ours: KubeletParts = {
  syncKnownPods({ desired, workers }) {
    const orphans = workers.filter((w) => !desired.includes(w.uid));
    const waits = workers.filter((w) => desired.includes(w.uid) && w.restartRequested && w.state === 'finished');
    const over = orphans.filter((w) => w.state === 'finished' || !w.started);
    return {
      remove: [...over, ...waits].map((w) => w.uid),
      terminate: orphans.filter((w) => !over.includes(w)).map((w) => w.uid),
    };
  },
  podCleanups({ pods, workers, runningPods, cgroups }) {
    const worker = (uid: string) => workers.find((w) => w.uid === uid);
    const restart = pods.filter((p) => p.active && !worker(p.uid)).map((p) => p.uid);
    return {
      restart,
      finish: [],
      kill: runningPods.map((p) => p.uid).filter((uid) => !worker(uid) && !restart.includes(uid)),
      removeCgroups: cgroups.filter((uid) => worker(uid)?.state !== 'sync' && worker(uid)?.state !== 'terminating'),
    };
  },
  imageGC({ images, bytesToFree, minAge, maxAge }) {
    const left = images.filter((i) => !i.inUse && !i.pinned);
    left.sort((a, b) => (b.unusedFor ?? 1e15) - (a.unusedFor ?? 1e15) || b.age - a.age);
    if (maxAge !== null) return left.filter((i) => (i.unusedFor ?? 1e15) > maxAge).map((i) => i.id);
    let sum = 0;
    return left
      .filter((i) => i.age >= minAge)
      .filter((i) => {
        const goes = bytesToFree === null || sum < bytesToFree;
        sum += i.size;
        return goes;
      })
      .map((i) => i.id);
  },
  podWorker(before, event) {
    interface Memory {
      readonly podState: PartWorkerState;
      readonly pending: number | null;
      readonly doing: PartWorkerState | null;
      readonly last: number;
      readonly awake: boolean;
    }
    const is = (before as unknown as Memory | null) ?? {
      podState: 'sync',
      pending: null,
      doing: null,
      last: 0,
      awake: false,
    };
    const answer = (next: Memory, wake = false, take: number | null = null) => ({
      state: next as unknown as Json,
      podState: next.podState,
      wake,
      take,
    });
    if (event.type === 'UpdatePod') {
      const ends = event.deleted || event.ended || event.updateType === 'kill';
      const podState = event.nothingLeft ? 'terminated' : is.podState === 'sync' && ends ? 'terminating' : is.podState;
      return answer({ ...is, podState, pending: event.update, awake: true }, !is.awake);
    }
    if (event.type === 'startPodSync') {
      if (is.pending === null) return answer({ ...is, awake: false });
      return answer({ ...is, pending: null, doing: is.podState, last: is.pending }, false, is.pending);
    }
    const order: readonly PartWorkerState[] = ['sync', 'terminating', 'terminated', 'finished'];
    const goesOn = !event.failed && (is.doing === 'sync' ? event.terminal : true);
    const to = goesOn && is.doing ? (order[order.indexOf(is.doing) + 1] as PartWorkerState) : is.podState;
    const podState = order.indexOf(to) > order.indexOf(is.podState) ? to : is.podState;
    const pending = podState === 'finished' ? null : (is.pending ?? (goesOn ? is.last : null));
    return answer({ ...is, podState, pending, doing: null, awake: pending !== null }, pending !== null);
  },
  // The first that is ready, as with a policy that always takes the first.
  syncLoopIteration: (state, ready) => ({ state, channel: ready[0] ?? '' }),
  evictionRank({ pods }) {
    const over = (p: (typeof pods)[number]) => (p.usage ?? 1e15) - p.request;
    return pods
      .toSorted((a, b) => Number(over(b) > 0) - Number(over(a) > 0) || a.priority - b.priority || over(b) - over(a))
      .map((p) => p.pod);
  },
};

const pod = (name: string, command: string, more: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: {
    terminationGracePeriodSeconds: 5,
    ...more,
    containers: [
      { name: 'app', image: 'localhost/busybox:dev', imagePullPolicy: 'IfNotPresent', command: ['sh', '-c', command] },
    ],
  },
});
/** The work on each pod in order, without times: a replaced worker is woken in fewer places. */
function workOf(records: readonly string[]): string[] {
  const of = new Map<string, string[]>();
  for (const text of records) {
    const r = JSON.parse(text) as TraceRecord;
    const what =
      r.kind === 'worker'
        ? `worker ${r.state} ${r.reason}`
        : r.kind === 'work-start'
          ? `${r.workType} for ${r.updateType}`
          : r.kind === 'cri-call' && r.method !== 'ExecSync' && r.uid
            ? r.method
            : null;
    if (what && 'uid' in r && r.uid) of.set(r.uid, [...(of.get(r.uid) ?? []), what]);
  }
  return [...of].map(([uid, list]) => `${uid}: ${list.join(', ')}`);
}

const slow = "trap 'sleep 2; exit 0' TERM; while true; do sleep 0.2; done";

/** Runs steps with parts that are replaced, and with none; the records of both as texts. */
function both(names: readonly (keyof KubeletParts)[], spec: object): [string[], string[]] {
  const run = (parts: object) => {
    const records: TraceRecord[] = [];
    const scenario = {
      apiVersion: 'syncloop.dev/v1alpha2',
      kind: 'Scenario',
      metadata: { name: 'x' },
      spec: { ...spec, ...parts },
    };
    const of = startScenario(parseScenario(JSON.stringify(scenario)), { sink: (r) => void records.push(r) });
    of.run();
    expect(of.failures).toEqual([]);
    return records.map((r) => JSON.stringify(r));
  };
  return [run({}), run({ parts: Object.fromEntries(names.map((name) => [name, { source: 'ours' }])) })];
}

describe('a run whose parts decide as the kubelet does is the run without them', () => {
  let asked: string[] = [];
  beforeAll(() =>
    useParts((_, sources) =>
      Object.fromEntries(
        Object.keys(sources).map((name) => {
          const part = ours[name as keyof KubeletParts] as unknown as (...args: unknown[]) => unknown;
          return [
            name,
            (...args: unknown[]) => {
              asked.push(name);
              return part(...args);
            },
          ];
        }),
      ),
    ),
  );
  afterAll(() => useParts(() => ({})));
  const same = (names: readonly (keyof KubeletParts)[], spec: object, seen = (records: string[]) => records) => {
    asked = [];
    const [without, replaced] = both(names, spec).map(seen) as [string[], string[]];
    expect([...new Set(asked)].sort()).toEqual([...names].sort());
    const first = replaced.findIndex((r, i) => r !== without[i]);
    expect(replaced[first]).toBe(without[first]);
    expect(replaced).toHaveLength(without.length);
  };

  it('in housekeeping: a UID that comes back, a pod that is removed while the kubelet is down', () => {
    const web = { apply: { manifest: pod('web', slow, {}, { uid: '11111111-2222-3333-4444-555555555555' }) } };
    same(['syncKnownPods', 'podCleanups'], {
      node: { fileCheckFrequency: '1s' },
      steps: [
        web,
        { apply: { manifest: pod('job', 'sleep 1', { restartPolicy: 'OnFailure' }) } },
        { waitFor: { pod: 'web', ready: true, timeout: '20s' } },
        { delete: 'web' },
        { wait: '1500ms' },
        web,
        { wait: '15s' },
        'stopKubelet',
        { delete: 'web' },
        'startKubelet',
        { waitFor: { pod: 'web', gone: true, timeout: '40s' } },
        { wait: '5s' },
      ],
    });
  });

  it('in the pod workers: an edit, a job, a deletion, a crash, a namesake that has to wait', () => {
    const api = (manifest: object) => ({ apply: { to: 'api', manifest } });
    same(
      ['podWorker'],
      {
        node: { fileCheckFrequency: '1s', apiServer: true },
        steps: [
          api(pod('web', slow)),
          api(pod('job', 'sleep 1', { restartPolicy: 'Never' })),
          { apply: { manifest: pod('static', slow) } },
          { apply: { manifest: pod('crash', 'sleep 1; exit 1') } },
          { waitFor: { pod: 'web', ready: true, timeout: '20s' } },
          { waitFor: { pod: 'job', phase: 'Succeeded', timeout: '20s' } },
          { edit: { pod: 'static', patch: { metadata: { labels: { a: 'b' } } } } },
          { wait: '1s' },
          { edit: { pod: 'static', patch: { metadata: { labels: { a: 'c' } } } } },
          { delete: { pod: 'web', to: 'api' } },
          { wait: '20s' },
          { restart: { kubelet: 'crash' } },
          { wait: '10s' },
          { delete: { pod: 'job', to: 'api' } },
          { delete: 'static' },
          { delete: 'crash' },
          { waitFor: { pod: 'static', gone: true, timeout: '40s' } },
          { wait: '5s' },
        ],
      },
      workOf,
    );
  });

  it('in the loop: where only one channel is ready, nothing differs', () => {
    same(['syncLoopIteration'], {
      node: { fileCheckFrequency: '1s' },
      steps: [{ wait: '900ms' }],
    });
  });

  it('in image garbage collection and eviction', () => {
    const api = (manifest: object) => ({ apply: { to: 'api', manifest } });
    same(['imageGC', 'evictionRank'], {
      node: { fileCheckFrequency: '1s', apiServer: true, imageMinimumGCAge: '10s' },
      images: [{ ref: 'registry.example/old:1.0', size: 8589934592 }],
      steps: [
        api(pod('quiet', slow)),
        api(pod('writer', 'dd if=/dev/zero of=/tmp/big bs=1M count=12288; sleep 3600')),
        { waitFor: { pod: 'writer', phase: 'Running', timeout: '20s' } },
        { wait: '35s' },
        { fault: { name: 'full', pressure: 'disk', available: '9%' } },
        { waitFor: { records: { kind: 'eviction', where: "phase == 'reclaimed'" }, timeout: '30s' } },
        { fault: { name: 'full', pressure: 'disk', available: '8%' } },
        { waitFor: { pod: 'writer', phase: 'Failed', reason: 'Evicted', timeout: '40s' } },
      ],
    });
  });
});
