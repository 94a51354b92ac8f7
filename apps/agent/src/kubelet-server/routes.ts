/** The paths of the kubelet's own server, and their answers. upstream: pkg/kubelet/server/server.go */
import { background } from '@syncloop/core/kernel';
import * as server from '@syncloop/core/kubelet/server';
import { protocolsWithoutToken } from './auth.js';
import { sendContainerLogs } from './container-logs.js';
import {
  type Answer,
  type Handler,
  json,
  metricsText,
  pageNotFound,
  type ServerRequest,
  smallBody,
  text,
} from './http.js';
import { seat } from './limits.js';
import type { MainServer, ServerSource } from './source.js';
import { requestContext } from './source.js';
import { isTunnel, isWebSocket, proxyUpgrade } from './stream-proxy.js';

const { HTTPError } = server;

/** upstream: go-restful's answers within a web service */
const restfulNotFound = text(404, '404: Page Not Found');
const services =
  /^\/(pods|stats|run|exec|attach|portForward|containerLogs|runningpods|checkpoint|logs|debug\/pprof)(\/|$)/;
const disabled = text(405, 'Debug endpoints are disabled.\n');
/** Longest body of a PUT to /debug/flags/v, bytes. */
const verbosityLimit = 16;

/** Answers as upstream's server of that kind. */
export function kubeletHandler(source: ServerSource, main: MainServer | null): Handler {
  const { node } = source;
  const debugging = main?.enableDebuggingHandlers ?? false;
  return async (incoming) => {
    const { request, response, path } = incoming;
    const { metrics } = node.kubelet;
    const labels = server.httpLabels(request.method ?? '', path, { readOnly: !main, debugging });
    metrics.httpRequests.add(1, labels);
    metrics.httpInflightRequests.add(1, labels);
    const started = performance.now();
    (incoming.upgrade?.socket ?? response).once('close', () => {
      metrics.httpInflightRequests.add(-1, labels);
      metrics.httpRequestsDuration.observe((performance.now() - started) / 1000, labels);
    });
    await main?.auth.check(request, path);
    if (!debugging && server.debuggingDisabled.test(path)) return disabled;
    const route = server.parsePath(path);
    if (!route || (!debugging && !openPaths.has(route.endpoint.kind)))
      return services.test(path) && debugging ? restfulNotFound : pageNotFound;
    if (!route.methods.includes(request.method ?? ''))
      return text(405, '405: Method Not Allowed', { Allow: route.methods.join(', ') });
    const { endpoint } = route;
    if (long.has(endpoint.kind)) {
      const leave = seat(source.streams, request.socket.remoteAddress, 'streams of this kubelet');
      (incoming.upgrade?.socket ?? response).once('close', leave);
    }
    const key = sharedKey(endpoint, incoming.query);
    return key === null
      ? answer(source, endpoint, incoming)
      : source.shared.get(key, async () => (await answer(source, endpoint, incoming)) ?? pageNotFound);
  };
}

/** Endpoints that take as long as their work takes. */
const long: ReadonlySet<server.Endpoint['kind']> = new Set([
  'run',
  'exec',
  'attach',
  'portForward',
  'containerLogs',
  'checkpoint',
  'logs',
]);

/** The cache key of an answer that is the same for every client; null for all other answers. */
function sharedKey(endpoint: server.Endpoint, query: URLSearchParams): string | null {
  switch (endpoint.kind) {
    case 'pods':
    case 'runningpods':
    case 'configz':
      return endpoint.kind;
    case 'metrics':
      return `metrics ${endpoint.of}`;
    case 'stats':
      return `stats ${server.onlyCPUAndMemory(query)}`;
    default:
      return null;
  }
}

/** Paths on both ports. upstream: InstallAuthNotRequiredHandlers */
const openPaths: ReadonlySet<server.Endpoint['kind']> = new Set(['healthz', 'pods', 'stats', 'metrics']);

async function answer(
  source: ServerSource,
  endpoint: server.Endpoint,
  incoming: ServerRequest,
): Promise<Answer | null> {
  const { node } = source;
  const { kubelet, kernel } = node;
  switch (endpoint.kind) {
    case 'healthz':
      return source.healthz.answer(endpoint.check || null, incoming.query);
    case 'pods':
      return json(server.podList(kubelet.getPods()));
    case 'runningpods':
      return json(server.podList(await node.run('runningpods', () => server.runningPods(kubelet))));
    case 'metrics':
      return metrics(source, endpoint.of);
    case 'stats': {
      const cheap = server.onlyCPUAndMemory(incoming.query);
      try {
        return json(server.summaryToWire(kernel, await summary(source, cheap)));
      } catch (err) {
        return text(500, `Internal Error: ${(err as Error).message}`);
      }
    }
    case 'configz':
      return json({ kubeletconfig: source.configz() });
    case 'run':
    case 'exec':
    case 'attach':
    case 'portForward':
      return stream(source, endpoint, incoming);
    case 'containerLogs':
      return sendContainerLogs(source, endpoint, incoming);
    case 'checkpoint':
      return checkpoint(source, endpoint, incoming);
    case 'logs':
      return source.nodeLogs
        ? source.nodeLogs.answer(endpoint.path, incoming)
        : text(405, 'logs endpoint is disabled.\n');
    case 'debug':
      if (endpoint.of === 'pprof')
        return text(
          404,
          "this kubelet is not a Go program, so it has no profiles; start it with node's --cpu-prof instead\n",
        );
      return verbosity(source, incoming);
    case 'flagz':
    case 'statusz':
      return text(404, `/${endpoint.kind} is not served here\n`);
  }
}

