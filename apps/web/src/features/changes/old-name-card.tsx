import { changeOf, type OldName } from '@syncloop/core/changes';
import { useT } from '../../i18n/index.js';
import { leadTo } from './changes-store.js';
import { LocalizedText } from './localized-text.js';

/** Shows what became of a name that an article uses. */
export function OldNameCard({ name: { names, became, change } }: { readonly name: OldName }) {
  const t = useT();
  const known = change === undefined ? undefined : changeOf(change);
  return (
    <section className="sl-changes-name u-pad-8" data-testid="changes-name">
      <h3 className="u-flex u-wrap u-margin-0">
        {names.map((one) => (
          <code key={one}>{one}</code>
        ))}
      </h3>
      <p>
        <strong>{t('changes.name')}</strong> <LocalizedText text={became} />
      </p>
      {known && (
        <p>
          {t('changes.nameChange')}{' '}
          <button type="button" className="sl-link" onClick={() => leadTo(known.id)}>
            {known.since}: <LocalizedText text={known.title} />
          </button>
        </p>
      )}
    </section>
  );
}
