import type { Json, TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { redactRecord } from './redact.js';

const head = { seq: 1, time: 0, g: 0, span: 0, cause: 0 };
const record = (body: object) => ({ ...head, ...body }) as unknown as TraceRecord;
const canary = 'canary-9c1f';

/** Every string in a value. */
const strings = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(strings)
      : [];

describe('redactRecord', () => {
  it.each<[string, object]>([
    [
      'the environment in CreateContainer',
      { kind: 'cri-call', method: 'CreateContainer', request: { config: { envs: [{ key: 'A', value: canary }] } } },
    ],
    [
      'registry credentials',
      {
        kind: 'cri-call',
        method: 'PullImage',
        request: {
          auth: { username: canary, password: canary, auth: canary, identityToken: canary, registryToken: canary },
        },
      },
    ],
    [
      'what a command printed',
      { kind: 'cri-return', call: 1, method: 'ExecSync', took: 1, response: { stdout: canary, stderr: canary } },
    ],
    [
      "the runtime's own dump",
      {
        kind: 'cri-return',
        call: 1,
        method: 'ContainerStatus',
        took: 1,
        response: { info: { info: `{"env":"${canary}"}` } },
      },
    ],
    [
      'a pod in arguments',
      {
        kind: 'enter',
        fn: 'SyncPod',
        args: { pod: { spec: { containers: [{ env: [{ name: 'A', value: canary }] }] } } },
      },
    ],
    [
      'a pod in a channel',
      {
        kind: 'send',
        chan: 1,
        len: 1,
        item: [{ spec: { initContainers: [{ env: [{ name: 'A', value: canary }] }] } }],
      },
    ],
    ['an environment of an odd shape', { kind: 'enter', fn: 'x', args: { envs: [`A=${canary}`] } }],
  ])('takes out %s', (_what, body) => {
    const before = JSON.stringify(body);
    const after = redactRecord(record(body));
    expect(strings(after).filter((s) => s.includes(canary))).toEqual([]);
    expect(JSON.stringify(after)).toContain('[REDACTED]');
    expect(JSON.stringify(body)).toBe(before);
  });

  it('keeps the rest: names, registry addresses, empty values, other fields called value', () => {
    const request: Json = {
      config: { envs: [{ key: 'A', value: '' }], annotations: { value: 'x' } },
      auth: { serverAddress: 'r' },
    };
    const original = record({ kind: 'cri-call', method: 'CreateContainer', request });
    expect(redactRecord(original)).toBe(original);
    const one = redactRecord(
      record({
        kind: 'enter',
        fn: 'f',
        args: {
          env: [
            { name: 'A', value: 'x' },
            { name: 'B', valueFrom: {} },
          ],
        },
      }),
    );
    expect(one).toMatchObject({
      args: {
        env: [
          { name: 'A', value: '[REDACTED]' },
          { name: 'B', valueFrom: {} },
        ],
      },
    });
  });
});
