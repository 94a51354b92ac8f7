import { describe, expect, it, onTestFinished } from 'vitest';
import { get } from '../server/testing/raw-socket.js';
import { type EndpointSource, healthzServer, kubeletServer, listenOn } from './endpoints.js';

async function served(kind: 'healthz' | 'kubelet', more: Partial<EndpointSource> = {}) {
  const source: EndpointSource = {
    checks: { ping: () => null, syncloop: () => null },
    pods: () => [{ metadata: { name: 'web' } }],
    runningPods: async () => [],
    metrics: () => 'kubelet_node_name{node="n"} 1\n',
    probeMetrics: () => 'prober_probe_total{} 1\n',
    configz: () => ({ maxPods: 1 }),
    statsSummary: async () => ({ node: {} }),
    ...more,
  };
  const server = kind === 'healthz' ? healthzServer() : kubeletServer(source);
  const { port, close } = await listenOn(server, '127.0.0.1', 0, 'choose another');
  onTestFinished(close);
  return (path: string, headers?: Record<string, string>, method?: string) => get(port, path, headers, method);
}

describe('endpoints', () => {
  it('serve pods, metrics, configuration and statistics', async () => {
    const ask = await served('kubelet');
    const pods = await ask('/pods');
    expect(pods.headers['content-type']).toBe('application/json');
    expect(JSON.parse(pods.body)).toEqual({
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: {},
      items: [{ metadata: { name: 'web' } }],
    });
    expect(JSON.parse((await ask('/runningpods/')).body)).toMatchObject({ kind: 'PodList', items: [] });
    expect((await ask('/metrics')).headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect((await ask('/metrics?x=1')).body).toBe('kubelet_node_name{node="n"} 1\n');
    expect((await ask('/metrics/probes')).body).toBe('prober_probe_total{} 1\n');
    expect(JSON.parse((await ask('/configz')).body)).toEqual({ kubeletconfig: { maxPods: 1 } });
    expect(JSON.parse((await ask('/stats/summary')).body)).toEqual({ node: {} });
    for (const path of ['/', '/exec/x', '/pods/x', '/healthz/none', '/healthz/__proto__']) {
      expect(await ask(path)).toMatchObject({ status: 404, body: '404 page not found\n' });
    }
  });

  it('tell health as the kubelet does', async () => {
    const well = await served('healthz');
    expect(await well('/healthz')).toMatchObject({ status: 200, body: 'ok' });
    expect(await well('/healthz/ping')).toMatchObject({ status: 200, body: 'ok' });
    expect(await well('/healthz?verbose')).toMatchObject({ body: '[+]ping ok\nhealthz check passed\n' });
    for (const path of ['/pods', '/healthz/syncloop']) expect((await well(path)).status).toBe(404);
    const ill = await served('kubelet', { checks: { ping: () => null, syncloop: () => new Error('too slow') } });
    expect(await ill('/healthz')).toMatchObject({
      status: 500,
      body: '[+]ping ok\n[-]syncloop failed: reason withheld\nhealthz check failed\n',
    });
    expect(await ill('/healthz/syncloop')).toMatchObject({ status: 500, body: 'internal server error: too slow\n' });
  });

  it('change nothing, and answer no page that rebinds its name', async () => {
    const ask = await served('kubelet');
    expect((await ask('/pods', {}, 'POST')).status).toBe(405);
    expect(await ask('/pods', {}, 'HEAD')).toMatchObject({ status: 200, body: '' });
    expect((await ask('/pods', { Host: 'evil.test' })).status).toBe(421);
    expect((await ask('/pods', { Host: 'localhost:1' })).status).toBe(200);
    expect((await ask('/pods', { Host: '[::1]:1' })).status).toBe(200);
  });

  it('tell what failed', async () => {
    const ask = await served('kubelet', { runningPods: () => Promise.reject(new Error('runtime is away')) });
    expect(await ask('/runningpods')).toMatchObject({ status: 500, body: 'runtime is away\n' });
  });
});
