import { beforeAll, describe, expect, it } from 'vitest';
import type { ContainerStatus, Pod } from '../../api/types.js';
import { CRIError } from '../../cri/index.js';
import { background } from '../../kernel/index.js';
import { availableEras, type EraVersion, loadEras } from '../era/index.js';
import { apiPod, manifest } from '../testing/fake-node.js';
import { type NodeIn, nodeIn } from './testing/node-in.js';

beforeAll(loadEras);

const old = ['v1.12', 'v1.21'] as const;
/** Those whose handlers dispatch. */
const dispatching = ['v1.12', 'v1.21', 'v1.25'] as const;
const web = { manifests: { 'web.yaml': manifest('web') } };
const never = { spec: '  restartPolicy: Never\n' };
const deletion = { deletionTimestamp: '2026-01-01T00:01:00Z', deletionGracePeriodSeconds: 5 };
const copy = <T>(v: T): T => JSON.parse(JSON.stringify(v)) as T;

/** The updates that reached the worker since a record, and the verdicts of dispatchWork. */
const updatesSince = (t: NodeIn, from: number, uid: string) =>
  t.of('pod-update').flatMap((u) => (u.seq > from && u.uid === uid ? [u.updateType] : []));
const verdictsSince = (t: NodeIn, from: number, uid: string) =>
  t.of('decision').flatMap((d) => (d.seq > from && d.rule === 'dispatchWork' && d.uid === uid ? [d.verdict] : []));

const container = (state: ContainerStatus['state']): ContainerStatus =>
  ({ name: 'app', state, lastState: {}, ready: false, restartCount: 0, image: 'x', imageID: '' }) as ContainerStatus;

/** An API's picture of a static pod. */
const mirrorOf = (pod: Pod): Pod => {
  const hash = pod.metadata.annotations?.['kubernetes.io/config.hash'] ?? '';
  const metadata = { ...pod.metadata, uid: 'mirror', annotations: { 'kubernetes.io/config.mirror': hash } };
  return { ...copy(pod), metadata };
};
/** A client of mirror pods that only writes down what it is asked for. */
const mirrorClient = (log: string[]) => ({
  *createMirrorPod() {
    log.push('create');
  },
  *deleteMirrorPod() {
    log.push('delete');
    return true;
  },
});

describe('HandlePodAdditions', () => {
  it.each(dispatching)('[5:C01] %s admits the older pod first, and a rejected one has no worker', (era) => {
    const t = nodeIn(era, { api: true, config: { maxPods: 1 } });
    t.say(
      'api',
      apiPod('young', { creationTimestamp: '2026-01-01T00:00:02Z' }),
      apiPod('old', { creationTimestamp: '2026-01-01T00:00:01Z' }),
    );
    t.run(5);
    expect(t.entries('dispatchWork')[0]?.args).toMatchObject({ uid: 'uid-old', updateType: 'create' });
    expect(t.entries('dispatchWork').filter((d) => JSON.stringify(d.args).includes('uid-young'))).toEqual([]);
    expect(t.kl.podWorkers.snapshot().map((w) => w.uid)).toEqual(['uid-old']);
    const message = "Node didn't have enough resource: pods, requested: 1, used: 1, capacity: 1";
    expect(t.of('kube-event').find((e) => e.reason === 'OutOfpods')?.message).toBe(message);
    expect(t.status('uid-young')).toMatchObject({ phase: 'Failed', reason: 'OutOfpods', message: `Pod ${message}` });
    expect(t.status('uid-young')).not.toHaveProperty('qosClass');
    expect(t.podOf('young')).toBeDefined();
  });

  it.each(['v1.32', 'v1.36'] as const)('[5:C01] %s says that a pod was rejected, and its QoS class', (era) => {
    const t = nodeIn(era, { api: true, config: { maxPods: 0 } });
    t.say('api', apiPod('web'));
    t.run(5);
    expect(t.status('uid-web')?.message).toMatch(/^Pod was rejected: /);
    expect(t.status('uid-web')?.qosClass).toBe('BestEffort');
  });

  it.each(old)('[5:C01] %s compares with the pods that were there before, less those that have ended', (era) => {
    const t = nodeIn(era, { api: true, config: { maxPods: 1 } });
    const done = apiPod('done');
    done.status = { phase: 'Succeeded' };
    t.say('api', done, apiPod('web', { creationTimestamp: '2026-01-01T00:00:02Z' }));
    t.run(5);
    // Neither the one that has ended nor the pod itself counts.
    expect(t.status('uid-web')?.phase).toBe('Running');
    expect(t.of('kube-event').filter((e) => e.reason === 'OutOfpods')).toEqual([]);
  });

  const probes = (era: EraVersion) => {
    const t = nodeIn(era, {
      manifests: { 'web.yaml': manifest('web', '    readinessProbe: {tcpSocket: {port: 1}, periodSeconds: 1}\n') },
    });
    t.run(5);
    const start = t.of('goroutine-start').find((g) => /readiness/.test(g.name));
    const parent = t.of('goroutine-start').find((g) => g.id === start?.parent)?.name;
    return { t, start, parent };
  };
  it.each(old)('[5:C01] %s starts probes when it adds the pod, in the loop', (era) => {
    const { t, start, parent } = probes(era);
    expect(parent).toBe('syncLoop');
    const sandbox = t.of('cri-call').find((c) => c.method === 'RunPodSandbox');
    expect(start?.seq).toBeLessThan(sandbox?.seq ?? 0);
    // The worker has it already.
    expect(t.of('pod-update')[0]?.seq).toBeLessThan(start?.seq ?? 0);
  });
  it.each(['v1.25', 'v1.36'] as const)('[5:C01] %s starts probes in the worker', (era) => {
    expect(probes(era).parent).toMatch(/^podWorker/);
  });
});

