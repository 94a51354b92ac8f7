/** The range of a screencast: its frames are one step apart. */
export type CastRange = 'next' | 'last' | 'timeline';
export interface CastOptions {
  readonly range: CastRange;
  /** Steps of `next` and `last`. */
  readonly steps: number;
  /** The time for which each frame stands, ms. */
  readonly each: number;
}

export const MOST_FRAMES = 300;
export const MOST_MILLIS = 60_000;
export const PACES = [300, 600, 1000, 2000] as const;

/** Returns the most frames of a screencast, each of which stands this long. */
export const mostFrames = (each: number): number => Math.max(1, Math.min(MOST_FRAMES, Math.floor(MOST_MILLIS / each)));

/** Reads a typed number of steps, as far as a screencast goes; null for another text. */
export function stepsFrom(text: string, each: number): number | null {
  const n = /^\s*\d{1,6}\s*$/.test(text) ? Number(text) : 0;
  return n < 1 ? null : Math.min(n, mostFrames(each) - 1);
}

const TYPES = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm', 'video/mp4'];
/** The first of the formats that a browser records; null: it records none. */
export const videoType = (can: (type: string) => boolean): string | null => TYPES.find(can) ?? null;
export const endingOf = (type: string): string => (type.startsWith('video/mp4') ? 'mp4' : 'webm');

/** Size of the frames: even, as codecs want it, and not larger than a screen. */
export function frameSize(width: number, height: number): { readonly width: number; readonly height: number } {
  const by = Math.min(1, 1920 / width, 1440 / height);
  const even = (n: number) => Math.max(2, 2 * Math.round((n * by) / 2));
  return { width: even(width), height: even(height) };
}
