import { CRIError } from '../../cri/index.js';
import { background, type Go } from '../../kernel/index.js';
import { type Proc, signalName } from '../process/process.js';
import type { Program } from '../process/world.js';
import { options } from '../programs/programs-files.js';
import { removeContainer, stopContainer } from './containers.js';
import type { Core } from './core.js';
import { execIn } from './exec.js';
import { pullImage } from './image-service.js';
import { killSandboxProcess } from './sandbox-process.js';
import { removePodSandbox, stopPodSandbox } from './sandboxes.js';

/** Programs that only the node's own shell has: the runtime's tools, and those that see every process of the node. */
export function nodePrograms(core: Core): Readonly<Record<string, Program>> {
  return {
    ctr: tool(core, ctr),
    crictl: tool(core, crictl),
    pgrep: byPattern(core, false),
    pkill: byPattern(core, true),
  };
}

type Command = (core: Core, args: readonly string[], proc: Proc) => Go<number>;

/** A tool that tells errors of the runtime as its own. */
function tool(core: Core, run: Command): Program {
  return function* (proc, _world, args) {
    if (!core.running) {
      proc.warn(`${args[0]}: failed to dial "/run/containerd/containerd.sock": connection refused\n`);
      return 1;
    }
    try {
      return yield* run(core, args, proc);
    } catch (error) {
      if (!(error instanceof CRIError)) throw error;
      proc.warn(`${args[0]}: ${error.details}\n`);
      return 1;
    }
  };
}

function removeImages(core: Core, refs: readonly string[], proc: Proc): number {
  let status = 0;
  for (const ref of refs) {
    const image = core.images.find(ref);
    if (!image) {
      proc.warn(`image "${ref}": not found\n`);
      status = 1;
      continue;
    }
    core.images.remove(image);
    core.emitImage(ref, 'removed');
    proc.write(`${ref}\n`);
  }
  return status;
}

/** Kills a container's first process, or a sandbox's, by the id that both kinds of task have. */
function killTask(core: Core, id: string, signal: string): boolean {
  const sandbox = core.store.sandbox(id);
  if (sandbox) return killSandboxProcess(core, sandbox);
  return core.store.container(id)?.group?.init?.signal(signal) ?? false;
}

function* ctr(core: Core, args: readonly string[], proc: Proc): Go<number> {
  const { flags, rest } = options(args, 'ans');
  const [noun = '', verb = '', ...what] = rest;
  if (/^i(mages?)?$/.test(noun)) {
    if (/^(rm|remove|del|delete)$/.test(verb)) return removeImages(core, what, proc);
    if (/^(ls|list)$/.test(verb)) for (const i of core.images.all) for (const tag of i.repoTags) proc.write(`${tag}\n`);
    else if (verb === 'pull') for (const ref of what) yield* pullImage(core, { image: { image: ref } }, background);
    return 0;
  }
  if (/^t(asks?)?$/.test(noun)) {
    if (verb === 'kill') {
      const signal = signalName(flags.get('s') ?? flags.get('signal') ?? 'TERM') ?? 'TERM';
      return what.every((id) => killTask(core, id, signal)) ? 0 : 1;
    }
    if (/^(ls|list)$/.test(verb))
      for (const c of core.store.containers.values()) proc.write(`${c.id}    ${c.state.toUpperCase()}\n`);
    return 0;
  }
  if (/^c(ontainers?)?$/.test(noun) && /^(ls|list)$/.test(verb))
    for (const id of [...core.store.sandboxes.keys(), ...core.store.containers.keys()]) proc.write(`${id}\n`);
  return 0;
}

function* crictl(core: Core, args: readonly string[], proc: Proc): Go<number> {
  const { flags, rest } = options(args, 'rit');
  const [verb = '', ...what] = rest;
  const out = (text: string) => proc.write(`${text}\n`);
  switch (verb) {
    case 'ps':
      for (const c of core.store.containers.values()) {
        const named = !flags.has('name') || c.name.includes(flags.get('name') || (what[0] ?? ''));
        if (named && (flags.has('a') || c.state === 'running'))
          out(flags.has('q') ? c.id : `${c.id.slice(0, 13)}  ${c.state}  ${c.name}  ${c.attempt}  ${c.sandbox.pod}`);
      }
      return 0;
    case 'pods':
      for (const s of core.store.sandboxes.values())
        if (!flags.has('name') || s.pod.includes(flags.get('name') || (what[0] ?? '')))
          out(
            flags.has('q')
              ? s.id
              : `${s.id.slice(0, 13)}  ${s.ready ? 'Ready' : 'NotReady'}  ${s.pod}  ${s.namespace}  ${s.attempt}`,
          );
      return 0;
    case 'images':
      for (const i of core.images.all)
        out(flags.has('q') ? i.id : `${i.repoTags[0] ?? '<none>'}  ${i.id.slice(7, 20)}  ${i.size}`);
      return 0;
    case 'rmi':
      return removeImages(core, what, proc);
    case 'pull':
      for (const ref of what) yield* pullImage(core, { image: { image: ref } }, background);
      return 0;
    case 'stop':
      for (const id of what) yield* stopContainer(core, { containerId: id, timeout: '0' }, background);
      return 0;
    case 'rm':
      for (const id of what) yield* removeContainer(core, { containerId: id });
      return 0;
    case 'stopp':
      for (const id of what) yield* stopPodSandbox(core, { podSandboxId: id });
      return 0;
    case 'rmp':
      for (const id of what) yield* removePodSandbox(core, { podSandboxId: id });
      return 0;
    case 'exec': {
      const [id = '', ...command] = what;
      const r = yield* execIn(core, id, command);
      proc.write(r.stdout);
      proc.warn(r.stderr);
      return r.exitCode;
    }
    default:
      proc.warn(`crictl: unknown command "${verb}"\n`);
      return 1;
  }
}

/** pgrep and pkill over the processes of every container. */
function byPattern(core: Core, kill: boolean): Program {
  return function* (proc, _world, args) {
    let signal = 'TERM';
    let full = false;
    let pattern = '';
    for (const a of args.slice(1)) {
      if (a === '-f') full = true;
      else if (/^-./.test(a)) signal = signalName(a.slice(1)) ?? signal;
      else pattern = a;
    }
    let found = 0;
    for (const c of core.store.containers.values()) {
      for (const p of [...(c.group?.procs.values() ?? [])]) {
        if (!(full ? p.argv.join(' ') : (p.argv[0] ?? '')).includes(pattern)) continue;
        found++;
        if (kill) p.signal(signal);
        else proc.write(`${p.pid}\n`);
      }
    }
    return found > 0 ? 0 : 1;
  };
}
