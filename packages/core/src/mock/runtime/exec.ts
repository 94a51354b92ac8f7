import { base64Encode } from '../../base/index.js';
import { CRIError, type ExecSyncRequest, type ExecSyncResponse, GrpcCode } from '../../cri/index.js';
import { type Context, type Go, sleep } from '../../kernel/index.js';
import type { Asking } from '../container-scripts/container-scripts.js';
import { execAnswer, execTime } from '../container-scripts/outcomes.js';
import { probing } from '../faults/probe-faults.js';
import { argumentsTooLong, BudgetExceeded } from '../process/budget.js';
import { find } from '../process/find.js';
import { Proc, type ProcessExit, type ProcGroup, type Streams } from '../process/process.js';
import { type ByteSink, Capture, nullStream, Pipe } from '../process/streams.js';
import { behaviourOf } from './behaviour.js';
import { execError, mustFind, refusedExec } from './containers.js';
import { type Core, lookupError, unknown } from './core.js';
import type { Container } from './store.js';
import type { ExecResult, StreamEnds, StreamRequest } from './types.js';

/**
 * Most output that an exec keeps, each of stdout and stderr: a quarter of containerd's, because it is encoded at once.
 */
const maxOutput = 4 << 20;

/**
 * Runs a command in a container. After `timeout` Micros it is killed and the call fails, but only once nobody holds its
 * output any more: children that it left behind keep the call open, as with containerd.
 */
function* run(
  core: Core,
  c: Container,
  command: readonly string[],
  timeout: number | null,
  ctx: Context | null,
): Go<ExecResult> {
  mustRun(c);
  const latency = core.callTime(core.latencies.execSync);
  yield* sleep(Math.round(latency * 0.7));
  const out = new Capture(maxOutput);
  const err = new Capture(maxOutput);
  const proc = begin(core, c, command, { in: nullStream, out, err });

  const done = () => proc.exit !== null && !out.open && !err.open;
  let timedOut = false;
  yield* until(core, proc, [out, err], timeout, ctx, () => proc.exit !== null);
  if (!proc.exit) {
    timedOut = true;
    proc.die('KILL');
  }
  if (!done()) yield* until(core, proc, [out, err], null, null, done);
  yield* sleep(latency - Math.round(latency * 0.7));
  if (timedOut) throw timeoutExceeded(ctx, timeout ?? 0);
  return { exitCode: (proc.exit as { code: number } | null)?.code ?? 0, stdout: out.text, stderr: err.text };
}

/** Starts a command next to the first process. Throws if that has ended meanwhile, or there is no such program. */
function begin(core: Core, c: Container, command: readonly string[], streams: Streams): Proc {
  const { group, world } = c;
  const init = group?.init;
  if (!group || !init || !world) throw unknown('failed to exec in container: no running task found');
  const cwd = c.config.workingDir || c.image.spec.workingDir || '/';
  const env = new Map(init.env);
  const found = find(world, command[0] ?? '', cwd, env.get('PATH'));
  const failed = (why: string) =>
    unknown(`failed to exec in container: failed to start exec "${core.random.hex(64)}": ${why}`);
  if (init.exit) throw failed('OCI runtime exec failed: exec failed: cannot exec in a stopped container');
  if ('error' in found) {
    const name = command[0] ?? '';
    throw failed(
      `OCI runtime exec failed: exec failed: unable to start container process: ${execError(name, found.error)}`,
    );
  }
  const proc = new Proc(group, null, { argv: command, env, cwd, streams });
  group.spawn(proc, (p) =>
    argumentsTooLong(command, env) ? refusedExec(p) : found.program(p, world, found.args(command)),
  );
  return proc;
}

function mustRun(c: Container): void {
  if (c.state === 'running' && c.group?.init && c.world) return;
  const state = c.state === 'created' ? 'CONTAINER_CREATED' : 'CONTAINER_EXITED';
  throw unknown(`failed to exec in container: container is in ${state} state`);
}

/** Passes on to somebody outside what is written. */
class CallbackSink implements ByteSink {
  constructor(private readonly pass: (text: string) => void) {}
  write(text: string): boolean {
    this.pass(text);
    return true;
  }
  retain(): void {}
  release(): void {}
}

/**
 * A command, or the first process, with streams that lead outside; over with its end, or with `ctx`, which kills the
 * command and leaves the first process alone. Gives the exit code.
 * upstream: containerd internal/cri/server (*streamRuntime).Exec, Attach
 */
export function* stream(core: Core, request: StreamRequest, ends: StreamEnds, ctx: Context): Go<number> {
  const c = mustFind(core, request.containerId);
  mustRun(c);
  const group = c.group as ProcGroup;
  if (request.command === null) return yield* attached(core, c, request, ends, ctx);
  const input = request.stdin ? new Pipe(group) : null;
  input?.sink.retain();
  // A terminal has one output.
  const out = new CallbackSink(ends.stdout);
  const proc = begin(core, c, request.command, {
    in: input ?? nullStream,
    out,
    err: request.tty ? out : new CallbackSink(ends.stderr),
  });
  if (input) ends.stdin(feeding(input.sink));
  yield* until(core, proc, [], null, ctx, () => proc.exit !== null);
  if (!proc.exit) proc.die('KILL');
  return (proc.exit as ProcessExit | null)?.code ?? 0;
}

