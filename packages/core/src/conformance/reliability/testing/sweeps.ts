import type { Pod } from '../../../api/types.js';
import { seeded } from '../../../kernel/index.js';
import { manyRuns, seed } from '../../invariants/testing/runs.js';
import { type CutPoint, Rig, type RigOptions } from './rig.js';
import { lingering, server, sh, untilStopped } from './specs.js';

/** A story that is told again and again, cut at another call each time. */
export interface Story {
  readonly options?: RigOptions;
  /** Begins the changes; the story waits until `settled`. */
  readonly begin: (t: Rig) => void;
  /** Returns true if the pods are as they should be; all of them, and only them. */
  readonly settled: (t: Rig) => boolean;
  /** Starts of each container by name, as often as they may be when nothing restarts that ran. Default: once each. */
  readonly starts?: (name: string) => number;
  /** Removes everything. */
  readonly end: (t: Rig) => void;
}

const pulled = 'registry.example/tool:1';
const files = { volumes: [{ name: 'settings', configMap: { name: 'settings' } }] };
const mounted = { volumeMounts: [{ name: 'settings', mountPath: '/settings' }] };

function makeConfigMap(t: Rig): void {
  t.api.server.handle({
    method: 'POST',
    path: '/api/v1/namespaces/default/configmaps',
    json: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { colour: 'blue' } },
    user: { name: 'admin', groups: ['system:masters'] },
    headers: { accept: 'application/json', 'content-type': 'application/json' },
  });
}

const one = (t: Rig): boolean => t.ready('web') && t.running().length === t.pod('web')?.spec.containers.length;
const takeAway = (t: Rig): void => void t.remove('web');

export const stories: Readonly<Record<string, Story>> = {
  'one container': { begin: (t) => t.put('web', server()), settled: one, end: takeAway },
  'init container and sidecar': {
    begin: (t) =>
      t.put(
        'web',
        server({
          initContainers: [sh('init', 'true'), sh('side', untilStopped, { restartPolicy: 'Always' })],
          containers: [sh('app', untilStopped), sh('other', untilStopped)],
        }),
      ),
    settled: (t) => t.ready('web') && t.running().length === 3,
    end: takeAway,
  },
  'a crash loop': {
    begin: (t) => t.put('web', server({ containers: [sh('app', 'sleep 1; exit 3')] })),
    settled: (t) => t.containersOf('web').some((c) => c.attempt >= 3 && c.state === 'exited'),
    starts: () => 9,
    end: takeAway,
  },
  'a graceful end': {
    begin: (t) =>
      t.put(
        'web',
        server({
          terminationGracePeriodSeconds: 6,
          containers: [
            sh('app', lingering, { lifecycle: { preStop: { exec: { command: ['sleep', '1'] } } } }),
            sh('other', untilStopped),
          ],
        }),
      ),
    settled: one,
    end: takeAway,
  },
  'an edited manifest': {
    begin(t) {
      t.put('web', server());
      t.until(() => t.ready('web'), 30);
      t.put('web', server({ containers: [sh('new', untilStopped)] }));
    },
    settled: (t) => one(t) && t.running()[0]?.name === 'new',
    end: takeAway,
  },
  'an image that is pulled': {
    options: {
      runtime: {
        registry: { [pulled]: { kind: 'serve', image: { ref: pulled, programs: 'busybox', size: 50_000_000 } } },
      },
    },
    begin: (t) => t.put('web', server({ containers: [{ ...sh('app', untilStopped), image: pulled }] })),
    settled: one,
    end: takeAway,
  },
};

export const apiStories: Readonly<Record<string, Story>> = {
  'an API pod with a config map': {
    options: { api: true },
    begin(t) {
      makeConfigMap(t);
      t.apply('web', server({ ...files, containers: [sh('app', untilStopped, mounted)] }));
    },
    settled: (t) => one(t) && stored(t, 'web'),
    end: (t) => t.api.delete('web'),
  },
  'a job': {
    options: { api: true },
    begin: (t) => t.apply('web', { restartPolicy: 'Never', containers: [sh('app', 'sleep 1')] }),
    settled: (t) => t.stored('web')?.status.phase === 'Succeeded',
    end: (t) => t.api.delete('web'),
  },
  'a static pod and its mirror': {
    options: { api: true },
    begin(t) {
      t.put('web', server());
      t.until(() => t.ready('web'), 30);
      t.put('web', server({ containers: [sh('new', untilStopped)] }));
    },
    settled: (t) => one(t) && t.running()[0]?.name === 'new' && stored(t, 'web-node1') && mirrors(t),
    end: takeAway,
  },
};

