import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { Compartment, type EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import { useUI } from '../../page/ui-store.js';
import { mountCodeMirror } from '../../ui/code-mirror/index.js';
import { yamlExtensions } from './cm-yaml.js';

export interface YAMLEditorHandle {
  /** Puts the caret there, in sight, and the focus into the text. */
  goTo(from: number, to?: number): void;
  replace(from: number, to: number, insert: string): void;
  focus(): void;
}

interface Props {
  readonly file: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onApply: () => void;
  readonly diagnostics: readonly Diagnostic[];
  /** The text that it is compared with; null: it is not. */
  readonly original: string | null;
  readonly bad: boolean;
  readonly label: string;
  readonly description: string;
  readonly ref: Ref<YAMLEditorHandle>;
}

/**
 * Compartments are shared by all editors, of which one exists at a time: a kept editor state refers to them, and may be
 * restored in another editor. The state must then use that editor's handlers, never those of the closed one.
 */
const attributesPart = new Compartment();
const comparePart = new Compartment();
let latest: Pick<Props, 'onChange' | 'onApply'>;

/** The states of editors that were open before: a file gets back its undo history, caret and folds. */
const kept = new Map<string, EditorState>();
const MOST_KEPT = 30;

/** A manifest's text in an editor that knows the fields of a pod. */
export function YAMLEditor(props: Props) {
  const { file, text, diagnostics, original, bad, label, description, ref } = props;
  const lang = useUI((s) => s.lang);
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);

  const attributes = () =>
    EditorView.contentAttributes.of({
      // Accessibility tools do not count editable content as reachable by keyboard.
      tabindex: '0',
      'aria-label': label,
      'aria-description': description,
      'aria-invalid': String(bad),
      'data-testid': 'manifest-text',
    });
  const compare = () =>
    original === null
      ? []
      : unifiedMergeView({ original, mergeControls: false, gutter: true, syntaxHighlightDeletions: true });
  const now = useRef({ text, attributes, compare });
  now.current = { text, attributes, compare };
  useLayoutEffect(() => {
    latest = props;
  });

  // The editor is created again for another file and another language; other changes are below.
  useLayoutEffect(() => {
    const element = host.current;
    if (!element) return;
    const extensions = yamlExtensions({ onChange: (next) => latest.onChange(next), onApply: () => latest.onApply() }, [
      attributesPart.of(now.current.attributes()),
      comparePart.of(now.current.compare()),
    ]);
    const made = mountCodeMirror(element, extensions, now.current.text);
    const before = kept.get(`${lang} ${file}`);
    if (before && before.doc.toString() === now.current.text) made.setState(before);
    view.current = made;
    return () => {
      kept.delete(`${lang} ${file}`);
      kept.set(`${lang} ${file}`, made.state);
      for (const key of [...kept.keys()].slice(0, -MOST_KEPT)) kept.delete(key);
      made.destroy();
      view.current = null;
    };
  }, [file, lang]);

  // A text that did not come from typing: discarded, undone, changed by others.
  useEffect(() => {
    const v = view.current;
    if (!v || v.state.doc.toString() === text) return;
    v.dispatch({ changes: { from: 0, to: v.state.doc.length, insert: text } });
  }, [text]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new view needs them again
  useEffect(() => {
    const v = view.current;
    v?.dispatch({ effects: comparePart.reconfigure(now.current.compare()) });
  }, [original, file, lang]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(() => {
    view.current?.dispatch({ effects: attributesPart.reconfigure(now.current.attributes()) });
  }, [label, description, bad, file, lang]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(() => {
    const v = view.current;
    if (!v) return;
    const { length } = v.state.doc;
    const inside = diagnostics.filter((d) => d.from <= length && d.to <= length);
    v.dispatch(setDiagnostics(v.state, inside));
  }, [diagnostics, file, lang]);

  useImperativeHandle(
    ref,
    () => ({
      goTo(from, to = from) {
        const v = view.current;
        if (!v) return;
        const end = v.state.doc.length;
        v.dispatch({
          selection: { anchor: Math.min(from, end), head: Math.min(to, end) },
          effects: EditorView.scrollIntoView(Math.min(from, end), { y: 'center' }),
        });
        v.focus();
      },
      replace(from, to, insert) {
        view.current?.dispatch({ changes: { from, to, insert }, userEvent: 'input.fix' });
      },
      focus() {
        view.current?.focus();
      },
    }),
    [],
  );

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys that the editor takes end here
    <div
      ref={host}
      className="sl-yaml u-hidden-overflow u-border-strong u-round"
      data-bad={bad || undefined}
      data-compare={original !== null || undefined}
      onKeyDown={(e) => {
        // Escape is the editor's: it closes its help, and lets Tab leave.
        if (e.key === 'Escape' || (!e.ctrlKey && !e.metaKey)) e.stopPropagation();
      }}
    />
  );
}
