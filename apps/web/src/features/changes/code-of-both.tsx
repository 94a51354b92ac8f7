import { sources } from 'virtual:sources';
import { type Change, eraBefore, erasWith } from '@syncloop/core/changes';
import type { EraVersion } from '@syncloop/core/kubelet';
import { useT } from '../../i18n/index.js';
import { linkTo, NEWEST } from '../source/logic/source-eras.js';
import type { FunctionSource } from '../source/logic/source-types.js';
import { sourcesOf } from '../source/logic/sources-of.js';

const placeOf = (fn: string | undefined, era: EraVersion): FunctionSource | undefined =>
  fn === undefined ? undefined : sourcesOf(sources, era).index.functions[fn];

/** Our code of the function that a change is about, in the version before and in the first that runs since. */
export function CodeOfBoth({ change }: { readonly change: Change }) {
  const t = useT();
  const since = erasWith(change)[0] ?? NEWEST;
  const before = eraBefore(change);
  const [then, now] = [placeOf(change.code.before, before), placeOf(change.code.since, since)];
  const same = then !== undefined && then.file === now?.file && then.from === now.from;
  if (same)
    return (
      <>
        <p className="sl-small">{t('changes.codeSame')}</p>
        <Side place={now} era={since} />
      </>
    );
  return (
    <div className="sl-changes-sides u-grid">
      <Side place={then} era={before} />
      <Side place={now} era={since} />
    </div>
  );
}

function Side({ place, era }: { readonly place: FunctionSource | undefined; readonly era: EraVersion }) {
  const t = useT();
  if (!place) return <p className="sl-small">{t('changes.codeNone', { version: era })}</p>;
  const { file, from, to, fn, upstream } = place;
  const lines = (sources.texts[file] ?? '').split('\n').slice(from - 1, to);
  const version = upstream?.version ?? NEWEST;
  const label = t('changes.codeBefore', { fn, version: era });
  return (
    <figure className="sl-changes-source u-min-width-0" lang="en">
      <figcaption>
        <strong>{label}</strong>{' '}
        <code className="sl-small">
          {file}:{from}
        </code>
        {upstream && (
          <span className="sl-small">
            {t('changes.codeUpstream', { version })}{' '}
            <a
              className="sl-changes-link u-break u-desired"
              href={linkTo(upstream, version)}
              target="_blank"
              rel="noopener noreferrer"
            >
              <code>{upstream.symbol}</code> <span aria-hidden="true">↗</span>
              <span className="sl-visually-hidden">{t('changes.newTab')}</span>
            </a>
          </span>
        )}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and has nothing within to be focused */}
      <section className="sl-changes-scroll u-scroll u-border u-round u-sunken" tabIndex={0} aria-label={label}>
        <pre>
          <code>{outdented(lines).join('\n')}</code>
        </pre>
      </section>
    </figure>
  );
}

/** The lines without the indentation that all of them have. */
function outdented(lines: readonly string[]): readonly string[] {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const least = Math.min(...indents, Number.POSITIVE_INFINITY);
  return Number.isFinite(least) ? lines.map((line) => line.slice(least)) : lines;
}
