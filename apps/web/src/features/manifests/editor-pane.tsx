import type { Diagnostic } from '@codemirror/lint';
import { placeOfError } from '@syncloop/core/manifest';
import { type ImageAnswerOf, type ImageQuestion, noteText } from '@syncloop/core/scenario/workload';
import { useEffect, useMemo, useRef, useState } from 'react';
import { keyLabel } from '../../commands/hotkeys.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { CommandButton } from '../../ui/command-button.js';
import { ImageQuestions } from './image-questions.js';
import { FILE_NAME } from './logic/manifests.js';
import { counted, fixesOf, problemText } from './logic/manifests-problems.js';
import { dropDraft, takeFocus, useManifests, writeDraft } from './manifests-store.js';
import { OutcomeView } from './outcome-view.js';
import { ProblemList } from './problem-list.js';
import type { ManifestCheck, OpenManifest } from './use-manifest.js';
import { WorkloadBar } from './workload-bar.js';
import { YAMLEditor, type YAMLEditorHandle } from './yaml-editor.js';

/** The session would not take a text. */
export interface Refusal {
  readonly file: string;
  readonly text: string;
  readonly message: string;
  /** It can be written all the same. */
  readonly forcible: boolean;
}

interface Props {
  readonly open: OpenManifest;
  readonly checked: ManifestCheck;
  readonly comparing: boolean;
  readonly refusal: Refusal | null;
  readonly onApply: (force?: boolean) => void;
  readonly questions: readonly ImageQuestion[];
  readonly onAnswer: (question: ImageQuestion, answer: ImageAnswerOf) => void;
  readonly onMake: () => void;
  readonly onKeep: () => void;
  readonly onRename: (file: string, to: string) => void;
}

