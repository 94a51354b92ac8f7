import { useState } from 'react';
import { useT } from '../i18n/index.js';

/** Copies a text, and shows the result: if the browser does not allow it, the user has to copy by hand. */
export function CopyButton({ text }: { readonly text: string }) {
  const t = useT();
  const [said, setSaid] = useState<{ readonly of: string; readonly how: 'copied' | 'byHand' } | null>(null);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid({ of: text, how: 'copied' }),
      () => setSaid({ of: text, how: 'byHand' }),
    );
  return (
    <div className="sl-group">
      <button
        type="button"
        className="sl-button sl-primary"
        data-testid="copy"
        onClick={() => {
          if (navigator.clipboard) void copy();
          else setSaid({ of: text, how: 'byHand' });
        }}
      >
        {t('share.copy')}
      </button>
      <span role="status" className="sl-small">
        {said?.of === text && t(said.how === 'copied' ? 'share.done' : 'share.selectIt')}
      </span>
    </div>
  );
}
