/** Programs of one line that people give to python, node and perl: `python -c "import sys; sys.exit(3)"`. */

/** One thing that such a program does. Micros, bytes. */
export type LineStep =
  | { readonly does: 'exit'; readonly code: number; readonly error?: string }
  | { readonly does: 'write'; readonly text: string }
  | { readonly does: 'sleep'; readonly micros: number }
  | { readonly does: 'hold'; readonly bytes: number }
  | { readonly does: 'stay' };

export type Language = 'python' | 'node' | 'perl';

const languages: Readonly<Record<string, Language>> = { python: 'python', node: 'node', nodejs: 'node', perl: 'perl' };

/** The language of an interpreter, by the name of its program: `python3.12`. Null if it is another program. */
export function languageOf(program: string): Language | null {
  const name = program.slice(program.lastIndexOf('/') + 1).replace(/^python[\d.]+$/, 'python');
  return Object.hasOwn(languages, name) ? (languages[name] as Language) : null;
}

/** Returns what a program of one line does, step by step; null if any part of it is not understood. */
export function readOneLiner(language: Language, code: string): readonly LineStep[] | null {
  const steps: LineStep[] = [];
  const statements = statementsOf(code);
  for (const [i, statement] of statements.entries()) {
    const own = readers[language](statement, i === statements.length - 1);
    if (own === null) return null;
    steps.push(...own);
    if (own.some((s) => s.does === 'exit' || s.does === 'stay')) break;
  }
  return steps;
}

/** The program that the words of a command give to an interpreter: that behind -c or -e. Null if there is none. */
export function codeOf(language: Language, args: readonly string[]): string | null {
  const flags = language === 'python' ? ['-c'] : ['-e', '--eval', '-E'];
  const at = args.findIndex((a) => !/^-[uBIE]$/.test(a) || flags.includes(a));
  return at >= 0 && flags.includes(args[at] as string) ? (args[at + 1] ?? null) : null;
}

/** Statements, parted by semicolons and line ends that stand in no quotes and in no brackets. */
function statementsOf(code: string): string[] {
  const out: string[] = [];
  let quote = '';
  let depth = 0;
  let from = 0;
  for (let i = 0; i < code.length; i++) {
    const c = code[i] as string;
    if (quote !== '') {
      if (c === '\\') i++;
      else if (c === quote) quote = '';
    } else if (c === '"' || c === "'" || c === '`') quote = c;
    else if ('([{'.includes(c)) depth++;
    else if (')]}'.includes(c)) depth--;
    else if (depth === 0 && (c === ';' || c === '\n')) {
      out.push(code.slice(from, i));
      from = i + 1;
    }
  }
  out.push(code.slice(from));
  return out.map((s) => s.trim()).filter((s) => s !== '');
}

/** The steps of one statement; `last`: no other one follows. Null if it is not understood. */
type Reader = (statement: string, last: boolean) => readonly LineStep[] | null;

const second = 1_000_000;
const stay: readonly LineStep[] = [{ does: 'stay' }];
const exit = (code = '0'): LineStep[] => [{ does: 'exit', code: Number(code) & 255 }];
const failure = (code: number, error: string): LineStep[] => [{ does: 'exit', code, error }];
const sleep = (text: string | undefined, unit: number): LineStep[] | null => {
  const micros = Math.round(Number(text) * unit);
  return Number.isFinite(micros) ? [{ does: 'sleep', micros }] : null;
};

/** The text of a literal; null if it is anything else. */
function literal(text: string): string | null {
  const m = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')$/.exec(text.trim());
  if (!m) return null;
  return (m[1] ?? m[2] ?? '').replace(/\\(.)/g, (_, c: string) => ({ n: '\n', t: '\t' })[c] ?? c);
}
const write = (text: string | undefined, end: string): LineStep[] | null => {
  const own = (text ?? '').trim() === '' ? '' : literal(text as string);
  return own === null ? null : [{ does: 'write', text: own + end }];
};

/** A product of whole numbers: `250 * 1024**2`. Null if it is anything else. */
function product(text: string): number | null {
  let out = 1;
  for (const factor of text.replaceAll('_', '').split(/(?<!\*)\*(?!\*)/)) {
    const m = /^\s*\(?\s*(\d{1,15})(?:\s*\*\*\s*(\d{1,2}))?\s*\)?\s*$/.exec(factor);
    if (!m) return null;
    out *= Number(m[1]) ** Number(m[2] ?? 1);
  }
  return out;
}
const hold = (text: string | undefined, each = 1): LineStep[] | null => {
  const bytes = product(text ?? '');
  return bytes === null ? null : [{ does: 'hold', bytes: bytes * each }];
};

