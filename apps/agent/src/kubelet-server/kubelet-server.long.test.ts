import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { defaultAgentConfig } from '../config/agent-config.js';
import { get } from '../testing/raw-socket.js';
import { CertificateAuthority } from '../tls/certificate.js';
import { Healthz, healthzServer } from './healthz.js';
import { listenOn } from './http.js';
import { serverLimits } from './limits.js';
import { reviewer, served, streamingServer, token } from './testing/served.js';

const query = (text = '') => new URLSearchParams(text);
const noToken = { headers: {} };
const bearer = (text: string) => ({ headers: { Authorization: `Bearer ${text}` } });

describe('health', () => {
  it('[3:HTTP-05] is ok, or names what failed; ?verbose lists all', () => {
    const well = new Healthz({ ping: () => null, log: () => null, syncloop: () => null });
    expect(well.answer(null, query())).toMatchObject({ status: 200, body: 'ok' });
    expect(well.answer('log', query())).toMatchObject({ status: 200, body: 'ok' });
    expect(well.answer(null, query('verbose')).body).toBe(
      '[+]ping ok\n[+]log ok\n[+]syncloop ok\nhealthz check passed\n',
    );
    const ill = new Healthz({ ping: () => null, syncloop: () => new Error('sync Loop took longer than expected') });
    expect(ill.answer(null, query())).toMatchObject({
      status: 500,
      body: '[+]ping ok\n[-]syncloop failed: reason withheld\nhealthz check failed\n',
    });
    expect(ill.answer('syncloop', query())).toMatchObject({
      status: 500,
      body: 'internal server error: sync Loop took longer than expected\n',
    });
    expect(ill.answer(null, query('exclude=syncloop')).status).toBe(200);
    for (const name of ['none', '__proto__', 'constructor']) expect(ill.answer(name, query()).status).toBe(404);
    expect(ill.metrics().body.split('\n')).toEqual(
      expect.arrayContaining([
        'kubernetes_healthcheck{name="syncloop",type="healthz"} 0',
        'kubernetes_healthchecks_total{name="syncloop",status="error",type="healthz"} 2',
        'kubernetes_healthchecks_total{name="ping",status="success",type="healthz"} 2',
      ]),
    );
  });

  it('[3:HTTP-05] has a port of its own that knows only ping, by our own name', async () => {
    const { port, close } = await listenOn(healthzServer(), '127.0.0.1', 0, '');
    try {
      for (const path of ['/healthz', '/healthz/', '/healthz/ping'])
        expect(await get(port, path)).toMatchObject({ status: 200, body: 'ok' });
      for (const path of ['/healthz/syncloop', '/pods', '/metrics', '/'])
        expect((await get(port, path)).status).toBe(404);
      expect((await get(port, '/healthz', { Host: 'evil.test' })).status).toBe(421);
      expect((await get(port, '/healthz', { Host: '[::1]:1' })).status).toBe(200);
    } finally {
      await close();
    }
  });
});

