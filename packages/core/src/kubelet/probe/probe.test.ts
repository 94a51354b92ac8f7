import { describe, expect, it } from 'vitest';
import type { Container, HTTPGetAction } from '../../api/types.js';
import type { ProbeTransport } from '../../host/os.js';
import { background, DeadlineExceeded, type Go, receive, Second } from '../../kernel/index.js';
import { Logger } from '../klog.js';
import { testKernel } from '../status/testing/fixtures.js';
import { redirectTarget } from './client.js';
import { execProbe } from './exec.js';
import { grpcProbe } from './grpc.js';
import { httpProbe } from './http.js';
import type { HandlerResult } from './probe.js';
import { resolveContainerPort } from './request.js';
import { tcpProbe } from './tcp.js';

const { kernel } = testKernel();
const log = new Logger(kernel, 'prober.go');
const container: Container = { name: 'app', ports: [{ name: 'web', containerPort: 8080 }] };

function run(go: () => Go<HandlerResult>): HandlerResult | Error {
  let result: HandlerResult | Error = new Error('it did not end');
  kernel.go('test', function* () {
    try {
      result = yield* go();
    } catch (error) {
      result = error as Error;
    }
  });
  kernel.run();
  return result;
}

type Reply = { status: number; body: string; location?: string } | Error;
function get(
  action: Partial<HTTPGetAction>,
  replies: Reply[],
): { result: HandlerResult | Error; requests: string[]; headers: string[] } {
  const requests: string[] = [];
  const headers: string[] = [];
  const transport = {
    *httpGet(_ctx, r): Go<{ status: number; body: string }> {
      requests.push(`${r.scheme} ${r.host} ${r.port} ${r.path}`);
      headers.push(r.headers.map((h) => `${h.name}: ${h.value}`).join(', '));
      const reply = replies[Math.min(requests.length, replies.length) - 1] as Reply;
      if (reply instanceof Error) throw reply;
      return reply;
    },
  } as ProbeTransport;
  const result = run(() =>
    httpProbe(
      { kernel, transport, log },
      background,
      { port: 80, path: '/ok', ...action },
      container,
      '10.0.0.2',
      Second,
      'Liveness',
    ),
  );
  return { result, requests, headers };
}

describe('http probe', () => {
  it('[2:W-17] 200 to 399 is success or warning, the rest failure', () => {
    expect(get({}, [{ status: 200, body: 'fine' }]).result).toEqual({ outcome: 'success', output: 'fine' });
    expect(get({}, [{ status: 304, body: 'b' }]).result).toEqual({
      outcome: 'warning',
      output: 'Probe terminated redirects, Response body: b',
    });
    expect(get({}, [{ status: 500, body: 'oops' }]).result).toEqual({
      outcome: 'failure',
      output: 'HTTP probe failed with statuscode: 500',
    });
    expect(get({}, [{ status: 404, body: '' }]).result).toMatchObject({
      output: 'HTTP probe failed with statuscode: 404',
    });
  });

  it('[2:W-17] host, port by name, scheme and headers', () => {
    const { requests, headers } = get({ port: 'web', scheme: 'HTTPS', httpHeaders: [{ name: 'x-a', value: '1' }] }, [
      { status: 200, body: '' },
    ]);
    expect(requests).toEqual(['https 10.0.0.2 8080 /ok']);
    expect(headers).toEqual(['X-A: 1, User-Agent: kube-probe/1.36, Accept: */*']);
    expect(
      get(
        {
          host: 'h',
          httpHeaders: [
            { name: 'accept', value: '' },
            { name: 'user-agent', value: 'me' },
          ],
        },
        [{ status: 200, body: '' }],
      ).headers,
    ).toEqual(['User-Agent: me']);
    expect(() => resolveContainerPort('none', container)).toThrow('strconv.Atoi: parsing "none": invalid syntax');
    expect(resolveContainerPort('81', container)).toBe(81);
    expect(() => resolveContainerPort(0, container)).toThrow('invalid port number: 0');
    expect(get({ port: 'none' }, []).result).toBeInstanceOf(Error);
  });

  it("[2:W-17] a transport error is a failure with Go's text", () => {
    const refused = new Error('dial tcp 10.0.0.2:80: connect: connection refused');
    expect(get({}, [refused]).result).toEqual({
      outcome: 'failure',
      output: 'Get "http://10.0.0.2:80/ok": dial tcp 10.0.0.2:80: connect: connection refused',
    });
    expect(get({}, [DeadlineExceeded]).result).toEqual({
      outcome: 'failure',
      output: 'Get "http://10.0.0.2:80/ok": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
    });
  });

  it('[2:W-17] follows redirects on the same host, at most 10; elsewhere is a warning', () => {
    const same = get({}, [
      { status: 302, body: '', location: '/next' },
      { status: 200, body: 'there' },
    ]);
    expect(same.requests).toEqual(['http 10.0.0.2 80 /ok', 'http 10.0.0.2 80 /next']);
    expect(same.result).toEqual({ outcome: 'success', output: 'there' });
    expect(get({}, [{ status: 301, body: 'moved', location: 'http://elsewhere/x' }]).result).toEqual({
      outcome: 'warning',
      output: 'Probe terminated redirects, Response body: moved',
    });
    const loop = get({}, [{ status: 302, body: '', location: '/ok' }]);
    expect(loop.requests.length).toBe(10);
    expect(loop.result).toEqual({
      outcome: 'failure',
      output: 'Get "http://10.0.0.2:80/ok": stopped after 10 redirects',
    });
  });

  it('reads locations', () => {
    const from = { scheme: 'http' as const, host: 'h', port: 8080, path: '/a/b?q=1' };
    expect(redirectTarget(from, 'https://h/x')).toEqual({ scheme: 'https', host: 'h', port: 443, path: '/x' });
    expect(redirectTarget(from, '//o:81')).toEqual({ scheme: 'http', host: 'o', port: 81, path: '/' });
    expect(redirectTarget(from, 'c#frag')?.path).toBe('/a/c');
    expect(redirectTarget(from, '?z')?.path).toBe('/a/b?z');
    expect(redirectTarget(from, 'mailto:x')).toBeNull();
    for (const [location, path] of [
      ['../x', '/x'],
      ['./x', '/a/x'],
      ['../../../x?y=../z', '/x?y=../z'],
      ['/u/./v/../w/', '/u/w/'],
      ['.', '/a/'],
      ['..', '/'],
      ['http://h/u/../v', '/v'],
      ['/..a/b..', '/..a/b..'],
    ] as const)
      expect(redirectTarget(from, location)?.path, location).toBe(path);
  });
});

