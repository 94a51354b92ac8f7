import { describe, expect, it } from 'vitest';
import { runGolden } from './golden.js';
import type { GoldenStep } from './steps.js';
import type { GoldenRecording } from './types.js';

const loop = ['sh', '-c', "trap 'exit 0' TERM; while true; do sleep 0.2; done"];
const pod = (name: string, spec: object = {}, container: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: {
    nodeName: 'node1',
    terminationGracePeriodSeconds: 5,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    containers: [
      { name: 'app', image: 'localhost/busybox:dev', imagePullPolicy: 'IfNotPresent', command: loop, ...container },
    ],
    ...spec,
  },
});
const run = (...steps: GoldenStep[]) => {
  const r = runGolden({ scenario: 'test', steps: [['nodeReady', 30], ...steps] });
  expect(r.problems).toEqual([]);
  return r;
};
const running = (name: string, spec?: object, container?: object): GoldenStep[] => [
  ['create', pod(name, spec, container)],
  ['apiPhase', name, 'Running', 60],
  ['wait', 2],
];
const deleted = (name: string): GoldenStep[] => [
  ['del', 'Pod', name],
  ['apiGone', name, 30],
  ['wait', 3],
];
/** Returns the node's writes of a pod, repeated patches as one. */
const writes = (r: GoldenRecording, name: string): string[] =>
  (r.api ?? [])
    .filter((q) => q.resource === 'pods' && !['get', 'list'].includes(q.verb))
    .filter((q) => (q.name ?? (q.request?.metadata as { name?: string } | undefined)?.name) === name)
    .map((q) => `${q.verb}${q.subresource ? `/${q.subresource}` : ''} ${q.code}`)
    .filter((w, i, all) => w !== all[i - 1]);
const shown = (r: GoldenRecording, name: string): string[] =>
  (r.apiStatus ?? [])
    .flatMap((s) => s.pods.filter((p) => p.name === name))
    .map(
      (p) =>
        `${p.status.phase}${p.status.reason ? ` ${p.status.reason}` : ''}${p.deletionTimestamp ? ' deleting' : ''}`,
    )
    .filter((w, i, all) => w !== all[i - 1]);
const made = (r: GoldenRecording): string[] =>
  r.cri.map((c) => c.method).filter((m) => /^(RunPod|Create|StopPod|StopCon)/.test(m));
const readyOf = (r: GoldenRecording): string =>
  (((r.node?.status as { conditions?: { type: string; status: string }[] } | undefined)?.conditions ?? []).find(
    (c) => c.type === 'Ready',
  )?.status ?? 'none') as string;

