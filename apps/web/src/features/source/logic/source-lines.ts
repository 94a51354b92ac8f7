/**
 * Finds the lines of our sources that wrote a record by the record's content; if that is not clear, nothing is claimed.
 * Pure.
 */
import type { RecordStore } from '@syncloop/core/debug';
import type { Seq, TraceRecord } from '@syncloop/core/trace';
import { keyOfChannel } from '../../../run/loop.js';
import { actsOf, type OpenCall } from './source-position.js';
import type { FunctionSource, SourceIndex, Sources, StepSource } from './source-types.js';

export interface Lines {
  readonly from: number;
  readonly to: number;
}
/** The part of a file to show for a call, and the marks in it. */
export interface Marked {
  readonly file: string;
  /** The function in sight: the call's own, or one around it. */
  readonly name: string;
  readonly body: Lines;
  /** The step that the call is in. */
  readonly step: (Lines & { readonly name: string }) | null;
  /** The lines at which its last record was made, or the call that it waits for. */
  readonly line: Lines | null;
  /** The number of that record. */
  readonly act: Seq;
}

/** Null if the index does not know the call. */
export function markedOf(
  { index, texts }: Sources,
  records: Pick<RecordStore, 'get' | 'slice' | 'first' | 'last' | 'state'>,
  call: OpenCall,
  upTo: Seq,
): Marked | null {
  const place = Object.hasOwn(index.functions, call.fn) ? index.functions[call.fn] : undefined;
  const text = place && texts[place.file];
  if (!place || text === undefined) return null;
  const lines = text.split('\n');
  const channel = (id: number) => records.state.channels[id]?.name ?? '';
  const acts = [...actsOf(records, call, upTo)];
  const last = acts.find((r) => r.kind === 'step');
  const step = last && stepOf(index, last.fn, last.name, place.file);
  // The nearest scope is searched first: the same words may be in several functions of a file.
  const scopes = step ? [step, step.within, place] : [place];
  let line: Lines | null = null;
  let act = 0;
  for (const record of acts) {
    line = linesOf(record, call, { place, scopes, lines, index, channel });
    if (!line) continue;
    act = record.seq;
    break;
  }
  const stands = line ?? step;
  const within = stands && innermost(index, place, stands);
  const body = within ?? place;
  return {
    file: place.file,
    name: body.name,
    body: { from: body.from, to: body.to },
    step: step ? { from: step.from, to: step.to, name: step.name } : null,
    line,
    act,
  };
}

/** Returns the function of the same file around some lines; the call's own if they are in it. */
function innermost(
  index: SourceIndex,
  place: FunctionSource,
  lines: Lines,
): { name: string; from: number; to: number } {
  if (lines.from >= place.from && lines.to <= place.to) return place;
  return index.outline[place.file]?.filter((f) => f.from <= lines.from && lines.to <= f.to).at(-1) ?? place;
}

const stepOf = (index: SourceIndex, fn: string, name: string, file: string): StepSource | undefined =>
  index.steps.find((s) => s.fn === fn && s.name === name && s.file === file);

/** The calls by which a goroutine waits, as our sources write them. */
const WAITS: Readonly<Record<string, string>> = {
  sleep: 'sleep(',
  select: 'select(',
  lock: '.lock()',
  receive: 'recv(',
  send: 'send(',
};

interface Where {
  readonly place: FunctionSource;
  /** Lines to look through in this order, and then the whole file. */
  readonly scopes: readonly Lines[];
  readonly lines: readonly string[];
  readonly index: SourceIndex;
  readonly channel: (id: number) => string;
}

/** Returns the lines of one record; null if they are not clear. */
function linesOf(record: TraceRecord, call: OpenCall, where: Where): Lines | null {
  const { place, scopes, lines, index, channel } = where;
  if (record.seq === call.seq) return { from: place.from, to: place.from };
  if (record.kind === 'exit' && record.of === call.seq) return { from: place.to, to: place.to };
  const find = (needle: string): Lines | null => {
    for (const scope of [...scopes, undefined]) {
      const found = once(lines, needle, scope);
      if (found) return found;
    }
    return null;
  };
  switch (record.kind) {
    case 'step': {
      const step = stepOf(index, record.fn, record.name, place.file);
      return step ? { from: step.from, to: step.from } : null;
    }
    case 'enter':
    case 'exit': {
      const named = find(`'${record.fn}'`);
      if (named) return named;
      const called = Object.hasOwn(index.functions, record.fn) ? index.functions[record.fn]?.called : undefined;
      return called === undefined ? null : find(`${called}(`);
    }
    case 'select': {
      const chosen = record.chosen < 0 ? '' : channel(record.cases[record.chosen] ?? 0);
      const of = chosen === '' ? null : caseLines(lines, place, keyOfChannel(chosen) ?? chosen);
      return of ?? find('select(');
    }
    case 'log':
      return find(`'${record.msg.replaceAll("'", "\\'")}'`);
    case 'decision':
      return find(`rule: '${record.rule}'`);
    case 'cri-call':
    case 'cri-return':
      return find(`.${record.method.charAt(0).toLowerCase()}${record.method.slice(1)}(`);
    case 'kube-event':
      return find(`EventReason.${record.reason}`);
    case 'wait': {
      const word = WAITS[record.on.op];
      return word === undefined ? null : find(word);
    }
    default:
      return find(`kind: '${record.kind}'`);
  }
}

/** The one line that has these words, in the function or anywhere; null if there is none or more than one. */
function once(lines: readonly string[], needle: string, within?: Lines): Lines | null {
  const from = within?.from ?? 1;
  const to = within?.to ?? lines.length;
  let found = 0;
  for (let n = from; n <= to; n++) {
    const line = lines[n - 1] ?? '';
    if (!line.includes(needle) || /^\s*(\/\/|\*|import )/.test(line)) continue;
    // A declaration is not a call.
    if (needle.endsWith('(') && /^\s*(export )?function\b|^\s*(private )?\*/.test(line)) continue;
    if (found > 0) return null;
    found = n;
  }
  return found > 0 ? { from: found, to: found } : null;
}

/** `case 'plegCh': ...` up to the next case. */
function caseLines(lines: readonly string[], within: Lines, name: string): Lines | null {
  const at = once(lines, `case '${name}':`, within);
  if (!at) return null;
  const indent = /^\s*/.exec(lines[at.from - 1] ?? '')?.[0] ?? '';
  let to = at.from;
  while (to < within.to && (lines[to] ?? '').startsWith(`${indent} `)) to++;
  return { from: at.from, to };
}