describe('HandlePodUpdates', () => {
  it.each(dispatching)('[5:C02] %s dispatches an update without asking whether the pod fits', (era) => {
    const t = nodeIn(era, { api: true, config: { maxPods: 1 } });
    t.say('api', apiPod('web'));
    t.run(5);
    const from = t.records.length;
    t.say('api', apiPod('web', { labels: { a: 'b' } }));
    t.run(0.5);
    const since = t.of('enter').filter((e) => e.seq > from);
    const fns = since.map((e) => e.fn);
    expect(fns.slice(fns.indexOf('HandlePodUpdates'), fns.indexOf('HandlePodUpdates') + 3)).toEqual([
      'HandlePodUpdates',
      'dispatchWork',
      'UpdatePod',
    ]);
    expect(since.find((e) => e.fn === 'dispatchWork')?.args).toMatchObject({ updateType: 'update' });
    expect(t.kl.getPods()[0]?.metadata.labels).toEqual({ a: 'b' });
    expect(fns.filter((fn) => /admit|AddPod/i.test(fn))).toEqual([]);
  });
});

describe('HandlePodRemoves', () => {
  it.each(old)('[5:C03] %s forgets the pod while its containers run on', (era) => {
    const t = nodeIn(era, web);
    t.run(5);
    t.slow('StopContainer', 4);
    t.os.rm('/m/web.yaml');
    t.run(2);
    expect(t.podOf('web-node1')).toBeUndefined();
    expect(t.running()).toBe(1);
    t.run(5);
    expect(t.running()).toBe(0);
  });

  it.each(old)('[5:C03] %s only notes that a pod cannot be deleted yet', (era) => {
    const t = nodeIn(era, web);
    t.kl.podConfig.channel(background, 'api');
    t.run(5);
    t.os.rm('/m/web.yaml');
    t.run(2);
    const [failed] = t.lines(/Failed to delete pod/);
    expect(failed).toMatchObject({
      severity: 'I',
      v: 2,
      kv: { err: "skipping delete because sources aren't ready yet" },
    });
    expect(t.running()).toBe(1);
    t.say('api');
    t.run(5);
    expect(t.running()).toBe(0);
  });

  const probing = {
    manifests: { 'web.yaml': manifest('web', '    readinessProbe: {tcpSocket: {port: 1}, periodSeconds: 1}\n') },
  };
  /** Returns when the removed pod's probe worker ends: before its container is stopped, or after. */
  const proberEnds = (era: EraVersion) => {
    const t = nodeIn(era, probing);
    t.run(6);
    const prober = t.of('goroutine-start').find((g) => /readiness/.test(g.name));
    t.slow('StopContainer', 5);
    t.os.rm('/m/web.yaml');
    t.run(10);
    const end = t.of('goroutine-end').find((g) => g.id === prober?.id)?.time as number;
    const stopped = t.of('cri-return').find((c) => c.method === 'StopContainer')?.time as number;
    return end < stopped ? 'before' : 'after';
  };
  it.each(old)('[5:C03] %s stops probing at once', (era) => expect(proberEnds(era)).toBe('before'));
  it.each(['v1.25', 'v1.36'] as const)('[5:C03] %s probes until the container has stopped', (era) =>
    expect(proberEnds(era)).toBe('after'),
  );
});

