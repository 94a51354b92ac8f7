import { base64Encode } from '../../base/index.js';
import { CRIError, type ExecSyncRequest, type ExecSyncResponse, GrpcCode } from '../../cri/index.js';
import { type Context, type Go, sleep } from '../../kernel/index.js';
import { probing } from '../faults/probe-faults.js';
import type { Asking } from '../lives/lives.js';
import { execAnswer, execTime } from '../lives/outcomes.js';
import { argumentsTooLong } from '../process/budget.js';
import { find } from '../process/find.js';
import { Proc } from '../process/process.js';
import { Capture, nullStream } from '../process/streams.js';
import { behaviourOf } from './behaviour.js';
import { execError, mustFind, refusedExec } from './containers.js';
import { type Core, lookupError, unknown } from './core.js';
import type { Container } from './store.js';
import type { ExecResult } from './types.js';

/** Most output that an exec keeps, each of stdout and stderr: a quarter of containerd's, for it is encoded at once. */
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
  const init = c.group?.init;
  const { group, world } = c;
  if (c.state !== 'running' || !init || !group || !world)
    throw unknown(
      `failed to exec in container: container is in ${c.state === 'created' ? 'CONTAINER_CREATED' : 'CONTAINER_EXITED'} state`,
    );
  const latency = core.callTime(core.latencies.execSync);
  yield* sleep(Math.round(latency * 0.7));
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
  const out = new Capture(maxOutput);
  const err = new Capture(maxOutput);
  const proc = new Proc(group, null, { argv: command, env, cwd, streams: { in: nullStream, out, err } });
  group.spawn(proc, (p) =>
    argumentsTooLong(command, env) ? refusedExec(p) : found.program(p, world, found.args(command)),
  );

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
export function* toldExec(
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
  // A container that only does as it was told has nothing that its probe could look at: it is well while it runs.
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
