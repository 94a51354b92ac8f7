import { CommandButton } from '../../ui/command-button.js';
import './recording-bar.css';
import { inLang } from '../../i18n/in-lang.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { showsRecording, useSession } from '../../run/session-store.js';
import { Icon } from '../../ui/icons.js';
import { seconds } from '../../units/text.js';
import { useRecordings } from './recordings-store.js';

/** Shows that the session is a recording: its name, from when to when, and the way back to the simulation. */
export function RecordingBar() {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const recorded = useSession((s) => showsRecording(s));
  // An observed run has a banner of its own.
  const observed = useSession((s) => s.info?.capabilities.observed === true);
  const title = useSession(({ info }) => (info ? inLang(info.titles ?? info.title, lang) : ''));
  const end = useSession(({ run }) => run.end?.time ?? run.time);
  const opened = useRecordings((s) => s.opened);
  if (!recorded || observed) return null;
  const begins = opened?.about.begins ?? 0;
  return (
    <section
      className="sl-recording-bar u-row u-wrap u-height-36 u-sunken"
      aria-label={t('recordings.bar')}
      data-testid="recording-bar"
    >
      <Icon name="recordings" />
      <strong className="sl-recording-bar-name u-min-width-0 u-clip" title={title}>
        {opened?.name ?? title}
      </strong>
      <span className="u-nowrap u-pad-tag u-border u-round u-fs-1 u-dim" title={t('recordings.barHow')}>
        {t('session.readOnly')}
      </span>
      <span className="sl-small sl-tabular">
        {t('recordings.span', { from: seconds(begins), to: seconds(opened ? begins + opened.about.micros : end) })}
      </span>
      <span className="sl-push" />
      {opened?.id === null && <CommandButton id="recording.keep">{t('recordings.keepIt')}</CommandButton>}
      <CommandButton id="session.simulate" testId="recording-leave">
        {t('recordings.leave')}
      </CommandButton>
    </section>
  );
}
