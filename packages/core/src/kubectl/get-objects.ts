/** Objects of an API server, printed by it: everything that kubectl gets but pods. */
import type { GetOptions, Table } from './get.js';
import { matches } from './selectors.js';

/** An object as far as in everything. */
export interface AnyObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly creationTimestamp?: string | null;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}
/** A resource with its objects and the rows that the server prints of them, as of the moment of the question. */
export interface Printed {
  readonly resource: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly namespaced: boolean;
  /** `wide`: only with -o wide. */
  readonly columns: readonly { readonly name: string; readonly wide: boolean }[];
  readonly rows: readonly PrintedRow[];
}
export interface PrintedRow {
  readonly cells: readonly string[];
  readonly object: AnyObject;
  /** Values for field selectors. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The rows that are meant, and the names of those that are not there. */
export function selectPrinted(
  { rows, namespaced }: Pick<Printed, 'rows' | 'namespaced'>,
  { names, namespace, labels, fields }: Pick<GetOptions, 'names' | 'namespace' | 'labels' | 'fields'>,
): { readonly found: PrintedRow[]; readonly missing: string[] } {
  const here = rows.filter(
    ({ object }) => !namespaced || namespace === null || object.metadata.namespace === namespace,
  );
  if (names.length > 0) {
    const of = (name: string) => here.filter((r) => r.object.metadata.name === name);
    return { found: names.flatMap(of), missing: names.filter((name) => of(name).length === 0) };
  }
  return {
    found: here.filter((r) => matches(labels, r.object.metadata.labels ?? {}) && matches(fields, r.fields)),
    missing: [],
  };
}

/** Rows as a table, as kubectl lays out what the server printed. */
export function printedTable(
  { columns, namespaced }: Pick<Printed, 'columns' | 'namespaced'>,
  rows: readonly PrintedRow[],
  { namespace, output, noHeaders, showLabels }: Pick<GetOptions, 'namespace' | 'output' | 'noHeaders' | 'showLabels'>,
): Table {
  const shown = columns.map((c, i) => ({ ...c, i })).filter((c) => output === 'wide' || !c.wide);
  const spaced = namespaced && namespace === null;
  const head = [
    ...(spaced ? ['NAMESPACE'] : []),
    ...shown.map((c) => c.name.toUpperCase()),
    ...(showLabels ? ['LABELS'] : []),
  ];
  const lines = rows.map(({ cells, object }) => [
    ...(spaced ? [object.metadata.namespace ?? ''] : []),
    ...shown.map((c) => cells[c.i] ?? ''),
    ...(showLabels ? [labelsText(object.metadata.labels)] : []),
  ]);
  return noHeaders ? lines : [head, ...lines];
}
const labelsText = (labels: Readonly<Record<string, string>> | undefined): string =>
  Object.entries(labels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([k, v]) => `${k}=${v}`)
    .join(',') || '<none>';

/** Objects as -o yaml and json print them, with what says their kind in front. */
export const fullObjects = ({ kind, apiVersion }: Pick<Printed, 'kind' | 'apiVersion'>, rows: readonly PrintedRow[]) =>
  rows.map(({ object }) => ({ ...object, apiVersion, kind }));