const readers: Readonly<Record<Language, Reader>> = {
  python(s) {
    if (/^(import|from)\s+[\w., ]+$/.test(s) || s === 'pass') return [];
    let m = /^(?:sys\.exit|os\._exit|exit|quit|raise SystemExit)\s*(?:\(\s*(-?\d*)\s*\))?$/.exec(s);
    if (m) return exit(m[1] || undefined);
    m = /^(?:time\.)?sleep\(\s*([\d.]+)\s*\)$/.exec(s);
    if (m) return sleep(m[1], second);
    m = /^print\((.*?)(?:,\s*flush\s*=\s*True)?\)$/.exec(s);
    if (m) return write(m[1], '\n');
    m = /^raise\s+(\w+)(?:\((.*)\))?$/.exec(s);
    if (m) return failure(1, `Traceback (most recent call last):\n${m[1]}: ${literal(m[2] ?? '') ?? ''}\n`);
    if (/^while (True|1):\s*(pass|(time\.)?sleep\([\d.]+\))$/.test(s)) return stay;
    m = /^(?:\w+\s*=\s*)?bytearray\(([^()]*(?:\([^()]*\)[^()]*)*)\)$/.exec(s);
    if (m) return hold(m[1]);
    m = /^\w+\s*=\s*(?:b?(?:'.'|".")|\[\s*(?:0|None)\s*\])\s*\*\s*(.+)$/.exec(s);
    return m ? hold(m[1], s.includes('[') ? 8 : 1) : null;
  },
  node(s, last) {
    let m = /^process\.exit\(\s*(\d*)\s*\)$/.exec(s);
    if (m) return exit(m[1] || undefined);
    m = /^console\.(?:log|error|info)\((.*)\)$/.exec(s);
    if (m) return write(m[1], '\n');
    if (/^setInterval\(\s*(\(\)\s*=>\s*\{\s*\}|function\s*\(\)\s*\{\s*\})\s*,\s*\d+\s*\)$/.test(s)) return stay;
    // A statement behind a timer would run before it ends.
    m = /^setTimeout\(\s*(?:\(\)\s*=>|function\s*\(\))\s*\{?\s*(.*?)\s*;?\s*\}?\s*,\s*(\d+)\s*\)$/.exec(s);
    if (m) {
      const [, after = '', millis] = m;
      const then = after === '' ? [] : readers.node(after, true);
      return last && then ? [...(sleep(millis, 1000) ?? []), ...then] : null;
    }
    m = /^throw\s+(?:new\s+)?Error\((.*)\)$/.exec(s);
    if (m) return failure(1, `Error: ${literal(m[1] ?? '') ?? ''}\n`);
    m = /^(?:(?:const|let|var)\s+\w+\s*=\s*)?Buffer\.alloc\((.*?)(?:,\s*\d+)?\)$/.exec(s);
    return m ? hold(m[1]) : null;
  },
  perl(s) {
    if (/^use\s+\w+$/.test(s)) return [];
    let m = /^exit\s*\(?\s*(\d*)\s*\)?$/.exec(s);
    if (m) return exit(m[1] || undefined);
    m = /^sleep\s*\(?\s*(\d+)\s*\)?$/.exec(s);
    if (m) return sleep(m[1], second);
    m = /^(print|say)\s*\(?(.*?)\)?$/.exec(s);
    if (m) return write(m[2], m[1] === 'say' ? '\n' : '');
    m = /^die\s*\(?(.*?)\)?$/.exec(s);
    return m ? failure(255, `${literal(m[1] ?? '') ?? 'Died'}\n`) : null;
  },
};

/** `python -m http.server 8000 --directory /srv`; null if the words are another program. */
export function fileServerOf(words: readonly string[]): { readonly port: number; readonly folder: string } | null {
  const at = words.indexOf('-m');
  if (at < 0 || words[at + 1] !== 'http.server') return null;
  const rest = words.slice(at + 2);
  const folder = rest.findIndex((w) => w === '-d' || w === '--directory');
  const port = rest.find((w, i) => /^\d+$/.test(w) && !/^-/.test(rest[i - 1] ?? ''));
  return { port: Number(port ?? 8000), folder: folder >= 0 ? (rest[folder + 1] ?? '.') : '.' };
}

/** Returns true if the interpreter's words are a program that is simulated. */
export function isUnderstood(words: readonly string[]): boolean {
  const language = languageOf(words[0] ?? '');
  if (language === null) return false;
  if (language === 'python' && fileServerOf(words.slice(1))) return true;
  const code = codeOf(language, words.slice(1));
  return code !== null && readOneLiner(language, code) !== null;
}
