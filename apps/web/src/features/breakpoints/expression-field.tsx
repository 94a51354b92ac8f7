import { type Completion, complete } from '@syncloop/core/expression';
import { useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { trace } from '../../run/trace-store.js';
import { Field } from '../../ui/field/field.js';
import { markedAt, type Problem } from './logic/breakpoint-draft.js';

/** Most suggestions in sight. */
const MOST = 6;

interface Props {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly problem: Problem | null;
  /** Names are offered while one writes; not within texts. */
  readonly completes?: boolean;
  readonly testId: string;
  readonly onChange: (value: string) => void;
}

/** Returns a record as an example for its fields: the selected one, or the newest. */
function context() {
  const { selection } = useUI.getState();
  const record = trace.records.get(selection?.kind === 'record' ? selection.seq : trace.records.last);
  return record && { record, state: trace.state };
}

/** A line for an expression: its problem is shown below, at its place; names are offered during typing. */
export function ExpressionField({ label, hint, value, problem, completes = false, testId, onChange }: Props) {
  const t = useT();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [offer, setOffer] = useState<{ from: number; to: number; items: readonly Completion[]; at: number } | null>(
    null,
  );
  const look = (source: string, asked = false) => {
    const element = field.current;
    if (!element || !completes) return;
    const offset = element.selectionStart ?? source.length;
    const { from, to, items } = complete(source, offset, context());
    const begun = offset > from || source[from - 1] === '.';
    const some = items.filter((i) => i.text !== source.slice(from, to)).slice(0, MOST);
    setOffer((begun || asked) && some.length > 0 ? { from, to, items: some, at: 0 } : null);
  };
  const take = (item: Completion) => {
    if (!offer) return;
    const text = item.kind === 'function' ? `${item.text}(` : item.text;
    const next = value.slice(0, offer.from) + text + value.slice(offer.to);
    const caret = offer.from + text.length;
    // It is drawn at once: the next key must find the caret in its place.
    flushSync(() => {
      setOffer(null);
      onChange(next);
    });
    field.current?.focus();
    field.current?.setSelectionRange(caret, caret);
  };
  const move = (by: number) => setOffer((o) => o && { ...o, at: (o.at + by + o.items.length) % o.items.length });
  const chosen = offer?.items[offer.at];
  return (
    <Field label={label} id={id} className="sl-form-wide">
      {() => (
        <>
          <div className="u-relative">
            <input
              id={id}
              ref={field}
              className="sl-input sl-code u-min-width-0 u-width-full"
              {...(completes && {
                role: 'combobox',
                'aria-autocomplete': 'list' as const,
                'aria-expanded': offer !== null,
                'aria-controls': `${id}-offer`,
                'aria-activedescendant': offer ? `${id}-${offer.at}` : undefined,
              })}
              spellCheck={false}
              autoComplete="off"
              autoCapitalize="off"
              placeholder={hint}
              maxLength={4096}
              aria-invalid={problem !== null}
              aria-describedby={problem && !offer ? `${id}-bad` : undefined}
              data-testid={testId}
              value={value}
              onChange={(e) => {
                onChange(e.currentTarget.value);
                look(e.currentTarget.value);
              }}
              onBlur={() => setOffer(null)}
              onKeyDown={(e) => {
                if (completes && e.key === ' ' && e.ctrlKey) look(value, true);
                else if (!offer) return;
                else if (e.key === 'ArrowDown') move(1);
                else if (e.key === 'ArrowUp') move(-1);
                else if ((e.key === 'Enter' || e.key === 'Tab') && chosen) take(chosen);
                else if (e.key === 'Escape') setOffer(null);
                else return;
                e.preventDefault();
                e.stopPropagation();
              }}
            />
            {offer && (
              <div
                id={`${id}-offer`}
                role="listbox"
                aria-label={t('breakpoints.suggestions')}
                className="sl-offer u-absolute u-scroll u-border-strong u-round u-raised u-shadow"
              >
                {offer.items.map((item, i) => (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and the keys
                  <div
                    key={`${item.kind} ${item.text}`}
                    id={`${id}-${i}`}
                    role="option"
                    tabIndex={-1}
                    aria-selected={i === offer.at}
                    onMouseDown={(e) => e.preventDefault()}
                    onClick={() => take(item)}
                  >
                    <code>{item.text}</code> <span className="sl-small">{item.detail}</span>
                  </div>
                ))}
              </div>
            )}
          </div>
          {problem && !offer && <Wrong id={`${id}-bad`} source={value} problem={problem} />}
        </>
      )}
    </Field>
  );
}

function Wrong({ id, source, problem }: { readonly id: string; readonly source: string; readonly problem: Problem }) {
  const t = useT();
  const { reason, position } = problem;
  const [before, there, after] = markedAt(source, problem);
  return (
    <div id={id} className="sl-wrong u-break u-fs-1 u-failure" role="status">
      {position !== undefined && (
        <code className="u-dim" aria-hidden="true">
          {before}
          <mark className="u-failure">{there}</mark>
          {after}
        </code>
      )}
      <p>
        {position === undefined
          ? t('breakpoints.wrong', { reason })
          : t('breakpoints.wrongAt', { at: position + 1, reason })}
      </p>
    </div>
  );
}
