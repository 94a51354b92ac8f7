import type { Pod } from '../../api/types.js';
import { parseManifest } from '../../api/yaml.js';
import { messageOf } from '../../base/index.js';
import type { Json } from '../../trace/index.js';
import { behaviourText } from '../document/behaviour.js';
import { ScenarioError } from '../document/errors.js';
import type { Action, ActionOf } from '../document/scenario.js';
import { yamlText } from '../document/yaml-text.js';
import type { Watches } from '../expectations/watch.js';
import type { NodeFaults } from '../faults/faults.js';
import type { ApiServer } from '../node/api-server.js';
import type { SimulatedNode } from '../node/node.js';
import { mergePatch } from './merge-patch.js';

/** The parts of a run that an action can change. */
export interface Stage {
  readonly node: SimulatedNode;
  readonly faults: NodeFaults;
  readonly api: ApiServer | null;
  readonly watches: Watches;
}

/** Arguments of the `input` record of an action. */
export function actionArgs(a: Action, node: SimulatedNode): readonly Json[] {
  switch (a.verb) {
    case 'apply':
    case 'raw':
    case 'rmraw':
      return [a.file];
    case 'delete':
      return a.api ? [a.name] : [manifestFile(node, a.name)];
    case 'edit':
      return [a.api ? a.name : manifestFile(node, a.name), a.patch as Json];
    case 'kill':
    case 'oom':
      return [a.pod, a.container];
    case 'killSandbox':
      return [a.pod];
    case 'systemOOM':
      return [a.process, a.pid];
    case 'configCh':
      return [a.op, a.source];
    case 'manifestURL':
      return [a.pods.length, a.status];
    case 'exec':
      return [a.pod, a.container, ...a.command];
    case 'fault':
      return [a.fault as unknown as Json];
    case 'clearFaults':
      return a.name === undefined ? [] : [a.name];
    case 'choose':
      return 'select' in a.want ? ['select', a.want.select] : ['goroutine', a.want.goroutine];
    case 'network':
      return [a.ready ? 'ready' : 'notReady'];
    case 'addImage':
      return [a.image.ref];
    case 'removeImage':
      return [a.ref];
    case 'registry':
      return [a.ref, a.behaviour.kind];
    case 'imageDoes':
      return [a.ref, behaviourText(a.does)];
    case 'devicePlugin':
      return [a.change.resource, a.change as unknown as Json];
    case 'restart':
      return [a.what, ...(a.crash ? ['crash'] : [])];
    case 'assert':
      return a.expected.map((e) => e.text);
    default:
      return [];
  }
}

/** The file of a manifest by its name or its pod's. */
export function manifestFile(node: SimulatedNode, name: string): string {
  return node.manifests().some((m) => m.file === name) ? name : `${name}.yaml`;
}

/** Letters of an exec's output that its record keeps, each of stdout and stderr. */
const keptOutput = 64 * 1024;

/**
 * Does an action at once, outside of any goroutine. Leaves no `input` record. Throws a ScenarioError that says what
 * there is instead if it cannot be done. An exec goes on by itself; an `execDone` record tells what it came to.
 */
