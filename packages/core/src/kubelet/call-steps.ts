import { type Pod, podRef } from '../api/types.js';
import { currentOrNull, type Kernel } from '../kernel/index.js';
import { type CallStepName, callSteps, type Json, type SteppedCall } from '../trace/index.js';

/** The findings of a step: numbers of what is there, lists of what is out of place. */
export type Found = Readonly<Record<string, Json | undefined>>;

/** Records a step of the call that is under way, by one of these names. */
export type StepNamed<N extends CallStepName> = (name: N, found: Found, about?: Pod, container?: string) => void;
/** The same for all steps of one call. A step that the kubelet's version does not have is passed over. */
export type Step<F extends SteppedCall> = StepNamed<CallStepName<F>>;

/** Records the steps of a kubelet's calls, with the numbers that its version gives them. */
export class CallSteps {
  private readonly names = new Map<SteppedCall, readonly string[]>();
  /** The last findings of each step of housekeeping, as text. */
  private readonly last = new Map<string, string>();

  /** `minor`: the minor version of Kubernetes that the kubelet is of. */
  constructor(
    private readonly kernel: Kernel,
    private readonly minor: number,
  ) {}

  /** The steps of one call, which is the innermost one now; each is caused by the call. */
  of<F extends SteppedCall>(fn: F): Step<F> {
    const call = currentOrNull()?.g.cause;
    return (name, found, about, container) => {
      const n = this.namesOf(fn).indexOf(name) + 1;
      if (n === 0) return;
      this.kernel.emit(
        {
          kind: 'call-step',
          fn,
          n,
          name,
          found,
          ...(container !== undefined && { container }),
          ...(about && podRef(about)),
        },
        call,
      );
    };
  }

  /** The same for a call that comes round: a step is recorded if it finds something else than the last time. */
  ofRound<F extends SteppedCall>(fn: F): Step<F> {
    const step = this.of(fn);
    return (name, found, about, container) => {
      const text = JSON.stringify(found);
      if (this.last.get(name) === text) return;
      this.last.set(name, text);
      step(name, found, about, container);
    };
  }

  private namesOf(fn: SteppedCall): readonly string[] {
    const names = this.names.get(fn) ?? callSteps(fn, this.minor);
    this.names.set(fn, names);
    return names;
  }
}
