/** Time in proportion to the pods, checked by counts of the looks at observed objects. */

import { utf8Bytes } from '@syncloop/core/base';
import type { TraceRecord } from '@syncloop/core/trace';
import { expect, it } from 'vitest';
import { openObservation, recognise } from '../../index.js';
import { logOfAdds, logOfPods } from '../../testing/log-of-pods.mjs';
import { Assumptions } from './assumptions.js';
import { callEntries } from './calls.js';
import { conditionSteps } from './conditions.js';
import { lifeEntries } from './container-scripts.js';
import { gather } from './gather.js';
import { imagesOf } from './images.js';
import { objectSteps } from './objects.js';
import { outageSteps } from './outages.js';
import { podSteps, type Setting } from './pods.js';
import type { Seen } from './seen.js';

function recordsOf(text: string): TraceRecord[] {
  const bytes = utf8Bytes(text);
  const found = recognise('kubelet.log', bytes);
  if (found.is !== 'source') throw new Error('it is no log');
  const context = { notAfter: Date.UTC(2026, 11, 1), startedMillis: null };
  const observation = openObservation([{ id: 'log', kind: 'log', name: 'log', format: found.format, context }]);
  return [...observation.push('log', bytes), ...observation.end('log')];
}

/** Counts how often a field of a pod, container, event, call, step, probe, line or record is read. */
function looks(text: string, make: (setting: Setting) => unknown): number {
  let count = 0;
  const counted = <T extends object>(one: T): T =>
    new Proxy(one, {
      get(target, key) {
        count++;
        return Reflect.get(target, key);
      },
    });
  const seen = gather(recordsOf(text), 0);
  const mapped = <T extends object>(map: ReadonlyMap<string, T>) =>
    new Map([...map].map(([key, value]) => [key, counted(value)]));
  const watched: Seen = {
    ...seen,
    pods: mapped(seen.pods),
    containers: mapped(seen.containers),
    sandboxes: mapped(seen.sandboxes),
    calls: seen.calls.map(counted),
    steps: seen.steps.map(counted),
    logs: seen.logs.map(counted),
    events: seen.events.map(counted),
    probes: seen.probes.map(counted),
    records: seen.records.map(counted),
  };
  make({
    seen: watched,
    assumptions: new Assumptions(),
    nodeName: 'node1',
    epochMicros: 0,
    toTwin: (time) => time,
    starts: [0],
  });
  return count;
}

const PARTS = { podSteps, objectSteps, conditionSteps, outageSteps, imagesOf, lifeEntries, callEntries };

it.each(Object.entries(PARTS))('%s looks at four times as much for four times the pods', (_, part) => {
  const few = looks(logOfPods({ pods: 20 }), part);
  const many = looks(logOfPods({ pods: 80 }), part);
  expect(few).toBeGreaterThan(100);
  expect(many).toBeLessThan(few * 4.4);
});

it('so it is with all pods in one line', () => {
  const few = looks(logOfAdds({ pods: 100, lines: 1 }), podSteps);
  expect(looks(logOfAdds({ pods: 400, lines: 1 }), podSteps)).toBeLessThan(few * 4.4);
});
