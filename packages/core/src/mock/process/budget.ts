import type { Kernel } from '../../kernel/index.js';

/**
 * The limits of programs in the mock runtime. They run inside the simulation, on the thread of its host, so what a real
 * node would do slowly or in another process is bounded here. One unit of work takes about 10 ns.
 */
export const budget = {
  /**
   * Units after which a program stands still for a moment of virtual time, if it can, so that its host gets a turn.
   */
  slice: 1 << 17,
  /** Units that a program may do without such a moment: one match, one expansion, one sort. */
  work: 1 << 21,
  /** Characters that a program may write without waiting for anything. */
  output: 8 << 20,
  /** Characters that a container's programs may hold: variables, what `$(...)` catches, pipes, texts that are read. */
  memory: 64 << 20,
  /** The same for all containers of the node together. */
  nodeMemory: 256 << 20,
  /** Words of one command, and arguments of one shell. */
  words: 1 << 17,
  /**
   * Functions, subshells, programs and compound commands inside one another: each takes some frames of our own stack.
   */
  nesting: 300,
  /** Characters of one program's text: as many as Linux takes for `sh -c`. */
  program: 1 << 17,
  /** Constructs inside one another in a program's text. */
  constructs: 64,
  /** Processes that a container may start within a millisecond; more of them start later. */
  startsAtOnce: 100,
} as const;

export type BudgetKind = 'work' | 'output' | 'memory' | 'words' | 'nesting' | 'program';

const MiB = (n: number): string => `${n >> 20} MiB`;

/** The message for each budget that was used up, with its remedy. */
const texts: Readonly<Record<BudgetKind, string>> = {
  work: `too much work at one instant (${budget.work} units of about 10 ns): use shorter texts and simpler patterns`,
  output: `more than ${MiB(budget.output)} of output without a pause: write less, or sleep in between`,
  memory: `programs of a container hold at most ${MiB(budget.memory)} in variables, pipes and texts, all of the node ${MiB(budget.nodeMemory)}: hold less, or give the container a memory limit of less than that to see it OOMKilled`,
  words: `at most ${budget.words} words in a command: use fewer words`,
  nesting: `functions, subshells and compound commands go at most ${budget.nesting} deep: nest less, or use a loop`,
  program: `a program's text has at most ${budget.program} characters and ${budget.constructs} constructs inside one another: make it shorter or flatter`,
};

/** The message of a budget that is used up. */
export const budgetMessage = (kind: BudgetKind): string => `budget of the mock shell exceeded: ${texts[kind]}`;

/** Reason of a container whose first process used up a budget. */
export const budgetReason = 'MockBudgetExceeded';

/** Thrown if there is no process to end here; whoever runs the process ends it. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
  constructor(readonly kind: BudgetKind) {
    super(budgetMessage(kind));
  }
}

/** Longest argument or variable of a program that is started, with its zero byte. upstream (Linux): MAX_ARG_STRLEN */
export const maxArgStrlen = 131_072;
/** Most bytes of arguments and environment together: a quarter of the usual stack limit. upstream (Linux): ARG_MAX */
export const argMax = 2 << 20;

/** Returns true if Linux' execve refuses arguments and environment as too long (E2BIG). */
export function argumentsTooLong(argv: readonly string[], env: ReadonlyMap<string, string>): boolean {
  let total = 0;
  const add = (length: number): boolean => {
    // With its pointer.
    total += length + 9;
    return length >= maxArgStrlen || total > argMax;
  };
  for (const a of argv) if (add(a.length)) return true;
  for (const [k, v] of env) if (add(k.length + 1 + v.length)) return true;
  return false;
}

/** Characters that all containers of a node hold. */
class NodeMemory {
  held = 0;
}
const nodes = new WeakMap<Kernel, NodeMemory>();
/** The memory that the programs of one node share. */
export function nodeMemory(kernel: Kernel): { held: number } {
  let m = nodes.get(kernel);
  if (!m) {
    m = new NodeMemory();
    nodes.set(kernel, m);
  }
  return m;
}

/**
 * The work of one goroutine of programs since its last wait. Children in the foreground count for their parents too.
 */
export class Meter {
  /** Units since the kernel had its turn. */
  work = 0;
  /** Characters written since it last waited for something. */
  written = 0;
}