function* attached(core: Core, c: Container, request: StreamRequest, ends: StreamEnds, ctx: Context): Go<number> {
  const init = c.group?.init as Proc;
  const listener = (name: 'stdout' | 'stderr', text: string) => {
    if (request[name]) ends[name](text);
  };
  c.log?.listeners.add(listener);
  if (request.stdin && c.stdin) {
    const feed = feeding(c.stdin);
    // Whoever comes later finds it open, unless it is for one only.
    ends.stdin((text) => {
      if (text !== null || c.config.stdinOnce) feed(text);
    });
  }
  yield* until(core, init, [], null, ctx, () => init.exit !== null);
  c.log?.listeners.delete(listener);
  return init.exit?.code ?? 0;
}

/**
 * Writes a text; returns false if it is more than may wait to be read: the rest is lost, as where a reader has gone.
 */
function writes(sink: ByteSink, text: string): boolean {
  try {
    return sink.write(text);
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    return false;
  }
}

/** Writes what comes from outside; the end is passed on once. */
function feeding(sink: ByteSink): (text: string | null) => void {
  let over = false;
  return (text) => {
    if (over) return;
    over = text === null;
    if (text === null) sink.release();
    else if (!writes(sink, text)) over = true;
  };
}

function timeoutExceeded(ctx: Context | null, timeout: number): CRIError {
  const seconds = Math.round(timeout / 1_000_000);
  const code = ctx?.err()?.reason === 'canceled' ? GrpcCode.Canceled : GrpcCode.DeadlineExceeded;
  return new CRIError(
    code,
    `failed to exec in container: timeout ${seconds >= 60 ? `${Math.floor(seconds / 60)}m${seconds % 60}s` : `${seconds}s`} exceeded: context deadline exceeded`,
  );
}

/**
 * Waits until `condition`, which the process' end or the closing of its output may bring, a time or the context's end.
 */
function* until(
  core: Core,
  proc: Proc,
  outputs: readonly Capture[],
  limit: number | null,
  ctx: Context | null,
  condition: () => boolean,
): Go<void> {
  if (condition()) return;
  yield {
    start(_k, g) {
      // A context that has ended already would call back before there is anything to wake.
      if (ctx?.err()) return true;
      let over = false;
      const wake = (force: boolean) => {
        if (over || !(force || condition())) return;
        over = true;
        clean();
        core.kernel.ready(g);
      };
      const timer =
        limit === null ? null : core.kernel.addTimer(core.kernel.now() + limit, () => wake(true), g.process);
      const stop = ctx?.afterFunc(() => wake(true));
      const clean = () => {
        over = true;
        timer?.stop();
        stop?.();
        for (const o of outputs) o.onClose = null;
      };
      proc.onExit(() => wake(false));
      for (const o of outputs) o.onClose = () => wake(false);
      core.kernel.park(g, { op: 'call', name: 'exec' }, clean, true);
      return false;
    },
  };
}

/** A command of a probe or a hook, in a container of which a scenario says what they come to. */
export function* reportedExec(
  core: Core,
  c: Container,
  { outcome }: Asking,
  request: ExecSyncRequest,
  ctx: Context,
): Go<ExecSyncResponse> {
  const init = c.group?.init;
  const limit = Number(request.timeout ?? 0) * 1_000_000 || Number.POSITIVE_INFINITY;
  const took = outcome?.result === 'hang' ? Number.POSITIVE_INFINITY : (outcome?.took ?? core.callTime(execTime));
  const wait = Math.min(took, limit);
  if (init)
    yield* until(core, init, [], wait === Number.POSITIVE_INFINITY ? null : wait, ctx, () => init.exit !== null);
  // The container's end takes its processes with it.
  if (init?.exit) return { exitCode: 137 };
  if (took >= limit) throw timeoutExceeded(ctx, limit);
  return execAnswer(outcome ?? { result: 'success' });
}

/** upstream: containerd internal/cri/server (*criService).ExecSync */
export function* execSync(core: Core, request: ExecSyncRequest, ctx: Context): Go<ExecSyncResponse> {
  const c = core.store.container(request.containerId ?? '');
  if (!c)
    throw lookupError(
      core.store.containers,
      request.containerId ?? '',
      `failed to exec in container: failed to find container "${request.containerId ?? ''}" in store`,
    );
  // A container whose behaviour the scenario states has nothing for a probe to look at: it is well while it runs.
  if (c.state === 'running' && behaviourOf(c.image.spec, c.name).kind !== 'command' && probing()) {
    yield* sleep(core.callTime(core.latencies.execSync));
    return {};
  }
  const seconds = Number(request.timeout ?? 0);
  const r = yield* run(core, c, request.cmd ?? [], seconds > 0 ? seconds * 1_000_000 : null, ctx);
  return {
    ...(r.stdout && { stdout: base64Encode(r.stdout) }),
    ...(r.stderr && { stderr: base64Encode(r.stderr) }),
    ...(r.exitCode !== 0 && { exitCode: r.exitCode }),
  };
}

/** An exec behind the kubelet's back. */
export function execIn(core: Core, containerId: string, command: readonly string[]): Go<ExecResult> {
  return run(core, mustFind(core, containerId), command, null, null);
}
