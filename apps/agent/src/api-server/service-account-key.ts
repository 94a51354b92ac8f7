/** The key that signs the tokens of service accounts: EC P-256, ES256. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import type { TokenKey } from '@syncloop/core/apiserver';

/** Makes a new key (PKCS #8, PEM), which the caller stores. */
export const newServiceAccountKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

/** A stored key. Its constructor throws an Error for a text that is not a key. */
export class ServiceAccountKey implements TokenKey {
  readonly algorithm = 'ES256';
  readonly id: string;
  readonly publicJWK: Readonly<Record<string, string>>;
  private readonly privateKey: KeyObject;
  private readonly publicKey: KeyObject;

  constructor(pem: string) {
    this.privateKey = createPrivateKey(pem);
    this.publicKey = createPublicKey(this.privateKey);
    if (this.publicKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
      throw new Error('the key of service accounts must be an EC P-256 key');
    // upstream: keyIDFromPublicKey
    this.id = createHash('sha256')
      .update(this.publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64url');
    this.publicJWK = this.publicKey.export({ format: 'jwk' }) as Record<string, string>;
  }
  sign(text: string): Uint8Array {
    const signature = sign('sha256', Buffer.from(text), { key: this.privateKey, dsaEncoding: 'ieee-p1363' });
    const s = secondOf(signature);
    if (s <= order / 2n) return signature;
    const lower = (order - s).toString(16).padStart(2 * half, '0');
    return Buffer.concat([signature.subarray(0, half), Buffer.from(lower, 'hex')]);
  }
  verify(text: string, signature: Uint8Array): boolean {
    if (signature.length !== 2 * half || secondOf(signature) > order / 2n) return false;
    return verify('sha256', Buffer.from(text), { key: this.publicKey, dsaEncoding: 'ieee-p1363' }, signature);
  }
}

/**
 * The order n of P-256. If (r, s) is a signature, (r, n - s) is one, too, which anybody can derive: only the one with
 * the lower s is made and accepted, so that a token has one spelling. Other verifiers accept either.
 */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
/** Bytes of each of the two numbers of a signature. */
const half = 32;
const secondOf = (signature: Uint8Array): bigint =>
  BigInt(`0x${Buffer.from(signature.subarray(half)).toString('hex')}`);
