import { forceLinting } from '@codemirror/lint';
import { Compartment } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { mountCodeMirror } from '../../ui/code-mirror/index.js';
import { codeExtensions, type LineProblem, readOnlyExtensions, setNext } from './code-extensions.js';
import { setStops, stopLines } from './stop-gutter.js';
import { TypesClient } from './worker/types-client.js';

export interface CodeEditorHandle {
  focus(): void;
  /** Puts the caret into a line. */
  goTo(line: number): void;
  stops(): ReadonlySet<number>;
}

interface Props {
  /** Another one is another editor, with a history of its own. */
  readonly name: string;
  readonly code: string;
  readonly types: string;
  readonly problem: LineProblem | null;
  /** The line that is next in a recorded call; 0 for none. */
  readonly next: number;
  readonly onChange: (code: string) => void;
  readonly onRun: () => void;
  readonly onDebug: () => void;
  /** The lines with breakpoints at first. */
  readonly stops: readonly number[];
  readonly onStops: (lines: readonly number[]) => void;
  readonly ref: Ref<CodeEditorHandle>;
}

/** A learner's code, with types checked as it is written. */
export function CodeEditor(props: Props) {
  const { name, code, types, problem, next, ref } = props;
  const t = useT();
  const lang = useUI((s) => s.lang);
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const now = useRef(props);
  useLayoutEffect(() => {
    now.current = props;
  });
  const label = t('workshop.editor');
  const keys = t('workshop.editorKeys');

  useLayoutEffect(() => {
    const element = host.current;
    if (!element) return;
    const client = new TypesClient();
    const attributes = new Compartment();
    const extensions = codeExtensions(
      {
        types,
        client,
        problem: () => now.current.problem,
        onChange: (text) => now.current.onChange(text),
        onRun: () => now.current.onRun(),
        onDebug: () => now.current.onDebug(),
        onStops: (lines) => now.current.onStops(lines),
      },
      attributes.of(
        EditorView.contentAttributes.of({
          tabindex: '0',
          'aria-label': label,
          'aria-description': keys,
          'data-testid': 'workshop-code',
          'data-stage': name,
          'data-lang': lang,
        }),
      ),
    );
    const made = mountCodeMirror(element, extensions, now.current.code);
    made.dispatch({ effects: setStops.of(now.current.stops) });
    view.current = made;
    return () => {
      made.destroy();
      client.close();
      view.current = null;
    };
  }, [name, types, label, keys, lang]);

  useEffect(() => {
    const v = view.current;
    if (!v || v.state.doc.toString() === code) return;
    v.dispatch({ changes: { from: 0, to: v.state.doc.length, insert: code } });
  }, [code]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the problem is read when the text is checked
  useEffect(() => {
    if (view.current) forceLinting(view.current);
  }, [problem]);

  useEffect(() => {
    const v = view.current;
    if (!v) return;
    const inside = next >= 1 && next <= v.state.doc.lines;
    v.dispatch({
      effects: [
        setNext.of(next),
        ...(inside ? [EditorView.scrollIntoView(v.state.doc.line(next).from, { y: 'nearest', yMargin: 40 })] : []),
      ],
    });
  }, [next]);

  useImperativeHandle(
    ref,
    () => ({
      focus: () => view.current?.focus(),
      goTo(line) {
        const v = view.current;
        if (!v || line < 1 || line > v.state.doc.lines) return;
        const { from } = v.state.doc.line(line);
        v.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
        v.focus();
      },
      stops: () => (view.current ? stopLines(view.current.state) : new Set()),
    }),
    [],
  );

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys that the editor takes end here
    <div
      ref={host}
      className="sl-workshop-editor u-hidden-overflow u-border-strong u-round"
      onKeyDown={(e) => {
        // Escape is the editor's: it closes its help, and lets Tab leave. The page stays open.
        if (e.key === 'Escape') e.preventDefault();
        if (e.key === 'Escape' || (!e.ctrlKey && !e.metaKey)) e.stopPropagation();
      }}
    />
  );
}

/** Code to read. */
export function CodeView({ code, label }: { readonly code: string; readonly label: string }) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = host.current;
    if (!element) return;
    const attributes = EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': label });
    const made = mountCodeMirror(element, [attributes, ...readOnlyExtensions], code);
    return () => made.destroy();
  }, [code, label]);
  return <div ref={host} className="sl-workshop-read u-hidden-overflow u-border u-round u-above-8" />;
}
