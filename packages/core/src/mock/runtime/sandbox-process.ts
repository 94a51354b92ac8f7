import type { Core } from './core.js';
import type { Sandbox } from './store.js';

/** Called when the sandbox's own process is gone, and the runtime has seen it. */
export function sandboxExited(core: Core, s: Sandbox): void {
  if (!s.ready || !core.store.sandboxes.has(s.id)) return;
  s.ready = false;
  core.store.changed(s);
  core.emitSandbox(s, 'notready');
  core.event('CONTAINER_STOPPED_EVENT', s, s.id);
}

/** Kills the pause process. With a shared PID namespace it was PID 1 of everything in the pod. */
export function killSandboxProcess(core: Core, s: Sandbox): boolean {
  if (!s.alive) return false;
  s.alive = false;
  for (const c of s.containers)
    if (c.group?.init && !c.group.ownPids && c.config.linux?.securityContext?.namespaceOptions?.pid !== 'NODE')
      c.group.init.signal('KILL');
  const seen = () => {
    if (core.running) sandboxExited(core, s);
    else core.unseen.push(() => sandboxExited(core, s));
  };
  core.kernel.addTimer(core.kernel.now() + core.latency(core.latencies.exit), seen, core.shims);
  return true;
}