describe('other probes', () => {
  it('[2:W-16] exec by exit code; output at most 10 KiB; other errors are errors', () => {
    const exec = (answer: { output: string; exitCode: number } | Error) =>
      run(() =>
        execProbe(
          {
            *runInContainer() {
              if (answer instanceof Error) throw answer;
              return answer;
            },
          },
          background,
          { type: 't', id: 'c' },
          ['x'],
          Second,
        ),
      );
    expect(exec({ output: 'a', exitCode: 0 })).toEqual({ outcome: 'success', output: 'a' });
    expect(exec({ output: 'b', exitCode: 7 })).toEqual({ outcome: 'failure', output: 'b' });
    expect((exec({ output: 'x'.repeat(20_000), exitCode: 0 }) as HandlerResult).output.length).toBe(10 * 1024);
    expect(exec(new Error('container not running'))).toBeInstanceOf(Error);
  });

  it('[2:W-18] tcp connects within the time-out', () => {
    const tcp = (connect: () => Go<void>) =>
      run(() =>
        tcpProbe(
          { kernel, transport: { tcpConnect: connect } as unknown as ProbeTransport },
          background,
          '10.0.0.2',
          80,
          Second,
        ),
      );
    expect(tcp(function* () {})).toEqual({ outcome: 'success', output: '' });
    expect(
      tcp(function* () {
        throw new Error('dial tcp 10.0.0.2:80: connect: connection refused');
      }),
    ).toEqual({ outcome: 'failure', output: 'dial tcp 10.0.0.2:80: connect: connection refused' });
    const slow: ProbeTransport['tcpConnect'] = function* (ctx) {
      yield* receive(ctx.done());
      throw ctx.err();
    };
    expect(
      run(() =>
        tcpProbe(
          { kernel, transport: { tcpConnect: slow } as unknown as ProbeTransport },
          background,
          '10.0.0.2',
          80,
          Second,
        ),
      ),
    ).toEqual({
      outcome: 'failure',
      output: 'dial tcp 10.0.0.2:80: i/o timeout',
    });
  });

  it('[2:W-18] grpc: only SERVING succeeds', () => {
    const grpc = (answer: string | Error) =>
      run(() =>
        grpcProbe(
          {
            kernel,
            transport: {
              *grpcCheck() {
                if (answer instanceof Error) throw answer;
                return answer;
              },
            } as unknown as ProbeTransport,
          },
          background,
          '10.0.0.2',
          9000,
          'svc',
          Second,
        ),
      );
    expect(grpc('SERVING')).toEqual({ outcome: 'success', output: 'service healthy' });
    expect(grpc('NOT_SERVING')).toEqual({
      outcome: 'failure',
      output: 'service unhealthy (responded with "NOT_SERVING")',
    });
    expect(grpc(DeadlineExceeded)).toEqual({
      outcome: 'failure',
      output: 'timeout: failed to connect service "10.0.0.2:9000" within 1s: context deadline exceeded',
    });
    expect(grpc(new Error('rpc error: code = Unimplemented desc = unknown service'))).toEqual({
      outcome: 'failure',
      output: 'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service',
    });
  });
});
