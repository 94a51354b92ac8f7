import type { LogPlace } from '../evidence/index.js';
import type { Unframed } from './framings/index.js';
import { readHeader, readShortHeader } from './klog.js';
import { SURVEYED } from './survey.js';

/** Most characters of a log with the newest line first that are held: what is older is not read. */
const MOST_REVERSED = 64 * 1024 * 1024;

export interface HeldLine {
  readonly unframed: Unframed;
  readonly place: LogPlace;
  readonly cut: boolean;
}

/** Lines that wait until the beginning of the log was looked at, or, with the newest line first, until its end. */
export class HeldLines {
  private lines: HeldLine[] = [];
  private size = 0;
  /** The place of the first line that was not held, because there were too many. */
  dropped: LogPlace | null = null;
  reversed = false;

  get all(): readonly HeldLine[] {
    return this.lines;
  }

  /** True if more lines are to be held. */
  push(line: HeldLine): boolean {
    if (this.reversed) {
      if (this.size >= MOST_REVERSED) {
        this.dropped ??= line.place;
        return true;
      }
    }
    this.lines.push(line);
    this.size += line.unframed.text.length;
    return this.reversed || line.place.offset < SURVEYED;
  }

  /** Takes all lines, the oldest first. */
  take(): HeldLine[] {
    const { lines } = this;
    this.lines = [];
    this.size = 0;
    if (!this.reversed) return lines;
    const groups: HeldLine[][] = [];
    for (const line of lines) {
      // A line of a value of several lines stays behind the one that began it.
      const { framing, text } = line.unframed;
      const goesOn = framing === 'none' && readHeader(text) === null && readShortHeader(text) === null;
      if (goesOn && groups.length > 0) (groups.at(-1) as HeldLine[]).push(line);
      else groups.push([line]);
    }
    return groups.reverse().flat();
  }
}
