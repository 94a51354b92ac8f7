/** `conformance --attach DIR...`: compares the observer's conclusions from captures of real kubelets with the truth. */
import { readFile, writeFile } from 'node:fs/promises';
import { attachDocument } from '../places.js';
import { type Capture, findCaptures, levelOf, logOf, readFileOf } from './capture.js';
import { type Fact, type Facts, KINDS, type Kind, noScore, type Score, score } from './facts.js';
import { factsOf } from './observed.js';
import { observe, type Read, sourcesOf } from './read.js';
import { makeTable, promised, type Scores } from './table.js';
import { endsOfLog, truthOfLog } from './truth-log.js';
import { confirmedCallsOf, failedSpansOf, runtimeEventsOf, truthOfOthers } from './truth-others.js';

async function judge(capture: Capture, scores: Scores): Promise<void> {
  const reads = await sourcesOf(capture);
  const log = logOf(capture);
  const text = log === undefined ? '' : Buffer.from((await readFileOf(capture, log)) ?? []).toString();
  const year = new Date(capture.startedMillis ?? Date.UTC(2026, 10, 22)).getUTCFullYear();
  const logged = truthOfLog(text, year);
  const others = await truthOfOthers(capture);
  const truth: Facts = { ...logged, ...others };
  // A line says that a container is to be killed, not that the call came.
  if (!others.StopContainer) delete truth.StopContainer;
  if (!others['phases of pods']) delete truth['phases of pods'];
  // A kubelet that is stopped loses its last spans; its log is as true.
  const syncs = union(others['worker syncs'] ?? [], logged['worker syncs'] ?? []);
  if (syncs.length > 0) truth['worker syncs'] = syncs;
  else delete truth['worker syncs'];
  const level = levelOf(capture);
  const failed = await failedSpansOf(capture);
  const confirmed = await confirmedCallsOf(capture);
  const runs: { readonly name: string; readonly reads: readonly Read[] }[] = reads.map((read) => ({
    name: read.source.kind === 'log' ? `log -${level || 'v?'}` : read.source.kind,
    reads: [read],
  }));
  if (reads.length > 1) runs.push({ name: `all, log -${level || 'v?'}`, reads });
  for (const { name, reads: some } of runs) {
    const { records, epochMicros } = observe(some);
    // A source that the product does not read yet reports nothing.
    if (!records.some((r) => r.evidence !== undefined)) continue;
    const observed = factsOf(records, epochMicros);
    const kinds = scores.get(name) ?? new Map<Kind, Score>();
    scores.set(name, kinds);
    for (const kind of KINDS) {
      if (truth[kind] === undefined) continue;
      // Before v1.27 a kubelet exports no spans of syncs, and later ones not all with their errors.
      if (name === 'spans' && kind === 'worker syncs' && !others['worker syncs']) continue;
      if (name === 'spans' && kind === 'failed syncs' && !failed.some(({ key }) => /^sync\w*Pod$/.test(key))) continue;
      const reads = name.includes('log') ? truth[kind] : truth[kind]?.filter((fact) => !fact.inside);
      const one = score(observed[kind] ?? [], reads as Fact[], capture.name);
      if (kind === 'PLEG events' && level !== 'v4') {
        const events = await runtimeEventsOf(capture);
        allow(one, [...events, ...atStarts(events, logged.processes ?? [])]);
      }
      // A pod that is gone at once has a last status that no list shows.
      if (kind === 'phases of pods') allow(one, logged[kind] ?? []);
      if (kind === 'failed calls') allow(one, [...failed, ...unlogged(logged[kind] ?? [], endsOfLog(text, year))]);
      if (/^[A-Z]\w+(Sandbox|Container)$/.test(kind)) allow(one, [...confirmed, ...(logged[kind] ?? [])]);
      add(kinds, kind, one);
    }
  }
}

function add(kinds: Map<Kind, Score>, kind: Kind, one: Score): void {
  const sum = kinds.get(kind) ?? noScore();
  kinds.set(kind, sum);
  sum.observed += one.observed;
  sum.right += one.right;
  sum.truth += one.truth;
  sum.wrong.push(...one.wrong);
  sum.missing.push(...one.missing);
}

