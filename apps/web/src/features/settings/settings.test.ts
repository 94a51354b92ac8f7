import { describe, expect, it } from 'vitest';
import { firstLang } from '../../page/ui-store.js';
import { takeCode } from '../connection/opener.js';
import { SPEEDS, speedIndex, speedLabel } from '../transport/speeds.js';

describe('the code of a link', () => {
  it('is taken out of the URL, and nothing else is', () => {
    expect(takeCode('http://127.0.0.1:8080/#code=abc-123_X')).toEqual({
      code: 'abc-123_X',
      clean: 'http://127.0.0.1:8080/',
    });
    expect(takeCode('http://127.0.0.1:8080/?testing=1#a=b&code=x')).toEqual({
      code: 'x',
      clean: 'http://127.0.0.1:8080/?testing=1#a=b',
    });
    // A presenter's link, as `syncloop serve --class` prints it.
    expect(takeCode('http://127.0.0.1:7330/#code=x&present')).toEqual({
      code: 'x',
      clean: 'http://127.0.0.1:7330/',
      presents: true,
    });
    expect(takeCode('https://example.org/a/#b')).toEqual({ code: null, clean: 'https://example.org/a/#b' });
  });
});

describe('the language', () => {
  it('is the one chosen, else the first of the browser that there is, else English', () => {
    expect(firstLang('zh-CN', ['en'])).toBe('zh-CN');
    expect(firstLang(null, ['de', 'zh-TW', 'en'])).toBe('zh-CN');
    expect(firstLang(null, ['en-GB', 'zh'])).toBe('en');
    expect(firstLang('xx', [])).toBe('en');
  });
});

describe('speeds', () => {
  it('go from one decision a second to as fast as possible', () => {
    expect(SPEEDS.map(speedLabel)).toEqual(['1/s', '5/s', '20/s', '0.1×', null, '1×', '10×', '100×', 'max']);
  });
  it('have a notch each, and the nearest for any other', () => {
    for (const [i, s] of SPEEDS.entries()) expect(speedIndex(s)).toBe(i);
    expect(speedIndex({ mode: 'time', factor: 2 })).toBe(5);
    expect(speedIndex({ mode: 'steps', perSecond: 1000 })).toBe(2);
  });
});
