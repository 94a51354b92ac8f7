import { beforeAll, describe, expect, it } from 'vitest';
import { watchInvariants } from '../../conformance/invariants/index.js';
import { isUsualSize, sampled } from '../../conformance/invariants/testing/runs.js';
import { type Policy, seeded } from '../../kernel/index.js';
import { loadEras } from '../../kubelet/era/index.js';
import { recordKinds, type TraceRecord } from '../../trace/index.js';
import { families } from '../../trace/kinds/index.js';
import { reasonZh } from '../../trace/narrator/reasons-zh.js';
import type { PlacedExpectation, Scenario } from '../document/scenario.js';
import type { ScenarioRun } from '../run/run.js';
import { startScenario } from '../run/start.js';
import { findScenario, library } from './index.js';

const names = library.map((s) => s.name);
const scenarios = new Map(names.map((name) => [name, findScenario(name)]));
const named = (name: string) => scenarios.get(name) as Scenario;

/** Those of today's kubelet; those of older ones are about what their designs do otherwise. */
const ofToday = names.filter((name) => named(name).era === undefined);

const mostTime = 600_000_000;
function run(scenario: Scenario, options: { sink?: (r: TraceRecord) => void } = {}) {
  const started = startScenario(scenario, options);
  const { kernel } = started;
  kernel.run({ stop: () => started.done || kernel.now() > mostTime });
  return started;
}

/** The values that occur in the library's runs, and the run in which each is first. */
class Seen {
  private readonly first = new Map<string, string>();
  private readonly channels = new Map<number, string>();
  private scenario = '';

  begin(scenario: string): void {
    this.scenario = scenario;
    this.channels.clear();
  }
  private add(...what: (string | number)[]): void {
    const key = what.join(' ');
    if (!this.first.has(key)) this.first.set(key, this.scenario);
  }
  has(...what: (string | number)[]): boolean {
    return this.first.has(what.join(' '));
  }
  /** All that was seen below a word. */
  of(word: string): string[] {
    return [...this.first.keys()].flatMap((k) => (k.startsWith(`${word} `) ? [k.slice(word.length + 1)] : [])).sort();
  }

  take(r: TraceRecord): void {
    this.add('kind', r.kind);
    switch (r.kind) {
      case 'chan-make':
        this.channels.set(r.chan, r.name);
        break;
      case 'select': {
        const taken = this.channels.get(r.cases[r.chosen] ?? 0);
        if (r.cases.length === 8 && taken !== undefined) {
          this.add('channel', taken);
          if ((r.ready ?? []).length > 1) this.add('choice');
        }
        break;
      }
      case 'pod-config':
        this.add('op', r.op);
        this.add('source', r.source);
        break;
      case 'enter':
        this.add('call', r.fn);
        break;
      case 'step':
        this.add('step', r.fn, r.n);
        break;
      case 'worker':
        this.add('worker', r.from ?? 'none', r.state);
        break;
      case 'pod-update':
        this.add('update', r.updateType ?? '?');
        if (r.overwrote) this.add('overwrote');
        break;
      case 'work-start':
        this.add('work', r.workType);
        break;
      case 'pleg-event':
        this.add('pleg', r.type);
        break;
      case 'probe-result':
        this.add('probe', r.probeType, r.result);
        break;
      case 'kube-event':
        this.add('event', r.reason);
        break;
      case 'cri-call':
        this.add('cri', r.method);
        break;
      case 'decision':
        this.add('rule', r.rule);
        break;
      case 'log':
        this.add('log', r.msg);
        break;
      case 'status':
        this.statuses(r.status as unknown as Status);
        break;
    }
  }

  private statuses({ phase, initContainerStatuses = [], containerStatuses = [] }: Status): void {
    this.add('phase', phase ?? '');
    for (const { state } of [...initContainerStatuses, ...containerStatuses]) {
      if (state?.waiting?.reason) this.add('waiting', state.waiting.reason);
      if (state?.terminated?.reason) this.add('terminated', state.terminated.reason);
    }
  }
}