describe('read-only port', () => {
  it('[3:HTTP-01][3:HTTP-03] serves health, pods and figures to everybody', async () => {
    const s = await served({ readOnly: true });
    await s.pod('web', 'while true; do sleep 1; done');
    const pods = await s.ask('/pods', noToken);
    expect(pods.headers['content-type']).toBe('application/json');
    const list = JSON.parse(pods.body);
    expect(list).toMatchObject({ kind: 'PodList', apiVersion: 'v1', metadata: {} });
    // A static pod's status is the kubelet's own.
    expect(list.items).toMatchObject([{ metadata: { name: 'web-node1' }, status: { phase: 'Running' } }]);
    for (const path of ['/healthz', '/healthz/ping', '/healthz/log', '/healthz/syncloop', '/metrics/slis'])
      expect((await s.ask(path, noToken)).status, path).toBe(200);
    const metrics = await s.ask('/metrics', noToken);
    expect(metrics.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    for (const line of [
      'kubelet_node_name{node="node1"} 1',
      'kubelet_metrics_provider{provider="cri"} 1',
      'kubelet_started_containers_total{container_type="container"} 1',
      'kubelet_http_requests_total{long_running="false",method="GET",path="pods",server_type="readonly"} 1',
    ])
      expect(metrics.body.split('\n')).toContain(line);
    for (const name of ['process_start_time_seconds', 'syncloop_sync_loop_iterations_total'])
      expect(metrics.body).toContain(`\n${name} `);
    const families = [...metrics.body.matchAll(/^# TYPE (\S+)/gm)].map((m) => m[1]);
    expect(families).toEqual(families.toSorted());
    expect((await s.ask('/metrics/probes', noToken)).body).toContain('process_start_time_seconds');
    expect((await s.ask('/metrics/cadvisor', noToken)).status).toBe(404);
    expect((await s.ask('/metrics/resource', noToken)).body).toContain('resource_scrape_error');
  });

  it('[3:HTTP-02] has no debugging endpoints, and knows what may be asked how', async () => {
    const s = await served({ readOnly: true });
    for (const path of [
      '/run/a/b/c',
      '/exec/a/b/c',
      '/attach/a/b/c',
      '/portForward/a/b',
      '/containerLogs/a/b/c',
      '/runningpods/',
      '/logs/',
      '/debug/pprof/',
    ])
      expect(await s.ask(path, noToken), path).toMatchObject({ status: 405, body: 'Debug endpoints are disabled.\n' });
    for (const path of ['/configz', '/debug/flags/v', '/', '/checkpoint/a/b/c', '/x', '/%zz'])
      expect(await s.ask(path, noToken), path).toMatchObject({ status: 404, body: '404 page not found\n' });
    expect(await s.ask('/pods', { method: 'POST', ...noToken })).toMatchObject({
      status: 405,
      body: '405: Method Not Allowed',
    });
    expect((await s.ask('/pods', { method: 'HEAD', ...noToken })).status).toBe(405);
    expect(await s.ask('/healthz', { method: 'HEAD', ...noToken })).toMatchObject({ status: 200, body: '' });
    expect((await s.ask('/pods', { headers: { Host: 'evil.test' } })).status).toBe(421);
    const refused = await s.upgrade('/exec/a/b/c', { Upgrade: 'websocket' });
    expect(refused).toMatchObject({ status: 405 });
  });
});

describe('main server', () => {
  it('[3:HTTP-06] keeps a certificate of its own, and a token for its owner', async () => {
    const s = await served({ server: { trustedTokens: new Map() } });
    const path = join(s.folder, 'server-token');
    expect(s.server).toMatchObject({ tokenFile: path });
    expect(statSync(join(s.folder, 'pki', 'kubelet.key')).mode & 0o777).toBe(0o600);
    expect(existsSync(join(s.folder, 'pki', 'kubelet.crt'))).toBe(true);
    expect((await s.ask('/pods', bearer(readFileSync(path, 'utf8').trim()))).status).toBe(200);
    for (const options of [noToken, bearer('wrong'), { headers: { Authorization: 'Basic eDp5' } }])
      expect(await s.ask('/pods', options)).toMatchObject({ status: 401, body: 'Unauthorized' });
    expect((await s.ask('/healthz', noToken)).status).toBe(401);
  });

  it('[3:HTTP-06] takes clients of an authority, by name and groups, and nobody else', async () => {
    const authority = new CertificateAuthority({ commonName: 'test', days: 1 });
    const stranger = new CertificateAuthority({ commonName: 'stranger', days: 1 });
    const { transport, incoming } = reviewer(
      {},
      (user, _verb, subresource) => user === 'jane' && subresource === 'pods',
    );
    const s = await served({
      config: (c) => {
        const file = join(c.kubelet.rootDirectory, 'ca.crt');
        writeFileSync(file, authority.certPem);
        c.server.authentication.clientCAFile = file;
      },
      server: { transport },
    });
    const client = (by: CertificateAuthority, commonName: string, organizations: string[] = []) => {
      const { certPem, keyPem } = by.issue({ commonName, organizations, days: 1, usage: 'client' });
      return { headers: {}, tls: { cert: certPem, key: keyPem } };
    };
    expect((await s.ask('/pods', client(authority, 'jane', ['dev', 'ops']))).status).toBe(200);
    expect(incoming[0]?.body).toMatchObject({ spec: { user: 'jane', groups: ['dev', 'ops', 'system:authenticated'] } });
    expect((await s.ask('/pods', client(authority, 'root', ['system:masters']))).status).toBe(200);
    expect((await s.ask('/pods', client(authority, 'joe'))).status).toBe(403);
    expect(await s.ask('/pods', client(stranger, 'jane'))).toMatchObject({ status: 401 });
    expect(incoming[0]?.body).toMatchObject({
      spec: { extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^X509SHA256=\w{64}$/)] } },
    });
  });

  it('[3:HTTP-06][3:CERT-11] takes nobody for anonymous who shows a wrong certificate, and follows the file', async () => {
    const [authority, next] = [1, 2].map((n) => new CertificateAuthority({ commonName: `authority ${n}`, days: 1 }));
    let file = '';
    const s = await served({
      config: (c) => {
        file = join(c.kubelet.rootDirectory, 'ca.crt');
        writeFileSync(file, authority?.certPem ?? '');
        c.server.authentication.clientCAFile = file;
        c.server.authentication.anonymous = true;
        c.server.authorization.mode = 'AlwaysAllow';
      },
    });
    const { certPem, keyPem } = (next as CertificateAuthority).issue({ commonName: 'jane', days: 1, usage: 'client' });
    const jane = { headers: {}, tls: { cert: certPem, key: keyPem } };
    expect((await s.ask('/pods', noToken)).status).toBe(200);
    expect((await s.ask('/pods', jane)).status).toBe(401);
    writeFileSync(file, next?.certPem ?? '');
    // The file is watched: it is taken as soon as the kubelet hears of it.
    while ((await s.ask('/pods', jane)).status !== 200);
    // A file that is not a certificate is not taken over.
    writeFileSync(file, 'nonsense');
    const refused = (r: (typeof s.records)[number]) => r.kind === 'log' && r.file === 'dynamic_cafile_content.go';
    while (!s.records.some(refused)) await s.ask('/healthz', noToken);
    expect((await s.ask('/pods', jane)).status).toBe(200);
  });

  it('[3:HTTP-06][3:HTTP-07] asks the API server whose a token is and whether he may, and remembers', async () => {
    const review = reviewer(
      { 'janes-token': { username: 'jane', groups: ['dev'] } },
      (_user, verb, subresource) => verb === 'get' && (subresource === 'proxy' || subresource === 'metrics'),
    );
    const s = await served({ server: { transport: review.transport, trustedTokens: new Map() } });
    expect((await s.ask('/metrics', bearer('janes-token'))).status).toBe(200);
    expect(review.incoming.map((a) => a.path)).toEqual([
      '/apis/authentication.k8s.io/v1/tokenreviews',
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    ]);
    expect(review.incoming[1]?.body).toMatchObject({
      kind: 'SubjectAccessReview',
      spec: {
        resourceAttributes: { verb: 'get', version: 'v1', resource: 'nodes', subresource: 'metrics', name: 'node1' },
        user: 'jane',
        groups: ['dev', 'system:authenticated'],
      },
    });
    await s.ask('/metrics', bearer('janes-token'));
    expect(review.incoming).toHaveLength(2);
    // The finer subresource first, then proxy.
    expect((await s.ask('/pods', bearer('janes-token'))).status).toBe(200);
    expect(
      review.incoming
        .slice(2)
        .map(
          (a) =>
            (a.body as { spec: { resourceAttributes: { subresource: string } } }).spec.resourceAttributes.subresource,
        ),
    ).toEqual(['pods', 'proxy']);
    expect(await s.ask('/stats/summary', bearer('janes-token'))).toMatchObject({
      status: 403,
      body: 'Forbidden (user=jane, verb=get, resource=nodes, subresource(s)=[stats])\n',
    });
    expect((await s.ask('/metrics', bearer('nobodys-token'))).status).toBe(401);
    review.fail(true);
    expect((await s.ask('/metrics', bearer('new-token'))).status).toBe(401);
    expect(await s.ask('/logs/', bearer('janes-token'))).toMatchObject({
      status: 500,
      body: 'Authorization error (user=jane, verb=get, resource=nodes, subresource=log)',
    });
    const logged = s.records
      .filter((r) => r.kind === 'log' && r.file === 'server.go')
      .map((r) => (r.kind === 'log' ? r.msg : ''));
    expect(logged).toEqual(
      expect.arrayContaining([
        'Forbidden',
        'Authorization error',
        'Unable to authenticate the request due to an error',
      ]),
    );
    expect(JSON.stringify(s.records)).not.toContain('janes-token');
  });

  it('[3:HTTP-06] does not start with webhooks and no API server, and says what to do', async () => {
    const start = (change: (c: ReturnType<typeof defaultAgentConfig>) => void) => served({ config: change });
    await expect(
      start((c) => {
        c.server.authentication.webhook = true;
      }),
    ).rejects.toThrow('no client provided, cannot use webhook authentication');
    await expect(
      start((c) => {
        c.server.authorization.mode = 'Webhook';
      }),
    ).rejects.toThrow('no client provided, cannot use webhook authorization');
    await expect(
      start((c) => {
        c.server.authentication.clientCAFile = '/nonexistent';
      }),
    ).rejects.toThrow('unable to load client CA file /nonexistent');
    await expect(
      start((c) => {
        c.server.tlsCertFile = '/x';
      }),
    ).rejects.toThrow('belong together');
  });

  it('[3:HTTP-06] lets nobody in particular in only where that is asked for', async () => {
    const s = await served({
      config: (c) => {
        c.server.authentication.anonymous = true;
      },
    });
    expect((await s.ask('/pods', noToken)).status).toBe(200);
    // A wrong token is worse than none.
    expect((await s.ask('/pods', bearer('wrong'))).status).toBe(401);
  });

  it('[3:HTTP-02] serves what the runtime runs, the configuration, and the verbosity', async () => {
    const levels: number[] = [];
    const s = await served({
      server: {
        trustedTokens: new Map([[token, { name: 't', groups: ['system:masters'] }]]),
        setVerbosity: (v) => levels.push(v),
      },
      config: (c) => {
        c.raw = {
          kind: 'KubeletConfiguration',
          evictionHard: { 'memory.available': '1%' },
          staticPodURLHeader: { Authorization: ['secret'] },
        };
      },
    });
    await s.pod('web', 'while true; do sleep 1; done');
    const running = JSON.parse((await s.ask('/runningpods/')).body);
    expect(running).toMatchObject({
      kind: 'PodList',
      items: [{ metadata: { name: 'web-node1', namespace: 'default' } }],
    });
    expect(running.items[0].spec.containers).toMatchObject([{ name: 'app' }]);
    const { kubeletconfig } = JSON.parse((await s.ask('/configz')).body);
    expect(kubeletconfig).toMatchObject({
      syncFrequency: '1m0s',
      nodeStatusUpdateFrequency: '10s',
      streamingConnectionIdleTimeout: '4h0m0s',
      cpuCFSQuotaPeriod: '100ms',
      evictionHard: { 'memory.available': '1%' },
      staticPodURLHeader: { Authorization: ['<masked>'] },
      authentication: { x509: {}, webhook: { enabled: false, cacheTTL: '2m0s' }, anonymous: { enabled: false } },
      authorization: { mode: 'AlwaysAllow', webhook: { cacheAuthorizedTTL: '5m0s', cacheUnauthorizedTTL: '30s' } },
      enableDebuggingHandlers: true,
      maxPods: 110,
    });
    expect(Object.keys(kubeletconfig.evictionHard)).toHaveLength(1);
    expect(kubeletconfig).not.toHaveProperty('kind');
    const put = (body: string) => s.ask('/debug/flags/v', { method: 'PUT', body });
    expect(await put('5')).toMatchObject({ status: 200, body: 'successfully set klog.logging.verbosity to 5\n' });
    expect((await put('loud')).status).toBe(400);
    expect((await put('1'.repeat(100))).status).toBe(413);
    expect((await s.ask('/debug/flags/v')).status).toBe(406);
    expect(levels).toEqual([5]);
    expect(await s.ask('/logs/')).toMatchObject({ status: 405, body: 'logs endpoint is disabled.\n' });
    for (const path of ['/debug/pprof/heap', '/statusz', '/flagz']) expect((await s.ask(path)).status, path).toBe(404);
    expect(await s.ask('/exec/a')).toMatchObject({ status: 404, body: '404: Page Not Found' });
  });

  it('[3:HTTP-02] has no debugging endpoints where they are off', async () => {
    const s = await served({
      config: (c) => {
        c.server.enableDebuggingHandlers = false;
      },
    });
    expect(await s.ask('/exec/a/b/c?output=1')).toMatchObject({ status: 405, body: 'Debug endpoints are disabled.\n' });
    expect((await s.ask('/configz')).status).toBe(404);
    expect((await s.ask('/pods')).status).toBe(200);
  });

  it('[3:HTTP-08] runs a command and answers with what it printed', async () => {
    const s = await served();
    await s.pod('web', 'while true; do sleep 1; done');
    const run = (path: string, cmd: string) => s.ask(`/run/${path}?cmd=${encodeURIComponent(cmd)}`, { method: 'POST' });
    expect(await run('default/web-node1/app', 'echo a b')).toMatchObject({ status: 200, body: 'a b\n' });
    expect(await run('default/web-node1/app', 'false')).toMatchObject({
      status: 500,
      body: "command 'false' exited with 1: ",
    });
    expect(await run('default/none/app', 'true')).toMatchObject({ status: 404, body: 'pod does not exist' });
    expect(await run('default/web-node1/none', 'true')).toMatchObject({
      status: 500,
      body: 'container not found ("none")',
    });
    expect((await s.ask('/run/default/web-node1/app?cmd=true')).status).toBe(405);
    await run('default/web-node1/app', 'echo canary-5e1f0c');
    const trace = JSON.stringify(s.records);
    expect(trace).toContain('"ExecSync"');
    expect(trace).not.toContain('canary-5e1f0c');
  });

  it('[3:HTTP-08] joins an upgraded connection to the one that the runtime names, byte by byte', async () => {
    const streams = await streamingServer();
    const s = await served({ streams: streams.url });
    await s.pod('web', 'while true; do sleep 1; done');
    const path = '/default/web-node1/app?input=1&output=1&command=sh&command=-c&command=canary-5e1f0c';
    for (const [kind, method] of [
      ['exec', 'POST'],
      ['attach', 'GET'],
    ] as const) {
      const joined = await s.upgrade(
        `/${kind}${path}`,
        { Upgrade: 'SPDY/3.1', 'X-Stream-Protocol-Version': 'v4.channel.k8s.io' },
        method,
      );
      if (!('socket' in joined)) throw new Error(joined.body);
      const bytes = Buffer.from([0x80, 0, 3, 255]);
      joined.socket.write(bytes);
      const [echo] = (await once(joined.socket, 'data')) as [Buffer];
      expect(echo).toEqual(bytes);
      const incoming = streams.incoming.at(-1);
      expect(incoming).toMatchObject({ method, url: '/exec/one-time-secret' });
      expect(incoming?.headers).toMatchObject({
        upgrade: 'SPDY/3.1',
        'x-stream-protocol-version': 'v4.channel.k8s.io',
      });
      expect(incoming?.headers).not.toHaveProperty('authorization');
    }
    const forward = await s.upgrade('/portForward/default/web-node1', { Upgrade: 'SPDY/3.1' }, 'POST');
    expect(forward).toHaveProperty('socket');
    const trace = JSON.stringify(s.records);
    expect(trace).toContain('"method":"Exec"');
    for (const secret of ['canary-5e1f0c', 'one-time-secret']) expect(trace).not.toContain(secret);
    expect((await s.ask('/metrics')).body).toContain(
      'kubelet_http_requests_total{long_running="true",method="POST",path="exec",server_type="readwrite"} 1',
    );
  });

  it('[3:HTTP-08] refuses a stream in words', async () => {
    const streams = await streamingServer();
    const s = await served({ streams: streams.url });
    await s.pod('web', 'while true; do sleep 1; done');
    const uid = s.kubelet.getPods()[0]?.metadata.uid;
    const up = { Upgrade: 'websocket' };
    for (const [path, status, body] of [
      ['/exec/default/web-node1/app', 400, 'you must specify at least 1 of stdin, stdout, stderr'],
      ['/exec/default/none/app?output=1', 404, 'pod does not exist'],
      ['/exec/default/web-node1/none?output=1', 500, 'container not found ("none")'],
      ['/attach/default/web-node1/other-uid/app?output=1', 500, 'pod web-node1_default not found'],
      ['/portForward/default/web-node1', 400, 'query parameter "port" is required'],
      ['/portForward/default/web-node1/other-uid?port=80', 404, 'pod not found'],
      ['/portForward/default/none?port=80', 404, 'pod does not exist'],
    ] as const)
      expect(await s.upgrade(path, up), path).toMatchObject({ status, body });
    expect(await s.ask('/exec/default/web-node1/app?output=1')).toMatchObject({
      status: 500,
      body: 'Upgrade request required\n',
    });
    expect(await s.upgrade(`/attach/default/web-node1/${uid}/app?output=1`, up)).toHaveProperty('socket');
    expect(
      await s.upgrade('/exec/default/web-node1/app?output=1', { ...up, Authorization: 'Bearer wrong' }),
    ).toMatchObject({ status: 401 });
    expect(streams.incoming).toHaveLength(1);
  });

  it('[3:HTTP-08] takes a token as a websocket protocol, and keeps it from the runtime', async () => {
    const streams = await streamingServer();
    const s = await served({ streams: streams.url });
    await s.pod('web', 'while true; do sleep 1; done');
    const secret = `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;
    const joined = await s.upgrade('/exec/default/web-node1/app?output=1', {
      Upgrade: 'websocket',
      Authorization: '',
      'Sec-WebSocket-Protocol': `v4.channel.k8s.io, ${secret}`,
    });
    expect(joined).toHaveProperty('socket');
    expect(streams.incoming[0]?.headers['sec-websocket-protocol']).toBe('v4.channel.k8s.io');
    // One spelling, once, in a websocket's request, and beside the protocol that the runtime is offered.
    const bits = Buffer.from(token).length % 3;
    const next = (text: string) => text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + 1);
    for (const [upgrade, protocols] of [
      ['websocket', `v4.channel.k8s.io, ${secret}=`],
      ['websocket', `v4.channel.k8s.io, ${secret}.`],
      ...(bits === 0 ? [] : ([['websocket', `v4.channel.k8s.io, ${next(secret)}`]] as const)),
      ['websocket', `v4.channel.k8s.io, ${secret}, ${secret}`],
      ['websocket', secret],
      ['SPDY/3.1', `v4.channel.k8s.io, ${secret}`],
    ] as const)
      expect(
        await s.upgrade('/exec/default/web-node1/app?output=1', {
          ...{ Upgrade: upgrade, Authorization: '', 'Sec-WebSocket-Protocol': protocols },
        }),
        protocols,
      ).toMatchObject({ status: 401 });
    expect(streams.incoming).toHaveLength(1);
  });

  it('[3:HTTP-08] says so when the runtime cannot stream or is not there', async () => {
    const s = await served();
    await s.pod('web', 'while true; do sleep 1; done');
    const answer = await s.upgrade('/exec/default/web-node1/app?output=1', { Upgrade: 'websocket' });
    expect(answer).toMatchObject({ status: 500, body: expect.stringContaining('rpc error') });
    const gone = await served({ streams: 'http://127.0.0.1:1/exec/x' });
    await gone.pod('web', 'while true; do sleep 1; done');
    expect(await gone.upgrade('/exec/default/web-node1/app?output=1', { Upgrade: 'websocket' })).toMatchObject({
      status: 500,
      body: expect.stringContaining('error dialing backend: connect ECONNREFUSED'),
    });
  });

  it('[3:HTTP-09] serves logs, and follows them', async () => {
    const s = await served();
    await s.pod(
      'web',
      'echo one; echo two >&2; echo canary-5e1f0c; while [ ! -e /tmp/go ]; do sleep 0.01; done; echo more; sleep 0.01; exit 0',
      '  restartPolicy: Never\n',
    );
    const path = '/containerLogs/default/web-node1/app';
    const parts = await s.follow(`${path}?follow=true`);
    let seen = '';
    while (!seen.includes('canary')) seen += await parts.next();
    expect(seen).toBe('one\ntwo\ncanary-5e1f0c\n');
    expect((await s.ask(`${path}?tailLines=1`)).body).toBe('canary-5e1f0c\n');
    expect((await s.ask(`${path}?limitBytes=5`)).body).toBe('one\nt');
    expect((await s.ask(`${path}?timestamps=true&limitBytes=4`)).body).toMatch(/^20\d\d$/);
    expect((await s.ask(`${path}?sinceTime=2999-01-01T00:00:00Z`)).body).toBe('');
    await s.ask('/run/default/web-node1/app?cmd=touch%20/tmp/go', { method: 'POST' });
    for (let part = await parts.next(); part !== ''; part = await parts.next()) seen += part;
    expect(seen).toBe('one\ntwo\ncanary-5e1f0c\nmore\n');
    expect(await s.ask('/containerLogs/default/none/app')).toMatchObject({
      status: 404,
      body: 'pod "none" does not exist',
    });
    expect(await s.ask('/containerLogs/default/web-node1/none')).toMatchObject({
      status: 404,
      body: 'container "none" not found in pod "web-node1"',
    });
    expect(await s.ask(`${path}?previous=true`)).toMatchObject({
      status: 400,
      body: 'previous terminated container "app" in pod "web-node1" not found',
    });
    expect(await s.ask(`${path}?tailLines=-1`)).toMatchObject({ status: 422, body: '{"message": "Invalid request."}' });
    expect((await s.ask(`${path}?tailLines=x`)).status).toBe(400);
    expect(JSON.stringify(s.records.filter((r) => r.kind !== 'actual-container'))).not.toContain('canary-5e1f0c\\n');
  });

  it('[3:HTTP-02] asks for a checkpoint where the runtime can make one', async () => {
    const locations: string[] = [];
    const s = await served({
      runtime: () => ({
        *checkpointContainer(_ctx: unknown, request: { location?: string; timeout?: string }) {
          locations.push(`${request.location} ${request.timeout}`);
          return {};
        },
      }),
    });
    await s.pod('web', 'while true; do sleep 1; done');
    const post = (path: string) => s.ask(`/checkpoint/${path}`, { method: 'POST' });
    const made = await post('default/web-node1/app?timeout=9');
    expect(made.status).toBe(200);
    expect(JSON.parse(made.body).items).toEqual([locations[0]?.split(' ')[0]]);
    expect(locations[0]).toMatch(/\/checkpoints\/checkpoint-web-node1_default-app-20[\d:TZ-]+\.tar 9$/);
    expect(await post('default/none/app')).toMatchObject({ status: 404, body: 'pod does not exist' });
    expect(await post('default/web-node1/none')).toMatchObject({ status: 404, body: 'container none does not exist' });
    expect(await post('default/web-node1/app?timeout=x')).toMatchObject({
      status: 404,
      body: 'cannot parse value of timeout parameter',
    });
    expect((await s.ask('/checkpoint/default/web-node1/app')).status).toBe(405);
  });
});

describe('a flood', () => {
  it('of streams leaves the rest of the server alone, and says how many are too many', async () => {
    const s = await served();
    await s.pod('web', 'while true; do sleep 1; done');
    const seats = serverLimits.streams * serverLimits.share;
    const held: { close(): void }[] = [];
    for (let i = 0; i < seats; i += 16)
      held.push(
        ...(await Promise.all(
          Array.from({ length: Math.min(16, seats - i) }, () =>
            s.follow('/containerLogs/default/web-node1/app?follow=true'),
          ),
        )),
      );
    const refused = await s.ask('/containerLogs/default/web-node1/app');
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(refused.body).toContain('too many streams');
    for (const path of ['/healthz', '/pods', '/metrics']) expect((await s.ask(path)).status).toBe(200);
    for (const one of held) one.close();
    let again = refused;
    while (again.status === 429) again = await s.ask('/containerLogs/default/web-node1/app');
    expect(again.status).toBe(200);
  });
});
