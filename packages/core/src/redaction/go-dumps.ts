/** Removes secrets from objects as Go and JSON print them, which a kubelet's log has in its own lines and in errors. */
import { redacted } from '../cri/redact.js';
import { closingBracket, closingQuote } from './secret-values.js';

/** Words of which one is in each of these, in lower case. */
export const dumpWords: readonly string[] = [
  ...['envvar{', 'httpheader{', 'authconfig{', 'envs:', 'keyvalue{', ' valuefrom:', '"value', 'value: '],
  ...['data:map[string]', 'secrets:', '"secret"', '"secret\\', '"configmap', 'env":', 'env\\', 'env:[', 'envs=['],
];

/**
 * Removes the values in `EnvVar{Name:A,Value:B,ValueFrom:nil,}` and `HTTPHeader{Name:A,Value:B,}`: what stands between
 * `Value:` and what follows it. A value may have commas and braces in it, so that its end is where Go's own words go
 * on.
 */
export function withoutDumpedValues(text: string): string {
  let out = between(text, 'EnvVar{Name:', ',Value:', ',ValueFrom:');
  out = between(out, 'HTTPHeader{Name:', ',Value:', ',}');
  out = between(out, 'KeyValue{Key:', ',Value:', ',}');
  if (out.includes('Value')) {
    // `%+v` has spaces between fields.
    out = between(out, '{Name:', ' Value:', ' ValueFrom:', 300);
  }
  if (/value/i.test(out)) out = withoutPairs(out);
  if (out.includes('AuthConfig{'))
    out = out.replace(/\b(Username|Password|Auth|IdentityToken|RegistryToken):([^,}\s]+)/g, `$1:${redacted}`);
  if (out.includes('ata:map[string]')) out = withoutData(out);
  if (/kind\\{0,7}"\s?:\s?\\{0,7}"(?:Secret|ConfigMap)\\{0,7}"/.test(out)) out = withoutMaps(out);
  out = withoutEnvironment(out);
  return withoutQuoted(
    out,
    /(?:envs|secrets):\s{0,2}[<{]\s{0,2}key:\s{0,2}(\\{0,7})"[^"]{0,300}"\s{1,2}value:\s{0,2}\\{0,7}"/g,
  );
}

/** Pairs as JSON and YAML have them: `{"name":"A","value":"B"}`. Kernel parameters have dotted names, and stay. */
function withoutPairs(text: string): string {
  const json = withoutQuoted(
    text,
    /(\\{0,7})"(?:name|key|envKey)\1"\s?:\s?\1"(?![a-z0-9_]{1,100}\.[a-z0-9_.]{1,100}\\{0,7}")[^"\\]{1,253}\1"\s?,\s?\1"(?:value|envValue)\1"\s?:\s?\1"/g,
  );
  return json.replace(
    /((?:^|\n|\\n)[ \t]*- name: *[^\s\\:]{1,253}(?:\n|\\n)[ \t]*value: *["']?)([^\s"'\\]+)/g,
    `$1${redacted}`,
  );
}

/** Data of Secrets and ConfigMaps: `Data:map[string][]byte{...}`. */
const withoutData = (text: string): string =>
  withoutBracketed(text, /\b(?:Binary|String)?Data:map\[string\](?:string|\[\](?:byte|uint8))\{/g);

/** The same as JSON, wherever the object begins. */
const withoutMaps = (text: string): string =>
  withoutBracketed(text, /"(?:data|stringData|binaryData)\\{0,7}"\s?:\s?\{/g);

/** Environments as lists of texts, as docker and OCI have them: `Env:[A=b C=d]`, `"env":["A=b"]`. */
const withoutEnvironment = (text: string): string =>
  withoutBracketed(text, /\b[Ee]nvs?\\{0,7}"?(?:[:=]\s?|: ?)\[(?=\\{0,7}"?[A-Za-z_]\w{0,100}=)/g);

/** Removes what stands between the bracket that ends each match and the one that closes it. */
function withoutBracketed(text: string, begin: RegExp): string {
  let out = '';
  let done = 0;
  for (let found = begin.exec(text); found; found = begin.exec(text)) {
    const from = begin.lastIndex;
    const to = closingBracket(text, from - 1);
    out += `${text.slice(done, from)}${to > from ? redacted : ''}`;
    done = begin.lastIndex = to;
  }
  return done === 0 ? text : out + text.slice(done);
}

/** Removes what stands up to the closing quote behind each match, whose group 1 is how the quote is escaped. */
function withoutQuoted(text: string, begin: RegExp): string {
  let out = '';
  let done = 0;
  for (let found = begin.exec(text); found; found = begin.exec(text)) {
    const from = begin.lastIndex;
    const to = closingQuote(text, from, found[1]?.length ?? 0);
    out += `${text.slice(done, from)}${to > from ? redacted : ''}`;
    done = begin.lastIndex = to;
  }
  return done === 0 ? text : out + text.slice(done);
}

/**
 * Removes what stands between `from`, after the next `begin`, and the next `end`; each text is searched once. `within`:
 * characters between `begin` and `from`.
 */
function between(text: string, begin: string, from: string, end: string, within = Number.POSITIVE_INFINITY): string {
  let out = '';
  let done = 0;
  let start = -1;
  for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, Math.max(done, at + 1))) {
    if (start < at) start = text.indexOf(from, at);
    if (start < 0) break;
    if (start - at > within) continue;
    const value = start + from.length;
    const found = text.indexOf(end, value);
    if (found < 0 && within !== Number.POSITIVE_INFINITY) break;
    const to = found < 0 ? text.length : found;
    out += `${text.slice(done, value)}${to > value ? redacted : ''}`;
    done = to;
  }
  return out + text.slice(done);
}
