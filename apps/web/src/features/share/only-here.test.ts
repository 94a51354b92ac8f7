import { expect, it } from 'vitest';
import { onlyHere } from './only-here.js';

it.each([
  ['http://localhost:5173/#run=v2.j', true],
  ['http://127.0.0.1:7330/', true],
  ['http://[::1]:7330/', true],
  ['http://my.localhost/', true],
  ['file:///home/me/syncloop/index.html', true],
  ['https://example.org/syncloop/', false],
  ['http://192.168.1.4:7330/', false],
  ['https://localhost.example.org/', false],
])('%s is of this computer only: %s', (href, only) => expect(onlyHere(href)).toBe(only));
