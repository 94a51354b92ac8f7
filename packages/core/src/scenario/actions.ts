import { type Go, messageOf, Millisecond, Second, sleep } from '../kernel/index.js';
import type { Pod } from '../kubelet/api/types.js';
import type { FaultRule, ImageSpecification, RegistryBehaviour } from '../mock/index.js';
import type { Json } from '../trace/index.js';
import type { SimulatedNode } from './node.js';

/** What to wait for; times in Micros. */
export interface WaitCondition {
  readonly pod: string;
  readonly until: 'phase' | 'ready' | 'gone';
  readonly phase?: string;
  readonly timeout: number;
}

/** One thing that happens to a node. */
export type Action =
  | { readonly do: 'put'; readonly file: string; readonly text: string }
  | { readonly do: 'remove'; readonly file: string }
  | { readonly do: 'raw'; readonly file: string; readonly text: string }
  | { readonly do: 'wait'; readonly duration: number }
  | ({ readonly do: 'waitFor' } & WaitCondition)
  | { readonly do: 'kill'; readonly pod: string; readonly container: string; readonly signal: string }
  | { readonly do: 'killSandbox'; readonly pod: string }
  | { readonly do: 'oom'; readonly pod: string; readonly container: string }
  | { readonly do: 'exec'; readonly pod: string; readonly container: string; readonly command: readonly string[] }
  | { readonly do: 'shell'; readonly script: string; readonly env: Readonly<Record<string, string>> }
  | { readonly do: 'fault'; readonly rule: FaultRule }
  | { readonly do: 'clearFaults' }
  | { readonly do: 'network'; readonly ready: boolean }
  | { readonly do: 'registry'; readonly image: string; readonly behaviour: RegistryBehaviour }
  | { readonly do: 'addImage'; readonly image: ImageSpecification }
  | { readonly do: 'removeImage'; readonly image: string }
  | { readonly do: 'stopKubelet' | 'startKubelet' | 'restartKubelet' | 'killKubelet' | 'stopRuntime' | 'startRuntime' }
  | { readonly do: 'note'; readonly text: Readonly<Record<string, string>> };

/** How often a condition is looked at. */
const pollEvery = 100 * Millisecond;

/**
 * Does one action, taking its time. What cannot be done (no such container) is no error: it returns a text that says why,
 * '' when all went well.
 */
export function* perform(node: SimulatedNode, action: Action): Go<string> {
  const { mock } = node;
  switch (action.do) {
    case 'put':
      node.putManifest(action.file, action.text);
      return '';
    case 'remove':
      return node.removeManifest(action.file) ? '' : `there is no manifest ${action.file}`;
    case 'raw':
      mock.fs.writeFileSync(node.manifestPath(action.file), action.text);
      return '';
    case 'wait':
      yield* sleep(action.duration);
      return '';
    case 'waitFor': {
      const until = node.kernel.now() + action.timeout;
      while (!holds(node, action)) {
        if (node.kernel.now() >= until) return `gave up after ${action.timeout / Second} s waiting for pod ${action.pod} to be ${action.phase ?? action.until}`;
        yield* sleep(pollEvery);
      }
      return '';
    }
    case 'kill':
      return mock.killContainer(action.pod, action.container, action.signal) ? '' : `pod ${action.pod} has no running container ${action.container}`;
    case 'killSandbox':
      return mock.killSandbox(action.pod) ? '' : `pod ${action.pod} has no running sandbox`;
    case 'oom':
      return mock.oom(action.pod, action.container) ? '' : `pod ${action.pod} has no running container ${action.container}`;
    case 'exec':
      try {
        const { exitCode, stderr } = yield* mock.exec(action.pod, action.container, action.command);
        return exitCode === 0 ? '' : `exit code ${exitCode}: ${stderr.trim()}`;
      } catch (error) {
        return messageOf(error);
      }
    case 'shell': {
      const { exitCode, stderr } = yield* mock.shell(action.script, action.env);
      return exitCode === 0 ? '' : `exit code ${exitCode}: ${stderr.trim()}`;
    }
    case 'fault':
      mock.faults.add(action.rule);
      return '';
    case 'clearFaults':
      mock.faults.clear();
      return '';
    case 'network':
      mock.setNetworkReady(action.ready);
      return '';
    case 'registry':
      mock.setRegistry(action.image, action.behaviour);
      return '';
    case 'addImage':
      mock.addImage(action.image);
      return '';
    case 'removeImage':
      return mock.removeImage(action.image) ? '' : `there is no image ${action.image}`;
    case 'stopKubelet':
      node.stopKubelet();
      return '';
    case 'killKubelet':
      node.stopKubelet('killed');
      return '';
    case 'startKubelet':
      node.startKubelet();
      return '';
    case 'restartKubelet':
      node.stopKubelet();
      yield* sleep(500 * Millisecond);
      node.startKubelet();
      return '';
    case 'stopRuntime':
      mock.stop();
      return '';
    case 'startRuntime':
      mock.start();
      return '';
    case 'note':
      return '';
  }
}

function holds(node: SimulatedNode, condition: WaitCondition): boolean {
  const name = node.podName(condition.pod);
  const pod = node.kubeletRuns ? node.kubelet?.getPods().find((p) => p.metadata.name === name || p.metadata.name === condition.pod) : undefined;
  if (condition.until === 'gone') return !pod && !node.mock.sandboxes().some((s) => (s.pod === name || s.pod === condition.pod) && s.state === 'ready');
  if (!pod) return false;
  if (condition.until === 'ready') return pod.status.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false;
  return pod.status.phase === condition.phase && (condition.phase !== 'Running' || allRun(pod));
}

function allRun(pod: Pod): boolean {
  const statuses = pod.status.containerStatuses ?? [];
  return statuses.length >= pod.spec.containers.length && statuses.every((s) => s.state.running !== undefined);
}

/** What an `input` record shows of an action. */
export function inputArgs(action: Action): Json[] {
  const { do: _, ...rest } = action;
  return Object.keys(rest).length > 0 ? [rest as Json] : [];
}
