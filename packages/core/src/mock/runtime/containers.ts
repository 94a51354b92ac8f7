import { base64Decode, base64Length, cleanPath } from '../../base/index.js';
import type {
  ContainerConfig,
  CreateContainerRequest,
  CreateContainerResponse,
  RemoveContainerRequest,
  ReopenContainerLogRequest,
  StartContainerRequest,
  StopContainerRequest,
  UpdateContainerResourcesRequest,
} from '../../cri/index.js';
import { GrpcCode } from '../../cri/index.js';
import { type Context, type Go, sleep } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { LivingContainer } from '../container-scripts/container-scripts.js';
import { lifeProgram } from '../container-scripts/program.js';
import { type Account, accountOf } from '../fs/accounts.js';
import { ContainerFS, type MountPoint } from '../fs/container-fs.js';
import { MemFS } from '../fs/memfs.js';
import type { StoredImage } from '../images/images.js';
import { argMax, argumentsTooLong, budgetReason, maxArgStrlen } from '../process/budget.js';
import { find, inProgramFolder, type ProgramLookup, type ProgramMissing } from '../process/find.js';
import { nodePrivileges, privilegesOf } from '../process/privileges.js';
import { type Peer, Proc, type ProcessExit, ProcGroup, signalName } from '../process/process.js';
import { nullStream, Pipe, silentStream } from '../process/streams.js';
import type { Program, World } from '../process/world.js';
import { busyboxPrograms, programNamed } from '../programs/programs.js';
import { behaviourOf, behaviourProgram, standIn } from './behaviour.js';
import { type Core, lookupError, notFound, unknown } from './core.js';
import { LogWriter } from './log-writer.js';
import { sandboxMounts } from './sandbox-files.js';
import { killSandboxProcess } from './sandbox-process.js';
import type { Container, Sandbox } from './store.js';

export const stateNames = {
  created: 'CONTAINER_CREATED',
  running: 'CONTAINER_RUNNING',
  exited: 'CONTAINER_EXITED',
} as const;
const imagePath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The container that is to be stopped or removed, which may be gone; null then. */
function findIfThere(core: Core, id = ''): Container | null {
  const c = core.store.container(id);
  if (c) return c;
  const error = lookupError(core.store.containers, id, `an error occurred when try to find container "${id}"`);
  if (error.code !== GrpcCode.NotFound) throw error;
  return null;
}

/** The container of a request, or the error that says there is none. */
export function mustFind(core: Core, id: string | undefined): Container {
  const c = core.store.container(id ?? '');
  if (!c)
    throw lookupError(core.store.containers, id ?? '', `an error occurred when try to find container "${id ?? ''}"`);
  return c;
}

/**
 * A call that was slow for so long (`delay`, in microseconds) that its caller has given up has no effect; its name
 * is taken until then.
 * upstream: containerd internal/cri/server (*criService).CreateContainer
 */