describe('HandlePodReconcile', () => {
  const gated = (...conditions: NonNullable<Pod['status']['conditions']>): Pod => {
    const pod = apiPod('web', { spec: '  readinessGates: [{conditionType: gate}]\n' });
    pod.status = {
      phase: 'Running',
      conditions,
      containerStatuses: [{ ...container({ running: { startedAt: null } }), ready: true }],
    };
    return pod;
  };
  it.each(dispatching)('[5:C04] %s syncs where Ready disagrees with the readiness gates, and else not', (era) => {
    const t = nodeIn(era, { api: true });
    t.say('api', gated());
    t.run(5);
    const reconciled = (pod: Pod) => {
      const from = t.records.length;
      t.say('api', pod);
      t.run(0.1);
      expect(t.entries('HandlePodReconcile').filter((e) => e.seq > from)).toHaveLength(1);
      return updatesSince(t, from, 'uid-web');
    };
    expect(reconciled(gated({ type: 'Ready', status: 'True' }))).toEqual(['sync']);
    const message = 'corresponding condition of pod readiness gate "gate" does not exist.';
    const waits = { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message } as const;
    expect(reconciled(gated(waits))).toEqual([]);
  });

  it.each(dispatching)('[5:C04] %s removes the dead containers of an evicted pod', (era) => {
    const t = nodeIn(era, { api: true });
    t.say('api', apiPod('web', never));
    t.run(5);
    t.cri.exit('app', 1);
    t.run(4);
    expect(t.cri.containers.size).toBe(1);
    const evicted = { ...apiPod('web', never), status: { phase: 'Failed', reason: 'Evicted' } } as Pod;
    t.say('api', evicted);
    t.run(2);
    expect(t.cri.containers.size).toBe(0);
  });
});

describe('HandlePodSyncs', () => {
  it.each(dispatching)('[5:C05] %s dispatches a sync for each pod, with the mirror pod that is known', (era) => {
    const log: string[] = [];
    const t = nodeIn(era, { ...web, deps: { mirrorPodClient: mirrorClient(log) } });
    t.say('api');
    t.run(5);
    expect(log).toContain('create');
    t.say('api', mirrorOf(t.podOf('web-node1') as Pod));
    t.run(3);
    log.length = 0;
    const from = t.records.length;
    t.cri.exit('app', 1);
    t.run(30);
    const syncs = t.entries('HandlePodSyncs').filter((e) => e.seq > from);
    expect(syncs.length).toBeGreaterThan(1);
    const types = t
      .entries('dispatchWork')
      .flatMap((e) => (e.seq > from ? [(e.args as { updateType: string }).updateType] : []));
    expect(new Set(types)).toEqual(new Set(['sync']));
    // A sync without the mirror pod would make one.
    expect(log).toEqual([]);
  });
});

describe('SyncHandler', () => {
  it.each(availableEras)('[5:C06] %s has HandlePodCleanups called by the loop, and notes its error', (era) => {
    const t = nodeIn(era, web);
    t.run(7);
    const loop = t.of('goroutine-start').find((g) => g.name === 'syncLoop')?.id;
    expect(t.entries('HandlePodCleanups').length).toBeGreaterThan(1);
    expect(new Set(t.entries('HandlePodCleanups').map((e) => e.g))).toEqual(new Set([loop]));
    t.cri.failing.set('ListPodSandbox', new CRIError(14, 'down'));
    t.run(5);
    expect(t.lines(/Failed cleaning pods/).at(-1)).toMatchObject({ severity: 'E' });
    t.cri.failing.clear();
    t.run(5);
    expect(t.podOf('web-node1')?.status.phase).toBe('Running');
  });
});

