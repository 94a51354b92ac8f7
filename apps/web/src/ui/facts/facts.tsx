import type { ReactNode } from 'react';
import styles from './facts.module.css';

/** Names and values, a line each: `dt` and `dd` one after the other. */
export function Facts({ className = '', children }: { readonly className?: string; readonly children: ReactNode }) {
  return <dl className={`${styles.facts} ${className}`}>{children}</dl>;
}
