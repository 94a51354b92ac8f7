import type { ReactNode } from 'react';
import styles from './check.module.css';

interface Props {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly className?: string;
  readonly testId?: string;
  /** Its label. */
  readonly children: ReactNode;
}

/** A checkbox with its words, all of which can be clicked. */
export function Check({ checked, onChange, className = '', testId, children }: Props) {
  return (
    <label className={`${styles.check} ${className}`}>
      <input
        type="checkbox"
        checked={checked}
        data-testid={testId}
        onChange={(e) => onChange(e.currentTarget.checked)}
      />
      {children}
    </label>
  );
}
