import { describe, expect, it } from 'vitest';
import { compare } from './compare.js';
import type { CriEntry, Loose, Recording, StatusSnapshot } from './recording.js';

const uid = 'a'.repeat(32);
const hex = (n: number) => n.toString(16).padStart(64, '0');

type Call = Omit<CriEntry, 'seq' | 'tookMs' | 'request'> & { request?: Loose; tookMs?: number };

/** Makes a recording of one pod that starts, with a test's additions. */
function recording(
  options: {
    pod?: string;
    ids?: number;
    calls?: Call[];
    status?: StatusSnapshot[];
    klog?: string[];
    more?: Partial<Recording>;
  } = {},
): Recording {
  const { pod = uid, ids = 1, calls = [], status = [], klog = [], more = {} } = options;
  const metadata = { name: 'web-node1', uid: pod, namespace: 'default' };
  const all: Call[] = [
    {
      at: 100,
      method: 'RunPodSandbox',
      request: { config: { metadata, hostname: 'web-node1' } },
      response: { podSandboxId: hex(ids) },
    },
    {
      at: 200,
      method: 'CreateContainer',
      request: {
        podSandboxId: hex(ids),
        config: {
          metadata: { name: 'app' },
          image: { image: `sha256:${hex(ids)}`, userSpecifiedImage: 'busybox' },
          envs: [
            { key: 'B', value: '2' },
            { key: 'A', value: '1' },
          ],
          mounts: [{ containerPath: '/x', hostPath: `/root${ids}/pods/${pod}/x` }],
          annotations: { 'io.kubernetes.container.hash': String(ids), keep: 'this' },
        },
      },
      response: { containerId: hex(ids + 1) },
    },
    { at: 300, method: 'StartContainer', request: { containerId: hex(ids + 1) }, response: {} },
    ...calls,
  ];
  return {
    scenario: 's',
    steps: [],
    marks: [],
    cri: all.map((c, seq) => ({ seq, tookMs: 10, request: {}, ...c })),
    status,
    klog,
    ...more,
  };
}

const failures = (reference: Recording, candidate: Recording) =>
  compare(reference, candidate)
    .filter(({ ok }) => !ok)
    .map(({ name, detail }) => `${name}: ${detail}`);

const stop = (at: number, id = 2, timeout = '5'): Call => ({
  at,
  method: 'StopContainer',
  request: { containerId: hex(id), timeout },
  response: {},
});

describe('compare: calls', () => {
  it('passes what differs in ids, UIDs, paths, hashes and the order of environment variables only', () => {
    const other = recording({ pod: 'b'.repeat(32), ids: 77 });
    const create = other.cri[1] as unknown as { request: { config: { envs: unknown[] } } };
    create.request.config.envs.reverse();
    expect(failures(recording(), other)).toEqual([]);
  });

  it('fails a call that is missing, too much, or another', () => {
    const want = recording({ calls: [stop(400)] });
    expect(failures(want, recording())).toEqual([
      'web-node1@0: CRI calls in order (4): at call 3: want StopContainer app#0 timeout=5; got nothing',
    ]);
    expect(failures(recording(), want)).toEqual([
      'web-node1@0: CRI calls in order (3): 1 more calls: StopContainer app#0 timeout=5',
    ]);
    expect(failures(want, recording({ calls: [stop(400, 2, '9')] }))).toHaveLength(1);
  });

  it('lets calls that overlapped come in any order, and no others', () => {
    const exec = (at: number): Call => ({
      at,
      method: 'ExecSync',
      request: { containerId: hex(2), cmd: ['x'] },
      response: {},
    });
    const candidate = recording({ calls: [exec(400), stop(500)] });
    expect(failures(recording({ calls: [{ ...stop(400), tookMs: 50 }, exec(420)] }), candidate)).toEqual([]);
    expect(failures(recording({ calls: [stop(400), exec(420)] }), candidate)).toHaveLength(1);
  });

  it('leaves out the commands of probes', () => {
    const step = ['put', { spec: { containers: [{ livenessProbe: { exec: { command: ['x'] } } }] } }] as const;
    const exec: Call = { at: 400, method: 'ExecSync', request: { containerId: hex(2), cmd: ['x'] }, response: {} };
    expect(
      failures(recording({ more: { steps: [step] } }), recording({ calls: [exec], more: { steps: [step] } })),
    ).toEqual([]);
    expect(failures(recording(), recording({ calls: [exec] }))).toHaveLength(1);
  });

  it('compares requests field by field', () => {
    const other = recording();
    const { config } = (other.cri[1] as unknown as { request: { config: Record<string, unknown> } }).request;
    config.annotations = { 'io.kubernetes.container.hash': 'x', keep: 'that' };
    config.tty = true;
    config.stdin = false;
    expect(failures(recording(), other)).toEqual([
      'web-node1@0: CreateContainer app#0 request: annotations.keep: want "this", got "that"; tty: want nothing, got true',
    ]);
  });

  it('gives restarts half as much time again, and 2.5 s', () => {
    const restart = (at: number): Call => ({
      at,
      method: 'CreateContainer',
      request: { podSandboxId: hex(1), config: { metadata: { name: 'app', attempt: 1 } } },
      response: { containerId: hex(9) },
    });
    const want = recording({ calls: [restart(10_300)] });
    for (const at of [4600, 10_300, 17_700]) expect(failures(want, recording({ calls: [restart(at)] }))).toEqual([]);
    for (const at of [4300, 17_900]) {
      expect(failures(want, recording({ calls: [restart(at)] }))).toEqual([
        `web-node1@0: CreateContainer app#1 comes 10 s after the start before it: got ${((at - 300) / 1000).toFixed(1)} s`,
      ]);
    }
  });

  it('wants removals while the pod lives, not later ones', () => {
    const remove = (at: number): Call => ({
      at,
      method: 'RemoveContainer',
      request: { containerId: hex(2) },
      response: {},
    });
    const end: Call = { at: 500, method: 'StopPodSandbox', request: { podSandboxId: hex(1) }, response: {} };
    expect(failures(recording({ calls: [remove(400), end] }), recording({ calls: [end] }))).toEqual([
      'removals (1): not removed: web-node1@0/app#0',
    ]);
    expect(failures(recording({ calls: [end, remove(600)] }), recording({ calls: [end] }))).toEqual([]);
  });

  it('tells a second pod of the same name apart', () => {
    const second: Call = {
      at: 400,
      method: 'RunPodSandbox',
      request: { config: { metadata: { name: 'web-node1', uid: 'z' } } },
      response: { podSandboxId: hex(5) },
    };
    expect(failures(recording(), recording({ calls: [second] }))).toEqual([
      'web-node1@1: no such pod in the reference: 1 calls',
    ]);
  });
});

