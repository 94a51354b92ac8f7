import { type Change, eraBefore, erasWith, linkOf, type ShownBy } from '@syncloop/core/changes';
import { lazy, Suspense } from 'react';
import { isAvailable, runCommand } from '../../commands/index.js';
import { inLang } from '../../i18n/in-lang.js';
import { type Translate, useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { Table } from '../../ui/table/table.js';
import { useChanges } from './changes-store.js';
import { LocalizedText } from './localized-text.js';
import { addressOf } from './opener.js';

const CodeOfBoth = lazy(async () => ({ default: (await import('./code-of-both.js')).CodeOfBoth }));

/** A change: its title, and the text before and after when it is open. Closed ones are printed, too. */
export function ChangeCard({ change, open }: { readonly change: Change; readonly open: boolean }) {
  const t = useT();
  const { id, title, part, since, until, before, after, why, upstream, names, shown, code } = change;
  const body = `change-${id}-body`;
  return (
    <article
      className="sl-changes-change u-border u-round u-raised"
      id={`change-${id}`}
      data-open={open || undefined}
      data-testid={`change-${id}`}
    >
      <h4 className="u-margin-0">
        <button
          type="button"
          className="sl-changes-open u-row u-gap-8 u-width-full u-height-36 u-bare u-pointer u-text-left u-fs-3 u-weight-600"
          aria-expanded={open}
          aria-controls={body}
          onClick={() => useChanges.setState({ open: open ? '' : id })}
        >
          <span aria-hidden="true" className="sl-changes-mark u-flex-none u-faint">
            {open ? '▾' : '▸'}
          </span>
          <span className="sl-changes-title u-grow">
            <LocalizedText text={title} />
          </span>
          <span className="sl-chip u-flex-none u-nowrap u-pad-tag u-border u-fs-1 u-weight-400">
            {t(`changes.part.${part}`)}
          </span>
          {until && <span className="sl-small u-flex-none u-weight-400">{t('changes.until', { version: until })}</span>}
        </button>
      </h4>
      <div id={body} className="sl-changes-body" hidden={!open}>
        <div className="sl-changes-sides u-grid">
          <section>
            <h5 className="u-fs-2 u-weight-600 u-dim">{t('changes.before', { version: eraBefore(change) })}</h5>
            <p>
              <LocalizedText text={before} />
            </p>
          </section>
          <section>
            <h5 className="u-fs-2 u-weight-600 u-dim">
              {until ? t('changes.sinceUntil', { version: since, until }) : t('changes.since', { version: since })}
            </h5>
            <p>
              <LocalizedText text={after} />
            </p>
          </section>
        </div>
        <h5 className="u-fs-2 u-weight-600 u-dim">{t('changes.why')}</h5>
        <p>
          <LocalizedText text={why} />
        </p>
        {upstream.length > 0 && (
          <p className="sl-small">
            {t('changes.upstream')}{' '}
            {upstream.map((place) => {
              const { text, href } = linkOf(place);
              return (
                <a
                  key={href}
                  href={href}
                  target="_blank"
                  rel="noopener noreferrer"
                  className="sl-changes-link u-break u-desired"
                >
                  {text} <span aria-hidden="true">↗</span>
                  <span className="sl-visually-hidden">{t('changes.newTab')}</span>
                </a>
              );
            })}
          </p>
        )}
        <p className="sl-small sl-changes-names u-break">
          {t('changes.names')}{' '}
          {names.map((name) => (
            <button
              key={name}
              type="button"
              className="sl-link u-target"
              onClick={() => useChanges.setState({ sought: name, open: id })}
            >
              <code>{name}</code>
            </button>
          ))}
        </p>
        <h5 className="u-fs-2 u-weight-600 u-dim">{t('changes.run')}</h5>
        {'not' in shown ? (
          <p>
            {t('changes.notShown')} <LocalizedText text={shown.not} />
          </p>
        ) : (
          <Run change={change} shown={shown} />
        )}
        {open && (code.before ?? code.since) !== undefined && (
          <details className="sl-changes-code" data-testid="changes-code">
            <summary className="u-above-8 u-height-28 u-pointer u-weight-600 u-dim">{t('changes.code')}</summary>
            <Suspense fallback={<p className="sl-small">{t('changes.loading')}</p>}>
              <CodeOfBoth change={change} />
            </Suspense>
          </details>
        )}
        <p className="sl-small sl-changes-address">
          <a className="sl-changes-link u-break u-target u-desired" href={addressOf(location.href, id)}>
            {t('changes.address')}
          </a>
        </p>
      </div>
    </article>
  );
}

/** Shows how often its records occur, with buttons to see it. */
function Run({ change, shown }: { readonly change: Change; readonly shown: ShownBy }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const { evidence, scenario } = shown;
  const title = useSession((s) => s.scenarios.find(({ name }) => name === scenario)?.title ?? scenario);
  const can = useSession(() => isAvailable('change.run'));
  const before = eraBefore(change);
  const withIt = erasWith(change);
  const rows = [before, ...withIt].map((era) => ({
    era,
    count: countText(t, era === before ? evidence.before : evidence.since),
  }));
  return (
    <>
      <p>{t('changes.scenario', { title: inLang(title, lang) })}</p>
      <Table
        heads={[t('changes.evidence'), <LocalizedText key="what" text={evidence.what} />, null]}
        cell="3px 18px 3px 0"
        className="sl-changes-counts"
      >
        {rows.map(({ era, count }) => (
          <tr key={era} data-before={era === before || undefined}>
            <th scope="row">{era}</th>
            <td>{count}</td>
            <td>
              <button
                type="button"
                className="sl-button"
                disabled={!can}
                title={t(era === before ? 'changes.runBefore' : 'changes.runSince', { version: era })}
                data-testid={`run-${change.id}-${era}`}
                onClick={() => runCommand('change.run', { change: change.id, era })}
              >
                {t('changes.runIn', { version: era })}
              </button>
            </td>
          </tr>
        ))}
      </Table>
      {!can && <p className="sl-small">{t('changes.cannotRun')}</p>}
    </>
  );
}

/** Puts a count into words. */
function countText(t: Translate, { exactly, atLeast, atMost }: ShownBy['evidence']['before']): string {
  if (exactly !== undefined)
    return exactly === 0 ? t('changes.counts.none') : t('changes.counts.exactly', { n: exactly });
  if (atMost !== undefined) return t('changes.counts.atMost', { n: atMost });
  return t('changes.counts.atLeast', { n: atLeast ?? 1 });
}
