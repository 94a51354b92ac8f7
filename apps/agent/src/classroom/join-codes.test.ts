import { CODE_LENGTH, CODE_LETTERS } from '@syncloop/core/classroom';
import { describe, expect, it } from 'vitest';
import { Rate } from '../net/rate.js';
import { CODE_MILLIS, JoinCodes, RENEW_MILLIS } from './join-codes.js';

function setup(wrongCodes = 60, perAddress = 20) {
  let time = 0;
  const now = () => time;
  const codes = new JoinCodes({ allowance: { wrongCodes }, now });
  const address = () => new Rate(perAddress, 60_000, now);
  const pass = (millis: number) => {
    time += millis;
  };
  return { codes, address, pass };
}

describe('the code of a class', () => {
  it('has six letters that are not mistaken for others, drawn anew each time', () => {
    const drawn = Array.from({ length: 200 }, () => setup().codes.current);
    for (const code of drawn) expect(code).toMatch(new RegExp(`^[${CODE_LETTERS}]{${CODE_LENGTH}}$`));
    expect(CODE_LETTERS).not.toMatch(/[ILO]/);
    expect(new Set(drawn).size).toBeGreaterThan(190);
    // Some hundred million, of which a guesser may try 60 in a minute.
    expect(CODE_LETTERS.length ** CODE_LENGTH).toBeGreaterThan(1e8);
  });

  it('is good for ten minutes, for as many as type it, and another one is shown after five', () => {
    const { codes, address, pass } = setup();
    const first = codes.current;
    expect(codes.current).toBe(first);
    expect(codes.refuses(first, address())).toBeNull();
    expect(codes.refuses(first, address())).toBeNull();
    pass(RENEW_MILLIS);
    const second = codes.current;
    expect(second).not.toBe(first);
    expect(codes.refuses(first, address())).toBeNull();
    pass(CODE_MILLIS - RENEW_MILLIS);
    expect(codes.refuses(first, address())).toMatchObject({ status: 401 });
    expect(codes.refuses(second, address())).toBeNull();
    pass(CODE_MILLIS);
    expect(codes.refuses(second, address())).toMatchObject({ status: 401 });
  });

  it('is not good before anybody was shown one', () => {
    const { codes, address } = setup();
    for (const code of ['', 'AAAAAA', 'undefined'])
      expect(codes.refuses(code, address())).toMatchObject({ status: 401 });
  });

  it('cannot be guessed on: an address has so many wrong ones in a minute, and all of them together', () => {
    const { codes, address, pass } = setup(5, 3);
    const good = codes.current;
    const one = address();
    for (let i = 0; i < 3; i++) expect(codes.refuses('WRONGS', one)).toMatchObject({ status: 401 });
    expect(codes.refuses(good, one)).toMatchObject({ status: 429, reason: expect.stringContaining('your address') });
    const two = address();
    expect(codes.refuses(good, two)).toBeNull();
    for (let i = 0; i < 2; i++) expect(codes.refuses('WRONGS', two)).toMatchObject({ status: 401 });
    // What was refused for its address counted for nobody else; now all together have had theirs.
    expect(codes.refuses(good, address())).toMatchObject({ status: 429, reason: expect.not.stringContaining('your') });
    pass(60_000);
    expect(codes.refuses(good, one)).toBeNull();
  });
});
