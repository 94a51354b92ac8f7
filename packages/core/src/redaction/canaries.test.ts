import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { TraceRecord } from '../trace/index.js';
import { redactRecord } from './redact.js';

const { canary: CANARY, shapes: canaries } = JSON.parse(
  readFileSync(new URL('../../testdata/redaction/canaries.json', import.meta.url), 'utf8'),
) as { readonly canary: string; readonly shapes: readonly string[] };

const head = { seq: 1, time: 0, g: 0, span: 0, cause: 0, kind: 'log', severity: 'I', v: 0, file: 'a.go' };
const line = (msg: string, kv = {}) => ({ ...head, msg, kv }) as unknown as TraceRecord;

describe('a secret in a line of a log', () => {
  it.each(canaries)('is taken out of %j', (text) => {
    const json = JSON.stringify;
    for (const record of [
      line(text),
      line('m', { err: text }),
      line(`"m" err=${json(text)}`),
      line(json({ level: 'info', err: text })),
      line('m', { err: json({ a: text }) }),
      line('m', { err: json({ a: json({ b: text }) }) }),
    ]) {
      const shown = json(redactRecord(record));
      expect(shown).toContain('[REDACTED]');
      expect(shown).not.toContain(CANARY);
      // A second redaction changes nothing.
      expect(json(redactRecord(JSON.parse(shown)))).toBe(shown);
    }
  });

  it('is taken out of a value that begins in the next line', () => {
    expect(redactRecord(line(`"password"\n: "${CANARY}"`))).toMatchObject({ msg: '"password"\n: "[REDACTED]"' });
  });

  it('is taken out of fields with names that say so, and of maps for drivers of volumes', () => {
    const fields = { password: 'x1', 'api-key': 'x2', clientSecret: 'x3', 'http.request.header.cookie': 'x4' };
    const shown = JSON.stringify(redactRecord(line('m', { ...fields, secrets: { a: 'x5' } })));
    expect(shown).not.toMatch(/x\d/);
  });

  it('is taken out of keys of several lines, each of which is a record', () => {
    for (const text of [
      'MIIEpAIBAAKCAQEAwq7xmTWmLQd5Y3tFZ0Z1dZbWv0Jp3hKkZ5q0cQeXxJ9Z3uY0',
      '  kM3xQ0a9aQ==',
      'kM3xQ0a9kM3xQ0a9kM3xQ0a9',
    ])
      expect(redactRecord(line(text))).toMatchObject({ msg: '[REDACTED]' });
  });
});
