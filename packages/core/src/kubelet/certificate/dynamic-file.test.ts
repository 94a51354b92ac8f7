import { describe, expect, it } from 'vitest';
import { background, Kernel, Minute, Second } from '../../kernel/index.js';
import { FakeAPI } from '../testing/fake-api.js';
import { MemOS } from '../testing/mem-os.js';
import { DynamicFilePair } from './dynamic-file.js';
import { FakeCrypto, Signer } from './testing/fake-certificates.js';

function world(watching: boolean) {
  const logs: string[] = [];
  const kernel = new Kernel({ seed: 1, sink: (r) => void (r.kind === 'log' && logs.push(JSON.stringify(r))) });
  const os = new MemOS(kernel);
  os.watching = watching;
  const crypto = new FakeCrypto();
  const signer = new Signer(kernel, new FakeAPI(kernel));
  const [certFile, keyFile] = ['/pki/tls.crt', '/pki/tls.key'];
  /** Writes a new pair, its key last. */
  const renew = (commonName: string) => {
    const key = crypto.generateKey();
    const certificate = signer.certificate({ key: `key-${crypto.keys}`, commonName, organizations: [] });
    os.put(certFile, certificate);
    return () => os.put(keyFile, key);
  };
  renew('first')();
  const pair = new DynamicFilePair({ kernel, os, crypto, certFile, keyFile });
  kernel.go('start', function* () {
    yield* pair.load();
    pair.start(background);
  });
  const at = (time: number) => kernel.run({ until: time });
  const name = () => pair.current()?.leaf.commonName;
  return { os, pair, renew, at, name, logs, certFile, keyFile };
}

describe('a certificate in files', () => {
  it('[3:CERT-11] is read again when it changes, once certificate and key belong together', () => {
    const w = world(true);
    w.at(Second);
    expect(w.name()).toBe('first');
    const writeKey = w.renew('second');
    w.at(2 * Second);
    expect(w.name()).toBe('first');
    expect(w.logs.join('\n')).toContain('private key does not match public key');
    writeKey();
    w.at(3 * Second);
    expect(w.name()).toBe('second');
    w.os.put(w.certFile, 'nonsense');
    w.os.rm(w.keyFile);
    w.at(3 * Minute);
    expect(w.name()).toBe('second');
    w.renew('third')();
    w.at(4 * Minute);
    expect(w.name()).toBe('third');
  });

  it('[3:CERT-11] is looked at once a minute where nothing tells of changes', () => {
    const w = world(false);
    w.at(10 * Second);
    w.renew('second')();
    w.at(50 * Second);
    expect(w.name()).toBe('first');
    w.at(70 * Second);
    expect(w.name()).toBe('second');
  });
});
