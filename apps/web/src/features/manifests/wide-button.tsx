import { useT } from '../../i18n/index.js';
import { BOUNDS, resize, useLayout } from '../../page/layout-store.js';
import { Icon } from '../../ui/icons.js';

/** Room for long lines and differences. */
const WIDE = 640;

/** Switches between more room for the editor and the usual one. */
export function WideButton() {
  const t = useT();
  const wide = useLayout((s) => s.left >= WIDE);
  return (
    <button
      type="button"
      className="sl-button sl-quiet sl-icon-button sl-wide-button"
      aria-pressed={wide}
      aria-label={t('manifests.wider')}
      title={t(wide ? 'manifests.narrower' : 'manifests.wider')}
      data-testid="wide-manifests"
      onClick={() => resize('left', wide ? BOUNDS.left.usual : WIDE)}
    >
      <Icon name="wide" />
    </button>
  );
}