/** The phrases that the kubelet's own code writes into a record: steps, reasons, causes. */
function phrasesOf(r: TraceRecord): readonly unknown[] {
  switch (r.kind) {
    case 'worker':
      return [r.reason];
    case 'queue':
      return [r.why];
    case 'step':
      return [r.name];
    case 'manager':
      return [r.detail];
    case 'decision':
      return [r.values.why];
    default:
      return [];
  }
}

type ContainerStates = readonly {
  readonly state?: {
    readonly waiting?: { readonly reason?: string };
    readonly terminated?: { readonly reason?: string };
  };
}[];
interface Status {
  readonly phase?: string;
  readonly initContainerStatuses?: ContainerStates;
  readonly containerStatuses?: ContainerStates;
}

beforeAll(() => loadEras());

describe('the library', () => {
  it('begins with what a newcomer should see first, and has each name once', () => {
    expect(names.slice(0, 5)).toEqual(['hello', 'crash-loop', 'init-and-sidecar', 'two-pods', 'run-to-completion']);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(26);
  });

  it.each(names)('%s says what it is in both languages, and what is expected of it', (name) => {
    const { title, summary, expect: expected, name: own, steps, seed, openAt } = named(name);
    expect(own).toBe(name);
    expect(seed, 'spec.seed').toBe(1);
    expect(openAt, 'spec.openAt').toBeDefined();
    for (const [field, { en, zh }] of Object.entries({ title, summary })) {
      expect(zh, `metadata.${field}.zh`).toMatch(/\p{Script=Han}/u);
      expect(en, `metadata.${field}.en`).not.toMatch(/\p{Script=Han}/u);
    }
    expect(title.en.length, 'characters of metadata.title.en').toBeLessThan(60);
    expect(summary.en, 'metadata.summary.en, in sentences').toMatch(/\.$/);
    expect(summary.zh, 'metadata.summary.zh, in sentences').toMatch(/。$/);
    expect(summary.en.length, 'characters of metadata.summary.en').toBeLessThan(420);
    const ofTheEnd = expected.filter(({ expectation }) => 'condition' in expectation).length;
    expect(ofTheEnd, 'expectations of the node at the end, as { pod: hello, phase: Running }').toBeGreaterThan(0);
    expect(expected.length - ofTheEnd, 'expectations of the way there (event, records, ...)').toBeGreaterThan(1);
    expect(steps.length, 'steps').toBeGreaterThan(2);
  });

  it('suggests a name', () => {
    expect(() => findScenario('crashloop')).toThrow('there is no scenario "crashloop"; did you mean "crash-loop"?');
  });

  it('titles are told apart', () => {
    for (const lang of ['en', 'zh'] as const)
      expect(new Set(names.map((n) => named(n).title[lang])).size).toBe(names.length);
  });
});

/** Also goroutines are drawn, and may be interrupted after any operation: any schedule that Go could have. */
const anySchedule = (seed: number): Policy => seeded(seed, { goroutines: true, preempts: true });

/** Exploring tries others of them; see explore/library.long.test.ts. */
const underAnySchedule = sampled(ofToday.filter(isUsualSize), 2);

describe.each(underAnySchedule)('%s', (name) => {
  it.each(sampled([11, 12], 2, underAnySchedule.indexOf(name) % 2))(
    'comes out as it says under any schedule, and breaks no invariant: %i',
    (seed) => {
      let kubelet: ScenarioRun['kubelet'] | null = null;
      const watch = watchInvariants((uid) => kubelet?.podManager.getPodByUID(uid));
      const started = startScenario(named(name), { seed, policy: anySchedule(seed), sink: watch.sink });
      const { kernel } = started;
      kernel.run({
        stop() {
          kubelet = started.kubelet;
          return started.done || kernel.now() > mostTime;
        },
      });
      expect(started.failures).toEqual([]);
      expect(started.outcome).toBe('passed');
      expect(watch.violations).toEqual([]);
    },
  );
});

describe.each(ofToday)('%s', (name) => {
  it('expects nothing that is true of any node', () => {
    const scenario = named(name);
    const { failures } = run({ ...scenario, steps: [] });
    expect(failures.map((f) => f.text)).toEqual(scenario.expect.filter(wantsSomething).map((e) => e.text));
  });
});

