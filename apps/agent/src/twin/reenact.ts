/** From what a kubelet left behind to a verdict: observed, made into a scenario, run, and held against each other. */
import type { TraceRecord } from '@syncloop/core/trace';
import type { Cut, TwinScenario, Verdict } from '@syncloop/core/twin';
import type { LeftOut } from '@syncloop/core/twin/live';
import { type ReportInput, type TwinStory, twinStory } from '@syncloop/core/twin/report';
import { SetupError } from '../base/errors.js';
import type { EvidenceFile } from '../observe/evidence-files.js';
import { readEvidence } from '../observe/read-evidence.js';
import { redactRecord } from '../redaction/redact.js';
import { Holder, makeTwin, runTwin, type Searched, type SeenRun, searchTwin } from './tools.js';

/** Most records of one observation: a twin needs all of them at once. */
const MOST_RECORDS = 5_000_000;

/** What was observed, whole. */
export interface Observed extends SeenRun {
  readonly kubelet: ReportInput['kubelet'];
  /** Names of the sources. */
  readonly sources: readonly string[];
}

/** Reads all files. Throws a SetupError where nothing of a kubelet is in them. */
export async function observe(
  files: readonly EvidenceFile[],
  options: { readonly revealSecrets?: boolean } = {},
): Promise<Observed> {
  const reading = readEvidence(files);
  const records: TraceRecord[] = [];
  for await (const batch of reading.records()) {
    for (const record of batch) records.push(options.revealSecrets ? record : redactRecord(record));
    if (records.length > MOST_RECORDS)
      throw new SetupError(
        `more than ${MOST_RECORDS} records: give a shorter part of the log, such as with journalctl --since and --until`,
      );
  }
  const { facts, epochMicros } = reading;
  const sources = files.map(({ source }) => source.name);
  if (epochMicros === null)
    throw new SetupError(`nothing in ${sources.join(', ')} has a time: give the kubelet's log or a capture of it`);
  return { records, epochMicros, kubelet: facts, sources, redacted: options.revealSecrets !== true };
}

export interface ReenactOptions {
  readonly cut?: Cut;
  readonly seed?: number;
  /** Schedules and seeds to try where a decision differs. */
  readonly tries: number;
  readonly by: string;
  /** Told before schedules are tried, for that takes its time: how many differences there are. */
  readonly searching?: (differences: number) => void;
  /** Links to the page for a twin. */
  readonly linksFor?: (scenario: TwinScenario) => ReportInput['link'];
}

export interface Reenacted {
  readonly scenario: TwinScenario;
  readonly verdict: Verdict;
  readonly story: TwinStory;
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

/** Throws a SetupError that says what is missing where no twin can be made. */
export function reenact(observed: Observed, options: ReenactOptions): Reenacted {
  const { seed, cut = {}, tries } = options;
  const holder = new Holder(observed, cut);
  let scenario = makeTwin(observed, holder.begun.records, cut);
  let twin = runTwin(scenario, seed);
  let verdict = holder.hold(twin, scenario);
  let searched: Searched | null = null;
  if (verdict.differences.length > 0 && tries > 0) {
    options.searching?.(verdict.differences.length);
    const search = searchTwin(holder, scenario, tries);
    let next = search.next();
    while (!next.done) next = search.next();
    searched = next.value;
    if (searched.better) {
      scenario = searched.better;
      twin = runTwin(scenario);
      verdict = holder.hold(twin, scenario);
    }
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
    ...(link && { link }),
  });
  return {
    scenario,
    verdict,
    story,
    left: [...(holder.begun.beginning?.left ?? []), ...scenario.left],
    failed: failedSteps(twin),
  };
}
