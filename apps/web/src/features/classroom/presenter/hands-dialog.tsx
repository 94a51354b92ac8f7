import { runCommand } from '../../../commands/index.js';
import { useT } from '../../../i18n/index.js';
import { useUI } from '../../../page/ui-store.js';
import { Modal } from '../../../ui/modal.js';
import { useClass } from '../class-store.js';

/** The hands that are up, in the order in which they were raised, each with its own moment. */
export function HandsDialog() {
  const t = useT();
  const hands = useClass((s) => s.presenting.hands);
  const open = (number: number) => {
    useUI.setState({ dialog: null });
    runCommand('class.openHand', number);
  };
  return (
    <Modal label={t('class.hands')}>
      <h2>{t('class.hands')}</h2>
      <p className="u-dim">{t(hands.length === 0 ? 'class.handsNone' : 'class.handsHelp')}</p>
      <ul className="sl-class-audience u-scroll u-above-8" data-testid="class-hands">
        {hands.map(({ number, name, time }) => (
          <li className="u-row u-wrap u-gap-12 u-tabular" key={number}>
            <strong>{t('class.number', { n: number })}</strong>
            <span className="u-grow">
              {name !== undefined && <bdi>{name}</bdi>} {t('class.handAt', { time: (time / 1e6).toFixed(3) })}
            </span>
            <button type="button" className="sl-button" data-testid="class-hand-open" onClick={() => open(number)}>
              {t('class.handOpen')}
            </button>
            <button type="button" className="sl-button sl-quiet" onClick={() => runCommand('class.lower', { number })}>
              {t('class.handLower')}
            </button>
          </li>
        ))}
      </ul>
      {hands.length > 1 && (
        <div className="sl-class-row u-row u-wrap u-gap-8 u-above-8">
          <button type="button" className="sl-button sl-quiet" onClick={() => runCommand('class.lower', {})}>
            {t('class.handLowerAll')}
          </button>
        </div>
      )}
    </Modal>
  );
}
