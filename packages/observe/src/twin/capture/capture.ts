import { utf8Bytes } from '@syncloop/core/base';
import { epochMicros } from '@syncloop/core/kernel';
import { kubeletVersion } from '@syncloop/core/kubelet';
import { defaultEra } from '@syncloop/core/kubelet/era/versions';
import type { Scenario, ScenarioRun, ScenarioRunOptions } from '@syncloop/core/scenario';
import { startScenario } from '@syncloop/core/scenario';
import { formatKlog, type Micros, type RecordOf, type TraceRecord } from '@syncloop/core/trace';
import { SocketTap } from './socket.js';
import { flagsOf, machineLines } from './start-lines.js';

export interface CaptureOptions extends Omit<ScenarioRunOptions, 'tap'> {
  /** Verbosity of the log. Default: 4. */
  readonly verbosity?: number;
}

/** The result of a captured run, in the same files as a capture of a real kubelet. */
export interface Capture {
  /** Milliseconds since 1970 at which `at` of its files begins. */
  readonly startedMillis: number;
  /** The clock of the run at its end. */
  readonly until: Micros;
  /** The files by name: kubelet.v4.log, cri-bytes.ndjson, pods.ndjson, container-events.ndjson, about.json. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** A run that is being captured. */
export interface CapturedRun {
  /** The run, which the caller drives. */
  readonly run: ScenarioRun;
  /** The files of the run up to now. */
  capture(): Capture;
}

/** The time between two requests to `/pods`. */
const askEvery = 100_000;

/**
 * Starts a scenario, and captures its kubelet's sources. Nothing moves before `run.step` or `run.run`; the run is the
 * same to the byte as without a capture.
 */
export function startCapture(scenario: Scenario, options: CaptureOptions = {}): CapturedRun {
  const { verbosity = 4, ...rest } = options;
  const log: string[] = [];
  const pods: string[] = [];
  const events: string[] = [];
  let pid = 2657;
  let run: ScenarioRun | null = null;
  const start = { micros: 0, millis: 0 };
  const at = (now: Micros): number => Math.floor((start.micros + now) / 1000) - start.millis;
  const socket = new SocketTap(at, () => run?.mock.running ?? false);

  const format = (r: RecordOf<'log'>) => formatKlog(r, { epochMillis: run?.kernel.clock.epochMillis ?? 0, pid });
  /** A line that is not a record: `text` is all that follows its head, `line` the line of upstream's file. */
  const say = (time: Micros, file: string, line: number, text: string) => {
    const body = { kind: 'log', v: 0, severity: 'I', file, msg: '', kv: {} } as const;
    log.push(format({ ...body, seq: 0, time, g: 0, span: 0, cause: 0 }).replace(/\d+\] ""$/, `${line}] ${text}`));
  };
  /** Writes the lines that a kubelet logs before it begins; ours does not, because it has no flags and no cAdvisor. */
  const introduce = (time: Micros, { config, mock, era }: ScenarioRun) => {
    const version = era === defaultEra ? kubeletVersion : `${era}.0`;
    const flags = { ...flagsOf(config), v: String(verbosity) };
    for (const [name, value] of Object.entries(flags))
      say(time, 'flags.go', 64, `FLAG: --${name}=${JSON.stringify(value)}`);
    say(time, 'server.go', 545, `"Kubelet version" kubeletVersion="${version}"`);
    for (const text of machineLines(mock.nodeInfo)) say(time, 'manager.go', 218, text);
  };

  /** The next time to ask `/pods`, after something that may have changed its answer. */
  let ask: Micros | null = null;
  let before = '';
  const snapshot = (time: Micros) => {
    ask = null;
    if (!run?.node.kubeletRuns) return;
    const text = JSON.stringify(run.node.pods());
    if (text === before) return;
    before = text;
    pods.push(`{"at":${at(time)},"pods":${text}}`);
  };

  const sink = (r: TraceRecord): void => {
    if (ask !== null && r.time >= ask) snapshot(ask);
    switch (r.kind) {
      case 'log':
        if (r.v <= verbosity) log.push(format(r));
        return;
      case 'process':
        if (r.process !== 'kubelet') return;
        socket.sweep(r.time);
        before = '';
        if (r.state === 'started') {
          pid++;
          if (run) introduce(r.time, run);
        }
        break;
      case 'pod-config':
      case 'pod-update':
      case 'status':
      case 'status-removed':
        break;
      case 'exit':
        if (!r.fn.startsWith('HandlePod')) return;
        break;
      default:
        return;
    }
    ask ??= (Math.floor(r.time / askEvery) + 1) * askEvery;
  };
  /** The kubelet's start leaves records before there is a run to ask. */
  const early: TraceRecord[] = [];
  const begun = startScenario(scenario, {
    ...rest,
    tap: socket.tap,
    sink: (r) => {
      rest.sink?.(r);
      if (run) sink(r);
      else early.push(r);
    },
  });
  run = begun;
  start.micros = epochMicros(begun.kernel.clock);
  start.millis = Math.floor(start.micros / 1000);
  early.forEach(sink);
  begun.mock.onEvent((event) => {
    const now = begun.kernel.now();
    events.push(JSON.stringify({ at: at(now), event }));
    socket.event(event, now);
  });
  return {
    run: begun,
    capture: () => {
      if (ask !== null) snapshot(Math.max(ask, begun.kernel.now()));
      const about = {
        scenario: scenario.name,
        about: scenario.summary.en,
        kubelet: kubeletVersion,
        containerd: 'mock, as containerd v2.1.9',
        klog: `v${verbosity}`,
        startedAt: new Date(start.millis).toISOString(),
      };
      const text = (lines: readonly string[]) => utf8Bytes(lines.map((l) => `${l}\n`).join(''));
      return {
        startedMillis: start.millis,
        until: begun.kernel.now(),
        files: new Map([
          [`kubelet.v${verbosity}.log`, text(log)],
          ['cri-bytes.ndjson', text(socket.lines.map((l) => JSON.stringify(l)))],
          ['pods.ndjson', text(pods)],
          ['container-events.ndjson', text(events)],
          ['about.json', utf8Bytes(JSON.stringify(about, null, 1))],
        ]),
      };
    },
  };
}

/** Returns the capture of a scenario up to `until`; default: until its steps are over. */
export function captureOf(scenario: Scenario, options: CaptureOptions & { readonly until?: Micros } = {}): Capture {
  const { until, ...rest } = options;
  const { run, capture } = startCapture(scenario, rest);
  run.run(until === undefined ? {} : { until });
  return capture();
}
