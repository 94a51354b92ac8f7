import type { Answer, Finding, WhyLink } from '@syncloop/core/debug/why';
import { useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { trace } from '../../run/trace-store.js';
import { GoThere, RecordLink } from '../../selection/record-link.js';
import { duration } from '../../units/text.js';
import { type Rung, rungsOf, tellingValues } from './logic/why.js';
import { RoleIcon } from './role-icon.js';
import { Inline, ValueTree } from './value-tree.js';

const MOST = 40;

/** Shows the links of an answer, from the first cause down to the subject. */
export function Chain({ answer }: { readonly answer: Answer }) {
  const t = useT();
  const [most, setMost] = useState(MOST);
  const rungs = rungsOf(answer);
  // A very long chain shows its end first, which is closest to the record in question.
  const first = Math.max(0, rungs.length - most);
  return (
    <>
      {answer.cutOff !== undefined && <p className="sl-cut sl-small">{t('why.cutOff', { seq: answer.cutOff + 1 })}</p>}
      {first > 0 && (
        <div className="sl-pad">
          <button type="button" className="sl-button sl-quiet" onClick={() => setMost(most + 200)}>
            {t('inspector.more', { n: first })}
          </button>
        </div>
      )}
      <ol className="sl-chain" data-testid="why-chain">
        {rungs.slice(first).map((rung) => (
          <RungItem key={rung.link.seq} rung={rung} subject={answer.subject} />
        ))}
      </ol>
    </>
  );
}

function RungItem({ rung, subject }: { readonly rung: Rung; readonly subject: number }) {
  const { link, sides, also, after } = rung;
  return (
    <>
      {sides.map((side, i) => (
        <li
          key={side.link.seq}
          className="sl-rung sl-rung-side u-grid u-relative"
          data-root={side.link.root || undefined}
          data-deep={side.depth > 1 || undefined}
        >
          <LinkBody link={side.link} side={i === 0} />
        </li>
      ))}
      <li
        className="sl-rung u-grid u-relative"
        data-root={link.root || undefined}
        data-subject={link.seq === subject || undefined}
      >
        <LinkBody link={link} after={after} also={also} subject={link.seq === subject} />
      </li>
    </>
  );
}

interface LinkBodyProps {
  readonly link: WhyLink;
  readonly side?: boolean;
  readonly subject?: boolean;
  readonly after?: number;
  readonly also?: readonly number[];
}

function LinkBody({ link, side, subject, after = 0, also = [] }: LinkBodyProps) {
  const t = useT();
  const zh = useUI((s) => s.lang === 'zh-CN');
  return (
    <>
      <RoleIcon role={link.role} />
      <div className="u-min-width-0 u-break">
        {side && <span className="sl-chip u-nowrap u-pad-tag u-border u-fs-1">{t('why.sides')}</span>}
        <button
          type="button"
          className="sl-rung-text u-target u-bare u-pointer u-text-left"
          onClick={() => runCommand('view.select', { kind: 'record', seq: link.seq })}
        >
          {zh ? link.text.zh : link.text.en}
        </button>
        <div className="sl-rung-meta u-row u-wrap u-fs-1 u-tabular u-faint">
          <RecordLink seq={link.seq} time={link.time} />
          {after >= 1000 && <span>{t('why.after', { t: duration(after) })}</span>}
          {link.root && (
            <span className="sl-chip u-nowrap u-pad-tag u-border u-fs-1" data-root>
              {t('why.root')}: {t(`role.${link.role}`)}
            </span>
          )}
          {subject && <span className="sl-chip u-nowrap u-pad-tag u-border u-fs-1">{t('why.subject')}</span>}
          <GoThere seq={link.seq} />
        </div>
        {also.length > 0 && (
          <p className="sl-small">{t('why.also', { list: also.map((seq) => `#${seq}`).join(', ') })}</p>
        )}
        {link.missing !== undefined && <p className="sl-small">{t('why.missing', { seq: link.missing })}</p>}
        <Rule
          rule={link.rule ?? ''}
          verdict={link.verdict ?? ''}
          values={link.values}
          note={zh ? link.note?.zh : link.note?.en}
          upstream={link.upstream ?? ''}
        />
      </div>
    </>
  );
}

interface RuleProps {
  readonly rule: string;
  readonly verdict?: string;
  readonly values: WhyLink['values'];
  readonly note?: string | undefined;
  readonly upstream?: string;
}

/** Shows the rule that was applied, folded: for those who want to see its values. */
function Rule({ rule, verdict = '', values, note = '', upstream = '' }: RuleProps) {
  const telling = tellingValues(values);
  const some = Object.keys(telling).length > 0;
  if (rule === '')
    return (
      <>
        {some && (
          <p className="sl-small sl-inline-values u-flex u-wrap">
            {Object.entries(telling).map(([key, v]) => (
              <span key={key}>
                {key} <Inline name={key} value={v} />
              </span>
            ))}
          </p>
        )}
        {note !== '' && <p className="sl-small">{note}</p>}
      </>
    );
  return (
    <details className="sl-rule u-fs-1">
      <summary className="u-pointer u-dim">
        <code>{rule}</code>
        {verdict !== '' && <span> → {verdict}</span>}
      </summary>
      {note !== '' && <p className="sl-small">{note}</p>}
      {some && <ValueTree value={telling} />}
      {upstream !== '' && <p className="sl-small u-mono">{upstream}</p>}
    </details>
  );
}

/** Shows why it is not so: the reasons, the decisive one first. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  const t = useT();
  const zh = useUI((s) => s.lang === 'zh-CN');
  return (
    <>
      <p className="sl-small sl-pad">{t(findings.length === 1 ? 'why.finding1' : 'why.findings')}</p>
      <ol className="sl-why-findings" data-testid="why-findings">
        {findings.map((f, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two findings may have the same code and no record
          <li key={`${f.code} ${f.seq} ${i}`}>
            <p>{zh ? f.text.zh : f.text.en}</p>
            <div className="sl-rung-meta u-row u-wrap u-fs-1 u-tabular u-faint">
              {f.seq > 0 && (
                <>
                  <RecordLink seq={f.seq} time={trace.records.get(f.seq)?.time} />
                  <GoThere seq={f.seq} />
                </>
              )}
            </div>
            <Rule rule={f.rule ?? ''} values={f.values} />
          </li>
        ))}
      </ol>
    </>
  );
}
