import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PodStatus } from '../../api/types.js';
import { forbiddenText, getRequestAttributes } from './auth.js';
import { HTTPError } from './errors.js';
import { splitRunCommand, validateContainerLogStatus } from './host.js';
import { parsePodLogOptions } from './log-options.js';
import { debuggingDisabled, httpLabels, parsePath } from './paths.js';
import { parsePortForwardPorts, parseRemoteCommandOptions } from './remote-command.js';

/** URLSearchParams is neither Node's nor the DOM's alone, but core knows it not. */
const query = (text: string) => {
  const pairs = text
    .split('&')
    .filter(Boolean)
    .map((pair) => pair.split('=', 2).map(decodeURIComponent) as [string, string?]);
  return {
    get: (name: string) => pairs.find(([k]) => k === name)?.[1] ?? (pairs.some(([k]) => k === name) ? '' : null),
    has: (name: string) => pairs.some(([k]) => k === name),
    getAll: (name: string) => pairs.filter(([k]) => k === name).map(([, v]) => v ?? ''),
  };
};
const gates = { featureGates: {} };

function failure(body: () => unknown): { status: number; message: string } {
  try {
    body();
  } catch (err) {
    if (err instanceof HTTPError) return { status: err.status, message: err.message };
    throw err;
  }
  throw new Error('nothing was thrown');
}

describe('leave to ask', () => {
  const of = (method: string, path: string, featureGates = {}) =>
    getRequestAttributes('node1', method, path, { featureGates }).map((a) => `${a.verb} ${a.subresource}`);

  it.each([
    ['GET', '/stats/summary', ['get stats']],
    ['GET', '/metrics', ['get metrics']],
    ['GET', '/metrics/cadvisor', ['get metrics']],
    ['GET', '/metricsx', ['get proxy']],
    ['GET', '/logs/x', ['get log']],
    ['POST', '/checkpoint/a/b/c', ['create checkpoint']],
    ['GET', '/statusz', ['get statusz']],
    ['GET', '/flagz', ['get configz']],
    ['GET', '/pods', ['get pods', 'get proxy']],
    ['GET', '/pods/', ['get pods', 'get proxy']],
    ['GET', '/podsx', ['get proxy']],
    ['GET', '/runningpods/', ['get pods', 'get proxy']],
    ['GET', '/healthz/ping', ['get healthz', 'get proxy']],
    ['GET', '/configz', ['get configz', 'get proxy']],
    ['POST', '/exec/a/b/c', ['create proxy']],
    ['GET', '/containerLogs/a/b/c', ['get proxy']],
    ['PUT', '/debug/flags/v', ['update proxy']],
    ['PATCH', '/x', ['patch proxy']],
    ['DELETE', '/x', ['delete proxy']],
    ['HEAD', '/metrics', [' metrics']],
  ])('[3:HTTP-07] %s %s asks for %j', (method, path, wanted) => {
    expect(of(method, path)).toEqual(wanted);
  });

  it('[3:HTTP-07] names the node, and whom it refuses', () => {
    const attributes = getRequestAttributes('node1', 'GET', '/pods', gates);
    expect(attributes[0]).toEqual({ verb: 'get', subresource: 'pods', name: 'node1', path: '/pods' });
    expect(forbiddenText('jane', attributes)).toBe(
      'Forbidden (user=jane, verb=get, resource=nodes, subresource(s)=[pods proxy])\n',
    );
  });
});

