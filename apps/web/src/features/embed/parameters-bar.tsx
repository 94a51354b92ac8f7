import { useId } from 'react';
import { useT } from '../../i18n/index.js';
import { isOrdered, type Parameter } from './parameters.js';
import { chooseValue, useParameters } from './parameters-store.js';

/** The values that a reader may change, each with a slider or a list. */
export function ParametersBar() {
  const t = useT();
  const parameters = useParameters((s) => s.parameters);
  if (parameters.length === 0) return null;
  return (
    <fieldset
      className="sl-embed-parameters u-row u-wrap u-gap-12 u-border-top u-fs-1"
      aria-label={t('embed.parameters')}
      data-testid="parameters"
    >
      {parameters.map((parameter) => (
        <Value key={parameter.path} parameter={parameter} />
      ))}
    </fieldset>
  );
}

function Value({ parameter }: { readonly parameter: Parameter }) {
  const id = useId();
  const { path, label, values } = parameter;
  const index = useParameters((s) => s.chosen[path] ?? 0);
  const choose = (at: string) => chooseValue(path, Number(at));
  return (
    <span className="u-row u-gap-6 u-nowrap">
      <label htmlFor={id} className="u-dim">
        {label}
      </label>
      {isOrdered(parameter) ? (
        <>
          <input
            id={id}
            type="range"
            min={0}
            max={values.length - 1}
            value={index}
            aria-valuetext={values[index]}
            onChange={(e) => choose(e.currentTarget.value)}
          />
          <output htmlFor={id} className="sl-embed-value sl-tabular u-weight-600">
            {values[index]}
          </output>
        </>
      ) : (
        <select id={id} className="sl-input" value={index} onChange={(e) => choose(e.currentTarget.value)}>
          {values.map((value, at) => (
            <option key={value} value={at}>
              {value}
            </option>
          ))}
        </select>
      )}
    </span>
  );
}
