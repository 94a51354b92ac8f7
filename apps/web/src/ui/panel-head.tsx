import type { ReactNode } from 'react';
import { useT } from '../i18n/index.js';
import { Icon } from './icons.js';

export function PanelHead({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}) {
  const t = useT();
  const name = t('panel.close', { name: title });
  return (
    <header className="sl-panel-head u-row u-gap-8 u-border-bottom">
      <h2>{title}</h2>
      {children}
      <button
        type="button"
        className="sl-button sl-quiet sl-icon-button"
        aria-label={name}
        title={name}
        onClick={onClose}
      >
        <Icon name="close" />
      </button>
    </header>
  );
}
