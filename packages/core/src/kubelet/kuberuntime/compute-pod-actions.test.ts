import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec, RestartPolicy } from '../../api/types.js';
import { Kernel } from '../../kernel/index.js';
import type { TraceRecord } from '../../trace/index.js';
import type { State, Status } from '../container/types.js';
import type { ProbeResult } from '../prober/types.js';
import { computePodActions } from './compute-pod-actions.js';
import { type PodActions, podActionsText } from './pod-actions.js';
import { FakeResults, makePod } from './testing/harness.js';
import { containerStatus, podStatus, sandboxStatus } from './testing/pod-status.js';

interface Given {
  readonly spec?: Partial<PodSpec>;
  readonly metadata?: Partial<Pod['metadata']>;
  /** Newest first: name, state, more. */
  readonly statuses?: readonly (readonly [string, State] | readonly [string, State, Partial<Status>])[];
  readonly sandboxes?: Parameters<typeof podStatus>[2];
  readonly liveness?: Readonly<Record<string, ProbeResult>>;
  readonly startup?: Readonly<Record<string, ProbeResult>>;
  readonly restartAll?: boolean;
}

function compute(given: Given): { actions: PodActions; records: TraceRecord[] } {
  const records: TraceRecord[] = [];
  const kernel = new Kernel({ sink: (r) => records.push(r) });
  const pod = makePod(given.spec, given.metadata);
  const status = podStatus(
    pod,
    (given.statuses ?? []).map(([name, state, more]) => containerStatus(pod, name, state, more)),
    given.sandboxes,
  );
  const livenessManager = new FakeResults();
  const startupManager = new FakeResults();
  for (const [name, r] of Object.entries(given.liveness ?? {})) livenessManager.results.set(`${name}-id`, r);
  for (const [name, r] of Object.entries(given.startup ?? {})) startupManager.results.set(`${name}-id`, r);
  return {
    actions: computePodActions({ kernel, livenessManager, startupManager }, pod, status, given.restartAll ?? false),
    records,
  };
}

const plan = (a: PodActions) => ({
  kill: a.killPod,
  create: a.createSandbox,
  id: a.sandboxID,
  attempt: a.attempt,
  init: a.initContainersToStart,
  start: a.containersToStart,
  ephemeral: a.ephemeralContainersToStart,
  kills: [...a.containersToKill.values()].map((k) => `${k.name}: ${k.message} [${k.reason}]`),
});
const idle: ReturnType<typeof plan> = {
  kill: false,
  create: false,
  id: 'sandbox-0',
  attempt: 0,
  init: [],
  start: [],
  ephemeral: [],
  kills: [],
};
const fresh = { ...idle, kill: true, create: true, id: '' };
const notReady = (attempt = 0) => [sandboxStatus({ state: 'SANDBOX_NOTREADY' }, attempt)];
const two = (policy: RestartPolicy = 'Always') => ({
  restartPolicy: policy,
  containers: [{ name: 'a' }, { name: 'b' }],
});
const withInit = (policy: RestartPolicy = 'Always') => ({
  restartPolicy: policy,
  initContainers: [{ name: 'i1' }, { name: 'i2' }],
  containers: [{ name: 'app' }],
});
const sidecar = (more: object = {}, policy: RestartPolicy = 'Always') => ({
  restartPolicy: policy,
  initContainers: [{ name: 'i1' }, { name: 'side', restartPolicy: 'Always' as const, ...more }, { name: 'i2' }],
  containers: [{ name: 'app' }],
});
const exited = (exitCode: number) => ({ exitCode });
const probe = { exec: { command: ['true'] } };
const both = (name: string, state: State, more?: Partial<Status>) =>
  more ? ([name, state, more] as const) : ([name, state] as const);

