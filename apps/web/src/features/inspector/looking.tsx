import { useT } from '../../i18n/index.js';

/** Stands for a value that is being looked for, or says why it could not be found. */
export function Looking({ error }: { readonly error: string }) {
  const t = useT();
  if (error === '') return <p className="sl-empty">{t('inspector.looking')}</p>;
  return (
    <p className="sl-error sl-inset u-break u-failure" role="alert">
      {t('inspector.failed', { error })}
    </p>
  );
}