describe('handleMirrorPod', () => {
  it.each(dispatching)('[5:C07] %s updates the static pod, also when its mirror goes', (era) => {
    const t = nodeIn(era, { ...web, deps: { mirrorPodClient: mirrorClient([]) } });
    t.say('api');
    t.run(5);
    const pod = t.podOf('web-node1') as Pod;
    const { uid } = pod.metadata;
    const mirror = mirrorOf(pod);
    const said = (...pods: Pod[]) => {
      const from = t.records.length;
      t.say('api', ...pods);
      t.run(0.01);
      const handled = t.order('HandlePodAdditions', 'HandlePodUpdates', 'HandlePodRemoves', 'handleMirrorPod');
      return [...handled.slice(-2), ...updatesSince(t, from, uid)];
    };
    expect(said(mirror)).toEqual(['HandlePodAdditions', 'handleMirrorPod', 'update']);
    const labelled = { ...mirror, metadata: { ...mirror.metadata, labels: { a: 'b' } } };
    expect(said(labelled)).toEqual(['HandlePodUpdates', 'handleMirrorPod', 'update']);
    expect(said()).toEqual(['HandlePodRemoves', 'handleMirrorPod', 'update']);
    expect(t.kl.podWorkers.snapshot().map((w) => w.uid)).toEqual([uid]);
  });
});

