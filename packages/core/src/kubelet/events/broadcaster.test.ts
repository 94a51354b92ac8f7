import { describe, expect, it } from 'vitest';
import type { EventObject } from '../../api/cluster-types.js';
import { Kernel, Millisecond, Minute, Second, VirtualClock } from '../../kernel/index.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import { RestClient } from '../client/rest-client.js';
import { RestKubeClient } from '../client/rest-kube-client.js';
import { EventRecorder } from '../events.js';
import { FakeAPI, status } from '../testing/fake-api.js';
import { apiPod } from '../testing/fake-node.js';
import { EventBroadcaster } from './broadcaster.js';

function setup() {
  const records: TraceRecord[] = [];
  const k = new Kernel({
    sink: (r) => records.push(r),
    clock: new VirtualClock({ epochMillis: Date.UTC(2026, 10, 21, 4, 52, 5) }),
    seed: 4,
  });
  const api = new FakeAPI(k);
  const broadcaster = new EventBroadcaster(k, new RestKubeClient(new RestClient({ kernel: k, transport: api })));
  const recorder = new EventRecorder(k, 'node1');
  recorder.startRecordingToSink(broadcaster);
  k.go('start', function* () {
    broadcaster.start();
  });
  const pod = apiPod('web', { resourceVersion: '87' });
  const say = (reason: string, message: string, type: 'Normal' | 'Warning' = 'Normal', of = pod) =>
    recorder.event(of, type, reason, message, 'spec.containers{app}');
  const run = (d: number) => k.run({ until: k.now() + d });
  const stored = () => [...api.objects('events').values()] as unknown as EventObject[];
  const logs = (pattern: RegExp) =>
    records.filter((r): r is RecordOf<'log'> => r.kind === 'log' && pattern.test(r.msg));
  return { k, api, recorder, pod, say, run, stored, logs };
}

