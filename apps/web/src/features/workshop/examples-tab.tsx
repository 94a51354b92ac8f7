import type { Json } from '@syncloop/workshop/interpreter';
import type { Difference } from '@syncloop/workshop/judge';
import type { ExampleCase, Stage } from '@syncloop/workshop/stages';
import { useState } from 'react';
import { inLang } from '../../i18n/in-lang.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { stepThrough } from './judging.js';
import { problemIn } from './problem-in.js';
import { Sentence } from './prose.js';

interface Props {
  readonly stage: Stage;
  /** For each example the difference, or null. */
  readonly found: readonly (Difference | null)[];
}

/** The examples as a table; the first that fails is open. */
export function ExamplesTab({ stage, found }: Props) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const [chosen, setChosen] = useState<number | null>(null);
  const open = chosen ?? found.findIndex((one) => one !== null);
  return (
    <ol className="sl-workshop-examples u-pad-0 u-margin-0" data-testid="workshop-examples">
      {stage.cases.map((example, i) => {
        const body = `workshop-example-${i}`;
        const difference = found[i] ?? null;
        const isOpen = open === i && (!example.hidden || difference !== null);
        return (
          <li key={example.name} data-ok={difference === null} className="u-border-bottom">
            <button
              type="button"
              className="sl-workshop-example u-bare u-row u-gap-8 u-width-full u-text-left u-pointer"
              aria-expanded={isOpen}
              aria-controls={body}
              disabled={example.hidden && difference === null}
              onClick={() => setChosen(isOpen ? -1 : i)}
            >
              <span aria-hidden="true" className="sl-workshop-mark u-flex-none u-text-center">
                {difference ? '✗' : '✓'}
              </span>
              <span className="u-grow">
                {inLang({ ...example.about }, lang)}
                {example.hidden && <span className="u-fs-1 u-dim"> {t('workshop.hidden')}</span>}
              </span>
              <span className="u-fs-1 u-dim u-nowrap">{t(difference ? 'workshop.fails' : 'workshop.passes')}</span>
            </button>
            <div id={body} hidden={!isOpen}>
              {isOpen && <Example stage={stage} example={example} difference={difference} index={i} />}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

interface ExampleProps {
  readonly stage: Stage;
  readonly example: ExampleCase;
  readonly difference: Difference | null;
  readonly index: number;
}

function Example({ stage, example, difference, index }: ExampleProps) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const args = difference?.args ?? example.args;
  const expected = difference ? difference.expected : (example.result ?? null);
  return (
    <div className="sl-workshop-case">
      {difference && (
        <p className="u-margin-0" data-testid="workshop-difference">
          <Sentence text={inLang({ ...difference.text }, lang)} />
        </p>
      )}
      {!example.hidden && (
        <>
          <dl>
            <dt>{t('workshop.called')}</dt>
            <dd>
              {args ? args.map((arg, i) => <Value key={String(i)} value={arg} />) : <Value value={callsOf(example)} />}
            </dd>
            {args && (
              <>
                <dt>{t('workshop.expected')}</dt>
                <dd>
                  <Value value={expected} />
                </dd>
              </>
            )}
            {difference && (
              <>
                <dt>{t('workshop.got')}</dt>
                <dd data-testid="workshop-got">
                  {difference.problem ? (
                    <p className="u-failure">
                      {t('workshop.problemAt', { line: difference.problem.line })} {problemIn(lang, difference.problem)}
                    </p>
                  ) : (
                    <Value value={difference.got} />
                  )}
                </dd>
              </>
            )}
          </dl>
          <button
            type="button"
            className="sl-button"
            data-testid={`workshop-step-${index}`}
            onClick={() => void stepThrough(stage, index)}
          >
            {t('workshop.stepThrough')}
          </button>
        </>
      )}
    </div>
  );
}

const callsOf = ({ calls = [] }: ExampleCase): Json => calls.map(({ input, output }) => ({ input, output }));

const Value = ({ value }: { readonly value: Json }) => (
  <pre className="sl-code u-scroll u-margin-0">{shown(value)}</pre>
);

/** A value as somebody would write it: on one line if it is short, else an entry a line. */
function shown(value: Json, indent = ''): string {
  const short = JSON.stringify(value);
  if (short.length + indent.length <= 84 || typeof value !== 'object' || value === null) return short;
  const more = `${indent}  `;
  if (Array.isArray(value)) return `[\n${value.map((one) => more + shown(one, more)).join(',\n')}\n${indent}]`;
  const entries = Object.entries(value).map(
    ([key, one]) => `${more}${JSON.stringify(key)}: ${shown(one ?? null, more)}`,
  );
  return `{\n${entries.join(',\n')}\n${indent}}`;
}
