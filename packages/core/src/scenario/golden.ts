import { asCRIError, isStreaming, type RpcMethod, rpcs } from '../cri/index.js';
import { type Go, Kernel, Millisecond, Second, seeded, sleep, VirtualClock } from '../kernel/index.js';
import type { Pod } from '../kubelet/api/types.js';
import { decodeBase64 } from '../mock/base64.js';
import type { MockRuntimeOptions } from '../mock/index.js';
import { formatKlog } from '../trace/klog-format.js';
import type { RecordOf, RecordSink, TraceRecord } from '../trace/index.js';
import { type Action, perform } from './actions.js';
import { SimulatedNode, tapped } from './node.js';

/** A verb and its arguments, as golden recordings have them. */
export type GoldenStep = readonly [verb: string, ...args: unknown[]];

export interface GoldenInput {
  readonly scenario: string;
  readonly about?: string;
  readonly steps: readonly GoldenStep[];
}

export interface GoldenCall {
  seq: number;
  at: number;
  tookMs: number;
  method: string;
  request: object;
  response?: object;
  error?: { code: number; details: string };
}

export interface GoldenStatus {
  readonly at: number;
  readonly pods: readonly { name: string; uid: string; deletionTimestamp?: string; status: object }[];
}

/** What a run was, in the shape of a golden recording. Times in ms since the start. */
export interface GoldenRecording {
  readonly scenario: string;
  readonly about: string;
  readonly kubelet: string;
  readonly containerd: string;
  readonly everyChange: true;
  readonly steps: readonly GoldenStep[];
  readonly marks: readonly { at: number; step: string; args: readonly unknown[] }[];
  readonly cri: readonly GoldenCall[];
  readonly status: readonly GoldenStatus[];
  readonly klog: readonly string[];
  /** Steps that could not be done, or waits that gave up. */
  readonly problems: readonly string[];
}

export interface GoldenOptions {
  readonly seed?: number;
  readonly epochMillis?: number;
  /** Gets every record of the run. */
  readonly sink?: RecordSink;
  readonly mock?: MockRuntimeOptions;
  /** Most verbose log lines to keep. Default 4. */
  readonly verbosity?: number;
}

/** A step that is no step. */
export class GoldenStepError extends Error {
  override readonly name = 'GoldenStepError';
}

/** Stands for the folder of the recorder; shown as `${WORK}`. */
const work = '/srv/node';
/** From the kubelet's start to the first step. */
const settle = 3.5 * Second;
const quiet = new Set<RpcMethod>(['version', 'status', 'imageFsInfo', 'runtimeConfig']);
const isPolling = (method: RpcMethod): boolean => quiet.has(method) || /^List|Stats$/.test(rpcs[method].name);

/**
 * Does the steps of a golden recording on a simulated node, and records what the kubelet did. The same seed gives the
 * same recording. Throws GoldenStepError on a step that it does not know.
 */
export function runGoldenSteps(input: GoldenInput, options: GoldenOptions = {}): GoldenRecording {
  const seed = options.seed ?? 1;
  const kernel = new Kernel({
    clock: new VirtualClock({ epochMillis: options.epochMillis ?? Date.UTC(2026, 10, 21, 4, 0, 0, 317) }),
    policy: seeded(seed),
    seed,
  });
  const { epochMillis } = kernel.clock;
  const at = () => Math.round(kernel.now() / 1000);
  const klog: string[] = [];
  let dirty = true;
  kernel.addSink((record: TraceRecord) => {
    if (record.kind === 'log') {
      if (record.v <= (options.verbosity ?? 4)) klog.push(relative(formatKlog(record as RecordOf<'log'>, { epochMillis, pid: 4242 })));
    } else if (statusKinds.has(record.kind)) dirty = true;
  });
  if (options.sink) kernel.addSink(options.sink);

  const cri: GoldenCall[] = [];
  const node = new SimulatedNode({
    kernel,
    config: {
      rootDirectory: `${work}/k-root`,
      podLogsDir: `${work}/podlogs`,
      staticPodPath: `${work}/manifests`,
      fileCheckFrequency: Second,
      cgroupsPerQOS: false,
      hostnameOverride: 'node1',
    },
    mock: { seed, ...options.mock },
    tap: (services) =>
      tapped(services, (method, request) => {
        if (isStreaming(method)) return null;
        const started = kernel.now();
        const call: GoldenCall = { seq: cri.length, at: at(), tookMs: 0, method: rpcs[method].name, request };
        cri.push(call);
        return (response, error) => {
          call.tookMs = Math.round((kernel.now() - started) / 1000);
          if (response && !isPolling(method)) call.response = shownResponse(response);
          if (error) {
            const { code, details } = asCRIError(error, method);
            call.error = { code, details };
          }
        };
      }),
  });

  const marks: { at: number; step: string; args: readonly unknown[] }[] = [];
  const problems: string[] = [];
  const actions = input.steps.map((step, i) => ({ step, actions: actionsOf(step, i) }));
  let over = false;
  kernel.go(
    'scenario',
    function* (): Go<void> {
      node.startKubelet();
      yield* sleep(settle);
      for (const { step, actions: todo } of actions) {
        const [verb, ...args] = step;
        marks.push({ at: at(), step: verb, args: verb === 'put' ? [podOf(args[0])?.metadata?.name] : args });
        kernel.emit({ kind: 'input', verb, args: args as never });
        for (const action of todo) {
          const problem = yield* perform(node, action);
          if (problem) problems.push(`${verb}: ${problem}`);
        }
      }
      over = true;
    },
    { process: kernel.main, quiet: true },
  );

  const status: GoldenStatus[] = [];
  let last = '';
  const snapshot = () => {
    dirty = false;
    if (!node.kubelet || !node.kubeletRuns) return;
    const pods = node.kubelet.getPods().map(podSnapshot);
    const text = JSON.stringify(pods);
    if (text === last) return;
    last = text;
    status.push({ at: at(), pods });
  };
  kernel.run({
    stop: () => {
      if (dirty) snapshot();
      return over;
    },
  });
  snapshot();
  return {
    scenario: input.scenario,
    about: input.about ?? '',
    kubelet: 'syncloop',
    containerd: 'mock',
    everyChange: true,
    steps: input.steps,
    marks,
    cri: JSON.parse(relative(JSON.stringify(cri))) as GoldenCall[],
    status,
    klog,
    problems,
  };
}

