import { findScenario, startScenario } from '@syncloop/core/scenario';
import type { RecordBody, TraceRecord } from '@syncloop/core/trace';
import { versionOfRecords } from '@syncloop/core/version';
import { describe, expect, it } from 'vitest';
import { observeCapture, startCapture } from '../capture/index.js';
import { compare } from './compare.js';
import { coverageOf } from './coverage.js';
import { decisionsOf } from './decisions.js';
import { cleanConfig, cleanStatus, divergences, scrub } from './scrub.js';

const { run, capture } = startCapture(findScenario('crash-loop'), { seed: 3 });
run.run();
const files = capture();
const observed = (only?: readonly string[]) => observeCapture(files, only).records;
const own: TraceRecord[] = [];
startScenario(findScenario('crash-loop'), { seed: 3, sink: (r) => own.push(r) }).run();

const record = (body: RecordBody, seq: number): TraceRecord =>
  ({ ...body, seq, time: seq * 1e6, g: 0, span: 0, cause: 0 }) as TraceRecord;
const records = (...bodies: RecordBody[]) => bodies.map((body, i) => record(body, i + 1));

describe('decisions', () => {
  it('are those of the run, whether it is ours or was observed', () => {
    const kinds = ['config', 'call', 'kill', 'restart', 'pleg'];
    const texts = (of: readonly TraceRecord[]) =>
      decisionsOf(of)
        .filter(({ kind }) => kinds.includes(kind))
        .map(({ kind, what, pod, container, attempt }) => `${kind} ${what} ${pod} ${container ?? ''} ${attempt ?? ''}`)
        .sort();
    expect(texts(observed())).toEqual(texts(own));
    expect(texts(own).length).toBeGreaterThan(30);
  });

  it('have no UID, id or hash in them, and take no part of a run for a pod', () => {
    for (const of of [own, observed()]) {
      const decisions = decisionsOf(of);
      const text = JSON.stringify(decisions.map(({ seq: _, time: __, ...rest }) => rest));
      expect(text).not.toMatch(/[0-9a-f]{32}/);
      expect(new Set(decisions.map(({ pod }) => pod))).toEqual(new Set(['default/crash-node1']));
    }
  });

  it('know containers by name and attempt also where only ids are told', () => {
    const pods = decisionsOf(observed(['kubelet.v4.log', 'pods.ndjson']));
    const restarts = pods.filter(({ kind, what }) => kind === 'restart' && what === 'restart');
    expect(restarts.map(({ container, attempt }) => `${container} ${attempt}`)).toEqual(['app 1', 'app 2', 'app 3']);
    const died = pods.filter(({ kind, what, container }) => kind === 'pleg' && what === 'ContainerDied' && container);
    expect(died.map(({ attempt }) => attempt)).toEqual([0, 1, 2, 3]);
  });

  it('count pods of one name by their UIDs, and a mirror pod as the pod that it shows', () => {
    const hash = (c: string) => c.repeat(32);
    const mirror = '11111111-1111-1111-1111-111111111111';
    const pod = 'default/web-node1';
    const config = (source: string, op: 'ADD' | 'REMOVE', uid: string): RecordBody => ({
      ...{ kind: 'pod-config', source, op },
      pods: [{ pod, uid }],
    });
    const decisions = decisionsOf(
      records(
        config('file', 'ADD', hash('a')),
        config('api', 'ADD', mirror),
        config('file', 'REMOVE', hash('a')),
        config('file', 'ADD', hash('b')),
      ),
    );
    expect(decisions.map(({ what, incarnation, details }) => [what, incarnation, details])).toEqual([
      ['ADD', 0, { source: 'file' }],
      ['ADD', 1, { source: 'api', mirror: true }],
      ['REMOVE', 0, { source: 'file' }],
      ['ADD', 1, { source: 'file' }],
    ]);
  });

  const pod = { pod: 'default/web', uid: 'u-1' };
  const config = (op: 'ADD' | 'REMOVE'): RecordBody => ({ kind: 'pod-config', source: 'api', op, pods: [pod] });

  it('hold a terminal phase back, as the API server has it, until all containers have ended', () => {
    const status = (phase: 'Running' | 'Succeeded', version: number): RecordBody => ({
      ...{ kind: 'status', version, ...pod },
      status: { phase, conditions: [{ type: 'Ready', status: phase === 'Running' ? 'True' : 'False' }] },
    });
    const work = (kind: 'work-start' | 'work-done'): RecordBody => ({ kind, workType: 'terminating', ...pod });
    const of = (...bodies: RecordBody[]) =>
      decisionsOf(records(...bodies))
        .filter(({ kind }) => kind === 'status')
        .map(({ what, details }) => [what, details as object]);
    const ready = (phase: string, is: string) => [phase, { phase, conditions: { Ready: is } }];
    const ends = [work('work-start'), work('work-done'), status('Succeeded', 3)];
    expect(of(config('ADD'), status('Running', 1), status('Succeeded', 2), ...ends)).toEqual([
      ready('Running', 'True'),
      ready('Running', 'False'),
      ready('Succeeded', 'False'),
    ]);
    // Nobody holds back what a source of its own has.
    expect(of(status('Running', 1), status('Succeeded', 2), ...ends).map(([what]) => what)).toEqual([
      'Running',
      'Succeeded',
    ]);
  });

  it('know that a new process ignores events of pods of which it has not heard', () => {
    const event: RecordBody = { kind: 'pleg-event', type: 'ContainerStarted', data: 'c', ...pod };
    const start: RecordBody = { kind: 'process', process: 'kubelet', state: 'started' };
    const ignored = decisionsOf(records(config('ADD'), event, start, event, config('ADD'), event))
      .filter(({ kind }) => kind === 'pleg')
      .map(({ details }) => (details as { ignored?: boolean }).ignored ?? false);
    expect(ignored).toEqual([false, true, false]);
  });

  it('take no probe for a hook: a hook has no timeout', () => {
    const exec = (timeout: string | undefined): RecordBody => ({
      ...{ kind: 'cri-call', method: 'ExecSync' },
      request: { containerId: 'c', cmd: ['x'], ...(timeout && { timeout }) },
    });
    expect(decisionsOf(records(exec('1'), exec(undefined))).map(({ seq }) => seq)).toEqual([2]);
  });
});