const rows: readonly (readonly [string, Given, Partial<typeof idle>])[] = [
  // --- the sandbox
  [
    '[2:S-01] [2:C-01] no sandbox: attempt 0, kill and create',
    { spec: two(), sandboxes: [] },
    { ...fresh, start: [0, 1] },
  ],
  [
    '[2:S-02] newest sandbox not ready: attempt + 1 and its ID',
    { spec: two(), sandboxes: notReady(2) },
    { ...fresh, id: 'sandbox-2', attempt: 3, start: [0, 1] },
  ],
  [
    '[2:S-03] two ready sandboxes',
    { spec: two(), sandboxes: [sandboxStatus({}, 1), sandboxStatus()] },
    { ...fresh, id: 'sandbox-1', attempt: 2, start: [0, 1] },
  ],
  [
    '[2:S-04] wrong network namespace: no ID',
    { spec: { ...two(), hostNetwork: true } },
    { ...fresh, attempt: 1, start: [0, 1] },
  ],
  [
    '[2:S-05] no IP address',
    { spec: two(), sandboxes: [sandboxStatus({ network: {} })] },
    { ...fresh, id: 'sandbox-0', attempt: 1, start: [0, 1] },
  ],
  [
    '[2:S-05] no network section is fine',
    {
      spec: two(),
      statuses: [both('a', 'running'), both('b', 'running')],
      sandboxes: [{ ...sandboxStatus(), network: undefined as never }],
    },
    idle,
  ],
  // --- a new sandbox
  [
    '[2:C-02] Never, attempt not 0, some status: kill only',
    { spec: two('Never'), statuses: [both('a', 'exited')], sandboxes: notReady() },
    { ...idle, kill: true, attempt: 1 },
  ],
  [
    '[2:C-02] Never without any status: tried again',
    { spec: two('Never'), sandboxes: notReady() },
    { ...fresh, id: 'sandbox-0', attempt: 1, start: [0, 1] },
  ],
  [
    '[2:C-03] OnFailure leaves out what succeeded',
    { spec: two('OnFailure'), statuses: [both('a', 'exited'), both('b', 'exited', exited(1))], sandboxes: notReady() },
    { ...fresh, id: 'sandbox-0', attempt: 1, start: [1] },
  ],
  [
    '[2:C-03] the container policy wins over the pod',
    {
      spec: { containers: [{ name: 'a', restartPolicy: 'OnFailure' }, { name: 'b' }] },
      statuses: [both('a', 'exited'), both('b', 'exited')],
      sandboxes: notReady(),
    },
    { ...fresh, id: 'sandbox-0', attempt: 1, start: [1] },
  ],
  [
    '[2:C-04] nothing to start and all created once: kill only',
    { spec: two('OnFailure'), statuses: [both('a', 'exited'), both('b', 'exited')], sandboxes: notReady() },
    { ...idle, kill: true, attempt: 1 },
  ],
  [
    '[2:C-05] with init containers only the first starts',
    { spec: withInit(), statuses: [both('app', 'exited'), both('i1', 'exited')], sandboxes: notReady() },
    { ...fresh, id: 'sandbox-0', attempt: 1, init: [0] },
  ],
  // --- ephemeral containers
  [
    '[2:C-06] ephemeral: started once, during initialisation too',
    {
      spec: { ...withInit(), ephemeralContainers: [{ name: 'e1' }, { name: 'e2' }] },
      statuses: [both('e1', 'exited'), both('i1', 'running')],
    },
    { ...idle, ephemeral: [1] },
  ],
  // --- regular containers
  [
    '[2:C-07] not initialised: regular ones are not looked at',
    { spec: withInit(), statuses: [both('i1', 'running'), both('app', 'exited', exited(1))] },
    idle,
  ],
  [
    '[2:C-08] exited under Always',
    { spec: two(), statuses: [both('a', 'exited'), both('b', 'running')] },
    { ...idle, start: [0] },
  ],
  [
    '[2:C-08] [2:R-02] OnFailure: exit 0 stays, exit 1 starts',
    {
      spec: { restartPolicy: 'OnFailure', containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] },
      statuses: [both('a', 'exited'), both('b', 'exited', exited(1)), both('c', 'running')],
    },
    { ...idle, start: [1] },
  ],
  [
    '[2:C-08] being deleted: nothing starts',
    {
      spec: two(),
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
      statuses: [both('a', 'exited'), both('b', 'running')],
    },
    idle,
  ],
  [
    '[2:C-08] [2:C-10] created, even under Never: started without a kill',
    { spec: two('Never'), statuses: [both('a', 'created'), both('b', 'running')] },
    { ...idle, start: [0] },
  ],
  [
    '[2:C-09] only the newest status counts',
    { spec: { restartPolicy: 'Never' }, statuses: [both('app', 'running'), both('app', 'exited', exited(1))] },
    idle,
  ],
  [
    '[2:C-10] unknown, even under Never: killed and started',
    { spec: two('Never'), statuses: [both('a', 'unknown'), both('b', 'running')] },
    { ...idle, start: [0], kills: ['a: Container is in "unknown" state, try killing it before restart [Unknown]'] },
  ],
  [
    '[2:C-11] [2:C-12] changed hash under Never still restarts, and wins over probes',
    { spec: { restartPolicy: 'Never' }, statuses: [both('app', 'running', { hash: 1 })], liveness: { app: 'Failure' } },
    { ...idle, start: [0], kills: ['app: Container app definition changed, will be restarted []'] },
  ],
  [
    '[2:C-11] liveness before startup',
    { statuses: [both('app', 'running')], liveness: { app: 'Failure' }, startup: { app: 'Failure' } },
    { ...idle, start: [0], kills: ['app: Container app failed liveness probe, will be restarted [LivenessProbe]'] },
  ],
  [
    '[2:C-11] startup failure',
    { statuses: [both('app', 'running')], liveness: { app: 'Success' }, startup: { app: 'Failure' } },
    { ...idle, start: [0], kills: ['app: Container app failed startup probe, will be restarted [StartupProbe]'] },
  ],
  [
    '[2:C-12] probe failure under Never: killed, not started',
    { spec: two('Never'), statuses: [both('a', 'running'), both('b', 'running')], liveness: { a: 'Failure' } },
    { ...idle, kills: ['a: Container a failed liveness probe [LivenessProbe]'] },
  ],
  [
    '[2:C-12] the container policy decides',
    {
      spec: { restartPolicy: 'Never', containers: [{ name: 'a', restartPolicy: 'Always' }] },
      statuses: [both('a', 'running')],
      liveness: { a: 'Failure' },
    },
    { ...idle, start: [0], kills: ['a: Container a failed liveness probe, will be restarted [LivenessProbe]'] },
  ],
  [
    '[2:C-13] all done under Never: the pod is killed',
    { spec: two('Never'), statuses: [both('a', 'exited'), both('b', 'exited', exited(1))] },
    { ...idle, kill: true },
  ],
  [
    '[2:C-13] a sidecar does not keep a finished pod alive',
    {
      spec: sidecar({}, 'Never'),
      statuses: [both('app', 'exited'), both('i2', 'exited'), both('side', 'exited'), both('i1', 'exited')],
    },
    { ...idle, kill: true },
  ],
  [
    '[2:C-14] a lone failing container under Never goes through KillPod',
    { spec: { restartPolicy: 'Never' }, statuses: [both('app', 'running')], liveness: { app: 'Failure' } },
    { ...idle, kill: true, kills: ['app: Container app failed liveness probe [LivenessProbe]'] },
  ],
  // --- init containers
  [
    '[2:I-01] a running regular container means initialised, whatever is left of the init ones',
    { spec: withInit(), statuses: [both('app', 'running')] },
    idle,
  ],
  [
    '[2:I-01] an exited one does not',
    { spec: withInit(), statuses: [both('app', 'exited', exited(1))] },
    { ...idle, init: [0] },
  ],
  [
    '[2:I-02] the highest index with a status decides',
    { spec: withInit(), statuses: [both('i2', 'exited')] },
    { ...idle, start: [0] },
  ],
  ['[2:I-03] no status at all: the first', { spec: withInit() }, { ...idle, init: [0] }],
  ['[2:I-04] done: the next one', { spec: withInit(), statuses: [both('i1', 'exited')] }, { ...idle, init: [1] }],
  [
    '[2:I-04] the last one done: regular ones in the same pass',
    { spec: withInit(), statuses: [both('i2', 'exited'), both('i1', 'exited')] },
    { ...idle, start: [0] },
  ],
  [
    '[2:I-05] [2:I-06] failed: again',
    { spec: withInit('OnFailure'), statuses: [both('i1', 'exited', exited(1))] },
    { ...idle, init: [0] },
  ],
  [
    '[2:I-05] [2:I-06] OOMKilled with exit 0 is a failure',
    { spec: withInit(), statuses: [both('i1', 'exited', { reason: 'OOMKilled' })] },
    { ...idle, init: [0] },
  ],
  [
    '[2:I-06] OOMKilled with exit 0 under OnFailure ends the pod',
    { spec: withInit('OnFailure'), statuses: [both('i1', 'exited', { reason: 'OOMKilled' })] },
    { ...idle, kill: true },
  ],
  [
    '[2:I-07] failed under Never: the pod is killed',
    { spec: withInit('Never'), statuses: [both('i1', 'exited', exited(1))] },
    { ...idle, kill: true },
  ],
  ['[2:I-08] running: wait', { spec: withInit(), statuses: [both('i1', 'running')] }, idle],
  [
    '[2:I-08] created: again, no kill',
    { spec: withInit('Never'), statuses: [both('i1', 'created')] },
    { ...idle, init: [0] },
  ],
  [
    '[2:I-08] unknown: kill and again',
    { spec: withInit(), statuses: [both('i1', 'unknown')] },
    {
      ...idle,
      init: [0],
      kills: ['i1: Init container is in "unknown" state, try killing it before restart [Unknown]'],
    },
  ],
  [
    '[2:I-08] unknown under Never: kill the pod',
    { spec: withInit('Never'), statuses: [both('i1', 'unknown')] },
    { ...idle, kill: true },
  ],
  // --- sidecars
  [
    '[2:I-09] a running sidecar lets the next one start',
    { spec: sidecar(), statuses: [both('side', 'running'), both('i1', 'exited')] },
    { ...idle, init: [2] },
  ],
  [
    '[2:I-09] a sidecar that is last lets the regular ones start',
    { spec: { initContainers: [{ name: 'side', restartPolicy: 'Always' }] }, statuses: [both('side', 'running')] },
    { ...idle, start: [0] },
  ],
  [
    '[2:I-10] startup probe without a result: wait',
    { spec: sidecar({ startupProbe: probe }), statuses: [both('side', 'running'), both('i1', 'exited')] },
    idle,
  ],
  [
    '[2:I-10] startup probe Unknown: wait',
    {
      spec: sidecar({ startupProbe: probe }),
      statuses: [both('side', 'running'), both('i1', 'exited')],
      startup: { side: 'Unknown' },
    },
    idle,
  ],
  [
    '[2:I-10] startup probe Success: go on',
    {
      spec: sidecar({ startupProbe: probe }),
      statuses: [both('side', 'running'), both('i1', 'exited')],
      startup: { side: 'Success' },
    },
    { ...idle, init: [2] },
  ],
  [
    '[2:I-10] startup probe Failure: kill and again, no progress',
    {
      spec: sidecar({ startupProbe: probe }),
      statuses: [both('side', 'running'), both('i1', 'exited')],
      startup: { side: 'Failure' },
    },
    { ...idle, init: [1], kills: ['side: Init container side failed startup probe [StartupProbe]'] },
  ],
  [
    '[2:I-11] [2:I-15] liveness Failure: again, and the next one still starts, in spec order',
    {
      spec: sidecar({ livenessProbe: probe }),
      statuses: [both('side', 'running'), both('i1', 'exited')],
      liveness: { side: 'Failure' },
    },
    { ...idle, init: [1, 2], kills: ['side: Init container side failed liveness probe [LivenessProbe]'] },
  ],
  [
    '[2:I-11] changed definition',
    { spec: sidecar(), statuses: [both('app', 'running'), both('side', 'running', { hash: 1 })] },
    { ...idle, init: [1], kills: ['side: Init container side definition changed []'] },
  ],
  [
    '[2:I-12] an exited sidecar starts again under Never',
    { spec: sidecar({}, 'Never'), statuses: [both('app', 'running'), both('side', 'exited')] },
    { ...idle, init: [1] },
  ],
  [
    '[2:I-12] unknown: kill and again',
    { spec: sidecar({}, 'Never'), statuses: [both('app', 'running'), both('side', 'unknown')] },
    {
      ...idle,
      init: [1],
      kills: ['side: Init container is in "unknown" state, try killing it before restart [Unknown]'],
    },
  ],
  [
    '[2:I-12] an exited last sidecar: not initialised in this pass',
    { spec: { initContainers: [{ name: 'side', restartPolicy: 'Always' }] }, statuses: [both('side', 'exited')] },
    { ...idle, init: [0] },
  ],
  [
    '[2:I-14] after initialisation a lost sidecar is started',
    { spec: sidecar(), statuses: [both('app', 'running')] },
    { ...idle, init: [1] },
  ],
  // --- rules
  [
    '[2:R-03] a rule that matches restarts under Never',
    {
      spec: {
        containers: [
          {
            name: 'a',
            restartPolicy: 'Never',
            restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
          },
          { name: 'b' },
        ],
      },
      statuses: [both('a', 'exited', exited(42)), both('b', 'running')],
    },
    { ...idle, start: [0] },
  ],
  [
    '[2:R-03] no match: the container policy',
    {
      spec: {
        containers: [
          {
            name: 'a',
            restartPolicy: 'Never',
            restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
          },
          { name: 'b' },
        ],
      },
      statuses: [both('a', 'exited', exited(1)), both('b', 'running')],
    },
    idle,
  ],
  [
    '[2:R-03] rules without a container policy are ignored',
    {
      spec: {
        restartPolicy: 'Never',
        containers: [
          { name: 'a', restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'NotIn', values: [0] } }] },
          { name: 'b' },
        ],
      },
      statuses: [both('a', 'exited', exited(1)), both('b', 'running')],
    },
    idle,
  ],
  [
    '[2:A-01] equal hashes: a restarted kubelet does nothing',
    { spec: two(), statuses: [both('a', 'running'), both('b', 'running')] },
    idle,
  ],
];

