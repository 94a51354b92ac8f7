/** Finds what the text of an error says: the trouble that it names, by the code of a symptom, with its facts. */
import type { Json, SymptomCode } from '@syncloop/core/trace';
import { ELLIPSIS } from '../log/go-values.js';

export interface Cause {
  readonly code: SymptomCode;
  readonly facts: { readonly [name: string]: Json };
  readonly container?: string;
}

/** The parts of the kubelet that an error may come from: the same words mean different trouble in each. */
export type Family = 'runtime' | 'api' | 'volume' | 'start';

type Facts = { readonly [name: string]: Json };
type Rule = readonly [
  RegExp,
  SymptomCode,
  (found: { readonly [name: string]: string | undefined }, error: string) => Facts,
];

const UID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/;
/** True if a text is a UID: an error names the pod by it where others name a container. */
export const isUid = (text: string): boolean => UID.test(text);

/** Texts that Go quoted once or more often, without the backslashes. */
export const unquoted = (text: string): string =>
  text.includes('\\') ? text.replace(/\\+(["'n])/g, (_, c) => (c === 'n' ? '\n' : c)) : text;

/** An error within another one: `failed to "StartContainer" for "app" with CrashLoopBackOff: "..."`. */
const WRAPPED = /failed to "(?<method>\w+)" for "(?<of>[^"]*)" with (?<reason>\w+): "?(?<error>[\s\S]*)/;
/** The result of starting a container, with the whole container before it. */
const STARTED =
  /^(?:\w+ )?(?:&?Container\{Name:(?<of>[^,]*),[\s\S]*\} )?start failed in pod (?<pod>\S+): (?<reason>\w+): (?<error>[\s\S]*)/;
/** The reason that a container waits for, and why: `ErrImagePull: rpc error: ...`. */
const REASON_FIRST = /^(?<reason>[A-Z]\w+): (?<error>[\s\S]*)/;
const reasonFirst = (text: string): RegExpExecArray | null => {
  const found = REASON_FIRST.exec(text);
  return found && Object.hasOwn(REASONS, found.groups?.reason ?? '') ? found : null;
};
/** The image in a container that is printed as a whole. */
const IMAGE_OF_CONTAINER = /\bContainer\{Name:[^,]*,Image:([^,\s}]+),/;
/** Without the quote that ends a text whose first one is not here: each other quote has its counterpart. */
function withoutEnd(text: string): string {
  const end = /"\]?$/.exec(text)?.[0] ?? '';
  const quotes = text.split('"').length - 1;
  return end !== '' && quotes % 2 === 1 ? text.slice(0, -end.length) : text;
}
const REASONS: { readonly [reason: string]: SymptomCode } = {
  CrashLoopBackOff: 'crash-loop',
  ...Object.fromEntries(
    'ErrImagePull ImagePullBackOff ErrImageNeverPull InvalidImageName ImageInspectError RegistryUnavailable ErrImageNeverPullPolicy SignatureValidationFailed'
      .split(' ')
      .map((reason) => [reason, 'image-pull-failed' as const]),
  ),
  CreateContainerConfigError: 'container-create-failed',
  CreateContainerError: 'container-create-failed',
  PreCreateHookError: 'container-create-failed',
  VerifyNonRootError: 'container-create-failed',
  PreStartHookError: 'container-start-failed',
  RunContainerError: 'container-start-failed',
  RunInitContainerError: 'container-start-failed',
  PostStartHookError: 'hook-failed',
  CreatePodSandboxError: 'sandbox-failed',
  ConfigPodSandboxError: 'sandbox-failed',
  KillPodSandboxError: 'kill-failed',
  KillContainerError: 'kill-failed',
  SetupNetworkError: 'network-setup-failed',
  TeardownNetworkError: 'network-teardown-failed',
};

const plugin = (error: string): Facts => {
  const name =
    /plugin type="([^"]+)"/.exec(error)?.[1] ??
    /failed to find plugin "([^"]+)"/.exec(error)?.[1] ??
    /CNI network "([^"]+)"/.exec(error)?.[1] ??
    /network plugins? "?([\w.-]+)"?/i.exec(error)?.[1];
  const sandboxID = /sandbox (?:container )?"?([0-9a-f]{64})/.exec(error)?.[1];
  return { ...(name && { plugin: name }), ...(sandboxID && { sandboxID }) };
};
const none = (): Facts => ({});
const given = (name: string, value: string | undefined): Facts => (value ? { [name]: value } : {});
const host = (_: unknown, error: string): Facts => {
  return given(
    'host',
    /\bhttps?:\/\/([^/"\s?]+)/.exec(error)?.[1] ?? /dial tcp:?(?: lookup)? ([^\s"]+?):? /.exec(error)?.[1],
  );
};
const volumesIn = (list: string | undefined): readonly string[] => list?.match(/[^\s,"[\]]+/g) ?? [];

/** Errors that mean the same wherever they are. The more telling first. */
const ANYWHERE: readonly Rule[] = [
  [
    /(?<object>sandbox|container|ctr|pod) name "?(?<name>[^":\s]+)"?[^:]*: name (?:"[^"]*" )?is reserved(?: for "?(?<holder>[0-9a-f]+))?/,
    'name-reserved',
    ({ object, name = '', holder }) => ({
      object: object === 'sandbox' || object === 'pod' ? 'sandbox' : 'container',
      name,
      ...(holder && { holder }),
    }),
  ],
  [
    /container name "\/?(?<name>[^"]+)" is already in use by (?:container )?"?(?<holder>[0-9a-f]{12,64})/,
    'name-reserved',
    ({ name = '', holder = '' }) => ({ object: name.includes('_POD_') ? 'sandbox' : 'container', name, holder }),
  ],
  [
    /NetworkPluginNotReady|Kubenet does not have netConfig|network is not ready|cni (?:config|plugin) (?:un|not )initialized|Network plugin returns error/,
    'network-not-ready',
    (_, error) => given('reason', /reason:(\w+)/.exec(error)?.[1]),
  ],
  [
    /failed to set ?up (?:pod )?network|failed to set up pod|failed to set ?up sandbox|failed to create pod network sandbox|error adding pod \S+ to CNI network|Error adding network|Failed to set ?up network/i,
    'network-setup-failed',
    (_, error) => plugin(error),
  ],
  [
    /failed to (?:destroy|tear ?down) (?:pod )?network|failed to tear ?down pod|failed to destroy pod network|error removing pod \S+ from CNI network|Error deleting network|failed to stop pod network|failed to tear down network/i,
    'network-teardown-failed',
    (_, error) => plugin(error),
  ],
  [
    /container runtime is down|Cannot connect to the Docker daemon|docker daemon running|failed to get docker version/,
    'runtime-down',
    none,
  ],
  [
    /PLEG is not healthy: pleg was last seen active (?<elapsed>[\w.µ]+) ago; threshold is (?<threshold>[\w.µ]+)/,
    'pleg-unhealthy',
    ({ elapsed = '', threshold = '' }) => ({ elapsed, threshold }),
  ],
  [/PLEG is not healthy|^\[?PLEG(?: i| is| is n[^a-z]?| is no[^a-z]?| is not[^a-z]?)?\u2026?$/, 'pleg-unhealthy', none],
  [
    /dial unix:? (?<endpoint>[^\s:,"]+)[^:]*: connect: (?:connection refused|no such file or directory|permission denied)|(?:validate|service) connection: .*?endpoint "?(?<other>[^"\s]+)/,
    'runtime-down',
    ({ endpoint, other }) => given('endpoint', endpoint ?? other),
  ],
  [/certificate request was not signed/, 'certificate-invalid', () => ({ reason: 'not-signed' })],
  [/is not yet valid: current time \S+ is before/, 'clock-jumped', none],
  [
    /x509: certificate (?<how>has expired|signed by unknown|is valid for|is not valid)|x509: |certificate (?:has|is) expired|tls: (?:bad certificate|failed to verify|unknown certificate)|remote error: tls/,
    'certificate-invalid',
    ({ how }, error) => ({
      reason:
        how === 'has expired' || /(?:has|is) expired/.test(error)
          ? 'expired'
          : error.includes('unknown authority')
            ? 'unknown-authority'
            : how === 'is valid for' || error.includes('cannot validate certificate for')
              ? 'name'
              : 'other',
      ...host(null, error),
    }),
  ],
  [
    /User "(?<user>[^"]*)" cannot (?<verb>\w+)(?: resource "(?<resource>[^"]*)"| (?<old>[\w.]+))?/,
    'api-refused',
    ({ user = '', verb = '', resource, old }) => ({
      user,
      operation: verb,
      ...((resource ?? old) && { object: (resource ?? old) as string }),
    }),
  ],
  [/admission webhook "(?<by>[^"]+)" denied the request/, 'api-refused', ({ by }) => given('object', by)],
  [/\bUnauthorized\b|asked for the client to provide credentials|is forbidden: /, 'api-refused', none],
  [
    /couldn't find key (?<key>\S+) in (?<object>ConfigMap|Secret) (?<namespace>[^/\s]+)\/(?<name>[^"\s]+)/,
    'config-missing',
    ({ name = '', namespace = '' }) => ({ object: 'key', name, namespace }),
  ],
  [
    /(?<object>configmap|secret|serviceaccount)s? "(?<name>[^"]+)" (?:not found|is forbidden)/i,
    'config-missing',
    ({ object = '', name = '' }) => ({ object: object.toLowerCase(), name }),
  ],
  [
    /references non-existent (?<object>config|secret) key: (?<name>[^\s"]+)/,
    'config-missing',
    ({ name = '' }) => ({ object: 'key', name }),
  ],
  [
    /object "(?<namespace>[^"]+)"\/"(?<name>[^"]+)" not registered/,
    'config-missing',
    ({ namespace = '', name = '' }) => ({ namespace, name }),
  ],
  [
    /(?:list of )?unmounted volumes=\[?(?<volumes>[^\]]*)\]/,
    'volume-not-mounted',
    ({ volumes }) => ({ volumes: [...volumesIn(volumes)], reason: 'timed-out' }),
  ],
  [
    /failed to ensure that the pod: \S+ cgroups exist|failed to create container for \[kubepods|unable to set(?:ting)? cgroup|failed to create cgroup/i,
    'resources-failed',
    () => ({ resource: 'cgroup' }),
  ],
  [/no space left on device/, 'pressure', () => ({ condition: 'DiskPressure', resource: 'ephemeral-storage' })],
];

const RUNTIME: readonly Rule[] = [
  [
    /DeadlineExceeded|context deadline exceeded|operation timeout|[Tt]imeout: request did not complete|stream terminated by RST_STREAM/,
    'call-timed-out',
    none,
  ],
  [
    /code = Unavailable|connection refused|transport is closing|error reading from server: EOF|connection error/,
    'runtime-down',
    none,
  ],
  [/too many open files|cannot allocate memory|resource temporarily unavailable/, 'resources-failed', none],
];
const API: readonly Rule[] = [
  [
    /connection refused|i\/o timeout|no route to host|network is unreachable|no such host|server misbehaving|TLS handshake timeout|Client\.Timeout|context deadline exceeded|request canceled|unexpected EOF|: EOF|connection reset|broken pipe|http2:|the server is currently unable|etcdserver|too many requests|connection timed out|Service Unavailable|InternalError|was unable to return a response/i,
    'api-unreachable',
    host,
  ],
  [
    /node "(?<node>[^"]+)" not found|nodes? (?:informer|lister)/,
    'node-not-registered',
    ({ node }) => given('node', node),
  ],
];

