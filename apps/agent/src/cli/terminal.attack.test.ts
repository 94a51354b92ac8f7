import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { processIO } from './io.js';
import { forTerminal } from './terminal.js';

describe('what is printed', () => {
  it.each([
    ['colours and cursor', '\x1b[31mred\x1b[2J\x1b[H', '\\u001b[31mred\\u001b[2J\\u001b[H'],
    ['the title of a window', '\x1b]0;root#\x07', '\\u001b]0;root#\\u0007'],
    ['a link', '\x1b]8;;https://evil.test\x1b\\here', '\\u001b]8;;https://evil.test\\u001b\\here'],
    ['8-bit sequences', '\x9b31m \x9d0;x\x9c', '\\u009b31m \\u009d0;x\\u009c'],
    ['a line written over', 'pod web: ready\rpod web: gone ', 'pod web: ready\\u000dpod web: gone '],
    ['letters in another order', 'web\u202egpj.exe \u2066x\u2069', 'web\\u202egpj.exe \\u2066x\\u2069'],
    ['backspaces', 'rm\b\bls', 'rm\\u0008\\u0008ls'],
  ])('shows %s and does not do it', (_what, text, shown) => {
    expect(forTerminal(text)).toBe(shown);
  });

  it('leaves all else as it is, and JSON means the same', () => {
    const plain = 'a\tb\r\nc 中文 é 👍\n';
    expect(forTerminal(plain)).toBe(plain);
    const value = { name: 'x\u202ey\x9b' };
    expect(JSON.parse(forTerminal(JSON.stringify(value)))).toEqual(value);
  });

  it('goes both ways to a terminal', () => {
    const written: unknown[] = [];
    for (const stream of [process.stdout, process.stderr]) {
      const spy = vi.spyOn(stream, 'write').mockImplementation((text) => written.push(text) > 0);
      onTestFinished(() => spy.mockRestore());
    }
    const io = processIO();
    io.out('\x1b[2J');
    io.err('\x1b[2J');
    expect(written).toEqual(['\\u001b[2J', '\\u001b[2J']);
  });
});