export function* createContainer(
  core: Core,
  request: CreateContainerRequest,
  ctx: Context,
  delay: Micros,
): Go<CreateContainerResponse> {
  const given = request.config ?? {};
  const tooLong = neverRuns(given);
  const config = tooLong ? withoutLongTexts(given) : given;
  const sandbox = core.store.sandbox(request.podSandboxId ?? '');
  if (!sandbox) {
    const sandboxId = request.podSandboxId ?? '';
    throw lookupError(core.store.sandboxes, sandboxId, `failed to find sandbox id "${sandboxId}"`);
  }
  if (!config.metadata) throw unknown('container config must include metadata');
  const { name = '', attempt = 0 } = config.metadata;
  const id = core.random.hex(64);
  const reserved = [name, sandbox.pod, sandbox.namespace, sandbox.uid, attempt].join('_');
  const holder = core.store.names.get(reserved);
  if (holder !== undefined)
    throw unknown(`failed to reserve container name "${reserved}": name "${reserved}" is reserved for "${holder}"`);
  core.store.names.set(reserved, id);
  const fail = (error: Error): never => {
    core.store.names.delete(reserved);
    throw error;
  };
  const givenUp = () => {
    const ended = ctx.err();
    if (ended) fail(unknown(`failed to create containerd container: ${ended.message}`));
  };
  if (delay > 0) {
    yield* sleep(delay);
    givenUp();
  }
  yield* sleep(core.callTime(core.latencies.createContainer));
  if (core.scripted) givenUp();
  const wanted = config.image?.image ?? '';
  if (!wanted) fail(unknown('failed to resolve image "": ambiguous digest string'));
  const image = core.images.find(wanted) ?? fail(notFound(`failed to resolve image "${wanted}": not found`));
  const subject = { uid: sandbox.uid, pod: sandbox.pod, namespace: sandbox.namespace, container: name };
  if (commandOf(config, image).length === 0 && !core.scripts.knows(subject))
    fail(unknown(`failed to generate container "${id}" spec: failed to generate spec: no command specified`));
  const unfit = mountProblem(config) ?? propagationProblem(core, config);
  if (unfit !== null) fail(unknown(`failed to generate container "${id}" spec: failed to generate spec: ${unfit}`));
  const account = accountOf(config, image);
  if (typeof account === 'string') return fail(unknown(account));
  const { seccomp } = config.linux?.securityContext ?? {};
  const profile = seccomp?.profileType === 'Localhost' ? (seccomp.localhostRef ?? '') : null;
  const badProfile = (why: string) =>
    fail(unknown(`failed to create containerd container: cannot load seccomp profile "${profile}": ${why}`));
  if (profile !== null && !core.fs.existsSync(profile)) badProfile(`open ${profile}: no such file or directory`);
  let privileges = nodePrivileges;
  try {
    privileges = privilegesOf(config, profile === null ? null : core.fs.readFileSync(profile), sandbox);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    badProfile(`decoding seccomp profile failed: ${error.message}`);
  }
  const fs = filesOf(core, sandbox, config, account);
  const container: Container = {
    id,
    sandbox,
    config,
    name,
    attempt,
    tooLong,
    reserved,
    image,
    createdAt: core.nowNs(),
    logPath: config.logPath ? `${sandbox.config.logDirectory ?? ''}/${config.logPath}` : '',
    stopSignal: stopSignalOf(config, image),
    living: core.scripts.created(subject),
    privileges,
    stdin: null,
    account,
    fs,
    fresh: fs.layerUsage(),
    state: 'created',
    starting: false,
    removing: false,
    startedAt: '',
    finishedAt: '',
    exitCode: 0,
    reason: '',
    message: '',
    oomKilled: false,
    resources: config.linux?.resources ?? {},
    sampled: false,
    group: null,
    world: null,
    log: null,
    onExited: new Set(),
    listed: null,
    status: null,
  };
  core.store.containers.set(id, container);
  sandbox.containers.add(container);
  core.store.changed(container);
  core.emitContainer(container, 'created');
  core.event('CONTAINER_CREATED_EVENT', sandbox, id);
  return { containerId: id };
}

/** Returns true if a container's own arguments and environment are too long to start anything with. */
function neverRuns(config: ContainerConfig): boolean {
  const env = (config.envs ?? []).map(({ key = '', value = '' }) => key.length + 1 + base64Length(value));
  const words = [...(config.command ?? []), ...(config.args ?? [])].map((w) => w.length);
  let total = 0;
  for (const n of [...env, ...words]) {
    total += n + 9;
    if (n >= maxArgStrlen || total > argMax) return true;
  }
  return false;
}

/** Enough of it to fail with. */
const withoutLongTexts = (config: ContainerConfig): ContainerConfig => ({
  ...config,
  envs: [],
  command: (config.command ?? []).slice(0, 1).map((w) => w.slice(0, 4095)),
  args: [],
});

/** The words that its first process runs. */
function commandOf(config: ContainerConfig, image: StoredImage): readonly string[] {
  const command = config.command ?? [];
  const args = config.args ?? [];
  if (command.length > 0) return [...command, ...args];
  const words = [...(image.spec.entrypoint ?? []), ...(args.length > 0 ? args : (image.spec.cmd ?? []))];
  // An image whose behaviour the scenario states need not name its program.
  return words.length === 0 && image.spec.does ? ['simulated'] : words;
}

