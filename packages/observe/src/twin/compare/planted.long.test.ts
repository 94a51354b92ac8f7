import { describe, expect, it } from 'vitest';
import { sampled } from '../../testing/sampled.js';
import { alterations } from './testing/alterations.js';
import { about, accusations, comparePlanted } from './testing/planted.js';

/** As many runs without alteration, each with a seed of its own. */
const plain = [
  ...['hello', 'crash-loop', 'init-and-sidecar', 'two-pods', 'run-to-completion', 'static-pod-edited', 'api-pod'],
  ...['update-in-place', 'mirror-pod', 'resize', 'many-pods', 'image-missing', 'slow-pull', 'init-failing', 'oom'],
  ...['config-error', 'post-start-fails', 'volume-missing', 'container-killed', 'deadline', 'sandbox-killed'],
  ...['liveness', 'readiness', 'startup-probe', 'flapping-probe', 'graceful-delete', 'pre-stop-hangs', 'stop-error'],
  ...['sidecar-order', 'qos-tiers', 'kubelet-restart', 'runtime-stopped'],
].map((scenario, i) => ({ scenario, seed: 11 + i }));

describe('a kubelet with one rule altered', () => {
  it.each(alterations)('is found: $name', ({ scenario, alter, at, says }) => {
    const [first] = accusations(comparePlanted({ scenario, seed: 1, alter }));
    if (!first) throw new Error('nothing was found');
    expect(first.text.en).toMatch(says);
    expect(at).toContain(about(first).kind);
  });
  it('is tried in thirty ways and more', () => expect(alterations.length).toBeGreaterThanOrEqual(30));
});

describe('a kubelet that is as it should be', () => {
  it.each(sampled(plain, 6))('is not accused: $scenario with seed $seed', (one) => {
    const verdict = comparePlanted(one);
    expect(verdict.compared).toBeGreaterThan(9);
    expect(accusations(verdict).map(({ text }) => text.en)).toEqual([]);
  });
  it('is tried in thirty ways', () => expect(plain.length).toBeGreaterThanOrEqual(30));
});
