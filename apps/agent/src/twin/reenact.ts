/** From what a kubelet left behind to a verdict: observed, made into a scenario, run, and held against each other. */
import type { TraceRecord } from '@syncloop/core/trace';
import type { TwinScenario, Verdict } from '@syncloop/core/twin';
import { type ReportInput, type TwinStory, twinStory } from '@syncloop/core/twin/report';
import { SetupError } from '../base/errors.js';
import type { EvidenceFile } from '../observe/evidence-files.js';
import { readEvidence } from '../observe/read-evidence.js';
import { redactRecord } from '../redaction/redact.js';
import type { Cut, Searched, Tools, TwinRun } from './tools.js';

/** Most records of one observation: a twin needs all of them at once. */
const MOST_RECORDS = 5_000_000;

/** What was observed, whole. */
export interface Observed {
  readonly records: readonly TraceRecord[];
  /** Microseconds since 1970 at time 0 of the records. */
  readonly epochMicros: number;
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
  return { records, epochMicros, kubelet: facts, sources };
}

export interface ReenactOptions {
  readonly cut?: Cut;
  readonly seed?: number;
  /** Schedules and seeds to try where a decision differs. */
  readonly tries: number;
  readonly by: string;
  /** Where the page is, for links. */
  readonly linksFor?: (scenario: TwinScenario, run: TwinRun) => ReportInput['link'];
  /** Told after each run of a search. */
  readonly tried?: (done: number, of: number) => void;
}

export interface Reenacted {
  readonly scenario: TwinScenario;
  readonly run: TwinRun;
  readonly verdict: Verdict;
  readonly twin: readonly TraceRecord[];
  readonly story: TwinStory;
}

/** Throws a SetupError that says what is missing where no twin can be made, or nothing of it be compared. */
export function reenact(observed: Observed, tools: Tools, options: ReenactOptions): Reenacted {
  const { records } = observed;
  const { seed, cut = {}, tries } = options;
  const scenario = tools.make(observed, cut);
  let run: TwinRun = { ...(seed !== undefined && { seed }) };
  let twin = tools.run(scenario, run);
  let verdict = tools.hold(observed, twin, scenario, cut);
  let searched: Searched | null = null;
  if (verdict.differences.length > 0 && tries > 0) {
    const search = tools.search(observed, scenario, tries, cut);
    let next = search.next();
    for (; !next.done; next = search.next()) options.tried?.(next.value.done, next.value.of);
    searched = next.value;
    if (searched.run) {
      run = searched.run;
      twin = tools.run(scenario, run);
      verdict = tools.hold(observed, twin, scenario, cut);
    }
  }
  const link = options.linksFor?.(scenario, run);
  const story = twinStory({
    by: options.by,
    kubelet: observed.kubelet,
    sources: observed.sources,
    epochMicros: observed.epochMicros,
    seen: { records, decisions: tools.decisionsOf(records, cut) },
    twin: { records: twin, decisions: tools.decisionsOf(twin) },
    coverage: tools.coverageOf(records),
    verdict,
    scenario,
    ...(searched && { chance: { tries: searched.tried, choices: searched.choices } }),
    ...(link && { link }),
  });
  return { scenario, run, verdict, twin, story };
}
