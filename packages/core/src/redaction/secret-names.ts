/** Judges a value by the name before it. */

/**
 * - `secret`: whatever is there is one: a password, a key of an API.
 * - `likely`: it is one but for names of Kubernetes' objects, numbers and prose: a token, a secret.
 * - `random`: it is one if it looks random: a key, a signature.
 * - `header`: an HTTP header, which goes on to the end of its line.
 */
export type NameKind = 'secret' | 'likely' | 'random' | 'header' | 'none';

const SECRET =
  /(?:password|passwd|passphrase|passcode|passwort|pwd|clientsecret|secretkey|secretkeybase|secretaccesskey|secretaccess|privatekey|accountkey|sharedkey|sharedaccesskey|signingkey|encryptionkey|masterkey|storagekey|apikey|apisecret|appsecret|clientkeydata|dockerconfigjson|dockercfg|amzsignature|amzsecuritytoken|amzcredential|googsignature|googcredential|lastappliedconfiguration|connectionstring|securitytoken|sessiontoken|authtoken|accesstoken|refreshtoken|idtoken|bearertoken|apitoken|bottoken|secretstring|authorization|cookies?)$/;
const LIKELY = /(?:secrets?|tokens?|credentials?|creds?|accesskey|accesskeyid|jwt|sshkey|deploykey|hmac)$/;
const RANDOM = /(?:keys?|signature|sessionid|session|dsn|salt|webhook|webhookurl)$/;
const HEADER =
  /^(?:(?:proxy-)?authorization|(?:set-)?cookie|www-authenticate|(?:x|private|job|deploy|api|auth|access)-(?:[a-z0-9]+-){0,5}(?:key|token|secret|auth|signature|password|session|credential))$/;
/** Single words that are not the end of another one: `bypass` is not a password. */
const SECRET_WORDS = new Set(['pass', 'pw', 'passwords', 'pgpass', 'userpass', 'dbpass', 'rootpass', 'psk']);
const LIKELY_WORDS = new Set(['auth', 'bearer', 'otp']);
const RANDOM_WORDS = new Set(['sig', 'sid']);
/** Names of fields in Kubernetes' objects and flags that end like secrets, and of keys that are public. */
const PUBLIC =
  /(?:public|pub|topology|label|annotation|node|pod|map|cache|primary|foreign|partition|sort|object|env|hot|config|metric|queue|registry)keys?$|(?:pullsecrets?|automountserviceaccounttoken|anonymousauth)$/;
/** Words that may follow the telling word: `DB_PASSWORD_PROD`, `token2`. */
const BEHIND = new Set([
  ...['value', 'data', 'plain', 'plaintext', 'text', 'base64', 'b64', 'encoded', 'raw', 'string'],
  ...['old', 'new', 'current', 'previous', 'prev', 'next', 'prod', 'production', 'dev', 'staging', 'test', 'default'],
]);
/** Names are few; further names in a stranger's log are not kept. */
const MOST = 4096;
const known = new Map<string, NameKind>();

/** Judges a name: letters, digits, `_`, `-`, `.`, `$`, in any spelling: `DB_PASSWORD`, `clientSecret`, `--api-key`. */
export function nameKind(name: string): NameKind {
  const before = known.get(name);
  if (before !== undefined) return before;
  if (known.size >= MOST) known.clear();
  const kind = kindOf(name);
  known.set(name, kind);
  return kind;
}

function kindOf(name: string): NameKind {
  const bare = name.replace(/^[-_.$]+|[-_.$]+$/g, '');
  if (HEADER.test(bare.toLowerCase())) return 'header';
  const words = bare
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  while (words.length > 1 && (BEHIND.has(words.at(-1) as string) || /^v?\d+$/.test(words.at(-1) as string)))
    words.pop();
  const last = (words.at(-1) ?? '').replace(/\d+$/, '');
  const joined = words.slice(0, -1).join('') + last;
  if (PUBLIC.test(joined)) return 'none';
  if (SECRET_WORDS.has(last) || SECRET.test(joined)) return 'secret';
  if (LIKELY_WORDS.has(last) || LIKELY.test(joined)) return 'likely';
  return RANDOM_WORDS.has(last) || RANDOM.test(joined) ? 'random' : 'none';
}
