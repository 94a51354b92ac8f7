/**
 * The commands of a session, one entry each. From it follow the type `Command`, the reading of messages, who may send
 * it, whether a session can do it at all, and what it waits for. A command's answer is in `results.ts`; how a session
 * does it is in its own table.
 */
import { MAX_SOURCE } from '../../expression/index.js';
import type { Deviation } from '../../kernel/index.js';
import { eraVersions } from '../../kubelet/era/versions.js';
import {
  custom,
  type Fields,
  flag,
  json,
  list,
  object,
  oneOf,
  optional,
  positive,
  type Read,
  refine,
  type Shape,
  tagged,
  textOf,
  whole,
} from '../../shape/index.js';
import type { Decisions, Json, Micros, Seq } from '../../trace/index.js';
import type { Capabilities } from './capabilities.js';
import { twinSides } from './twin-sides.js';

/** Longest text of a manifest or scenario, in UTF-16 units. */
export const MAX_TEXT = 1_000_000;
const MAX_NAME = 500;
const MAX_COUNT = 1_000_000;
const MAX_BREAKPOINTS = 1000;
const MAX_SCHEDULES = 100_000;
/** Most pods that a twin is limited to. */
const MAX_PODS = 100;
/** Most assertions of an exploration, of each kind, and how long each may be. */
const MAX_ASSERTIONS = 20;
const MAX_ASSERTION = 2000;
const MAX_INVARIANTS = 100;
/** Most deviations, and interventions, of one run. */
const MAX_CHANGES = 100_000;

/**
 * The kind of a command, which decides who may send it and when.
 * - query: asks about what was recorded; every session answers it from its records.
 * - look: asks about the session; nothing changes by it.
 * - control: moves the session, or changes how it goes on.
 * - intervention: does something to the simulated node from outside; it is a part of the run and is repeated with it.
 */
export type CommandKind = 'query' | 'look' | 'control' | 'intervention';

interface Entry<K extends CommandKind, F extends Fields> {
  readonly kind: K;
  /** The capabilities that the session must have. */
  readonly needs: readonly (keyof Capabilities)[];
  /** The fields of its argument. */
  readonly fields: F;
  /** It may come while the session explores, because it moves nothing. */
  readonly whileExploring?: boolean;
  /** It does not wait for the command under way, but ends it. */
  readonly ends?: boolean;
  /** It changes neither the session's position nor whether it runs. */
  readonly inPlace?: boolean;
}
type Options = Pick<Entry<CommandKind, Fields>, 'whileExploring' | 'ends' | 'inPlace'>;

const query = <F extends Fields>(fields: F): Entry<'query', F> => ({ kind: 'query', needs: [], fields });
const look = <F extends Fields>(fields: F, ...needs: readonly (keyof Capabilities)[]): Entry<'look', F> => ({
  kind: 'look',
  needs,
  fields,
});
const control = <F extends Fields>(
  needs: readonly (keyof Capabilities)[],
  fields: F,
  options: Options = {},
): Entry<'control', F> => ({ kind: 'control', needs, fields, ...options });

// --- shapes of arguments

const name = textOf(MAX_NAME, 0);
const count = whole(1, MAX_COUNT);
const seq: Shape<Seq> = whole(0);
const micros: Shape<Micros> = whole(0);
/** A length of time, in Micros. */
const duration: Shape<Micros> = whole(1);
const goroutine = whole(1);
const branch = whole(1, MAX_COUNT);
const data = json({ depth: 32, values: 20_000, characters: MAX_TEXT }) as Shape<Json>;
const many = <T>(item: Shape<T>, most: number): Shape<readonly T[]> => list(item, most);
const assertions = many(textOf(MAX_ASSERTION, 0), MAX_ASSERTIONS);

/** A name in the manifest folder, never a way out of it. */
const fileName: Shape<string> = refine(textOf(255, 0), (file, r) => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they have no place in a file name
  if (file === '' || file === '.' || file === '..' || /[/\\\u0000-\u001f]/.test(file))
    throw r.mustBe('a plain file name such as "web.yaml", without a folder');
});

/**
 * `milestone`: to the next record that a person can see (`isMilestone`). `into`: to the goroutine's next call or
 * return. `over`: to what it does next besides what it calls. `out`: to after its present call. `channel`,
 * `dispatch`, `cri`, `status`, `line`: to the next operation on a channel, update of a pod worker, CRI call, status of
 * a pod, line of a learner's code.
 */