function stopSignalOf(config: ContainerConfig, image: StoredImage): string {
  const set =
    config.stopSignal && config.stopSignal !== 'SIGNAL_RUNTIME_DEFAULT'
      ? signalName(config.stopSignal.replace(/^SIGNAL_/, ''))
      : null;
  if (set) return set;
  const ofImage = image.spec.stopSignal ? signalName(image.spec.stopSignal) : null;
  if (ofImage) return ofImage;
  // The nginx image asks for SIGQUIT, a graceful end.
  return image.programs.has('nginx') ? 'QUIT' : 'TERM';
}

/** upstream (containerd): internal/cri/opts WithMounts, which CRI demands. Null if all is well. */
function mountProblem(config: ContainerConfig): string | null {
  for (const { recursiveReadOnly, readonly, propagation = 'PROPAGATION_PRIVATE' } of config.mounts ?? []) {
    if (!recursiveReadOnly) continue;
    if (!readonly) return 'recursive read-only mount needs readonly to be set';
    if (propagation !== 'PROPAGATION_PRIVATE')
      return `recursive read-only mount needs private propagation, got ${propagation}`;
  }
  return null;
}

/** upstream (containerd): ensureShared, ensureSharedOrSlave. Null if all is well. */
function propagationProblem(core: Core, config: ContainerConfig): string | null {
  if (!core.options.privateMounts) return null;
  for (const { hostPath, propagation } of config.mounts ?? []) {
    const wanted = { PROPAGATION_BIDIRECTIONAL: 'shared', PROPAGATION_HOST_TO_CONTAINER: 'shared or slave' };
    const kind = propagation && propagation in wanted ? wanted[propagation as keyof typeof wanted] : null;
    if (kind) return `path "${cleanPath(hostPath ?? '')}" is mounted on "/" but it is not a ${kind} mount`;
  }
  return null;
}

function filesOf(core: Core, sandbox: Sandbox, config: ContainerConfig, account: Account): ContainerFS {
  const mounts: MountPoint[] = [];
  for (const m of config.mounts ?? []) {
    const source = cleanPath(m.hostPath ?? '');
    const fs = m.image?.image ? new MemFS(core.kernel) : core.fs;
    // A source that is missing is made, as a folder.
    if (!m.image?.image && !fs.lookup(source)) fs.mkdirAllSync(source);
    mounts.push({
      at: cleanPath(m.containerPath ?? ''),
      fs,
      source: m.image?.image ? '/' : source,
      readonly: m.readonly ?? false,
    });
  }
  const readonly = config.linux?.securityContext?.readonlyRootfs ?? false;
  mounts.push(...sandboxMounts(sandbox.files, mounts, readonly));
  const layer = ContainerFS.layer(() => new MemFS(core.kernel));
  const { maskedPaths = [], readonlyPaths = [] } = config.linux?.securityContext ?? {};
  for (const at of readonlyPaths.map(cleanPath))
    if (layer.lookup(at)) mounts.push({ at, fs: layer, source: at, readonly: true });
  const hidden = maskedPaths.map(cleanPath).filter((at) => layer.lookup(at) || inProgramFolder(at));
  for (const at of hidden) mounts.push({ at, ...core.mask(layer.lookup(at)?.kind === 'dir'), readonly: true });
  return new ContainerFS(layer, mounts, readonly, account.uid, hidden);
}

/** A program that cannot be run, as runc words it. */
export function execError(name: string, error: ProgramMissing['error']): string {
  if (error === 'no such file or directory') return `exec: "${name}": stat ${name}: no such file or directory`;
  return `exec: "${name}": ${error === 'is a directory' ? 'permission denied' : error}`;
}

/** Ends a container that could not be started. upstream: (*criService).StartContainer, what it defers */
export function startFailed(core: Core, c: Container, text: string): void {
  c.state = 'exited';
  c.finishedAt = core.nowNs();
  c.exitCode = 128;
  c.reason = 'StartError';
  c.message = text;
  core.store.changed(c);
  core.emitContainer(c, 'exited', { exitCode: 128, reason: 'StartError' });
  core.event('CONTAINER_STOPPED_EVENT', c.sandbox, c.id);
}

