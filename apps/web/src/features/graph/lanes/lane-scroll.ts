import { trace } from '../../../run/trace-store.js';
import { laneArea, loopNow } from '../graph-view.js';
import { useLanes } from './lanes-store.js';
import { laneOrder } from './logic/lanes.js';
import { type LaneIndex, laneIndex } from './logic/lanes-index.js';
import { type LanePlace, mostLanes, placeInLanes } from './logic/lanes-layout.js';
import { shownOrder } from './logic/lanes-strip.js';

/** The pods that have a lane, and the lanes' scroll position: shared by the lanes and the tokens over them. */
class Lanes {
  scrolled = 0;
  private at = '';
  private held: readonly string[] = [];
  private shownHeld: readonly string[] = [];
  private positions = new Map<string, number>();
  private indexAt = '';
  private indexHeld: LaneIndex = laneIndex(trace.state);

  /** Returns the pods in the order of their arrival. */
  order(): readonly string[] {
    this.update();
    return this.held;
  }
  /** The pods in the order in which they are shown: the strip can be sorted. */
  shown(): readonly string[] {
    this.update();
    return this.shownHeld;
  }
  /** The index of the state for lanes, made once per publication. */
  index(): LaneIndex {
    const at = `${trace.cursor.version}/${trace.cursor.epoch}`;
    if (this.indexAt !== at) {
      this.indexAt = at;
      this.indexHeld = laneIndex(trace.state);
    }
    return this.indexHeld;
  }

  placeOf(uid: string): LanePlace | null {
    this.update();
    const i = this.positions.get(uid);
    if (i === undefined) return null;
    const { unfolded } = useLanes.getState();
    const open = unfolded === null ? -1 : (this.positions.get(unfolded) ?? -1);
    return placeInLanes(i, this.shownHeld.length, laneArea(loopNow()), this.scrolled, open);
  }
  private update(): void {
    const { sort, ranked } = useLanes.getState();
    const most = mostLanes(laneArea(loopNow()));
    const at = `${trace.cursor.version}/${trace.cursor.epoch}/${sort}/${ranked.length}/${most}`;
    if (this.at === at) return;
    this.at = at;
    const { state } = trace;
    const order = laneOrder(state);
    if (!sameList(order, this.held)) this.held = order;
    const shown = order.length > most ? shownOrder(state, order, sort, ranked) : this.held;
    if (sameList(shown, this.shownHeld)) return;
    this.shownHeld = shown;
    this.positions = new Map(shown.map((uid, i) => [uid, i]));
  }

  /** The order was changed by hand. */
  sorted(): void {
    this.at = '';
  }
}

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((x, i) => x === b[i]);

export const lanes = new Lanes();
