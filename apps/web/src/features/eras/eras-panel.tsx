import { defaultEra, type EraVersion, eraVersions } from '@syncloop/core/kubelet';
import {
  differenceKinds,
  type EraDifference,
  type EraMoment,
  type ErasCompared,
  type EraText,
} from '@syncloop/observe/eras/types';
import { type ReactNode, useState } from 'react';
import { isAvailable, runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { Check } from '../../ui/check/check.js';
import { seconds } from '../../units/text.js';
import { eraOf, hasEras } from './eras.js';
import { useEras } from './eras-store.js';
import { LeftOut } from './left-out.js';
import './eras-panel.css';

/** Returns texts in the page's language; names in them are between backticks. */
const useText = () => {
  const lang = useUI((s) => s.lang);
  return (text: EraText): readonly ReactNode[] =>
    (lang === 'zh-CN' ? text.zh : text.en)
      .split('`')
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their places
      .map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part));
};

/** Compares two versions of the kubelet: the first difference and its reason, then both runs side by side. */
export function ErasPanel() {
  const t = useT();
  const can = useSession(hasEras);
  const compared = useEras((s) => s.compared);
  if (!can) return <p className="sl-empty">{t('eras.cannot')}</p>;
  return (
    <div className="sl-eras u-grid u-height-full" data-testid="eras">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section className="sl-eras-left u-min-width-0 u-scroll" aria-label={t('command.eras')} tabIndex={0}>
        <LeftOut />
        <Ask />
        {compared ? (
          <Comparison compared={compared} />
        ) : (
          <p className="sl-small sl-eras-help">{t('eras.compareHelp')}</p>
        )}
      </section>
      {compared && <Sides compared={compared} />}
    </div>
  );
}

