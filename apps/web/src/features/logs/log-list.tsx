import type { RecordOf } from '@syncloop/core/trace';
import { useEffect, useRef, useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { firstAt, logIndex, Sieve } from '../../run/record-index.js';
import { trace } from '../../run/trace-store.js';
import { useWhen } from '../../run/wall-time.js';
import { GoThere, InTheOther } from '../../selection/record-link.js';
import { Rows } from '../../ui/rows.js';
import { shortPod } from '../../units/text.js';
import { ALL_LINES, type LogFilter, logTest } from './log-filter.js';
import { klogLine } from './logic/klog.js';
import '../../ui/styles/tables.css';

/** The longest time that the search for lines holds up the page, ms. */
const SLICE = 12;
const VERBOSITIES = [0, 1, 2, 3, 4, 5, 6, 8, 10] as const;

type Line = RecordOf<'log'>;
type Choice = Omit<LogFilter, 'text'>;
/** The choice stays while other tabs are open. */
let chosen: Choice = ALL_LINES;

/** The kubelet's log, as klog prints it. All lines in memory; only those in sight are drawn. */
export function LogList({ filter }: { readonly filter: string }) {
  const t = useT();
  const selected = useUI((s) => (s.selection?.kind === 'record' ? s.selection.seq : 0));
  const [choice, setChoice] = useState(chosen);
  chosen = choice;
  const text = filter.trim().toLowerCase();
  const { lines, done, offers } = useLines({ ...choice, text });
  const set = (more: Partial<Choice>) => setChoice((c) => ({ ...c, ...more }));
  const filtered = text !== '' || Object.entries(choice).some(([k, v]) => v !== ALL_LINES[k as keyof Choice]);

  const at = selected === 0 ? -1 : firstAt(lines, selected);
  const exact = at >= 0 && lines[at]?.seq === selected;
  // The selected record is not a log line: take the last line before it.
  const near = exact ? at : at - 1;
  const nearSeq = lines[near]?.seq ?? 0;
  return (
    <div className="sl-ktable-page u-column u-min-height-0 u-height-full">
      <div className="sl-ktable-bar u-row u-wrap u-border-bottom u-fs-1 u-dim" data-testid="log-filters">
        <label>
          {t('logTable.severity')}
          <select
            value={choice.severity}
            onChange={(e) => set({ severity: e.currentTarget.value as LogFilter['severity'] })}
          >
            <option value="all">{t('logTable.allSeverities')}</option>
            <option value="warnings">{t('logTable.warnings')}</option>
            <option value="errors">{t('logTable.errors')}</option>
          </select>
        </label>
        <label>
          {t('logTable.v')}
          <select
            value={choice.v ?? ''}
            onChange={(e) => set({ v: e.currentTarget.value === '' ? null : Number(e.currentTarget.value) })}
            data-testid="log-v"
          >
            <option value="">{t('logTable.anyV')}</option>
            {VERBOSITIES.map((v) => (
              <option key={v} value={v}>
                {t('logTable.upToV', { v })}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t('eventTable.pod')}
          <select value={choice.pod} onChange={(e) => set({ pod: e.currentTarget.value })}>
            <option value="">{t('eventTable.anyPod')}</option>
            {offers.pods.map((pod) => (
              <option key={pod} value={pod}>
                {shortPod(pod)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t('logTable.file')}
          <select value={choice.file} onChange={(e) => set({ file: e.currentTarget.value })} data-testid="log-file">
            <option value="">{t('logTable.anyFile')}</option>
            {offers.files.map((file) => (
              <option key={file}>{file}</option>
            ))}
          </select>
        </label>
        <label>
          {t('logTable.goroutine')}
          <select
            value={choice.goroutine}
            onChange={(e) => set({ goroutine: Number(e.currentTarget.value) })}
            data-testid="log-goroutine"
          >
            <option value={0}>{t('logTable.anyGoroutine')}</option>
            {offers.goroutines.map(([id, name]) => (
              <option key={id} value={id}>
                {id} {name}
              </option>
            ))}
          </select>
        </label>
        {filtered && (
          <button
            type="button"
            className="sl-button sl-quiet"
            onClick={() => {
              setChoice(ALL_LINES);
              useUI.setState({ filter: '' });
            }}
          >
            {t('logTable.reset')}
          </button>
        )}
        <span>{t(done ? 'logTable.count' : 'logTable.looking', { n: lines.length })}</span>
      </div>
      {lines.length === 0 ? (
        <p className="sl-empty">{t('log.none')}</p>
      ) : (
        <Rows
          items={lines}
          keyOf={(r) => r.seq}
          height={24}
          label={t('panel.log')}
          testId="log"
          reveal={near}
          row={(r) => (
            <LogRow
              record={r}
              pressed={exact && r.seq === selected}
              near={!exact && nearSeq !== 0 && r.seq === nearSeq}
            />
          )}
        />
      )}
    </div>
  );
}

function LogRow({
  record: r,
  pressed,
  near,
}: {
  readonly record: Line;
  readonly pressed: boolean;
  readonly near: boolean;
}) {
  const when = useWhen();
  const line = r.evidence ? klogLine(r, when(r.time)) : klogLine(r);
  return (
    <div className="sl-record-row u-row u-height-full">
      <button
        type="button"
        className="sl-record sl-log u-line u-width-full u-height-full u-hidden-overflow u-bare u-pointer u-fs-1 u-mono u-text-left"
        aria-pressed={pressed}
        data-near={near || undefined}
        data-severity={r.severity}
        onClick={() => runCommand('view.select', { kind: 'record', seq: r.seq })}
      >
        {r.evidence && <span className="sl-log-line sl-tabular u-text-right u-faint">{r.evidence.line ?? ''}</span>}
        <span className="u-faint">{line.head}</span> <span className="sl-log-message">{line.message}</span>{' '}
        <span className="u-ellipsis u-dim">{line.fields}</span>
      </button>
      <GoThere seq={r.seq} />
      <InTheOther seq={r.seq} />
    </div>
  );
}

interface Offers {
  readonly files: readonly string[];
  readonly pods: readonly string[];
  readonly goroutines: readonly (readonly [number, string])[];
}

interface Lines {
  readonly lines: readonly Line[];
  /** All lines were looked at. */
  readonly done: boolean;
  readonly offers: Offers;
}
const NO_LINES: Lines = { lines: [], done: false, offers: { files: [], pods: [], goroutines: [] } };
/** The time after which lines that come in are shown, ms. */
const EVERY = 200;

/** The lines that pass, as far as they were looked at; the rest comes in slices. */
function useLines(filter: LogFilter): Lines {
  const [result, setResult] = useState(NO_LINES);
  const sieve = useRef(new Sieve<Line>());
  const seen = useRef(new LogIndex());
  const key = JSON.stringify(filter);
  useEffect(() => {
    const wanted = JSON.parse(key) as LogFilter;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const work = () => {
      timer = undefined;
      const until = performance.now() + SLICE;
      const items = logIndex.sync(trace.records);
      const uid = Object.values(trace.state.pods).find((p) => p.pod === wanted.pod)?.uid ?? '';
      const test = logTest(wanted, uid);
      const done = sieve.current.advance(items, `${key}|${uid}`, test, () => performance.now() > until);
      setResult({ lines: sieve.current.found, done, offers: seen.current.take(items) });
      if (!done) timer = setTimeout(work, 0);
    };
    const stop = trace.subscribe(() => {
      timer ??= setTimeout(work, EVERY);
    });
    work();
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [key]);
  return result;
}

/** The choices of the filters: files, goroutines and pods of the lines so far. */
class LogIndex {
  private items: readonly Line[] | null = null;
  private at = 0;
  private files = new Set<string>();
  private goroutines = new Set<number>();
  private offers: Offers | null = null;
  private version = '';

  take(items: readonly Line[]): Offers {
    if (items !== this.items || this.at > items.length) {
      this.items = items;
      this.at = 0;
      this.files = new Set();
      this.goroutines = new Set();
    }
    for (; this.at < items.length; this.at++) {
      const { file, g } = items[this.at] as Line;
      this.files.add(file);
      this.goroutines.add(g);
    }
    const pods = [...new Set(Object.values(trace.state.pods).map((p) => p.pod))].filter(Boolean).sort();
    const version = `${this.files.size} ${this.goroutines.size} ${pods.join()}`;
    if (!this.offers || version !== this.version) {
      this.version = version;
      const name = (id: number) => trace.state.goroutines[id]?.name ?? '';
      this.offers = {
        files: [...this.files].sort(),
        pods,
        goroutines: [...this.goroutines]
          .filter((id) => id > 0)
          .sort((a, b) => a - b)
          .map((id) => [id, name(id)] as const),
      };
    }
    return this.offers;
  }
}