/** Shows the text of a manifest, its problems, its outcome, and the buttons for it. */
export function EditorPane(props: Props) {
  const { open, checked, comparing, refusal, questions, onApply, onAnswer, onMake, onKeep, onRename } = props;
  const t = useT();
  const lang = useUI((s) => s.lang) === 'en' ? 'en' : 'zh';
  const { file, text, state, saved } = open;
  const editor = useRef<YAMLEditorHandle>(null);
  const focus = useManifests((s) => s.focus);
  const changed = state !== 'saved';
  // Problems of an older text would be at the wrong places.
  const problems = checked.text === text ? checked.problems : NONE;
  const workload = checked.text === text ? checked.workload : null;

  // biome-ignore lint/correctness/useExhaustiveDependencies: another file has another editor
  useEffect(() => {
    if (takeFocus()) editor.current?.focus();
  }, [focus, file]);

  const diagnostics = useMemo<Diagnostic[]>(() => {
    const found = problems.map(
      (p): Diagnostic => ({
        from: p.from,
        to: p.to,
        severity: p.severity,
        message: problemText(t, p) + (p.kubelet !== undefined && p.code !== 'kubelet' ? `\n${p.kubelet}` : ''),
        actions: fixesOf(t, p, text).map((fix) => ({
          name: fix.label,
          apply: (view) => view.dispatch({ changes: { from: fix.from, to: fix.to, insert: fix.insert } }),
        })),
      }),
    );
    for (const note of workload?.notes ?? []) {
      const end = text.indexOf('\n', note.from);
      const to = end < 0 ? text.length : end;
      if (note.refusal && to > note.from)
        found.push({ from: note.from, to, severity: 'error', message: noteText(note, lang) });
    }
    // The session's own refusal is at its line as well.
    const place = refusal && !found.some((d) => d.severity === 'error') && placeOfError(text, refusal.message);
    return place ? [...found, { ...place, severity: 'error', message: refusal.message }] : found;
  }, [problems, workload, refusal, t, text, lang]);
  const { errors } = counted(problems);
  const bad = refusal !== null || errors > 0 || (workload?.notes.some((n) => n.refusal) ?? false);
  const keys = t('manifests.keys', {
    complete: keyLabel('Ctrl+Space'),
    search: keyLabel('Mod+F'),
    apply: keyLabel('Mod+Enter'),
  });

  return (
    <form
      className="sl-editor u-column u-gap-6 u-min-height-0 u-border-top"
      onSubmit={(e) => {
        e.preventDefault();
        onApply();
      }}
    >
      <div className="sl-editor-head u-line u-wrap u-min-width-0">
        {state === 'fresh' ? (
          <FileName key={file} file={file} onRename={onRename} />
        ) : (
          <span className="sl-code sl-strong">{file}</span>
        )}
        {state !== 'fresh' && (
          <span className="sl-small" data-state={state} data-testid="manifest-state">
            {t(`manifests.state.${state}`)}
          </span>
        )}
      </div>
      <YAMLEditor
        ref={editor}
        file={file}
        text={text}
        onChange={(next) => writeDraft(file, next)}
        onApply={() => onApply()}
        diagnostics={diagnostics}
        original={comparing && saved !== null ? saved : null}
        bad={bad}
        label={t('manifests.text', { file })}
        description={keys}
      />
      <div className="sl-editor-foot u-column u-gap-6 u-flex-none">
        <ProblemList problems={problems} text={text} editor={editor} />
        {workload && (workload.pods.length > 0 || workload.notes.length > 0) && (
          <WorkloadBar
            workload={workload}
            text={text}
            questions={questions}
            editor={editor}
            onMake={onMake}
            onKeep={onKeep}
          />
        )}
        <ImageQuestions questions={questions} ports={checked.ports} onAnswer={onAnswer} />
        {checked.outcome && checked.text === text && <OutcomeView outcome={checked.outcome} all={comparing} />}
        <p className="sl-small sl-only-keys">{keys}</p>
      </div>
      <div className="sl-apply-bar u-column u-gap-4 u-border-top u-panel">
        {refusal && (
          <p className="sl-error u-scroll u-break u-failure" role="alert" data-testid="manifest-error">
            {t('manifests.refused', { error: refusal.message })}
          </p>
        )}
        <div className="sl-group">
          <button type="submit" className="sl-button sl-primary" disabled={!changed} data-testid="apply">
            {t('manifests.apply')}
          </button>
          {refusal?.forcible && (
            <button type="button" className="sl-button" onClick={() => onApply(true)} data-testid="apply-anyway">
              {t('manifests.applyAnyway')}
            </button>
          )}
          {changed && (
            <button type="button" className="sl-button" onClick={() => dropDraft(file)} data-testid="discard">
              {t('manifests.discard')}
            </button>
          )}
          {saved !== null && (changed || comparing) && (
            <CommandButton
              id="manifest.compare"
              pressed={comparing}
              label={t('manifests.compare')}
              className="sl-quiet"
              testId="compare"
            />
          )}
          {errors > 0 && (
            <button
              type="button"
              className="sl-button sl-quiet u-push u-failure"
              data-testid="first-error"
              onClick={() => {
                const first = problems.find((p) => p.severity === 'error');
                if (first) editor.current?.goTo(first.from, first.to);
              }}
            >
              {t('workload.errorCount', { n: errors })}
            </button>
          )}
        </div>
      </div>
    </form>
  );
}
const NONE: readonly never[] = [];

/** The name of a file that is not written yet; taken over when the field is left. */
function FileName({
  file,
  onRename,
}: {
  readonly file: string;
  readonly onRename: (file: string, to: string) => void;
}) {
  const t = useT();
  const [name, setName] = useState(file);
  const taken = useSession((s) => s.manifests.some((m) => m.file === name));
  const drafted = useManifests((s) => name !== file && Object.hasOwn(s.drafts, name));
  const wrong = !FILE_NAME.test(name) ? t('manifests.badName') : taken || drafted ? t('manifests.takenName') : '';
  const done = () => {
    if (wrong === '') onRename(file, name);
  };
  return (
    <label className="sl-field sl-file-field u-center u-wrap u-gap-8 u-dim">
      {t('manifests.file')}
      <input
        className="sl-input sl-code u-min-width-0"
        value={name}
        aria-invalid={wrong !== ''}
        data-testid="manifest-file"
        onChange={(e) => setName(e.currentTarget.value)}
        onBlur={done}
        onKeyDown={(e) => {
          if (e.key !== 'Enter') return;
          e.preventDefault();
          done();
        }}
      />
      {wrong !== '' && (
        <span className="sl-small sl-message-text" role="alert">
          {wrong}
        </span>
      )}
    </label>
  );
}
