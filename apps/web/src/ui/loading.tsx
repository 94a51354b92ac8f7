import { useEffect, useState } from 'react';
import { useT } from '../i18n/index.js';

/** Delay before the text appears (ms): for shorter waits it would only flicker. */
const SHOWN_AFTER = 300;

/** Fills the place of a part of the page until it is loaded. */
export function Loading() {
  const t = useT();
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SHOWN_AFTER);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="sl-empty" role="status" aria-busy="true">
      {shown && t('shell.loading')}
    </p>
  );
}
