import type { Json } from '@syncloop/core/trace';
import { useState } from 'react';
import { useT } from '../../i18n/index.js';
import { seconds } from '../../units/text.js';
import type { Trail } from './logic/history.js';

/** Fields with a time of the run in Micros, which are better read in seconds. */
const TIMES = new Set([
  'time',
  'since',
  'until',
  'due',
  'lastTime',
  'lastRelist',
  'newerThan',
  'waitsForNewerThan',
  'modified',
  'now',
  'finishedAt',
  // The time that a ticker puts on its channel.
  'item',
]);
const LENGTHS = new Set(['took', 'delay', 'backoff']);
const MOST = 50;

/** Called for a click on a field: keys and places from the value shown inwards. */
type OnField = (trail: Trail) => void;

interface TreeProps {
  readonly value: Json;
  /** Given, names of fields are buttons. */
  readonly onField?: OnField | undefined;
  /** The number of levels that are open at first. */
  readonly open?: number;
}

/** JSON as an indented outline, as YAML would have it; long lists and deep parts fold. */
export function ValueTree({ value, onField, open = 2 }: TreeProps) {
  return (
    <div className="sl-tree u-break u-pad-10">
      <Node value={value} trail={[]} onField={onField} open={open} />
    </div>
  );
}

interface NodeProps {
  readonly value: Json;
  readonly trail: Trail;
  readonly onField: OnField | undefined;
  readonly open: number;
}

function Node({ value, trail, onField, open }: NodeProps) {
  const t = useT();
  const [most, setMost] = useState(MOST);
  if (typeof value !== 'object' || value === null) return <Scalar name="" value={value} />;
  const isList = Array.isArray(value);
  const entries = isList
    ? value.map((v, i) => [String(i), v] as const)
    : Object.entries(value as { readonly [key: string]: Json | undefined });
  const shown = entries.filter(([, v]) => v !== undefined) as [string, Json][];
  if (shown.length === 0) return <span className="u-faint">{isList ? '[]' : '{}'}</span>;
  return (
    <ul>
      {shown.slice(0, most).map(([name, v]) => (
        <li key={name}>
          <Entry name={name} value={v} trail={[...trail, isList ? Number(name) : name]} onField={onField} open={open} />
        </li>
      ))}
      {shown.length > most && (
        <li>
          <button type="button" className="sl-button sl-quiet" onClick={() => setMost(most + 200)}>
            {t('inspector.more', { n: shown.length - most })}
          </button>
        </li>
      )}
    </ul>
  );
}

function Entry({ name, ...node }: NodeProps & { readonly name: string }) {
  const t = useT();
  const { value, trail, onField, open: levels } = node;
  const [open, setOpen] = useState(trail.length <= levels);
  const leaf = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
  const element = typeof trail.at(-1) === 'number';
  const shownName = element ? '-' : `${name}:`;
  const history = t('inspector.fieldHistory', { field: name });
  if (leaf) {
    return (
      <>
        {onField ? (
          <button
            type="button"
            className="sl-tree-field u-target u-bare u-pointer u-text-left u-dim"
            title={history}
            aria-label={history}
            onClick={() => onField(trail)}
          >
            {shownName}
          </button>
        ) : (
          <span className="u-dim">{shownName}</span>
        )}{' '}
        {typeof value === 'object' && value !== null ? (
          <Node {...node} />
        ) : (
          <Scalar name={name} value={value as string | number | boolean | null} />
        )}
      </>
    );
  }
  return (
    <>
      <span className="sl-tree-row u-inline-flex u-center u-gap-6">
        <button
          type="button"
          className="sl-tree-fold u-pad-0 u-bare u-pointer u-text-left"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <span aria-hidden="true">{open ? '▾' : '▸'}</span>
          <span className="u-dim">{shownName}</span>{' '}
          {!open && <span className="u-faint">{folded(value, element)}</span>}
        </button>
        {onField && (
          <button
            type="button"
            className="sl-tree-history u-inline-flex u-target u-bare u-pointer u-text-left u-faint"
            aria-label={history}
            title={history}
            onClick={() => onField(trail)}
          >
            <svg className="sl-stroke" viewBox="0 0 16 16" width="12" height="12" aria-hidden="true" focusable="false">
              <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3.200l2.300 1.300" />
            </svg>
          </button>
        )}
      </span>
      {open && <Node {...node} />}
    </>
  );
}

/** Returns the text of a folded value: for an element of a list, what tells it apart. */
function folded(value: object, element: boolean): string {
  if (Array.isArray(value)) return `[${value.length}]`;
  const map = value as { readonly [key: string]: Json | undefined };
  const hint = element ? ['name', 'type', 'fn', 'method', 'pod', 'reason', 'id', 'seq'].find((k) => map[k]) : undefined;
  const says = hint === undefined ? undefined : map[hint];
  const text = typeof says === 'string' || typeof says === 'number' ? String(says) : '';
  if (text !== '') return text.length > 32 ? `${text.slice(0, 31)}…` : text;
  return `{${Object.keys(value).length}}`;
}

const MOST_INLINE = 6;
/** Fits into one line: a scalar, or a short list of them. */
export function isInline(value: Json): boolean {
  if (Array.isArray(value))
    return value.length <= MOST_INLINE && value.every((v) => isScalar(v) && String(v).length <= 30);
  if (isScalar(value)) return String(value).length <= 80;
  return Object.keys(value as object).length === 0;
}
const isScalar = (value: Json): value is string | number | boolean | null =>
  typeof value !== 'object' || value === null;

/** A value in one line, if `isInline`; else folded below it. */
export function Inline({ name, value }: { readonly name: string; readonly value: Json }) {
  if (isScalar(value)) return <Scalar name={name} value={value} />;
  if (!isInline(value)) return <ValueTree value={value} open={1} />;
  const list = Array.isArray(value) ? (value as readonly (string | number | boolean | null)[]) : [];
  return (
    <span>
      <span className="u-faint">{Array.isArray(value) ? '[' : '{'}</span>
      {list.map((v, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: scalars have no other identity
        <span key={i}>
          {i > 0 && ', '}
          <Scalar name={name} value={v} />
        </span>
      ))}
      <span className="u-faint">{Array.isArray(value) ? ']' : '}'}</span>
    </span>
  );
}

/** A text, number or truth value; times of the run in seconds, by the name of the field. */
export function Scalar({ name, value }: { readonly name: string; readonly value: string | number | boolean | null }) {
  if (typeof value === 'number' && TIMES.has(name))
    return <span className="sl-tree-time u-time">{seconds(value)} s</span>;
  if (typeof value === 'number' && LENGTHS.has(name))
    return <span className="sl-tree-time u-time">{seconds(value, 6).replace(/\.?0+$/, '')} s</span>;
  if (typeof value === 'string') return <span className="sl-tree-string">{value === '' ? '""' : value}</span>;
  return <span className="sl-tree-scalar">{String(value)}</span>;
}
