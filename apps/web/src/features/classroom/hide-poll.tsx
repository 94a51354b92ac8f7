import { useT } from '../../i18n/index.js';
import { Icon } from '../../ui/icons.js';
import { useClass } from './class-store.js';

/** Puts a question out of sight; it goes on. */
export function HidePoll({ id }: { readonly id: number }) {
  const t = useT();
  return (
    <button
      type="button"
      className="sl-button sl-quiet sl-icon-button sl-class-hide u-absolute"
      aria-label={t('class.hide')}
      title={t('class.hide')}
      onClick={() => useClass.setState({ hidden: id })}
    >
      <Icon name="close" />
    </button>
  );
}

/** Brings it back if it is out of sight. */
export function ShowPoll({ id }: { readonly id: number | undefined }) {
  const t = useT();
  const hidden = useClass((s) => s.hidden === id);
  return hidden ? (
    <button type="button" className="sl-button" onClick={() => useClass.setState({ hidden: 0 })}>
      {t('class.showPoll')}
    </button>
  ) : null;
}