/** upstream: (*criService).StartContainer */
export function* startContainer(core: Core, request: StartContainerRequest): Go<object> {
  const c = mustFind(core, request.containerId);
  const refuse = (why: string) => unknown(`failed to set starting state for container "${c.id}": ${why}`);
  if (c.state !== 'created') throw refuse(`container is in ${stateNames[c.state]} state`);
  if (c.removing) throw refuse("container is in removing state, can't be started");
  if (c.starting) throw refuse('container is already in starting state');
  c.starting = true;
  const total = core.callTime(core.latencies.startContainer);
  const tail = Math.min(4000, total);
  yield* sleep(total - tail);
  c.starting = false;
  const fail = (text: string): never => {
    startFailed(core, c, text);
    throw unknown(text);
  };
  if (!c.sandbox.ready) fail(`sandbox container "${c.sandbox.id}" is not running`);
  const words = commandOf(c.config, c.image);
  const argv = words.length > 0 ? words : ['simulated'];
  const log = new LogWriter(core.fs, c.logPath, () => core.stamp());
  const world = worldOf(core, c, log);
  const cwd = c.config.workingDir || c.image.spec.workingDir || '/';
  const env = environmentOf(c);
  const scripted = c.living
    ? living(core, c, c.living)
    : behaviourProgram(behaviourOf(c.image.spec, c.name), c.config.image?.userSpecifiedImage || c.image.spec.ref);
  const found: ProgramLookup = scripted
    ? { program: scripted, args: (words) => words }
    : find(world, argv[0] as string, cwd, env.get('PATH'));
  if ('error' in found) {
    const name = argv[0] as string;
    fail(
      `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ${execError(name, found.error)}`,
    );
    return {};
  }
  const pidMode = c.config.linux?.securityContext?.namespaceOptions?.pid;
  const group = new ProcGroup(
    core.kernel,
    core.shims,
    `${c.sandbox.pod}/${c.name}`,
    pidMode === 'CONTAINER',
    pidMode === 'CONTAINER' ? { next: 1 } : pidMode === 'NODE' ? core.pids : c.sandbox.pids,
    pidMode === 'CONTAINER' ? undefined : () => (pidMode === 'NODE' ? onNode(core) : sharing(core, c.sandbox)),
  );
  const { stdin, tty } = c.config;
  const input = stdin && core.options.streams ? new Pipe(group) : null;
  // Open for as long as nobody who held it lets go of it.
  input?.sink.retain();
  c.stdin = input?.sink ?? null;
  const proc = new Proc(group, null, {
    argv,
    env,
    cwd,
    // A terminal has one output, and nobody sits at it.
    streams: { in: input ?? (stdin || tty ? silentStream : nullStream), out: log.out, err: tty ? log.out : log.err },
  });
  group.init = proc;
  group.onEnd = (exit) => ended(core, c, exit);
  c.group = group;
  c.world = world;
  c.log = log;
  c.startedAt = core.nowNs();
  core.emitContainer(c, 'running');
  group.spawn(proc, (p) =>
    c.tooLong || argumentsTooLong(argv, env) ? refusedExec(p) : found.program(p, world, found.args(argv)),
  );
  yield* sleep(tail);
  started(core, c);
  return {};
}

/**
 * Reports the start, once for each container: also of one that has ended before its start was answered, as containerd
 * does.
 */
function started(core: Core, c: Container): void {
  if (c.state !== 'created') return;
  c.state = 'running';
  core.store.changed(c);
  core.event('CONTAINER_STARTED_EVENT', c.sandbox, c.id);
}

/**
 * Reports an execve that fails, as runc does: where the program's own output goes, with 255 as exit code. upstream
 * (runc): libcontainer Init
 */
export function* refusedExec(proc: Proc): Go<number> {
  proc.streams.err.write(`exec ${(proc.argv[0] ?? '').slice(0, 256)}: argument list too long\n`);
  return 255;
}

/** The processes that share the node's PID namespace. */
function* onNode(core: Core): Generator<Peer> {
  for (const c of core.store.containers.values())
    if (c.group && c.config.linux?.securityContext?.namespaceOptions?.pid === 'NODE') yield* c.group.procs.values();
}

/** Yields all processes of a sandbox' own PID namespace. The first is the sandbox's. */
function* sharing(core: Core, sandbox: Sandbox): Generator<Peer> {
  const pause: Peer = {
    pid: 1,
    argv: ['/pause'],
    exit: sandbox.alive ? null : { code: 0, signal: null },
    signalFromInside: (name) => {
      if (name === 'TERM' || name === 'INT') killSandboxProcess(core, sandbox);
    },
  };
  if (sandbox.alive) yield pause;
  for (const c of sandbox.containers)
    if (c.group && !c.group.ownPids && c.config.linux?.securityContext?.namespaceOptions?.pid !== 'NODE')
      yield* c.group.procs.values();
}

