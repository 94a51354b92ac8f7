import { describe, expect, it } from 'vitest';
import { proxyFromEnv } from './proxy-env.js';

describe('proxyFromEnv', () => {
  const of = (server: string, env: Record<string, string>) => proxyFromEnv(new URL(server), env);

  it('goes by the scheme, in capitals or small letters, with http:// where none is given', () => {
    const env = { HTTPS_PROXY: 'http://p:3128', HTTP_PROXY: 'http://q:3128' };
    expect(of('https://api:6443', env)).toBe('http://p:3128');
    expect(of('http://api:8080', env)).toBe('http://q:3128');
    expect(of('https://api:6443', { https_proxy: 'p:3128' })).toBe('http://p:3128');
    expect(of('https://api:6443', {})).toBeUndefined();
  });

  it('leaves this machine out always', () => {
    for (const host of ['localhost', '127.0.0.1', '127.3.2.1', '[::1]'])
      expect(of(`https://${host}:6443`, { HTTPS_PROXY: 'p:1' })).toBeUndefined();
  });

  it.each([
    ['*', 'https://api:6443', true],
    ['example.com', 'https://example.com', true],
    ['example.com', 'https://k8s.example.com', true],
    ['example.com', 'https://notexample.com', false],
    ['.example.com', 'https://example.com', false],
    ['.example.com', 'https://k8s.example.com', true],
    ['*.example.com', 'https://k8s.example.com', true],
    ['EXAMPLE.com', 'https://example.COM', true],
    ['other, example.com:6443', 'https://example.com:6443', true],
    ['example.com:6444', 'https://example.com:6443', false],
    ['example.com:443', 'https://example.com', true],
    ['10.0.0.0/8', 'https://10.1.2.3:6443', true],
    ['10.0.0.0/8', 'https://11.1.2.3:6443', false],
    ['10.0.0.0/99', 'https://10.1.2.3:6443', false],
    ['10.1.2.3', 'https://10.1.2.3:6443', true],
    ['0.0.1', 'https://10.0.0.1:6443', false],
    ['fd00::/8', 'https://[fd00::5]:6443', true],
    ['fd00::5', 'https://[fd00::5]:6443', true],
    ['[fd00::5]:6443', 'https://[fd00::5]:6443', true],
    ['', 'https://api:6443', false],
  ])('NO_PROXY=%s, %s: %s', (noProxy, server, exempt) => {
    expect(of(server, { HTTPS_PROXY: 'p:1', NO_PROXY: noProxy }) === undefined).toBe(exempt);
  });
});