export const stepUnits = [
  'decision',
  'record',
  'iteration',
  'milestone',
  'into',
  'over',
  'out',
  'channel',
  'dispatch',
  'cri',
  'status',
  'line',
] as const;
export type StepUnit = (typeof stepUnits)[number];
/** Units that are counted from the start of a run. */
export const countedUnits = ['decision', 'record', 'iteration'] as const;
export const paces = ['play', 'fast'] as const;
export type Pace = (typeof paces)[number];

/**
 * The speed of a simulation: simulated seconds per second, or decisions per second, or as fast as possible. `follow`:
 * in real time, but each decision stands for as long as it takes to read what it brought.
 */
export type Speed =
  | { readonly mode: 'time'; readonly factor: number }
  | { readonly mode: 'steps'; readonly perSecond: number }
  | { readonly mode: 'follow' }
  | { readonly mode: 'max' };
export const speed: Shape<Speed> = tagged(
  'mode',
  { time: { factor: positive(1e9) }, steps: { perSecond: positive(1e9) }, follow: {}, max: {} },
  'drop',
);

/**
 * A place in a run: this many decisions were taken, and `seq` is the last record seen. It may lie within a decision.
 */
export interface Position {
  readonly step: Decisions;
  readonly seq: Seq;
}
const position: Shape<Position> = object({ step: whole(0), seq }, 'drop');

/** A position to go to: right after a record, a count of decisions or iterations, or a time. */
export type GoTarget =
  | { readonly seq: Seq }
  | { readonly step: Decisions }
  | { readonly iteration: number }
  | { readonly time: Micros };
const targets = { seq, step: whole(0), iteration: whole(0), time: micros };
const goTarget: Shape<GoTarget> = custom(
  { type: 'object', properties: Object.fromEntries(Object.entries(targets).map(([k, s]) => [k, s.schema])) },
  (r) => {
    const given = r.object();
    const keys = (Object.keys(targets) as (keyof typeof targets)[]).filter((key) => Object.hasOwn(given, key));
    const [key] = keys;
    if (key === undefined || keys.length > 1)
      throw r.error(
        `it has ${keys.join(' and ') || 'no place'}`,
        `it must have one of ${Object.keys(targets).join(', ')}`,
      );
    return { [key]: targets[key].read(r.at(key)) } as unknown as GoTarget;
  },
);

const deviation: Shape<Deviation> = object(
  { decision: whole(1), goroutine: optional(goroutine), case: optional(whole(0, MAX_COUNT)) },
  'drop',
);

// --- interventions

const intervention = <F extends Fields>(
  needs: readonly (keyof Capabilities)[],
  fields: F,
): Entry<'intervention', F> => ({ kind: 'intervention', needs, fields });

/** Commands that are a part of the run. */
export const interventions = {
  /**
   * Writes manifest text as `file` (default: NAME.yaml) into the manifest folder. A manifest that the kubelet could not
   * read is refused, with the place and the remedy, unless `force` asks to see what the kubelet makes of it.
   */
  apply: intervention(['apply'], { manifest: textOf(MAX_TEXT, 0), file: optional(fileName), force: optional(flag) }),
  delete: intervention(['apply'], { file: fileName }),
  /** Kills a container's main process, or the whole sandbox when no container is named. */
  kill: intervention(['intervene'], { uid: name, container: optional(name) }),
  /**
   * Any one step of a scenario that acts at once, as data: a fault, an OOM kill, a stopped runtime, a restart of the
   * kubelet.
   */
  act: intervention(['intervene'], { action: data }),
};
type CommandsOf<T extends { readonly [name: string]: Entry<CommandKind, Fields> }> = {
  [K in keyof T]: { readonly do: K } & Read<T[K]['fields']>;
}[keyof T];
/** Commands that change what happens. */
export type InterventionCommand = CommandsOf<typeof interventions>;

