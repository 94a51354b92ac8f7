import { isMessageKey, useT } from '../../i18n/index.js';
import type { FaultField, FaultPod, FaultTemplate, FaultValues } from './logic/faults.js';

interface Props {
  readonly template: FaultTemplate;
  readonly values: FaultValues;
  readonly pods: readonly FaultPod[];
  readonly onChange: (changed: FaultValues) => void;
}

/** The fields of one fault. */
export function FaultFields({ template, values, pods, onChange }: Props) {
  const t = useT();
  return (
    <div className="sl-faults-fields">
      {template.fields.map((field) => (
        <div key={`${template.id} ${field.name}`} className="sl-faults-field">
          <label htmlFor={`sl-fault-${field.name}`}>{t(`faults.field.${field.name}`)}</label>
          <FieldInput field={field} values={values} pods={pods} onChange={onChange} />
        </div>
      ))}
    </div>
  );
}

function FieldInput({ field, values, pods, onChange }: Omit<Props, 'template'> & { readonly field: FaultField }) {
  const t = useT();
  const { name, kind, needed } = field;
  const value = values[name] ?? '';
  if (kind === 'text') {
    const hint = `faults.hint.${name}`;
    const words = isMessageKey(hint) ? t(hint) : needed ? '' : t('faults.optional');
    return (
      <input
        id={`sl-fault-${name}`}
        className="sl-input"
        value={value}
        placeholder={words}
        spellCheck={false}
        autoCapitalize="off"
        data-testid={`fault-field-${name}`}
        onChange={(e) => onChange({ [name]: e.currentTarget.value })}
      />
    );
  }
  const options =
    kind === 'pod'
      ? pods.map((p) => p.pod)
      : kind === 'container'
        ? (pods.find((p) => p.pod === values.pod)?.containers ?? [])
        : (field.options ?? []);
  return (
    <select
      id={`sl-fault-${name}`}
      className="sl-input"
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