/** Chooses the two versions to compare. */
function Ask() {
  const t = useT();
  const era = useSession(eraOf);
  const comparing = useEras((s) => s.comparing);
  const [wanted, setWanted] = useState<EraVersion | null>(null);
  const others = eraVersions.filter((version) => version !== era);
  const other = wanted !== null && wanted !== era ? wanted : era === defaultEra ? 'v1.21' : defaultEra;
  return (
    <form
      className="sl-group sl-eras-ask u-wrap"
      onSubmit={(e) => {
        e.preventDefault();
        runCommand('eras.compare', other);
      }}
    >
      <label>
        {t('eras.with', { era })}{' '}
        <select
          className="sl-input"
          value={other}
          data-testid="eras-other"
          onChange={(e) => setWanted(e.currentTarget.value as EraVersion)}
        >
          {others.map((version) => (
            <option key={version} value={version}>
              {version}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" className="sl-button" disabled={comparing} data-testid="eras-compare">
        {t('eras.compare')}
      </button>
    </form>
  );
}

function Comparison({ compared }: { readonly compared: ErasCompared }) {
  const t = useT();
  const { firsts, first, same, compared: all, eras, ended } = compared;
  const shown = useEras((s) => s.shown);
  const group = firsts[first]?.group;
  const difference = firsts[shown] ?? firsts[first];
  return (
    <>
      <p className="sl-eras-verdict" data-testid="eras-verdict">
        <strong>
          {eras[0]} · {eras[1]}
        </strong>{' '}
        {t('eras.same', { same, compared: all })} {first < 0 && t('eras.nothing')}
        {group === 'inside' && t('eras.onlyInside')}
        {group === 'words' && t('eras.onlyWords')}
      </p>
      {ended.map(
        (why, i) =>
          why !== '' && (
            <p key={eras[i]} className="sl-small sl-bad">
              {t('eras.ended', { era: eras[i] as string, why })}
            </p>
          ),
      )}
      {difference && <Difference compared={compared} difference={difference} isFirst={difference === firsts[first]} />}
      {firsts.length > 1 && <Firsts compared={compared} shown={difference ? firsts.indexOf(difference) : -1} />}
    </>
  );
}

function Difference({
  compared: { eras },
  difference,
  isFirst,
}: {
  readonly compared: ErasCompared;
  readonly difference: EraDifference;
  readonly isFirst: boolean;
}) {
  const t = useT();
  const text = useText();
  const { kind, group, change, follows, chance, moments } = difference;
  return (
    <article className="sl-eras-difference u-break" data-testid="eras-difference">
      <h3>
        {isFirst ? t(`eras.first.${group}`) : t(`eras.kind.${kind}`)}
        {isFirst && <span className="sl-small"> · {t(`eras.kind.${kind}`)}</span>}
      </h3>
      <p>{text(difference.text)}</p>
      {chance && <p className="sl-small">{t('eras.chance')}</p>}
      <div className="sl-eras-why" data-testid="eras-why">
        <h4 className="u-fs-1 u-weight-600 u-dim">{t('eras.why')}</h4>
        {change ? (
          <p>
            {follows && <span className="sl-small">{t('eras.follows')}: </span>}
            <strong>{text(change.title)}</strong>{' '}
            <span className="sl-small">{t('eras.since', { version: change.since })}</span>
            {'. '}
            {text(change.text)}{' '}
            <span className="sl-small">
              {change.links.map((link, i) => (
                <span key={link.href}>
                  {i > 0 && ' · '}
                  <a href={link.href} target="_blank" rel="noopener noreferrer">
                    {link.text}
                  </a>
                </span>
              ))}
              {change.links.length > 0 && ' · '}
              <button
                type="button"
                className="sl-link"
                data-testid="eras-change"
                onClick={() => runCommand('change.show', { change: change.id })}
              >
                {t('eras.more')}
              </button>
            </span>
          </p>
        ) : (
          <p>{t('eras.unknown')}</p>
        )}
      </div>
      <div className="sl-eras-moments u-grid u-gap-12 u-above-8">
        <Moment era={eras[0]} moment={moments[0]} />
        <Moment era={eras[1]} moment={moments[1]} />
      </div>
    </article>
  );
}

/** Shows one run at the moment of a difference: its decision, and what led there. */
function Moment({ era, moment }: { readonly era: EraVersion; readonly moment: EraMoment }) {
  const t = useT();
  const text = useText();
  const here = useSession((s) => eraOf(s) === era);
  const can = useSession(() => isAvailable('eras.go'));
  const { seq, time, did, why } = moment;
  return (
    <section className="sl-eras-moment u-min-width-0" data-here={here || undefined} aria-label={era}>
      <p>
        <strong>{era}</strong> <span className="sl-tabular sl-small">{seconds(time)} s</span>
      </p>
      <p>
        {did ? (
          moment.text ? (
            text(moment.text)
          ) : (
            t('eras.did')
          )
        ) : moment.text ? (
          <>
            {t('eras.didNot')} <span className="sl-small">{text(moment.text)}</span>
          </>
        ) : (
          t('eras.didNothing')
        )}
      </p>
      <button
        type="button"
        className="sl-button"
        disabled={!can}
        data-testid={`eras-go-${era}`}
        onClick={() => runCommand('eras.go', { era, seq })}
      >
        {here ? t('eras.goHere') : t('eras.goTo', { era })}
      </button>
      {why && why.links.length > 1 && (
        <details open>
          <summary className="u-pointer u-fs-1 u-dim">{t('eras.ledThere')}</summary>
          <ol>
            {why.links.map((link) => (
              <li key={link.seq}>
                <button
                  type="button"
                  className="sl-link u-text-left"
                  disabled={!can}
                  onClick={() => runCommand('eras.go', { era, seq: link.seq })}
                >
                  <span className="sl-tabular sl-small">{seconds(link.time)} s</span> {text(link.text)}
                </button>
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}

function Firsts({ compared, shown }: { readonly compared: ErasCompared; readonly shown: number }) {
  const t = useT();
  const text = useText();
  const { firsts, counts } = compared;
  return (
    <section aria-label={t('eras.firsts')} className="sl-eras-firsts" data-testid="eras-firsts">
      <h3>{t('eras.firsts')}</h3>
      {(['outside', 'inside', 'words'] as const).map((group) => {
        const members = firsts.flatMap((one, i) => (one.group === group ? [{ one, i }] : []));
        if (members.length === 0) return null;
        return (
          <div key={group}>
            <h4 className="u-fs-1 u-weight-600 u-dim">{t(`eras.kind.${group}`)}</h4>
            <ul>
              {members.map(({ one, i }) => (
                <li key={one.kind}>
                  <button
                    type="button"
                    className="sl-eras-first u-block u-width-full u-bare u-pointer u-text-left"
                    aria-pressed={i === shown}
                    data-testid={`eras-first-${one.kind}`}
                    onClick={() => useEras.setState({ shown: i })}
                  >
                    <span className="sl-strong">{t(`eras.kind.${one.kind}`)}</span>{' '}
                    <span className="sl-small">{t('eras.all', { n: counts[one.kind] ?? 1 })}</span>
                    <span className="u-block u-clip u-fs-1 u-dim">{text(one.text)}</span>
                  </button>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </section>
  );
}

/** Both runs by virtual time. */
function Sides({ compared: { eras, rows, leftOut } }: { readonly compared: ErasCompared }) {
  const t = useT();
  const text = useText();
  const [only, setOnly] = useState(false);
  const shown = only ? rows.filter(({ differs }) => differs) : rows;
  return (
    <section
      className="sl-eras-right u-min-width-0 u-scroll u-border-left"
      aria-label={t('eras.sides')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      data-testid="eras-sides"
    >
      <table className="sl-eras-table u-width-full u-collapse">
        <thead>
          <tr>
            <th scope="col">{eras[0]}</th>
            <th scope="col">
              {eras[1]}{' '}
              <Check checked={only} onChange={setOnly} className="sl-eras-only u-weight-400">
                {t('eras.onlyDifferences')}
              </Check>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ sides, differs, kind }) => (
            <tr
              key={`${kind} ${sides[0]?.seq} ${sides[1]?.seq} ${(sides[0] ?? sides[1])?.text.en}`}
              data-differs={differs ? differenceKinds[kind] : undefined}
            >
              {sides.map((side, i) => (
                <td key={eras[i]}>
                  {side && (
                    <button
                      type="button"
                      className="sl-eras-row u-width-full u-pad-chip u-bare u-pointer u-fs-1 u-text-left"
                      onClick={() => runCommand('eras.go', { era: eras[i] as EraVersion, seq: side.seq })}
                    >
                      <span className="sl-tabular sl-small">{seconds(side.time)} s</span> {text(side.text)}
                      {differs && <span className="sl-visually-hidden"> ({t('eras.differs')})</span>}
                    </button>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {leftOut > 0 && <p className="sl-small">{t('eras.leftOut', { n: leftOut })}</p>}
    </section>
  );
}
