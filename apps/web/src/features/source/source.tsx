import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import type { Selection } from '../../page/ui-store.js';
import { here } from '../../run/here.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { useThrottled } from '../../run/use-throttled.js';
import { GoThere, RecordLink } from '../../selection/record-link.js';
import { CommandButton } from '../../ui/command-button.js';
import { stepName } from '../graph/index.js';
import { argsText } from '../inspector/logic/goroutine.js';
import { Code } from './code.js';
import { sourcePositionOf } from './logic/source-position.js';
import { sourcesOf } from './logic/sources-of.js';
import { type Look, lookAt } from './look.js';
import { selectionInSight, useSource } from './source-store.js';
import { BreakAt, Twin } from './twin.js';
import './source.css';
import { sources } from 'virtual:sources';

/**
 * Shows the running code: the open calls, the function of the innermost one with its present line marked, and its twin
 * in Kubernetes.
 */
export function Source({ selection: selected }: { readonly selection: Selection | null }) {
  const t = useT();
  const running = useSession((s) => s.run.running);
  const { held, picked, wide } = useSource();
  const era = useSession((s) => s.info?.era);
  const known = sourcesOf(sources, era);
  const moved = useSession(() => selectionInSight(selected) !== selected);
  const selection = moved ? null : selected;
  const look = useThrottled(
    (): Look => {
      const position = held ?? sourcePositionOf(trace.records, selection);
      return lookAt(known, trace.records, position, picked?.at === position.seq ? picked.call : 0);
    },
    JSON.stringify([selection, held?.seq, picked, era]),
    running ? 400 : 50,
  );
  const { position, call, marked } = look;
  const place = call ? known.index.functions[call.fn] : undefined;
  return (
    <div className="sl-code-tab u-column" data-wide={wide || undefined} data-testid="source">
      <div className="sl-source-tools u-row u-gap-4">
        <span className="sl-small u-grow u-clip u-mono">{position.goroutine}</span>
        <CommandButton id="source.follow" pressed={held === null} className="sl-quiet sl-source-tool u-pad-chip u-fs-1">
          {t('source.follow')}
        </CommandButton>
        <CommandButton
          id="source.wide"
          pressed={wide}
          className="sl-quiet sl-source-tool sl-source-widen u-pad-chip u-fs-1"
        >
          {t('source.wide')}
        </CommandButton>
      </div>
      {position.calls.length === 0 ? <p className="sl-empty">{t('source.none')}</p> : <Calls look={look} />}
      <Notes look={look} />
      {place && marked && (
        <>
          <div className="sl-source-head u-flex u-gap-6 u-border-top">
            <BreakAt fn={place.fn} />
            <div>
              <h3>
                <code>{place.fn}</code>
              </h3>
              {place.doc !== '' && (
                <p className="u-fs-2" lang="en">
                  {place.doc}
                </p>
              )}
              <Twin source={place} />
            </div>
          </div>
          <p className="sl-small sl-source-file u-row u-wrap u-pad-4">
            <code>
              {marked.file}
              {marked.line && `:${marked.line.from}`}
            </code>
            {marked.step && (
              <span className="sl-chip sl-source-step u-nowrap u-pad-tag u-border u-fs-1">
                {t('source.step', { name: stepName(t, marked.step.name) })}
              </span>
            )}
            {marked.line && marked.act > 0 && (
              <span>
                {t('source.line', { n: marked.line.from })} <RecordLink seq={marked.act} /> <GoThere seq={marked.act} />
              </span>
            )}
          </p>
          <Code index={known.index} text={known.texts[marked.file] ?? ''} marked={marked} fn={place.fn} />
        </>
      )}
    </div>
  );
}

/** The open calls as a path; each shows its own source. */
function Calls({ look }: { readonly look: Look }) {
  const t = useT();
  const { calls } = look.position;
  return (
    <nav aria-label={t('source.calls')}>
      <ol className="sl-crumbs u-flex u-wrap">
        {calls.map((c) => (
          <li className="u-row" key={c.seq}>
            <button
              type="button"
              className="sl-crumb u-target u-bare u-round u-pointer u-fs-2 u-dim"
              title={argsText(c.args)}
              aria-current={c.seq === look.call?.seq ? 'true' : undefined}
              onMouseDown={(e) => e.preventDefault()}
              onClick={() => runCommand('source.call', c.seq)}
            >
              <code>{c.fn}</code>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Explains what is not as one would expect. */
function Notes({ look }: { readonly look: Look }) {
  const t = useT();
  const { position, missing, call } = look;
  const asked = useSource((s) => s.held) ? 0 : (here()?.seq ?? 0);
  return (
    <>
      {position.earlier && <p className="sl-small sl-pad">{t('source.earlier', { seq: asked })}</p>}
      {position.cut && <p className="sl-small sl-pad">{t('source.cut')}</p>}
      {missing !== '' && (
        <p className="sl-small sl-pad">
          {t('source.unknown', { fn: missing })} {call && t('source.unknownShown', { caller: call.fn })}
        </p>
      )}
    </>
  );
}
