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

/** A new key (PKCS #8, PEM), for whoever keeps it. */
export const newServiceAccountKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

/** A key that was kept. Throws an Error for a text that is none. */
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
      throw new Error('the key of service accounts is to be one of EC P-256');
    // upstream: keyIDFromPublicKey
    this.id = createHash('sha256')
      .update(this.publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64url');
    this.publicJWK = this.publicKey.export({ format: 'jwk' }) as Record<string, string>;
  }
  sign(text: string): Uint8Array {
    return sign('sha256', Buffer.from(text), { key: this.privateKey, dsaEncoding: 'ieee-p1363' });
  }
  verify(text: string, signature: Uint8Array): boolean {
    return verify('sha256', Buffer.from(text), { key: this.publicKey, dsaEncoding: 'ieee-p1363' }, signature);
  }
}