describe('a run', () => {
  it('is the same as itself, as ours and as observed, from any of its sources', () => {
    for (const of of [
      own,
      observed(),
      observed(['kubelet.v4.log']),
      observed(['pods.ndjson']),
      observed(['cri-bytes']),
    ]) {
      const decisions = decisionsOf(of);
      const { compared, same, differences } = compare(decisions, decisions, { coverage: coverageOf(of) });
      expect(differences).toEqual([]);
      expect(same).toBe(compared);
      expect(compared).toBeGreaterThan(2);
    }
  });

  it('may begin and end anywhere', () => {
    const seen = observed();
    for (let from = 0; from < seen.length; from += 401) {
      const some = seen.slice(from, from + 500);
      const decisions = decisionsOf(some);
      expect(compare(decisions, decisions, { coverage: coverageOf(some) }).differences).toEqual([]);
    }
  });
});

describe('coverage', () => {
  it('of our own run is whole', () => {
    expect(new Set(Object.values(coverageOf(own)))).toEqual(new Set(['whole']));
  });

  it('of a capture is what its sources tell', () => {
    expect(new Set(Object.values(coverageOf(observed())))).toEqual(new Set(['whole']));
    expect(coverageOf(observed(['kubelet.v4.log']))).toEqual({
      ...{ config: 'whole', pleg: 'whole', sync: 'whole', call: 'part', kill: 'whole', restart: 'part' },
      ...{ status: 'part', event: 'whole' },
    });
    expect(coverageOf(observed(['pods.ndjson']))).toEqual({
      ...{ config: 'none', pleg: 'none', sync: 'none', call: 'none', kill: 'none', restart: 'part' },
      ...{ status: 'whole', event: 'none' },
    });
    expect(coverageOf(observed(['cri-bytes']))).toMatchObject({ call: 'whole', kill: 'none', event: 'none' });
  });

  it('below -v=3 has no events, and with a gap nothing is whole', () => {
    const low = startCapture(findScenario('two-pods'), { verbosity: 2 });
    low.run.run();
    const seen = observeCapture(low.capture(), ['kubelet.v2.log']).records;
    expect(coverageOf(seen)).toMatchObject({
      config: 'whole',
      pleg: 'whole',
      sync: 'part',
      kill: 'whole',
      event: 'none',
    });
    const gap = record({ kind: 'evidence-gap', source: 'log', why: 'it was cut' }, 1);
    expect(Object.values(coverageOf([...seen, gap]))).not.toContain('whole');
    expect(versionOfRecords(seen)).toMatchObject({ how: 'reported', version: 'v1.36.2', era: 'v1.36' });
    expect(versionOfRecords(own)).toMatchObject({ version: '', era: 'v1.36' });
  });
});

