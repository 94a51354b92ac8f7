import { type AnyCall, type CRIServices, type RpcMethod, servicesFrom } from '../../cri/index.js';
import type { Go, Kernel } from '../../kernel/index.js';
import { ScriptedCalls } from '../container-scripts/calls.js';
import { livingTransport } from '../container-scripts/transport.js';
import { FaultInjector, podMatches } from '../faults/faults.js';
import { rootAccount } from '../fs/accounts.js';
import { ContainerFS } from '../fs/container-fs.js';
import { parseReference, wellKnownImage } from '../images/images.js';
import type { ImageSpecification } from '../images/types.js';
import { find } from '../process/find.js';
import { nodePrivileges } from '../process/privileges.js';
import { Proc, ProcGroup, signalName } from '../process/process.js';
import { Capture, nullStream } from '../process/streams.js';
import type { Program, World } from '../process/world.js';
import { busyboxPrograms, programNamed } from '../programs/programs.js';
import { endReason, leaveMessage, oomKill } from './containers.js';
import { Core } from './core.js';
import { execIn, stream } from './exec.js';
import { handlers, subjectOf, unimplemented } from './handlers.js';
import { askingOf, scriptOf } from './living.js';
import { nodePrograms } from './node-programs.js';
import { killSandboxProcess } from './sandbox-process.js';
import { Server } from './server.js';
import { nodeUsage } from './stats.js';
import type { Container, Sandbox } from './store.js';
import type { ContainerView, ExecResult, MockRuntime, MockRuntimeOptions, SandboxView } from './types.js';

/** A mock runtime on `kernel`, with a node around it. */
export function newMockRuntime(kernel: Kernel, options: MockRuntimeOptions = {}): MockRuntime {
  const core = new Core(kernel, options);
  const faults = new FaultInjector(kernel, core.nodeName, core.random.uint32());
  const table = new Map<RpcMethod, ReturnType<typeof unimplemented>>();
  const server = new Server({
    kernel,
    faults,
    handler: (method) => table.get(method) ?? unimplemented(method),
    subject: (method, request) => subjectOf(core, method, request),
    readLatency: () => core.latency(core.latencies.read),
    script: (method, request) => scriptOf(core, method, request),
    due: core.due,
  });
  for (const [method, handler] of handlers(core, server.onStop)) table.set(method, handler);
  const services: CRIServices = servicesFrom((method, ...[ctx, request]: Parameters<AnyCall>) =>
    server.call(method, ctx, request),
  );

  const newest = <T extends Sandbox>(pod: string, of: Iterable<T>, wanted: (s: T) => boolean): T | null => {
    let found: T | null = null;
    for (const s of of) if (podMatches(pod, s, core.nodeName) && wanted(s)) found = s;
    return found;
  };
  /** The newest container of that name that a pod has; a running one if there is one. */
  const containerOf = (pod: string, name: string): Container | null => {
    let found: Container | null = null;
    for (const c of core.store.containers.values()) {
      if (c.name !== name || !podMatches(pod, c.sandbox, core.nodeName)) continue;
      if (!found || alive(c) || !alive(found)) found = c;
    }
    return found;
  };

  return {
    runtime: services,
    image: services,
    fs: core.fs,
    probeTransport: livingTransport(core.network.transport(), () => askingOf(core)),
    nodeInfo: core.nodeInfo,
    faults,
    pullFaults: core.pullFaults,
    get running() {
      return server.running;
    },
    get process() {
      return server.process;
    },
    stop() {
      core.running = false;
      server.stop();
    },
    start() {
      if (server.running) return;
      core.running = true;
      server.start();
      // Operations that were under way when it stopped are forgotten, with the names that they had reserved.
      for (const c of core.store.containers.values()) {
        c.starting = c.removing = false;
        // Its process had begun, but it went down before it noted so: it finds the task.
        if (c.state === 'created' && c.group) {
          c.state = 'running';
          core.store.changed(c);
        }
      }
      core.store.names.clear();
      for (const s of core.store.sandboxes.values()) core.store.names.set(s.name, s.id);
      for (const c of core.store.containers.values()) core.store.names.set(c.reserved, c.id);
      for (const fn of core.unseen.splice(0)) fn();
    },
    replaceScript({ lives, calls }) {
      core.scripts.replace(lives);
      const scripted = new ScriptedCalls(calls, core.nodeName);
      scripted.countOn(core.calls);
      core.calls = scripted;
      for (const c of core.store.containers.values()) {
        if (!c.living) continue;
        const { uid, pod, namespace } = c.sandbox;
        const life = core.scripts.lifeOf({ uid, pod, namespace, container: c.name }, c.living);
        if (JSON.stringify(life) === JSON.stringify(c.living.life)) continue;
        c.living.life = life;
        if (c.group?.init?.exit === null) leaveMessage(core, c, c.living);
        if (c.group?.init?.parked) c.group.init.wake('time');
      }
    },
    killContainer(pod, name, signal = 'KILL') {
      const c = containerOf(pod, name);
      const s = signalName(signal);
      if (!s) throw new TypeError(`there is no signal '${signal}'`);
      return (c && alive(c) && c.group?.init?.signal(s)) || false;
    },
    killSandbox(pod) {
      const s = newest(pod, core.store.sandboxes.values(), (x) => x.alive);
      return s !== null && killSandboxProcess(core, s);
    },
    oom(pod, name) {
      const c = containerOf(pod, name);
      return c !== null && oomKill(core, c);
    },
    *exec(pod, name, command): Go<ExecResult> {
      const c = containerOf(pod, name);
      if (!c) throw new Error(`exec: pod '${pod}' has no container '${name}'`);
      return yield* execIn(core, c.id, command);
    },
    stream: (request, ends, ctx) => stream(core, request, ends, ctx),
    shell: (script, env) => nodeShell(core, script, env ?? {}),
    addImage(image) {
      core.emitImage(core.images.add(image).repoTags[0] ?? image.ref, 'present');
    },
    removeImage(ref) {
      const image = core.images.find(ref);
      if (!image) return false;
      core.images.remove(image);
      core.emitImage(ref, 'removed');
      return true;
    },
    setRegistry: (ref, behaviour) => core.setRegistry(ref, behaviour),
    registry: () => [...core.registry].map(([ref, behaviour]) => ({ ref, behaviour })),
    setImage: (ref, does, present) => setImage(core, ref, does, present),
    setNetworkReady(ready) {
      core.networkReady = ready;
    },
    onEvent(listener) {
      core.watchers.add(listener);
      return () => core.watchers.delete(listener);
    },
    usage: () => nodeUsage(core),
    images: () => core.images.all.map(({ id, repoTags, size }) => ({ id, tags: [...repoTags], size })),
    sandboxes: () => [...core.store.sandboxes.values()].map(sandboxView),
    containers: () => [...core.store.containers.values()].map(containerView),
    logs(pod, name) {
      const c = containerOf(pod, name);
      return c?.logPath && core.fs.existsSync(c.logPath) ? core.fs.readFileSync(c.logPath) : '';
    },
  };
}

