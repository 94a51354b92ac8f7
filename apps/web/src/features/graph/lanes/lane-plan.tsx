import { type Translate, useT } from '../../../i18n/index.js';
import type { PodPlan } from './logic/lanes-plan.js';

const SIGN = { keep: '=', create: '+', replace: '±', kill: '−', none: '–' } as const;

function sandboxText(t: Translate, plan: PodPlan): string {
  switch (plan.sandbox) {
    case 'keep':
      return t('lanes.plan.keep');
    case 'create':
      return t('lanes.plan.create', { n: plan.attempt });
    case 'replace':
      return t('lanes.plan.replace', { n: plan.attempt });
    case 'kill':
      return t('lanes.plan.killPod');
    case 'none':
      return t('lanes.plan.noneSandbox');
  }
}

/**
 * Shows the result of computePodActions as a table: a question to a row. `short`: only the rows that have an answer.
 */
export function PlanTable({ plan, short }: { readonly plan: PodPlan | null; readonly short: boolean }) {
  const t = useT();
  if (!plan) return <p className="sl-plan-none u-fs-1 u-faint">{t('lane.actionsBefore')}</p>;
  const starts = [
    ['init', plan.init],
    ['start', plan.start],
    ['ephemeral', plan.ephemeral],
    ['resize', plan.resize],
  ] as const;
  const always = (key: string) => !short && (key === 'init' || key === 'start');
  return (
    <dl>
      <PlanRow
        label={t('lanes.plan.sandbox')}
        sign={SIGN[plan.sandbox]}
        some={plan.sandbox !== 'keep' && plan.sandbox !== 'none'}
      >
        {sandboxText(t, plan)}
      </PlanRow>
      {(plan.kill.length > 0 || !short) && (
        <PlanRow label={t('lanes.plan.kill')} sign="−" some={plan.kill.length > 0}>
          {plan.kill.map((k) => (
            <span key={k.name} className="sl-plan-item" title={k.reason}>
              {k.name}
              {k.reason && <span className="u-weight-400 u-dim">: {k.reason}</span>}
            </span>
          ))}
        </PlanRow>
      )}
      {starts.map(
        ([key, names]) =>
          (names.length > 0 || always(key)) && (
            <PlanRow key={key} label={t(`lanes.plan.${key}`)} sign="+" some={names.length > 0}>
              {names.join(' ')}
            </PlanRow>
          ),
      )}
    </dl>
  );
}

function PlanRow({
  label,
  sign,
  some,
  children,
}: {
  readonly label: string;
  readonly sign: string;
  readonly some: boolean;
  readonly children: React.ReactNode;
}) {
  return (
    <div className="sl-plan-row u-grid u-fs-1 u-faint" data-some={some || undefined}>
      <dt>{label}</dt>
      <dd className="u-clip">
        {some ? (
          <>
            <span aria-hidden="true">{sign} </span>
            {children}
          </>
        ) : sign === '=' ? (
          children
        ) : (
          '–'
        )}
      </dd>
    </div>
  );
}
