import {
  autocompletion,
  type Completion as CMCompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
  snippet,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { lintGutter, lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, Prec } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
  type Tooltip,
} from '@codemirror/view';
import { t } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { codeHighlight, codeTheme } from '../../ui/code-mirror/index.js';
import { manifestTheme } from './cm-look.js';
import { phrases } from './cm-phrases.js';
import { hoverLines } from './logic/manifests-problems.js';
import { type Completion, completionsAt, fieldAt } from './logic/yaml-complete.js';
import { keyAt } from './logic/yaml-context.js';

const lang = () => useUI.getState().lang;

function complete(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/[\w./-]+/);
  const { state, pos, explicit } = context;
  const text = state.doc.toString();
  // Unasked only while a word is being written.
  if (!explicit && !word && !/(:|-) $/.test(state.doc.lineAt(pos).text.slice(0, pos - state.doc.lineAt(pos).from)))
    return null;
  const found = completionsAt(text, pos, lang());
  if (!found) return null;
  return {
    from: found.from,
    to: Math.max(found.to, pos),
    options: found.options.map(optionOf),
    validFor: /^[\w./-]*$/,
  };
}

function optionOf(c: Completion): CMCompletion {
  return {
    label: c.label,
    detail: c.detail,
    info: () => {
      const p = document.createElement('p');
      p.textContent = c.info;
      p.style.margin = '0';
      return p;
    },
    type: c.kind === 'key' ? 'property' : 'constant',
    boost: c.boost,
    apply: (view, completion, from, to) => {
      put(view, completion, c.insert, from, to);
      if (c.again) setTimeout(() => startCompletion(view), 0);
    },
  };
}

/** Inserts a snippet whose lines are already indented: the editor would indent them once more. */
function put(view: EditorView, completion: CMCompletion, text: string, from: number, to: number): void {
  const indent = (/^\s*/.exec(view.state.doc.lineAt(from).text) as RegExpExecArray)[0].length;
  const own = Math.min(indent, from - view.state.doc.lineAt(from).from);
  const lines = text.split('\n');
  const moved = lines.map((line, i) =>
    i === 0 ? line : line.slice(Math.min(own, line.length - line.trimStart().length)),
  );
  snippet(moved.join('\n'))(view, completion, from, to);
}

const help = hoverTooltip((view, pos): Tooltip | null => {
  const text = view.state.doc.toString();
  const key = keyAt(text, pos);
  if (!key) return null;
  const node = fieldAt(key.path);
  const name = key.path.at(-1) as string;
  if (!node) return null;
  const required = fieldAt(key.path.slice(0, -1))?.required?.includes(name) ?? false;
  return {
    pos: key.from,
    end: key.to,
    above: true,
    create: () => {
      const dom = document.createElement('div');
      dom.className = 'sl-hover';
      dom.lang = lang();
      const line = (words: string, className: string) => {
        const p = document.createElement('p');
        p.className = className;
        p.textContent = words;
        dom.append(p);
      };
      line(key.path.filter((k) => k !== '-').join('.'), 'sl-hover-name');
      for (const [i, words] of hoverLines(t, lang(), node, required).entries())
        line(words, i === 0 ? '' : 'sl-hover-fact');
      return { dom };
    },
  };
});

export interface YAMLEditorHooks {
  readonly onChange: (text: string) => void;
  readonly onApply: () => void;
}

/** All that a manifest's editor has, in the page's language of now. `extra` goes first. */
export function yamlExtensions({ onChange, onApply }: YAMLEditorHooks, extra: Extension): Extension[] {
  return [
    extra,
    phrases(lang()),
    Prec.highest(
      keymap.of([
        {
          key: 'Mod-Enter',
          run: () => {
            onApply();
            return true;
          },
        },
      ]),
    ),
    lineNumbers(),
    lintGutter(),
    foldGutter({ openText: '▾', closedText: '▸' }),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    history(),
    bracketMatching(),
    indentOnInput(),
    indentUnit.of('  '),
    EditorState.tabSize.of(2),
    yaml(),
    manifestTheme,
    codeTheme,
    codeHighlight,
    search({ top: true }),
    highlightSelectionMatches(),
    autocompletion({ override: [complete], icons: false, defaultKeymap: true }),
    help,
    keymap.of([
      indentWithTab,
      ...completionKeymap,
      ...lintKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...defaultKeymap,
    ]),
    EditorView.updateListener.of((u) => {
      if (u.docChanged) onChange(u.state.doc.toString());
    }),
  ];
}