describe('dispatchWork', () => {
  /** A pod that has Succeeded, with dead containers; what happens to it since then. */
  const ended = (era: EraVersion) => {
    const t = nodeIn(era, { api: true });
    t.say('api', apiPod('web', never));
    t.run(5);
    t.cri.exit('app', 0);
    t.run(4);
    expect(t.status('uid-web')?.phase).toBe('Succeeded');
    return t;
  };
  const deleted = (pod: Pod) => ({ ...pod, metadata: { ...pod.metadata, ...deletion } });

  it('[5:C08] v1.21 asks for containers and worker apart, v1.12 for the pod, later ones not at all', () => {
    const asked = (era: EraVersion) => {
      const t = nodeIn(era, web);
      t.run(5);
      return t.of('decision').find((d) => d.rule === 'dispatchWork')?.values;
    };
    expect(asked('v1.12')).toEqual({ terminated: false, deleted: false });
    // Of a pod that is new nothing is known: its containers count as ended, its worker does not.
    expect(asked('v1.21')).toEqual({ containersTerminal: true, podWorkerTerminal: false, deleted: false });
    for (const era of ['v1.25', 'v1.36'] as const) expect(asked(era)).toBeUndefined();
  });

  it.each(old)('[5:C09] %s ends a deleted pod whose containers have ended without its worker', (era) => {
    const t = ended(era);
    const from = t.records.length;
    t.say('api', deleted(apiPod('web', never)));
    t.run(3);
    expect(verdictsSince(t, from, 'uid-web')[0]).toBe('TerminatePod');
    expect(t.entries('TerminatePod').filter((e) => e.seq > from).length).toBeGreaterThan(0);
    expect(updatesSince(t, from, 'uid-web')).toEqual([]);
  });
  it('[5:C09] v1.25 leaves that to the worker', () => {
    const t = ended('v1.25');
    const from = t.records.length;
    t.say('api', deleted(apiPod('web', never)));
    t.run(1);
    expect(t.of('pod-update').filter((u) => u.seq > from).length).toBeGreaterThan(0);
  });

  it.each(old)('[5:C10] %s does not sync again what has ended', (era) => {
    const t = ended(era);
    const from = t.records.length;
    t.say('api', apiPod('web', { ...never, labels: { a: 'b' } }));
    t.run(100);
    const verdicts = verdictsSince(t, from, 'uid-web');
    expect(verdicts.length).toBeGreaterThan(0);
    expect(new Set(verdicts)).toEqual(new Set(['ignore']));
    expect(updatesSince(t, from, 'uid-web')).toEqual([]);
    const told = t.lines(/ignoring remaining sync work/).filter((l) => l.seq > from);
    expect(told.length).toBe(era === 'v1.21' ? verdicts.length : 0);
  });

  /** A pod is Failed for the API while its container runs. */
  const failedButRunning = (era: EraVersion) => {
    const t = nodeIn(era, { api: true });
    t.say('api', apiPod('web'));
    t.run(5);
    t.kl.statusManager.setPodStatus(t.podOf('web') as Pod, { ...t.status('uid-web'), phase: 'Failed' });
    const from = t.records.length;
    t.say('api', apiPod('web', { labels: { a: 'b' } }));
    t.run(0.1);
    return { verdicts: verdictsSince(t, from, 'uid-web'), updates: updatesSince(t, from, 'uid-web') };
  };
  it('[5:C10] v1.21 goes on as long as a container runs; v1.12 does not ask', () => {
    expect(failedButRunning('v1.21')).toEqual({ verdicts: ['UpdatePod'], updates: ['update'] });
    expect(failedButRunning('v1.12')).toEqual({ verdicts: ['ignore'], updates: [] });
  });

  it.each(old)('[5:C11] %s measures only what failed', (era) => {
    const t = nodeIn(era, web);
    t.run(4);
    const measured = () => t.kl.metrics.podWorkerDuration.count({ operation_type: 'sync' });
    expect(t.of('work-done').length).toBeGreaterThan(1);
    expect(measured() + t.kl.metrics.podWorkerDuration.count({ operation_type: 'create' })).toBe(0);
    t.cri.failing.set('CreateContainer', new CRIError(2, 'no space'));
    t.cri.exit('app', 1);
    t.run(30);
    const failed = t.of('work-done').filter((w) => w.error).length;
    expect(failed).toBeGreaterThan(0);
    expect(measured()).toBe(failed);
  });
  it('[5:C11] v1.25 measures every sync', () => {
    const t = nodeIn('v1.25', web);
    t.run(4);
    expect(t.kl.metrics.podWorkerDuration.count({ operation_type: 'create' })).toBe(1);
  });

  const verdictOf = (era: EraVersion, status: Pod['status'], meta: Partial<Pod['metadata']> = {}) => {
    const t = nodeIn(era, { api: true, config: { maxPods: 10 } });
    t.run(3);
    const pod = apiPod('web', meta);
    pod.status = status;
    t.say('api', pod);
    t.run(0.001);
    const d = t.of('decision').find((x) => x.rule === 'dispatchWork');
    return { verdict: d?.verdict, values: d?.values, t };
  };
  it('[5:C12] v1.21 takes waiting for ended, and so a list of nothing', () => {
    const running = container({ running: { startedAt: '2026-01-01T00:00:00Z' } });
    const waiting = container({ waiting: { reason: 'ContainerCreating' } });
    const of = (statuses: ContainerStatus[], phase: 'Running' | 'Failed' = 'Running') =>
      verdictOf('v1.21', { phase, containerStatuses: statuses }).values;
    expect(of([running])).toMatchObject({ containersTerminal: false, podWorkerTerminal: false });
    expect(of([running, waiting])).toMatchObject({ containersTerminal: false });
    expect(of([waiting])).toMatchObject({ containersTerminal: true, podWorkerTerminal: false });
    expect(of([])).toMatchObject({ containersTerminal: true, podWorkerTerminal: false });
    expect(of([running], 'Failed')).toMatchObject({ containersTerminal: false, podWorkerTerminal: true });
  });

  it.each(old)('[5:C12] %s takes a deleted pod that has not started for one that has ended', (era) => {
    const { t, verdict } = verdictOf(era, { phase: 'Pending' }, deletion);
    expect(verdict).toBe('TerminatePod');
    t.run(5);
    expect(t.kl.podWorkers.snapshot()).toEqual([]);
  });
  it('[5:C12] v1.25 has its worker end it', () => {
    const { t } = verdictOf('v1.25', { phase: 'Pending' }, deletion);
    t.run(0.1);
    expect(t.of('worker').map((w) => w.state)).toContain('terminating');
  });

  it('[5:C12] v1.21 goes by what the status manager knows, not by what the API shows', () => {
    const t = nodeIn('v1.21', { api: true });
    t.say('api', apiPod('web'));
    t.run(5);
    const from = t.records.length;
    const shown = apiPod('web', { labels: { a: 'b' } });
    shown.status = { phase: 'Failed' };
    t.say('api', shown);
    t.run(0.1);
    expect(new Set(verdictsSince(t, from, 'uid-web'))).toEqual(new Set(['UpdatePod']));
  });
});
