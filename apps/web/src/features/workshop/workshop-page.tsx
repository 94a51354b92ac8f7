import { loadStage, type Stage, stages } from '@syncloop/workshop/stages';
import { Suspense, useEffect, useState } from 'react';
import { useT } from '../../i18n/index.js';
import { Slot } from '../../shell/slot.js';
import { Modal } from '../../ui/modal.js';
import { ProgressBar } from './progress-bar.js';
import { StageList } from './stage-list.js';
import { StageText } from './stage-text.js';
import { StageWork } from './stage-work.js';
import { keepNow, openStage, useWorkshop } from './workshop-store.js';
import './workshop.css';

/** The workshop: stages, and the one that is open with its text, its editor and its verdict. */
export function WorkshopPage() {
  const t = useT();
  const name = useWorkshop((s) => s.stage);
  const [stage, setStage] = useState<Stage | null>(null);
  const [failed, setFailed] = useState('');
  const known = stages.some((one) => one.name === name);
  const first = stages[0]?.name;
  useEffect(() => {
    if (!known && first !== undefined) openStage(first);
  }, [known, first]);
  useEffect(() => {
    if (!known || name === null) return;
    let wanted = true;
    loadStage(name).then(
      (loaded) => wanted && setStage(loaded),
      (error: unknown) => wanted && setFailed(String(error)),
    );
    return () => {
      wanted = false;
    };
  }, [known, name]);
  // The code is kept when the page is closed.
  useEffect(() => {
    window.addEventListener('pagehide', keepNow);
    return () => {
      window.removeEventListener('pagehide', keepNow);
      keepNow();
    };
  }, []);
  return (
    <Modal label={t('workshop.title')} className="sl-page-dialog sl-workshop">
      <header className="sl-page-head sl-workshop-head u-border-bottom">
        <h2>{t('workshop.title')}</h2>
        <p className="sl-small">{t('workshop.intro')}</p>
        <ProgressBar stages={stages} />
        <Suspense fallback={null}>
          <Slot at="workshop.head" props={{ stage: name }} />
        </Suspense>
      </header>
      <div className="sl-workshop-main u-grow u-min-height-0 u-grid">
        <StageList stages={stages} />
        {stage && stage.name === name ? (
          <>
            <StageText key={`text ${stage.name}`} stage={stage} />
            <StageWork key={`work ${stage.name}`} stage={stage} />
          </>
        ) : (
          <p className="sl-empty" role="status">
            {failed === '' ? t('workshop.loading') : t('workshop.notLoaded', { why: failed })}
          </p>
        )}
      </div>
    </Modal>
  );
}