function setImage(core: Core, text: string, does: BehaviourOfImage | null, present: boolean): void {
  const ref = parseReference(text);
  if (!ref) throw new TypeError(`image: '${text}' is not a valid reference`);
  const there = core.images.find(ref.full);
  if (!does) {
    core.setRegistry(ref.full, { kind: 'not-found' });
    if (!there) return;
    core.images.remove(there);
    core.emitImage(ref.full, 'removed');
    return;
  }
  const set = core.registry.get(ref.full) ?? wellKnownImage(ref, false);
  const known = there?.spec ?? (set.kind === 'serve' ? set.image : undefined);
  // Most images that are not among the well-known ones run as somebody other than root.
  const stranger: ImageSpecification = { ref: ref.full, ...(does.does?.kind !== 'command' && { user: '65532' }) };
  const { id: _, does: _does, doesIn: _in, assumed: _assumed, ...own } = known ?? stranger;
  const image: ImageSpecification = { ...own, ref: ref.full, ...does };
  core.setRegistry(ref.full, { kind: 'serve', image });
  if (!there && !present) return;
  core.images.add(image);
  core.emitImage(ref.full, 'present');
}
type BehaviourOfImage = Pick<ImageSpecification, 'does' | 'doesIn' | 'assumed'>;

const alive = (c: Container): boolean =>
  c.group?.init !== null && c.group?.init !== undefined && c.group.init.exit === null;

function sandboxView(s: Sandbox): SandboxView {
  return {
    id: s.id,
    uid: s.uid,
    pod: s.pod,
    namespace: s.namespace,
    attempt: s.attempt,
    state: s.ready ? 'ready' : 'notready',
    ip: s.hostNetwork ? '' : (s.net?.ip ?? ''),
  };
}

function containerView(c: Container): ContainerView {
  const { sandbox } = c;
  const exit = c.group?.init?.exit;
  return {
    id: c.id,
    sandbox: sandbox.id,
    uid: sandbox.uid,
    pod: sandbox.pod,
    namespace: sandbox.namespace,
    name: c.name,
    attempt: c.attempt,
    state: exit ? 'exited' : c.group ? 'running' : c.state,
    exitCode: exit?.code ?? c.exitCode,
    reason: c.reason || (exit ? endReason(c, exit.code) : ''),
    image: c.image.repoTags[0] ?? c.image.id,
    logPath: c.logPath,
  };
}

/** A shell on the node itself: its root is the node's file system. */
function* nodeShell(core: Core, script: string, env: Readonly<Record<string, string>>): Go<ExecResult> {
  const out = new Capture();
  const err = new Capture();
  const world: World = {
    fs: new ContainerFS(core.fs, [], false),
    has: (program) => busyboxPrograms().has(program) || program === 'bash' || program === 'curl',
    programNamed,
    programs: nodePrograms(core),
    net: core.network.host,
    dial: (host, port) => core.network.dial(null, host, port, 3_000_000, core.network.host),
    hostname: core.nodeName,
    setHostname: () => {},
    privileges: nodePrivileges,
    sysctls: {},
    user: rootAccount,
    memoryLimit: null,
    oom: (proc) => proc.die('KILL'),
    nowMillis: () => core.nowMillis(),
    random: core.random,
    initOut: nullStream,
    initErr: nullStream,
  };
  for (const dir of ['/tmp', '/root', '/etc', '/var/lib', '/var/log', '/run']) core.fs.mkdirAllSync(dir);
  const group = new ProcGroup(core.kernel, core.shims, 'node', false, { next: 1000 });
  const variables = new Map([['PATH', '/usr/sbin:/usr/bin:/sbin:/bin'], ['HOME', '/root'], ...Object.entries(env)]);
  const proc = new Proc(group, null, {
    argv: ['sh', '-c', script],
    env: variables,
    cwd: '/',
    streams: { in: nullStream, out, err },
  });
  const found = find(world, 'sh', '/');
  const program = (found as { program: Program }).program;
  group.spawn(proc, (p) => program(p, world, p.argv));
  yield {
    start(_k, g) {
      let parked = true;
      proc.onExit(() => {
        if (parked) core.kernel.ready(g);
      });
      core.kernel.park(g, { op: 'call', name: 'sh' }, () => {
        parked = false;
      });
      return false;
    },
  };
  return { exitCode: (proc.exit as { code: number } | null)?.code ?? 0, stdout: out.text, stderr: err.text };
}
