import { type ReactNode, useId } from 'react';
import styles from './field.module.css';

interface Props {
  readonly label: string;
  /** The control's id, if it is needed outside of `children`. */
  readonly id?: string;
  readonly className?: string;
  /** Renders the control, with the id that its label refers to. */
  readonly children: (id: string) => ReactNode;
}

/** A control of a form below its label. */
export function Field({ label, id, className = '', children }: Props) {
  const own = useId();
  const known = id ?? own;
  return (
    <div className={`${styles.field} ${className}`}>
      <label htmlFor={known}>{label}</label>
      {children(known)}
    </div>
  );
}
