/**
 * Lines of other programs of the node that are evidence about the kubelet and its pods: systemd, the kernel, container
 * runtimes, and a program that panicked. Each row says whose line it is by its words, and which trouble it reports.
 */
import type { Json, SymptomCode } from '@syncloop/core/trace';
import type { OtherLine } from '../evidence/index.js';
import { causeOf, isHarmless, unquoted } from './causes.js';

/** The trouble that a line of another program reports. */
export interface ProgramTrouble {
  readonly code: SymptomCode;
  readonly program: string;
  readonly healed?: true;
  readonly pod?: string;
  readonly uid?: string;
  readonly container?: string;
  readonly facts: { readonly [name: string]: Json };
}

interface ProgramRow {
  readonly program: string;
  readonly text: RegExp;
  /** Null: the line is known, and reports no trouble. */
  readonly code: SymptomCode | null;
  readonly healed?: true;
  /** Its words are those of several programs: it counts only if the line's own program is known. */
  readonly named?: true;
}
const of = (program: string, code: SymptomCode | null, ...texts: readonly RegExp[]): ProgramRow[] =>
  texts.map((text) => ({ program, text, code }));

/** A unit that runs a kubelet. */
const UNIT = '(?<unit>(?:snap\\.)?[\\w.@-]*(?:kubelet|kubelite|k3s|rke2|k0s)[\\w.@-]*?(?:\\.service)?)';
const unit = (rest: string) => new RegExp(`^${UNIT}: ${rest}`, 'i');
const STATUS = '(?:status=(?<exitCode>\\d+)(?:/(?<signal>[A-Z]+))?)?';

const systemd: readonly ProgramRow[] = [
  ...of('systemd', 'kubelet-exited', unit(`[Mm]ain process exited, code=\\w+, ${STATUS}`)),
  ...of(
    'systemd',
    'unit-failed',
    unit("Failed with result '(?<result>[\\w-]+)'"),
    unit('Start request repeated too quickly'),
  ),
  ...of(
    'systemd',
    'unit-failed',
    new RegExp(`^Unit ${UNIT} entered failed state`),
    new RegExp(`^${UNIT} failed\\.`),
    new RegExp(`^Failed to start ${UNIT}`),
  ),
  ...of('systemd', 'kubelet-restart-scheduled', unit('Scheduled restart job, restart counter is at (?<counter>\\d+)')),
  ...of(
    'systemd',
    'kubelet-restart-scheduled',
    new RegExp(`^${UNIT} holdoff time over, scheduling restart`),
    unit('Service (?:RestartSec=\\S+ expired|hold-off time over), scheduling restart'),
  ),
  ...of('systemd', 'oom-kill', unit('A process of this unit has been killed by the OOM killer')),
  ...of(
    'systemd',
    'kubelet-cannot-start',
    unit('Failed at step \\w+ spawning (?<path>\\S+): (?<error>.*)'),
    unit('Failed to (?:load|set up|run) .*(?<error>No such file.*)?'),
  ),
  ...of(
    'systemd',
    'runtime-down',
    /^(?<unit>(?:containerd|crio|cri-o|docker|cri-docker(?:d)?)\.service): [Mm]ain process exited, code=\w+, status=(?<exitCode>\d+)/,
    /^(?<unit>(?:containerd|crio|cri-o|docker|cri-docker(?:d)?)\.service): Failed with result '(?<result>[\w-]+)'/,
    /^Stopp(?:ed|ing) (?:containerd|Docker Application Container|Container Runtime Interface|CRI-O)/i,
  ),
  ...of(
    'systemd',
    null,
    unit(''),
    /^(?:Start(?:ed|ing)|Stopp(?:ed|ing)|Reloading|Reloaded|Created slice|Removed slice|Mounted|Unmounted|Queued start job|Condition check resulted|Listening on|Reached target|Deactivated|Consumed)\b/,
    /\.(?:service|slice|scope|mount|socket|timer): (?:Succeeded|Deactivated|Consumed|Current command|Unit process|Got notification|Watchdog|Triggering)/,
  ),
];