describe('computePodActions', () => {
  it.each(rows)('%s', (_, given, want) => {
    expect(plan(compute(given).actions)).toEqual({ ...idle, ...want });
  });

  it('[2:R-04] [2:R-05] RestartAllContainers: victims first, triggers last, all instances', () => {
    const rule = [{ action: 'RestartAllContainers' as const, exitCodes: { operator: 'In' as const, values: [42] } }];
    const spec: Partial<PodSpec> = {
      initContainers: [{ name: 'i1' }, { name: 'i2', restartPolicy: 'Never', restartPolicyRules: rule }],
      containers: [{ name: 'a', restartPolicy: 'Never', restartPolicyRules: rule }, { name: 'b' }],
    };
    const { actions } = compute({
      spec,
      statuses: [
        ['a', 'exited', { exitCode: 42, id: { type: 'containerd', id: 'a2' } }],
        ['b', 'running'],
        ['a', 'exited', { exitCode: 1, id: { type: 'containerd', id: 'a1' } }],
        ['i2', 'exited', { exitCode: 42 }],
        ['i1', 'exited'],
      ],
      restartAll: true,
    });
    expect(actions.containersToReset.map((c) => `${c.containerID.id}${c.kill ? ' kill' : ''}`)).toEqual([
      'a1',
      'b-id kill',
      'i1-id',
      'a2',
      'i2-id',
    ]);
    expect(actions).toMatchObject({ killPod: false, containersToStart: [], initContainersToStart: [] });
  });

  it('leaves the reason of every choice in the trace, with the values it saw', () => {
    const { records } = compute({
      spec: two('OnFailure'),
      statuses: [both('a', 'exited', exited(3)), both('b', 'running')],
      liveness: { b: 'Failure' },
    });
    const decisions = records.filter((r) => r.kind === 'decision').map((r) => [r.container, r.rule, r.verdict]);
    expect(decisions).toContainEqual(['a', 'ShouldContainerBeRestarted', 'start']);
    expect(decisions).toContainEqual(['b', 'livenessManager', 'kill and restart']);
    const why = records.find((r) => r.kind === 'decision' && r.rule === 'ShouldContainerBeRestarted');
    expect(why).toMatchObject({ values: { why: 'it exited 3, restartPolicy OnFailure', status: { exitCode: 3 } } });
    expect(records.find((r) => r.kind === 'pod-actions')).toMatchObject({ actions: { containersToStart: ['a', 'b'] } });
  });

  it('prints the plan as the kubelet logs it', () => {
    const { actions } = compute({ spec: two(), sandboxes: [] });
    expect(podActionsText(actions)).toBe(
      'KillPod: true, CreateSandbox: true, UpdatePodResources: false, UpdatePodLevelResources: false, Attempt: 0, InitContainersToStart: [], ContainersToStart: [0 1], EphemeralContainersToStart: [],ContainersToUpdate: map[], ContainersToKill: map[], ContainersToRemove: []',
    );
    const killing = compute({ statuses: [both('app', 'running')], liveness: { app: 'Failure' } }).actions;
    expect(podActionsText(killing)).toContain(
      'ContainersToKill: map[{containerd app-id}:{0xc000000000 app Container app failed liveness probe, will be restarted LivenessProbe}]',
    );
  });
});