describe('what is of one run alone', () => {
  it('is taken out of texts; what was decided stays', () => {
    const uid = '0123456789abcdef0123456789abcdef';
    expect(scrub(`back-off 10s restarting failed container=app pod=web_default(${uid})`)).toBe(
      'back-off 10s restarting failed container=app pod=web_default(UID)',
    );
    expect(scrub(`task ${'ab'.repeat(32)} of sha256:${'0'.repeat(64)} at 10.0.0.7:8080`)).toBe(
      'task ID of DIGEST at IP',
    );
    expect(scrub('Successfully pulled image "x" in 1.2s (1.3s including waiting).')).toContain('in DUR (DUR including');
  });

  it('is taken out of requests; environment and mounts are held by name', () => {
    const config = (uid: string, n: number) => ({
      metadata: { name: 'app', attempt: 0 },
      image: { image: 'sha256:abc', userSpecifiedImage: 'busybox' },
      annotations: { 'io.kubernetes.container.hash': String(n), kept: 'yes' },
      envs: n
        ? [
            { key: 'A', value: '1' },
            { key: 'B', value: '2' },
          ]
        : [
            { key: 'B', value: '2' },
            { key: 'A', value: '1' },
          ],
      mounts: [{ containerPath: '/etc/hosts', hostPath: `/var/lib/kubelet/pods/${uid}/etc-hosts` }],
    });
    const [a, b] = [config('a'.repeat(32), 0), config('b'.repeat(32), 1)].map((c) => cleanConfig(c));
    expect(a).toEqual(b);
    expect(a).toEqual({
      ...{ metadata: { name: 'app' }, image: 'busybox', annotations: { kept: 'yes' }, envs: { A: '1', B: '2' } },
      mounts: { '/etc/hosts': { hostPath: 'ROOT/pods/UID/etc-hosts' } },
    });
  });

  it('is taken out of statuses: times, addresses and ids are no decisions', () => {
    const status = (at: string) => ({
      phase: 'Running',
      podIP: `10.0.0.${at.length}`,
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at }],
      containerStatuses: [
        { name: 'app', ready: true, restartCount: 1, containerID: at, state: { running: { startedAt: at } } },
      ],
    });
    expect(cleanStatus(status('2026'))).toEqual(cleanStatus(status('2027-01')));
    expect(cleanStatus(status(''))).toEqual({
      ...{ phase: 'Running', conditions: { Ready: 'True' } },
      containers: { app: { state: { running: true }, restartCount: 1, ready: true, started: false } },
    });
  });

  it('divergences name each place once', () => {
    expect(divergences({ a: [1, { b: 2 }], c: 1 }, { a: [1, { b: 3 }], d: 1 })).toEqual([
      { path: 'a[1].b', seen: 2, twin: 3 },
      { path: 'c', seen: 1, twin: null },
      { path: 'd', seen: null, twin: 1 },
    ]);
  });
});
