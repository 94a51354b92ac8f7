/** Parts of the worker that are loaded when a command first needs them: the first load is for the simulation alone. */
import { type Command, isQuery } from '@syncloop/core/debug';
import { defaultEra, type EraVersion, eraVersions } from '@syncloop/core/kubelet';
import { type LibraryEntry, starter } from '@syncloop/core/scenario';

/**
 * `library`: the scenarios that come with the program; `listed`: what a list shows of them. `cluster`: the API server,
 * for scenarios that have one. A version: that kubelet; `eras`: all of them, if it is unknown which. `compareEras`: the
 * comparison of two of them. `workshop`: the interpreter, for scenarios that replace parts of the kubelet by code.
 */
export type Part =
  | 'answers'
  | 'explore'
  | 'library'
  | 'listed'
  | 'cluster'
  | 'eras'
  | EraVersion
  | 'compareEras'
  | 'workshop';

/** Today's kubelet is always there. */
const kubeletOf = (version: EraVersion | undefined): readonly Part[] =>
  version === undefined || version === defaultEra ? [] : [version];

/** The parts that a message of the page's needs. */
export function partsOf(message: unknown): readonly Part[] {
  const command = commandOf(message);
  if (!command) return [];
  if (isQuery(command)) return ['answers'];
  switch (command.do) {
    case 'explore':
      return ['explore'];
    case 'scenarios':
      return ['listed'];
    case 'load':
      // Only the text itself shows whether its scenario has an API server, and that is read too late.
      if (command.text !== undefined)
        return [
          'cluster',
          ...(/\bera\b/.test(command.text) ? ['eras' as const] : []),
          ...(/\bparts\b/.test(command.text) ? ['workshop' as const] : []),
          ...kubeletOf(command.era),
        ];
      return [
        ...(command.scenario === starter.name ? [] : (['library', 'cluster'] as const)),
        ...kubeletOf(command.era),
      ];
    case 'era':
      return kubeletOf(command.version);
    case 'compareEras':
      return [...kubeletOf(command.with), 'compareEras'];
    default:
      return [];
  }
}

/**
 * Returns the further parts that a scenario of the library needs, once the library is there: the kubelet that its text
 * names.
 */
export function partsOfScenario(message: unknown, library: readonly LibraryEntry[]): readonly Part[] {
  const command = commandOf(message);
  if (command?.do !== 'load' || command.text !== undefined) return [];
  const text = library.find(({ name }) => name === command.scenario)?.text ?? '';
  const named = /^ {2}era: *(\S+)/m.exec(text)?.[1];
  return kubeletOf(eraVersions.find((version) => version === named));
}

/** Returns the command in a message, unchecked: its receiver checks it. */
function commandOf(message: unknown): Command | null {
  const { type, command } = (message ?? {}) as { readonly type?: unknown; readonly command?: Command | null };
  return type === 'command' && typeof command === 'object' ? command : null;
}

export interface GateOptions {
  readonly load: (part: Part) => Promise<void>;
  /** Parts that are known to be needed when others are there. Default: none. */
  readonly more?: (message: unknown) => readonly Part[];
  /** Handles a message, once its parts are there. */
  readonly take: (message: unknown) => void;
  /** The part could not be loaded. */
  readonly refuse: (message: unknown, error: unknown) => void;
}

/**
 * Commands wait for the parts that they need, and for those before them: they are taken in the order in which they
 * came.
 */
export class PartsGate {
  private readonly loaded = new Set<Part>();
  private readonly waiting: unknown[] = [];

  constructor(private readonly options: GateOptions) {}

  receive(message: unknown): void {
    // A message that is not a command (an acknowledgement) waits for none.
    const command = commandOf(message) !== null;
    if (!command || (this.waiting.length === 0 && this.lacks(message).length === 0)) {
      this.options.take(message);
      return;
    }
    this.waiting.push(message);
    if (this.waiting.length === 1) void this.work();
  }

  private lacks(message: unknown): Part[] {
    const { more = () => [] } = this.options;
    return [...partsOf(message), ...more(message)].filter((part) => !this.loaded.has(part));
  }

  private async load(part: Part): Promise<void> {
    await this.options.load(part);
    this.loaded.add(part);
  }

  private async work(): Promise<void> {
    while (this.waiting.length > 0) {
      const [message] = this.waiting;
      let failure: { readonly error: unknown } | null = null;
      try {
        for (let lacking = this.lacks(message); lacking.length > 0; lacking = this.lacks(message))
          await Promise.all(lacking.map((part) => this.load(part)));
      } catch (error) {
        failure = { error };
      }
      if (failure) this.options.refuse(message, failure.error);
      else this.options.take(message);
      // It is removed only now: messages that come meanwhile are behind it.
      this.waiting.shift();
    }
  }
}
