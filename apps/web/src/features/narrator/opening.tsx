import type { SessionInfo } from '@syncloop/core/debug';
import type { RecordOf, Seq } from '@syncloop/core/trace';
import type { ReactNode } from 'react';
import { type MessageKey, useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { useTrace } from '../../run/use-trace.js';
import { Keys } from '../../ui/keys.js';

interface Opening {
  /** The manifest that the story begins with, if there is one. */
  readonly file: string;
  readonly text: MessageKey;
}

/** Returns the text for the place where a scenario opens; null anywhere else. */
export function useOpening(): Opening | null {
  const opened = useSession((s) => s.info?.opened);
  // A step back ends at the very record that it opens with, within the decision.
  const stands = useSession((s) => s.phase === 'ready' && !s.run.running && opensAt(s.info, s.run.seq));
  const manifests = useSession((s) => s.manifests);
  const opening = useTrace((state, { seq }) => {
    if (!opened || !opensAt({ opened }, seq)) return null;
    const record = trace.records.get(opened.record);
    // With an API server, the manifest may have been applied there instead.
    return { file: record?.kind === 'input' ? appliedFile(record) : '', cluster: state.api.requests > 0 };
  });
  if (!stands || !opening) return null;
  const { file, cluster } = opening;
  const inFolder = !cluster || manifests.some((m) => m.file === file);
  return { file, text: inFolder ? 'narrator.opensFolder' : 'narrator.opensAPI' };
}

const opensAt = (info: Pick<SessionInfo, 'opened'> | null, seq: Seq): boolean =>
  info?.opened !== undefined && seq >= info.opened.record && seq <= info.opened.seq;

const appliedFile = ({ verb, args }: RecordOf<'input'>): string => {
  const [file] = args;
  return verb === 'apply' && typeof file === 'string' ? file : '';
};

/**
 * The sentence that invites to follow the story that begins here; `said`: the general sentence about what just
 * happened.
 */
export function OpeningSentence({ opening: { text, file }, said }: Props) {
  const t = useT();
  return (
    <span data-testid="opening">
      {file === '' ? said : t(text, { file, pod: file.replace(/\.ya?ml$/, '') })}{' '}
      <span className="sl-only-keys">
        <Keys text={t('narrator.follow')} />
      </span>
      <span className="sl-only-touch">{t('narrator.followTouch')}</span>
    </span>
  );
}
interface Props {
  readonly opening: Opening;
  readonly said: ReactNode;
}
