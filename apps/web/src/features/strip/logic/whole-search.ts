/** The search for a text in a whole run, in parts, while the run may still grow. */
import type { Found } from '@syncloop/core/debug';
import type { Micros, Seq } from '@syncloop/core/trace';

/** Hits that are kept. */
export const MOST_HITS = 200_000;

/** How far a search is. */
export interface SearchState {
  readonly text: string;
  readonly hits: readonly Seq[];
  readonly times: readonly Micros[];
  /** The last record that was looked at, and the last that there is. */
  readonly looked: Seq;
  readonly last: Seq;
  /** There are more hits than are kept; the rest was not looked at. */
  readonly cut: boolean;
  /** Nothing more is looked at for now. */
  readonly done: boolean;
}

/** Looks for one text. Each question looks at a part, so that other questions have their turn. */
export class WholeSearch {
  state: SearchState;
  private readonly hits: Seq[] = [];
  private readonly times: Micros[] = [];
  private stopped = false;
  private working = false;

  constructor(
    readonly text: string,
    private readonly ask: (text: string, from: Seq) => Promise<Found>,
    private readonly changed: (state: SearchState) => void,
  ) {
    this.state = { text, hits: [], times: [], looked: 0, last: 0, cut: false, done: false };
  }

  /** Looks on, from where it stopped to the present end. Resolves there, when it is stopped, or cannot go on. */
  async look(): Promise<void> {
    if (this.working || this.stopped || this.state.cut) return;
    this.working = true;
    try {
      for (;;) {
        const found = await this.ask(this.text, this.state.looked + 1);
        if (this.stopped) return;
        this.take(found);
        if (this.state.done) return;
      }
    } catch {
      // The session has ended, or was stopped: what was found remains.
      if (!this.stopped) this.tell({ done: true });
    } finally {
      this.working = false;
    }
  }
  stop(): void {
    this.stopped = true;
  }

  private take({ hits, times, to, last }: Found): void {
    const room = MOST_HITS - this.hits.length;
    for (const [i, seq] of hits.slice(0, room).entries()) {
      this.hits.push(seq);
      this.times.push(times[i] as Micros);
    }
    const cut = hits.length > room;
    this.tell({ looked: Math.max(to, this.state.looked), last, cut, done: cut || to >= last });
  }
  private tell(more: Partial<SearchState>): void {
    // The lists grow in place: a copy each time would take longer than the search.
    this.state = { ...this.state, hits: this.hits, times: this.times, ...more };
    this.changed(this.state);
  }
}
