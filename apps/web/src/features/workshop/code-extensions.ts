import { autocompletion, type CompletionContext, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, Prec, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from '@codemirror/view';
import type { Problem } from '@syncloop/workshop/interpreter';
import { useUI } from '../../page/ui-store.js';
import { codeHighlight, codeTheme } from '../../ui/code-mirror/index.js';
import { problemIn } from './problem-in.js';
import { stopGutter } from './stop-gutter.js';
import type { TypesClient } from './worker/types-client.js';

/** The line that is next in a recorded call; 0 for none. */
export const setNext = StateEffect.define<number>();

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
export type LineProblem = Problem;

interface Hooks {
  readonly types: string;
  readonly client: TypesClient;
  readonly problem: () => LineProblem | null;
  readonly onChange: (code: string) => void;
  readonly onRun: () => void;
  readonly onDebug: () => void;
  /** The lines that have breakpoints, when they have changed. */
  readonly onStops: (lines: readonly number[]) => void;
}

/** All that the editor of a stage has. `extra` goes first. */
export function codeExtensions(
  { types, client, problem, onChange, onRun, onDebug, onStops }: Hooks,
  extra: Extension,
): Extension[] {
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
      found.push({ from, to: Math.max(to, from), severity: 'error', message: problemIn(useUI.getState().lang, ran) });
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
  const now = (act: () => void) => () => {
    act();
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
        { key: 'Mod-Enter', run: now(onRun) },
        { key: 'Mod-Shift-Enter', run: now(onDebug) },
      ]),
    ),
    stopGutter(onStops),
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

/** An editor that shows code that runs, with the line that is next, and takes breakpoints. */
export const runningExtensions = (onStops: (lines: readonly number[]) => void): Extension[] => [
  stopGutter(onStops),
  nextLine,
  nextMark,
  ...readOnlyExtensions,
  highlightActiveLine(),
];
