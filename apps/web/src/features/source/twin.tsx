import { changes } from '@syncloop/core/changes';
import { isAvailable, runCommand } from '../../commands/index.js';
import { inLang } from '../../i18n/in-lang.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { Table } from '../../ui/table/table.js';
import { useBreakpoints } from '../breakpoints/breakpoints-store.js';
import { isSet } from '../breakpoints/commands.js';
import { targetOfFunction } from './logic/source-breakpoints.js';
import { linkTo, NEWEST, placesOf } from './logic/source-eras.js';
import type { FunctionSource, UpstreamPlace } from './logic/source-types.js';

/** The places of the same function in Kubernetes, and its earlier names. */
export function Twin({ source }: { readonly source: FunctionSource }) {
  return (
    <>
      <Places source={source} />
      <Changes source={source} />
    </>
  );
}

/** The changes that a function was a part of; each leads to the page of changes. */
function Changes({ source: { fn, upstream } }: { readonly source: FunctionSource }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const called = new Set([fn, upstream?.symbol.replace(/^.*\./, '') ?? fn]);
  const about = changes.filter(({ names }) => names.some((name) => called.has(name)));
  if (about.length === 0 || !isAvailable('change.show')) return null;
  return (
    <div className="sl-small" data-testid="source-changes">
      {t('source.changes')}
      <ul className="sl-source-changes">
        {about.map(({ id, since, title }) => (
          <li key={id}>
            <button
              type="button"
              className="sl-link u-target"
              onClick={() => runCommand('change.show', { change: id })}
            >
              {since}: {inLang({ ...title }, lang).replaceAll('`', '')}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Places({ source }: { readonly source: FunctionSource }) {
  const t = useT();
  const { upstream } = source;
  if (!upstream) return <p className="sl-small">{t('source.ours')}</p>;
  // A function of an older kubelet is the twin of its own version's.
  const { version } = upstream;
  if (version !== undefined)
    return (
      <p className="sl-small sl-source-twin">
        {t('source.upstream', { version })} <UpstreamLink place={upstream} version={version} />
      </p>
    );
  const places = placesOf(source);
  const differs = places.some((p) => !p.same);
  return (
    <>
      <p className="sl-small sl-source-twin">
        {t('source.upstream', { version: NEWEST })} <UpstreamLink place={upstream} version={NEWEST} />
      </p>
      {differs ? (
        <details className="sl-rule u-fs-1" data-testid="source-eras">
          <summary className="u-pointer u-dim">{t('source.differs')}</summary>
          <Table heads={[t('source.version'), t('source.place')]} className="sl-source-eras u-fs-1">
            {places.map(({ version, place, same }) => (
              <tr key={version}>
                <th scope="row">{version}</th>
                <td>
                  {same && version !== NEWEST ? (
                    t('source.asNow', { version: NEWEST })
                  ) : place === 'none' ? (
                    t('source.notThere')
                  ) : place === 'unverified' ? (
                    t('source.unverified')
                  ) : (
                    <UpstreamLink place={place} version={version} />
                  )}
                </td>
              </tr>
            ))}
          </Table>
        </details>
      ) : (
        <p className="sl-small">{t('source.same')}</p>
      )}
    </>
  );
}

function UpstreamLink({ place, version }: { readonly place: UpstreamPlace; readonly version: string }) {
  const t = useT();
  const { symbol, file } = place;
  return (
    <a
      className="u-break u-desired"
      href={linkTo(place, version)}
      target="_blank"
      rel="noopener noreferrer"
      title={t('source.open', { symbol, file, version })}
    >
      <code>{symbol}</code> <code className="u-dim">{file}</code>
      <span aria-hidden="true"> ↗</span>
      <span className="sl-visually-hidden">{t('source.newTab')}</span>
    </a>
  );
}

/** Stops at the begin of the function in sight; the same as the mark before its first line. */
export function BreakAt({ fn }: { readonly fn: string }) {
  const t = useT();
  const target = targetOfFunction(fn);
  useBreakpoints((s) => s.specs);
  const can = useSession(() => isAvailable('breakpoint.toggleAt'));
  const on = isSet(target);
  const label = t('source.stopAt', { fn });
  if (!can) return null;
  return (
    <button
      type="button"
      className="sl-button sl-quiet sl-icon-button sl-break-on u-flex-none u-height-28"
      aria-pressed={on}
      aria-label={label}
      title={label}
      data-testid="source-break"
      onMouseDown={(e) => e.preventDefault()}
      onClick={() => runCommand('breakpoint.toggleAt', target)}
    >
      <span className="sl-dot u-flex-none" data-off={!on || undefined} aria-hidden="true" />
    </button>
  );
}