/** Something that was done from outside: after this many decisions and records, when the clock stood at `time`. */
export interface Intervention {
  readonly step: Decisions;
  readonly after: Seq;
  readonly time: Micros;
  readonly command: InterventionCommand;
  /**
   * It was done in another run, of which step and record are: it is done when the clock is at `time`. Never in a
   * link or a file, as it has a place of its own once it is done.
   */
  readonly byTime?: true;
}
const interventionCommand: Shape<InterventionCommand> = commandShape(interventions);
const interventionShape: Shape<Intervention> = object(
  { step: whole(0), after: seq, time: micros, command: interventionCommand },
  'drop',
);

// --- an observed run and its twin (see packages/observe/src/twin/session)

/** The part of an observed run that is re-enacted, on its clock. */
const part = { from: optional(micros), to: optional(micros), pods: optional(many(name, MAX_PODS)) };

const twinCommands = {
  /**
   * Makes a twin of the observed run: the scenario that the evidence gives, or `text`, runs as long as what was
   * observed, and both are compared. The shown run stays. `era`: the version of the twin's kubelet; by
   * default the nearest one to what was observed. `cause`: the place of a cause in the answer to `causes`; the twin is
   * the one with that cause. `remedy`: the same of the answer to `prevent`. `from`, `to`, `pods`: the
   * part that is re-enacted, on the clock of the observed run. `pause` ends it.
   */
  reenact: control(
    ['twin'],
    {
      text: optional(textOf(MAX_TEXT, 0)),
      era: optional(oneOf(...eraVersions)),
      cause: optional(whole(0, MAX_COUNT)),
      remedy: optional(whole(0, MAX_COUNT)),
      ...part,
    },
    { inPlace: true },
  ),
  twin: look({}, 'twin'),
  /**
   * Shows the observed run or its twin. `seen`, `twin`: the record of each that they are to be at; where one is not
   * named, it is at the moment that belongs to the other's, and if none is, at the one that belongs to where the
   * run stands that was shown.
   */
  side: control(['twin'], { side: oneOf(...twinSides), seen: optional(seq), twin: optional(seq) }),
  /** The state of the run that is not shown, at the moment that belongs to this one. */
  counterpart: look({}, 'twin'),
  /** Holds a branch of the twin against the observed run (default: the branch that it is in). */
  hold: look({ branch: optional(branch) }, 'twin'),
  /**
   * Looks for the choices by which the twin does what the observed kubelet did. If some are found, the twin is made
   * again with them. `pause` ends it.
   */
  chance: control(['twin'], { tries: optional(whole(1, MAX_SCHEDULES)) }, { inPlace: true }),
  /**
   * Looks for what no source reports and would explain the differences. `pause` ends it; what it has found by then is
   * in the answer to `twin`.
   */
  causes: control(['twin'], { tries: optional(whole(1, MAX_SCHEDULES)) }, { inPlace: true }),
  /**
   * Runs what would have prevented an incident, in a twin of the observed run. `incident`: its kind; default: the
   * weightiest one. `from`, `to`, `pods`: as for `reenact`; default: as of the twin. `pause` ends it; what it has found
   * by then is in the answer to `prevented`.
   */
  prevent: control(
    ['twin'],
    { incident: optional(name), tries: optional(whole(1, MAX_SCHEDULES)), ...part },
    { inPlace: true },
  ),
  prevented: look({}, 'twin'),
};
/** Commands that are answered by who holds the two runs, never by one of them. */
export type TwinCommand = CommandsOf<typeof twinCommands>;
export const isTwinCommand = (command: Command): command is TwinCommand => Object.hasOwn(twinCommands, command.do);

// --- a node among others that are observed

const fleetCommands = {
  /** The verdict on all nodes, and the one that is shown. */
  fleet: look({}, 'fleet'),
  /** Shows another node: its run replaces the one that is shown. */
  node: control(['fleet'], { name }),
};

/** Commands that are answered by who holds all nodes, never by the run of one. */
export type FleetCommand = CommandsOf<typeof fleetCommands>;

// --- the table

const places = { from: optional(seq), to: optional(seq), limit: optional(count) };
/** A version of the kubelet. */
const era = oneOf(...eraVersions);
/** The capabilities that only a simulation has, which can go back and take other ways. */
const branching = ['rewind', 'choose'] as const;

