import { utf8Bytes } from '@syncloop/core/base';
import { expect, it } from 'vitest';
import { allExtractors, LogEvidenceReader, Observer, type PodsEvidence } from './index.js';

const UID = 'a7a1d0f4-43dd-4a3f-9d7b-0a5be6d3a101';
const PATCH = (phase: string) =>
  `I1122 10:00:00.000000    1432 status_manager.go:1] "Patch status for pod" pod="default/late" podUID="${UID}" patch="{\\"metadata\\":{\\"uid\\":\\"${UID}\\"},\\"status\\":{\\"phase\\":\\"${phase}\\"}}"\n`;
const list = (source: string, second: number, phase: string): PodsEvidence => ({
  kind: 'pods',
  source,
  place: {},
  at: Date.UTC(2026, 10, 22, 10, 0, second) * 1000,
  scope: 'all',
  pods: [{ metadata: { name: 'late', namespace: 'default', uid: UID }, status: { phase } }],
});

function disagreements(patched: string, ...lists: readonly PodsEvidence[]) {
  const reader = new LogEvidenceReader('log', { notAfter: Date.UTC(2026, 10, 22, 23) });
  const lines = [...reader.push(utf8Bytes(PATCH(patched))), ...reader.end()];
  const observer = new Observer({ sources: [], extractors: allExtractors() });
  const records = [...observer.push([...lines, ...lists]), ...observer.end()];
  return records.filter((r) => r.kind === 'disagreement');
}

it('two sources that name different final phases disagree, once', () => {
  const found = disagreements('Succeeded', list('pods', 1, 'Failed'), list('pods', 2, 'Failed'));
  expect(found).toMatchObject([
    {
      about: 'status.phase of default/late',
      sides: [
        { source: 'log', value: 'Succeeded' },
        { source: 'pods', value: 'Failed' },
      ],
    },
  ]);
});

it('the same phase, an earlier one, and a source that corrects itself are no disagreement', () => {
  expect(disagreements('Failed', list('pods', 1, 'Failed'))).toEqual([]);
  expect(disagreements('Failed', list('pods', 1, 'Running'))).toEqual([]);
  expect(disagreements('Running', list('pods', 1, 'Failed'), list('pods', 2, 'Succeeded'))).toEqual([]);
});
