import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readHeaders } from './headers.js';
import { exporterFor } from './settings.js';
import { parseTarget, targetName } from './target.js';

describe('an endpoint', () => {
  it.each([
    ['http://127.0.0.1:4318', 'http://127.0.0.1:4318/v1/traces'],
    ['http://localhost', 'http://localhost:4318/v1/traces'],
    ['http://c:80/', 'http://c:80/v1/traces'],
    ['https://tempo.example/otlp/', 'https://tempo.example/otlp/v1/traces'],
    ['https://c:8443/v1/traces', 'https://c:8443/v1/traces'],
    ['http://[::1]:4318', 'http://[::1]:4318/v1/traces'],
    ['localhost:4317', 'localhost:4317 (gRPC)'],
    ['collector', 'collector:4317 (gRPC)'],
    ['dns:///c.ns.svc:4317', 'c.ns.svc:4317 (gRPC)'],
    ['dns:c:1', 'c:1 (gRPC)'],
    ['grpcs://c:80', 'c:80 (gRPC)'],
    ['[::1]:4317', '[::1]:4317 (gRPC)'],
    ['unix:///run/otel.sock', 'unix:/run/otel.sock (gRPC)'],
    ['unix:/run/otel.sock', 'unix:/run/otel.sock (gRPC)'],
  ])('%s leads to %s', (text, name) => {
    expect(targetName(parseTarget(text, '--otlp-endpoint'))).toBe(name);
  });

  it.each([
    ['ftp://c', /the scheme ftp is not supported/],
    ['http://', /it is not an address/],
    ['http://me:secret@c', /credentials.*--otlp-headers-file/],
    ['http://c?x=1', /query/],
    ['grpc://c:1/path', /no path/],
    ['unix://', /whole path/],
    ['c:99999', /it is not an address/],
  ])('%s is refused with what would do', (text, why) => {
    const message = (() => {
      try {
        parseTarget(text, '--otlp-endpoint');
        return '';
      } catch (err) {
        return (err as Error).message;
      }
    })();
    expect(message).toMatch(why);
    expect(message).toMatch(/^--otlp-endpoint is .*write http:\/\/HOST:4318/);
  });

  it('knows who could read along', () => {
    expect(parseTarget('http://127.0.0.1:1', 'x')).toMatchObject({ local: true, tls: false });
    expect(parseTarget('grpcs://c', 'x')).toMatchObject({ local: false, tls: true });
    expect(parseTarget('unix:///s', 'x')).toMatchObject({ local: true });
  });
});

function file(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'otlp-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'headers'), text);
  return join(folder, 'headers');
}

describe('a file of headers', () => {
  it('has one a line', async () => {
    expect([...(await readHeaders(file('# c\n\nAuthorization: Basic a:b=\r\nx-a: 1\n')))]).toEqual([
      ['authorization', 'Basic a:b='],
      ['x-a', '1'],
    ]);
  });

  it.each([
    ['s3cret', /:1: there is no colon/],
    ['\na b: s3cret', /:2: there is no valid name of a header before the colon/],
    ['content-type: s3cret', /content-type cannot be set here/],
    ['x: s3cret\u0007', /the value of x/],
    ['__proto__: s3cret', /the header|name of a header|value/],
  ])('that is wrong is told by its line, and not what stands there', async (text, why) => {
    const message = await readHeaders(file(text)).then(
      (headers) => `the header ${[...headers.keys()]}`,
      (err: Error) => err.message,
    );
    expect(message).toMatch(why);
    expect(message).not.toContain('s3cret');
    expect(Object.hasOwn(Object.prototype, 's3cret')).toBe(false);
  });
});

describe('flags that do not fit', () => {
  const run = { node: 'n', scenario: '', seed: 0, title: '', epochMillis: 0 };
  const started = (flags: Parameters<typeof exporterFor>[1]) => exporterFor(null, flags, run, () => {});
  it.each([
    [{ 'otlp-sampling': 5 }, /--otlp-sampling has an effect only with --otlp-endpoint/],
    [{ 'otlp-endpoint': 'http://c', 'otlp-headers-file': '/x' }, /would go in clear to http:\/\/c:4318/],
    [{ 'otlp-endpoint': 'http://c', 'otlp-ca-file': '/x' }, /for a collector over TLS/],
    [{ 'otlp-endpoint': 'https://c', 'otlp-ca-file': '/nowhere' }, /--otlp-ca-file \/nowhere cannot be read/],
    [{ 'otlp-endpoint': 'https://c', 'otlp-headers-file': '/nowhere' }, /--otlp-headers-file \/nowhere cannot be read/],
  ] as const)('%j', async (flags, why) => {
    await expect(started(flags)).rejects.toThrow(why);
  });
  it('nothing asked for, nothing sent', async () => {
    expect(await started({})).toBeNull();
  });
});
