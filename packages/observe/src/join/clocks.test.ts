import { describe, expect, it } from 'vitest';
import type { CallEvidence, Evidence, SpanEvidence } from '../evidence/index.js';
import { agreed, SourceClocks } from './clocks.js';

const T = 1_700_000_000_000_000;
const HOUR = 3600e6;
const span = (uid: string, at: number): SpanEvidence => ({
  kind: 'span',
  source: 'spans',
  at: T + at,
  end: T + at + 1000,
  place: {},
  name: 'syncPod',
  spanKind: 'internal',
  service: 'kubelet',
  scope: '',
  traceId: '',
  spanId: '',
  parentSpanId: '',
  attributes: { 'k8s.pod.uid': uid },
});
const line = (uid: string, at: number): Evidence => ({
  kind: 'line',
  source: 'log',
  at: T + at,
  place: {},
  entry: {
    kind: 'entry',
    epochMicros: T + at,
    severity: 'I',
    pid: 1,
    file: 'kubelet.go',
    sourceLine: 1,
    msg: 'SyncPod enter',
    fields: { pod: 'd/web', podUID: uid },
    structured: true,
    line: 1,
    offset: 0,
  },
});
const call = (method: string, at: number): CallEvidence => ({
  kind: 'call',
  source: 'cri',
  at: T + at,
  place: {},
  call: 1,
  method,
  request: {},
});

describe('clocks of sources', () => {
  it('that are one differ by what passes between the two sightings, and nothing is shifted', () => {
    const clocks = new SourceClocks();
    for (let n = 0; n < 5; n++) {
      clocks.note(span('u', n * 3.3e6));
      expect(clocks.note(line('u', n * 3.3e6 + 20 + n))).toBe(false);
    }
    expect(clocks.takeNews()).toEqual([{ source: 'spans', against: 'log', offset: 21, uncertainty: 1, samples: 3 }]);
    expect(clocks.shift('spans')).toBe(0);
  });

  it('that differ by hours are found, though times of other pods, and missing ones, lie between', () => {
    const clocks = new SourceClocks();
    const times = [0, 1.1e6, 4.7e6, 5.2e6, 17e6, 40.3e6];
    for (const [n, at] of times.entries()) clocks.note(line(n % 2 ? 'a' : 'b', at));
    expect(clocks.takeNews()).toEqual([]);
    let shifted = 0;
    for (const [n, at] of times.entries())
      if (n !== 2 && clocks.note(span(n % 2 ? 'a' : 'b', at + 2 * HOUR - 30 * n))) shifted++;
    expect(shifted).toBe(1);
    expect(clocks.shift('spans')).toBeCloseTo(-2 * HOUR, -3);
    expect(clocks.shift('log')).toBe(0);
    const aligned = clocks.aligned(span('a', 2 * HOUR));
    expect(Math.abs((aligned.at as number) - T)).toBeLessThan(1000);
    expect(aligned.kind === 'span' && aligned.end - (aligned.at as number)).toBe(1000);
  });

  it('that list the same running container again and again are not taken for late', () => {
    const clocks = new SourceClocks();
    const started = (id: string, at: number): Evidence => {
      const of = line('u', at) as Extract<Evidence, { kind: 'line' }>;
      const entry = {
        ...of.entry,
        msg: 'SyncLoop (PLEG): event for pod',
        fields: { pod: 'd/web', event: { ID: 'u', Type: 'ContainerStarted', Data: id } },
      };
      return { ...of, entry } as Evidence;
    };
    const listed = (at: number, ...running: string[]): Evidence => {
      const containerStatuses = running.map((id) => ({
        name: id,
        containerID: `containerd://${id}`,
        state: { running: {} },
      }));
      return {
        kind: 'pods',
        source: 'pods',
        at: T + at,
        place: {},
        pods: [{ status: { containerStatuses } }],
      } as never;
    };
    clocks.note(started('c1', 0));
    clocks.note(listed(0.1e6, 'c1'));
    // Somebody asks often, long after it began.
    for (let n = 0; n < 20; n++) expect(clocks.note(listed(60e6 + n * 0.1e6, 'c1'))).toBe(false);
    expect(clocks.shift('pods')).toBe(0);
  });

  it('are joined over a third: what is shifted against one that is shifted has both', () => {
    const clocks = new SourceClocks();
    for (let n = 0; n < 4; n++) clocks.note(line('u', n * n * 1e6));
    const run = (at: number): SpanEvidence => ({
      ...span('', at),
      name: 'runtime.v1.RuntimeService/RunPodSandbox',
      spanKind: 'client',
    });
    for (let n = 0; n < 4; n++) {
      clocks.note(span('u', n * n * 1e6 + HOUR));
      clocks.note(run(n * n * 1e6 + HOUR + 5));
    }
    for (let n = 0; n < 4; n++) clocks.note(call('RunPodSandbox', n * n * 1e6 + 3 * HOUR));
    // Log and calls have nothing in common but the spans.
    expect(['log', 'spans', 'cri'].map((id) => clocks.shift(id))).toEqual([0, -HOUR, -3 * HOUR + 5]);
  });

  it('of which nothing agrees stay as they are', () => {
    const clocks = new SourceClocks();
    for (let n = 0; n < 40; n++) {
      clocks.note(line('u', (n * 7919 * 104_729) % 100_000_000));
      clocks.note(span('u', (n * 6101 * 15_485_863) % 100_000_000));
    }
    expect(clocks.shift('spans')).toBe(0);
  });

  it('differences agree where most lie together, and no other place has nearly as many', () => {
    expect(agreed([1, 2], 10)).toBeNull();
    expect(agreed([5, 1, 3, 900, -70], 10)).toEqual({ offset: 3, uncertainty: 2, samples: 3 });
    expect(agreed([1, 2, 3, 100, 101, 102], 10)).toBeNull();
  });
});
