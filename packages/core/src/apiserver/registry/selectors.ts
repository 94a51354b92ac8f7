import { badRequest } from '../status.js';

/** Label and field selectors as the server reads them. upstream: apimachinery pkg/labels, pkg/fields */
export interface Requirement {
  readonly key: string;
  readonly op: 'in' | 'notin' | 'exists' | 'absent' | 'gt' | 'lt';
  readonly values: ReadonlySet<string>;
}
export type Values = Readonly<Record<string, string | undefined>>;

const unable = (text: string, why: string) => badRequest(`unable to parse requirement: ${why || text}`);

/** Reads a selector of labels: `app=web,tier!=db,env in (a,b),x,!y,n>3`. Throws a 400. */
export function parseLabelSelector(text: string): readonly Requirement[] {
  const parts = outsideParentheses(text).map((p) => p.trim());
  if (parts.length === 1 && parts[0] === '') return [];
  const requirements = parts.map((part): Requirement => {
    const m = /^([^\s=!(),<>]+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(part);
    if (m)
      return checked({
        key: m[1] as string,
        op: m[2] as 'in' | 'notin',
        values: new Set((m[3] as string).split(',').map((v) => v.trim())),
      });
    const e = /^([^\s=!(),<>]+)\s*(==|=|!=|>|<)\s*([^\s=!(),<>]*)$/.exec(part);
    if (e) {
      const op = { '!=': 'notin', '>': 'gt', '<': 'lt' }[e[2] as string] ?? 'in';
      return checked({ key: e[1] as string, op: op as Requirement['op'], values: new Set([e[3] as string]) });
    }
    const b = /^(!?)\s*([^\s=!(),<>]+)$/.exec(part);
    if (b) return checked({ key: b[2] as string, op: b[1] ? 'absent' : 'exists', values: new Set() });
    throw unable(part, `found '${part}', expected: identifier`);
  });
  return together(requirements);
}
/** Merges requirements on one key: a selector of a thousand `x!=y` costs no more than one. */
function together(requirements: readonly Requirement[]): readonly Requirement[] {
  const out = new Map<string, Requirement>();
  for (const r of requirements) {
    // Numbers are compared one by one.
    const name = `${r.op} ${r.key}${r.op === 'gt' || r.op === 'lt' ? ` ${[...r.values]}` : ''}`;
    const known = out.get(name);
    if (!known) out.set(name, r);
    else if (r.op === 'in') out.set(name, { ...r, values: new Set([...r.values].filter((v) => known.values.has(v))) });
    else if (r.op === 'notin') for (const v of r.values) (known.values as Set<string>).add(v);
  }
  return [...out.values()];
}
/** Parts between the commas that are in no parentheses. */
function outsideParentheses(text: string): string[] {
  const out: string[] = [];
  let from = 0;
  let open = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '(' || c === ')') open = c === '(';
    else if (c === ',' && !open) {
      out.push(text.slice(from, i));
      from = i + 1;
    }
  }
  return [...out, text.slice(from)];
}
function checked(r: Requirement): Requirement {
  if (!/^([a-z0-9.-]+\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(r.key.slice(0, 400)))
    throw unable(
      r.key,
      `<nil>: Invalid value: ${JSON.stringify(r.key)}: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    );
  for (const v of r.values) {
    if (r.op === 'gt' || r.op === 'lt') {
      if (!/^-?\d+$/.test(v))
        throw unable(
          v,
          `values[0][${r.key}]: Invalid value: ${JSON.stringify(v)}: for 'Gt', 'Lt' operators, the value must be an integer`,
        );
    } else if (v.length > 63 || !/^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/.test(v.slice(0, 400)))
      throw unable(
        v,
        `values[0][${r.key}]: Invalid value: ${JSON.stringify(v)}: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      );
  }
  return r;
}

/**
 * Reads a selector of fields: `spec.nodeName=n1,status.phase!=Running`. `allowed`: labels that the resource has besides
 * metadata.name and metadata.namespace. Throws a 400 in the server's words.
 * upstream: fields.ParseSelector and the conversion of labels
 */
export function parseFieldSelector(text: string, allowed: readonly string[]): readonly Requirement[] {
  if (text === '') return [];
  const requirements = splitTerms(text).flatMap((term): Requirement[] => {
    if (term === '') return [];
    const m = /^([^=!]*)(!=|==|=)(.*)$/s.exec(term);
    if (!m) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    const key = m[1] as string;
    if (!allowed.includes(key)) throw badRequest(`field label not supported: ${key}`);
    return [{ key, op: m[2] === '!=' ? 'notin' : 'in', values: new Set([unescaped(m[3] as string)]) }];
  });
  return together(requirements);
}
const unescaped = (text: string): string => text.replace(/\\([\\,=])/g, '$1');
function splitTerms(text: string): string[] {
  const out: string[] = [];
  let term = '';
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\' && i + 1 < text.length) term += text[i++] as string;
    else if (text[i] === ',') {
      out.push(term);
      term = '';
      continue;
    }
    term += text[i];
  }
  return [...out, term];
}

/** True if values meet all requirements. A key that is absent is in no set: `!=` and `notin` take it. */
export const matches = (requirements: readonly Requirement[], values: Values | undefined): boolean =>
  requirements.every((r) => holds(r, values && Object.hasOwn(values, r.key) ? values[r.key] : undefined));

function holds({ op, values }: Requirement, value: string | undefined): boolean {
  if (value === undefined) return op === 'absent' || op === 'notin';
  switch (op) {
    case 'exists':
      return true;
    case 'absent':
      return false;
    case 'in':
      return values.has(value);
    case 'notin':
      return !values.has(value);
    case 'gt':
      return Number(value) > Number([...values][0]);
    case 'lt':
      return Number(value) < Number([...values][0]);
  }
}

/** upstream: metav1.LabelSelector */
interface ObjectSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}
/**
 * Returns true if labels match a selector in the form that objects have; an empty one matches all.
 * upstream: LabelSelectorAsSelector
 */
export function matchesLabelSelector(selector: object, labels: Values = {}): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector as ObjectSelector;
  const labelOf = (key: string) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  if (!Object.entries(matchLabels).every(([k, v]) => labelOf(k) === v)) return false;
  return matchExpressions.every(({ key, operator, values = [] }) => {
    const value = labelOf(key);
    switch (operator) {
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Exists':
        return value !== undefined;
      default:
        return value === undefined;
    }
  });
}
/** Field errors of such a selector. upstream: apimachinery ValidateLabelSelectorRequirement */
export function labelSelectorProblems(selector: object, at: string): string[] {
  return ((selector as ObjectSelector).matchExpressions ?? []).flatMap(({ operator, values }, i) => {
    const where = `${at}.matchExpressions[${i}]`;
    const some = (values?.length ?? 0) > 0;
    if (operator === 'In' || operator === 'NotIn')
      return some ? [] : [`${where}.values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`];
    if (operator === 'Exists' || operator === 'DoesNotExist')
      return some
        ? [`${where}.values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`]
        : [];
    return [`${where}.operator: Invalid value: ${JSON.stringify(operator)}: not a valid selector operator`];
  });
}

/** The equalities of a field selector, also for unknown fields. upstream: fields.ParseSelector */
export function equalities(text: string): { readonly key: string; readonly value: string }[] {
  return splitTerms(text).flatMap((term) => {
    const m = /^([^=!]*)(==|=)(.*)$/s.exec(term);
    return m ? [{ key: m[1] as string, value: unescaped(m[3] as string) }] : [];
  });
}