/** The first process of a container that lives as a scenario says, from now on. */
function living(core: Core, c: Container, container: LivingContainer): Program {
  leaveMessage(core, c, container);
  container.began = core.kernel.now();
  return lifeProgram({
    of: container,
    began: container.began,
    stopSignal: c.stopSignal,
    onOwnEnd: () => core.scripts.ends(container),
  });
}

/** Writes the script's message into the file of the container's terminationMessagePath. */
export function leaveMessage(core: Core, c: Container, { life }: LivingContainer): void {
  const path = c.config.annotations?.['io.kubernetes.container.terminationMessagePath'];
  const file = path && c.config.mounts?.find((m) => m.containerPath === cleanPath(path))?.hostPath;
  // At once: nobody reads it before the end, and so it is there whatever ends the container.
  if (life.message !== undefined && file) core.fs.writeFileSync(file, life.message);
}

function environmentOf(c: Container): Map<string, string> {
  const env = new Map<string, string>([
    ['PATH', imagePath],
    ['HOSTNAME', c.sandbox.config.hostname || c.sandbox.pod],
  ]);
  for (const e of c.image.spec.env ?? []) env.set(e.slice(0, e.indexOf('=')), e.slice(e.indexOf('=') + 1));
  // Their values are bytes.
  for (const { key = '', value = '' } of c.config.envs ?? []) env.set(key, base64Decode(value));
  if (!env.has('HOME')) env.set('HOME', c.account.home);
  return env;
}

function worldOf(core: Core, c: Container, log: LogWriter): World {
  const net = () => c.sandbox.net ?? core.network.host;
  const asCommand = !c.living && behaviourOf(c.image.spec, c.name).kind === 'command';
  // The stand-in answers for what only a command's image is taken to have.
  const programs = asCommand || c.image.spec.programs ? c.image.programs : busyboxPrograms();
  return {
    fs: c.fs,
    has: (program) => c.image.programs.has(program) && programs.has(program),
    programNamed,
    ...(!asCommand && { standIn }),
    get net() {
      return net();
    },
    dial: (host, port) => core.network.dial(null, host, port, 3_000_000, net()),
    get hostname() {
      return c.sandbox.hostname;
    },
    setHostname: (name) => {
      c.sandbox.hostname = name;
    },
    privileges: c.privileges,
    sysctls: c.sandbox.config.linux?.sysctls ?? {},
    user: c.account,
    get memoryLimit() {
      return Number(c.resources.memoryLimitInBytes ?? 0) || null;
    },
    oom: (proc) => {
      oomHappened(core, c);
      proc.die('KILL');
    },
    nowMillis: () => core.nowMillis(),
    random: core.random,
    initOut: log.out,
    initErr: c.config.tty ? log.out : log.err,
  };
}

/** Notes an OOM at once, whichever process was hit: the reason stays, even if the container goes on or ends well. */
function oomHappened(core: Core, c: Container): void {
  c.oomKilled = true;
  c.reason = 'OOMKilled';
  core.store.changed(c);
}

/** Has the OOM killer take the first process, and with it the container. */
export function oomKill(core: Core, c: Container): boolean {
  const init = c.group?.init;
  if (!init || init.exit) return false;
  oomHappened(core, c);
  init.die('KILL');
  return true;
}

/** Returns the reason why a container ended, in the runtime's words. */
export function endReason(c: Container, exitCode: number): string {
  if (c.oomKilled) return 'OOMKilled';
  if (c.group?.init?.exceeded) return budgetReason;
  return exitCode === 0 ? 'Completed' : 'Error';
}

