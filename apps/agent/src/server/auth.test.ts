import { describe, expect, it } from 'vitest';
import { LINK_MILLIS, newCode, type UsedCode } from '../links/link-code.js';
import { newToken } from '../net/token.js';
import { Gate } from './auth.js';

const ask = (gate: Gate, host: string | undefined, origin?: string, token: string | null | undefined = null) => {
  const verdict = gate.check({ host, origin, token });
  return verdict.ok ? 200 : verdict.status;
};

describe('Gate', () => {
  it.each([
    ['127.0.0.1:7330', 200],
    ['localhost:7330', 200],
    ['LOCALHOST:7330', 200],
    ['[::1]:7330', 200],
    ['127.0.0.1', 421],
    ['127.0.0.1:7331', 421],
    ['localhost.:7330', 421],
    ['evil.test:7330', 421],
    ['127.0.0.1.evil.test:7330', 421],
    ['', 421],
    [undefined, 421],
  ])('Host %s: %d', (host, status) => {
    expect(ask(new Gate('t', 7330), host)).toBe(status);
  });

  it.each([
    [undefined, 200],
    ['http://127.0.0.1:7330', 200],
    ['http://localhost:7330', 403],
    ['https://127.0.0.1:7330', 403],
    ['http://evil.test', 403],
    ['null', 403],
    ['', 403],
  ])('Origin %s: %d', (origin, status) => {
    expect(ask(new Gate('t', 7330), '127.0.0.1:7330', origin)).toBe(status);
  });

  it('answers to loopback of any port, but no other name, where a port is forwarded to it', () => {
    const gate = new Gate('t', 7330, () => 0, 't', true);
    for (const host of ['127.0.0.1:7330', '127.0.0.1:40123', 'localhost:8080', '[::1]:1'])
      expect(ask(gate, host, `http://${host}`), host).toBe(200);
    for (const host of [
      'evil.test:7330',
      '127.0.0.1.evil.test:7330',
      'localhost.:7330',
      '10.0.0.1:7330',
      '',
      undefined,
    ])
      expect(ask(gate, host), host).toBe(421);
    // A page of another program on this machine.
    expect(ask(gate, '127.0.0.1:7330', 'http://127.0.0.1:8080')).toBe(403);
    expect(ask(gate, '127.0.0.1:40123', undefined, 'wrong')).toBe(401);
  });

  it('wants the token', () => {
    const token = newToken();
    const gate = new Gate(token, 1);
    expect(ask(gate, 'localhost:1', undefined, token)).toBe(200);
    for (const wrong of ['', `${token} `, token.slice(1), token.toUpperCase()]) {
      expect(ask(gate, 'localhost:1', undefined, wrong)).toBe(401);
    }
    expect(gate.check({ host: 'localhost:1', origin: undefined, token: undefined })).toMatchObject({ status: 401 });
  });

  it('tells whoever sends more than ten wrong tokens a minute, and keeps nobody out who has the right one', () => {
    let now = 0;
    const gate = new Gate('right', 1, () => now);
    for (let i = 0; i < 10; i++) expect(ask(gate, 'localhost:1', undefined, 'wrong')).toBe(401);
    expect(ask(gate, 'localhost:1', undefined, 'wrong')).toBe(429);
    expect(ask(gate, 'localhost:1', undefined, 'right')).toBe(200);
    now = 60_001;
    expect(ask(gate, 'localhost:1', undefined, 'wrong')).toBe(401);
  });

  it('takes the code of a link once, for the page that it opened, with the rights of its token', () => {
    let wall = 1_000_000;
    const gate = new Gate(
      'all',
      1,
      () => 0,
      'look',
      false,
      () => wall,
    );
    const open = (code: string, page: string) =>
      gate.check({ host: 'localhost:1', origin: undefined, token: undefined, link: { code, page } });
    const [one, other] = ['a'.repeat(32), 'b'.repeat(32)];
    const [control, look] = [newCode('all', wall), newCode('look', wall)];
    expect(open(control, one)).toEqual({ ok: true, control: true, token: 'all' });
    expect(open(look, one)).toEqual({ ok: true, control: false, token: 'look' });
    expect(open(control, one)).toMatchObject({ ok: true });
    expect(open(control, other)).toMatchObject({
      ...{ ok: false, status: 401, link: 'used' },
      reason: expect.stringMatching(/used already.*press Enter/),
    });
    wall += LINK_MILLIS + 1;
    expect(open(newCode('all', 1_000_000), other)).toMatchObject({ link: 'expired' });
    expect(open(newCode('all', 999_999), other)).toMatchObject({ link: 'expired' });
  });

  it('takes no code that was used before it started, with the same token and another machine’s clock', () => {
    const used: UsedCode[] = [];
    const gate = () =>
      new Gate(...(['all', 1, () => 0, undefined, true, () => 1_000_000] as const), {
        known: [...used],
        onUse: (one) => void used.push(one),
      });
    const open = (one: Gate, code: string, page: string) =>
      one.check({ host: 'localhost:1', origin: undefined, token: undefined, link: { code, page } });
    const [code, unused] = [newCode('all', 1_000_500), newCode('all', 999_500)];
    expect(open(gate(), code, 'a'.repeat(32))).toMatchObject({ ok: true });
    const restarted = gate();
    expect(open(restarted, code, 'b'.repeat(32))).toMatchObject({ ok: false, link: 'used' });
    expect(open(restarted, unused, 'b'.repeat(32))).toMatchObject({ ok: true });
  });

  it('is asked by no page without a name of its own, and counts wrong codes as wrong tokens', () => {
    const gate = new Gate('all', 1);
    const open = (code: string, page: string) =>
      gate.check({ host: 'localhost:1', origin: undefined, token: undefined, link: { code, page } });
    for (const page of ['', 'short', 'x'.repeat(65), `${'x'.repeat(20)} `])
      expect(open(newCode('all'), page)).toMatchObject({ status: 401 });
    for (let i = 0; i < 6; i++) expect(open(newCode('of before'), 'x'.repeat(32))).toMatchObject({ status: 401 });
    expect(open(newCode('of before'), 'x'.repeat(32))).toMatchObject({ status: 429 });
    expect(open(newCode('all'), 'x'.repeat(32))).toMatchObject({ ok: true });
  });

  it('makes tokens of 256 bits', () => {
    const tokens = new Set(Array.from({ length: 100 }, newToken));
    expect(tokens.size).toBe(100);
    for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  });
});
