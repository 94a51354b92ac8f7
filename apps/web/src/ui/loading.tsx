import { useEffect, useState } from 'react';
import { useT } from '../i18n/index.js';

/** Waiting is told after this long (ms): what is quicker would only flicker. */
const TOLD_AFTER = 300;

/** Stands where a part of the page will be. */
export function Loading() {
  const t = useT();
  const [told, setTold] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setTold(true), TOLD_AFTER);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="sl-empty" role="status" aria-busy="true">
      {told && t('shell.loading')}
    </p>
  );
}