/** Records after which the pods may look different. */
const statusKinds: ReadonlySet<string> = new Set(['status', 'status-removed', 'pod-config', 'pod-update', 'worker', 'probe-result', 'work-done']);

const relative = (text: string): string => text.replaceAll(work, '${WORK}');

function podSnapshot(pod: Pod): GoldenStatus['pods'][number] {
  const { name, uid, deletionTimestamp } = pod.metadata;
  return { name, uid, ...(deletionTimestamp && { deletionTimestamp }), status: pod.status };
}

/** Bytes as Node prints a Buffer in JSON, as the recordings have them. */
function shownResponse(response: object): object {
  const { stdout, stderr, ...rest } = response as { stdout?: string; stderr?: string };
  if (typeof stdout !== 'string' && typeof stderr !== 'string') return response;
  const buffer = (text: string) => ({ type: 'Buffer', data: decodeBase64(text) });
  return { ...(stdout && { stdout: buffer(stdout) }), ...(stderr && { stderr: buffer(stderr) }), ...rest };
}

function podOf(value: unknown): { metadata?: { name?: string } } | undefined {
  return typeof value === 'object' && value !== null ? (value as { metadata?: { name?: string } }) : undefined;
}

/** What a step does. */
function actionsOf(step: GoldenStep, index: number): Action[] {
  const [verb, ...args] = step;
  const fail = (what: string): never => {
    throw new GoldenStepError(`steps[${index}]: ${what}`);
  };
  const text = (n: number): string => (typeof args[n] === 'string' ? (args[n] as string).replaceAll('${WORK}', work) : fail(`${verb} wants a text as argument ${n + 1}`));
  const seconds = (n: number): number => (typeof args[n] === 'number' ? Math.round((args[n] as number) * Second) : fail(`${verb} wants seconds as argument ${n + 1}`));
  switch (verb) {
    case 'put': {
      const name = podOf(args[0])?.metadata?.name;
      if (!name) fail('put wants a pod with a name');
      return [{ do: 'put', file: `${name}.yaml`, text: JSON.stringify(args[0]).replaceAll('${WORK}', work) }];
    }
    case 'rm':
      return [{ do: 'remove', file: `${text(0)}.yaml` }];
    case 'raw':
      return [{ do: 'raw', file: text(0), text: text(1) }];
    case 'rmraw':
      return [{ do: 'remove', file: text(0) }];
    case 'wait':
      return [{ do: 'wait', duration: seconds(0) }];
    case 'phase':
      return [{ do: 'waitFor', pod: text(0), until: 'phase', phase: text(1), timeout: seconds(2) }];
    case 'gone':
      return [{ do: 'waitFor', pod: text(0), until: 'gone', timeout: seconds(1) }];
    case 'kill':
      return [{ do: 'kill', pod: text(0), container: text(1), signal: 'KILL' }];
    case 'killSandbox':
      return [{ do: 'killSandbox', pod: text(0) }];
    case 'exec': {
      const command = Array.isArray(args[2]) ? (args[2] as unknown[]).map(String) : ['sh', '-c', text(2)];
      return [{ do: 'exec', pod: text(0), container: text(1), command }];
    }
    case 'sh':
      return [{ do: 'shell', script: text(0), env: { WORK: work } }];
    // A process takes a moment to end, and to come up.
    case 'stopKubelet':
    case 'stopRuntime':
      return [{ do: verb }, { do: 'wait', duration: 55 * Millisecond }];
    case 'startKubelet':
    case 'startRuntime':
      return [{ do: verb }, { do: 'wait', duration: 505 * Millisecond }];
    default:
      return fail(`there is no verb '${verb}'`);
  }
}
