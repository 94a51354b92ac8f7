import type { EraNote } from '@syncloop/core/scenario';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { type Selection, useUI } from '../../page/ui-store.js';
import { type SessionState, useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { podOf } from '../../selection/subject.js';
import { eraOf } from './eras.js';
import './left-out.css';

const none: readonly EraNote[] = [];
const notesOf = ({ info }: SessionState): readonly EraNote[] => info?.eraNotes ?? none;

/** Shows in the header, next to the version, how much of the scenario it cannot do; opens the list of it. */
export function LeftOutButton() {
  const t = useT();
  const era = useSession(eraOf);
  const n = useSession(notesOf).length;
  if (n === 0) return null;
  return (
    <button
      type="button"
      className="sl-era-left u-flex-none u-nowrap u-pad-tag u-border u-round u-pointer u-fs-1 u-dim"
      title={t('eras.leftHelp', { era, n })}
      aria-label={t('eras.leftHelp', { era, n })}
      data-testid="era-left"
      onClick={() => useUI.getState().bottom !== 'eras' && runCommand('view.eras')}
    >
      {t('eras.left', { n })}
    </button>
  );
}

/** All that the version cannot do of the scenario. */
export function LeftOut() {
  const t = useT();
  const era = useSession(eraOf);
  const notes = useSession(notesOf);
  return <Notes title={t('eras.leftTitle', { era })} notes={notes} />;
}

/** Shows in the inspector the fields of a pod that the version leaves out. */
export function LeftOutOfPod({ selection }: { readonly selection: Selection }) {
  const t = useT();
  const era = useSession(eraOf);
  const notes = useSession(notesOf);
  const pod = useTrace((state) => state.pods[podOf(state, selection, undefined)]?.pod ?? '');
  const node = useSession((s) => s.info?.node ?? '');
  if (notes.length === 0 || (selection.kind !== 'pod' && selection.kind !== 'container')) return null;
  const name = pod.replace(/^.*\//, '');
  const its = notes.filter((note) => note.pod !== undefined && (note.pod === name || `${note.pod}-${node}` === name));
  return <Notes title={t('eras.leftPod', { era })} notes={its} inline />;
}

interface NotesProps {
  readonly title: string;
  readonly notes: readonly EraNote[];
  /** True in the inspector's column. */
  readonly inline?: boolean;
}

function Notes({ title, notes, inline }: NotesProps) {
  const lang = useUI((s) => s.lang);
  if (notes.length === 0) return null;
  return (
    <section className="sl-era-notes u-break" aria-label={title} data-inline={inline} data-testid="era-notes">
      <h3>{title}</h3>
      <ul>
        {notes.map(({ text }) => (
          <li key={text.en}>{lang === 'zh-CN' ? text.zh : text.en}</li>
        ))}
      </ul>
    </section>
  );
}
