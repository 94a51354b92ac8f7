import { describe, expect, it } from 'vitest';
import { endingOf, frameSize, mostFrames, stepsFrom, videoType } from './cast-plan.js';
import { settingsFrom } from './picture-store.js';

describe('a screencast', () => {
  it('is not longer than a minute, and has not too many frames', () => {
    expect([100, 200, 600, 1000, 90_000].map(mostFrames)).toEqual([300, 300, 100, 60, 1]);
  });
  it('takes the steps that were typed, as far as it goes', () => {
    expect(['20', ' 5 ', '9999', '0', '-3', '1.5', 'x', ''].map((s) => stepsFrom(s, 600))).toEqual([
      ...[20, 5, 99, null, null, null, null, null],
    ]);
  });
  it('is in the best format that the browser records', () => {
    expect(videoType(() => true)).toBe('video/webm;codecs=vp9');
    expect(videoType((type) => type.includes('vp8'))).toBe('video/webm;codecs=vp8');
    expect(videoType(() => false)).toBeNull();
    expect([endingOf('video/mp4'), endingOf('video/webm;codecs=vp8')]).toEqual(['mp4', 'webm']);
  });
  it('has even sizes that fit a screen', () => {
    expect(frameSize(1001, 601)).toEqual({ width: 1002, height: 602 });
    expect(frameSize(3840, 2000)).toEqual({ width: 1920, height: 1000 });
    expect(frameSize(1000, 2880)).toEqual({ width: 500, height: 1440 });
  });
});

it('the choices for pictures are those that were kept, where they are any good', () => {
  const usual = { part: 'whole', theme: 'page', caption: true, scale: 2 };
  expect([null, 'x', '5', '{"scale":3,"part":1,"caption":"x"}'].map(settingsFrom)).toEqual([
    usual,
    usual,
    usual,
    usual,
  ]);
  const kept = { part: 'view', theme: 'light', caption: false, scale: 4 };
  expect(settingsFrom(JSON.stringify(kept))).toEqual(kept);
});