describe('paths', () => {
  it.each([
    ['/healthz', { kind: 'healthz', check: null }],
    ['/healthz/syncloop', { kind: 'healthz', check: 'syncloop' }],
    ['/pods', { kind: 'pods' }],
    ['/runningpods/', { kind: 'runningpods' }],
    ['/stats/summary', { kind: 'stats' }],
    ['/metrics', { kind: 'metrics', of: '' }],
    ['/metrics/cadvisor', { kind: 'metrics', of: 'cadvisor' }],
    ['/metrics/resource', { kind: 'metrics', of: 'resource' }],
    ['/metrics/probes', { kind: 'metrics', of: 'probes' }],
    ['/metrics/slis', { kind: 'metrics', of: 'slis' }],
  ])('[3:HTTP-01] %s', (path, endpoint) => {
    expect(parsePath(path)?.endpoint).toEqual(endpoint);
  });

  it.each([
    ['/run/ns/pod/app', { kind: 'run', namespace: 'ns', pod: 'pod', uid: '', container: 'app' }],
    ['/exec/ns/pod/app', { kind: 'exec', namespace: 'ns', pod: 'pod', uid: '', container: 'app' }],
    ['/exec/ns/pod/uid/app', { kind: 'exec', namespace: 'ns', pod: 'pod', uid: 'uid', container: 'app' }],
    ['/attach/ns/pod/uid/a%2Fb', { kind: 'attach', namespace: 'ns', pod: 'pod', uid: 'uid', container: 'a/b' }],
    ['/portForward/ns/pod', { kind: 'portForward', namespace: 'ns', pod: 'pod', uid: '' }],
    ['/portForward/ns/pod/uid', { kind: 'portForward', namespace: 'ns', pod: 'pod', uid: 'uid' }],
    ['/containerLogs/ns/pod/app', { kind: 'containerLogs', namespace: 'ns', pod: 'pod', uid: '', container: 'app' }],
    ['/checkpoint/ns/pod/app', { kind: 'checkpoint', namespace: 'ns', pod: 'pod', uid: '', container: 'app' }],
    ['/configz', { kind: 'configz' }],
    ['/logs/', { kind: 'logs', path: '' }],
    ['/debug/pprof/profile', { kind: 'debug', of: 'pprof', path: 'profile' }],
    ['/debug/flags/v', { kind: 'debug', of: 'flags', path: 'v' }],
    ['/statusz', { kind: 'statusz' }],
    ['/flagz', { kind: 'flagz' }],
  ])('[3:HTTP-02] %s', (path, endpoint) => {
    expect(parsePath(path)?.endpoint).toEqual(endpoint);
  });

  it.each([
    '/',
    '',
    '/pods/x',
    '/exec/ns/pod',
    '/exec/ns//app',
    '/exec/a/b/c/d/e',
    '/containerLogs/ns/pod/uid/app',
    '/x',
    '/%zz',
    '/healthz/a/b',
    '/metrics/x',
    '/metrics/probes/x',
    '/stats',
    '/stats/x',
    '/debug/flags/x',
    '/__proto__',
  ])('knows nothing of %j', (path) => {
    expect(parsePath(path)).toBeNull();
  });

  it('never fails on any path', () => {
    fc.assert(
      fc.property(fc.string(), (path) => {
        parsePath(`/${path}`);
        httpLabels('GET', path, { readOnly: false, debugging: true });
      }),
    );
  });

  it('[3:HTTP-02] says which paths need debugging handlers', () => {
    for (const path of [
      '/run/a/b/c',
      '/exec/a/b/c',
      '/attach/x',
      '/portForward/x',
      '/containerLogs/x',
      '/runningpods/',
      '/debug/pprof/',
      '/logs/',
    ])
      expect(debuggingDisabled.test(path), path).toBe(true);
    for (const path of ['/pods', '/healthz', '/configz', '/debug/flags/v', '/running'])
      expect(debuggingDisabled.test(path), path).toBe(false);
  });

  it('[3:MET-11] gives requests a bounded set of labels', () => {
    const main = { readOnly: false, debugging: true };
    const readOnly = { readOnly: true, debugging: false };
    expect(httpLabels('GET', '/metrics/probes/x', main)).toEqual({
      method: 'GET',
      path: 'metrics/probes',
      server_type: 'readwrite',
      long_running: 'false',
    });
    expect(httpLabels('GET', '/metrics/slis', main)).toMatchObject({ path: 'other' });
    expect(httpLabels('POST', '/exec/a/b/c', main)).toMatchObject({ path: 'exec', long_running: 'true' });
    // Upstream's own slip of the pen.
    expect(httpLabels('POST', '/portForward/a/b', main)).toMatchObject({ path: 'portForward', long_running: 'false' });
    expect(httpLabels('BREW', '/pods', readOnly)).toMatchObject({ method: 'other', server_type: 'readonly' });
    expect(httpLabels('GET', '/configz', readOnly)).toMatchObject({ path: 'other' });
    expect(httpLabels('GET', '/configz', main)).toMatchObject({ path: 'configz' });
    expect(httpLabels('GET', '/constructor', main)).toMatchObject({ path: 'other' });
  });
});

describe('what exec and attach are asked with', () => {
  it('[3:HTTP-08] wants one stream at least; a terminal has no stderr', () => {
    expect(parseRemoteCommandOptions(query('input=1&output=1&error=1&tty=1'))).toEqual({
      stdin: true,
      stdout: true,
      stderr: false,
      tty: true,
    });
    expect(parseRemoteCommandOptions(query('output=1&error=true'))).toMatchObject({ stdout: true, stderr: false });
    for (const text of ['', 'command=ls', 'tty=1&error=1', 'output=true'])
      expect(failure(() => parseRemoteCommandOptions(query(text)))).toEqual({
        status: 400,
        message: 'you must specify at least 1 of stdin, stdout, stderr',
      });
  });

  it('[3:HTTP-08] wants ports for a websocket only', () => {
    expect(parsePortForwardPorts(query(''), false)).toEqual([]);
    expect(parsePortForwardPorts(query('port=80,443&port=8080'), true)).toEqual([80, 443, 8080]);
    for (const [text, message] of [
      ['', 'query parameter "port" is required'],
      ['port=', 'query parameter "port" cannot be empty'],
      ['port=80,', 'query parameter "port" cannot be empty'],
      ['port=http', 'unable to parse "http" as a port: strconv.ParseUint: parsing "http": invalid syntax'],
      ['port=65536', 'unable to parse "65536" as a port: strconv.ParseUint: parsing "65536": value out of range'],
      ['port=0', 'port "0" must be > 0'],
    ] as const)
      expect(failure(() => parsePortForwardPorts(query(text), true))).toEqual({ status: 400, message });
  });

  it('[3:HTTP-08] splits the command of a run at every space', () => {
    expect(splitRunCommand('ls -l  /')).toEqual(['ls', '-l', '', '/']);
  });
});