export const commands = {
  pause: control(['control'], {}, { whileExploring: true, ends: true }),
  resume: control(['control'], {}),
  /**
   * `goroutine`: whose calls, for into, over and out. `pod`: only what is about it (uid or name), for the units that
   * are found by records.
   */
  step: control(['control'], {
    unit: oneOf(...stepUnits),
    count: optional(count),
    back: optional(flag),
    goroutine: optional(goroutine),
    pod: optional(name),
  }),
  /** To a record, a count of decisions or iterations, or a time, in the past or in the future. */
  go: control(['control', 'rewind'], { to: goTarget }),
  /**
   * Runs forward to the next record for which the expression (docs/users/expressions.md) holds, and stands right after
   * it; at most `within` further in the run's time. `play` (the default) goes at the session's speed, `fast` as fast as
   * it can.
   */
  until: control(['control', 'rewind'], {
    where: textOf(MAX_SOURCE, 0),
    within: optional(duration),
    pace: optional(oneOf(...paces)),
  }),
  speed: control(['speed'], { speed }, { whileExploring: true, inPlace: true }),
  /** Answers the choice that is pending. */
  choose: control(['choose'], { index: whole(0, MAX_COUNT) }),
  /** Sets whether the user is asked at selects with several ready cases. */
  ask: control(['choose'], { select: flag }, { inPlace: true }),
  ...interventions,
  manifests: look({}),
  /** Pods as the kubelet has them, and as the API server has them if there is one, with all else that it has. */
  objects: look({}, 'intervene'),
  /** Returns the lines that a container has written, by the container's id. `from`: lines that are known already. */
  logs: look({ container: name, from: optional(whole(0)) }, 'intervene'),
  /**
   * Starts over with a scenario by name or text; with a run's deviations and interventions, and goes to a position in
   * it, and from there on as far as `clock` while nothing happens. Without a position it goes to where the scenario
   * opens. Where it is stopped on its way the session stands where it got to.
   */
  load: control(
    ['scenarios'],
    {
      scenario: name,
      text: optional(textOf(MAX_TEXT, 0)),
      seed: optional(whole(0, 0xffff_ffff)),
      era: optional(era),
      deviations: optional(many(deviation, MAX_CHANGES)),
      interventions: optional(many(interventionShape, MAX_CHANGES)),
      to: optional(position),
      clock: optional(micros),
    },
    { ends: true },
  ),
  restart: control(['rewind'], {}, { ends: true }),
  /** Goes back to right after the decision that took the count of `unit` to `to`. What comes after stays known. */
  rewind: control(['rewind'], { unit: oneOf(...countedUnits), to: whole(0) }),
  /** Sets all breakpoints and logpoints. */
  breakpoints: control(['breakpoints'], { set: many(data, MAX_BREAKPOINTS) }, { whileExploring: true, inPlace: true }),
  /** From right before a select in the past: takes this of the cases that were ready (its position in the select). */
  take: control(branching, { seq: whole(1), case: whole(0, MAX_COUNT) }),
  /** Picks the goroutine that goes next, out of those that can. */
  pick: control(branching, { goroutine }),
  runnable: look({}, ...branching),
  branches: look({}, ...branching),
  /** Makes a branch of its own from here on. */
  branch: control(branching, { name: optional(name) }),
  switch: control(branching, { branch, to: optional(position) }),
  rename: control(branching, { branch, name }, { whileExploring: true, inPlace: true }),
  drop: control(branching, { branch }, { inPlace: true }),
  /**
   * Goes over to the same run with another version of the kubelet: the same scenario and seed, and what was done from
   * outside at the same times. It is a branch from the start, and is at the same time; the run that was left
   * remains as its own branch.
   */
  era: control([...branching, 'eras'], { version: era }),
  /** Compares this run with the same run on another version of the kubelet. */
  compareEras: look({ with: era }, ...branching, 'eras'),
  /**
   * Compares that branch with another one (default: the one it is in), both at the latest time that is
   * known of both; `ends`: each at its own end.
   */
  compare: look({ branch, with: optional(branch), ends: optional(flag) }, ...branching),
  /**
   * Runs many schedules from here on, while the session stands. Expressions: `never` must hold at no record, `finally`
   * at the end; `invariants`: those of the kubelet that each run is checked for (default: all); `vary`: which kinds of
   * choices may differ (default: both); `until`: the time at which a run that is not done is ended. It is answered when
   * it is done or paused; each schedule that found a problem is a branch then. The session does not move until then.
   */
  explore: control(branching, {
    schedules: optional(whole(1, MAX_SCHEDULES)),
    strategy: optional(oneOf('random', 'pct', 'exhaustive')),
    never: optional(assertions),
    finally: optional(assertions),
    invariants: optional(many(name, MAX_INVARIANTS)),
    vary: optional(many(oneOf('select', 'goroutine'), 2)),
    stopAtFirst: optional(flag),
    until: optional(duration),
  }),
  /**
   * Makes a branch of the run with these deviations, as an exploration reports them, that ends at `to`; the session
   * stays.
   */
  branchTo: control(branching, { name, deviations: many(deviation, MAX_CHANGES), to: position }, { inPlace: true }),
  spec: look({}, ...branching),
  ...twinCommands,
  ...fleetCommands,
  /** `question`: a WhyQuestion. */
  why: query({ question: data }),
  whyNot: query({ question: data }),
  search: query({ breakpoint: data, ...places, backwards: optional(flag) }),
  history: query({ path: name, ...places }),
  lastWriter: query({ path: name, seq: optional(seq) }),
  /** The changes between the states after two records. */
  diff: query({ from: seq, to: seq }),
  /** Returns the findings, the most telling first. */
  findings: query({}),
  /** Returns the incidents: what is wrong first, each with its consequences; then what was expected. */
  incidents: query({}),
  /** Describes the sources that the records were read from. */
  overview: query({}),
  /** Counts what there is by time, over the whole run, in at most `most` buckets. */
  density: query({ most: optional(whole(16, 2048)) }),
  /** Looks for the records with all words of a text, in a part of the run that begins with record `from`. */
  find: query({ text: textOf(MAX_NAME, 0), from: optional(seq), most: optional(whole(1, 262_144)) }),
  /**
   * Returns a part of the run: its records and, with `state`, the state before them. `from` and `to` are records, or
   * with `by: 'time'` times.
   */
  window: query({ from: whole(0), to: whole(0), by: optional(oneOf('seq', 'time')), state: optional(flag) }),
  scenarios: look({}),
};