describe('compare: statuses and events', () => {
  const snapshot = (at: number, phase?: string, more: object = {}): StatusSnapshot => ({
    at,
    pods: phase === undefined ? [] : [{ name: 'web-node1', uid, status: { phase, ...more } }],
  });

  it('wants each status that stood for 700 ms, in order', () => {
    const want = recording({
      status: [snapshot(0, 'Pending'), snapshot(700, 'Odd'), snapshot(800, 'Running'), snapshot(2000)],
    });
    expect(failures(want, recording({ status: [snapshot(0, 'Pending'), snapshot(5, 'Running')] }))).toEqual([]);
    expect(failures(want, recording({ status: [snapshot(0, 'Running'), snapshot(5, 'Pending')] }))).toHaveLength(1);
  });

  it('compares conditions, messages and containers, without ids and measured times', () => {
    const status = (id: string, took: string, reason = 'Error') => ({
      message: `pod ${id} took ${took} (including waiting)`,
      conditions: [{ type: 'Ready', status: 'False', reason: 'X', message: `id ${hex(1)}` }],
      containerStatuses: [{ name: 'app', state: { terminated: { reason, exitCode: 1 } }, restartCount: 2 }],
    });
    const want = recording({ status: [snapshot(0, 'Running', status(uid, '200ms'))] });
    const other = 'c'.repeat(32);
    const candidate = (reason?: string) =>
      recording({
        pod: other,
        status: [
          {
            at: 0,
            pods: [{ name: 'web-node1', uid: other, status: { phase: 'Running', ...status(other, '3.5s', reason) } }],
          },
        ],
      });
    expect(failures(want, candidate())).toEqual([]);
    expect(failures(want, candidate('OOMKilled'))).toHaveLength(1);
  });

  it('wants every container state, however brief, of who holds every change', () => {
    const waiting = { containerStatuses: [{ name: 'app', state: { waiting: { reason: 'ContainerCreating' } } }] };
    const want = recording({ status: [snapshot(0, 'Pending', waiting), snapshot(10, 'Running'), snapshot(3000)] });
    const candidate = recording({ status: [snapshot(0, 'Running')] });
    expect(failures(want, candidate)).toEqual([]);
    expect(failures(want, { ...candidate, everyChange: true })).toEqual([
      'web-node1/app: container states seen (1): never seen: waiting ContainerCreating',
    ]);
  });

  it('compares the kinds of events', () => {
    const event = (reason: string) =>
      `I1121 04:11:52.1 1 event.go:1] "Event occurred" object="default/web-node1" fieldPath="" kind="Pod" apiVersion="v1" type="Normal" reason="${reason}" message="a \\"b\\" c"`;
    const want = recording({ klog: [event('Pulled'), event('Started')] });
    expect(failures(want, recording({ klog: [event('Started'), event('Pulled'), event('Pulled')] }))).toEqual([]);
    expect(failures(want, recording({ klog: [event('Pulled'), event('Killing')] }))).toEqual([
      'web-node1: kinds of events (2): missing Normal Started, extra Normal Killing',
    ]);
  });

  it('compares what a node writes to an API server, and the node', () => {
    const write = (verb: string, more: object = {}) => ({ verb, resource: 'pods', name: 'web', code: 200, ...more });
    const node = (taint?: string) => ({
      metadata: { labels: { a: '1' } },
      spec: taint ? { taints: [taint] } : {},
      status: {},
    });
    const api = [
      write('patch', { subresource: 'status' }),
      write('patch', { subresource: 'status' }),
      write('delete', { request: { gracePeriodSeconds: 0 } }),
    ];
    const want = recording({ more: { api, node: node() } });
    expect(failures(want, recording({ more: { api: api.slice(1), node: node() } }))).toEqual([]);
    expect(failures(want, recording({ more: { api: api.slice(2), node: node('t') } }))).toEqual([
      'web: writes to the API (2): want patch pods/status 200 | delete pods 200 grace=0 uid=none; got delete pods 200 grace=0 uid=none',
      'node: taints: want []; got ["t"]',
    ]);
  });
});

