import type { Json } from '@syncloop/core/trace';
import { useT } from '../../i18n/index.js';
import { Table } from '../../ui/table/table.js';

/** A moment of a code: the function and the variables that have a value there. */
interface Moment {
  readonly function: string;
  readonly variables: { readonly [name: string]: Json | undefined };
}

/** The variables at a line; those are marked that are not as they were a line before. */
export function Variables({ line, before }: { readonly line: Moment; readonly before: Moment | undefined }) {
  const t = useT();
  const all = Object.entries(line.variables);
  if (all.length === 0) return <p className="sl-small">{t('workshop.noVariables')}</p>;
  return (
    <Table heads={[t('workshop.variable'), t('workshop.value')]} testId="workshop-variables">
      {all.map(([name, value]) => (
        <tr key={name} data-changed={isDifferent(before, line, name) || undefined}>
          <th scope="row">
            <code>{name}</code>
          </th>
          <td>
            <pre className="sl-workshop-value u-margin-0 u-break">{JSON.stringify(value)}</pre>
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** True if a variable of the same function has another value than a step before. */
function isDifferent(before: Moment | undefined, line: Moment, name: string): boolean {
  if (before?.function !== line.function || !Object.hasOwn(before.variables, name)) return false;
  return JSON.stringify(before.variables[name]) !== JSON.stringify(line.variables[name]);
}
