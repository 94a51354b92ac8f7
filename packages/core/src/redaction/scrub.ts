/**
 * Removes from a text what looks like a secret. One pass finds the words that are in anything of this; nearly all
 * texts have none. What is tried then takes linear time on any input: each begins where the last one ended, and what is
 * looked at again is bounded.
 */
import { redacted } from '../cri/redact.js';
import { outputWords, withoutOutput } from './container-output.js';
import { dumpWords, withoutDumpedValues } from './go-dumps.js';
import { issuedSecret, issuedWords } from './issued-secrets.js';
import { namedValue, type Range } from './named-values.js';
import { WordSearch } from './word-search.js';

const NAME = 1;
const ISSUED = 2;
const DUMP = 4;
const OUTPUT = 8;
const CREDENTIAL = 16;

/** In which names a secret's own is looked for. */
const nameWords = [
  ...['pass', 'pwd', 'secret', 'token', 'key', 'cred', 'cookie', 'auth', 'signature', 'sig=', 'session', 'sid=', 'jwt'],
  ...['dsn', 'salt', 'webhook', 'bearer', 'otp', 'hmac', 'psk', 'pw=', 'connectionstring', 'connection_string'],
  ...['connection-string', 'applied-configuration', 'dockerc'],
];
const credentialWords = [
  'eyj',
  'private key',
  'bearer ',
  'basic ',
  '://',
  "is missing in '",
  'curl ',
  'sshpass',
  '@tcp(',
];

const groups = new Map<string, number>();
for (const [group, words] of [
  [NAME, nameWords],
  [ISSUED, issuedWords],
  [DUMP, dumpWords],
  [OUTPUT, outputWords],
  [CREDENTIAL, credentialWords],
] as const)
  for (const word of words) groups.set(word, (groups.get(word) ?? 0) | group);
const words = [...groups.keys()];
const groupOf = Uint8Array.from(groups.values());
/** Made with the first text: most commands have none. */
let made: WordSearch | undefined;

/** @param said what hooks and their commands printed stays */
export function scrubText(text: string, said = false): string {
  if (text.length < 8) return text;
  made ??= new WordSearch(words);
  const search = made;
  const count = search.find(text);
  if (count === 0) return text;
  let all = 0;
  for (let i = 0; i < count; i++) all |= groupOf[search.words[i] as number] as number;
  let out = text;
  if (all & DUMP) out = withoutDumpedValues(out);
  if (all & CREDENTIAL) out = withoutFile(out);
  if (all & OUTPUT && !said) out = withoutOutput(out);
  if (all & CREDENTIAL) out = withoutCredentials(out);
  if (!(all & (NAME | ISSUED))) return out;
  return withoutFound(out, search, out === text ? count : search.find(out));
}

/** Removes the values of names, and the secrets of services, whose words the search has found. */
function withoutFound(text: string, search: WordSearch, count: number): string {
  let out = '';
  let done = 0;
  let looked = 0;
  for (let i = 0; i < count; i++) {
    const word = search.words[i] as number;
    const end = search.ends[i] as number;
    const group = groupOf[word] as number;
    let range: Range | null = null;
    if (group & ISSUED && end > done) range = issuedSecret(text, words[word] as string, end);
    if (!range && group & NAME && end > looked) {
      const found = namedValue(text, end - 1);
      looked = Math.max(looked, found.end);
      range = found.range;
    }
    if (!range || range[0] < done) continue;
    out += `${text.slice(done, range[0])}${redacted}`;
    done = range[1];
    looked = Math.max(looked, done);
  }
  return done === 0 ? text : out + text.slice(done);
}

/** A private key, also one that was cut off or whose lines were put into one. */
const privateKey =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^-]*(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g;
/** Credentials of an HTTP header, but not prose: `Bearer tokens are`. */
const authorization =
  /\b([Bb]earer|[Bb]asic) +(?!(?:tokens?|auth|authentication|authorization|authenticator|credentials|scheme|challenge|realm|header)\b)[\w.~+/-]{6,}=*/g;
/** Credentials before the host of a URL, or of a data source of MySQL. */
const userInfo = /:\/\/[^\s/"']+@/g;
const dataSource = /\b[\w.-]{1,64}:[^\s/"'@]{1,200}(?=@tcp\()/g;
/** Letters that a JSON web token has, such as a service account's. */
const tokenLetters = /[\w.-]{20,}/g;
/** Credentials in commands of curl and sshpass. */
const given =
  /(\bcurl\b[^\n]{0,300}?\s(?:-u|--user|--proxy-user)[\s=]{0,3}["'\\]{0,3}[^\s:"'\\]{1,100}:|\bsshpass\s{1,3}-p\s{0,3}["'\\]{0,3})([^\s"'\\]+)/g;

function withoutCredentials(text: string): string {
  const plain = text.includes('@tcp(') ? text.replace(dataSource, redacted) : text;
  return plain
    .replace(privateKey, redacted)
    .replace(tokenLetters, withoutToken)
    .replace(authorization, `$1 ${redacted}`)
    .replace(userInfo, (info) => (info.includes(':', 3) || info.length > 27 ? `://${redacted}@` : info))
    .replace(given, `$1${redacted}`);
}

/** Removes a JSON web token: `eyJ` is `{"` in base64, and after its header comes a dot. */
function withoutToken(run: string): string {
  const at = run.indexOf('eyJ');
  return at < 0 || run.indexOf('.', at + 8) < 0 ? run : `${run.slice(0, at)}${redacted}`;
}

/**
 * Removes a file's text: upstream's error for what is not an object at all has the whole of it, whatever file a
 * manifest folder leads to.
 */
function withoutFile(text: string): string {
  const mark = "is missing in '";
  const at = text.indexOf(mark);
  const from = at + mark.length;
  const to = text.lastIndexOf("'");
  return at < 0 ? text : `${text.slice(0, from)}${redacted}${to >= from ? text.slice(to) : ''}`;
}
