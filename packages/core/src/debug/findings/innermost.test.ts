import { describe, expect, it } from 'vitest';
import { innermost } from './innermost.js';

describe('the innermost error', () => {
  it.each([
    ['dial tcp 10.0.0.1:443: connect: connection refused', 'dial tcp 10.0.0.1:443: connect: connection refused'],
    ['rpc error: code = Unknown desc = no space left on device', 'no space left on device'],
    [
      'failed to "StartContainer" for "app" with ErrImagePull: "rpc error: code = NotFound desc = no such image"',
      'no such image',
    ],
    [
      'failed to pull image "registry.example/a:1": failed to resolve reference "registry.example/a:1": not found',
      'not found',
    ],
  ])('of %j is %j', (text, inside) => expect(innermost(text)).toBe(inside));

  it('keeps the quotation marks that it opens itself, and no others', () => {
    const around = (error: string) => `failed to "StartContainer" for "app" with RunContainerError: "${error}"`;
    expect(innermost(around('exec: "serve": not found'))).toBe('exec: "serve": not found');
    expect(innermost(around('no such file "/data"'))).toBe('no such file "/data"');
    expect(innermost(around('no such file \\"/data\\"'))).toBe('no such file "/data"');
    expect(innermost(around('no such file or directory'))).toBe('no such file or directory');
    const bare = 'failed to "StartContainer" for "app" with RunContainerError: no such file "/data"';
    expect(innermost(bare)).toBe('no such file "/data"');
  });

  it('of a text without end is found at its beginning', () => {
    const text = `rpc error: code = Unknown desc = broken: ${'x'.repeat(100_000)}`;
    expect(innermost(text).startsWith('broken: xxx')).toBe(true);
    expect(innermost(text).length).toBeLessThan(5_000);
  });
});
