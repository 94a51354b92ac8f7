/**
 * `$(NAME)` replaced by what `mapping` gives; `$$` is one dollar sign, so `$$(NAME)` stays `$(NAME)`. A reference that
 * `mapping` does not know stays as it is. upstream: third_party/forked/golang/expansion Expand
 */
export function expand(input: string, mapping: (name: string) => string | undefined): string {
  let out = '';
  for (let i = 0; i < input.length; i++) {
    if (input[i] !== '$' || i + 1 >= input.length) {
      out += input[i];
      continue;
    }
    const next = input[i + 1] as string;
    if (next === '$') {
      out += '$';
      i++;
    } else if (next === '(') {
      const end = input.indexOf(')', i + 2);
      if (end < 0) {
        out += '$(';
        i++;
      } else {
        const name = input.slice(i + 2, end);
        out += mapping(name) ?? `$(${name})`;
        i = end;
      }
    } else {
      out += `$${next}`;
      i++;
    }
  }
  return out;
}
