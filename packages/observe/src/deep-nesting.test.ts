/** A stranger's line may nest as deep as it likes, and its readers have a stack of some thousand calls. */

import { cutMark, utf8Bytes } from '@syncloop/core/base';
import { redactRecord } from '@syncloop/core/redaction';
import { expect, it } from 'vitest';
import { openObservation, recognise } from './index.js';

const DEEP = `${'{"a":'.repeat(100_000)}"s3cret"${'}'.repeat(100_000)}`;
const AT = 'I1122 10:00:00.000000    1432 kubelet.go:100]';

it.each([
  ['a field of klog', `${AT} "SyncLoop (PLEG): event for pod" pod="default/web-0" event=${DEEP}`],
  ['a text of JSON', `${AT} "Patched" patch=${JSON.stringify(DEEP)}`],
  [
    'klog in JSON',
    `{"ts":1795341600000,"caller":"kubelet/kubelet.go:2752","msg":"SyncLoop (PLEG): event for pod","v":2,"pod":"default/web-0","event":${DEEP}}`,
  ],
])('%s is cut and marked', (_, deep) => {
  const text = [
    `${AT} "Kubelet version" kubeletVersion="v1.36.2"`,
    deep,
    `${AT} "SyncLoop ADD" source="api" pods=["ci/a"]`,
  ];
  const bytes = utf8Bytes(`${text.join('\n')}\n`);
  const found = recognise('kubelet.log', utf8Bytes(`${text[0]}\n`));
  if (found.is !== 'source') throw new Error('it is no log');
  const context = { notAfter: Date.UTC(2026, 11, 1), startedMillis: null };
  const observation = openObservation([{ id: 'log', kind: 'log', name: 'log', format: found.format, context }]);
  const records = [...observation.push('log', bytes), ...observation.end('log')].map(redactRecord);
  const shown = JSON.stringify(records);
  expect(shown).toContain('ci/a');
  expect(shown).toContain(cutMark);
  expect(shown).not.toContain('s3cret');
});
