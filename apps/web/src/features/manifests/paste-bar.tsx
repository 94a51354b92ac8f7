import { type CleanedPod, cleanPods, type DroppedField } from '@syncloop/core/schema';
import { useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { takenFiles } from './commands.js';
import { addDraft, renameDraft, writeDraft } from './manifests-store.js';

const REASONS = ['replaced', 'reference', 'placement', 'unknown', 'ignored', 'cluster', 'default'] as const;

/** A file name that is free for a pod. */
function fileFor(name: string, taken: readonly string[]): string {
  let file = `${name}.yaml`;
  for (let n = 2; taken.includes(file); n++) file = `${name}-${n}.yaml`;
  return file;
}

/** Offered where somebody pasted what kubectl prints. */
export function PasteBar({
  file,
  text,
  fresh,
  onDone,
}: {
  readonly file: string;
  readonly text: string;
  readonly fresh: boolean;
  readonly onDone: (pods: readonly CleanedPod[] | null) => void;
}) {
  const t = useT();
  const scenarios = useSession((s) => s.info?.capabilities.scenarios ?? false);
  const [pods] = useState(() => cleanPods(text));
  const clean = () => {
    const [first, ...rest] = pods;
    if (!first) return;
    writeDraft(file, first.text);
    // A file that has no name of its own yet has the pod's.
    if (fresh && !takenFiles().includes(`${first.name}.yaml`)) renameDraft(file, `${first.name}.yaml`);
    for (const pod of rest) addDraft(fileFor(pod.name, takenFiles()), pod.text);
    onDone(pods);
  };
  return (
    <section className="sl-paste" role="status" data-testid="paste-bar">
      <p>{t('manifests.paste')}</p>
      <div className="sl-group">
        <button type="button" className="sl-button sl-primary" onClick={clean} data-testid="paste-clean">
          {pods.length > 1 ? t('manifests.paste.cleanN', { n: pods.length }) : t('manifests.paste.clean')}
        </button>
        {scenarios && (
          <button
            type="button"
            className="sl-button"
            data-testid="paste-scenario"
            onClick={() => runCommand('scenario.fromPod', text)}
          >
            {t('manifests.paste.scenario')}
          </button>
        )}
        <button type="button" className="sl-button sl-quiet" onClick={() => onDone(null)}>
          {t('manifests.paste.keep')}
        </button>
      </div>
    </section>
  );
}

/** What was left out of the pods, by reason. */
export function DroppedList({ pods, onClose }: { readonly pods: readonly CleanedPod[]; readonly onClose: () => void }) {
  const t = useT();
  const of = (dropped: readonly DroppedField[], reason: DroppedField['reason']) =>
    dropped.filter((d) => d.reason === reason);
  return (
    <section className="sl-paste" data-testid="dropped">
      <p role="status">{t('manifests.paste.done', { n: pods.reduce((n, p) => n + p.dropped.length, 0) })}</p>
      <div className="sl-dropped">
        {pods.map((pod) => (
          <details key={pod.name} open={pods.length === 1}>
            <summary>{t('manifests.dropped', { name: pod.name })}</summary>
            <dl>
              {REASONS.filter((r) => of(pod.dropped, r).length > 0).map((reason) => (
                <div key={reason}>
                  <dt>{t(`manifests.dropped.${reason}`)}</dt>
                  <dd className="sl-code">
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
