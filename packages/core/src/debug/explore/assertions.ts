import { compile, type Expression } from '../../expression/index.js';
import { initialState, type NodeState, reduce, type TraceRecord } from '../../trace/index.js';

export interface Assertions {
  /** Expressions that must not hold at any record. */
  readonly never?: readonly string[];
  /** Expressions that must hold at the end, over the state and the last record. */
  readonly finally?: readonly string[];
}

export interface CompiledAssertions {
  readonly never: readonly Expression[];
  readonly finally: readonly Expression[];
}

/** Throws an ExpressionError that says where it is wrong. */
export const compileAssertions = (a: Assertions): CompiledAssertions => ({
  never: (a.never ?? []).map(compile),
  finally: (a.finally ?? []).map(compile),
});

/** Holds one run to assertions. The state is folded only if somebody looks at it. */
export class AssertionWatch {
  private readonly state: NodeState | null;
  private last: TraceRecord | null = null;
  private readonly broken = new Set<Expression>();

  constructor(
    private readonly assertions: CompiledAssertions,
    private readonly report: (kind: 'never' | 'finally', name: string, record: TraceRecord | null) => void,
  ) {
    const uses = [...assertions.never, ...assertions.finally].some((e) => e.usesState);
    this.state = uses || assertions.finally.length > 0 ? initialState() : null;
  }

  sink(record: TraceRecord): void {
    this.last = record;
    if (this.state) reduce(this.state, record);
    for (const e of this.assertions.never) {
      if (this.broken.has(e) || !e.test({ record, state: this.state ?? nothing })) continue;
      this.broken.add(e);
      this.report('never', e.source, record);
    }
  }

  end(): void {
    const { last, state } = this;
    for (const e of this.assertions.finally)
      if (!last || !state || !e.test({ record: last, state })) this.report('finally', e.source, last);
  }
}

/** For expressions that do not look at it. */
const nothing: NodeState = initialState();
