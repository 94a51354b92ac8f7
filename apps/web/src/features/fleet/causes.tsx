import type { FleetStory } from '@syncloop/observe/fleet';
import { inLang } from '../../i18n/in-lang.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { PHONE, useMedia } from '../../ui/use-media.js';
import { visible } from '../../units/text.js';
import { useFleet } from './fleet-store.js';

/** The causes that several nodes share, as sentences. A click shows only the nodes of one. */
export function Causes({ story }: { readonly story: FleetStory }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const filter = useFleet((s) => s.filter);
  const { causes, moves } = story;
  const phone = useMedia(PHONE);
  const list = (
    <ol className="u-margin-0 u-pad-0">
      {causes.map(({ text, nodes, rule, key, from }, i) => (
        <li key={`${rule} ${key} ${from}`}>
          <button
            type="button"
            className="sl-fleet-cause u-bare u-width-full u-text-left u-pointer u-text u-target u-grid u-gap-8"
            aria-pressed={filter === i}
            aria-label={`${visible(inLang({ ...text }, lang))} ${t('fleet.causeOf', { n: i + 1, nodes: nodes.length })}`}
            onClick={() => useFleet.setState({ filter: filter === i ? 'all' : i })}
            data-testid="fleet-cause"
          >
            <span className="sl-fleet-number" aria-hidden="true">
              {i + 1}
            </span>
            <span className="u-break">{visible(inLang({ ...text }, lang))}</span>
          </button>
        </li>
      ))}
    </ol>
  );
  return (
    <section className="sl-fleet-causes u-border-bottom u-flex-none" aria-label={t('fleet.causes')}>
      {causes.length === 0 && <p className="sl-small u-margin-0 u-dim">{t('fleet.noCauses')}</p>}
      {phone && causes.length > 0 ? (
        <details>
          <summary>
            {t('fleet.causes')} ({causes.length})
          </summary>
          {list}
        </details>
      ) : (
        list
      )}
      {moves.length > 0 && (
        <details className="sl-small">
          <summary>{t('fleet.moves', { n: moves.length })}</summary>
          <ul>
            {moves.map(({ text, from }) => (
              <li key={`${from.node} ${from.pod} ${from.at}`} className="u-break">
                {visible(inLang({ ...text }, lang))}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
