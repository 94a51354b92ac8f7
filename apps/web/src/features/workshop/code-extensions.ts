import { autocompletion, type CompletionContext, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, Prec, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  GutterMarker,
  gutter,
  highlightActiveLine,
  hoverTooltip,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { codeHighlight, codeTheme } from '../../ui/code-mirror/index.js';
import type { TypesClient } from './worker/types-client.js';

/** The line that is next in a recorded call; 0 for none. */
export const setNext = StateEffect.define<number>();
/** Sets and removes a breakpoint in a line. */
export const toggleStop = StateEffect.define<number>();

const nextLine = StateField.define<number>({
  create: () => 0,
  update(line, { effects, docChanged }) {
    for (const effect of effects) if (effect.is(setNext)) return effect.value;
    return docChanged ? 0 : line;
  },
});

const nextMark = EditorView.decorations.compute([nextLine], (state) => {
  const line = state.field(nextLine);
  if (line < 1 || line > state.doc.lines) return Decoration.none;
  return Decoration.set(Decoration.line({ class: 'sl-next' }).range(state.doc.line(line).from));
});

/** The lines with breakpoints, as offsets that move with the text. */
const stops = StateField.define<readonly number[]>({
  create: () => [],
  update(found, transaction) {
    let now = transaction.docChanged ? found.map((at) => transaction.changes.mapPos(at)) : found;
    for (const effect of transaction.effects) {
      if (!effect.is(toggleStop) || effect.value < 1 || effect.value > transaction.state.doc.lines) continue;
      const { from, to } = transaction.state.doc.line(effect.value);
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
const stopGutter = gutter({
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
});

const look = EditorView.theme({
  '&.cm-focused': { outline: 'none' },
  '.sl-next': { backgroundColor: 'var(--sl-decision-soft)', boxShadow: 'inset 3px 0 0 var(--sl-decision)' },
  '.sl-stops': { width: '16px' },
  '.sl-stops .cm-gutterElement': {
    color: 'var(--sl-failure)',
    padding: '0 2px',
    cursor: 'pointer',
    textAlign: 'center',
  },
  '.cm-lintRange': { backgroundImage: 'none', paddingBottom: '0' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy var(--sl-failure) 1px', textUnderlineOffset: '3px' },
  '.cm-lintRange-warning': { textDecoration: 'underline wavy var(--sl-message) 1px', textUnderlineOffset: '3px' },
  '.cm-gutter-lint': { width: '14px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0' },
  '.cm-lint-marker': { width: '14px', height: '18px', content: 'none !important', textAlign: 'center' },
  '.cm-lint-marker::before': { fontWeight: '700' },
  '.cm-lint-marker-error::before': { content: '"×"', color: 'var(--sl-failure)' },
  '.cm-lint-marker-warning::before': { content: '"!"', color: 'var(--sl-message)' },
  '.cm-diagnostic': {
    padding: '5px 8px',
    borderLeft: '3px solid var(--sl-failure)',
    maxWidth: '60ch',
    whiteSpace: 'pre-wrap',
  },
  '.cm-tooltip': { maxWidth: 'min(70ch, 92vw)' },
  '.sl-type': { padding: '6px 10px', fontFamily: 'var(--sl-mono)', whiteSpace: 'pre-wrap' },
});

/** A problem of the interpreter: it stands at its line until the code is changed. */
export interface LineProblem {
  readonly line: number;
  readonly message: string;
}

interface Hooks {
  readonly types: string;
  readonly client: TypesClient;
  readonly problem: () => LineProblem | null;
  readonly onChange: (code: string) => void;
  readonly onRun: () => void;
}

/** All that the editor of a stage has. `extra` goes first. */
export function codeExtensions({ types, client, problem, onChange, onRun }: Hooks, extra: Extension): Extension[] {
  const check = async (view: EditorView): Promise<Diagnostic[]> => {
    const { doc } = view.state;
    const found: Diagnostic[] = (await client.problems(types, doc.toString())).map(
      ({ from, to, severity, message }) => ({
        from: Math.min(from, doc.length),
        to: Math.min(to, doc.length),
        severity,
        message,
      }),
    );
    const ran = problem();
    if (ran && ran.line <= doc.lines) {
      const { from, to } = doc.line(ran.line);
      found.push({ from, to: Math.max(to, from), severity: 'error', message: ran.message });
    }
    return found;
  };
  const complete = async (context: CompletionContext) => {
    const word = context.matchBefore(/[\w$]+/);
    const dot = context.matchBefore(/\./);
    if (!context.explicit && !word && !dot) return null;
    const answer = await client.options(types, context.state.doc.toString(), context.pos);
    if (!answer || answer.options.length === 0) return null;
    return {
      ...answer,
      options: answer.options.map(({ label, kind }) => ({ label, detail: kind })),
      validFor: /^[\w$]*$/,
    };
  };
  const runNow = () => {
    onRun();
    return true;
  };
  const hover = hoverTooltip(async (view, pos) => {
    const info = await client.info(types, view.state.doc.toString(), pos);
    if (!info) return null;
    return {
      pos: info.from,
      end: info.to,
      above: true,
      create: () => {
        const dom = document.createElement('div');
        dom.className = 'sl-type';
        dom.textContent = info.text;
        return { dom };
      },
    };
  });
  return [
    extra,
    Prec.highest(
      keymap.of([
        { key: 'Mod-Enter', run: runNow },
        {
          key: 'F9',
          run: (view) => {
            view.dispatch({ effects: toggleStop.of(view.state.doc.lineAt(view.state.selection.main.head).number) });
            return true;
          },
        },
      ]),
    ),
    stopGutter,
    stops,
    nextLine,
    nextMark,
    lineNumbers(),
    lintGutter(),
    linter(check, { delay: 350 }),
    highlightActiveLine(),
    history(),
    bracketMatching(),
    closeBrackets(),
    indentOnInput(),
    indentUnit.of('  '),
    EditorState.tabSize.of(2),
    javascript({ typescript: true }),
    look,
    codeTheme,
    codeHighlight,
    search({ top: true }),
    autocompletion({ override: [complete], icons: false }),
    hover,
    keymap.of([indentWithTab, ...completionKeymap, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
  ];
}

/** An editor that only shows code. */
export const readOnlyExtensions: Extension[] = [
  EditorState.readOnly.of(true),
  lineNumbers(),
  javascript({ typescript: true }),
  look,
  codeTheme,
  codeHighlight,
];
