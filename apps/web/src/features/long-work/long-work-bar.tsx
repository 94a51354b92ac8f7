import { useEffect, useRef } from 'react';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { Keys } from '../../ui/keys.js';
import { type LongWork, type LongWorkQuestion, useLongWork } from './long-work-store.js';
import { stopWork } from './stop-work.js';

/**
 * Shows that something takes long, and stops it; asks how to go on if it had to be ended, or did not finish before a
 * reload.
 */
export function LongWorkBar() {
  const { held, question } = useLongWork();
  if (question) return <Question key={question.title} question={question} />;
  return held && <Taking held={held} />;
}

/** Gives the focus back to the graph when a bar that had it disappears. */
function useFocusBack() {
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        if (document.activeElement === document.body)
          document.getElementById('sl-main')?.focus({ preventScroll: true });
      });
    },
    [],
  );
}

function Taking({ held }: { readonly held: LongWork }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  useFocusBack();
  const { title, seconds, silent, steps, of, time, stopping } = held;
  const place = {
    steps: steps.toLocaleString(lang),
    time: (time / 1e6).toLocaleString(lang, { maximumFractionDigits: 1 }),
  };
  return (
    <section
      className="sl-stopped sl-held u-absolute u-round u-raised u-shadow"
      aria-label={t('held.region')}
      data-testid="held"
    >
      <p className="u-flex u-wrap">
        <span>{t('held.taking', { what: t(title), n: seconds })}</span>
        <span>
          {of === undefined ? t('held.at', place) : t('held.atOf', { ...place, of: of.toLocaleString(lang) })}
        </span>
        {silent > 0 && <span>{t('held.silent', { n: silent })}</span>}
      </p>
      <div className="sl-group">
        <button
          type="button"
          className="sl-button sl-primary"
          disabled={stopping}
          onClick={() => void stopWork()}
          data-testid="held-stop"
        >
          {stopping ? t('held.stopping') : t('held.stop')}
        </button>
        <span className="sl-only-keys">
          <Keys text="[Esc]" />
        </span>
      </div>
    </section>
  );
}

function Question({ question }: { readonly question: LongWorkQuestion }) {
  const t = useT();
  const first = useRef<HTMLButtonElement>(null);
  useFocusBack();
  useEffect(() => first.current?.focus({ preventScroll: true }), []);
  return (
    <section
      className="sl-stopped sl-held u-absolute u-round u-raised u-shadow"
      role="alertdialog"
      aria-labelledby="sl-held-title"
      data-testid="held"
    >
      <p id="sl-held-title" className="sl-strong u-flex u-wrap">
        {t(question.title)}
      </p>
      <p className="u-flex u-wrap">{t(question.text)}</p>
      <div className="sl-group">
        {question.choices.map(({ id, label, run }, i) => (
          <button
            key={id}
            ref={i === 0 ? first : undefined}
            type="button"
            className={`sl-button ${i === 0 ? 'sl-primary' : ''}`}
            onClick={run}
            data-testid={`held-${id}`}
          >
            {t(label)}
          </button>
        ))}
      </div>
    </section>
  );
}
