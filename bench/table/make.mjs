/** The table out of rows and the results of rounds, as Markdown. Pure: what it says follows from what it is given. */
import { median } from '../measure.mjs';

/** The figure of a goal in the unit of its row; null if the row has none. */
export function targetOf(row, target) {
  if (target === undefined) return null;
  if (typeof target === 'number') return target;
  const [low, high] = row.real;
  return ((low + high) / 2) * target.ofReal;
}

/** A row's value in one result: `{ value }`, or `{ why }` it has none. */
function valueIn(pick, { result, error }) {
  if (error !== undefined) return { why: `failed: ${error}` };
  let why;
  try {
    const value = pick(result);
    if (Number.isFinite(value)) return { value };
    why = `the result has ${value} in this place`;
  } catch (err) {
    why = `the result lacks this value (${err.message})`;
  }
  const lack = lackOf(result);
  return { why: lack ? `not measured: ${lack}` : `failed: ${why}` };
}

/** Returns why a benchmark, or one of its parts, measured nothing; null if all was measured. */
function lackOf(result) {
  const parts = Object.values(result ?? {}).filter((part) => part !== null && typeof part === 'object');
  for (const part of [result, ...parts]) {
    const lack = part?.missing ?? part?.skipped;
    if (typeof lack === 'string') return lack;
  }
  return null;
}

function spread(values) {
  return { min: Math.min(...values), median: median(values), max: Math.max(...values) };
}

function peerOf({ peer }, runs) {
  if (!peer) return null;
  const values = runs.map((run) => valueIn(peer.value, run).value).filter((value) => value !== undefined);
  return { name: peer.name, median: values.length > 0 ? median(values) : null };
}

/**
 * Sums up each row over all rounds. `runs`: `{ job, round, result }` or, if it failed, `{ job, round, error }`. The
 * verdict is that of the median.
 */
export function summarize(rows, runs) {
  return rows.map((row) => {
    const own = runs.filter(({ job }) => job === row.job);
    const found = own.map((run) => valueIn(row.value, run));
    const values = found.flatMap(({ value }) => (value === undefined ? [] : [value]));
    const why = [...new Set(found.flatMap(({ why }) => why ?? []))];
    if (own.length === 0) why.push(`not measured: the job ${row.job} was not run`);
    const goal = targetOf(row, row.goal);
    const moonshot = targetOf(row, row.moonshot);
    const summary = { row, goal, moonshot, rounds: own.length, measured: values.length, why, peer: peerOf(row, own) };
    if (values.length === 0) return { ...summary, verdict: why[0].replace(/:.*/s, '') };
    const figures = spread(values);
    const reaches = (target) =>
      target !== null && (row.direction === 'less' ? figures.median <= target : figures.median >= target);
    return { ...summary, ...figures, verdict: reaches(moonshot) ? 'moonshot' : reaches(goal) ? 'met' : 'missed' };
  });
}

/** A number with three significant digits, and commas in large ones. */
export function figure(x) {
  const size = Math.abs(x);
  const shown = size >= 10_000 ? Number(x.toPrecision(3)) : x;
  return shown.toLocaleString('en-US', { maximumFractionDigits: size >= 100 ? 0 : size >= 10 ? 1 : 2 });
}

/** Escapes text for a cell: a bar would end the cell, and a new line the row. */
const cell = (text) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();
const LONGEST_REASON = 160;
const shortened = (text) => (text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON)}…` : text);

function targetText(row, target, value) {
  if (value === null) return '';
  const sign = row.direction === 'less' ? '≤' : '≥';
  return typeof target === 'number'
    ? `${sign} ${figure(value)}`
    : `${sign} ${figure(value)} (${target.ofReal} of real)`;
}

function realText({ real }) {
  if (!real) return '';
  const [low, high] = real;
  return low === high ? figure(low) : `${figure(low)}–${figure(high)}`;
}

const SHOWN = { moonshot: 'moonshot met', met: 'met', missed: '**missed**' };

function line(one) {
  const { row, goal, moonshot, verdict, peer, rounds, measured, why } = one;
  const ran = measured > 0;
  const figures = ran ? [figure(one.min), figure(one.median), figure(one.max)] : ['', '', ''];
  const fewer = ran && measured < rounds ? ` (${measured} of ${rounds} runs; ${shortened(why[0])})` : '';
  const said = ran ? `${SHOWN[verdict]}${fewer}` : shortened(why.join('; '));
  const peerText = peer && peer.median !== null ? `${figure(peer.median)}: ${peer.name}` : '';
  const targets = [targetText(row, row.goal, goal), targetText(row, row.moonshot, moonshot)];
  const cells = [row.name, row.unit, realText(row), ...targets, ...figures, said, peerText];
  return `| ${cells.map(cell).join(' | ')} |`;
}

function machineText(machine) {
  const parts = [
    `${machine.cpus} × ${machine.cpu}`,
    `${machine.memoryGiB} GiB of memory`,
    machine.system,
    `Node ${machine.node}`,
    ...(machine.programs ?? []),
  ];
  return parts.join(', ');
}

/** Returns a warning if others used the processors when jobs began; empty if the machine was quiet. */
function disturbance(runs) {
  const shares = runs.map(({ othersBefore }) => othersBefore).filter((share) => typeof share === 'number');
  const noisy = shares.filter((share) => share > QUIET);
  if (noisy.length === 0) return '';
  const most = Math.round(Math.max(...noisy) * 100);
  return ` **The machine was not quiet**: before ${noisy.length} of ${shares.length} jobs others had more than ${QUIET * 100} % of the processors, up to ${most} %.`;
}
/** The share of the processors that others may have on a quiet machine. */
const QUIET = 0.1;

/** The whole text between the markers. `about`: `{ machine, begun, commit, real }`. */
export function markdown({ rows, runs, about }) {
  const summaries = summarize(rows, runs);
  const count = (...verdicts) => summaries.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const seconds = runs.reduce((sum, run) => sum + (run.seconds ?? 0), 0);
  const without = count('failed', 'not measured');
  const { machine, begun, commit, real } = about;
  // Fewer than were asked for, if a signal ended them.
  const rounds = new Set(runs.map(({ round }) => round)).size;
  return `Measured on ${begun} at commit ${commit}: ${rounds} ${rounds === 1 ? 'round' : 'rounds'}, ${Math.round(seconds / 60)} min, on ${machineText(machine)}.${disturbance(runs)} Of ${rows.length} rows ${count('met', 'moonshot')} meet the goal, ${count('moonshot')} of them the moonshot; ${count('missed')} miss it${without > 0 ? `; ${without} have no figure` : ''}. *Real* is a kubelet ${real.version} on ${real.date} (${real.what}); it was not run again here.

| Row | Unit | Real | Goal | Moonshot | Min | Median | Max | Result | The same by other means |
| --- | --- | --- | --- | --- | --: | --: | --: | --- | --- |
${summaries.map(line).join('\n')}
`;
}

export const BEGIN = '<!-- table: npm run bench -- --table --write -->';
export const END = '<!-- end of the table -->';

/** The text with what is between the markers replaced; throws if they are not there, once each and in order. */
export function replaced(text, table, place) {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin || text.indexOf(BEGIN, begin + 1) >= 0 || text.indexOf(END, end + 1) >= 0)
    throw new Error(
      `${place} must have the lines ${BEGIN} and ${END} once each, in this order; the table goes in between`,
    );
  return `${text.slice(0, begin + BEGIN.length)}\n\n${table.trim()}\n\n${text.slice(end)}`;
}
