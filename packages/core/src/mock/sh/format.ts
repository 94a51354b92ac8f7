import type { Spend } from '../patterns/pattern.js';
import { BudgetExceeded, budget } from '../process/budget.js';

/** Most digits that JavaScript gives of a number. */
const maxDigits = 100;

/** Resolves backslash escapes as `echo -e` and printf's %b take them; `stop`: `\c` was met. */
export function unescapeText(text: string): { text: string; stop: boolean } {
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (c !== '\\') {
      out += c;
      continue;
    }
    const n = text[++i];
    const simple =
      n === undefined
        ? '\\'
        : (
            { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v', '\\': '\\', e: '\x1b' } as Record<
              string,
              string
            >
          )[n];
    if (simple !== undefined) out += simple;
    else if (n === 'c') return { text: out, stop: true };
    else if (n === 'x') {
      const m = /^[0-9a-fA-F]{1,2}/.exec(text.slice(i + 1));
      if (m) {
        out += String.fromCharCode(Number.parseInt(m[0], 16));
        i += m[0].length;
      } else out += '\\x';
    } else {
      const m = /^0?[0-7]{1,3}/.exec(text.slice(i));
      if (m) {
        out += String.fromCharCode(Number.parseInt(m[0], 8) & 255);
        i += m[0].length - 1;
      } else out += `\\${n}`;
    }
  }
  return { text: out, stop: false };
}

/**
 * upstream: printf(1). The format is used again while arguments are left. Throws BudgetExceeded if it gives too
 * much.
 */
export function printf(format: string, args: readonly string[], spend: Spend): { text: string; error: string } {
  let out = '';
  let error = '';
  /** The next argument; undefined when there are no more. */
  let at = 0;
  const next = (): string | undefined => args[at++];
  /** A width or precision; asks for no more than may be written. */
  const number = (given: string | undefined): number => {
    const n = Math.trunc(Number(given === '*' ? next() : given)) || 0;
    if (Math.abs(n) + out.length > budget.output) throw new BudgetExceeded('output');
    return n;
  };
  do {
    const before = at;
    spend(format.length);
    for (let i = 0; i < format.length; i++) {
      const c = format[i] as string;
      if (c === '\\') {
        const m = /^\\(0?[0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)/s.exec(format.slice(i));
        const u = unescapeText(m ? m[0] : '\\');
        out += u.text;
        if (u.stop) return { text: out, error };
        i += (m?.[0].length ?? 1) - 1;
        continue;
      }
      if (c !== '%') {
        out += c;
        continue;
      }
      const m = /^%([-+ 0#]*)(\*|\d+)?(?:\.(\*|\d+))?([a-zA-Z%])/.exec(format.slice(i));
      if (!m) {
        out += c;
        continue;
      }
      i += m[0].length - 1;
      const [, flags = '', w, p, kind] = m;
      if (kind === '%') {
        out += '%';
        continue;
      }
      const width = number(w ?? '0');
      const precision = p === undefined ? undefined : Math.max(number(p), 0);
      const arg = next() ?? '';
      let text: string;
      spend((arg.length + Math.abs(width) + (precision ?? 0)) >> 3);
      if (kind === 's') text = precision === undefined ? arg : arg.slice(0, precision);
      else if (kind === 'b') text = unescapeText(arg).text;
      else if (kind === 'c') text = arg.slice(0, 1);
      else {
        const n = /^['"]/.test(arg) ? (arg.codePointAt(1) ?? 0) : arg === '' ? 0 : Number(arg);
        if (Number.isNaN(n)) error = `invalid number '${arg}'`;
        text = formatNumber(Number.isNaN(n) ? 0 : n, kind as string, precision);
        if (flags.includes('+') && n >= 0 && /[dieEfgG]/.test(kind as string)) text = `+${text}`;
      }
      if (flags.includes('-') || width < 0) text = text.padEnd(Math.abs(width));
      else if (flags.includes('0') && kind !== 's')
        text = text.startsWith('-') ? `-${text.slice(1).padStart(width - 1, '0')}` : text.padStart(width, '0');
      else text = text.padStart(width);
      out += text;
    }
    if (out.length > budget.output) throw new BudgetExceeded('output');
    if (at === before) break;
  } while (at < args.length);
  return { text: out, error };
}

function formatNumber(n: number, kind: string, precision: number | undefined): string {
  switch (kind) {
    case 'd':
    case 'i':
    case 'u':
      return String(Math.trunc(n)).padStart(precision ?? 0, '0');
    case 'x':
      return Math.trunc(n).toString(16);
    case 'X':
      return Math.trunc(n).toString(16).toUpperCase();
    case 'o':
      return Math.trunc(n).toString(8);
    case 'e':
    case 'E':
      return n.toExponential(Math.min(precision ?? 6, maxDigits));
    case 'g':
    case 'G':
      return String(Number(n.toPrecision(Math.min(precision || 6, maxDigits))));
    default:
      return n.toFixed(Math.min(precision ?? 6, maxDigits));
  }
}