async function metrics(source: ServerSource, of: '' | 'cadvisor' | 'resource' | 'probes' | 'slis'): Promise<Answer> {
  const { kubelet, kernel } = source.node;
  switch (of) {
    case '':
      return metricsText(merged(kubelet.metrics.registry.text(), source.processMetrics()));
    case 'probes':
      return metricsText(merged(kubelet.metrics.probes.text(), source.probeProcessMetrics()));
    case 'slis':
      return source.healthz.metrics();
    case 'resource':
      return metricsText(server.resourceMetrics(kernel, await summary(source, true).catch(() => null)));
    case 'cadvisor':
      return text(
        404,
        "there is no cAdvisor in this kubelet: /metrics/resource and /stats/summary have what the runtime's statistics say\n",
      );
  }
}

/** Families by name, as one registry would show them. */
function merged(...texts: string[]): string {
  const families = texts.flatMap((t) => t.split(/^(?=# HELP )/m)).filter(Boolean);
  return families.sort().join('');
}

async function summary({ node }: ServerSource, cheap: boolean) {
  const { stats } = node.kubelet;
  if (!stats) throw new Error('nobody measures this node');
  return await node.run('stats', () =>
    cheap ? stats.summary.getCPUAndMemoryStats(background) : stats.summary.get(background, false),
  );
}

type StreamEndpoint = Extract<server.Endpoint, { kind: 'run' | 'exec' | 'attach' | 'portForward' }>;

/** upstream: getRun, getExec, getAttach, getPortForward (fidelity 3:HTTP-08) */
async function stream(
  { node }: ServerSource,
  endpoint: StreamEndpoint,
  incoming: ServerRequest,
): Promise<Answer | null> {
  const { kubelet } = node;
  const { namespace, pod: name, uid } = endpoint;
  const { request, response, query } = incoming;
  const [ctx, cancel] = requestContext(node, incoming);
  try {
    if (endpoint.kind === 'run') {
      const pod = server.getPodByName(kubelet, namespace, name);
      const cmd = server.splitRunCommand(query.get('cmd') ?? '');
      const output = await node.run('run', () => server.runInContainer(kubelet, ctx, pod, endpoint.container, cmd));
      return { status: 200, type: 'application/json', body: output };
    }
    let url: string;
    if (endpoint.kind === 'portForward') {
      const ports = server.parsePortForwardPorts(query, isWebSocket(request) && !isTunnel(request));
      const pod = server.getPodByName(kubelet, namespace, name);
      if (uid !== '' && pod.metadata.uid !== uid) throw new HTTPError(404, 'pod not found');
      url = await streamingURL(() => node.run('portForward', () => server.getPortForward(kubelet, ctx, pod, ports)));
    } else {
      const options = server.parseRemoteCommandOptions(query);
      const pod = server.getPodByName(kubelet, namespace, name);
      const { container, kind } = endpoint;
      const cmd = query.getAll('command');
      url = await streamingURL(() =>
        node.run(kind, () =>
          kind === 'exec'
            ? server.getExec(kubelet, ctx, pod, container, cmd, options)
            : server.getAttach(kubelet, ctx, pod, uid, container, options),
        ),
      );
    }
    const { upgrade } = incoming;
    if (!upgrade) throw new HTTPError(500, 'Upgrade request required\n');
    if (isWebSocket(request))
      kubelet.metrics.webSocketStreamingRequests.add(1, { subresource: endpoint.kind.toLowerCase() });
    await proxyUpgrade(request, upgrade, url, protocolsWithoutToken(request), () =>
      response.detachSocket(upgrade.socket as Parameters<typeof response.detachSocket>[0]),
    );
    return null;
  } finally {
    cancel();
  }
}

async function streamingURL(ask: () => Promise<string>): Promise<string> {
  try {
    return await ask();
  } catch (err) {
    throw server.streamingError(err);
  }
}

/** upstream: (*Server).checkpoint */
async function checkpoint(
  { node }: ServerSource,
  { namespace, pod: name, container }: server.ContainerPath,
  incoming: ServerRequest,
): Promise<Answer> {
  const { kubelet } = node;
  const pod = server.getPodByName(kubelet, namespace, name);
  if (!server.getContainerSpec(pod, container)) throw new HTTPError(404, `container ${container} does not exist`);
  const given = incoming.query.getAll('timeout').at(-1);
  if (given !== undefined && !/^[+-]?\d{1,18}$/.test(given))
    throw new HTTPError(404, 'cannot parse value of timeout parameter');
  const [ctx, cancel] = requestContext(node, incoming);
  try {
    const location = await node.run('checkpoint', () =>
      server.checkpointContainer(kubelet, ctx, pod, container, BigInt(given ?? 0)),
    );
    return json({ items: [location] });
  } catch (err) {
    const what = `${namespace}/${name}/${container}`;
    throw new HTTPError(500, `checkpointing of ${what} failed (${(err as Error).message})`);
  } finally {
    cancel();
  }
}

/** upstream: apiserver pkg/server/routes/flags.go, component-base logs GlogSetter */
async function verbosity({ setVerbosity }: ServerSource, { request }: ServerRequest): Promise<Answer> {
  if (!setVerbosity) return text(405, 'flags endpoint is disabled.\n');
  if (request.method !== 'PUT') return text(406, 'unsupported http method\n');
  const level = await smallBody(request, verbosityLimit);
  if (!/^[+-]?\d{1,9}$/.test(level))
    return text(
      400,
      `failed set klog.logging.verbosity ${level}: strconv.ParseInt: parsing ${JSON.stringify(level)}: invalid syntax\n`,
    );
  setVerbosity(Number(level));
  return text(200, `successfully set klog.logging.verbosity to ${level}\n`);
}
