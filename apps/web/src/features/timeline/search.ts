/** The search's hits in the timeline: each frame searches a slice, and the bar shows the result. */
import type { Seq, TraceRecord } from '@syncloop/core/trace';
import { useUI } from '../../page/ui-store.js';
import { sentence } from '../../run/narration.js';
import { HitSearch } from './logic/timeline-find.js';
import { lower } from './logic/timeline-order.js';
import { useTimeline } from './timeline-store.js';

/** Records that it looks at in one go: each takes a sentence. */
const LOOKED = 200;

export class TimelineSearch {
  private search: HitSearch | null = null;

  /** Begins a search by kind or by sentence; '' ends it. */
  begin(text: string): void {
    const wanted = text.trim().toLowerCase();
    const { lang } = useUI.getState();
    this.search = wanted === '' ? null : new HitSearch(wanted, (r) => sentence(r, lang).text);
  }
  get hits(): readonly Seq[] {
    return this.search?.hits ?? [];
  }
  /** The hit after or before a record, round and round; 0 when there is none. */
  next(from: Seq, by: 1 | -1): Seq {
    const { hits } = this;
    if (hits.length === 0) return 0;
    const at = lower(hits, from);
    const i = by === 1 ? (hits[at] === from ? at + 1 : at) : at - 1;
    return hits[(i + hits.length) % hits.length] as Seq;
  }
  /**
   * Looks on until `expired`, at one part at least; true when there is more. `selected` is which hit the bar names.
   */
  look(
    record: (seq: Seq) => TraceRecord | undefined,
    first: Seq,
    last: Seq,
    selected: Seq,
    expired: () => boolean,
  ): boolean {
    const { search } = this;
    const before = useTimeline.getState().found;
    if (!search) {
      if (before) useTimeline.setState({ found: null });
      return false;
    }
    let looking = search.look(record, first, last, LOOKED);
    while (looking && !expired()) looking = search.look(record, first, last, LOOKED);
    const i = lower(search.hits, selected);
    const at = search.hits[i] === selected ? i + 1 : 0;
    const hits = search.hits.length;
    if (before?.hits !== hits || before.at !== at || before.looking !== looking)
      useTimeline.setState({ found: { hits, at, looking } });
    return looking;
  }
}
