import { type Kernel, Millisecond } from '@syncloop/core/kernel';
import type { KubeletParts, MakeParts, PartPodActions, PartSource } from '@syncloop/core/kubelet/parts';
import type { Json, RecordOf } from '@syncloop/core/trace';
import { type BackOffResult, backOff, backOffArgs } from './back-off.js';
import {
  type CodeLoader,
  type CodeLog,
  type CodeProblem,
  type CodeTrail,
  isProblem,
  type LoadedCode,
  PartError,
} from './code.js';
import { type KillContainerResult, killContainer, killContainerArgs } from './kill-container.js';
import { plegEvents, podOfList } from './pleg-events.js';
import { planProblem, podActions, podActionsArgs } from './pod-actions.js';
import { type PodStatusResult, podStatus, podStatusArgs } from './pod-status.js';
import { type ProbeResultResult, probeResult, probeResultArgs } from './probe-result.js';
import { callSeam, type Seam } from './seam.js';

/** The characters that the lines of one call may take in a run. */
const lineBytes = 256 * 1024;

interface About {
  readonly pod?: string;
  readonly uid?: string;
}

/** Code that stands for one part of one run, with the records that its calls leave. */
class Part<Out> {
  constructor(
    private readonly kernel: Kernel,
    private readonly seam: Seam<Out>,
    private readonly source: PartSource,
    private readonly code: LoadedCode,
  ) {}

  /**
   * Calls the code. `check` finds what is wrong with a result of the right shape; `quiet`: a result that needs no
   * record. Ends the run and throws a PartError if the call fails.
   */
  call(
    args: readonly Json[],
    about: About = {},
    check: (value: Out) => string | null = () => null,
    quiet: (value: Out) => boolean = () => false,
  ): Out {
    const { kernel, seam } = this;
    const { file, source } = this.source;
    const answer = callSeam(seam, this.code, { file, text: source }, args);
    this.record(answer.trail, about);
    if (!answer.ok) throw this.failed(answer.problem, args, about);
    const wrong = check(answer.value);
    if (wrong !== null) {
      const message = `${seam.fn} returned a plan that cannot be carried out: ${wrong}`;
      throw this.failed({ kind: 'shape', message, file, line: 0, column: 0 }, args, about);
    }
    if (!quiet(answer.value))
      kernel.emit({ kind: 'part', part: seam.part, fn: seam.fn, file, args, result: answer.json, ...about });
    return answer.value;
  }

  /** The lines that the call went through, each with what was printed after it. */
  private record({ logs, lines, linesLeftOut = 0 }: CodeTrail, about: About): void {
    const { kernel, seam } = this;
    const { file } = this.source;
    const print = (text: string, line: number, severity: 'I' | 'W' = 'I') =>
      kernel.emit({ kind: 'log', severity, v: 0, msg: text, kv: {}, file, line } as RecordOf<'log'>);
    let next = 0;
    const printUpTo = (count: number) => {
      for (; next < logs.length; next++) {
        const { line, text, after = 0 } = logs[next] as CodeLog;
        if (after > count) return;
        print(text, line);
      }
    };
    printUpTo(0);
    for (const [i, { line, column, function: fn, variables }] of lines.entries()) {
      kernel.emit({ kind: 'part-line', part: seam.part, fn, file, line, column, variables, ...about });
      printUpTo(i + 1);
    }
    if (linesLeftOut > 0) {
      const words = `… ${linesLeftOut} more lines of this call are not recorded: there are too many`;
      print(words, lines.at(-1)?.line ?? 0, 'W');
    }
  }

  private failed(problem: CodeProblem, args: readonly Json[], about: About): PartError {
    const { kernel, seam } = this;
    const { kind, message, file, line, column } = problem;
    kernel.emit({
      kind: 'part-failed',
      part: seam.part,
      fn: seam.fn,
      file,
      problem: kind,
      message,
      line,
      column,
      args,
      ...about,
    });
    const error = new PartError(problem);
    kernel.fail(error);
    return error;
  }
}