describe('what a log is asked with', () => {
  const parse = (text: string, featureGates = {}) => parsePodLogOptions(query(text), { featureGates });

  it('[3:HTTP-09] reads every option', () => {
    expect(
      parse('follow=true&previous=1&timestamps=&tailLines=5&limitBytes=10&sinceTime=2026-01-02T03:04:05.5Z'),
    ).toEqual({
      follow: true,
      previous: true,
      timestamps: true,
      tailLines: 5,
      limitBytes: 10,
      sinceTime: BigInt(Date.UTC(2026, 0, 2, 3, 4, 5)) * 1_000_000n + 500_000_000n,
      stream: 'All',
    });
    expect(parse('follow=false&previous=0&timestamps=FALSE&sinceSeconds=7')).toEqual({
      follow: false,
      previous: false,
      timestamps: false,
      sinceSeconds: 7,
      stream: 'All',
    });
    expect(parse('tail=3&tailLines=5')).toMatchObject({ tailLines: 3 });
    expect(parse('tail=all&tailLines=5')).not.toHaveProperty('tailLines');
    expect(parse('stream=Stderr', { PodLogsQuerySplitStreams: true })).toMatchObject({ stream: 'Stderr' });
  });

  it('[3:HTTP-09] answers 422 for what is out of bounds, 400 for what is no number', () => {
    for (const text of [
      'tailLines=-1',
      'limitBytes=0',
      'limitBytes=-5',
      'sinceSeconds=0',
      'sinceSeconds=5&sinceTime=2026-01-02T03:04:05Z',
    ])
      expect(
        failure(() => parse(text)),
        text,
      ).toEqual({ status: 422, message: '{"message": "Invalid request."}' });
    for (const text of [
      'tailLines=x',
      'tailLines=',
      'limitBytes=1.5',
      'sinceTime=yesterday',
      'tailLines=99999999999999999999',
    ])
      expect(
        failure(() => parse(text)),
        text,
      ).toEqual({ status: 400, message: '{"message": "Unable to decode query."}' });
    const split = { PodLogsQuerySplitStreams: true };
    expect(failure(() => parse('stream=Both', split)).status).toBe(422);
    expect(failure(() => parse('stream=Stdout&tailLines=1', split)).status).toBe(422);
    expect(failure(() => parse('stream=Stdout'))).toEqual({
      status: 400,
      message:
        'unable to return the given log stream: "Stdout". Please enable PodLogsQuerySplitStreams feature gate in kubelet',
    });
  });
});

describe('which life of a container has the log', () => {
  const of = (state: object, lastState: object = {}, previous = false) => {
    const status = {
      containerStatuses: [{ name: 'app', containerID: 'c://now', state, lastState }],
    } as unknown as PodStatus;
    return validateContainerLogStatus('web', status, 'app', previous);
  };
  const ended = (containerID?: string) => ({ terminated: { exitCode: 1, ...(containerID && { containerID }) } });

  it('[3:HTTP-09] is the running one, or the one that ended last', () => {
    expect(of({ running: {} }, ended('c://before'))).toEqual({ type: 'c', id: 'now' });
    expect(of({ running: {} }, ended('c://before'), true)).toEqual({ type: 'c', id: 'before' });
    expect(of(ended('c://now'))).toEqual({ type: 'c', id: 'now' });
    expect(of(ended(), ended('c://before'))).toEqual({ type: 'c', id: 'before' });
    expect(of({ waiting: { reason: 'CrashLoopBackOff' } }, ended('c://before'))).toEqual({ type: 'c', id: 'before' });
  });

  it.each([
    [{ running: {} }, {}, true, 'previous terminated container "app" in pod "web" not found'],
    [ended(), {}, false, 'container "app" in pod "web" is terminated'],
    [
      { waiting: { reason: 'ErrImagePull' } },
      {},
      false,
      `container "app" in pod "web" is waiting to start: image can't be pulled`,
    ],
    [
      { waiting: { reason: 'ImagePullBackOff' } },
      {},
      false,
      'container "app" in pod "web" is waiting to start: trying and failing to pull image',
    ],
    [
      { waiting: { reason: 'ContainerCreating' } },
      {},
      false,
      'container "app" in pod "web" is waiting to start: ContainerCreating',
    ],
    [{}, {}, false, 'container "app" in pod "web" is waiting to start - no logs yet'],
  ])('[3:HTTP-09] says why there is none: %j %j previous %s', (state, last, previous, message) => {
    expect(() => of(state, last, previous)).toThrow(message);
  });

  it('[3:HTTP-09] says so when the container has no status yet', () => {
    expect(() => validateContainerLogStatus('web', {}, 'app', false)).toThrow(
      'container "app" in pod "web" is not available',
    );
  });
});
