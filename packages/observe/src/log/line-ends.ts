/** Ends of lines: records that go on in the next line, and lines whose end a pager left out. */
import { ELLIPSIS } from './go-values.js';
import { readBody } from './klog.js';

/** True if a structured record ends within a value in quotes. Most end with a quote, and are not looked at. */
export function endsWithin(body: string): boolean {
  const last = body.charCodeAt(body.length - 1);
  if (last === 34 && body.charCodeAt(body.length - 2) !== 92) return false;
  let inside = false;
  for (let at = body.indexOf('"'); at >= 0; at = body.indexOf('"', at + 1)) {
    let escapes = 0;
    while (inside && body.charCodeAt(at - 1 - escapes) === 92) escapes++;
    if (escapes % 2 === 0) inside = !inside;
  }
  return inside;
}

/** True if a text in quotes with its fields is a part of `joined`, which are more fields of it. */
export function goesOnIn(text: string, joined: string): boolean {
  if (text.charCodeAt(0) !== 34) return true;
  if (text.endsWith('"') && joined.charAt(text.length) !== ' ') return false;
  return endsWithin(joined) || readBody(joined).rest === undefined;
}

/** Without the mark of a pager, or the dots of `systemctl status`, that stand in place of the end of a line. */
export function withoutPager(text: string): string {
  const last = text.charAt(text.length - 1);
  if (last === ELLIPSIS) return text.slice(0, -1);
  if (last !== '>' || text === ' >') return text;
  let open = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 60) open++;
    else if (code === 62) open--;
  }
  return open < 0 ? text.slice(0, -1) : text;
}

/** The beginning of a record of klog, of which the rest may be missing, or of what Go and flags print by themselves. */
export const BEGINS_ANEW =
  /^(?:[IWEF]\d{4} \d\d:\d\d:\d\d\b|kubelet: |[Ee]rror: |panic: |fatal error: |Usage:|Flag --)/;

/** True if a text that printf made ends within the braces of a value. */
export function isOpenValue(text: string): boolean {
  if (text.charCodeAt(0) === 34) return false;
  let open = 0;
  for (const sign of text) {
    if (sign === '{') open++;
    else if (sign === '}') open--;
  }
  return open > 0;
}
