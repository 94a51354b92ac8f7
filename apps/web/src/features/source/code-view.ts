import { javascript } from '@codemirror/lang-javascript';
import { Compartment, EditorState, type Extension, RangeSet, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutter, lineNumbers } from '@codemirror/view';
import { codeHighlight, codeTheme, mountCodeMirror } from '../../ui/code-mirror/index.js';
import type { Target } from '../breakpoints/logic/breakpoints.js';
import type { BreakLine } from './logic/source-breakpoints.js';
import type { Lines, Marked } from './logic/source-lines.js';

export interface CodeState {
  readonly file: string;
  readonly text: string;
  /** Name of the text for screen readers. */
  readonly label: string;
  readonly marked: Marked;
  readonly breaks: readonly (BreakLine & { readonly title: string })[];
}

const setShown = StateEffect.define<CodeState>();

class Dot extends GutterMarker {
  constructor(
    readonly state: BreakLine['state'],
    readonly title: string,
  ) {
    super();
  }
  override eq(other: Dot): boolean {
    return other.state === this.state && other.title === this.title;
  }
  override toDOM(): Node {
    const dot = document.createElement('span');
    dot.className = `cm-sl-dot cm-sl-dot-${this.state}`;
    dot.title = this.title;
    return dot;
  }
}
class Arrow extends GutterMarker {
  override toDOM(): Node {
    return document.createTextNode('▶');
  }
}
const arrow = new Arrow();

const shownField = StateField.define<CodeState | null>({
  create: () => null,
  update: (value, tr) => tr.effects.reduce((v, e) => (e.is(setShown) ? e.value : v), value),
});

/** Marks the lines of the function, of the step and of the record; the more exact mark covers the less exact one. */
function decorations(state: EditorState): DecorationSet {
  const shown = state.field(shownField);
  if (!shown) return Decoration.none;
  const { body, step, line } = shown.marked;
  const classes = new Map<number, string[]>();
  const add = (lines: Lines | null, name: string) => {
    if (lines)
      for (let n = lines.from; n <= Math.min(lines.to, state.doc.lines); n++)
        classes.set(n, [...(classes.get(n) ?? []), name]);
  };
  add(body, 'cm-sl-body');
  add(step, 'cm-sl-step');
  add(line, 'cm-sl-line');
  const ranges = [...classes]
    .sort(([a], [b]) => a - b)
    .map(([n, names]) => Decoration.line({ class: names.join(' ') }).range(state.doc.line(n).from));
  return Decoration.set(ranges);
}

const theme: Extension = EditorView.theme({
  '.cm-line': { borderLeft: '3px solid transparent' },
  '.cm-sl-body': { borderLeftColor: 'var(--sl-line-strong)' },
  '.cm-sl-step': { backgroundColor: 'var(--sl-decision-soft)', borderLeftColor: 'var(--sl-decision)' },
  '.cm-sl-line': { backgroundColor: 'var(--sl-message-soft)', borderLeftColor: 'var(--sl-message)' },
  '.cm-sl-now': { width: '14px', color: 'var(--sl-message)' },
  '.cm-sl-breaks': { width: '24px' },
  '.cm-sl-breaks .cm-gutterElement': { display: 'grid', placeItems: 'center' },
  '.cm-sl-dot': {
    boxSizing: 'border-box',
    width: '18px',
    height: '18px',
    borderRadius: '50%',
    border: '4px solid var(--sl-sunken)',
    boxShadow: 'inset 0 0 0 1.5px var(--sl-line-strong)',
    cursor: 'pointer',
  },
  '.cm-sl-dot:hover': { boxShadow: 'inset 0 0 0 1.5px var(--sl-failure)' },
  '.cm-sl-dot-on': { backgroundColor: 'var(--sl-failure)', boxShadow: 'none' },
  '.cm-sl-dot-off': { boxShadow: 'inset 0 0 0 1.5px var(--sl-failure)' },
});

/** A read-only view of one file at a time. */
export class CodeView {
  private readonly view: EditorView;
  private readonly label = new Compartment();
  private file = '';
  private at = '';

  constructor(host: HTMLElement, toggle: (target: Target) => void) {
    const markers = (view: EditorView) => {
      const shown = view.state.field(shownField);
      const { doc } = view.state;
      return RangeSet.of(
        (shown?.breaks ?? [])
          .filter((b) => b.line <= doc.lines)
          .map((b) => new Dot(b.state, b.title).range(doc.line(b.line).from)),
      );
    };
    this.view = mountCodeMirror(host, [
      shownField,
      javascript({ typescript: true }),
      codeTheme,
      codeHighlight,
      theme,
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      this.label.of([]),
      EditorView.decorations.compute([shownField, 'doc'], decorations),
      gutter({
        class: 'cm-sl-breaks',
        markers,
        lineMarkerChange: (update) => update.startState.field(shownField) !== update.state.field(shownField),
        domEventHandlers: {
          click: (view, block) => {
            const n = view.state.doc.lineAt(block.from).number;
            const found = view.state.field(shownField)?.breaks.find((b) => b.line === n);
            if (found) toggle(found.target);
            return found !== undefined;
          },
        },
      }),
      lineNumbers(),
      gutter({
        class: 'cm-sl-now',
        markers: (view) => {
          const from = view.state.field(shownField)?.marked.line?.from ?? 0;
          const { doc } = view.state;
          return from > 0 && from <= doc.lines ? RangeSet.of([arrow.range(doc.line(from).from)]) : RangeSet.empty;
        },
        lineMarkerChange: (update) => update.startState.field(shownField) !== update.state.field(shownField),
      }),
    ]);
  }

  show(shown: CodeState): void {
    const { view } = this;
    const { file, text, label, marked } = shown;
    const changes = file === this.file ? [] : [{ from: 0, to: view.state.doc.length, insert: text }];
    view.dispatch({
      changes,
      effects: [
        setShown.of(shown),
        this.label.reconfigure(
          EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
        ),
      ],
    });
    // It scrolls only to another place: a user who has scrolled away stays there.
    const at = `${file} ${marked.line?.from ?? marked.step?.from ?? marked.body.from}`;
    if (at !== this.at) this.reveal(marked, file !== this.file);
    this.file = file;
    this.at = at;
  }

  private reveal({ line, step, body }: Marked, elsewhere: boolean): void {
    const { doc } = this.view.state;
    const n = Math.min(doc.lines, (line ?? step ?? body).from);
    // The head of a function is scrolled to the top, a line in it to a place with its surroundings in sight.
    const head = n === body.from;
    const y = head ? 'start' : elsewhere ? 'center' : 'nearest';
    this.view.dispatch({ effects: EditorView.scrollIntoView(doc.line(n).from, { y, yMargin: head ? 20 : 90 }) });
  }

  destroy(): void {
    this.view.destroy();
  }
}
