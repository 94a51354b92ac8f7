/**
 * The rules of the trace event format that viewers hold a file to, written from its documentation ("Trace Event
 * Format", Duration, Async, Flow, Instant and Metadata Events) and from what Perfetto's importer drops.
 */

type Event = { readonly [key: string]: unknown };
type Slice = { readonly name: unknown; readonly ts: number };

const PHASES = new Set(['B', 'E', 'X', 'i', 'I', 'b', 'n', 'e', 's', 't', 'f', 'M', 'C']);
const METADATA = new Set(['process_name', 'process_labels', 'process_sort_index', 'thread_name', 'thread_sort_index']);

/** Lists all that is wrong with a file; nothing for one that viewers draw as it was meant. */
export function traceEventProblems(file: { readonly traceEvents?: unknown }): string[] {
  const problems: string[] = [];
  if (!Array.isArray(file.traceEvents)) return ['there is no list of traceEvents'];
  const stacks = new Map<string, Slice[]>();
  const lastTs = new Map<string, number>();
  const asyncs = new Map<string, string>();
  const flows = new Map<string, { at: number; ended: boolean; what: string }>();
  const pidOfTid = new Map<unknown, unknown>();
  const named = new Set<string>();

  const check = (event: Event, n: number): void => {
    const wrong = (what: string): void => {
      problems.push(`event ${n} (${event.ph} ${event.name}): ${what}`);
    };
    const { ph, name, ts, pid, tid } = event as { ph: string; name: unknown; ts: number; pid: number; tid: number };
    if (!PHASES.has(ph)) {
      wrong('unknown phase');
      return;
    }
    if (typeof name !== 'string') wrong('no name');
    if (!Number.isInteger(pid) || !Number.isInteger(tid) || tid === 0)
      wrong('pid and tid must be whole numbers, tid not 0');
    if (event.args !== undefined && (typeof event.args !== 'object' || event.args === null))
      wrong('args is not an object');
    const lane = `${pid}/${tid}`;
    if (ph === 'M') {
      if (!METADATA.has(name as string)) wrong('unknown metadata');
      const { name: given, sort_index } = (event.args ?? {}) as Event;
      if (typeof given !== 'string' && typeof sort_index !== 'number') wrong('metadata without a value');
      if (name === 'thread_name') {
        named.add(lane);
        const before = pidOfTid.get(tid);
        if (before !== undefined && before !== pid) wrong(`thread ${tid} is in process ${before} and ${pid}`);
        pidOfTid.set(tid, pid);
      }
      return;
    }
    if (typeof ts !== 'number' || !Number.isFinite(ts) || ts < 0) {
      wrong('ts is not a time');
      return;
    }
    if (!named.has(lane)) wrong('its thread has no name');
    // A viewer sorts by time: what is in order on each thread keeps it.
    if (ts < (lastTs.get(lane) ?? 0)) wrong(`goes back in time from ${lastTs.get(lane)} to ${ts}`);
    lastTs.set(lane, ts);
    let stack = stacks.get(lane);
    if (!stack) {
      stack = [];
      stacks.set(lane, stack);
    }
    const enclosing = stack.at(-1);
    switch (ph) {
      case 'B':
        stack.push({ name, ts });
        break;
      case 'E': {
        const begun = stack.pop();
        if (!begun) wrong('ends what did not begin');
        else if (begun.name !== name) wrong(`ends ${name}, but ${begun.name} is open`);
        break;
      }
      case 'X':
        wrong('complete events are not used here');
        break;
      case 'i':
        if (!['g', 'p', 't'].includes(event.s as string)) wrong('scope must be g, p or t');
        break;
      case 'b':
      case 'e': {
        // Matched by category, id and name; Perfetto keeps ids apart by process.
        if (typeof event.id !== 'string' || typeof event.cat !== 'string') wrong('an async event needs id and cat');
        const key = `${pid} ${event.cat} ${event.id}`;
        if (ph === 'b') {
          if (asyncs.has(key)) wrong('begins twice');
          asyncs.set(key, name as string);
        } else {
          if (asyncs.get(key) !== name) wrong('ends what did not begin');
          asyncs.delete(key);
        }
        break;
      }
      case 's':
      case 'f': {
        if (!enclosing) wrong('a flow event binds to a slice, and none is open');
        if (ph === 'f' && event.bp !== 'e') wrong('without bp "e" it binds to the next slice, not to the one it is in');
        const key = String(event.id);
        const what = `${event.cat} ${name}`;
        const begun = flows.get(key);
        if (ph === 's') {
          if (begun) wrong('begins twice');
          flows.set(key, { at: ts, ended: false, what });
        } else if (!begun || begun.ended) wrong('ends what did not begin');
        else {
          if (begun.at > ts) wrong('ends before it begins');
          if (begun.what !== what) wrong('has another name or category at its end');
          begun.ended = true;
        }
        break;
      }
      default:
        wrong('is not expected here');
    }
  };
  for (const [n, event] of file.traceEvents.entries()) check(event as Event, n);
  for (const [lane, stack] of stacks) for (const { name } of stack) problems.push(`${name} on ${lane} does not end`);
  for (const [key, name] of asyncs) problems.push(`async ${name} (${key}) does not end`);
  for (const [id, { ended }] of flows) if (!ended) problems.push(`flow ${id} does not end`);
  return problems;
}
