import type { CSSProperties, ReactNode } from 'react';
import styles from './table.module.css';

interface Props {
  /** The headings of the columns; null: a column without a name. */
  readonly heads: readonly ReactNode[];
  /** Padding of a cell, as CSS. */
  readonly cell?: string;
  /** Lines between the rows, not below each of them. */
  readonly between?: boolean;
  readonly className?: string;
  readonly testId?: string;
  /** Its rows. */
  readonly children: ReactNode;
}

/** A table of a panel: quiet names of columns, a thin line for each row. */
export function Table({ heads, cell = '3px 8px 3px 0', between = false, className = '', testId, children }: Props) {
  return (
    <table
      className={`${styles.table} ${className}`}
      style={{ '--cell': cell } as CSSProperties}
      data-between={between || undefined}
      data-testid={testId}
    >
      <thead>
        <tr>
          {heads.map((head, i) =>
            head === null ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: a column has no other identity
              <td key={i} />
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: a column has no other identity
              <th key={i} scope="col">
                {head}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
