import { useT } from '../../../i18n/index.js';
import { Modal } from '../../../ui/modal.js';
import { useClass } from '../class-store.js';
import { inOrder, standingOf } from './audience.js';

/** Shows who is in step and who is not: pages by number, as nobody is asked who they are. */
export function AudienceDialog() {
  const t = useT();
  const audience = useClass((s) => s.presenting.audience);
  return (
    <Modal label={t('class.audience')}>
      <h2>{t('class.audience')}</h2>
      <p className="u-dim">{t(audience.length === 0 ? 'class.audienceNone' : 'class.audienceHelp')}</p>
      <ul className="sl-class-audience u-scroll u-above-8" data-testid="class-audience">
        {inOrder(audience).map((member) => {
          const standing = standingOf(member);
          return (
            <li className="u-flex u-gap-12 u-tabular" key={member.number} data-standing={standing}>
              <strong>{t('class.number', { n: member.number })}</strong>{' '}
              <span>{t(`class.place.${standing}`, { n: member.behind })}</span>
            </li>
          );
        })}
      </ul>
    </Modal>
  );
}
