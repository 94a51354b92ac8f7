import type { Json } from '@syncloop/core/trace';
import { objectOf } from '../base/json.js';
import type { Decision } from '../base/types.js';
import { align, byKey } from './align.js';
import { detail, type Ledger, runs, surplus } from './ledger.js';
import { NOTHING } from './syncs.js';

const isWork = (of: Decision) => of.what === 'sync' || of.what === 'terminating' || of.what === 'terminated';
/** Jitter cannot explain more idle syncs than FACTOR times those of the other run, plus SPARE. */
const FACTOR = 3;
const SPARE = 10;

export function compareSyncs(ledger: Ledger, seenAll: readonly Decision[], twinAll: readonly Decision[]): void {
  const ended = (d: Decision) => d.what.startsWith('terminat');
  const other = ledger.versions.endsInSyncs;
  if (other) ledger.skip('version', ...(other === 'seen' ? seenAll : twinAll).filter(ended));
  const [seen, ran] = [seenAll, twinAll].map((list) => (other ? list.filter((d) => !ended(d)) : list)) as [
    readonly Decision[],
    readonly Decision[],
  ];
  const twin = ledger.versions.mayLeaveOutInit && !seen.some(startsInit) ? ran.map(withoutInit) : ran;
  compareProbes(
    ledger,
    seen.filter((d) => !isWork(d)),
    twin.filter((d) => !isWork(d)),
  );
  const reported = {
    actions: seen.some((d) => detail(d, 'actions') !== undefined),
    error: seen.some((d) => detail(d, 'error') !== undefined),
  };
  // A sync that did nothing and failed at nothing is a resync: there may be any number of them, within reason.
  const isIdle = (d: Decision) =>
    d.what === 'sync' && (!reported.actions || (detail(d, 'actions') ?? NOTHING) === NOTHING) && !detail(d, 'error');
  const idleSeen = seen.filter((d) => isWork(d) && isIdle(d));
  const idleTwin = twin.filter((d) => isWork(d) && isIdle(d));
  ledger.pass('resync', Math.abs(idleSeen.length - idleTwin.length));
  ledger.leave('resync', [...idleSeen, ...idleTwin]);
  const more = idleSeen[idleTwin.length * FACTOR + SPARE];
  if (reported.actions && more) ledger.missing(more);
  const lack = idleTwin[idleSeen.length * FACTOR + SPARE];
  if (reported.actions && lack) ledger.extra(lack);

  const same = (a: Decision, b: Decision) =>
    a.what === b.what &&
    (!reported.actions || alike(detail(a, 'actions'), detail(b, 'actions'))) &&
    (!reported.error || alike(detail(a, 'error'), detail(b, 'error')));
  const busy = (list: readonly Decision[]) =>
    runs(
      list.filter((d) => isWork(d) && !isIdle(d)),
      same,
    );
  const a = busy(seen);
  const b = busy(twin);
  let i = 0;
  let j = 0;
  for (const [x, y] of [...align(a, b, (p, q) => same(p.first, q.first)), [a.length, b.length] as const]) {
    gap(
      ledger,
      a.slice(i, x).flatMap(({ all }) => all),
      b.slice(j, y).flatMap(({ all }) => all),
      { seen, twin },
    );
    const [p, q] = [a[x], b[y]];
    if (p && q) {
      p.all.forEach((d, n) => {
        const other = q.all[n];
        if (other) ledger.match(d, other);
      });
      ledger.skip('retries', ...surplus(p.all, q.all));
    }
    i = x + 1;
    j = y + 1;
  }
}

const INIT = /^start \d+ init$/;
const piecesOf = (d: Decision): string[] => String(detail(d, 'actions') ?? NOTHING).split('; ');
const startsInit = (d: Decision): boolean => piecesOf(d).some((piece) => INIT.test(piece));
/** A sync as a kubelet prints it that leaves out which init container starts. */
function withoutInit(d: Decision): Decision {
  if (!startsInit(d)) return d;
  const actions = piecesOf(d).filter((piece) => !INIT.test(piece));
  return { ...d, details: { ...objectOf(d.details), actions: actions.join('; ') || NOTHING } as Json };
}

/** Counts what syncs computed, in pieces that may come in one sync or in several. */
function pieces(list: readonly Decision[]): string {
  const sum = new Map<string, number>();
  for (const d of list)
    for (const piece of piecesOf(d)) {
      const [, verb = piece, n] = /^(start) (\d+)$/.exec(piece) ?? [];
      if (piece !== NOTHING) sum.set(verb, (sum.get(verb) ?? 0) + Number(n ?? 1));
    }
  return [...sum]
    .map(([verb, n]) => `${verb} ${n}`)
    .sort()
    .join('; ');
}

function gap(
  ledger: Ledger,
  seen: readonly Decision[],
  twin: readonly Decision[],
  all: { seen: readonly Decision[]; twin: readonly Decision[] },
): void {
  if (seen.length === 0 && twin.length === 0) return;
  const errors = (list: readonly Decision[]) => [...new Set(list.map((d) => detail(d, 'error') ?? ''))].sort().join();
  if (seen.length > 0 && twin.length > 0 && pieces(seen) === pieces(twin) && errors(seen) === errors(twin)) {
    ledger.pass('worker-merged', Math.max(seen.length, twin.length));
    ledger.leave('worker-merged', [...seen, ...twin]);
    return;
  }
  const { pairs, onlyA, onlyB } = byKey(seen, twin, ({ what }) => what);
  for (const [a, b] of pairs) {
    ledger.match(a, b);
    for (const name of ['actions', 'error']) {
      const [x, y] = [detail(a, name), detail(b, name)];
      if (!alike(x, y)) ledger.value(a, b, name, { seen: x ?? null, twin: y ?? null });
    }
  }
  ledger.left(onlyA, onlyB, all);
}
/** An unknown value is like any other one. */
const alike = (a: unknown, b: unknown) => a === undefined || b === undefined || a === b;

/** Compares results of probes: the same in the same order for each container, after as many failures in a row. */
function compareProbes(ledger: Ledger, seen: readonly Decision[], twin: readonly Decision[]): void {
  const { pairs, onlyA, onlyB } = byKey(seen, twin, ({ what, container }) => `${what} ${container}`);
  for (const [a, b] of pairs) {
    ledger.match(a, b);
    const [x, y] = [detail(a, 'failures'), detail(b, 'failures')];
    if (!alike(x, y)) ledger.value(a, b, 'failures', { seen: x ?? null, twin: y ?? null });
  }
  for (const d of onlyA) ledger.missing(d);
  for (const d of onlyB) ledger.extra(d);
}
