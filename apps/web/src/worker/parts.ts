/** Parts of the worker that are loaded when a command first needs them: the first load is for the simulation alone. */
import { type Command, isQuery } from '@syncloop/core/debug';
import { starter } from '@syncloop/core/scenario';

export type Part = 'answers' | 'explore' | 'library';

/** The part that a message of the page's needs, null where it needs none. */
export function partOf(message: unknown): Part | null {
  const command = commandOf(message);
  if (!command) return null;
  if (isQuery(command)) return 'answers';
  switch (command.do) {
    case 'explore':
      return 'explore';
    case 'scenarios':
      return 'library';
    case 'load':
      return command.text === undefined && command.scenario !== starter.name ? 'library' : null;
    default:
      return null;
  }
}

/** Not checked: that is for whoever it is handed on to. */
function commandOf(message: unknown): Command | null {
  const { type, command } = (message ?? {}) as { readonly type?: unknown; readonly command?: Command | null };
  return type === 'command' && typeof command === 'object' ? command : null;
}

export interface GateOptions {
  readonly load: (part: Part) => Promise<void>;
  /** Handles a message, once what it needs is there. */
  readonly take: (message: unknown) => void;
  /** The part could not be loaded. */
  readonly refuse: (message: unknown, error: unknown) => void;
}

/** Commands wait for the parts that they need, and for those before them: they are taken in the order in which they came. */
export class PartsGate {
  private readonly loaded = new Set<Part>();
  private readonly waiting: unknown[] = [];

  constructor(private readonly options: GateOptions) {}

  receive(message: unknown): void {
    // What is no command (an acknowledgement) waits for none.
    const command = commandOf(message) !== null;
    if (!command || (this.waiting.length === 0 && !this.lacks(message))) {
      this.options.take(message);
      return;
    }
    this.waiting.push(message);
    if (this.waiting.length === 1) void this.work();
  }

  private lacks(message: unknown): Part | null {
    const part = partOf(message);
    return part && !this.loaded.has(part) ? part : null;
  }

  private async work(): Promise<void> {
    while (this.waiting.length > 0) {
      const [message] = this.waiting;
      const part = this.lacks(message);
      let failure: { readonly error: unknown } | null = null;
      try {
        if (part) await this.options.load(part);
        if (part) this.loaded.add(part);
      } catch (error) {
        failure = { error };
      }
      if (failure) this.options.refuse(message, failure.error);
      else this.options.take(message);
      // Only now: what comes while it is taken stands behind it.
      this.waiting.shift();
    }
  }
}
