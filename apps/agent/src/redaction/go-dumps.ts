/** Removes secrets from objects as Go prints them (`%+v`), which a kubelet's log has in its own lines and in errors. */
import { redacted } from '@syncloop/core/cri';

/** Anything of this is looked at more closely. */
export const DUMP = /EnvVar\{Name|HTTPHeader\{Name|AuthConfig\{|envs:/;

/**
 * `EnvVar{Name:A,Value:B,ValueFrom:nil,}` and `HTTPHeader{Name:A,Value:B,}`: what stands between `Value:` and what
 * follows it. A value may have commas and braces in it, so that its end is where Go's own words go on.
 */
export function withoutDumpedValues(text: string): string {
  let out = between(text, 'EnvVar{Name:', ',Value:', ',ValueFrom:');
  out = between(out, 'HTTPHeader{Name:', ',Value:', ',}');
  out = out.replace(/\b(Username|Password|Auth|IdentityToken|RegistryToken):([^,}\s]+)/g, (all, name: string) =>
    text.includes('AuthConfig{') ? `${name}:${redacted}` : all,
  );
  // As protobuf prints a container's configuration.
  return out.replace(
    /(envs:\s{0,2}[<{]\s{0,2}key:\s{0,2}\\?"[^"]{0,300}"\s{1,2}value:\s{0,2}\\?")[^"]*/g,
    `$1${redacted}`,
  );
}

/** Without what stands between `from`, after the next `begin`, and the next `end`; each text is searched once. */
function between(text: string, begin: string, from: string, end: string): string {
  let out = '';
  let done = 0;
  for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, done)) {
    const start = text.indexOf(from, at);
    if (start < 0) break;
    const value = start + from.length;
    const found = text.indexOf(end, value);
    const to = found < 0 ? text.length : found;
    out += `${text.slice(done, value)}${to > value ? redacted : ''}`;
    done = to;
  }
  return out + text.slice(done);
}
