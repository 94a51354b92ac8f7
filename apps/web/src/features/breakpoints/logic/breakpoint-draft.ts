/** A breakpoint that is being edited: a form's texts, their problems, and the breakpoint that they make. */
import {
  BreakpointError,
  type BreakpointKind,
  type BreakpointSpec,
  breakpointFields,
  type FieldKind,
  parseBreakpoint,
} from '@syncloop/core/debug/breakpoints';
import { compile, compileTemplate, ExpressionError } from '@syncloop/core/expression';

export interface Draft {
  readonly id: string;
  readonly enabled: boolean;
  readonly on: BreakpointKind;
  /** The kind's own fields, '' for any. */
  readonly fields: Readonly<Record<string, string>>;
  readonly pod: string;
  readonly condition: string;
  readonly count: 'each' | 'at' | 'every';
  readonly n: string;
  readonly once: boolean;
  /** It writes `log` and does not stop. */
  readonly writes: boolean;
  readonly log: string;
}

/** The problem of a field. `position` and `end`: its place in the text. */
export interface Problem {
  readonly field: string;
  readonly reason: string;
  readonly position?: number;
  readonly end?: number;
}

/** The meaning of a field that is left out, if that is not "any". */
const DEFAULTS: Readonly<Record<string, string>> = {
  'channel.op': 'any',
  'function.when': 'enter',
  'cri.when': 'before',
  'probe.stage': 'any',
  'backoff.when': 'both',
};
export const defaultOf = (on: BreakpointKind, field: string): string => DEFAULTS[`${on}.${field}`] ?? '';

export interface DraftField {
  readonly name: string;
  readonly kind: FieldKind;
}
export const fieldsOfKind = (on: BreakpointKind): readonly DraftField[] =>
  Object.entries(breakpointFields[on] as Readonly<Record<string, FieldKind>>).map(([name, kind]) => ({ name, kind }));

export function emptyDraft(id: string, on: BreakpointKind = 'cri'): Draft {
  return {
    id,
    on,
    enabled: true,
    fields: firstFields(on),
    pod: '',
    condition: '',
    count: 'each',
    n: '2',
    once: false,
    writes: false,
    log: '',
  };
}
const firstFields = (on: BreakpointKind): Record<string, string> =>
  Object.fromEntries(fieldsOfKind(on).map(({ name }) => [name, defaultOf(on, name)]));

/** Returns the draft with another kind: fields of both stay. */
export function ofKind(draft: Draft, on: BreakpointKind): Draft {
  const fields = firstFields(on);
  for (const { name, kind } of fieldsOfKind(on)) {
    const before = draft.fields[name] ?? '';
    if (kind.type === 'glob' && name === 'container' && before !== '') fields[name] = before;
  }
  return { ...draft, on, fields };
}

export function draftOf(spec: BreakpointSpec): Draft {
  const { id, on, enabled, pod, condition, hitCount, once, log } = spec;
  const fields = firstFields(on);
  for (const { name } of fieldsOfKind(on)) {
    const value = (spec as unknown as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) fields[name] = String(value);
  }
  return {
    ...emptyDraft(id, on),
    enabled: enabled !== false,
    fields,
    pod: pod ?? '',
    condition: condition ?? '',
    ...(hitCount &&
      ('at' in hitCount ? { count: 'at', n: `${hitCount.at}` } : { count: 'every', n: `${hitCount.every}` })),
    once: once ?? false,
    writes: log !== undefined,
    log: log ?? '',
  };
}

function valueIn(kind: FieldKind, text: string): string | number | boolean {
  if (kind.type === 'flag') return text === 'true';
  return kind.type === 'step' && /^\d{1,6}$/.test(text) ? Number(text) : text;
}

const jsonOf = (draft: Draft): object => {
  const { id, on, enabled, pod, condition, count, n, once, writes, log } = draft;
  const own = fieldsOfKind(on)
    .map(({ name, kind }) => ({ name, kind, text: (draft.fields[name] ?? '').trim() }))
    .filter(({ name, text }) => text !== '' && text !== defaultOf(on, name))
    .map(({ name, kind, text }) => [name, valueIn(kind, text)] as const);
  return {
    id,
    on,
    ...(!enabled && { enabled }),
    ...Object.fromEntries(own),
    ...(pod.trim() !== '' && { pod: pod.trim() }),
    ...(condition.trim() !== '' && { condition }),
    ...(count !== 'each' && { hitCount: { [count]: /^\d+$/.test(n.trim()) ? Number(n) : n } }),
    ...(once && { once }),
    ...(writes && { log }),
  };
};

/** Returns the problem of an expression, or of the parts of a text, and its place; null if there is none. */
export function problemIn(field: 'condition' | 'log', source: string): Problem | null {
  if (source.trim() === '') return null;
  try {
    if (field === 'condition') compile(source);
    else compileTemplate(source);
    return null;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const { reason, position, end } = error;
    return { field, reason, position, end };
  }
}

/** Returns the breakpoint that a draft makes, or its problem. */
export function specOf(draft: Draft): { readonly spec: BreakpointSpec } | { readonly problem: Problem } {
  const wrong =
    problemIn('condition', draft.condition) ?? (draft.writes ? problemIn('log', draft.log) : null) ?? emptyLog(draft);
  if (wrong) return { problem: wrong };
  try {
    return { spec: parseBreakpoint(jsonOf(draft)) };
  } catch (error) {
    if (!(error instanceof BreakpointError)) throw error;
    const [, field = '', reason = error.message] = /^breakpoint\.(\w+)[\w.]*: ([\s\S]*)$/.exec(error.message) ?? [];
    return { problem: { field: field === 'hitCount' ? 'n' : field, reason } };
  }
}
const emptyLog = ({ writes, log }: Draft): Problem | null =>
  writes && log.trim() === ''
    ? { field: 'log', reason: 'it is empty; write what it is to say, as: {method} of {pod}' }
    : null;

/** Splits a source at the wrong part of it: before, there, after. At the end of the text that part is one blank. */
export function markedAt(source: string, { position = 0, end = position }: Problem): readonly [string, string, string] {
  const to = Math.max(end, position + 1);
  return [source.slice(0, position), source.slice(position, to) || ' ', source.slice(to)];
}
