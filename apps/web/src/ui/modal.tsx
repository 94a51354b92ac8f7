import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { useT } from '../i18n/index.js';
import { useUI } from '../page/ui-store.js';
import { Icon } from './icons.js';

/** The page's one open dialog. Escape, its button or a click outside it closes it. */
export function Modal({
  label,
  children,
  className = '',
}: {
  readonly label: string;
  readonly children: ReactNode;
  readonly className?: string;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const t = useT();
  // It is closed while it is still in the page: only that gives the focus back.
  useLayoutEffect(() => {
    const element = ref.current;
    if (element && !element.open) element.showModal();
    return () => element?.close();
  }, []);
  const close = () => useUI.setState({ dialog: null });
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click on the backdrop closes it, as Escape does by itself
    <dialog
      ref={ref}
      className={`sl-dialog u-pad-0 u-border-strong u-round-6 u-panel u-shadow u-text ${className}`}
      aria-label={label}
      onCancel={close}
      onClose={close}
      onClick={(e) => e.target === ref.current && close()}
    >
      <div className="sl-dialog-body">
        {children}
        <button
          type="button"
          className="sl-button sl-quiet sl-icon-button sl-dialog-close u-absolute"
          aria-label={t('dialog.close')}
          onClick={close}
        >
          <Icon name="close" />
        </button>
      </div>
    </dialog>
  );
}