/** False for what says that something is not there. */
function wantsSomething({ expectation: e }: PlacedExpectation): boolean {
  if ('never' in e) return false;
  if ('condition' in e) return !e.condition.gone;
  if ('sequence' in e) return true;
  const { atLeast, exactly, atMost } = 'event' in e ? e.event : e.records;
  return (exactly ?? atLeast ?? (atMost === undefined ? 1 : 0)) > 0;
}

describe('all of the library together', () => {
  const seen = new Seen();
  const failures: string[] = [];
  const phrases = new Set<string>();
  const times = new Map<string, number>();
  const ends = new Map<string, { working: number }>();

  beforeAll(() => {
    for (const name of names) {
      seen.begin(name);
      let working = 0;
      const today = ofToday.includes(name);
      const done = run(named(name), {
        sink(record) {
          if (today) seen.take(record);
          for (const phrase of phrasesOf(record))
            if (typeof phrase === 'string' && / /.test(phrase)) phrases.add(phrase);
          if (record.kind === 'work-start') working++;
          if (record.kind === 'work-done') working--;
          // Its workers went with it.
          if (record.kind === 'process' && record.process === 'kubelet') working = 0;
        },
      });
      failures.push(...done.failures.map((f) => `${name}: ${f.message}`));
      times.set(name, done.kernel.now() / 1_000_000);
      ends.set(name, { working });
    }
  });

  it('comes out as it says with the seeds of its own', () => {
    expect(failures).toEqual([]);
  });

  it('the Chinese narrator has words for each reason and step that it comes to', () => {
    expect(phrases.size).toBeGreaterThan(50);
    expect([...phrases].filter((phrase) => !/[\u4e00-\u9fff]/.test(reasonZh(phrase)))).toEqual([]);
  });

  it('is over in 5 s to 10 min of its own time, and then no worker is at work', () => {
    for (const [name, seconds] of times) {
      expect({ name, long: seconds > 600, short: seconds < 5 }).toEqual({ name, long: false, short: false });
      expect({ name, ...ends.get(name) }).toEqual({ name, working: 0 });
    }
  });

  it('takes from every channel of the loop', () => {
    const inALibrary = [
      'configCh',
      'plegCh',
      'syncCh',
      'livenessManager',
      'readinessManager',
      'startupManager',
      'housekeepingCh',
      'containerManager',
    ];
    expect(seen.of('channel')).toEqual([...inALibrary].sort());
    expect(seen.has('choice')).toBe(true);
  });

  it('sees every operation of every source', () => {
    expect(seen.of('op')).toEqual(['ADD', 'DELETE', 'RECONCILE', 'REMOVE', 'UPDATE']);
    expect(seen.of('source')).toEqual(['api', 'file', 'http']);
  });

  it.each([
    'RunKubelet',
    'initializeModules',
    'updateRuntimeUp',
    'initializeRuntimeDependentModules',
    'syncLoop',
    'syncLoopIteration',
    'HandlePodAdditions',
    'HandlePodUpdates',
    'HandlePodRemoves',
    'HandlePodReconcile',
    'HandlePodSyncs',
    'HandlePodCleanups',
    'SyncKnownPods',
    'deletePod',
    'UpdatePod',
    'GetNewerThan',
    'SyncPod',
    'SyncTerminatingPod',
    'SyncTerminatingRuntimePod',
    'SyncTerminatedPod',
    'TerminatePod',
    'Merge',
    'listConfig',
    'consumeWatchEvent',
    'canAdmitPod',
    'retryPendingResizes',
    'Relist',
    'relistPod',
    'kuberuntime.SyncPod',
    'computePodActions',
    'createPodSandbox',
    'startContainer',
    'EnsureImageExists',
    'PullImage',
    'generateContainerConfig',
    'killPod',
    'killContainer',
    'executePreStopHook',
    'doPodResizeAction',
    'WaitForAttachAndMount',
    'doProbe',
    'removeContainer',
    'Containers/GarbageCollect',
  ])('calls %s', (fn) => {
    expect(seen.of('call')).toContain(fn);
  });

  it.each([
    ['SyncPod', 15],
    ['SyncTerminatingPod', 8],
    ['SyncTerminatingRuntimePod', 1],
    ['SyncTerminatedPod', 8],
    ['kuberuntime.SyncPod', 9],
    ['startContainer', 4],
  ])('takes every step of %s: %i', (fn, count) => {
    const steps = Array.from({ length: count }, (_, i) => `${fn} ${i + 1}`);
    expect(seen.of('step').filter((s) => s.startsWith(`${fn} `))).toEqual(steps.sort());
  });

  it('brings workers to every state, on every way there is', () => {
    expect(seen.of('worker')).toEqual(
      [
        'none sync',
        'sync terminating',
        'terminating terminated',
        'terminated finished',
        'finished removed',
        // A static pod that was told to go before it could start.
        'terminating finished',
        // An orphan of the runtime.
        'terminating removed',
        // A pod that had ended before this kubelet started.
        'none terminated',
      ].sort(),
    );
    expect(seen.of('update')).toEqual(['create', 'kill', 'sync', 'update']);
    expect(seen.of('work')).toEqual(['sync', 'terminated', 'terminating']);
    expect(seen.has('overwrote')).toBe(true);
  });

  it('sees every event of the PLEG, and every result of a probe that matters', () => {
    // There is no ContainerChanged: the PLEG never sends it (fidelity 1:P04).
    expect(seen.of('pleg')).toEqual(['ContainerDied', 'ContainerRemoved', 'ContainerStarted', 'PodSync']);
    expect(seen.of('probe')).toEqual([
      'liveness Failure',
      'liveness Success',
      'readiness Failure',
      'readiness Success',
      'startup Failure',
      'startup Success',
      'startup Unknown',
    ]);
  });

  it.each([
    ['BackOff'],
    ['DeadlineExceeded'],
    ['ErrImageNeverPull'],
    ['Evicted'],
    ['Failed'],
    ['FailedCreatePodSandBox'],
    ['FailedKillPod'],
    ['FailedMount'],
    ['FailedPostStartHook'],
    ['FailedPreStopHook'],
    ['InspectFailed'],
    ['NetworkNotReady'],
    ['NodePorts'],
    ['OutOfcpu'],
    ['Preempting'],
    ['ResizeCompleted'],
    ['ResizeDeferred'],
    ['SandboxChanged'],
    ['UnexpectedAdmissionError'],
    ['Unhealthy'],
  ])('shows the failure %s as an event', (reason) => {
    expect(seen.of('event')).toContain(reason);
  });

  it('shows every phase, and why containers wait and end', () => {
    expect(seen.of('phase')).toEqual(['Failed', 'Pending', 'Running', 'Succeeded']);
    expect(seen.of('waiting')).toEqual(
      expect.arrayContaining([
        'ContainerCreating',
        'CrashLoopBackOff',
        'CreateContainerConfigError',
        'CreateContainerError',
        'ErrImageNeverPull',
        'ErrImagePull',
        'ImagePullBackOff',
        'InvalidImageName',
        'PodInitializing',
        'PostStartHookError',
        'RestartingAllContainers',
        'RunContainerError',
      ]),
    );
    expect(seen.of('terminated')).toEqual(expect.arrayContaining(['Completed', 'Error', 'OOMKilled']));
  });

  it('leaves records of every kind', () => {
    // A kubelet that locks itself up is broken; gaps are what a live session's reader missed, not the run's.
    // What is read of a kubelet that is not ours is not a run's either.
    // Code in place of a part of the kubelet is a learner's.
    const never: readonly string[] = [
      'deadlock',
      'gap',
      'part',
      'part-line',
      'part-failed',
      ...Object.keys(families.observed),
    ];
    expect(seen.of('kind')).toEqual(recordKinds.filter((k) => !never.includes(k)).sort());
  });

  it('skips rounds of the loop for the runtime and for the PLEG', () => {
    expect(seen.has('log', 'Skipping pod synchronization')).toBe(true);
    expect(seen.has('log', 'Housekeeping took longer than expected')).toBe(true);
  });
});
