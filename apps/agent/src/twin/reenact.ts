/** From a capture to a verdict: reads the observed run, makes a scenario of it, runs the twin, and compares both. */
import { redactRecord } from '@syncloop/core/redaction';
import type { TraceRecord } from '@syncloop/core/trace';
import { type Cut, longestSearchedText, PartKeeper, type TwinScenario, type Verdict } from '@syncloop/observe/twin';
import type { CauseReport } from '@syncloop/observe/twin/causes';
import type { LeftOut } from '@syncloop/observe/twin/live';
import { type ReportInput, type TwinStory, twinStory } from '@syncloop/observe/twin/report';
import { SetupError } from '../base/errors.js';
import type { EvidenceFile } from '../observe/evidence-files.js';
import { type ReadEvidenceOptions, readEvidence } from '../observe/read-evidence.js';
import { type CauseOptions, searchCauses } from './causes.js';
import { Holder, makeTwin, runTwin, type Searched, type SeenRun, searchTwin } from './tools.js';

/** A whole observed run, with the version of its kubelet and its sources. */
export interface Observed extends SeenRun {
  readonly kubelet: ReportInput['kubelet'];
  /** Names of the sources. */
  readonly sources: readonly string[];
  /** A sentence for each source that was not read to its end: how far it was read, and why. Empty if all were read. */
  readonly cut: readonly string[];
}

export interface ObserveOptions extends Pick<ReadEvidenceOptions, 'budget' | 'progress'> {
  readonly revealSecrets?: boolean;
  /** Returns the part that is needed, once it is known when time 0 was. Default: all. */
  readonly part?: (epochMicros: number) => Pick<Cut, 'from' | 'to'>;
}

/** Reads all files, or as much of them as the budget allows. Throws a SetupError if they have nothing of a kubelet. */
export async function observe(files: readonly EvidenceFile[], options: ObserveOptions = {}): Promise<Observed> {
  const { budget, progress } = options;
  let keeper: PartKeeper | null = null;
  const early: TraceRecord[] = [];
  // A batch is kept before it is weighed, and weighs as much as it adds.
  let before = 0;
  const weigh = () => {
    const now = keeper?.weight ?? 0;
    const more = now - before;
    before = now;
    return more;
  };
  const shown = (record: TraceRecord) => (options.revealSecrets ? record : redactRecord(record));
  const reading = readEvidence(files, { ...(budget && { budget }), progress, weigh });
  all: for await (const batch of reading.records()) {
    for (const record of batch) early.push(record);
    // Before the first time is known, no record is before the part.
    if (reading.epochMicros === null) continue;
    keeper ??= new PartKeeper(options.part?.(reading.epochMicros) ?? {}, shown);
    for (const record of early.splice(0)) if (!keeper.take(record)) break all;
  }
  const records = keeper?.records ?? early.map(shown);
  const { facts, epochMicros } = reading;
  const sources = files.map(({ source }) => source.name);
  if (epochMicros === null)
    throw new SetupError(`nothing in ${sources.join(', ')} has a time: give the kubelet's log or a capture of it`);
  const cut = budget?.met
    ? reading.progress.map(({ source, bytes, pieces }) => budget.warning(source.name, bytes, pieces))
    : [];
  return { records, epochMicros, kubelet: facts, sources, cut, redacted: options.revealSecrets !== true };
}

export interface ReenactOptions {
  readonly cut?: Cut;
  readonly seed?: number;
  /** Schedules and seeds to try if a decision differs. */
  readonly tries: number;
  readonly by: string;
  /** Called with the number of differences before schedules are tried, which takes a while. */
  readonly searching?: (differences: number) => void;
  /** Called instead if the scenario's text, of this many characters, is too long for a search. */
  readonly notSearched?: (characters: number) => void;
  /** Search for the cause of what still differs. Default: no search. */
  readonly causes?: CauseOptions;
  /** Called with the name of each phase as it begins, "making a twin", and while one goes on, with how far it is. */
  readonly doing?: (what: string, far?: string) => void;
  /** Links to the page for a twin. */
  readonly linksFor?: (scenario: TwinScenario) => ReportInput['link'];
}

export interface Reenacted {
  readonly scenario: TwinScenario;
  readonly verdict: Verdict;
  readonly story: TwinStory;
  /** The causes that may explain the differences; null if they were not searched. */
  readonly causes: CauseReport | null;
  /** Pods that were there before and are not compared, because their state is not known. */
  readonly left: readonly LeftOut[];
  /** Steps of the twin that could not be done, in words. */
  readonly failed: readonly string[];
}

/** Without the line of a scenario that the user has not written. */
const failedSteps = (twin: readonly TraceRecord[]): string[] =>
  twin.flatMap((r) =>
    r.kind === 'input' && r.verb === 'failed'
      ? [String(r.args[0] ?? '').replace(/^step \d+ \((.*)\), line \d+: /s, '$1: ')]
      : [],
  );

/** Throws a SetupError that names what is missing if no twin can be made. */
export async function reenact(observed: Observed, options: ReenactOptions): Promise<Reenacted> {
  const { seed, cut = {}, tries } = options;
  options.doing?.('making a twin of what was read');
  const holder = new Holder(observed, cut);
  let scenario = makeTwin(observed, holder.begun.records, cut);
  options.doing?.('running the twin');
  const { until } = scenario;
  let twin = runTwin(scenario, seed, (time) =>
    options.doing?.('running the twin', `${Math.floor(time / 60e6)} of ${Math.ceil(until / 60e6)} minutes`),
  );
  options.doing?.('comparing the twin with what was read');
  let verdict = holder.compare(twin, scenario);
  let searched: Searched | null = null;
  if (verdict.differences.length > 0 && tries > 0 && scenario.text.length > longestSearchedText)
    options.notSearched?.(scenario.text.length);
  else if (verdict.differences.length > 0 && tries > 0) {
    options.searching?.(verdict.differences.length);
    options.doing?.('searching for a schedule that explains what differs');
    const search = searchTwin(holder, scenario, tries);
    let next = search.next();
    while (!next.done) next = search.next();
    searched = next.value;
    if (searched.better) {
      scenario = searched.better;
      twin = runTwin(scenario);
      verdict = holder.compare(twin, scenario);
    }
  }
  let causes: CauseReport | null = null;
  if (options.causes && verdict.differences.some(({ chance }) => chance === undefined)) {
    options.doing?.('trying what may have caused it');
    causes = await searchCauses(holder, scenario, options.causes);
  }
  const link = options.linksFor?.(scenario);
  const story = twinStory({
    by: options.by,
    kubelet: observed.kubelet,
    sources: observed.sources,
    epochMicros: observed.epochMicros,
    seen: { records: observed.records, decisions: holder.seen },
    twin: { records: holder.shown(twin), decisions: holder.decisions(twin) },
    coverage: holder.coverage,
    verdict,
    scenario,
    ...(searched && { chance: { tries: searched.tried, choices: searched.choices } }),
    ...(causes && { causes }),
    ...(link && { link }),
  });
  return {
    scenario,
    verdict,
    story,
    causes,
    left: [...(holder.begun.beginning?.left ?? []), ...scenario.left],
    failed: failedSteps(twin),
  };
}
