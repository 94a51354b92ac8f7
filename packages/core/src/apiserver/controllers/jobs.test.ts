import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import type { JsonObject } from '../json.js';
import { patchType, podPath, setup } from '../testing/setup.js';
import { readIndexes, writeIndexes } from './job-indexes.js';

const path = '/apis/batch/v1/namespaces/default/jobs';
const jobOf = (spec: JsonObject = {}, pod: JsonObject = {}): JsonObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'sum' },
  spec: {
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'busybox:1' }], ...pod } },
    ...spec,
  },
});

interface PodShape {
  readonly metadata: {
    readonly name: string;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels: Readonly<Record<string, string>>;
    readonly ownerReferences: readonly { readonly name: string }[];
  };
  readonly spec: { readonly hostname?: string; readonly containers: readonly { readonly env?: unknown }[] };
  readonly status: { readonly phase: string };
}
interface JobShape {
  readonly spec: JsonObject & { readonly selector: unknown };
  readonly status: JsonObject & {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

/** A server with its Jobs' controller, a Job, and what a kubelet would report of the pods. */
function withJob(spec: JsonObject = {}, pod: JsonObject = {}) {
  const t = setup({ runJobs: true });
  const created = t.call('POST', path, { json: jobOf(spec, pod) });
  expect(created.code, created.body.message).toBe(201);
  t.pass(Second);
  const pods = () => t.call('GET', podPath).body.items as unknown as readonly PodShape[];
  const running = () => pods().filter(({ status }) => status.phase !== 'Succeeded' && status.phase !== 'Failed');
  const job = () => t.call('GET', `${path}/sum`).body as unknown as JobShape;
  const report = (name: string, status: JsonObject) => {
    const { code } = t.call('PATCH', `${podPath}/${name}/status`, { ...patchType('merge'), json: { status } });
    expect(code).toBe(200);
    t.pass(Second);
  };
  const end = (phase: 'Succeeded' | 'Failed', index = 0) => {
    const terminated = {
      exitCode: phase === 'Failed' ? 1 : 0,
      finishedAt: new Date(t.server.nowMillis()).toISOString(),
    };
    const app = { name: 'app', image: 'busybox:1', imageID: '', ready: false, restartCount: 0, state: { terminated } };
    report(running()[index]?.metadata.name ?? '', { phase, containerStatuses: [app] });
  };
  const change = (json: JsonObject) => {
    const { code, body } = t.call('PATCH', `${path}/sum`, { ...patchType('merge'), json });
    expect(code, body.message).toBe(200);
    t.pass(Second);
  };
  const met = () =>
    (job().status.conditions ?? []).map((c) => `${c.type}${c.status === 'True' ? '' : ` ${c.status}`} ${c.reason}`);
  const told = () =>
    (t.call('GET', '/api/v1/namespaces/default/events').body.items as unknown as readonly { reason: string }[]).map(
      ({ reason }) => reason,
    );
  return { ...t, pods, running, job, report, end, change, met, told };
}

describe('a Job', () => {
  it('has one pod that belongs to it, and is complete when it has succeeded', () => {
    const t = withJob();
    const [pod] = t.pods();
    expect(t.pods()).toHaveLength(1);
    expect(pod?.metadata.name).toMatch(/^sum-[a-z0-9]{5}$/);
    expect(pod?.metadata.labels).toMatchObject({ 'batch.kubernetes.io/job-name': 'sum', 'job-name': 'sum' });
    expect(pod?.metadata.ownerReferences).toMatchObject([{ kind: 'Job', name: 'sum', controller: true }]);
    expect(pod?.metadata.finalizers).toEqual(['batch.kubernetes.io/job-tracking']);
    expect(t.job().status).toMatchObject({ active: 1, ready: 0, startTime: expect.any(String) });
    t.report(pod?.metadata.name ?? '', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
    expect(t.job().status).toMatchObject({ active: 1, ready: 1 });
    t.end('Succeeded');
    expect(t.met()).toEqual(['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached']);
    expect(t.job().status).toMatchObject({ succeeded: 1, completionTime: expect.any(String) });
    expect(t.job().status.active).toBeUndefined();
    expect(t.pods()[0]?.metadata.finalizers).toBeUndefined();
    expect(t.told().sort()).toEqual(['Completed', 'SuccessfulCreate']);
  });

  it('runs as many pods at a time as it says, until there are enough', () => {
    const t = withJob({ completions: 5, parallelism: 2 });
    for (let done = 0; done < 5; done++) {
      expect(t.running()).toHaveLength(Math.min(2, 5 - done));
      expect(t.met()).toEqual([]);
      t.end('Succeeded');
    }
    expect(t.job().status).toMatchObject({ succeeded: 5 });
    expect(t.met()[1]).toBe('Complete CompletionsReached');
    t.pass(60 * Second);
    expect(t.pods()).toHaveLength(5);
  });

  it('with indexes starts each until it has succeeded once, and tells each pod its own', () => {
    const t = withJob({ completions: 4, parallelism: 3, completionMode: 'Indexed' });
    const label = 'batch.kubernetes.io/job-completion-index';
    const indexes = () => t.running().map(({ metadata }) => metadata.annotations?.[label]);
    expect(indexes().sort()).toEqual(['0', '1', '2']);
    const one = t.pods().find(({ metadata }) => metadata.labels[label] === '1');
    expect(one?.metadata.name).toMatch(/^sum-1-[a-z0-9]{5}$/);
    expect(one?.spec.hostname).toBe('sum-1');
    expect(one?.spec.containers[0]?.env).toEqual([
      {
        name: 'JOB_COMPLETION_INDEX',
        valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${label}']` } },
      },
    ]);
    t.report(one?.metadata.name ?? '', { phase: 'Succeeded' });
    expect(t.job().status).toMatchObject({ completedIndexes: '1', succeeded: 1 });
    expect(indexes().sort()).toEqual(['0', '2', '3']);
    t.end('Failed', indexes().indexOf('2'));
    expect(indexes().sort()).toEqual(['0', '3']);
    t.pass(11 * Second);
    expect(indexes().sort()).toEqual(['0', '2', '3']);
    for (let i = 0; i < 3; i++) t.end('Succeeded');
    expect(t.job().status).toMatchObject({ completedIndexes: '0-3', succeeded: 4, failed: 1 });
    expect(t.met()[1]).toBe('Complete CompletionsReached');
  });

  it('starts another pod 10 s after a failure, then 20 s after the next, and fails behind its limit', () => {
    const t = withJob({ backoffLimit: 2 });
    for (const delay of [10, 20]) {
      t.end('Failed');
      t.pass((delay - 3) * Second);
      expect(t.running(), `${delay} s`).toHaveLength(0);
      t.pass(3 * Second);
      expect(t.running(), `${delay} s`).toHaveLength(1);
    }
    expect(t.met()).toEqual([]);
    t.end('Failed');
    expect(t.met()).toEqual(['FailureTarget BackoffLimitExceeded', 'Failed BackoffLimitExceeded']);
    expect(t.job().status).toMatchObject({ failed: 3 });
    t.pass(600 * Second);
    expect(t.pods()).toHaveLength(3);
  });

  it('whose containers are restarted in place fails by their restarts', () => {
    const t = withJob({ backoffLimit: 3 }, { restartPolicy: 'OnFailure' });
    const name = t.pods()[0]?.metadata.name ?? '';
    const restarted = (restartCount: number) => ({
      phase: 'Running',
      containerStatuses: [{ name: 'app', image: 'busybox:1', imageID: '', ready: false, restartCount }],
    });
    t.report(name, restarted(2));
    expect(t.met()).toEqual([]);
    t.report(name, restarted(3));
    expect(t.met()).toEqual(['FailureTarget BackoffLimitExceeded', 'Failed BackoffLimitExceeded']);
    expect(t.pods()).toHaveLength(0);
  });

  it('fails at its deadline and takes its pods along', () => {
    const t = withJob({ activeDeadlineSeconds: 30, parallelism: 2, completions: 2 });
    t.pass(28 * Second);
    expect(t.running()).toHaveLength(2);
    t.pass(3 * Second);
    expect(t.pods()).toHaveLength(0);
    expect(t.met()).toEqual(['FailureTarget DeadlineExceeded', 'Failed DeadlineExceeded']);
    expect(t.told()).toContain('DeadlineExceeded');
  });

  it('has events about itself', () => {
    const t = withJob();
    const { metadata } = t.call('GET', `${path}/sum`).body;
    const [event] = t.call('GET', '/api/v1/namespaces/default/events').body.items;
    expect(event).toMatchObject({
      involvedObject: { kind: 'Job', apiVersion: 'batch/v1', namespace: 'default', name: 'sum', uid: metadata.uid },
      reason: 'SuccessfulCreate',
      type: 'Normal',
      reportingComponent: 'job-controller',
    });
  });

  it('has failed only when its last pod has ended', () => {
    const t = withJob({ activeDeadlineSeconds: 5 }, { nodeName: 'n1' });
    t.pass(6 * Second);
    expect(t.met()).toEqual(['FailureTarget DeadlineExceeded']);
    expect(t.job().status).toMatchObject({ terminating: 1 });
    t.call('DELETE', `${podPath}/${t.pods()[0]?.metadata.name}?gracePeriodSeconds=0`);
    t.pass(Second);
    expect(t.met()).toEqual(['FailureTarget DeadlineExceeded', 'Failed DeadlineExceeded']);
    expect(t.job().status).toMatchObject({ failed: 1 });
  });

  it('that wants a thousand million pods gets some at a time', () => {
    const t = withJob({ parallelism: 1_000_000_000, completions: 1_000_000_000, suspend: true });
    t.change({ spec: { suspend: false, parallelism: 120 } });
    expect(t.pods()).toHaveLength(120);
    const many = setup({ runJobs: true });
    many.call('POST', path, { json: jobOf({ parallelism: 1_000_000_000 }) });
    many.pass(Second / 20);
    expect(many.call('GET', podPath).body.items.length).toBeGreaterThan(0);
    expect(many.call('GET', podPath).body.items.length).toBeLessThan(1000);
  });

  it('with fewer indexes than before keeps only the pods of those', () => {
    // By name the pod of index 10 comes before that of index 2.
    const t = withJob({ completions: 12, parallelism: 12, completionMode: 'Indexed' });
    const names = () => t.pods().map(({ metadata }) => metadata.name);
    const first = ['0', '1', '2'].map((i) => names().find((name) => name.startsWith(`sum-${i}-`)));
    // One of the others fails just before.
    const fourth = names().find((name) => name.startsWith('sum-3-'));
    t.call('PATCH', `${podPath}/${fourth}/status`, { ...patchType('merge'), json: { status: { phase: 'Failed' } } });
    t.change({ spec: { completions: 3, parallelism: 3 } });
    expect(t.running().map(({ metadata }) => metadata.name)).toEqual(first);
    expect(t.job().status.failed).toBeUndefined();
  });

  it('does not fail because pods that it no longer wants are deleted', () => {
    const t = withJob({ completions: 20, parallelism: 9 }, { nodeName: 'n1' });
    t.change({ spec: { parallelism: 1 } });
    expect(t.running().filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toHaveLength(1);
    expect(t.job().status).toMatchObject({ active: 1, terminating: 8 });
    t.change({ spec: { suspend: true } });
    expect(t.job().status).toMatchObject({ terminating: 9 });
    expect(t.met()).toEqual(['Suspended JobSuspended']);
    // They hold up no others either.
    t.change({ spec: { suspend: false, parallelism: 2 } });
    expect(t.job().status).toMatchObject({ active: 2, terminating: 9 });
    expect(t.job().status.failed).toBeUndefined();
  });

  it('has no pods while it is suspended', () => {
    const t = withJob({ suspend: true });
    expect(t.pods()).toHaveLength(0);
    expect(t.met()).toEqual(['Suspended JobSuspended']);
    expect(t.job().status.startTime).toBeUndefined();
    t.change({ spec: { suspend: false } });
    expect(t.pods()).toHaveLength(1);
    expect(t.met()).toEqual(['Suspended False JobResumed']);
    t.change({ spec: { suspend: true } });
    expect(t.pods()).toHaveLength(0);
    expect(t.met()).toEqual(['Suspended JobSuspended']);
  });

  it('has fewer pods when it is to have fewer', () => {
    const t = withJob({ completions: 6, parallelism: 3 });
    t.change({ spec: { parallelism: 1 } });
    expect(t.running()).toHaveLength(1);
    expect(t.job().status).toMatchObject({ active: 1 });
  });

  it('goes with its pods: when it is deleted, and when it has been finished for long enough', () => {
    const t = withJob();
    t.call('DELETE', `${path}/sum?propagationPolicy=Background`);
    t.pass(Second);
    expect(t.pods()).toHaveLength(0);
    expect(t.call('GET', `${path}/sum`).code).toBe(404);
    const brief = withJob({ ttlSecondsAfterFinished: 20 });
    brief.end('Succeeded');
    brief.pass(17 * Second);
    expect(brief.pods()).toHaveLength(1);
    brief.pass(5 * Second);
    expect(brief.pods()).toHaveLength(0);
    expect(brief.call('GET', `${path}/sum`).code).toBe(404);
  });

  it('says why a pod cannot be created, and tries again', () => {
    const t = withJob({}, { priorityClassName: 'swift' });
    expect(t.told()).toEqual(['FailedCreate']);
    t.call('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { json: { metadata: { name: 'swift' }, value: 5 } });
    t.pass(11 * Second);
    expect(t.running()).toHaveLength(1);
  });

  it('counts a pod once, however often it is looked at, and one that was noted before its end was booked', () => {
    const t = withJob({ completions: 2, parallelism: 1 });
    t.end('Succeeded');
    for (let i = 0; i < 3; i++) t.change({ metadata: { annotations: { touched: String(i) } } });
    expect(t.job().status).toMatchObject({ succeeded: 1 });
    // A controller that ended between its writes has left this behind.
    const uncountedTerminatedPods = { failed: ['a-pod-that-is-gone'] };
    t.call('PATCH', `${path}/sum/status`, { ...patchType('merge'), json: { status: { uncountedTerminatedPods } } });
    t.pass(Second);
    expect(t.job().status).toMatchObject({ succeeded: 1, failed: 1 });
    expect(t.job().status.uncountedTerminatedPods).toEqual({});
  });

  it('is left alone without the controller, or with another one', () => {
    const t = setup();
    t.call('POST', path, { json: jobOf() });
    t.pass(Second);
    expect(t.call('GET', podPath).body.items).toEqual([]);
    expect(withJob({ managedBy: 'example.com/queue' }).pods()).toEqual([]);
  });
});

describe('the Job of a manifest', () => {
  const refused = (spec: JsonObject, pod: JsonObject = {}) =>
    setup().call('POST', path, { json: jobOf(spec, pod) }).body.message;

  it('gets its defaults, its selector and the labels of its pods', () => {
    const t = setup();
    const { body } = t.call('POST', path, { json: jobOf() });
    const uid = body.metadata.uid;
    expect(body.spec).toMatchObject({
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
      manualSelector: false,
      podReplacementPolicy: 'TerminatingOrFailed',
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: {
        metadata: { labels: { 'batch.kubernetes.io/controller-uid': uid, 'job-name': 'sum' } },
        spec: { dnsPolicy: 'ClusterFirst', containers: [{ imagePullPolicy: 'IfNotPresent' }] },
      },
    });
    expect(body.metadata.generation).toBe(1);
  });

  it.each<[string, JsonObject, JsonObject, string]>([
    [
      'restarts always',
      {},
      { restartPolicy: 'Always' },
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
    ['has no container', {}, { containers: [] }, 'spec.template.spec.containers: Required value'],
    ['has no template', { template: null }, {}, 'spec.template.spec.containers: Required value'],
    [
      'has indexes and no end',
      { completionMode: 'Indexed', parallelism: 1 },
      {},
      'spec.completions: Required value: when completion mode is Indexed',
    ],
    [
      'has another mode',
      { completionMode: 'Ordered' },
      {},
      'spec.completionMode: Unsupported value: "Ordered": supported values: "Indexed", "NonIndexed"',
    ],
    [
      'counts backwards',
      { completions: -1 },
      {},
      'spec.completions: Invalid value: -1: must be greater than or equal to 0',
    ],
    ['selects others', { selector: { matchLabels: { app: 'x' } } }, {}, '`selector` does not match template `labels`'],
  ])('that %s is refused', (_, spec, pod, message) => {
    expect(refused(spec, pod)).toContain(message);
  });

  it('keeps what may not change', () => {
    const t = setup();
    t.call('POST', path, { json: jobOf({ completions: 3 }) });
    const patch = (spec: JsonObject) =>
      t.call('PATCH', `${path}/sum`, { ...patchType('merge'), json: { spec } }).body.message;
    expect(patch({ completions: 4 })).toContain('spec.completions: Invalid value: 4: field is immutable');
    expect(patch({ template: { spec: { dnsPolicy: 'None' } } })).toContain('field is immutable');
    expect(patch({ parallelism: 2 })).toBeUndefined();
  });

  it('is shown in a table with its state', () => {
    const t = withJob({ completions: 3, parallelism: 2 });
    const row = () =>
      t.call('GET', path, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }).body.rows[0]?.cells;
    expect((row() as unknown[]).slice(0, 5)).toEqual(['sum', 'Running', '0/3', '1s', '1s']);
    for (let i = 0; i < 3; i++) t.end('Succeeded');
    t.pass(100 * Second);
    expect((row() as unknown[]).slice(0, 5)).toEqual(['sum', 'Complete', '3/3', '3s', '104s']);
  });
});

it('sets of indexes are written as upstream writes them, and read again', () => {
  for (const [indexes, text] of [
    [[], ''],
    [[3], '3'],
    [[1, 0], '0,1'],
    [[0, 1, 2, 4, 6, 7], '0-2,4,6,7'],
  ] as const) {
    expect(writeIndexes(indexes)).toBe(text);
    expect([...readIndexes(text, 8)]).toEqual([...indexes].sort((a, b) => a - b));
  }
  expect([...readIndexes('0-9', 3)]).toEqual([0, 1, 2]);
  expect([...readIndexes('x,2', 3)]).toEqual([2]);
});
