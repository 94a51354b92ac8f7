import type { CleanedPod, DroppedField } from '@syncloop/core/manifest';
import { type ImageQuestion, type Note, noteText, type Workload } from '@syncloop/core/scenario/workload';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { placeOf } from './logic/manifests-problems.js';
import type { YAMLEditorHandle } from './yaml-editor.js';

const REASONS = ['replaced', 'room', 'reference', 'placement', 'unknown', 'ignored', 'cluster', 'default'] as const;

interface Props {
  readonly workload: Workload;
  readonly text: string;
  /** The behaviour of its images, as shown next to it. */
  readonly questions: readonly ImageQuestion[];
  readonly editor: { readonly current: YAMLEditorHandle | null };
  /** Turns it into manifests that can be changed before they are applied. */
  readonly onMake: () => void;
  readonly onKeep: () => void;
}

/** Shows the pods of a text that is not a plain manifest of a pod, and a sentence on all that is left out. */
export function WorkloadBar({ workload, text, questions, editor, onMake, onKeep }: Props) {
  const t = useT();
  const scenarios = useSession((s) => s.info?.capabilities.scenarios ?? false);
  const { pods, notes, observed } = workload;
  /** Other things that can be made of the text. */
  const offers = [
    {
      when: observed,
      testId: 'paste-scenario',
      label: 'manifests.paste.scenario',
      run: () => runCommand('scenario.fromPod', text),
    },
    {
      when: needsServer(workload),
      testId: 'paste-api',
      label: 'workload.withApi',
      run: () => runCommand('scenario.fromWorkload', { text, said: questions }),
    },
    {
      when: notes.some((n) => n.code === 'absent'),
      testId: 'paste-missing',
      label: 'workload.missing',
      run: () => runCommand('scenario.fromWorkload', { text, absent: 'missing', said: questions }),
    },
  ] as const;
  return (
    <section className="sl-paste u-column u-start u-gap-6 u-flex-none u-round" role="status" data-testid="paste-bar">
      <p className="sl-strong">
        {pods.length === 0
          ? t('workload.none')
          : t(pods.length === 1 ? 'workload.one' : 'workload.many', {
              n: pods.length,
              pods: pods.map((p) => p.name).join(', '),
            })}
      </p>
      <Notes notes={notes} text={text} editor={editor} />
      {pods.length > 0 && (
        <div className="sl-group">
          <button type="button" className="sl-button" onClick={onMake} data-testid="paste-clean">
            {pods.length > 1 ? t('manifests.paste.cleanN', { n: pods.length }) : t('manifests.paste.clean')}
          </button>
          {scenarios &&
            offers
              .filter(({ when }) => when)
              .map(({ testId, label, run }) => (
                <button key={testId} type="button" className="sl-button" data-testid={testId} onClick={run}>
                  {t(label)}
                </button>
              ))}
          <button type="button" className="sl-button sl-quiet" onClick={onKeep}>
            {t('manifests.paste.keep')}
          </button>
        </div>
      )}
    </section>
  );
}

/** True if the pods would be other ones with an API server: a controller's, or such that refer to objects or claims. */
const needsServer = ({ pods, notes }: Workload): boolean =>
  pods.some((p) => !p.api && p.origin.kind !== 'Pod') || notes.some((n) => n.code === 'inline');

/** Each sentence leads to its place in the text. */
function Notes({
  notes,
  text,
  editor,
}: {
  readonly notes: readonly Note[];
  readonly text: string;
  readonly editor: Props['editor'];
}) {
  const t = useT();
  const lang = useUI((s) => s.lang) === 'en' ? 'en' : 'zh';
  if (notes.length === 0) return null;
  return (
    <ul className="sl-workload-notes u-width-full u-scroll" data-testid="workload-notes">
      {notes.map((note) => {
        const { line } = placeOf(text, note.from);
        const sentence = noteText(note, lang);
        return (
          <li key={`${note.from} ${sentence}`} data-refusal={note.refusal || undefined}>
            <button
              type="button"
              className="sl-problem u-line u-gap-8 u-width-full u-target u-bare u-pointer u-text-left"
              onClick={() => editor.current?.goTo(note.from)}
            >
              <span className="sl-tabular u-flex-none u-fs-1 u-mono u-faint" title={t('workload.line', { line })}>
                {line}
              </span>
              <span className="sl-problem-text u-min-width-0 u-break">{sentence}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** Lists what was left out of the pods, by reason. */
export function DroppedList({
  pods,
  onClose,
}: {
  readonly pods: readonly Pick<CleanedPod, 'name' | 'dropped'>[];
  readonly onClose: () => void;
}) {
  const t = useT();
  // Replicas lose what the first of them loses.
  const named = pods.filter((p) => p.dropped.length > 0);
  const of = (dropped: readonly DroppedField[], reason: DroppedField['reason']) =>
    dropped.filter((d) => d.reason === reason);
  return (
    <section className="sl-paste u-column u-start u-gap-6 u-flex-none u-round" data-testid="dropped">
      <p role="status">{t('manifests.paste.done', { n: pods.reduce((n, p) => n + p.dropped.length, 0) })}</p>
      <div className="sl-dropped u-scroll">
        {named.map((pod) => (
          <details key={pod.name} open={named.length === 1}>
            <summary className="u-target u-pointer">{t('manifests.dropped', { name: pod.name })}</summary>
            <dl>
              {REASONS.filter((r) => of(pod.dropped, r).length > 0).map((reason) => (
                <div key={reason}>
                  <dt className="u-fs-1 u-dim">{t(`manifests.dropped.${reason}`)}</dt>
                  <dd className="sl-code u-break u-fs-1">
                    {of(pod.dropped, reason)
                      .map((d) => d.path)
                      .join(', ')}
                  </dd>
                </div>
              ))}
            </dl>
          </details>
        ))}
      </div>
      <button type="button" className="sl-button" onClick={onClose}>
        {t('manifests.dropped.close')}
      </button>
    </section>
  );
}