/** The error of a thing that has gone, or of a caller that gave up: nothing is wrong with either. */
/** Messages of each kubelet that starts. Up to v1.13 the PLEG was then seen 292 years ago. */
const STARTING =
  /^\[?(?:container runtime (?:status check may not have completed yet|is down)|PLEG is not healthy: pleg (?:has yet to be successful|was last seen active 2562047h[\w.]+ ago; threshold is [\w.]+)|network state unknown|[, .])*\]?$/;
const FIRST = /may not have completed|has yet to be|2562047h|network state unknown/;
/** Characters by which a message is known. */
const LEAST_OF_START = 24;
const HARMLESS =
  /code = NotFound|code = Canceled|^context canceled$|No such container|: not found$|does not exist$|code = Unknown desc = (?:failed to get sandbox ip: )?check network namespace closed/;
/** A list of errors whose first one is not in the log. */
const NO_WORDS = /^[[\]\u2026\s]+$/;
export const isHarmless = (error: string): boolean =>
  NO_WORDS.test(error) ||
  HARMLESS.test(error) ||
  (FIRST.test(error) && STARTING.test(error)) ||
  (error.endsWith(ELLIPSIS) && startsCut(error));

const STARTS = [
  'container runtime status check may not have completed yet',
  'container runtime is down',
  'PLEG is not healthy: pleg has yet to be successful',
  'network state unknown',
];
/** True of a list of such messages whose end is not in the log. */
function startsCut(error: string): boolean {
  const parts = error.slice(0, -ELLIPSIS.length).replace(/^\[/, '').split(/, ?/);
  const last = parts.pop() ?? '';
  const known = [...parts, last].join().length >= LEAST_OF_START;
  return known && parts.every((part) => STARTS.includes(part)) && STARTS.some((whole) => whole.startsWith(last));
}

function byRules(rules: readonly Rule[], error: string): Cause | null {
  for (const [words, code, facts] of rules) {
    const found = words.exec(error);
    if (found) return { code, facts: facts(found.groups ?? {}, error) };
  }
  return null;
}

/** The trouble that an error names; null if its words are not known. */
export function causeOf(text: string, family: Family): Cause | null {
  const whole = unquoted(text);
  const wrapped = (WRAPPED.exec(whole) ?? STARTED.exec(whole) ?? reasonFirst(whole))?.groups;
  const error = wrapped?.error === undefined ? whole : withoutEnd(wrapped.error);
  const code = REASONS[wrapped?.reason ?? ''];
  const of = wrapped?.of ?? '';
  const inner = family === 'start' ? null : byInner(error, wrapped ? 'runtime' : family, code);
  if (!wrapped) return inner;
  const facts = {
    ...given('method', wrapped.method ?? 'StartContainer'),
    reason: wrapped.reason as string,
    error: error.slice(0, 2_000),
    ...(code === 'image-pull-failed' && given('image', IMAGE_OF_CONTAINER.exec(whole)?.[1])),
    ...wordsOf(code, error),
    ...inner?.facts,
  };
  // A pod is named there by its UID or its full name; a container has neither.
  const container = isUid(of) || /[_(/]/.test(of) ? {} : { container: of };
  const found = inner?.code ?? code;
  return found === undefined ? null : { code: found, facts, ...container };
}

/** Codes that stay whatever the error inside is: it only says why. */
const AS_SAID: ReadonlySet<SymptomCode> = new Set(['crash-loop', 'image-pull-failed', 'hook-failed']);
function byInner(error: string, family: Family, code: SymptomCode | undefined): Cause | null {
  if (code !== undefined && AS_SAID.has(code)) return null;
  return byRules(ANYWHERE, error) ?? byRules(family === 'runtime' ? RUNTIME : family === 'api' ? API : [], error);
}

/** The facts in the words of a container's own errors. */
function wordsOf(code: SymptomCode | undefined, error: string): Facts {
  switch (code) {
    case 'crash-loop': {
      return given('delay', /^(?:[Bb]ack-?[Oo]ff:? )?(?:back-off )?(\d[\w.]*) restarting/.exec(error)?.[1]);
    }
    case 'image-pull-failed': {
      return given(
        'image',
        /image "([^"]+)"/.exec(error)?.[1] ??
          /reference "([^"]+)"/.exec(error)?.[1] ??
          /repository ([^\s:,]+)/.exec(error)?.[1],
      );
    }
    case 'container-start-failed': {
      const exitCode = /exit (?:status|code):? (\d+)/.exec(error)?.[1];
      return exitCode ? { exitCode: Number(exitCode) } : {};
    }
    default:
      return {};
  }
}
