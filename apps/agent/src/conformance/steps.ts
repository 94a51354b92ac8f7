/** The verbs of the golden recordings, done on a real node. */
import { setTimeout as delay } from 'node:timers/promises';
import { at, listAt, type Step, textAt } from '@syncloop/core/conformance/compare';
import type { NodeUnderTest } from './node-under-test.js';

type Verb = (node: NodeUnderTest, args: readonly unknown[]) => Promise<unknown>;

const text = (value: unknown): string => String(value ?? '');

/** `${WORK}` stands for the recorder's own folder. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: a recording holds it as it is
export const workFolder = '${WORK}';
const here = (node: NodeUnderTest, content: string) => content.replaceAll(workFolder, node.work);

const verbs: Readonly<Record<string, Verb>> = {
  put: (node, [pod]) => node.write(`${textAt(pod, 'metadata', 'name')}.yaml`, here(node, JSON.stringify(pod, null, 2))),
  rm: (node, [name]) => node.remove(`${text(name)}.yaml`),
  raw: (node, [file, content]) => node.write(text(file), text(content)),
  rmraw: (node, [file]) => node.remove(text(file)),
  wait: (_node, [seconds]) => delay(Number(seconds) * 1000),
  phase: (node, [name, phase, seconds]) => node.until(Number(seconds), () => hasPhase(node, text(name), text(phase))),
  gone: (node, [name, seconds]) =>
    node.until(Number(seconds), async () => !node.pod(text(name)) && !(await node.hasReadySandbox(text(name)))),
  kill: (node, [name, container]) => node.killContainer(text(name), text(container)),
  killSandbox: (node, [name]) => node.killSandbox(text(name)),
  exec: (node, [name, container, command]) => node.exec(text(name), text(container), (command as unknown[]).map(text)),
  sh: (node, [script]) => node.shell(here(node, text(script))),
  stopKubelet: (node) => node.stopKubelet(),
  startKubelet: (node) => node.startKubelet(),
  stopRuntime: (node) => node.stopRuntime(),
  startRuntime: (node) => node.startRuntime(),
  create: (node, [object]) => node.inCluster((c) => c.create(object)),
  patch: (node, [kind, name, body, subresource]) =>
    node.inCluster((c) => c.patch(text(kind), text(name), body, text(subresource))),
  del: (node, [kind, name, grace]) =>
    node.inCluster((c) => c.del(text(kind), text(name), grace === undefined ? undefined : Number(grace))),
  nodeReady: (node, [seconds]) => node.untilInCluster(Number(seconds), (c) => c.nodeReady()),
  apiPhase: (node, [name, phase, seconds]) =>
    node.untilInCluster(Number(seconds), (c) => c.hasPhase(text(name), text(phase))),
  apiGone: (node, [name, seconds]) => node.untilInCluster(Number(seconds), (c) => c.isGone(text(name))),
  stopApi: (node) => node.inCluster((c) => c.stop()),
  startApi: (node) => node.inCluster((c) => c.start()),
};

/** The first step that cannot be done here, in words; undefined if all can. */
export function unsupportedStep(steps: readonly Step[]): string | undefined {
  for (const [i, [verb]] of steps.entries()) {
    if (Object.hasOwn(verbs, verb)) continue;
    return `step ${i + 1}, "${verb}", is not a known verb (known: ${Object.keys(verbs).join(', ')})`;
  }
  return undefined;
}

/** Does one step. Throws an Error that names it. */
export async function doStep(node: NodeUnderTest, index: number, [verb, ...args]: Step): Promise<void> {
  try {
    await verbs[verb]?.(node, args);
  } catch (err) {
    throw new Error(
      `step ${index + 1}, "${verb}${args.length > 0 ? ` ${stepArgs(verb, args).join(' ')}` : ''}": ${(err as Error).message}`,
    );
  }
}

/** Arguments as marks show them: a pod by its name. */
export function stepArgs(verb: string, args: readonly unknown[]): unknown[] {
  return verb === 'put' ? args.map((arg) => textAt(arg, 'metadata', 'name')) : [...args];
}

/** For Running, all app containers have to run as well. */
function hasPhase(node: NodeUnderTest, name: string, phase: string): boolean {
  const status = node.pod(name)?.status;
  if (status?.phase !== phase) return false;
  return (
    phase !== 'Running' || listAt(status, 'containerStatuses').every((c) => at(c, 'state', 'running') !== undefined)
  );
}
