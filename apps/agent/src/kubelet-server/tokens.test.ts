import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Cache } from './cache.js';
import { Tokens, tokenFile } from './tokens.js';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'syncloop-tokens-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

describe('token file', () => {
  it('is made with one random token, for its owner alone', async () => {
    const path = join(folder(), 'pki', 'server-token');
    const tokens = await tokenFile(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const [token = ''] = tokens.keys();
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(readFileSync(path, 'utf8')).toBe(`${token}\n`);
    expect(tokens.get(token)).toEqual({ name: 'syncloop:server', groups: ['system:masters'] });
    expect(await tokenFile(path)).toEqual(tokens);
  });

  it('may name users, uids and groups', async () => {
    const path = join(folder(), 'tokens');
    const [a, b] = ['a'.repeat(32), 'b'.repeat(32)];
    writeFileSync(path, `# who\n${a},jane,7,"one, two"\n\n${b},joe\n`, { mode: 0o600 });
    expect([...(await tokenFile(path))]).toEqual([
      [a, { name: 'jane', uid: '7', groups: ['one', 'two'] }],
      [b, { name: 'joe', groups: [] }],
    ]);
  });

  it.each([
    ['short\n', /:1: a token has 16 or more characters/],
    [`${'a'.repeat(32)},"jane\n`, /:1: quotes are wrong/],
    ['# nothing\n', /it contains no token/],
  ])('refuses %j and says where', async (text, message) => {
    const path = join(folder(), 'tokens');
    writeFileSync(path, text, { mode: 0o600 });
    await expect(tokenFile(path)).rejects.toThrow(message);
  });

  it('refuses a file that others may read', async () => {
    const path = join(folder(), 'tokens');
    writeFileSync(path, `${'a'.repeat(32)}\n`);
    chmodSync(path, 0o644);
    await expect(tokenFile(path)).rejects.toThrow(`chmod 600 ${path}`);
  });

  it('knows a token, and nothing like it', () => {
    const tokens = new Tokens([['secret-secret-secret', { name: 'jane', groups: [] }]]);
    expect(tokens.find('secret-secret-secret')?.name).toBe('jane');
    for (const wrong of ['', 'secret-secret-secre', 'secret-secret-secret ', '__proto__'])
      expect(tokens.find(wrong)).toBeNull();
  });
});

describe('cache', () => {
  it('forgets after a time, and the oldest when there are too many', () => {
    let now = 0;
    const cache = new Cache<number>(2, () => now);
    cache.set('a', 1, 100);
    cache.set('b', 2, 100);
    expect(cache.get('a')).toBe(1);
    cache.set('c', 3, 100);
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([undefined, 2, 3]);
    now = 100;
    expect(cache.get('c')).toBeUndefined();
    cache.set('d', 4, 0);
    expect(cache.get('d')).toBeUndefined();
  });
});