/** Frees code whose run nobody has any more: sessions drop runs without a word. */
const freed = new FinalizationRegistry<LoadedCode>((code) => code.dispose());

/**
 * Makes parts of learners' code; hand it to `useParts`. Each run loads its code anew, so nothing that code keeps in its
 * variables leaks from one run into another. `loaded` gets what is loaded, for a host that frees it earlier than the
 * garbage collector does.
 */
export function makePartsWith(loader: CodeLoader, loaded: (code: LoadedCode) => void = () => undefined): MakeParts {
  return (kernel, sources) => {
    const codes: LoadedCode[] = [];
    const part = <Out>(seam: Seam<Out>): Part<Out> | null => {
      const source = sources[seam.part];
      if (!source) return null;
      const code = loader.load(
        { file: source.file, text: source.source },
        source.lines ? { trace: true, traceBytes: lineBytes } : {},
      );
      if (isProblem(code)) {
        for (const before of codes) before.dispose();
        throw new PartError(code);
      }
      codes.push(code);
      loaded(code);
      return new Part(kernel, seam, source, code);
    };
    const parts = partsFrom({
      events: part(plegEvents),
      actions: part(podActions),
      waits: part(backOff),
      probes: part(probeResult),
      statuses: part(podStatus),
      kills: part(killContainer),
    });
    for (const code of codes) freed.register(parts, code);
    return parts;
  };
}

interface Written {
  readonly events: Part<ReturnType<NonNullable<KubeletParts['plegEvents']>>> | null;
  readonly actions: Part<PartPodActions> | null;
  readonly waits: Part<BackOffResult> | null;
  readonly probes: Part<ProbeResultResult> | null;
  readonly statuses: Part<PodStatusResult> | null;
  readonly kills: Part<KillContainerResult> | null;
}

function partsFrom({ events, actions, waits, probes, statuses, kills }: Written): KubeletParts {
  return {
    ...(events && { plegEvents: eventsOf(events) }),
    ...(actions && {
      podActions: (input) =>
        actions.call(podActionsArgs(input), aboutPod(input.pod), (plan) => planProblem(input, plan)),
    }),
    ...(waits && {
      backOff(state, input) {
        const { state: next, output } = waits.call(backOffArgs(state, input));
        return { state: next, wait: output.wait, delay: output.delaySeconds * 1000 * Millisecond };
      },
    }),
    ...(probes && {
      probeResult(state, input) {
        const { state: next, output } = probes.call(probeResultArgs(state, input));
        return { state: next, ...output };
      },
    }),
    ...(statuses && {
      podStatus: (input) => statuses.call(podStatusArgs(input), aboutPod(input.pod)),
    }),
    ...(kills && {
      killContainer(state, input) {
        const { state: next, output } = kills.call(killContainerArgs(state, input));
        return { state: next, ...output };
      },
    }),
  };
}

/** A relist asks twice for a pod that changed: the second answer is the first one. */
function eventsOf(part: NonNullable<Written['events']>): NonNullable<KubeletParts['plegEvents']> {
  const last = new Map<string, { old: unknown; pod: unknown; answer: ReturnType<typeof part.call> }>();
  return (uid, old, pod) => {
    const known = last.get(uid);
    if (known && known.old === old && known.pod === pod) return known.answer;
    const args = [podOfList(old), podOfList(pod)];
    const about = { uid, pod: nameOf(pod ?? old) };
    const same = JSON.stringify(args[0]) === JSON.stringify(args[1]);
    // Most pods are as they were at most times: that leaves no record.
    const answer = part.call(args, about, undefined, (events) => same && events.length === 0);
    if (pod) last.set(uid, { old, pod, answer });
    else last.delete(uid);
    return answer;
  };
}

const nameOf = (pod: { readonly namespace: string; readonly name: string } | null): string =>
  pod ? (pod.namespace ? `${pod.namespace}/${pod.name}` : pod.name) : '';

const aboutPod = ({
  metadata,
}: {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly uid: string };
}): About => ({
  pod: metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name,
  uid: metadata.uid,
});
