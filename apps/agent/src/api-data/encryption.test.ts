/** Secrets encrypted on the disk by an EncryptionConfiguration. */
import { createCipheriv } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SetupError } from '../base/errors.js';
import { Database } from './database.js';
import { realDisk } from './disk.js';
import { DecryptionFailed, Encryption, type EncryptionRule, keyResource } from './encryption.js';
import { readEncryptionConfiguration } from './encryption-configuration.js';
import { FragileDisk } from './testing/fragile-disk.js';

const folder = () => {
  const path = mkdtempSync(join(tmpdir(), 'syncloop-encryption-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
};
const secret = (n: number, length = 32) => Buffer.alloc(length, n).toString('base64');
const key = (name: string, n: number, length = 32) => `{name: ${name}, secret: ${secret(n, length)}}`;

/** The rules of a configuration with these providers, one a line, for secrets. */
function rules(...providers: string[]): EncryptionRule[] {
  const file = join(folder(), 'encryption.yaml');
  const lines = providers.map((one) => `  - ${one}`).join('\n');
  writeFileSync(
    file,
    `apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: [secrets]\n  providers:\n${lines}\n`,
    { mode: 0o600 },
  );
  return readEncryptionConfiguration('--flag', file);
}
const gcm = (...keys: string[]) => `aesgcm: {keys: [${keys.join(', ')}]}`;
const cbc = (...keys: string[]) => `aescbc: {keys: [${keys.join(', ')}]}`;
const identity = 'identity: {}';

const open = (at: string, encryption?: EncryptionRule[]) => Database.open(realDisk, at, undefined, { encryption });
const contents = (db: Database) =>
  [...db.objects()].map(([resource, name, object]) => `${resource} ${name} ${Buffer.from(object)}`);
/** All bytes of the folder. */
const bytesOf = (at: string) =>
  readdirSync(at)
    .map((name) => readFileSync(join(at, name), 'latin1'))
    .join('');

describe('an object', () => {
  it('is stored as upstream stores it, and read where upstream wrote it', () => {
    const encryption = new Encryption(rules(cbc(key('key1', 1)), gcm(key('key2', 2, 16))));
    const stored = Buffer.from(encryption.encode('secrets', 'd/a', '{"a":1}') as Uint8Array);
    expect(stored.toString('latin1')).toMatch(/^k8s:enc:aescbc:v1:key1:/);
    // 16 bytes of IV and one block.
    expect(stored).toHaveLength('k8s:enc:aescbc:v1:key1:'.length + 32);
    const nonce = Buffer.alloc(12, 7);
    const cipher = createCipheriv('aes-128-gcm', Buffer.alloc(16, 2), nonce).setAAD(
      Buffer.from('/registry/secrets/d/a'),
    );
    const sealed = [cipher.update('{"b":2}'), cipher.final(), cipher.getAuthTag()];
    const upstreams = Buffer.concat([Buffer.from('k8s:enc:aesgcm:v1:key2:'), nonce, ...sealed]);
    expect(Buffer.from(encryption.decode('secrets', 'd/a', upstreams)).toString()).toBe('{"b":2}');
    // A value that was moved to another place is refused.
    expect(() => encryption.decode('secrets', 'd/b', upstreams)).toThrow(DecryptionFailed);
  });

  it('has another form each time, and any change of it is noticed by aesgcm', () => {
    const encryption = new Encryption(rules(gcm(key('k', 1))));
    const [one, two] = [0, 1].map(() => Buffer.from(encryption.encode('secrets', 'd/a', '{"a":1}') as Uint8Array));
    expect(one?.equals(two as Buffer)).toBe(false);
    const start = 'k8s:enc:aesgcm:v1:k:'.length;
    for (let at = start; at < (one as Buffer).length; at++) {
      const changed = Buffer.from(one as Buffer);
      changed[at] = (changed[at] as number) ^ 1;
      expect(() => encryption.decode('secrets', 'd/a', changed)).toThrow('does not open it');
    }
  });

  it('stays as it is where its resource is not listed; the keys of the server go with secrets', () => {
    const encryption = new Encryption(rules(gcm(key('k', 1))));
    expect(encryption.encode('configmaps', 'd/a', '{}')).toBe('{}');
    expect(encryption.encode(keyResource, 'authority', '"text"')).toBeInstanceOf(Uint8Array);
  });
});

describe('a store', () => {
  const plain = 'the-password';
  const object = JSON.stringify({ data: plain });

  it('has no secret on the disk in clear, and has it when it is opened', async () => {
    const at = folder();
    const encryption = rules(gcm(key('key1', 1)), identity);
    let db = await open(at, encryption);
    db.apply([
      ['secrets', 'd/a', 1, object],
      ['configmaps', 'd/c', 2, '{"data":"seen"}'],
    ]);
    expect(bytesOf(at)).not.toContain(plain);
    expect(bytesOf(at)).toContain('seen');
    expect(bytesOf(at)).toContain('k8s:enc:aesgcm:v1:key1:');
    db.close();
    db = await open(at, encryption);
    expect(contents(db)).toEqual([`secrets d/a ${object}`, 'configmaps d/c {"data":"seen"}']);
    db.close();
  });

  it('has nothing of what was in clear on pages that are free', async () => {
    const at = folder();
    let db = await open(at);
    const large = JSON.stringify({ data: `${plain} `.repeat(2000) });
    db.apply(Array.from({ length: 8 }, (_, i) => ['secrets', `d/s${i}`, i + 1, i % 2 === 0 ? large : object] as const));
    db.close();
    db = await open(at, rules(gcm(key('key1', 1))));
    expect(bytesOf(at).includes(plain)).toBe(false);
    db.apply([['secrets', 'd/s0', 9, null]]);
    db.close();
    expect(bytesOf(at).includes(plain)).toBe(false);
  });

  it('is encrypted in the end where the disk refuses any call of it', async () => {
    const encryption = rules(gcm(key('key1', 1)));
    for (let at = 0, most = 1; at < most; at++) {
      let from = Number.POSITIVE_INFINITY;
      const disk = new FragileDisk((call, what) => {
        if (call >= from && what !== 'open') throw Object.assign(new Error('ENOSPC: no'), { code: 'ENOSPC' });
      });
      const first = await Database.open(disk, '/data');
      first.apply(Array.from({ length: 4 }, (_, i) => ['secrets', `d/s${i}`, i + 1, object] as const));
      first.close();
      const start = disk.calls;
      from = start + at;
      const refused = await Database.open(disk, '/data', undefined, { encryption });
      expect(contents(refused)).toHaveLength(4);
      if (at === 0) expect(disk.contents().has('/data/objects.db.vacuum')).toBe(true);
      from = Number.POSITIVE_INFINITY;
      most = Math.max(most, Math.min(60, disk.calls - start));
      const db = await Database.open(FragileDisk.of(disk.contents()), '/data', undefined, { encryption });
      expect(contents(db)).toHaveLength(4);
      db.close();
      const after = FragileDisk.of(disk.contents());
      (await Database.open(after, '/data', undefined, { encryption })).close();
      const bytes = [...after.contents().values()].map((file) => Buffer.from(file).toString('latin1')).join('');
      expect(bytes.includes(plain), `refused from ${at}`).toBe(false);
      expect(after.contents().has('/data/objects.db.vacuum')).toBe(false);
    }
  });

  it('is encrypted when it first gets a key, by the next key after that, and in clear again in the end', async () => {
    const at = folder();
    let db = await open(at);
    db.apply([
      ['secrets', 'd/a', 1, object],
      ['secrets', 'd/b', 2, object],
    ]);
    db.apply([['secrets', 'd/b', 3, null]]);
    db.close();
    expect(bytesOf(at)).toContain(plain);
    for (const [providers, form] of [
      [[gcm(key('key1', 1)), identity], 'k8s:enc:aesgcm:v1:key1:'],
      [[gcm(key('key2', 2), key('key1', 1))], 'k8s:enc:aesgcm:v1:key2:'],
      [[cbc(key('key3', 3)), gcm(key('key2', 2))], 'k8s:enc:aescbc:v1:key3:'],
    ] as const) {
      db = await open(at, rules(...providers));
      expect(contents(db)).toEqual([`secrets d/a ${object}`]);
      // Also before it is closed: neither the log nor a page that is free has it.
      expect(bytesOf(at)).toContain(form);
      expect(bytesOf(at)).not.toContain(`"${plain}`);
      expect(bytesOf(at).match(/k8s:enc:\w+:v1:key\d:/g)).toEqual([form]);
      db.close();
    }
    db = await open(at, rules(identity, cbc(key('key3', 3))));
    db.close();
    db = await open(at);
    expect([db.version, contents(db)]).toEqual([3, [`secrets d/a ${object}`]]);
    db.close();
  });

  it.each([
    ['no configuration', undefined, 'which no provider for secrets has'],
    ['a configuration without the key', [gcm(key('key2', 1))], 'which no provider for secrets has'],
    ['another secret by the name of the key', [gcm(key('key1', 9))], 'the secret given for that key does not open it'],
  ])('is refused with %s', async (_, providers, why) => {
    const at = folder();
    const first = await open(at, rules(gcm(key('key1', 1))));
    first.apply([['secrets', 'd/a', 1, object]]);
    first.close();
    const before = bytesOf(at);
    const refused = async () => {
      const db = await open(at, providers && rules(...providers));
      try {
        contents(db);
      } finally {
        db.close();
      }
    };
    await expect(refused).rejects.toThrow(SetupError);
    await expect(refused).rejects.toThrow(
      `cannot open ${join(at, 'objects.db')}: secrets d/a is encrypted by aesgcm with the key "key1"`,
    );
    await expect(refused).rejects.toThrow(`${why}: give the configuration that has it with --serve-api-encryption`);
    expect(bytesOf(at)).toBe(before);
  });
});

describe('a configuration', () => {
  const refusal = (text: string, mode = 0o600) => {
    const file = join(folder(), 'encryption.yaml');
    writeFileSync(file, text);
    chmodSync(file, mode);
    try {
      readEncryptionConfiguration('--flag', file);
      return 'none';
    } catch (err) {
      return (err as Error).message.replaceAll(file, 'FILE');
    }
  };
  const whole = (resources: string, providers: string) =>
    `apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: ${resources}\n  providers: ${providers}\n`;

  it('is for its owner only', () => {
    const good = whole('[secrets]', `[${gcm(key('k', 1))}]`);
    expect(refusal(good)).toBe('none');
    for (const mode of [0o640, 0o604, 0o644])
      expect(refusal(good, mode)).toBe('--flag FILE has keys and can be read by others: chmod 600 FILE');
  });

  it.each([
    ['kind: Pod\n', 'FILE:1:1: it must be an EncryptionConfiguration of apiserver.config.k8s.io/v1'],
    [
      whole('[secrets]', '[{secretbox: {keys: []}}]'),
      'the provider secretbox is not supported: use aesgcm, aescbc or identity',
    ],
    [whole('[secrets]', '[{kms: {apiVersion: v2, name: a}}]'), 'the provider kms is not supported'],
    [
      whole('["*.apps"]', '[{identity: {}}]'),
      '"*.apps" is not known here: name resources one by one, or all with "*.*"',
    ],
    [whole('[secrets]', '[]'), 'name a provider, such as aesgcm'],
    [whole('[secrets]', '[{aesgcm: {keys: []}}]'), 'it needs a key'],
    [
      whole('[secrets]', `[${gcm(key('a:b', 1).replace('a:b', '"a:b"'))}]`),
      `a key's name must be its own, without ":"`,
    ],
    [whole('[secrets]', `[${gcm(key('a', 1), key('a', 2))}]`), `a key's name must be its own`],
    [whole('[secrets]', `[${gcm(key('a', 1, 31))}]`), 'the secret must be base64 of 16, 24 or 32 bytes'],
    [whole('[secrets]', '[{aesgmc: {keys: []}}]'), 'aesgcm'],
  ])('is refused with place and reason: %#', (text, says) => {
    const message = refusal(text);
    expect(message).toContain(says);
    expect(message).toMatch(/^FILE:\d+:\d+: |^FILE: /);
    // Never a key itself.
    expect(message).not.toContain(secret(1, 31));
  });
});
