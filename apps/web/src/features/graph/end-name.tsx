import { splitName } from '../../units/text.js';

/** Shows a name which, where space is short, keeps the end that tells a controller’s pods apart. */
export function EndName({ name }: { readonly name: string }) {
  const [head, end] = splitName(name);
  if (end === '') return name;
  return (
    <span className="u-inline-flex u-min-width-0 u-width-full">
      <span className="u-clip u-min-width-0">{head}</span>
      <span className="u-flex-none">{end}</span>
    </span>
  );
}
