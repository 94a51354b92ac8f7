/** A line as a shell takes it apart: quotes, backslashes, `<<EOF`. */
import { ConsoleError } from './errors.js';

export interface Word {
  readonly text: string;
  /** Its place in the line. */
  readonly from: number;
  readonly to: number;
}

/**
 * The words of a line. `open`: a quote that is not closed is taken as if it were, for completion. Throws a
 * ConsoleError else.
 */
export function splitWords(line: string, open = false): Word[] {
  const words: Word[] = [];
  let i = 0;
  while (i < line.length) {
    if (/\s/.test(line[i] as string)) {
      i++;
      continue;
    }
    const from = i;
    let text = '';
    let quote = '';
    while (i < line.length) {
      const c = line[i] as string;
      if (quote === '' && /\s/.test(c)) break;
      i++;
      if (quote !== '' && c === quote) quote = '';
      else if (quote === '' && (c === '"' || c === "'")) quote = c;
      else if (c === '\\' && quote !== "'" && i < line.length) {
        const next = line[i] as string;
        // Between double quotes a backslash only guards what means something there.
        text += quote === '"' && !/["\\$`]/.test(next) ? `\\${next}` : next;
        i++;
      } else text += c;
    }
    if (quote !== '' && !open)
      throw new ConsoleError(`a closing ${quote} is missing; add one`, `缺少右引号 ${quote}；请补上`);
    words.push({ text, from, to: i });
  }
  return words;
}