/** The head that `systemctl status` prints, which is about the unit that was asked for. */
const status: readonly ProgramRow[] = [
  ...of(
    'systemd',
    'kubelet-exited',
    /^\s*(?:Main PID|Process): \d+ (?:ExecStart=\S*kube\S*.*)?\(code=(?:exited|killed|dumped), (?:status|signal)=(?<exitCode>\d+)?(?:\/?(?<signal>[A-Z]+))?/,
  ),
  ...of('systemd', 'unit-failed', /^\s*Active: (?:failed|activating \(auto-restart\)) \(Result: (?<result>[\w-]+)\)/),
  ...of(
    'systemd',
    null,
    /^[●×○*] ?\S+\.service\b/,
    /^\s*(?:Loaded|Drop-In|Docs|Tasks|Memory|CPU|CGroup|Active|Main PID|Process): /,
  ),
];
const kernel: readonly ProgramRow[] = [
  ...of(
    'kernel',
    'oom-kill',
    /^oom-kill:constraint=(?<constraint>CONSTRAINT_MEMCG),.*?task_memcg=(?<cgroup>[^,]*),task=(?<process>[^,]*),pid=(?<pid>\d+)/,
    /^Task in (?<cgroup>\/kubepods\S*) killed as a result of (?<constraint>limit) of/,
    /(?<constraint>Memory cgroup) out of memory: Kill(?:ed)? process (?<pid>\d+)(?:,? \((?<process>[^)]+)\))?/,
    /Out of memory: Kill(?:ed)? process (?<pid>\d+)(?:,? \((?<process>[^)]+)\))?/,
  ),
  ...of(
    'kernel',
    null,
    /invoked oom-killer|^oom-kill:constraint|^Task in .* killed as a result of limit|^oom_reaper: reaped|^Killed process \d+|^memory: usage|^Memory cgroup stats/,
  ),
  ...of('kernel', 'clock-jumped', /(?<error>clock(?:source)? .*(?:unstable|skewed)|Clock: inserting leap second)/i),
  ...of(
    'kernel',
    null,
    /^(?:IPv6: ADDRCONF|cni0: |cbr0: |veth\w+: |device \w+ (?:entered|left) promiscuous|docker0: |eth\d+: |audit: |br-\w+: )/,
  ),
];
const clocks: readonly ProgramRow[] = [
  ...of('systemd', 'clock-jumped', /^(?<error>(?:Time has been changed|Clock change detected.*))/),
  ...of('chronyd', 'clock-jumped', /^(?<error>System clock (?:was stepped|wrong) by .*)/),
  ...of('ntpd', 'clock-jumped', /^(?<error>time stepped by .*|.*step time server .* offset .*)/),
];
const others: readonly ProgramRow[] = [
  ...of('', 'panic', /^panic: (?<error>.*)/, /^fatal error: (?<error>.*)/),
  // The stack of a panic: of Go's own, and of who hands it on.
  ...of(
    '',
    'panic',
    /^panic\(0x[0-9a-f]+(?:, 0x[0-9a-f]+)*\)$/,
    /\/util\/runtime\.(?:HandleCrash|logPanic)\(/,
    /\/util\/runtime\/runtime\.go:\d+(?: \+0x[0-9a-f]+)?$/,
  ).map((one) => ({ ...one, named: true as const })),
  ...of(
    'kubelet',
    'kubelet-cannot-start',
    /^(?:Error|error): (?<error>(?:failed to (?:run|parse|load|initialize|construct|validate|set|create).*|unknown (?:shorthand )?flag.*|invalid argument.*|unrecognized .*))/,
    /^(?:kubelet: )?Exit with error: (?<error>.*)/,
    /^(?<error>(?:kubelet: )?unknown (?:shorthand )?flag.*|flag provided but not defined.*|invalid argument "[^"]*" for .*|unknown command .*)/,
  ),
  ...of(
    'kubelet',
    null,
    /^\s*\/\S+\.(?:go|s)(?::\d+(?: \+0x[0-9a-f]+)?)?$/,
    /^(?:created by )?(?:k8s\.io|github\.com|runtime|net)[\w./-]*\.\S+(?:\(.*\))?$/,
  ),
  ...of('kubelet', null, /^Flag --\S+ has been deprecated/, /^goroutine \d+ \[/, /^Usage:|^\s+--[\w-]+ /),
];

const ROWS: readonly ProgramRow[] = [...systemd, ...status, ...clocks, ...kernel, ...others];
/** Words that a line has if any row or runtime fits: a cheap look before the expressions. */
const WORTH =
  /kube|k3s|rke2|k0s|container|crio|cri-o|docker|oom|[Oo]ut of memory|clock|time|panic|fatal|flag|rror|invalid|unknown|[Ss]tart|[Ss]topp|slice|promiscuous|goroutine|Killed|cni|veth|--|level=|Reach|Mount|Consumed|ADDRCONF|\.go:|k8s\.io|\(0x|Active|PID|Loaded|Docs|Tasks|Memory|CPU|CGroup|Process/;

/** An error line of containerd, CRI-O or dockerd: logrus' text form. */
const LOGRUS =
  /(?:^|\s)level=(?<level>error|fatal|warning|info|debug|panic)\s(?:.*?\s)?msg="(?<msg>(?:[^"\\]|\\.)*)"(?<rest>.*)/;
