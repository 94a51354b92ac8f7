import { describe, expect, it } from 'vitest';
import { newToken } from '../net/token.js';
import { LINK_MILLIS, linkTo, madeAt, newCode, UsedCodes } from './link-code.js';

describe('a code', () => {
  it('is told from the token that it was made of, and from no other', () => {
    const [one, other] = [newToken(), newToken()];
    const code = newCode(one, 1_700_000_000_123);
    expect(madeAt(code, one)).toBe(1_700_000_000_123);
    expect(madeAt(code, other)).toBeNull();
    expect(code).toMatch(/^[\w-]{46}$/);
    expect(newCode(one, 1_700_000_000_123)).not.toBe(code);
  });

  it('has nothing of the token in it', () => {
    const token = newToken();
    expect(linkTo('::1', 7330, token)).toMatch(/^http:\/\/\[::1\]:7330\/#code=[\w-]{46}$/);
    expect(linkTo('127.0.0.1', 7330, token)).not.toContain(token);
  });

  it('is one that pages make, too', () => {
    // The same answer is in apps/web/src/session/link.test.ts.
    expect(
      newCode(
        'a token',
        1_700_000_000_000,
        Uint8Array.from({ length: 12 }, (_, i) => i),
      ),
    ).toBe('AYvP5WgAAAECAwQFBgcICQoLygYEHJfIj6FhPTtmJ7tGpA');
  });

  it('cannot be changed, nor spelt in another way', () => {
    const token = newToken();
    const code = newCode(token, 0);
    const bytes = Buffer.from(code, 'base64url');
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes);
      changed[i] = (changed[i] as number) ^ 1;
      expect(madeAt(changed.toString('base64url'), token), `byte ${i}`).toBeNull();
    }
    // The last of 46 characters has four unused bits.
    const spelt = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].map(
      (c) => code.slice(0, -1) + c,
    );
    expect(spelt.filter((one) => madeAt(one, token) !== null)).toEqual([code]);
    for (const other of ['', ' ', code.slice(1), `${code}=`, `${code}A`, ` ${code}`, 'x'.repeat(10_000)])
      expect(madeAt(other, token)).toBeNull();
  });
});

describe('codes are taken', () => {
  const at = (clock: { now: number }, since = 0) => new UsedCodes(() => clock.now, since);

  it('once; by the page that took it again, if the answer did not reach it', () => {
    const codes = at({ now: 1000 });
    expect(codes.take('a', 1000, 'page 1')).toBeNull();
    expect(codes.take('a', 1000, 'page 1')).toBeNull();
    expect(codes.take('a', 1000, 'page 2')).toBe('used');
    expect(codes.take('b', 1000, 'page 2')).toBeNull();
  });

  it('for ten minutes, and not if they are of before', () => {
    const clock = { now: 1_000 };
    const codes = at(clock, 900);
    expect(codes.take('before', 899, 'p')).toBe('expired');
    clock.now = 1_000 + LINK_MILLIS;
    expect(codes.take('in time', 1_000, 'p')).toBeNull();
    clock.now++;
    expect(codes.take('late', 1_000, 'p')).toBe('expired');
    // For a used code it says so: that is what its owner wants to know.
    expect(codes.take('in time', 1_000, 'other')).toBe('used');
  });

  it('where another machine makes them: its clock may be some minutes ahead or behind', () => {
    const codes = at({ now: 10 * LINK_MILLIS }, Number.NEGATIVE_INFINITY);
    expect(codes.take('ahead', 10.9 * LINK_MILLIS, 'p')).toBeNull();
    expect(codes.take('behind', 9.1 * LINK_MILLIS, 'p')).toBeNull();
    expect(codes.take('far ahead', 11.1 * LINK_MILLIS, 'p')).toBe('expired');
  });

  it('and those that nobody could use any more are forgotten', () => {
    const clock = { now: 0 };
    const codes = at(clock);
    for (let i = 0; i < 10_000; i++) codes.take(`${i}`, 0, 'p');
    clock.now = 3 * LINK_MILLIS;
    codes.take('new', clock.now, 'p');
    expect((codes as unknown as { used: Map<string, unknown> }).used.size).toBe(1);
  });
});
