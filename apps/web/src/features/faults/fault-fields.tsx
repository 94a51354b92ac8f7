import { isMessageKey, useT } from '../../i18n/index.js';
import { type FaultField, type FaultNode, type FaultTemplate, type FaultValues, optionsOf } from './logic/faults.js';

interface Props {
  readonly template: FaultTemplate;
  readonly values: FaultValues;
  readonly node: FaultNode;
  readonly onChange: (changed: FaultValues) => void;
}

/** Renders the fields of one fault. */
export function FaultFields({ template, values, node, onChange }: Props) {
  const t = useT();
  return (
    <div className="sl-faults-fields u-column u-gap-6">
      {template.fields.map((field) => (
        <div key={`${template.id} ${field.name}`} className="sl-faults-field u-grid u-center u-gap-8 u-dim">
          <label htmlFor={`sl-fault-${field.name}`}>{t(`faults.field.${field.name}`)}</label>
          <FieldInput field={field} values={values} node={node} onChange={onChange} />
        </div>
      ))}
    </div>
  );
}

function FieldInput({ field, values, node, onChange }: Omit<Props, 'template'> & { readonly field: FaultField }) {
  const t = useT();
  const { name, kind, needed } = field;
  const value = values[name] ?? '';
  if (kind === 'text') {
    const hint = `faults.hint.${name}`;
    const words = isMessageKey(hint) ? t(hint) : needed ? '' : t('faults.optional');
    return (
      <input
        id={`sl-fault-${name}`}
        className="sl-input u-width-full u-text"
        value={value}
        placeholder={words}
        spellCheck={false}
        autoCapitalize="off"
        data-testid={`fault-field-${name}`}
        onChange={(e) => onChange({ [name]: e.currentTarget.value })}
      />
    );
  }
  const options = optionsOf(field, node, values);
  return (
    <select
      id={`sl-fault-${name}`}
      className="sl-input u-width-full u-text"
      value={value}
      data-testid={`fault-field-${name}`}
      onChange={(e) => onChange({ [name]: e.currentTarget.value })}
    >
      {!needed && <option value="">{t('faults.any')}</option>}
      {options.map((option) => (
        <option key={option} value={option}>
          {option === '*' ? `* (${t('faults.any')})` : option}
        </option>
      ))}
    </select>
  );
}
