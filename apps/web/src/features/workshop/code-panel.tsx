import { EditorView } from '@codemirror/view';
import type { RecordOf, TraceRecord } from '@syncloop/core/trace';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useT } from '../../i18n/index.js';
import { select, useUI } from '../../page/ui-store.js';
import { here, useHere } from '../../run/here.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { RecordLink } from '../../selection/record-link.js';
import { mountCodeMirror } from '../../ui/code-mirror/index.js';
import { CommandButton } from '../../ui/command-button.js';
import { useBreakpoints } from '../breakpoints/breakpoints-store.js';
import { setBreakpointLines } from './breakpoints.js';
import { runningExtensions, setNext } from './code-extensions.js';
import { linesOf } from './logic/code-in-run.js';
import { type PartCode, usePartCode } from './part-code.js';
import { setStops, stopLines } from './stop-gutter.js';
import { Variables } from './variables.js';
import { useWorkshop } from './workshop-store.js';
import './workshop.css';

type Line = RecordOf<'part-line'>;

/** The learner's code of the run in view: the line that is next, its variables, and breakpoints. */
export function CodePanel() {
  const t = useT();
  const codes = usePartCode();
  const [chosen, setChosen] = useState('');
  const seq = useHere((s) => s.seq);
  const line = lineOf(here());
  const at = line?.file;
  const shown = codes?.find(({ file }) => file === (at ?? chosen)) ?? codes?.[0];
  const { before, isSelected } = useBefore(line);
  // Who looks at a line in the inspector goes on looking at the line that is next.
  useEffect(() => {
    if (isSelected && line) select({ kind: 'record', seq });
  }, [isSelected, line, seq]);
  if (codes === null) return <p className="sl-empty">{t('workshop.loading')}</p>;
  if (!shown)
    return (
      <div className="sl-empty">
        <p>{t('workshop.noCode')}</p>
        <WorkshopButton />
      </div>
    );
  return (
    <div className="sl-code-panel u-grid u-height-full" data-testid="code-panel">
      <div className="sl-code-bar u-row u-wrap u-gap-6">
        <CommandButton id="back.line" testId="code-back">
          ◀ {t('workshop.lineBack')}
        </CommandButton>
        <CommandButton id="step.line" testId="code-forward">
          {t('workshop.lineOn')} ▶
        </CommandButton>
        {codes.length > 1 && (
          <select
            className="sl-select"
            aria-label={t('workshop.file')}
            value={shown.file}
            onChange={(e) => setChosen(e.currentTarget.value)}
          >
            {codes.map(({ file }) => (
              <option key={file}>{file}</option>
            ))}
          </select>
        )}
        <span role="status" className="u-fs-2" data-testid="code-at">
          {line ? (
            <>
              {t('workshop.lineNext', { file: line.file, line: line.line })} {line.fn && <code>{line.fn}</code>}{' '}
              <RecordLink seq={line.seq} />
            </>
          ) : (
            t('workshop.notAtLine')
          )}
        </span>
        <span className="u-push u-row u-wrap u-gap-6">
          <SidesButton />
          <WorkshopButton />
        </span>
      </div>
      <RunningCode key={shown.file} code={shown} next={line && at === shown.file ? line.line : 0} />
      <div className="sl-code-variables u-scroll">
        {line && <Variables line={momentOf(line)} before={before && momentOf(before)} />}
      </div>
    </div>
  );
}

const lineOf = (record: TraceRecord | undefined): Line | undefined =>
  record?.kind === 'part-line' ? (record as Line) : undefined;
const momentOf = ({ fn, variables }: Line) => ({ function: fn, variables });

/** The line before in the same call, if its record is in memory; and whether a line is selected. */
function useBefore(line: Line | undefined): { before: Line | undefined; isSelected: boolean } {
  const selection = useUI((s) => (s.inspectorOpen ? s.selection : null));
  const selected = selection?.kind === 'record' ? trace.records.get(selection.seq) : undefined;
  const isSelected = lineOf(selected) !== undefined && selected?.seq !== line?.seq;
  if (!line) return { before: undefined, isSelected: false };
  // Between two lines stands what the code printed.
  let seq = line.seq - 1;
  while (trace.records.get(seq)?.kind === 'log') seq--;
  const before = lineOf(trace.records.get(seq));
  return { before: before?.g === line.g ? before : undefined, isSelected };
}

/** Leads to the comparison with the real kubelet, if this run shows one. */
function SidesButton() {
  const t = useT();
  const id = useSession((s) => s.info?.id);
  const isShown = useWorkshop((s) => s.sides !== null && s.sides.session === id);
  if (!isShown) return null;
  return (
    <button type="button" className="sl-button" onClick={() => useUI.setState({ bottom: 'sides' })}>
      {t('workshop.sides.open')}
    </button>
  );
}

export function WorkshopButton() {
  const t = useT();
  return (
    <button type="button" className="sl-button" onClick={() => useUI.setState({ dialog: 'workshop' })}>
      {t('workshop.back')}
    </button>
  );
}

function RunningCode({ code, next }: { readonly code: PartCode; readonly next: number }) {
  const t = useT();
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const specs = useBreakpoints((s) => s.specs);
  const { file, source } = code;
  const label = t('workshop.running.code', { file });
  const keys = t('workshop.running.keys');
  useLayoutEffect(() => {
    const element = host.current;
    if (!element) return;
    const attributes = EditorView.contentAttributes.of({
      tabindex: '0',
      'aria-label': label,
      'aria-description': keys,
      'data-testid': 'code-running',
    });
    const onStops = (lines: readonly number[]) => void setBreakpointLines(file, lines);
    const made = mountCodeMirror(element, [attributes, ...runningExtensions(onStops)], source);
    view.current = made;
    return () => {
      made.destroy();
      view.current = null;
    };
  }, [file, source, label, keys]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view needs them, too
  useEffect(() => {
    const wanted = linesOf(specs, file);
    const v = view.current;
    if (v && [...stopLines(v.state)].join() !== wanted.join()) v.dispatch({ effects: setStops.of(wanted) });
  }, [specs, file, source, label]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(() => {
    const v = view.current;
    if (!v) return;
    const isInside = next >= 1 && next <= v.state.doc.lines;
    v.dispatch({
      effects: [
        setNext.of(next),
        ...(isInside ? [EditorView.scrollIntoView(v.state.doc.line(next).from, { y: 'nearest', yMargin: 40 })] : []),
      ],
    });
  }, [next, source, label]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the code inside end here
    <div
      ref={host}
      className="u-border-right u-min-height-0 u-scroll"
      onKeyDown={(e) => {
        if (/^(?:Arrow(?:Up|Down)|Page(?:Up|Down)|Home|End|F9)$/.test(e.key) && !e.altKey) e.stopPropagation();
      }}
    />
  );
}
