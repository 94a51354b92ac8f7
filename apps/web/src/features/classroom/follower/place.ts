/** Reports where a follower's page stands: no more than the presenter's list shows. */
import type { FollowerMessage } from '@syncloop/core/classroom';
import type { Following } from './follow.js';

export type PlaceMessage = Extract<FollowerMessage, { type: 'place' }>;

/** While the presenter's run goes on, a page that is at most this far behind (decisions) keeps up with it. */
const SLACK = 500;
/** Least time between two messages: the class takes ten in ten seconds of a page, answers among them. */
export const REPORT_MILLIS = 3_000;

/** `steps`: decisions of the page's own run. `hidden`: nobody sees the page. */
export function placeOf(f: Following, steps: number, hidden: boolean): PlaceMessage {
  const place = hidden ? 'away' : f.away ? 'own' : f.problem === '' ? 'with' : 'stuck';
  const { view } = f;
  const apart = f.here && view && view.run > 0 && place !== 'own' ? Math.abs(view.step - steps) : 0;
  return { type: 'place', place, behind: view?.running && apart <= SLACK ? 0 : apart };
}

export interface ReporterDeps<M> {
  /** Returns null while there is nothing to report yet. */
  readonly now: () => M | null;
  readonly send: (message: M) => void;
  readonly after: (millis: number, then: () => void) => void;
}

/** Reports something of the page, such as its place, to the class when it has changed, and seldom. */
export class Reporter<M = PlaceMessage> {
  private last = '';
  private waiting = false;
  private again = false;

  constructor(private readonly deps: ReporterDeps<M>) {}

  /** Something may have changed. */
  changed(): void {
    if (this.waiting) {
      this.again = true;
      return;
    }
    const message = this.deps.now();
    const text = JSON.stringify(message);
    if (!message || text === this.last) return;
    this.last = text;
    this.deps.send(message);
    this.waiting = true;
    this.deps.after(REPORT_MILLIS, () => {
      this.waiting = false;
      if (!this.again) return;
      this.again = false;
      this.changed();
    });
  }

  /** A new connection knows nothing of it: it is reported again. */
  anew(): void {
    this.last = '';
    this.changed();
  }
}
