import { describe, expect, it } from 'vitest';
import type { Container, HTTPGetAction, Pod } from '../../api/types.js';
import type { ProbeTransport } from '../../host/os.js';
import { background, type Go } from '../../kernel/index.js';
import { EventRecorder } from '../events.js';
import { defaultGates } from '../features.js';
import { metricsOf } from '../metrics/kubelet-metrics.js';
import { testKernel } from '../status/testing/fixtures.js';
import { HandlerRunner, HookError } from './handlers.js';

const container: Container = { name: 'app', ports: [{ name: 'web', containerPort: 8080 }] };
const pod = {
  metadata: { name: 'p', namespace: 'default', uid: 'u' },
  spec: { containers: [container] },
  status: {},
} as unknown as Pod;

type Reply = { status: number; body: string; location?: string } | Error;

/** Runs one httpGet hook against the replies, the last of which stands for all that follow. */
function hook(action: Partial<HTTPGetAction>, replies: readonly Reply[]) {
  const { kernel, of } = testKernel();
  const requests: string[] = [];
  const headers: string[] = [];
  const transport = {
    *httpGet(_ctx, r): Go<{ status: number; body: string; location?: string }> {
      requests.push(`${r.scheme}://${r.host}:${r.port}${r.path}`);
      headers.push(r.headers.map((h) => `${h.name}: ${h.value}`).join(', '));
      const reply = replies[Math.min(requests.length, replies.length) - 1] as Reply;
      if (reply instanceof Error) throw reply;
      return reply;
    },
  } as ProbeTransport;
  const runner = new HandlerRunner({
    kernel,
    config: defaultGates,
    transport,
    recorder: new EventRecorder(kernel, 'node'),
    *execSync() {
      throw new Error('no command is run here');
    },
    podStatusProvider: {
      *getPod() {
        throw new Error('the host is given');
      },
      *getPodStatus() {
        throw new Error('the host is given');
      },
    },
  });
  let error: unknown = null;
  const httpGet: HTTPGetAction = { port: 80, path: '/', host: 'h', ...action };
  kernel.go('test', function* () {
    try {
      yield* runner.run(background, { type: 'containerd', id: 'c' }, pod, container, { httpGet });
    } catch (err) {
      error = err;
    }
  });
  kernel.run();
  const events = of('kube-event').map((r) => `${r.reason}: ${r.message}`);
  const text = error instanceof HookError ? error.message : error;
  return { requests, headers, error: text, events, metrics: metricsOf(kernel).registry.text() };
}

const ok: Reply = { status: 200, body: '' };
const plainHTTP = new Error('http: server gave HTTP response to HTTPS client');

describe('httpGet hooks make their requests as probes do', () => {
  it('[2:H-02] any answer is a success', () => {
    expect(hook({}, [{ status: 500, body: 'oops' }]).error).toBeNull();
  });

  it('[2:H-02] the User-Agent is kube-lifecycle, header names are canonical, an empty Accept is not sent', () => {
    expect(hook({}, [ok]).headers).toEqual(['User-Agent: kube-lifecycle/1.36, Accept: */*']);
    const httpHeaders = [
      { name: 'x-key', value: '1' },
      { name: 'user-agent', value: 'mine' },
      { name: 'accept', value: '' },
    ];
    expect(hook({ httpHeaders }, [ok]).headers).toEqual(['X-Key: 1, User-Agent: mine']);
  });

  it('[2:H-02] a path begins with a slash, a port may be a name or a number in text, a scheme is case-blind', () => {
    expect(hook({ path: 'up', port: 'web' }, [ok]).requests).toEqual(['http://h:8080/up']);
    expect(hook({ port: '81', scheme: 'https' as 'HTTPS' }, [ok]).requests).toEqual(['https://h:81/']);
    expect(hook({ port: 'none' }, [ok])).toMatchObject({
      requests: [],
      error: 'strconv.Atoi: parsing "none": invalid syntax',
    });
  });

  it('[2:H-02] redirects are followed on the same host name only, ten at most', () => {
    const away = hook({}, [{ status: 302, body: '', location: 'http://elsewhere/' }, ok]);
    expect([away.requests, away.error]).toEqual([['http://h:80/'], null]);
    const same = hook({}, [{ status: 302, body: '', location: '/next' }, ok]);
    expect([same.requests, same.error]).toEqual([['http://h:80/', 'http://h:80/next'], null]);
    const loop = hook({}, [{ status: 302, body: '', location: '/' }]);
    expect([loop.requests.length, loop.error]).toEqual([10, 'Get "http://h:80/": stopped after 10 redirects']);
  });

  it("[2:H-02] a transport's error names the request as Go's does", () => {
    expect(hook({ host: '::1' }, [new Error('dial tcp [::1]:80: connect: connection refused')]).error).toBe(
      'Get "http://[::1]:80/": dial tcp [::1]:80: connect: connection refused',
    );
  });

  it('[2:H-02] the retry as HTTP sends no Authorization', () => {
    const httpHeaders = [{ name: 'authorization', value: 'Bearer t' }];
    const t = hook({ scheme: 'HTTPS', port: 443, httpHeaders }, [plainHTTP, ok]);
    expect(t.requests).toEqual(['https://h:443/', 'http://h:443/']);
    expect(t.headers[0]).toContain('Authorization: Bearer t');
    expect(t.headers[1]).not.toContain('Authorization');
    expect(t.metrics).toContain('kubelet_lifecycle_handler_http_fallbacks_total 1\n');
    expect(t.events).toEqual([
      'LifecycleHTTPFallback: request to HTTPS lifecycle hook h:443 got HTTP response, retry with HTTP succeeded',
    ]);
  });

  it('[2:H-02] when the retry fails too, the hook fails with the first error and nothing is recorded', () => {
    const t = hook({ scheme: 'HTTPS', port: 443 }, [plainHTTP, new Error('connection reset by peer')]);
    expect(t.requests).toHaveLength(2);
    expect(t.error).toBe('Get "https://h:443/": http: server gave HTTP response to HTTPS client');
    expect(t.events).toEqual([]);
  });
});