/** Returns true if the API server knows what runs. */
function stored(t: Rig, name: string): boolean {
  const pod = t.stored(name);
  return (
    pod?.status.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true &&
    (pod.status.containerStatuses ?? []).every((s) => t.running().some((c) => s.containerID?.endsWith(c.id)))
  );
}
/** Returns true if the mirror is that of the static pod there is now. */
function mirrors(t: Rig): boolean {
  const hash = (p: Pod | undefined) => p?.metadata.annotations?.['kubernetes.io/config.hash'];
  return hash(t.stored('web-node1')) === hash(t.pod('web'));
}

export interface Telling {
  readonly calls: number;
  readonly writes: number;
  readonly problems: readonly string[];
}

/** Tells a story; cut at the nth call where that is given. All that went wrong, in words. */
export function tell(story: Story, cut?: { what: 'cri' | 'api'; nth: number; when: CutPoint; down: number }): Telling {
  const t = new Rig({
    keep: ['actual-container', 'kube-event'],
    seed,
    ...(seed > 1 && { policy: seeded(seed, { goroutines: true }) }),
    ...story.options,
  });
  t.start().run(4);
  const from = { cri: t.calls.length, api: t.writes.length };
  if (cut) t.cutAt(cut.what, from[cut.what] + cut.nth, cut.when, cut.down);
  const problems: string[] = [];
  story.begin(t);
  if (!t.until(() => story.settled(t), 150)) problems.push(`not settled: ${picture(t)}`);
  // Long enough for whatever comes round each 10 s.
  t.run(12);
  // The kubelet may be away at this moment; the following checks need one that runs.
  if (!t.until(() => story.settled(t) && t.node.kubeletRuns, 10))
    problems.push(`did not stay as it was: ${picture(t)}`);
  problems.push(...startedTooOften(t, story));
  const wanted = new Set(t.node.pods().map((p) => p.metadata.uid));
  for (const uid of wanted) {
    const ready = t.readySandboxes().filter((s) => s.uid === uid);
    if (ready.length > 1) problems.push(`${ready.length} ready sandboxes`);
  }
  for (const s of t.readySandboxes()) if (!wanted.has(s.uid)) problems.push(`a sandbox of ${s.pod} that nobody wants`);
  story.end(t);
  const left = () => leftovers(t);
  if (!t.until(() => left().length === 0, 240)) problems.push(...left());
  problems.push(...t.violations);
  return { calls: t.calls.length - from.cri, writes: t.writes.length - from.api, problems };
}

/** Lists what is left where nothing should be. */
function leftovers(t: Rig): string[] {
  const out: string[] = [];
  if (t.mock.containers().length > 0) out.push(`containers are left: ${picture(t)}`);
  if (t.mock.sandboxes().length > 0) out.push(`sandboxes are left: ${picture(t)}`);
  const workers = t.node.kubelet?.podWorkers.snapshot() ?? [];
  if (workers.length > 0) out.push(`workers are left: ${workers.map((w) => `${w.pod} ${w.state}`).join()}`);
  const folders = t.mock.fs.existsSync('/var/lib/kubelet/pods') ? t.mock.fs.readDirSync('/var/lib/kubelet/pods') : [];
  if (folders.length > 0) out.push(`pod folders are left: ${folders.map((f) => f.name).join()}`);
  if (t.server && t.server.list().length > 0)
    out.push(
      `the API server still has ${t.server
        .list()
        .map((p) => p.metadata.name)
        .join()}`,
    );
  return out;
}

function startedTooOften(t: Rig, { starts = () => 1 }: Story): string[] {
  const started = new Map<string, string[]>();
  for (const c of t.of('actual-container'))
    if (c.state === 'running') {
      const key = `${c.uid} ${c.name}`;
      started.set(key, [...(started.get(key) ?? []), `${c.attempt}`]);
    }
  return [...started].flatMap(([key, attempts]) => {
    const name = key.split(' ')[1] as string;
    const out: string[] = [];
    if (attempts.length > starts(name)) out.push(`${name} was started ${attempts.length} times`);
    if (new Set(attempts).size < attempts.length) out.push(`an attempt of ${name} came twice: ${attempts}`);
    return out;
  });
}

const picture = (t: Rig): string =>
  JSON.stringify({
    at: t.now,
    pods: t.node.podsWithStatus().map((p) => [p.metadata.name, p.status.phase, p.status.reason]),
    containers: t.mock.containers().map((c) => [c.name, c.attempt, c.state, c.exitCode]),
    sandboxes: t.mock.sandboxes().map((s) => [s.attempt, s.state]),
    stored: t.server?.list().map((p) => [p.metadata.name, p.status.phase]),
  });

/** Returns the points of a story: every one with SYNCLOOP_RUNS; else of a long story only so many, spread out. */
export function points(count: number, most: number): number[] {
  const all = Array.from({ length: count }, (_, i) => i + 1);
  if (manyRuns || count <= most) return all;
  return Array.from({ length: most }, (_, i) => all[Math.floor((i * count) / most)] as number);
}
