import { progressIn } from '@syncloop/workshop/progress';
import type { Stage } from '@syncloop/workshop/stages';
import { useEffect, useRef } from 'react';
import { type Translate, useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { breakpointLines, setBreakpointLines } from './breakpoints.js';
import { CodeEditor, type CodeEditorHandle } from './code-editor.js';
import type { LineProblem } from './code-extensions.js';
import { ExamplesTab } from './examples-tab.js';
import { judgeStage } from './judging.js';
import { LevelsTab } from './levels-tab.js';
import { fileOf } from './logic/file-of.js';
import { OutputTab } from './output-tab.js';
import { ReferenceTab } from './reference-tab.js';
import { canDebug, debugStage } from './show.js';
import { StepsTab } from './steps-tab.js';
import { stopJudging } from './worker/judge-client.js';
import { type Judged, type StageTab, setCode, useWorkshop } from './workshop-store.js';

const TABS: readonly StageTab[] = ['examples', 'levels', 'steps', 'output', 'reference'];

/** The editor of a stage, and below it how the code does. */
export function StageWork({ stage }: { readonly stage: Stage }) {
  const t = useT();
  const editor = useRef<CodeEditorHandle>(null);
  const code = useWorkshop((s) => progressIn(s.progress, stage.name).code ?? stage.files.starter);
  const tab = useWorkshop((s) => s.tab);
  const judging = useWorkshop((s) => s.judging);
  const judged = useWorkshop((s) => s.judged[stage.name]);
  const step = useWorkshop((s) => s.step);
  const trouble = useWorkshop((s) => s.trouble);
  const recorded = useWorkshop((s) => (s.recorded?.stage === stage.name ? s.recorded : null));
  const isSame = recorded?.code === code;
  const next = tab === 'steps' && isSame ? (recorded?.result.lines[step]?.line ?? 0) : 0;
  const problem = judged && judged.code === code ? problemOf(judged) : null;
  const run = () => void judgeStage(stage);
  const debug = () => void debugStage(stage);
  const file = fileOf(stage.name);
  const isDebuggable = useSession(() => canDebug(stage));
  // Its key works wherever the focus is; in the editor it is the editor's own.
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (e.defaultPrevented || e.key !== 'Enter' || !(e.ctrlKey || e.metaKey)) return;
      e.preventDefault();
      void (e.shiftKey ? debugStage(stage) : judgeStage(stage));
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [stage]);
  return (
    <div className="sl-workshop-work u-column u-min-width-0 u-border-left">
      <CodeEditor
        ref={editor}
        name={stage.name}
        code={code}
        types={stage.files.types}
        problem={problem}
        next={next}
        onChange={(text) => setCode(stage.name, text)}
        onRun={run}
        onDebug={debug}
        stops={breakpointLines(file)}
        onStops={(lines) => void setBreakpointLines(file, lines)}
      />
      <div className="sl-workshop-bar u-row u-wrap u-gap-8">
        {judging === stage.name ? (
          <button type="button" className="sl-button sl-primary" data-testid="workshop-stop" onClick={stopJudging}>
            {t('workshop.stop')}
          </button>
        ) : (
          <button
            type="button"
            className="sl-button sl-primary"
            disabled={judging !== null}
            data-testid="workshop-run"
            onClick={run}
          >
            {t('workshop.run')} <kbd className="u-fs-1">Ctrl+Enter</kbd>
          </button>
        )}
        <button
          type="button"
          className="sl-button"
          disabled={!isDebuggable}
          title={t('workshop.debugHelp')}
          data-testid="workshop-debug"
          onClick={debug}
        >
          {t('workshop.debug')} <kbd className="u-fs-1">Ctrl+Shift+Enter</kbd>
        </button>
        <button
          type="button"
          className="sl-button sl-quiet"
          disabled={code === stage.files.starter}
          onClick={() => setCode(stage.name, stage.files.starter)}
        >
          {t('workshop.startOver')}
        </button>
        <span role="status" className="u-fs-2" data-testid="workshop-verdict">
          {trouble ?? sentence(t, judged, judging === stage.name)}
        </span>
      </div>
      <div role="tablist" aria-label={t('workshop.results')} className="sl-workshop-tabs u-row u-wrap u-border-bottom">
        {TABS.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`workshop-tab-${one}`}
            aria-selected={tab === one}
            aria-controls="workshop-panel"
            tabIndex={tab === one ? 0 : -1}
            className="sl-workshop-tab u-bare u-pointer u-dim"
            data-testid={`tab-${one}`}
            onClick={() => useWorkshop.setState({ tab: one })}
            onKeyDown={(e) => {
              const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
              if (by === undefined) return;
              e.preventDefault();
              const to = TABS[(TABS.indexOf(one) + by + TABS.length) % TABS.length] as StageTab;
              useWorkshop.setState({ tab: to });
              document.getElementById(`workshop-tab-${to}`)?.focus();
            }}
          >
            {t(`workshop.tab.${one}`)}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id="workshop-panel"
        aria-labelledby={`workshop-tab-${tab}`}
        className="sl-workshop-panel u-grow"
      >
        {tab === 'examples' &&
          (judged && judged.examples.length > 0 ? (
            <ExamplesTab key={judged.code} stage={stage} found={judged.examples} />
          ) : (
            <p className="sl-empty">{t('workshop.notRun')}</p>
          ))}
        {tab === 'levels' && <LevelsTab stage={stage} judged={judged} />}
        {tab === 'steps' &&
          (recorded ? (
            <StepsTab stage={stage} recorded={recorded} stops={() => editor.current?.stops() ?? new Set()} />
          ) : (
            <p className="sl-empty">{t('workshop.notRecorded')}</p>
          ))}
        {tab === 'output' && (
          <OutputTab logs={recorded?.result.logs ?? []} goTo={(line) => editor.current?.goTo(line)} />
        )}
        {tab === 'reference' && <ReferenceTab stage={stage} />}
      </div>
    </div>
  );
}

/** The first problem with a line, for a mark in the editor. */
function problemOf({ examples, levels }: Judged): LineProblem | null {
  for (const difference of [...examples, ...levels.map((level) => level.difference)]) {
    if (difference?.problem) return difference.problem;
  }
  return null;
}

/** The verdict in a sentence. */
function sentence(t: Translate, judged: Judged | undefined, isRunning: boolean): string {
  const at = judged?.at;
  if (isRunning && at)
    return t('workshop.runningAt', { level: t(`workshop.level.${at.level}`), n: at.judged + 1, of: at.cases });
  if (isRunning) return t('workshop.running');
  const levels = judged?.levels ?? [];
  const failed = levels.find(({ state }) => state === 'failed');
  if (failed) return t('workshop.verdict.failed', { level: t(`workshop.level.${failed.level}`) });
  return levels.length > 0 ? t('workshop.verdict.passed') : '';
}