/** A fact that the truth lacks but another source confirms is neither wrong nor required. */
function allow(one: Score, others: readonly Fact[]): void {
  const { right, wrong } = score(one.rest, others, '');
  one.observed -= right;
  one.wrong.splice(0, one.wrong.length, ...one.wrong.filter((text) => wrong.some((w) => text.endsWith(w.slice(2)))));
}

/** Milliseconds for which a kubelet does not log that a status still fails alike. upstream: logreduction */
const REDUCED = 600_000;
/** Milliseconds in which answers still come to a kubelet that was killed. */
const LAST_ANSWERS = 1_000;
/** Answers of each method that may still come then. */
const MOST_ANSWERS = 8;
/** Failed calls that a log may lack: a status that fails again, and answers to a kubelet that is no more. */
function unlogged(failed: readonly Fact[], ends: readonly number[]): Fact[] {
  const again = failed.filter(({ key }) => key === 'ContainerStatus');
  const methods = new Set(failed.map(({ key }) => key));
  return [
    ...again.map(({ key, at = 0 }) => ({ key, at, until: at + REDUCED })),
    ...ends.flatMap((at) =>
      [...methods].flatMap((key) => Array(MOST_ANSWERS).fill({ key, at, until: at + LAST_ANSWERS }) as Fact[]),
    ),
  ];
}

/** Milliseconds until a kubelet that starts has its first list of containers. */
const FIRST_RELIST = 5_000;
/** The first list after a start has each container again; below `-v=4` the log leaves out those of unknown pods. */
function atStarts(events: readonly Fact[], starts: readonly Fact[]): Fact[] {
  const keys = new Set(events.map(({ key }) => key));
  return starts.flatMap(({ at = 0 }) => [...keys].map((key) => ({ key, at, until: at + FIRST_RELIST })));
}

/** The facts of both; a fact that both report for the same moment counts once. */
function union(some: readonly Fact[], others: readonly Fact[]): Fact[] {
  const { rest } = score(others, some, '');
  return [...some, ...rest];
}

/** Resolves with the exit code: 1 if a kind is below the promise of docs/users/attach.md. */
export async function attach(
  folders: readonly string[],
  flags: { readonly write?: boolean; readonly verbose?: boolean },
  print: (line: string) => void,
): Promise<number> {
  const captures = await findCaptures(folders);
  const scores: Scores = new Map();
  for (const capture of captures) await judge(capture, scores);
  const table = makeTable(scores);
  for (const line of table) print(line);
  let below = 0;
  for (const [source, kinds] of scores)
    for (const [kind, one] of kinds) {
      const failures = promised(source, kind, one);
      for (const failure of failures) print(`BELOW ${source}, ${kind}: ${failure}`);
      below += failures.length;
      if (failures.length === 0 && !flags.verbose) continue;
      for (const wrong of one.wrong.slice(0, 8)) print(`  wrong    ${source}, ${kind}: ${wrong}`);
      for (const missing of one.missing.slice(0, 8)) print(`  missing  ${source}, ${kind}: ${missing}`);
    }
  if (flags.write) await writeTable(table);
  print(`${captures.length} captures, ${below === 0 ? 'all as promised' : `${below} below what is promised`}`);
  return below > 0 ? 1 : 0;
}

const BEGIN = '<!-- table: begin -->';
const END = '<!-- table: end -->';
async function writeTable(table: readonly string[]): Promise<void> {
  const text = await readFile(attachDocument, 'utf8');
  const from = text.indexOf(BEGIN);
  const to = text.indexOf(END);
  if (from < 0 || to < from) throw new Error(`docs/users/attach.md has lost its marks ${BEGIN} and ${END}`);
  await writeFile(attachDocument, `${text.slice(0, from + BEGIN.length)}\n\n${table.join('\n')}\n\n${text.slice(to)}`);
}
