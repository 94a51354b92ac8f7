/**
 * Removes from a text what looks like a secret. The patterns take linear time on any input: each begins where the last
 * match ended.
 */
import { redacted } from '@syncloop/core/cri';
import { DUMP, withoutDumpedValues } from './go-dumps.js';

/** Anything of this is looked at more closely; all else, nearly everything, costs one search. */
const suspicious =
  /eyJ|PRIVATE KEY|[Bb]earer |[Bb]asic |:\/\/|lifecycle hook \(|is missing in '|EnvVar\{|HTTPHeader\{|AuthConfig\{|envs:|[Pp]assw|PASSW|[Tt]oken["'\\]{0,2}[=:]|TOKEN["'\\]{0,2}[=:]|[Ss]ecret|SECRET|[Kk][Ee][Yy]["'\\]{0,2}[=:]|"auth|\bAKIA|\bgh[a-z]_|\bxox/;

/** A private key, also one that was cut off or whose lines were put into one. */
const privateKey = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g;
const authorization = /\b([Bb]earer|[Bb]asic) +[\w.~+/-]{6,}=*/g;
/** What stands before the host of a URL. */
const userInfo = /:\/\/[^\s/@"']+@/g;
/** Letters that a JSON web token has, such as a service account's. */
const tokenLetters = /[\w.-]{20,}/g;

/** `password=...`, `"client_secret":"..."` and their like, also where the quotes are escaped. */
const named =
  /((?:passw(?:or)?d|passphrase|(?:api|access|secret|private|account)[_-]?key|client[_-]?secret|(?:auth|access|id|refresh|bearer|session|registry|identity)[_-]?token|\btoken|"auth)\\{0,3}["']?(?:\s{0,2}=\s{0,2}|\s{0,2}:\s{0,2}(?=\\{0,3}["'])|:)\\{0,3}["']?)([^\s"',;&}\\]{3,})/gi;
/** Keys and tokens that clouds and services make, by how they begin. */
const issued = /\b(?:AKIA[0-9A-Z]{16}|gh[a-z]_[A-Za-z0-9]{36,255}|xox[a-z]-[A-Za-z0-9-]{10,255})\b/g;

/** @param said what hooks and their commands printed stays */
export function scrubText(text: string, said = false): string {
  if (text.length < 9 || !suspicious.test(text)) return text;
  const dumped = DUMP.test(text) ? withoutDumpedValues(text) : text;
  const own = withoutFile(dumped);
  return (said ? own : withoutOutput(own))
    .replace(privateKey, redacted)
    .replace(tokenLetters, withoutToken)
    .replace(authorization, `$1 ${redacted}`)
    .replace(issued, redacted)
    .replace(named, (all, head: string, value: string) => (value.startsWith(redacted) ? all : `${head}${redacted}`))
    .replace(userInfo, (info) => (info.includes(':', 3) ? `://${redacted}@` : info));
}

/** Upstream's error for what is no object at all has the whole of it: whatever file a manifest folder leads to. */
function withoutFile(text: string): string {
  const mark = "is missing in '";
  const at = text.indexOf(mark);
  const from = at + mark.length;
  const to = text.lastIndexOf("'");
  return at < 0 ? text : `${text.slice(0, from)}${redacted}${to >= from ? text.slice(to) : ''}`;
}

/**
 * What a lifecycle hook printed stands at the end of its error, between quotes that are escaped as often as the error
 * was quoted: `Exec lifecycle hook ([sh]) for Container "c" in Pod "p" failed - error: ..., message: "..."`. upstream:
 * pkg/kubelet/lifecycle handlers.go
 */
function withoutOutput(text: string): string {
  if (!text.includes('lifecycle hook (')) return text;
  const begin = /, message: (\\*)"/g;
  let out = '';
  let done = 0;
  for (let found = begin.exec(text); found; found = begin.exec(text)) {
    const { length: escapes } = found[1] ?? '';
    const from = found.index + found[0].length;
    const to = closingQuote(text, from, escapes);
    out += `${text.slice(done, from)}${redacted}`;
    done = to;
    begin.lastIndex = to;
  }
  return out + text.slice(done);
}

/** Where the next quote begins that is escaped just so; the text's end where there is none. */
function closingQuote(text: string, from: number, escapes: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (before > from && text[before - 1] === '\\') before--;
    if (at - before === escapes) return before;
  }
  return text.length;
}

/** `eyJ` is `{"` in base64; after its header a dot comes. */
function withoutToken(run: string): string {
  const at = run.indexOf('eyJ');
  return at < 0 || run.indexOf('.', at + 8) < 0 ? run : `${run.slice(0, at)}${redacted}`;
}
