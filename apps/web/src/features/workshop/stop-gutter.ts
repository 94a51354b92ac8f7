import { type EditorState, type Extension, Prec, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
import { EditorView, GutterMarker, gutter, keymap } from '@codemirror/view';

/** Sets and removes a breakpoint in a line. */
const toggleStop = StateEffect.define<number>();
/** Replaces all breakpoints, by their lines. */
export const setStops = StateEffect.define<readonly number[]>();

/** The lines with breakpoints, as offsets that move with the text. */
const stops = StateField.define<readonly number[]>({
  create: () => [],
  update(found, { docChanged, changes, effects, state: { doc } }) {
    const isLine = (line: number) => line >= 1 && line <= doc.lines;
    let now = docChanged ? found.map((at) => changes.mapPos(at)) : found;
    for (const effect of effects) {
      if (effect.is(setStops)) now = effect.value.filter(isLine).map((line) => doc.line(line).from);
      if (!effect.is(toggleStop) || !isLine(effect.value)) continue;
      const { from, to } = doc.line(effect.value);
      const without = now.filter((at) => at < from || at > to);
      now = without.length === now.length ? [...now, from].sort((a, b) => a - b) : without;
    }
    return now;
  },
});

/** The lines that have a breakpoint. */
export const stopLines = (state: EditorState): ReadonlySet<number> =>
  new Set(state.field(stops).map((at) => state.doc.lineAt(Math.min(at, state.doc.length)).number));

class StopMark extends GutterMarker {
  override toDOM() {
    const dot = document.createElement('span');
    dot.textContent = '●';
    return dot;
  }
}
const stopMark = new StopMark();

/**
 * Breakpoints of a code: a click in the gutter, or F9, sets and removes one. `onChange` gets the lines that have one
 * when they have changed by the user, with the text they are of.
 */
export const stopGutter = (onChange: (lines: readonly number[]) => void): Extension => [
  stops,
  gutter({
    class: 'sl-stops',
    markers: (view) => {
      const builder = new RangeSetBuilder<GutterMarker>();
      for (const line of [...stopLines(view.state)].sort((a, b) => a - b)) {
        const { from } = view.state.doc.line(line);
        builder.add(from, from, stopMark);
      }
      return builder.finish();
    },
    initialSpacer: () => stopMark,
    domEventHandlers: {
      mousedown: (view, block) => {
        view.dispatch({ effects: toggleStop.of(view.state.doc.lineAt(block.from).number) });
        return true;
      },
    },
  }),
  Prec.highest(
    keymap.of([
      {
        key: 'F9',
        run: (view) => {
          view.dispatch({ effects: toggleStop.of(view.state.doc.lineAt(view.state.selection.main.head).number) });
          return true;
        },
      },
    ]),
  ),
  EditorView.updateListener.of(({ startState, state, transactions }) => {
    if (transactions.some(({ effects }) => effects.some((effect) => effect.is(setStops)))) return;
    const [before, after] = [stopLines(startState), stopLines(state)];
    if (before.size !== after.size || [...after].some((line) => !before.has(line))) onChange([...after]);
  }),
];