describe('what chance decides', () => {
  const bad = (reference: Recording, candidate: Recording) =>
    compare(reference, candidate).flatMap(({ ok, name, detail }) => (ok ? [] : [`${name}: ${detail}`]));
  const stop = (at: number): Call => ({
    at,
    method: 'StopPodSandbox',
    request: { podSandboxId: hex(1) },
    response: {},
  });
  const remove = (at: number): Call => ({
    at,
    method: 'RemovePodSandbox',
    request: { podSandboxId: hex(1) },
    response: {},
  });

  it('is when the garbage collector stops a sandbox once more, right before it removes it', () => {
    const once = recording({ calls: [stop(1000)] });
    expect(bad(once, recording({ calls: [stop(1000), stop(9000), remove(9100)] }))).toEqual([]);
    // A stop that is not right before a removal counts as a call like others.
    expect(bad(once, recording({ calls: [stop(1000), stop(5000), remove(9000)] }))).toHaveLength(1);
  });

  it.each([
    ['v1.25.16', 0],
    ['v1.27.16', 1],
  ])('is whether a kubelet %s kills a removed pod once more', (kubelet, differences) => {
    const kill = { at: 1000, method: 'StopContainer', request: { containerId: hex(2), timeout: '5' }, response: {} };
    const of = (...calls: Call[]) => recording({ calls: [...calls, stop(1500)], more: { kubelet } });
    const again = { ...kill, at: 1600, request: { containerId: hex(2), timeout: '1' } };
    const twice = recording({ calls: [kill, stop(1500), again, stop(1700)], more: { kubelet } });
    expect(bad(of(kill), twice)).toHaveLength(differences);
    expect(bad(twice, of(kill))).toHaveLength(differences);
    expect(bad(of(kill), of())).toHaveLength(1);
  });

  it('is the lease of a node that was looked at before its first one', () => {
    const node = { status: {} };
    const lease = { spec: { holderIdentity: 'node1', leaseDurationSeconds: 40 } };
    const ended = (at: number) => ({ node, marks: [{ at, step: 'wait', args: [] }] });
    const reference = recording({ more: { node, lease } });
    expect(bad(reference, recording({ more: ended(11_000) }))).toEqual([]);
    expect(bad(reference, recording({ more: ended(13_000) }))).toHaveLength(1);
  });

  it('is nothing of an event whose message has several lines', () => {
    const line = (message: string) =>
      `I1 "Event occurred" object="default/web-node1" fieldPath="" kind="Pod" apiVersion="v1" type="Warning" reason="Failed" message=${message}`;
    expect(bad(recording({ klog: [line('"a"')] }), recording({ klog: [line('<')] }))).toEqual([]);
    expect(bad(recording({ klog: [line('<')] }), recording())).toHaveLength(1);
  });

  it('is how often a probe runs, of pods that the API created as well', () => {
    const spec = { containers: [{ name: 'app', livenessProbe: { exec: { command: ['true'] } } }] };
    const probe: Call = { at: 900, method: 'ExecSync', request: { containerId: hex(2), cmd: ['true'] }, response: {} };
    for (const verb of ['put', 'create']) {
      const steps = [[verb, { spec }]] as Recording['steps'];
      expect(bad({ ...recording(), steps }, { ...recording({ calls: [probe] }), steps })).toEqual([]);
    }
    expect(bad(recording(), recording({ calls: [probe] }))).toHaveLength(1);
  });

  it('is how long a restart takes while the API server is stopped', () => {
    const again = (at: number): Call[] => [
      {
        at,
        method: 'CreateContainer',
        request: { podSandboxId: hex(1), config: { metadata: { name: 'app', attempt: 1 } } },
        response: { containerId: hex(7) },
      },
    ];
    const [late, early] = [recording({ calls: again(60_000) }), recording({ calls: again(5_000) })];
    expect(bad(late, early)).toHaveLength(1);
    expect(bad({ ...late, steps: [['stopApi']] }, early)).toEqual([]);
  });
});
