import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newServiceAccountKey, ServiceAccountKey } from './service-account-key.js';

describe('the key of service accounts', () => {
  it('signs what anybody can check who has what is published', () => {
    const key = new ServiceAccountKey(newServiceAccountKey());
    const signature = key.sign('a.b');
    expect(signature).toHaveLength(64);
    expect([key.verify('a.b', signature), key.verify('a.c', signature), key.verify('a.b', new Uint8Array())]).toEqual([
      true,
      false,
      false,
    ]);
    const published = createPublicKey({ key: key.publicJWK as never, format: 'jwk' });
    expect(verify('sha256', Buffer.from('a.b'), { key: published, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true);
    expect(key.publicJWK).not.toHaveProperty('d');
  });
  it('makes one signature of the two that there are, and takes no other', () => {
    const key = new ServiceAccountKey(newServiceAccountKey());
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
    const published = createPublicKey({ key: key.publicJWK as never, format: 'jwk' });
    for (let i = 0; i < 16; i++) {
      const signature = Buffer.from(key.sign(`a.${i}`));
      const s = BigInt(`0x${signature.subarray(32).toString('hex')}`);
      const turned = Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex');
      const other = Buffer.concat([signature.subarray(0, 32), turned]);
      const check = (given: Buffer) =>
        verify('sha256', Buffer.from(`a.${i}`), { key: published, dsaEncoding: 'ieee-p1363' }, given);
      expect([check(signature), check(other)]).toEqual([true, true]);
      expect([key.verify(`a.${i}`, signature), key.verify(`a.${i}`, other)]).toEqual([true, false]);
    }
  });
  it('is the same after it was kept, and another one each time that one is made', () => {
    const pem = newServiceAccountKey();
    const [a, b] = [new ServiceAccountKey(pem), new ServiceAccountKey(pem)];
    expect(b.verify('x', a.sign('x'))).toBe(true);
    expect(a.id).toBe(b.id);
    expect(new ServiceAccountKey(newServiceAccountKey()).id).not.toBe(a.id);
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    expect(() => new ServiceAccountKey(rsa.export({ type: 'pkcs8', format: 'pem' }) as string)).toThrow('EC P-256');
  });
});
