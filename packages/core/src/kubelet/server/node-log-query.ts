/** Queries for logs of the node. upstream: pkg/kubelet/kubelet_server_journal.go */

/** Parameters of a request, of which some may come more than once. */
export type AskedQuery = { get(name: string): string | null; getAll(name: string): readonly string[] };

/** upstream: nodeLogQuery */
export interface NodeLogQuery {
  /** Names of services, such as `kubelet`. */
  readonly services: readonly string[];
  /** Paths below the folder of logs: a query with a slash is one. */
  readonly files: readonly string[];
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly until?: number;
  readonly tailLines?: number;
  /** 0 for this boot, -1 for the one before. */
  readonly boot?: number;
  readonly pattern?: string;
}

/** The most lines that a query may ask for. */
const MOST_LINES = 100_000;
const RFC3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
/** upstream: safeServiceName, reServiceNameUnsafeCharacters */
const UNSAFE = /[^a-zA-Z\-_0-9@.]/;
const LONGEST_NAME = 256;

const invalid = (path: string, value: string | number | readonly string[], why: string): string =>
  `${path}: Invalid value: ${JSON.stringify(value)}: ${why}`;

/** Reads a query; `errors` are those of status 400. Null: nothing is queried. upstream: newNodeLogQuery */
export function parseNodeLogQuery(given: AskedQuery): {
  readonly query: NodeLogQuery | null;
  readonly errors: readonly string[];
} {
  const errors: string[] = [];
  const asked = given.getAll('query');
  const files = asked.filter((one) => /[/\\]/.test(one));
  const services = asked.filter((one) => !/[/\\]/.test(one) && one.trim() !== '');
  if (asked.length > 0 && files.length + services.length === 0)
    errors.push(invalid('query', asked, 'query cannot be empty'));
  const time = (name: string): number | undefined => {
    const value = given.get(name);
    if (!value) return undefined;
    const at = RFC3339.test(value) ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(at)) return at;
    errors.push(invalid(name, value, 'invalid time format'));
    return undefined;
  };
  const number = (name: string): number | undefined => {
    const value = given.get(name);
    if (!value) return undefined;
    if (/^[+-]?\d{1,9}$/.test(value)) return Number(value);
    errors.push(invalid(name, value, `strconv.Atoi: parsing ${JSON.stringify(value)}: invalid syntax`));
    return undefined;
  };
  const since = time('sinceTime');
  const until = time('untilTime');
  const boot = number('boot');
  const tailLines = number('tailLines');
  const pattern = given.get('pattern') || undefined;
  if (errors.length > 0) return { query: null, errors };
  const query: NodeLogQuery = {
    services,
    files,
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(boot !== undefined && { boot }),
    ...(tailLines !== undefined && { tailLines }),
    ...(pattern !== undefined && { pattern }),
  };
  return { query: files.length + services.length === 0 && !hasOptions(query) ? null : query, errors };
}

/** Returns true if a query asks for a part of a log. */
export const hasOptions = ({ since, until, tailLines, boot, pattern }: NodeLogQuery): boolean =>
  [since, until, tailLines, boot, pattern].some((one) => one !== undefined);

/** Returns why a query is not answered (status 406). upstream: (*nodeLogQuery).validate */
export function nodeLogQueryErrors(query: NodeLogQuery): readonly string[] {
  const { services, files, since, until, tailLines, boot, pattern } = query;
  const errors = services
    .filter((name) => UNSAFE.test(name) || name.length > LONGEST_NAME)
    .map((name) =>
      name.length > LONGEST_NAME
        ? invalid('query', name, `length must be less than ${LONGEST_NAME}`)
        : invalid('query', name, 'input contains unsupported characters'),
    );
  if (files.length + services.length === 0) errors.push('query: Required value: cannot be empty with options');
  else if (files.length > 0 && services.length > 0)
    errors.push(invalid('query', [...files, ...services], 'cannot specify a file and service'));
  else if (files.length > 1) errors.push(invalid('query', files, 'cannot specify more than one file'));
  else if (files.length === 1 && hasOptions(query))
    errors.push(invalid('query', files, 'cannot specify file with options'));
  if (since !== undefined && until !== undefined && since > until)
    errors.push(invalid('untilTime', new Date(until).toISOString(), 'must be after `sinceTime`'));
  if (boot !== undefined && boot > 0) errors.push(invalid('boot', boot, 'must be less than 1'));
  if (tailLines !== undefined && tailLines < 0)
    errors.push(invalid('tailLines', tailLines, 'must be greater than or equal to 0'));
  if (tailLines !== undefined && tailLines > MOST_LINES)
    errors.push(invalid('tailLines', tailLines, `must be less than or equal to ${MOST_LINES}`));
  if (pattern !== undefined && !compiles(pattern)) errors.push(invalid('pattern', pattern, 'error parsing regexp'));
  return errors;
}

/** It is only read here: journalctl matches with it. */
function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
}

/** Errors as upstream's answer has them. upstream: field.ErrorList ToAggregate */
export const aggregated = (errors: readonly string[]): string =>
  errors.length === 1 ? (errors[0] as string) : `[${[...new Set(errors)].join(', ')}]`;

/** `2026-11-22 10:00:00`, in UTC. upstream: dateLayout */
const journalTime = (millis: number): string => new Date(millis).toISOString().slice(0, 19).replace('T', ' ');

/** The arguments of journalctl for services that log into the journal. upstream: getLoggingCmd */
export function journalctlArguments(query: NodeLogQuery, services: readonly string[]): readonly string[] {
  const { since, until, tailLines, boot, pattern } = query;
  return [
    ...['--utc', '--no-pager', '--output=short-precise'],
    ...(since === undefined ? [] : [`--since=${journalTime(since)}`]),
    ...(until === undefined ? [] : [`--until=${journalTime(until)}`]),
    ...(tailLines === undefined ? [] : ['--pager-end', `--lines=${tailLines}`]),
    ...services.map((service) => `--unit=${service}`),
    ...(pattern === undefined ? [] : [`--grep=${pattern}`]),
    ...(boot === undefined ? [] : ['--boot', String(boot)]),
  ];
}