/** Called when the first process has ended. The runtime sees it a little later, or when it runs again. */
function ended(core: Core, c: Container, exit: ProcessExit): void {
  const finishedAt = core.nowNs();
  c.log?.flush();
  const exceeded = c.group?.init?.exceeded ?? null;
  const reason = endReason(c, exit.code);
  core.emitContainer(c, 'exited', { exitCode: exit.code, reason });
  const seen = () => {
    if (c.state === 'exited' || !core.store.containers.has(c.id)) return;
    started(core, c);
    c.state = 'exited';
    c.finishedAt = finishedAt;
    c.exitCode = exit.code;
    c.reason = reason;
    if (exceeded) c.message = exceeded;
    core.store.changed(c);
    core.event('CONTAINER_STOPPED_EVENT', c.sandbox, c.id);
    for (const fn of [...c.onExited]) fn();
    c.onExited.clear();
  };
  core.kernel.addTimer(
    core.kernel.now() + core.latency(core.latencies.exit),
    () => {
      if (core.running) seen();
      else core.unseen.push(seen);
    },
    core.shims,
  );
}

/** Waits until the runtime has seen the end; false if `limit` Micros passed or ctx ended first. */
function* exited(core: Core, c: Container, limit: number | null, ctx: Context | null): Go<boolean> {
  if (c.state === 'exited') return true;
  yield {
    start(_k, g) {
      // As in exec, a context that has ended already has nobody to wake.
      if (ctx?.err()) return true;
      const wake = () => {
        clean();
        core.kernel.ready(g);
      };
      const timer = limit === null ? null : core.kernel.addTimer(core.kernel.now() + limit, wake, g.process);
      c.onExited.add(wake);
      const stop = ctx?.afterFunc(wake);
      const clean = () => {
        timer?.stop();
        stop?.();
        c.onExited.delete(wake);
      };
      core.kernel.park(g, { op: 'call', name: 'container exit' }, clean, true);
      return false;
    },
  };
  // onExited runs after the state was set.
  return (c.state as Container['state']) === 'exited';
}

/** Sends SIGKILL, and waits for the end. */
export function* killAndWait(core: Core, c: Container): Go<void> {
  c.group?.init?.signal('KILL');
  yield* exited(core, c, null, null);
}

/** upstream: (*criService).stopContainer: the stop signal, the grace period, then SIGKILL. */
export function* stopContainer(core: Core, request: StopContainerRequest, ctx: Context): Go<object> {
  const c = findIfThere(core, request.containerId);
  yield* sleep(core.latency(core.latencies.read));
  if (c?.state !== 'running') return {};
  const timeout = Number(request.timeout ?? 0);
  if (timeout > 0) {
    c.group?.init?.signal(c.stopSignal);
    if (yield* exited(core, c, timeout * 1_000_000, ctx)) return {};
    if (ctx.err()) return {};
  }
  yield* killAndWait(core, c);
  return {};
}

/** upstream: (*criService).RemoveContainer: by force if it runs. */
export function* removeContainer(core: Core, request: RemoveContainerRequest): Go<object> {
  const c = findIfThere(core, request.containerId);
  if (!c) {
    yield* sleep(core.latency(core.latencies.read));
    return {};
  }
  if (c.removing)
    throw unknown(`failed to set removing state for container "${c.id}": container is already in removing state`);
  if (c.starting)
    throw unknown(
      `failed to set removing state for container "${c.id}": container is in starting state, can't be removed`,
    );
  if (c.state === 'running') yield* killAndWait(core, c);
  c.removing = true;
  yield* sleep(core.callTime(core.latencies.removeContainer));
  core.store.containers.delete(c.id);
  c.sandbox.containers.delete(c);
  core.store.names.delete(c.reserved);
  core.store.changed(c);
  core.emitContainer(c, 'removed');
  core.event('CONTAINER_DELETED_EVENT', c.sandbox, c.id);
  return {};
}

/** upstream: (*criService).UpdateContainerResources */
export function updateContainerResources(core: Core, request: UpdateContainerResourcesRequest): object {
  const c = core.store.container(request.containerId ?? '');
  if (!c) throw lookupError(core.store.containers, request.containerId ?? '', 'failed to find container');
  const merged: Record<string, unknown> = { ...c.resources };
  for (const [k, v] of Object.entries(request.linux ?? {})) if (v !== undefined && v !== '0' && v !== '') merged[k] = v;
  c.resources = merged;
  core.store.changed(c);
  return {};
}

/** upstream: (*criService).ReopenContainerLog */
export function reopenContainerLog(core: Core, request: ReopenContainerLogRequest): object {
  const c = mustFind(core, request.containerId);
  if (c.state !== 'running') throw unknown('container is not running');
  c.log?.open();
  return {};
}