describe('a node with an API server', () => {
  it('[1:S07] runs a pod, and takes it from the API when it has ended', () => {
    const r = run(...running('a'), ['wait', 8], ...deleted('a'));
    expect(writes(r, 'a')).toEqual(['patch/status 200', 'delete 200']);
    expect(shown(r, 'a')).toEqual(['Pending', 'Running', 'Running deleting', 'Succeeded deleting']);
    expect(made(r)).toEqual(['RunPodSandbox', 'CreateContainer', 'StopContainer', 'StopPodSandbox']);
    const last = r.api?.findLast((q) => q.resource === 'pods');
    expect(last?.request).toMatchObject({ gracePeriodSeconds: 0, preconditions: { uid: expect.any(String) } });
    expect(r.kubeEvents?.filter((e) => e.object === 'Pod/a').map((e) => `${e.reason} ${e.count}`)).toEqual([
      'Pulled 1',
      'Created 1',
      'Started 1',
      'Killing 1',
    ]);
    expect(readyOf(r)).toBe('True');
    expect(r.lease).toMatchObject({ spec: { holderIdentity: 'node1', leaseDurationSeconds: 40 } });
  });

  it('leaves pods of the API alone when the kubelet starts again, and goes on with them', () => {
    const r = run(...running('a'), ['stopKubelet'], ['wait', 3], ['startKubelet'], ['wait', 8], ...deleted('a'));
    expect(made(r)).toEqual(['RunPodSandbox', 'CreateContainer', 'StopContainer', 'StopPodSandbox']);
    expect(writes(r, 'a')).toEqual(['patch/status 200', 'delete 200']);
  });

  it('keeps pods running while the API server is away, and tells of it after', () => {
    const r = run(
      ...running('a'),
      ['stopApi'],
      ['wait', 2],
      ['kill', 'a', 'app'],
      ['wait', 20],
      ['startApi'],
      ['wait', 45],
    );
    const app = r.apiStatus?.at(-1)?.pods[0]?.status.containerStatuses as { restartCount: number; ready: boolean }[];
    expect(app[0]).toMatchObject({ restartCount: 1, ready: true });
    const away = r.marks.filter((m) => m.step === 'stopApi' || m.step === 'startApi').map((m) => m.at);
    const during = r.api?.filter((q) => q.at > (away[0] ?? 0) + 10 && q.at < (away[1] ?? 0));
    expect(during).toEqual([]);
    expect(r.kubeEvents?.filter((e) => e.reason === 'Started').map((e) => e.count)).toEqual([2]);
    expect(made(r).filter((m) => m === 'RunPodSandbox')).toHaveLength(1);
    // No list: where the watch could not go on, all was streamed again.
    expect(r.api?.filter((q) => q.verb === 'list')).toEqual([]);
    expect(readyOf(r)).toBe('True');
  });

  it('kills nothing when it starts while the API server is away', () => {
    const r = run(
      ...running('a'),
      ['stopKubelet'],
      ['stopApi'],
      ['startKubelet'],
      ['wait', 15],
      ['startApi'],
      ['wait', 45],
    );
    expect(made(r)).toEqual(['RunPodSandbox', 'CreateContainer']);
    expect(shown(r, 'a').at(-1)).toBe('Running');
  });

  it('ends a pod that was deleted while the API server was on its way out', () => {
    const r = run(
      ...running('a'),
      ['del', 'Pod', 'a'],
      ['wait', 0.01],
      ['stopApi'],
      ['wait', 20],
      ['startApi'],
      ['apiGone', 'a', 60],
    );
    expect(writes(r, 'a')).toEqual(['patch/status 200', 'delete 200']);
  });

  it('stops what was taken away by force within the least grace there is', () => {
    const r = run(...running('a'), ['del', 'Pod', 'a', 0], ['wait', 10]);
    expect(made(r)).toEqual(['RunPodSandbox', 'CreateContainer', 'StopContainer', 'StopPodSandbox']);
    expect(writes(r, 'a')).toEqual(['patch/status 200']);
    expect(r.cri.find((c) => c.method === 'StopContainer')?.request).toMatchObject({ timeout: '2' });
  });

  it('gives secrets and config maps to pods, and waits for those that are missing', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { k: 'dg==' } };
    const r = run(
      ['create', pod('a', {}, { env: [{ name: 'K', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] })],
      ['wait', 5],
      ['create', secret],
      ['apiPhase', 'a', 'Running', 90],
    );
    const created = r.cri.find((c) => c.method === 'CreateContainer')?.request.config;
    expect(created).toMatchObject({
      envs: expect.arrayContaining([{ key: 'K', value: { type: 'Buffer', data: [118] } }]),
    });
    expect(r.kubeEvents?.find((e) => e.reason === 'Failed')).toMatchObject({ message: 'Error: secret "s" not found' });
  });

  it('refuses a pod that does not fit, in words', () => {
    const r = run(
      ['create', pod('a', { nodeSelector: { disk: 'ssd' } })],
      ['apiPhase', 'a', 'Failed', 10],
      ['wait', 1],
    );
    expect(shown(r, 'a')).toEqual(['Pending', 'Failed NodeAffinity']);
    expect(made(r)).toEqual([]);
  });

  it('[1:F04] shows static pods by mirrors, and makes a mirror anew that somebody deleted', () => {
    const { spec, ...rest } = pod('s');
    const { nodeName: _n, ...bare } = spec;
    const r = run(
      ['put', { ...rest, spec: bare }],
      ['apiPhase', 's-node1', 'Running', 30],
      ['wait', 2],
      ['del', 'Pod', 's-node1', 0],
      ['wait', 100],
      ['rm', 's'],
      ['apiGone', 's-node1', 30],
    );
    expect(writes(r, 's-node1').filter((w) => !w.endsWith('404'))).toEqual([
      'create 201',
      'patch/status 200',
      'create 201',
      'patch/status 200',
      'delete 200',
    ]);
    expect(made(r).filter((m) => m === 'RunPodSandbox')).toHaveLength(1);
  });

  it('says the same again for the same seed', () => {
    const steps: GoldenStep[] = [['nodeReady', 30], ...running('a')];
    const once = () => JSON.stringify(runGolden({ scenario: 'x', steps }));
    expect(once()).toBe(once());
  });

  it('names what the server refuses', () => {
    const r = runGolden({
      scenario: 'x',
      steps: [
        ['nodeReady', 30],
        ['create', pod('A_b')],
        ['patch', 'Pod', 'ghost', { metadata: {} }],
        ['create', { apiVersion: 'v1', kind: 'Gizmo', metadata: { name: 'g' } }],
        ['apiPhase', 'ghost', 'Running', 1],
        ['stopApi'],
        ['del', 'Pod', 'ghost'],
      ],
    });
    expect(r.problems).toEqual([
      expect.stringMatching(
        /^step 2 \(create\): the API server refuses it: Pod "A_b" is invalid: metadata\.name: Invalid value/,
      ),
      'step 3 (patch): the API server refuses it: pods "ghost" not found',
      expect.stringMatching(/^step 4 \(create\): unknown kind Gizmo; known: pod, /),
      'step 5 (apiPhase): not within 1s: there is no such pod in the API; there are: none',
      'step 7 (del): the API server is stopped; startApi first',
    ]);
  });
});
