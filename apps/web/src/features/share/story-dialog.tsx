import { Check } from '../../ui/check/check.js';
import './share.css';
import { useEffect, useId, useMemo, useState } from 'react';
import { isAvailable } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { sentence } from '../../run/narration.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { CopyButton } from '../../ui/copy-button.js';
import { Modal } from '../../ui/modal.js';
import { notesOfRun } from '../notes/notes.js';
import { linkNow } from './link.js';
import { backwards, lastTelling, storyOf } from './share-story.js';

const MOST = 200;

/** Shows the narrator's last sentences as text to copy, with a link to the moment if one is possible. */
export function StoryDialog() {
  const t = useT();
  const id = useId();
  const lang = useUI((s) => s.lang);
  const [most, setMost] = useState(20);
  const [withLink, setWithLink] = useState(true);
  const [link, setLink] = useState('');
  const can = useSession(() => isAvailable('link.copy'));
  useEffect(() => {
    if (can) linkNow().then(setLink, () => setLink(''));
  }, [can]);
  const text = useMemo(() => {
    const { info } = useSession.getState();
    const { records, cursor } = trace;
    const last = lastTelling(
      backwards((seq) => records.get(seq), cursor.seq, records.first),
      Math.min(MOST, Math.max(1, most || 1)),
    );
    return storyOf(last, {
      title: info?.title ?? 'syncloop',
      say: (record) => sentence(record, lang),
      notes: notesOfRun(),
      ...(withLink && link !== '' && { link: { text: t('share.storyLink'), href: link } }),
    });
  }, [most, lang, link, withLink, t]);
  return (
    <Modal label={t('share.storyTitle')} className="sl-embed-dialog">
      <h2>{t('share.storyTitle')}</h2>
      <p>{t('share.storyHow')}</p>
      <div className="sl-group sl-story-options u-wrap">
        <label htmlFor={id}>{t('share.storyMost')}</label>
        <input
          id={id}
          className="sl-input"
          type="number"
          min={1}
          max={MOST}
          value={most}
          onChange={(e) => setMost(e.currentTarget.valueAsNumber)}
        />
        {link !== '' && (
          <Check checked={withLink} onChange={setWithLink}>
            {t('share.storyWithLink')}
          </Check>
        )}
      </div>
      <textarea
        className="sl-input sl-code sl-link-text u-width-full u-break"
        aria-label={t('share.storyText')}
        readOnly
        rows={10}
        value={text}
        data-testid="story"
        onFocus={(e) => e.currentTarget.select()}
      />
      <CopyButton text={text} />
    </Modal>
  );
}
