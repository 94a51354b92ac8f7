import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KubeletParts, useParts } from '../../kubelet/parts/index.js';
import { parseScenario } from '../../scenario/document/parse.js';
import { startScenario } from '../../scenario/index.js';
import type { TraceRecord } from '../../trace/index.js';

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
  const same = (names: readonly (keyof KubeletParts)[], spec: object) => {
    asked = [];
    const [without, replaced] = both(names, spec);
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
