/** Lays out the answer to a "why". Pure. */
import type { Answer, Role, WhyLink } from '@syncloop/core/debug/why';
import type { Json, Seq } from '@syncloop/core/trace';

/** A link of the line from the root to the subject, and the links that branch off it. */
export interface Rung {
  readonly link: WhyLink;
  /** Further causes of it, oldest first; `depth` 1 is a cause of it, 2 a cause of that... */
  readonly sides: readonly { readonly link: WhyLink; readonly depth: number }[];
  /** Links of the line above, other than the one right before it, that it follows from as well. */
  readonly also: readonly Seq[];
  /** The time since the rung before it, in Micros. */
  readonly after: number;
}

/** The links as a ladder, oldest first: the main line, each with the side lines that first lead into it. */
export function rungsOf(answer: Pick<Answer, 'links' | 'subject'>): Rung[] {
  const bySeq = new Map(answer.links.map((l) => [l.seq, l]));
  const line = answer.links.filter((l) => l.main || l.seq === answer.subject);
  const onLine = new Set(line.map((l) => l.seq));
  const taken = new Set<Seq>();
  const rungs = line.map((link, i) => {
    const before = line[i - 1];
    const sides: { link: WhyLink; depth: number }[] = [];
    const visit = (of: WhyLink, depth: number) => {
      for (const seq of of.causes) {
        const cause = bySeq.get(seq);
        if (!cause || onLine.has(seq) || taken.has(seq)) continue;
        taken.add(seq);
        sides.push({ link: cause, depth });
        visit(cause, depth + 1);
      }
    };
    visit(link, 1);
    return {
      link,
      sides: sides.sort((a, b) => a.link.seq - b.link.seq),
      also: link.causes.filter((seq) => onLine.has(seq) && seq !== before?.seq),
      after: before ? link.time - before.time : 0,
    };
  });
  // Links that lead to nothing shown are put with the last rung.
  const lost = answer.links.filter((l) => !onLine.has(l.seq) && !taken.has(l.seq));
  const last = rungs.at(-1);
  if (lost.length > 0 && last)
    rungs[rungs.length - 1] = { ...last, sides: [...lost.map((link) => ({ link, depth: 1 })), ...last.sides] };
  return rungs;
}

/** Returns the colour of a role: one of the graph's hues for kinds. */
export function hueOf(role: Role): 'desired' | 'actual' | 'message' | 'decision' | 'time' | 'failure' | 'quiet' {
  switch (role) {
    case 'input':
    case 'config':
      return 'desired';
    case 'fault':
    case 'gap':
      return 'failure';
    case 'fact':
    case 'pleg':
    case 'cache':
    case 'call':
    case 'answer':
      return 'actual';
    case 'timer':
    case 'backoff':
    case 'queue':
    case 'wait':
      return 'time';
    case 'message':
    case 'update':
    case 'event':
      return 'message';
    case 'decision':
    case 'work':
    case 'probe':
    case 'status':
      return 'decision';
    default:
      return 'quiet';
  }
}

/**
 * Returns true if a session with more records may know better: the chain was cut off, or its record was not in memory
 * here.
 */
export const isCut = (answer: Answer): boolean =>
  answer.cutOff !== undefined || (answer.subject === 0 && answer.links.length === 0 && answer.findings.length === 0);

/** Returns the answer that reaches further back; `b` was made of more records, so it may have lines that `a` lacks. */
export function further(a: Answer, b: Answer): Answer {
  if (!isCut(b)) return b;
  return isCut(a) && b.links.length > a.links.length ? b : a;
}

/** Returns the values of a rule that its sentence does not have, without empty ones. */
export function tellingValues(values: WhyLink['values']): { readonly [key: string]: Json } {
  const out = Object.create(null) as { [key: string]: Json };
  for (const [key, value] of Object.entries(values ?? {}))
    if (value !== undefined && value !== null && value !== '') out[key] = value;
  return out;
}
