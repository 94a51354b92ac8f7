import type { TraceRecord } from '@syncloop/core/trace';
import { versionOfRecords } from '@syncloop/core/version';
import { describe, expect, it } from 'vitest';
import { captured, startedMillis } from '../../testing/capture.js';
import { type Capture, observeCapture } from '../capture/index.js';
import { compare } from './compare.js';
import { coverageOf } from './coverage.js';
import { decisionsOf } from './decisions.js';

const HOUR = 3600e6;
function observe(name: string, beside: readonly string[]): readonly TraceRecord[] {
  const log = name.includes('-v2') ? 'kubelet.v2.log' : 'kubelet.v4.log';
  const capture: Capture = {
    startedMillis: startedMillis(name),
    until: HOUR,
    files: new Map([log, ...beside].map((file) => [file, captured(file, name)])),
  };
  return observeCapture(capture).records;
}

describe('two real kubelets that were told the same', () => {
  it.each([
    ['v1.25-v4/single-pod-lifecycle', 'v1.36-v4-calls/single-pod-lifecycle', ['cri-bytes.ndjson', 'pods.ndjson']],
    ['v1.33-v4/crash-loop', 'v1.36-v4/crash-loop', []],
    ['v1.36-v2/crash-loop', 'v1.36-v4/crash-loop', []],
  ])('%s is not accused of what jitters, or of its version, beside %s', (one, other, beside) => {
    const [a, b] = [observe(one, beside), observe(other, beside)];
    const [seen, twin] = [decisionsOf(a), decisionsOf(b)];
    // The recorders began at different times: the first operation puts both on one clock.
    const first = (list: typeof seen) => list.find(({ kind }) => kind === 'config')?.time ?? 0;
    const [mine, theirs] = [coverageOf(a), coverageOf(b)];
    // A source that the stand-in for the twin does not have makes no difference.
    const coverage = Object.fromEntries(
      Object.entries(mine).map(([kind, of]) => [kind, theirs[kind as keyof typeof theirs] === 'none' ? 'none' : of]),
    ) as typeof mine;
    const seenFrom = first(seen) - first(twin);
    const verdict = compare(seen, twin, { coverage, seenFrom, kubelet: versionOfRecords(a), records: a });
    expect(verdict.differences.map(({ text }) => text.en)).toEqual([]);
    expect(verdict.compared).toBeGreaterThan(15);
  });
});