const RUNTIMES: readonly (readonly [RegExp, string])[] = [
  [/^(?:containerd|containerd\.service)$/, 'containerd'],
  [/^(?:crio|cri-o)$/, 'crio'],
  [/^(?:dockerd|docker|dockerd-current)$/, 'dockerd'],
  [/^cri-dockerd$/, 'cri-dockerd'],
];
const CALL = /^(?<method>[A-Z]\w+) (?:for|with|failed|in|of) /;
const OF_POD = /PodSandboxMetadata\{Name:(?<name>[^,]+),Uid:(?<uid>[^,]+),Namespace:(?<namespace>[^,]+)/;
const CALL_CODES: { readonly [method: string]: SymptomCode } = {
  RunPodSandbox: 'sandbox-failed',
  CreateContainer: 'container-create-failed',
  StartContainer: 'container-start-failed',
  StopPodSandbox: 'kill-failed',
  StopContainer: 'kill-failed',
  PullImage: 'image-pull-failed',
  ExecSync: 'call-failed',
};

/** Requests to Docker's engine, by their paths. */
const DOCKER: readonly (readonly [RegExp, SymptomCode, string])[] = [
  [/POST \S*\/images\/create/, 'image-pull-failed', 'PullImage'],
  [/POST \S*\/containers\/create/, 'container-create-failed', 'CreateContainer'],
  [/POST \S*\/containers\/\w+\/start/, 'container-start-failed', 'StartContainer'],
  [/POST \S*\/containers\/\w+\/(?:stop|kill)/, 'kill-failed', 'StopContainer'],
];

/** The names that the kubelet gives: of a sandbox without the container's. */
const GIVEN_NAME =
  /^k8s_(?:(?<container>[^_]+)_)?(?<pod>[^_]+)_(?<namespace>[^_]+)_(?<uid>[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32})_\d+$/;
/** CRI-O only warns that a name is reserved, because it takes the call for one of a kubelet that could not wait. */
function reserved(program: string, msg: string): ProgramTrouble | null {
  const cause = causeOf(msg, 'runtime');
  if (cause?.code !== 'name-reserved') return null;
  const { container, pod, namespace, uid } = GIVEN_NAME.exec(String(cause.facts.name))?.groups ?? {};
  return {
    ...{ code: cause.code, program, facts: { error: msg.slice(0, 2_000), ...cause.facts } },
    ...(pod && { pod: `${namespace}/${pod}` }),
    ...(uid && { uid }),
    ...(container && { container }),
  };
}

function ofRuntime(program: string, text: string): ProgramTrouble | null | undefined {
  const found = LOGRUS.exec(text)?.groups;
  const runtime = RUNTIMES.find(([name]) => name.test(program))?.[1];
  // Many a program inside a container logs in this form, too.
  if (!found || !(runtime || text.startsWith('time="'))) return undefined;
  if (found.level === 'info' || found.level === 'debug') return null;
  const msg = unquoted(found.msg ?? '');
  if (found.level === 'warning') return reserved(runtime ?? 'crio', msg);
  const error = unquoted(/\berror="((?:[^"\\]|\\.)*)"/.exec(found.rest ?? '')?.[1] ?? '');
  const whole = error ? `${msg}: ${error}` : msg;
  const [, asked, docker] = (msg.startsWith('Handler for ') && DOCKER.find(([path]) => path.test(msg))) || [];
  const method = docker ?? CALL.exec(msg)?.groups?.method ?? '';
  const called = asked ?? CALL_CODES[method];
  if (called === undefined || isHarmless(whole)) return null;
  const cause = called === 'image-pull-failed' ? null : causeOf(error || msg, 'volume');
  const { name, uid, namespace } = OF_POD.exec(msg)?.groups ?? {};
  return {
    code: cause?.code ?? called,
    program: runtime ?? (docker ? 'dockerd' : 'containerd'),
    ...(name && namespace && { pod: `${namespace}/${name}` }),
    ...(uid && { uid }),
    facts: { error: whole.slice(0, 2_000), method, ...cause?.facts },
  };
}

const NUMBERS: ReadonlySet<string> = new Set(['exitCode', 'counter', 'pid']);
/** Programs that write lines of systemd, of the kernel and of the kubelet. */
const fits = (row: ProgramRow, program: string): boolean =>
  program === '' ||
  row.program === '' ||
  row.program === program ||
  (row.program === 'kubelet' && /kube|k3s|rke2|k0s/.test(program));

/** A cgroup's path names the pod by its UID, and the container by its id. */
function ofCgroup(facts: { [name: string]: Json }): string | undefined {
  const { cgroup } = facts;
  if (typeof cgroup !== 'string') return undefined;
  const id = /[0-9a-f]{64}/.exec(cgroup)?.[0];
  if (id) facts.containerID = id;
  return /pod([0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}|[0-9a-f]{32})/.exec(cgroup)?.[1]?.replaceAll('_', '-');
}

/**
 * The trouble that a line of another program reports; null if a known line reports none, undefined if it is unknown.
 */
export function programTrouble({ text, program = '' }: OtherLine): ProgramTrouble | null | undefined {
  if (!WORTH.test(text)) return undefined;
  const runtime = ofRuntime(program, text);
  if (runtime !== undefined) return runtime;
  const whose = program.replace(/\[\d+\]$/, '');
  for (const row of ROWS) {
    if (!fits(row, whose)) continue;
    const found = row.text.exec(text);
    if (!found) continue;
    if (row.code === null || (row.named && whose === '')) return null;
    const facts: { [name: string]: Json } = {};
    for (const [name, value] of Object.entries(found.groups ?? {}))
      if (value !== undefined) facts[name] = NUMBERS.has(name) ? Number(value) : value;
    if (row.code === 'kubelet-cannot-start' && facts.error === undefined) facts.error = text;
    const uid = ofCgroup(facts);
    return { code: row.code, program: row.program || whose || 'unknown', ...(uid && { uid }), facts };
  }
  return undefined;
}
