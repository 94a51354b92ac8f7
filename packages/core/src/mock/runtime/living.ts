import {
  CRIError,
  type ExecSyncRequest,
  GrpcCode,
  type GrpcCodeName,
  type RpcMethod,
  type StartContainerRequest,
} from '../../cri/index.js';
import { sleep } from '../../kernel/index.js';
import type { Asking } from '../container-scripts/container-scripts.js';
import { hooking } from '../container-scripts/outcomes.js';
import { podMatches } from '../faults/faults.js';
import { probing } from '../faults/probe-faults.js';
import { startFailed } from './containers.js';
import type { Core } from './core.js';
import { reportedExec } from './exec.js';
import { subjectOf } from './handlers.js';
import type { CallScript, Handler } from './server.js';
import type { Container } from './store.js';

/** Returns the scenario's rule for a call that the running goroutine makes; null if there is none. */
export function scriptOf(core: Core, method: RpcMethod, request: object): CallScript | null {
  const handler = method === 'execSync' ? execHandler(core, request) : null;
  const call = core.calls.has(method) ? core.calls.next(subjectOf(core, method, request)) : null;
  if (!call) return handler && { took: null, error: null, handler };
  const { took = null, error } = call;
  if (!error) return { took, error: null, handler };
  const effect = `${error.code}: ${error.message}${error.when === 'after' ? ' (after it was done)' : ''}`;
  core.kernel.emit({ kind: 'fault', rule: 'calls', method: call.method, effect });
  const failing =
    method === 'startContainer' && error.when !== 'after' ? startHandler(core, request, error, took) : null;
  if (failing) return { took, error: null, handler: failing };
  return { took, error: { kind: 'error', ...error }, handler };
}

/**
 * The runtime itself could not start it, so it has ended; if the call was not answered in time, or not at all, it
 * has not.
 */
function startHandler(
  core: Core,
  { containerId = '' }: StartContainerRequest,
  { code, message }: { readonly code: GrpcCodeName; readonly message: string },
  took: number | null,
): Handler | null {
  const c = core.store.container(containerId);
  if (!c || (code !== 'Unknown' && code !== 'Internal')) return null;
  return {
    *slow() {
      yield* sleep(took ?? core.latency(core.latencies.startContainer));
      if (c.state === 'created') startFailed(core, c, message);
      throw new CRIError(GrpcCode[code], message, { method: 'startContainer' });
    },
  };
}

function execHandler(core: Core, request: ExecSyncRequest): Handler | null {
  const c = core.store.container(request.containerId ?? '');
  const asking = c?.living && runs(c) ? core.scripts.asked(c.living) : null;
  return c && asking && { slow: (r, ctx) => reportedExec(core, c, asking, r, ctx) };
}

/** Returns the scripted result of the running goroutine's probe or hook over the network; null if there is none. */
export function askingOf(core: Core): Asking | null {
  const subject = probing();
  const hook = subject ? null : hooking();
  if (!subject && !hook) return null;
  let found: Container | null = null;
  for (const c of core.store.containers.values()) {
    if (!c.living || !runs(c)) continue;
    const ours = subject
      ? c.sandbox.uid === subject.uid && c.name === subject.container
      : hook && c.name === hook.container && podMatches(hook.pod, c.sandbox);
    if (ours) found = c;
  }
  return found?.living ? core.scripts.asked(found.living) : null;
}

/** True if its process is there: the runtime learns of its end a little later. */
const runs = (c: Container): boolean => c.state === 'running' && c.group?.init?.exit === null;
