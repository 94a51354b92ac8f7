import { redactKnown } from '@syncloop/core/redaction';
import type { RecordOf } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { KnownSecrets } from './known-secrets.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const secret = (data: Record<string, string>) => ({
  kind: 'Secret',
  data: Object.fromEntries(Object.entries(data).map(([k, v]) => [k, base64(v)])),
});
const head = { seq: 1, time: 0, g: 0, span: 0, cause: 0 } as const;

describe('known secrets', () => {
  it('are taken out wherever they stand: as they are, in base64, and line by line', () => {
    const known = new KnownSecrets();
    known.learnObject(secret({ password: 'hunter22', file: 'first line\nsecond line\n' }));
    expect(known.without(`a hunter22, ${base64('hunter22')} and "second line" hunter2`)).toBe(
      'a [REDACTED], [REDACTED] and "[REDACTED]" hunter2',
    );
    expect(known.withoutAll({ hunter22: ['xhunter22x', 1, null] })).toEqual({ hunter22: ['x[REDACTED]x', 1, null] });
  });

  it('come in lists, tokens and credentials of registries', () => {
    const known = new KnownSecrets();
    known.learnObject({ kind: 'SecretList', items: [{ data: { a: base64('in a list') } }] });
    known.learnObject({ kind: 'TokenRequest', status: { token: 'token-of-an-account' } });
    known.learnObject(
      secret({ '.dockerconfigjson': JSON.stringify({ auths: { r: { auth: base64('me:of-a-registry') } } }) }),
    );
    known.learnRecord({
      ...head,
      kind: 'cri-call',
      method: 'PullImage',
      request: { image: { image: 'busybox' }, auth: { username: 'somebody', password: 'for-a-pull' } },
    });
    expect(known.without('in a list token-of-an-account of-a-registry for-a-pull busybox somebody')).toBe(
      '[REDACTED] [REDACTED] [REDACTED] [REDACTED] busybox somebody',
    );
  });

  it('are no short words, and nothing that is public', () => {
    const known = new KnownSecrets();
    known.learnObject(secret({ a: 'yes', namespace: 'default', 'ca.crt': 'certificate' }));
    expect(known.without('yes default certificate')).toBe('yes default certificate');
  });

  it('the longest is taken where one begins with another', () => {
    const known = new KnownSecrets();
    for (const value of ['secret', 'secret-long', 'secret-lon']) known.learn(value);
    expect(known.without('secret-longer secret-l')).toBe('[REDACTED]er [REDACTED]-l');
  });

  it('are not remembered without bound, and what is no object of the API is passed over', () => {
    const known = new KnownSecrets();
    for (const odd of [null, 7, [], { kind: 'Secret', data: [1] }, { kind: 'SecretList', items: [null, 3] }])
      known.learnObject(odd);
    known.learn('the first of them');
    for (let i = 0; i < 80; i++) known.learn(`${i}`.padEnd(1024 * 1024, 'x'));
    expect(known.without('the first of them')).toBe('the first of them');
    expect(known.without('79'.padEnd(1024 * 1024, 'x'))).toBe('[REDACTED]');
  });
});

describe('a line of the node’s own log', () => {
  const known = new KnownSecrets();
  known.learn('hunter22');
  const line = (msg: string, kv = {}) =>
    redactKnown({ ...head, kind: 'log', severity: 'I', v: 1, msg, kv, file: 'prober.go' }, known) as RecordOf<'log'>;

  it('tells what a probe, an exec and a hook said, without what is secret', () => {
    expect(line('Probe failed', { output: 'cannot open /data: hunter22' }).kv).toEqual({
      output: 'cannot open /data: [REDACTED]',
    });
    expect(line('Event occurred', { message: 'Liveness probe failed: no such table' }).kv).toEqual({
      message: 'Liveness probe failed: no such table',
    });
    const hook = 'Exec lifecycle hook ([sh]) for Container "c" in Pod "p" failed - error: x, message: "disk full"';
    expect(line('Failed to execute PostStartHook', { err: hook }).kv).toEqual({ err: hook });
    expect(line('Exec probe response: "all well"').msg).toBe('Exec probe response: "all well"');
  });

  it('stays a record of its kind, whatever is secret', () => {
    const odd = new KnownSecrets();
    odd.learn('cri-call');
    const call = { ...head, kind: 'cri-call', method: 'Version', request: { version: 'cri-call' } } as const;
    expect(redactKnown(call, odd)).toEqual({ ...call, request: { version: '[REDACTED]' } });
  });

  it('has no headers, environments, tokens by their look, nor files of the manifest folder', () => {
    expect(line('HTTP-Probe Headers: map[X:[y]]').msg).toBe('HTTP-Probe Headers: [REDACTED]');
    expect(line('Probe failed for http://h/ with request headers map[X:[y]], response body: no').msg).toBe(
      'Probe failed for http://h/ with request headers [REDACTED], response body: no',
    );
    expect(line('m', { container: 'EnvVar{Name:A,Value:b,ValueFrom:nil,}', err: 'Bearer abcdefgh' }).kv).toEqual({
      container: 'EnvVar{Name:A,Value:[REDACTED],ValueFrom:nil,}',
      err: 'Bearer [REDACTED]',
    });
  });
});