describe('events in the API', () => {
  it('have the shape that a real kubelet gives them', () => {
    const t = setup();
    t.say('Pulled', 'Container image "x" already present');
    t.run(Second);
    expect(t.api.bodies[0]).toEqual({
      what: 'POST events',
      body: {
        kind: 'Event',
        apiVersion: 'v1',
        metadata: { name: expect.stringMatching(/^web\.[0-9a-f]{16}$/), namespace: 'default' },
        involvedObject: {
          kind: 'Pod',
          namespace: 'default',
          name: 'web',
          uid: 'uid-web',
          apiVersion: 'v1',
          resourceVersion: '87',
          fieldPath: 'spec.containers{app}',
        },
        reason: 'Pulled',
        message: 'Container image "x" already present',
        source: { component: 'kubelet', host: 'node1' },
        firstTimestamp: '2026-11-21T04:52:05Z',
        lastTimestamp: '2026-11-21T04:52:05Z',
        count: 1,
        type: 'Normal',
        eventTime: null,
        reportingComponent: 'kubelet',
        reportingInstance: 'node1',
      },
    });
    t.recorder.event(
      { metadata: { name: 'node1', namespace: '', uid: '' } },
      'Normal',
      'Starting',
      'Starting kubelet.',
      '',
      'Node',
    );
    t.run(Second);
    expect(t.api.bodies[1]?.body).toMatchObject({
      metadata: { name: expect.stringMatching(/^node1\.[0-9a-f]{16}$/), namespace: 'default' },
      involvedObject: { kind: 'Node', name: 'node1', apiVersion: 'v1' },
    });
    expect(t.stored().find((e) => e.involvedObject.kind === 'Node')?.involvedObject).not.toHaveProperty('uid');
  });

  it('count up when they are told again, by a patch', () => {
    const t = setup();
    for (let i = 0; i < 3; i++) {
      t.say('BackOff', 'Back-off restarting failed container', 'Warning');
      t.run(Second);
    }
    expect(t.api.bodies.map((b) => b.what)).toEqual(['POST events', 'PATCH events', 'PATCH events']);
    expect(JSON.stringify(t.api.bodies[2]?.body)).toBe(
      '{"count":3,"lastTimestamp":"2026-11-21T04:52:07Z","message":"Back-off restarting failed container"}',
    );
    expect(t.stored()).toMatchObject([{ count: 3, firstTimestamp: '2026-11-21T04:52:05Z' }]);
  });

  it('are made anew when the server has forgotten them', () => {
    const t = setup();
    t.say('Killing', 'Stopping container app');
    t.run(Second);
    t.api.objects('events').clear();
    t.say('Killing', 'Stopping container app');
    t.run(Second);
    expect(t.api.bodies.map((b) => b.what)).toEqual(['POST events', 'PATCH events', 'POST events']);
    expect(t.stored()).toMatchObject([{ count: 2 }]);
  });

  it('that are alike become one after the tenth within ten minutes', () => {
    const t = setup();
    for (let i = 0; i < 12; i++) t.say('Unhealthy', `probe failed: ${i}`, 'Warning');
    t.run(Second);
    const messages = t.stored().map((e) => `${e.count} ${e.message}`);
    expect(messages).toHaveLength(10);
    expect(messages.at(-2)).toBe('1 probe failed: 8');
    expect(messages.at(-1)).toBe('3 (combined from similar events): probe failed: 11');
    t.run(11 * Minute);
    t.say('Unhealthy', 'probe failed: again', 'Warning');
    t.run(Second);
    expect(t.stored().map((e) => e.message)).toContain('probe failed: again');
  });

  it('are 25 at once about one object, then one in five minutes', () => {
    const t = setup();
    for (let i = 0; i < 40; i++) t.say(`Reason${i % 20}`, `m${i}`);
    t.run(Second);
    expect(t.api.bodies).toHaveLength(25);
    // Another object, and another type, have bounds of their own.
    t.say('Other', 'x', 'Normal', apiPod('other'));
    t.say('Other', 'x', 'Warning');
    t.run(Second);
    expect(t.api.bodies).toHaveLength(27);
    t.run(5 * Minute);
    t.say('Late', '1');
    t.say('Late', '2');
    t.run(Second);
    expect(t.api.bodies).toHaveLength(28);
  });

  it('wait for a server that is away, ten seconds at a time, twelve times', () => {
    const t = setup();
    t.api.up = false;
    t.say('Pulled', 'first');
    t.say('Created', 'second');
    t.run(60 * Second);
    const tries = t.logs(/may retry after sleeping/);
    expect(tries.length).toBeGreaterThan(5);
    const gaps = tries.slice(1).map((l, i) => Math.round((l.time - (tries[i]?.time ?? 0)) / Millisecond));
    expect(gaps[0]).toBeLessThanOrEqual(10_001);
    expect(gaps.slice(1).every((g) => g === 10_001)).toBe(true);
    t.api.up = true;
    t.run(11 * Second);
    expect(t.stored().map((e) => e.message)).toEqual(['first', 'second']);
    t.api.up = false;
    t.say('Started', 'lost');
    t.run(10 * Minute);
    expect(t.logs(/retry limit exceeded/)).toHaveLength(1);
    expect(t.api.requests.filter((r) => r.startsWith('POST')).length).toBe(tries.length + 2 + 12);
  });

  it('that the server refuses are given up', () => {
    const t = setup();
    const terminating = { causes: [{ reason: 'NamespaceTerminating', message: 'namespace x is being terminated' }] };
    t.api.answers.set('POST events', [
      status(403, 'Forbidden', 'events is forbidden'),
      status(403, 'Forbidden', 'unable to create new content', terminating),
    ]);
    t.say('A', '1');
    t.say('B', '2');
    t.run(30 * Second);
    expect(t.api.bodies).toHaveLength(2);
    expect(t.logs(/^Server rejected event/).map((l) => [l.severity, l.v])).toEqual([
      ['E', 0],
      ['I', 5],
    ]);
  });

  it('are lost beyond a thousand that wait', () => {
    const t = setup();
    t.api.up = false;
    for (let i = 0; i < 1005; i++) t.say('R', `m${i}`);
    t.run(Second);
    expect(t.logs(/too many queued events, dropped event/)).toHaveLength(5);
  });
});
