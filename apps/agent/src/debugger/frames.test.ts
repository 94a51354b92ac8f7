import { describe, expect, it } from 'vitest';
import { FrameReader, frame } from './frames.js';

const bodies = ['', 'a', '{"text":"容器"}', 'x'.repeat(70_000), '[]'];
const stream = Buffer.concat(bodies.map((body, i) => frame(i + 1, body)));

describe('frames', () => {
  it.each([1, 2, 3, 5, 7, 64, 4096, 1_000_000])('are put together from pieces of %i bytes', (size) => {
    const got: [number, string][] = [];
    const reader = new FrameReader(100_000, (type, body) => got.push([type, body]));
    for (let i = 0; i < stream.length; i += size) reader.push(stream.subarray(i, i + size));
    expect(got).toEqual(bodies.map((body, i) => [i + 1, body]));
  });

  it('that say they are too long are refused before they are there', () => {
    const reader = new FrameReader(10, () => {});
    expect(() => reader.push(frame(1, 'x'.repeat(11)).subarray(0, 5))).toThrow(
      "the frame's body has 11 bytes; at most 10 are allowed",
    );
  });
});
