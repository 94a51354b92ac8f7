import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { observeFiles } from './observed.js';

const { canary, shapes } = JSON.parse(
  readFileSync(new URL('../../../../../packages/core/testdata/redaction/canaries.json', import.meta.url), 'utf8'),
) as { readonly canary: string; readonly shapes: readonly string[] };

it('takes secrets out of a log that is dropped, so that nothing that is saved or shared from there has them', async () => {
  const lines = shapes.flatMap((text, i) => {
    const head = `E0624 10:00:01.${String(i).padStart(3, '0')}000    1432 pod_workers.go:12]`;
    return [`${head} failed: ${text}`, `${head} "Error syncing pod" err=${JSON.stringify(text)}`];
  });
  const start = 'I0624 10:00:00.000000    1432 server.go:1] "Kubelet version" kubeletVersion="v1.36.0"\n';
  const blob = new Blob([start, lines.join('\n'), '\n']);
  const observed = await observeFiles([{ name: 'kubelet.log', blob, modified: Date.UTC(2026, 6, 1) }], 'x');
  if (!observed.session) throw new Error('nothing was read');
  const { session } = observed;
  await expect.poll(() => session.behind).toBeUndefined();
  const work = session.records();
  let next = work.next();
  while (!next.done) next = work.next();
  const text = JSON.stringify(next.value);
  expect(next.value.length).toBeGreaterThan(lines.length);
  expect(text).toContain('[REDACTED]');
  const at = text.indexOf(canary);
  expect(at < 0 ? '' : text.slice(Math.max(0, at - 200), at + 50)).toBe('');
});
