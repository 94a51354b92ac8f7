/** The incidents of captures of real kubelets, compared with what their scenarios made. */
import { Incidents } from '@syncloop/core/debug/incidents';
import { type Capture, findCaptures, readFileOf } from '../attach/capture.js';
import { observe, type Read, sourcesOf } from '../attach/read.js';
import { type Judgement, judge } from './judge.js';
import { madeBy, type Scenario } from './made.js';

/** Prints a row for each capture and each set of sources. Resolves with the number of rows that fall short. */
export async function judgeCaptures(
  folders: readonly string[],
  verbose: boolean,
  print: (line: string) => void,
): Promise<number> {
  let short = 0;
  const total = { required: 0, named: 0, invented: 0 };
  print('| Capture | Sources | Made | Named | Called wrong besides |');
  print('| --- | --- | --- | --- | --- |');
  for (const capture of await findCaptures(folders)) {
    const scenario = await scenarioOf(capture);
    if (!scenario) {
      print(`| ${capture.name} | | no steps | | |`);
      continue;
    }
    const reads = await sourcesOf(capture);
    const sets: [string, readonly Read[]][] = [['log', reads.filter((r) => r.source.kind === 'log')]];
    if (reads.length > 1) sets.push(['all', reads]);
    for (const [name, some] of sets) {
      const found = judge(madeBy(scenario), incidentsOf(some));
      total.required += found.required;
      total.named += found.named;
      total.invented += found.invented.length;
      const bad = found.missing.length + found.invented.length > 0;
      if (bad) short++;
      if (bad || verbose) row(capture.name, name, found, print);
    }
  }
  print(
    `${total.named} of ${total.required} troubles named; ${total.invented} incidents besides; ${short} rows fall short`,
  );
  return short;
}

function row(
  capture: string,
  sources: string,
  { required, named, missing, invented }: Judgement,
  print: (line: string) => void,
): void {
  const not = missing.length > 0 ? ` (not: ${missing.join('; ')})` : '';
  print(`| ${capture} | ${sources} | ${required} | ${named}${not} | ${invented.join('; ')} |`);
}

function incidentsOf(reads: readonly Read[]) {
  const fold = new Incidents();
  for (const record of observe(reads).records) fold.take(record);
  return fold.list().incidents;
}

async function scenarioOf(capture: Capture): Promise<Scenario | null> {
  const json = async (name: string) => {
    const bytes = await readFileOf(capture, name);
    return bytes === null
      ? {}
      : (JSON.parse(Buffer.from(bytes).toString('utf8')) as Partial<Scenario> & { status?: Scenario['statuses'] });
  };
  const { steps, marks } = await json('about.json');
  const { status } = await json('truth.json');
  if (!steps || !marks || !status) return null;
  return { steps, marks, statuses: status, startedMillis: capture.startedMillis ?? 0 };
}