export function act({ node, faults, api, watches }: Stage, a: Action): void {
  const { mock, kernel } = node;
  const server = (): ApiServer => {
    if (!api) throw new ScenarioError('this node has no API server; give it one with node.apiServer: true');
    return api;
  };
  switch (a.verb) {
    case 'wait':
    case 'waitFor':
      throw new ScenarioError(`${a.verb} takes time and cannot be done between two steps; let the run go on instead`);
    case 'assert':
      assertAll(watches, a);
      return;
    case 'apply':
      if (a.api) server().apply(parsed(a.text));
      else node.putManifest(a.file, a.text);
      return;
    case 'delete':
      if (a.api) server().delete(a.name, a.gracePeriodSeconds);
      else node.removeManifest(manifestFile(node, a.name));
      return;
    case 'edit':
      edit(node, a, a.api ? server() : null);
      return;
    case 'raw':
      node.writeManifest(a.file, a.text);
      return;
    case 'rmraw':
      node.removeManifest(a.file);
      return;
    case 'kill':
      node.kill(a.pod, a.container, a.signal);
      return;
    case 'killSandbox':
      node.kill(a.pod);
      return;
    case 'oom':
      node.oom(a.pod, a.container);
      return;
    case 'exec':
      kernel.go(
        'exec',
        function* () {
          try {
            const { exitCode, stdout, stderr } = yield* mock.exec(a.pod, a.container, a.command);
            const output = [stdout, stderr].map((text) => text.slice(0, keptOutput));
            kernel.emit({ kind: 'input', verb: 'execDone', args: [a.pod, a.container, exitCode, ...output] });
          } catch (error) {
            kernel.emit({ kind: 'input', verb: 'failed', args: [`exec: ${messageOf(error)}`] });
          }
        },
        { quiet: true, daemon: true },
      );
      return;
    case 'fault':
      faults.start(a.fault);
      return;
    case 'clearFaults':
      faults.clear(a.name);
      return;
    case 'choose':
      kernel.want(a.want);
      return;
    case 'network':
      mock.setNetworkReady(a.ready);
      return;
    case 'addImage':
      mock.addImage(a.image);
      return;
    case 'removeImage':
      if (!mock.removeImage(a.ref)) throw new ScenarioError(`the node has no image ${a.ref}`);
      return;
    case 'registry':
      mock.setRegistry(a.ref, a.behaviour);
      return;
    case 'imageDoes':
      mock.setImage(
        a.ref,
        a.does && { does: a.does, ...(a.doesIn && { doesIn: a.doesIn }), ...(a.assumed && { assumed: a.assumed }) },
        a.present ?? false,
      );
      return;
    case 'devicePlugin':
      node.changeDevicePlugin(a.change);
      return;
    case 'restart':
      restart(node, a);
      return;
    case 'stopKubelet':
      node.stopKubelet();
      return;
    case 'startKubelet':
      node.startKubelet();
      return;
    case 'restartKubelet':
      node.stopKubelet();
      node.startKubelet();
      return;
    case 'stopRuntime':
      mock.stop();
      return;
    case 'systemOOM':
      node.ooms.systemOOM(a.process, a.pid);
      return;
    case 'manifestURL':
      if (node.config.staticPodURL === '')
        throw new ScenarioError('this node has no HTTP source; give it one with node.staticPodURL');
      node.manifestURL.serve(a.pods, a.status);
      return;
    case 'configCh':
      node.tellLoop(a.op, a.source, a.text);
      return;
    case 'shutdown':
    case 'cancelShutdown':
      announce(node, a.verb === 'shutdown');
      return;
    case 'startRuntime':
      mock.start();
      return;
  }
}

/** Throws a ScenarioError with all that is not as it should be. */
function assertAll(watches: Watches, { expected }: ActionOf<'assert'>): void {
  const wrong = expected.flatMap(({ expectation, text }) => {
    const problem = watches.problem(expectation);
    return problem === null ? [] : [expected.length > 1 ? `${text}: ${problem}` : problem];
  });
  if (wrong.length > 0) throw new ScenarioError(wrong.join('; '));
}

/** Throws a ScenarioError if no kubelet waits for pods. */
function announce(node: SimulatedNode, down: boolean): void {
  if (!node.shutdown.announce(down))
    throw new ScenarioError(
      node.kubeletRuns
        ? 'this kubelet waits for nobody when the node goes down; give it time with node.shutdownGracePeriod'
        : 'the kubelet does not run, and nobody else waits for pods; start it first',
    );
}

function restart(node: SimulatedNode, { what, crash, down }: ActionOf<'restart'>): void {
  const { kernel, mock } = node;
  if (what === 'kubelet') node.stopKubelet(crash ? 'killed' : 'stopped');
  else mock.stop();
  const start = () => (what === 'kubelet' ? node.startKubelet() : mock.start());
  if (down) kernel.addTimer(kernel.now() + down, start);
  else start();
}

function edit(node: SimulatedNode, { name, patch, subresource }: ActionOf<'edit'>, api: ApiServer | null): void {
  if (api && subresource) {
    api.patchStatus(name, patch);
    return;
  }
  if (api) {
    const { apiVersion = 'v1', kind = 'Pod', metadata, spec } = api.find(name);
    const { name: own, namespace, labels, annotations } = metadata;
    const manifest = {
      apiVersion,
      kind,
      metadata: { name: own, namespace, labels, annotations },
      spec,
    } as unknown as Pod;
    api.apply(mergePatch(JSON.parse(JSON.stringify(manifest)), patch));
    return;
  }
  const file = manifestFile(node, name);
  const before = node.manifest(file);
  node.putManifest(file, yamlText(mergePatch(parsed(before), patch)));
}

function parsed(text: string): unknown {
  try {
    return parseManifest(text);
  } catch (error) {
    throw new ScenarioError(`the manifest cannot be read: ${messageOf(error)}; correct it`);
  }
}
