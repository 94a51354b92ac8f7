/** Times that cannot be so: one line of the year 9999 must not put all lines after it there. */
import type { Evidence } from './evidence/index.js';

/** A clock that goes on so far from one piece to the next, and back again, was not read right. */
const LEAP = 24 * 3600e6;
/** Most pieces that wait until later ones show whether time went on. */
const MOST_HELD = 16;
/** 10000-01-01T00:00:00Z: no clock of a node gets there, and no text has room for its year. */
const YEAR_10000 = 253_402_300_800e6;

/**
 * Looks at the evidence of one source, in its order. A piece whose time cannot be its source's stays in its place,
 * without a time, behind a gap that reports it.
 */
export class OddTimes {
  private last: number | null = null;
  /** Pieces that leapt ahead, and those without a time since. */
  private held: Evidence[] = [];

  take(pieces: readonly Evidence[]): readonly Evidence[] {
    if (this.held.length === 0 && pieces.every((piece) => this.isPlain(piece))) return pieces;
    const out: Evidence[] = [];
    for (const piece of pieces) this.next(piece, out);
    return out;
  }

  /** Returns the waiting pieces: nothing comes after them. */
  end(): readonly Evidence[] {
    const out = this.held;
    this.held = [];
    return out;
  }

  /** Most are: then the list is given on as it came. */
  private isPlain({ at }: Evidence): boolean {
    if (at === null) return true;
    if (!isTime(at) || (this.last !== null && at - this.last > LEAP)) return false;
    this.last = at;
    return true;
  }

  private next(piece: Evidence, out: Evidence[]): void {
    const { at } = piece;
    if (at !== null && !isTime(at)) {
      this.note(piece, 'is not a valid time', out);
      return;
    }
    const [first] = this.held;
    if (!first) {
      if (this.isPlain(piece)) out.push(piece);
      else this.held.push(piece);
      return;
    }
    if (at !== null && at < (first.at as number) - LEAP) {
      // Time did not go on: the waiting pieces had a wrong time.
      const { held } = this;
      this.held = [];
      for (const one of held)
        if (one.at === null) out.push(one);
        else this.note(one, 'is more than a day after the times before and after it', out);
      this.last = at;
      out.push(piece);
      return;
    }
    this.held.push(piece);
    if (this.held.length < MOST_HELD) return;
    for (const one of this.held) if (one.at !== null) this.last = one.at;
    out.push(...this.end());
  }

  private note(piece: Evidence, what: string, out: Evidence[]): void {
    const { source, place } = piece;
    const why = `The time ${timeText(piece.at as number)} ${what}: the time of the evidence before it is used instead.`;
    out.push({ kind: 'gap', source, at: null, place, why }, { ...piece, at: null });
  }
}

const isTime = (at: number): boolean => at >= 0 && at < YEAR_10000;
const timeText = (at: number): string =>
  isTime(at) ? new Date(at / 1000).toISOString() : `${Math.round(at / 1e6)} s since 1970`;
