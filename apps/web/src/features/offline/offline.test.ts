import { describe, expect, it } from 'vitest';
import { keepsOffline } from './offline.js';
import { answerTo, cacheName, isDown, isHashed, outdated, ownCaches } from './plan.js';

const SCOPE = 'https://example.org/tools/syncloop/';
const FILES = new Set(['index.html', 'assets/index-abcd1234.js', 'icon.svg']);
const answer = (path: string, more: { method?: string; mode?: string } = {}) =>
  answerTo({ method: 'GET', mode: 'cors', url: new URL(path, SCOPE).href, ...more }, SCOPE, FILES);

describe('the service worker', () => {
  it('asks the network for the page first, whatever its query', () => {
    for (const path of ['./', 'index.html', './?testing=1', './#token=x'])
      expect(answer(path, { mode: 'navigate' })).toEqual({ from: 'page', file: 'index.html' });
  });
  it('answers files of the build from the cache', () => {
    expect(answer('assets/index-abcd1234.js')).toEqual({ from: 'file', file: 'assets/index-abcd1234.js' });
    expect(answer('icon.svg?1')).toEqual({ from: 'file', file: 'icon.svg' });
  });
  it('leaves everything else to the browser', () => {
    for (const path of [
      ...['socket.io/?EIO=4&transport=polling', 'assets/other-abcd1234.js', 'session', 'a/', '%ff'],
      ...['/', '/tools/', '/tools/other/index.html', 'https://other.example/tools/syncloop/index.html'],
    ])
      expect(answer(path), path).toBeNull();
    expect(answer('index.html', { method: 'POST' })).toBeNull();
    expect(answer('icon.svg', { mode: 'navigate' })).toBeNull();
  });
  it('keeps the build before its own, and what others have on the origin', () => {
    const [a, b, c] = ['1', '2', '3'].map((v) => cacheName(SCOPE, v)) as [string, string, string];
    const above = cacheName('https://example.org/tools/', '9');
    const names = [a, above, 'someone else', b, c];
    expect(ownCaches(names, SCOPE)).toEqual([a, b, c]);
    expect(outdated(names, SCOPE, c)).toEqual([a]);
    expect(outdated([b, c], SCOPE, c)).toEqual([]);
    expect(outdated([c], SCOPE, c)).toEqual([]);
    expect(ownCaches(names, 'https://example.org/tools/')).toEqual([above]);
  });
  it('knows what is named after its content', () => {
    expect(['assets/index-DyhpIKpE.js', 'assets/a-b-x_y-z123.css'].every(isHashed)).toBe(true);
    expect(['index.html', 'icon-512.png', 'assets/x.js', 'service-worker.js'].some(isHashed)).toBe(false);
  });
  it('takes a gateway without a server for no answer, and an error of the server for one', () => {
    expect([502, 503, 504].every(isDown)).toBe(true);
    expect([200, 304, 404, 500].some(isDown)).toBe(false);
  });
});

describe('the page is kept', () => {
  const keeps = (query: string, possible = true, built = true) => keepsOffline({ query, possible, built });
  it('where it can be, and is a page of its own', () => {
    expect(keeps('')).toBe(true);
    expect(keeps('', false)).toBe(false);
    expect(keeps('', true, false)).toBe(false);
    expect(keeps('?embed=1&offline=1')).toBe(false);
    expect(keeps('?offline=0')).toBe(false);
  });
  it('in tests when they ask for it', () => {
    expect(keeps('?testing=1')).toBe(false);
    expect(keeps('?testing=1&offline=1')).toBe(true);
  });
});
