/** The mounted timeline, for commands. */
export interface TimelineView {
  zoom(by: number): void;
  fit(): void;
  fitRange(): void;
  /** Goes to the next or previous search hit. */
  hit(by: 1 | -1): void;
}
let mounted: TimelineView | null = null;

export const timelineView: TimelineView & { mount(view: TimelineView | null): void; readonly there: boolean } = {
  mount: (view) => {
    mounted = view;
  },
  get there() {
    return mounted !== null;
  },
  zoom: (by) => mounted?.zoom(by),
  fit: () => mounted?.fit(),
  fitRange: () => mounted?.fitRange(),
  hit: (by) => mounted?.hit(by),
};
