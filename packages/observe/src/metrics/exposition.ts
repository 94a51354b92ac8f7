/** Prometheus' text format, as far as counters and gauges of a kubelet need it. */

export interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const LABEL = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(,|})/y;
const LONGEST = 64 * 1024;

/** One line; null for a comment, an empty line, and what is no sample. A time after the value is left out. */
export function readSample(line: string): Sample | null {
  if (line.length > LONGEST) return null;
  const name = NAME.exec(line)?.[0];
  if (name === undefined) return null;
  const labels = new Map<string, string>();
  let at = name.length;
  if (line[at] === '{') {
    at++;
    if (/^\s*}/.test(line.slice(at))) at = line.indexOf('}', at) + 1;
    else
      for (;;) {
        LABEL.lastIndex = at;
        const found = LABEL.exec(line);
        if (!found) return null;
        labels.set(found[1] as string, unescaped(found[2] as string));
        at = LABEL.lastIndex;
        if (found[3] === '}') break;
        // A comma may stand after the last label.
        const end = /^\s*}/.exec(line.slice(at));
        if (!end) continue;
        at += end[0].length;
        break;
      }
  }
  const value = numberOf(/^\s+(\S+)(?:\s|$)/.exec(line.slice(at))?.[1]);
  return value === null ? null : { name, labels, value };
}

const unescaped = (text: string): string => text.replace(/\\(.)/g, (_all, c: string) => (c === 'n' ? '\n' : c));

function numberOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^[+-]?inf$/i.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const value = /^nan$/i.test(text) ? Number.NaN : Number(text);
  return /^nan$/i.test(text) || !Number.isNaN(value) ? value : null;
}

/** `name{a="b"}`, the labels in the order of their names. */
export function sampleKey({ name, labels }: Pick<Sample, 'name' | 'labels'>): string {
  if (labels.size === 0) return name;
  const sorted = [...labels].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${name}{${sorted.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}}`;
}
