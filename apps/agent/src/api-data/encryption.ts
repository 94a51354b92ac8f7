/**
 * Encryption of objects on the disk, in the form that upstream's values have in etcd: `k8s:enc:aescbc:v1:KEY:` and the
 * provider's form of the object. upstream: k8s.io/apiserver/pkg/storage/value/encrypt/aes
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export interface EncryptionKey {
  readonly name: string;
  /** 16, 24 or 32 bytes. */
  readonly secret: Uint8Array;
}
/** `identity`: objects stay as they are. */
export type EncryptionProvider =
  | { readonly kind: 'identity' }
  | { readonly kind: 'aescbc' | 'aesgcm'; readonly keys: readonly EncryptionKey[] };
/** An encrypted group of resources: the first provider writes, all read. Plain data, so that a thread can get it. */
export interface EncryptionRule {
  /** Names of resources, or `*.*`. */
  readonly resources: readonly string[];
  readonly providers: readonly EncryptionProvider[];
}

/** An object that cannot be decrypted; the message has the reason and the remedy. */
export class DecryptionFailed extends Error {
  override readonly name = 'DecryptionFailed';
}

/** Keys are stored next to the objects, under the name of a resource that no server has; encrypted as `secrets` are. */
export const keyResource = '.keys';

const prefix = 'k8s:enc:';
const [cbcIV, gcmNonce, gcmTag] = [16, 12, 16];
/** The longest prefix that is recognized, bytes. */
const prefixBytes = 512;

interface Cipher {
  readonly prefix: string;
  seal(plain: Uint8Array, context: string): Uint8Array;
  open(sealed: Uint8Array, context: string): Uint8Array;
}

const bits = (secret: Uint8Array) => secret.length * 8;

/** The IV, then the blocks with the padding of PKCS #7. */
const cbc = ({ name, secret }: EncryptionKey): Cipher => ({
  prefix: `${prefix}aescbc:v1:${name}:`,
  seal(plain) {
    const iv = randomBytes(cbcIV);
    const cipher = createCipheriv(`aes-${bits(secret)}-cbc`, secret, iv);
    return Buffer.concat([iv, cipher.update(plain), cipher.final()]);
  },
  open(sealed) {
    const cipher = createDecipheriv(`aes-${bits(secret)}-cbc`, secret, sealed.subarray(0, cbcIV));
    return Buffer.concat([cipher.update(sealed.subarray(cbcIV)), cipher.final()]);
  },
});

/** The nonce, the ciphertext, and the tag, which vouches for the object's place, too. */
const gcm = ({ name, secret }: EncryptionKey): Cipher => {
  const algorithm = `aes-${bits(secret) as 128 | 192 | 256}-gcm` as const;
  return {
    prefix: `${prefix}aesgcm:v1:${name}:`,
    seal(plain, context) {
      const nonce = randomBytes(gcmNonce);
      const cipher = createCipheriv(algorithm, secret, nonce).setAAD(Buffer.from(context));
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, context) {
      const tag = sealed.subarray(sealed.length - gcmTag);
      const cipher = createDecipheriv(algorithm, secret, sealed.subarray(0, gcmNonce), { authTagLength: gcmTag })
        .setAAD(Buffer.from(context))
        .setAuthTag(tag);
      return Buffer.concat([cipher.update(sealed.subarray(gcmNonce, sealed.length - gcmTag)), cipher.final()]);
    },
  };
};

const identity = null;
type Transformer = Cipher | typeof identity;

/** The key under which etcd would have it. upstream: authenticatedDataString */
const contextOf = (resource: string, key: string) => `/registry/${resource}/${key}`;
const isEncrypted = (stored: Uint8Array) =>
  Buffer.from(stored.buffer, stored.byteOffset, Math.min(prefix.length, stored.length)).toString('latin1') === prefix;

/** The encryption rules, ready for use. */
export class Encryption {
  private readonly rules: readonly {
    readonly resources: readonly string[];
    readonly transformers: readonly Transformer[];
  }[];

  constructor(rules: readonly EncryptionRule[]) {
    this.rules = rules.map(({ resources, providers }) => ({
      resources: resources.map((name) => (name === '*.*' ? name : (name.split('.', 1)[0] as string))),
      transformers: providers.flatMap((p): Transformer[] =>
        p.kind === 'identity' ? [identity] : p.keys.map(p.kind === 'aescbc' ? cbc : gcm),
      ),
    }));
  }

  /** The transformers of a resource; the first one writes. */
  private transformers(resource: string): readonly Transformer[] {
    const name = resource === keyResource ? 'secrets' : resource;
    const rule = this.rules.find(({ resources }) => resources.includes(name) || resources.includes('*.*'));
    return rule?.transformers ?? [identity];
  }

  /** Returns the object in its stored form: bytes if it is encrypted. */
  encode(resource: string, key: string, object: string): string | Uint8Array {
    const first = this.transformers(resource)[0] ?? identity;
    if (!first) return object;
    return Buffer.concat([Buffer.from(first.prefix), first.seal(Buffer.from(object), contextOf(resource, key))]);
  }

  /** The object's JSON. Throws DecryptionFailed. */
  decode(resource: string, key: string, stored: Uint8Array): Uint8Array {
    if (!isEncrypted(stored)) return stored;
    const head = Buffer.from(stored.subarray(0, prefixBytes)).toString('latin1');
    const found = this.transformers(resource).find((one) => one && head.startsWith(one.prefix));
    const [, , kind = '', , name = ''] = head.split(':', 5);
    const what = `${resource} ${key} is encrypted by ${kind} with the key ${JSON.stringify(name)}`;
    if (!found) throw new DecryptionFailed(`${what}, which no provider for ${resource} has`);
    let plain: Uint8Array | null = null;
    try {
      plain = found.open(stored.subarray(found.prefix.length), contextOf(resource, key));
    } catch {
      // Reported below: the library's text does not help.
    }
    // JSON of an object, or of a text. CBC alone does not notice a wrong key each time.
    if (plain?.[0] !== 0x7b && plain?.[0] !== 0x22)
      throw new DecryptionFailed(`${what}, and the secret given for that key does not open it`);
    return plain;
  }

  /** True if it was written by another provider or key than those that write now. */
  isStale(resource: string, stored: Uint8Array): boolean {
    const first = this.transformers(resource)[0] ?? identity;
    if (!first) return isEncrypted(stored);
    return !Buffer.from(stored.subarray(0, prefixBytes)).toString('latin1').startsWith(first.prefix);
  }
}
