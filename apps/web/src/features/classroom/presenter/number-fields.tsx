import { MAX_UNIT } from '@syncloop/core/classroom';
import { useT } from '../../../i18n/index.js';
import type { NumberForm } from './draft.js';

interface Props {
  readonly number: NumberForm;
  readonly onChange: (change: Partial<NumberForm>) => void;
}

/** The fields of a question for a number: its unit, the right one, and how far from that is still right. */
export function NumberFields({ number, onChange }: Props) {
  const t = useT();
  const field = (key: keyof NumberForm, label: string, longest: number) => (
    <label className="u-row u-gap-8">
      <span className="u-grow">{label}</span>
      <input
        className="sl-input sl-short"
        value={number[key]}
        maxLength={longest}
        inputMode={key === 'unit' ? 'text' : 'decimal'}
        data-testid={`class-form-${key}`}
        onChange={(e) => onChange({ [key]: e.currentTarget.value })}
      />
    </label>
  );
  return (
    <div className="u-column u-gap-6 u-above-8">
      {field('unit', t('class.formUnit'), MAX_UNIT)}
      {field('right', t('class.formRightNumber'), 24)}
      {field('tolerance', t('class.formTolerance'), 24)}
    </div>
  );
}