export type CommandName = keyof typeof commands;
export type Command = CommandsOf<typeof commands>;
/** A command by its name. */
export type CommandOf<K extends CommandName> = Extract<Command, { readonly do: K }>;
type NameOfKind<K extends CommandKind> = {
  [N in CommandName]: (typeof commands)[N]['kind'] extends K ? N : never;
}[CommandName];
/** Questions about what was recorded. */
export type Query = CommandOf<NameOfKind<'query'>>;

/** Returns the entry of a command; undefined for a word that is not a command: some who ask have not checked it yet. */
const entryOf = (command: Command): Entry<CommandKind, Fields> | undefined =>
  Object.hasOwn(commands, command.do) ? commands[command.do] : undefined;

/** True for a command that any session answers from its records. */
export const isQuery = (command: Command): command is Query => entryOf(command)?.kind === 'query';
/** True for a command that only looks: the run, the place and what others see stay as they are. */
export const isLooking = (command: Command): boolean =>
  entryOf(command)?.kind === 'query' || entryOf(command)?.kind === 'look';
/**
 * True for a command that changes where the session stands, what it is, or whether it goes on: all viewers see that.
 */
export const isMoving = (command: Command): boolean =>
  entryOf(command) !== undefined && !isLooking(command) && !entryOf(command)?.inPlace;
export const endsOthers = (command: Command): boolean => entryOf(command)?.ends === true;
/** The reason why a command cannot come while the session explores, null if it can. */
export const refusedWhileExploring = (command: Command): string | null =>
  entryOf(command)?.whileExploring || isLooking(command)
    ? null
    : `${command.do} must wait: the session is exploring; pause that first`;
/** True if a session of these capabilities can do the command. */
export const canDo = (command: Command, can: Capabilities): boolean =>
  entryOf(command)?.needs.every((need) => can[need] === true) ?? false;

/** Reads a command of a table, by the word in `do`; fields that it does not have are left out. */
function commandShape<const T extends { readonly [name: string]: Entry<CommandKind, Fields> }>(
  table: T,
): Shape<CommandsOf<T>> {
  const fields = Object.fromEntries(Object.entries(table).map(([name, entry]) => [name, entry.fields]));
  return tagged('do', fields, 'drop') as unknown as Shape<CommandsOf<T>>;
}
export const commandOf: Shape<Command> = commandShape(commands);
