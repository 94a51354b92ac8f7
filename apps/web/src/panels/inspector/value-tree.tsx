import type { Json } from '@syncloop/core/trace';
import { useState } from 'react';
import { useT } from '../../i18n/index.js';
import { seconds } from '../../view-logic/text.js';

/** Fields that hold a time of the run in Micros, read better in seconds. */
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
]);
const LENGTHS = new Set(['took', 'delay', 'backoff']);
const MOST = 50;

/** JSON as an indented outline, as YAML would have it; long lists and deep parts fold. */
export function ValueTree({ value }: { readonly value: Json }) {
  return (
    <div className="sl-tree">
      <Node value={value} depth={0} />
    </div>
  );
}

function Node({ value, depth }: { readonly value: Json; readonly depth: number }) {
  const t = useT();
  const [most, setMost] = useState(MOST);
  if (typeof value !== 'object' || value === null) return <Scalar name="" value={value} />;
  const entries = Array.isArray(value)
    ? value.map((v, i) => [String(i), v] as const)
    : Object.entries(value as { readonly [key: string]: Json | undefined });
  const shown = entries.filter(([, v]) => v !== undefined) as [string, Json][];
  if (shown.length === 0) return <span className="sl-tree-empty">{Array.isArray(value) ? '[]' : '{}'}</span>;
  return (
    <ul>
      {shown.slice(0, most).map(([name, v]) => (
        <li key={name}>
          <Entry name={name} value={v} depth={depth} />
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

function Entry({ name, value, depth }: { readonly name: string; readonly value: Json; readonly depth: number }) {
  const [open, setOpen] = useState(depth < 2);
  const leaf = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
  if (leaf) {
    return (
      <>
        <span className="sl-tree-key">{name}:</span>{' '}
        {typeof value === 'object' && value !== null ? (
          <Node value={value} depth={depth + 1} />
        ) : (
          <Scalar name={name} value={value as string | number | boolean | null} />
        )}
      </>
    );
  }
  return (
    <>
      <button type="button" className="sl-tree-fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span aria-hidden="true">{open ? '▾' : '▸'}</span>
        <span className="sl-tree-key">{name}:</span>{' '}
        {!open && (
          <span className="sl-tree-empty">
            {Array.isArray(value) ? `[${value.length}]` : `{${Object.keys(value as object).length}}`}
          </span>
        )}
      </button>
      {open && <Node value={value} depth={depth + 1} />}
    </>
  );
}

function Scalar({ name, value }: { readonly name: string; readonly value: string | number | boolean | null }) {
  if (typeof value === 'number' && TIMES.has(name)) return <span className="sl-tree-time">{seconds(value)} s</span>;
  if (typeof value === 'number' && LENGTHS.has(name))
    return <span className="sl-tree-time">{seconds(value, 6).replace(/\.?0+$/, '')} s</span>;
  if (typeof value === 'string') return <span className="sl-tree-string">{value === '' ? '""' : value}</span>;
  return <span className="sl-tree-scalar">{String(value)}</span>;
}
