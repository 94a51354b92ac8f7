import type { Json } from '../trace/records.js';
import type { Node } from './ast.js';
import { Compiler } from './compiler.js';
import { parse } from './parser.js';
import type { Env, Run } from './run.js';
import type { Context } from './subject.js';
import { type Budget, EXHAUSTED, holds } from './values.js';

/** Most that one evaluation does: turns of loops times the size of their bodies, and the like. A few milliseconds. */
export const MAX_WORK = 200_000;

export interface Outcome {
  readonly value: Json;
  /** True if the value is neither null, false, 0 nor the empty text. */
  readonly holds: boolean;
  /** It would have taken too long: the value is null. */
  readonly exhausted: boolean;
}

/** A compiled expression: a pure function of record and state. Never throws when it is evaluated. */
export class Expression {
  /** It looks at the state, so the records alone do not do. */
  readonly usesState: boolean;
  private readonly run: Run;

  /** @internal use `compile` */
  constructor(
    readonly source: string,
    node: Node,
  ) {
    const compiler = new Compiler();
    this.run = compiler.compile(node).run;
    this.usesState = compiler.usesState;
  }

  /** The value may be a part of record or state: to keep it, copy it. */
  value(context: Context): Json {
    return this.outcome(context).value;
  }
  /** Returns true if the value is neither null, false, 0 nor the empty text. */
  test(context: Context): boolean {
    return this.outcome(context).holds;
  }
  /** Evaluates the expression. `budget`: what several evaluations together may do. */
  outcome(context: Context, budget?: Budget): Outcome {
    return evaluate(this.run, context, budget);
  }
}

/** @internal */
export function evaluate(run: Run, context: Context, budget: Budget = { left: MAX_WORK }): Outcome {
  const env: Env = {
    context,
    record: context.record as unknown as Json,
    state: context.state as unknown as Json,
    locals: [],
    left: budget.left,
  };
  try {
    const value = run(env);
    return { value, holds: holds(value), exhausted: false };
  } catch (error) {
    if (error === EXHAUSTED) return { value: null, holds: false, exhausted: true };
    throw error;
  } finally {
    budget.left = Math.max(0, env.left);
  }
}

/** Throws an ExpressionError with the place of what is wrong. */
export function compile(source: string): Expression {
  return new Expression(source, parse(source));
}
