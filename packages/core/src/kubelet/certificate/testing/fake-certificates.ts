/** Certificates for tests of the core: texts that name their key, a signer in the API server, and a disk that fails. */

import type { CertificateSigningRequestObject } from '../../../api/cluster-types.js';
import { epochMillis } from '../../../api/time.js';
import { base64Decode, base64Encode } from '../../../base/index.js';
import { OSError, type OSInterface } from '../../../host/os.js';
import { type Go, type Kernel, Millisecond, Minute, Second, sleep } from '../../../kernel/index.js';
import { RestClient } from '../../client/rest-client.js';
import { RestKubeClient } from '../../client/rest-kube-client.js';
import type { FakeAPI } from '../../testing/fake-api.js';
import type { CertificateCrypto, CertificateFacts, CertificateTemplate } from '../host.js';

interface FakeRequest extends CertificateTemplate {
  readonly key: string;
}
type FakeCertificate = CertificateFacts & { readonly key: string };

const pem = (kind: string, value: unknown) =>
  `-----BEGIN ${kind}-----\n${base64Encode(JSON.stringify(value))}\n-----END ${kind}-----\n`;

function blocks<T>(kind: string, text: string): { readonly value: T; readonly pem: string }[] {
  const found = text.matchAll(new RegExp(`-----BEGIN ${kind}-----\n(.*)\n-----END ${kind}-----`, 'g'));
  return [...found].map(([all, data]) => ({ value: JSON.parse(base64Decode(data)) as T, pem: `${all}\n` }));
}

const keyOf = (text: string): string => {
  const [found] = blocks<string>('EC PRIVATE KEY', text);
  if (!found) throw new Error('tls: failed to find any PEM data in key input');
  return found.value;
};

/** Keys are `key-1`, `key-2` and so on. */
export class FakeCrypto implements CertificateCrypto {
  keys = 0;
  generateKey(): string {
    return pem('EC PRIVATE KEY', `key-${++this.keys}`);
  }
  publicKey = (keyPem: string) => new TextEncoder().encode(keyOf(keyPem));
  isRSA = () => false;
  createRequest = (keyPem: string, template: CertificateTemplate) =>
    pem('CERTIFICATE REQUEST', { ...template, key: keyOf(keyPem) });
  parseRequest(csrPem: string, keyPem: string) {
    const [found] = blocks<FakeRequest>('CERTIFICATE REQUEST', csrPem);
    if (!found) throw new Error('PEM block type must be CERTIFICATE REQUEST');
    return { subject: found.value.commonName, signed: found.value.key === keyOf(keyPem) };
  }
  parseCertificates(text: string) {
    const found = blocks<FakeCertificate>('CERTIFICATE', text);
    if (found.length === 0) throw new Error('data does not contain any valid RSA or ECDSA certificates');
    return found.map(({ value, pem: own }) => ({ ...value, pem: own }));
  }
  keyPair(certPem: string, keyPem: string) {
    const [leaf] = this.parseCertificates(certPem) as unknown as FakeCertificate[];
    if (leaf?.key !== keyOf(keyPem)) throw new Error('tls: private key does not match public key');
    return { certPem, keyPem, leaf };
  }
  canonicalIP = (text: string) => (/^[\d.]+$|:/.test(text) ? text : null);
  sha512_256 = (data: Uint8Array) => data.slice(0, 32);
}

/** The key that a text of certificates and keys holds. */
export const keyIn = (text: string): string => keyOf(text);

/** Signs what the API server is asked for. */
export class Signer {
  /** Minutes that certificates live. */
  minutes = 100;
  /** The treatment of requests: they are signed, refused, or left alone. */
  does: 'approve' | 'deny' | 'fail' | 'wrong key' | 'nonsense' | 'nothing' = 'approve';
  readonly requests: CertificateSigningRequestObject[] = [];

  constructor(
    private readonly kernel: Kernel,
    private readonly api: FakeAPI,
  ) {
    kernel.go('signer', () => this.run(), { daemon: true, quiet: true, process: kernel.process('signer') });
  }

  private *run(): Go<void> {
    for (;;) {
      yield* sleep(Second / 2);
      for (const object of this.api.objects('certificatesigningrequests').values()) {
        const request = object as unknown as CertificateSigningRequestObject;
        if (!this.requests.some((r) => r.metadata.uid === request.metadata.uid)) this.requests.push(request);
        if (!request.status && this.does !== 'nothing') this.settle(request);
      }
    }
  }

  /** Returns the contents of a request. */
  asked(n = this.requests.length - 1): FakeRequest {
    const text = base64Decode(this.requests[n]?.spec.request);
    return blocks<FakeRequest>('CERTIFICATE REQUEST', text)[0]?.value as FakeRequest;
  }

  certificate(request: FakeRequest): string {
    const now = epochMillis(this.kernel);
    const { commonName, organizations, dnsNames = [], ipAddresses = [] } = request;
    const notAfterMillis = now + (this.minutes * Minute) / 1000;
    const key = this.does === 'wrong key' ? 'key-of-somebody-else' : request.key;
    const facts = { commonName, organizations, dnsNames, ipAddresses, notBeforeMillis: now, notAfterMillis, key };
    return pem('CERTIFICATE', facts);
  }

  settle(request: CertificateSigningRequestObject): void {
    const [asked] = blocks<FakeRequest>('CERTIFICATE REQUEST', base64Decode(request.spec.request));
    const condition = (type: string) => [{ type, status: 'True', reason: 'Test', message: 'by the test' }];
    const certificate = this.does === 'nonsense' ? 'no certificate' : this.certificate(asked?.value as FakeRequest);
    const status = {
      approve: { conditions: condition('Approved'), certificate: base64Encode(certificate) },
      'wrong key': { conditions: condition('Approved'), certificate: base64Encode(certificate) },
      nonsense: { conditions: condition('Approved'), certificate: base64Encode(certificate) },
      deny: { conditions: condition('Denied') },
      fail: { conditions: [...condition('Approved'), ...condition('Failed')] },
      nothing: {},
    }[this.does];
    this.api.put('certificatesigningrequests', { ...request, status });
  }
}

export const clientOf = (kernel: Kernel, api: FakeAPI) =>
  new RestKubeClient(new RestClient({ kernel, transport: api }));

const changing = ['mkdirAll', 'writeFile', 'syncFile', 'symlink', 'rename', 'remove'] as const;

/**
 * Makes a disk that may be full, or whose machine loses its power at a step: `onStep` is called before each change,
 * with its number from 1 on; 'full' refuses it, 'torn' lets half of what is written reach the disk and then calls
 * `onTorn`.
 */
export function failingDisk(
  os: OSInterface,
  onStep: (step: number, name: string) => 'full' | 'torn' | null,
  onTorn: () => void = () => {},
): OSInterface {
  let step = 0;
  const wrapped: Record<string, unknown> = {};
  for (const name of changing) {
    const real = (os as unknown as Record<string, ((...args: unknown[]) => Go<void>) | undefined>)[name];
    wrapped[name] = function* (...args: unknown[]): Go<void> {
      const fault = onStep(++step, name);
      if (fault === 'full') throw new OSError('ENOSPC', `write ${args[0]}: no space left on device`);
      if (fault === 'torn') {
        if (name === 'writeFile') yield* os.writeFile(args[0] as string, (args[1] as string).slice(0, 40), 0o600);
        onTorn();
        yield* sleep(Millisecond);
      }
      if (real) yield* real.apply(os, args);
    };
  }
  return new Proxy(os, {
    get(target, name) {
      const member = Object.hasOwn(wrapped, name) ? wrapped[name as string] : Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
