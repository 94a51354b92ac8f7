/** Rows of messages of kubelets up to v1.20, which printf made. */
import { type Gate, type Row, type RowSymptom, row, type Says, trouble } from './row.js';
import { printf } from './template.js';

/** The versions whose messages printf made. */
export const old = { until: 20 } as const;
/** A row of a message that proves something. `template` is printf's. */
export const says = (
  id: string,
  v: Gate,
  template: string,
  proves: Says,
  symptom?: RowSymptom,
  more: Partial<Row> = {},
): Row => row(id, v, printf(template), '', proves, { ...old, ...more, ...(symptom && { symptom }) });
/** Rows of messages that report a trouble, one for each of printf's templates. */
export const wrong = (
  id: string,
  v: Gate,
  code: RowSymptom['code'],
  templates: readonly string[],
  rest: Parameters<typeof trouble>[4] = {},
) => trouble(id, v, code, templates.map(printf), { ...old, ...rest });
