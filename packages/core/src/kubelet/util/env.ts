/**
 * The value of one key in a file of `KEY='value'` lines, '' if it is not there; throws with the line if the file is not
 * written so. Upstream takes quotes alone, so that a shell would read the same.
 * upstream: pkg/kubelet/util/env ParseEnv
 */
export function parseEnv(text: string, key: string): string {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const bad = (line: number, why: string) => new Error(`invalid environment variable format at line ${line}: ${why}`);
  for (let i = 0; i < lines.length; i++) {
    const line = trimLeft(lines[i] as string);
    if (line === '' || line.startsWith('#')) continue;
    const eq = line.indexOf('=');
    if (eq < 0) throw bad(i + 1, "missing '='");
    const name = line.slice(0, eq).replace(/[ \t]+$/, '');
    if (name === '') throw bad(i + 1, 'empty variable name');
    if (name.length !== eq) throw bad(i + 1, "whitespace before '=' is not allowed");
    let rest = line.slice(eq + 1);
    if (/^[ \t]/.test(rest)) {
      // A shell takes this for an empty value.
      if (name === key) return '';
      continue;
    }
    if (!rest.startsWith("'")) throw bad(i + 1, 'value must be enclosed in single quotes');
    rest = rest.slice(1);
    const start = i + 1;
    let value = '';
    let end = rest.indexOf("'");
    while (end < 0) {
      value += `${rest}\n`;
      i++;
      if (i >= lines.length)
        throw new Error(`invalid environment variable format starting at line ${start}: unclosed single quote`);
      rest = lines[i] as string;
      end = rest.indexOf("'");
    }
    value += rest.slice(0, end);
    const after = trimLeft(rest.slice(end + 1));
    if (after !== '' && !after.startsWith('#')) throw bad(i + 1, 'unexpected content after closing quote');
    if (name === key) return value;
  }
  return '';
}

const trimLeft = (text: string): string => text.replace(/^[ \t]+/, '');
