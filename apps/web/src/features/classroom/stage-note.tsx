import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useClass } from './class-store.js';

/** In the workshop: whether the class has this stage open, and for its presenter the way to open it. */
export function StageNote({ stage }: { readonly stage: string | null }) {
  const t = useT();
  const { follows, following, presenting } = useClass();
  if (stage === null) return null;
  if (follows)
    return following.stage === stage ? (
      <p className="sl-workshop-class u-margin-0" role="status" data-testid="stage-of-class">
        {t('workshop.class.yours')}
      </p>
    ) : null;
  if (presenting.state !== 'on') return null;
  const isOpen = presenting.stage?.stage === stage;
  return (
    <p className="sl-workshop-class u-row u-wrap u-gap-8 u-margin-0">
      <span>{t(isOpen ? 'workshop.class.open' : 'workshop.class.closed', { n: presenting.followers })}</span>
      <button
        type="button"
        className="sl-button"
        data-testid="stage-for-class"
        onClick={() => runCommand('class.setStage', isOpen ? {} : { stage })}
      >
        {t(isOpen ? 'workshop.class.end' : 'workshop.class.begin')}
      </button>
      {isOpen && (
        <button type="button" className="sl-button" onClick={() => runCommand('class.stage')}>
          {t('workshop.class.results')}
        </button>
      )}
    </p>
  );
}
