import { defaultEra } from '@syncloop/core/kubelet';
import type { SteppedCall } from '@syncloop/core/trace';
import { memo } from 'react';
import { isMessageKey, useT } from '../../../i18n/index.js';
import { minorOf } from '../../../run/loop.js';
import { useSession } from '../../../run/session-store.js';
import { Selectable } from '../../../selection/selectable.js';
import { shortPod } from '../../../units/text.js';
import type { ExtraKey } from '../geometry/geometry-everything.js';
import { newestOf, type StepRow, stepRows } from '../parts/parts-steps.js';
import { ExtraBox } from './box.js';
import { useFacts } from './use-facts.js';

const HANDLERS = ['HandlePodAdditions', 'HandlePodUpdates', 'HandlePodReconcile', 'HandlePodRemoves'] as const;

interface StepsProps {
  readonly id: ExtraKey;
  /** The box shows the one whose steps were taken last. */
  readonly fns: readonly [SteppedCall, ...SteppedCall[]];
  readonly columns: 2 | 3;
}

/** The numbered steps of a call, and what each of them found. */
function Steps({ id, fns, columns }: StepsProps) {
  const t = useT();
  const minor = useSession((s) => minorOf(s.info?.era ?? defaultEra));
  const { fn, about, rows } = useFacts((facts, state) => {
    const taken = newestOf(facts.steps, fns);
    return {
      fn: taken?.fn ?? fns[0],
      about: [taken?.pod ? shortPod(taken.pod) : '', taken?.container ?? ''].filter(Boolean).join('/'),
      rows: stepRows(state, taken?.fn ?? fns[0], minor, taken),
    };
  });
  const taken = rows.some((r) => r.seq > 0);
  return (
    <ExtraBox
      id={id}
      dim={!taken}
      aside={
        <span className="sl-small sl-code u-clip">
          {fns.length > 1 && taken ? `${fn} ` : ''}
          {about}
        </span>
      }
    >
      <ol className="sl-checks sl-call-steps" data-columns={columns} aria-label={fn}>
        {rows.map((row) => (
          <Step key={row.n} row={row} />
        ))}
      </ol>
      {!taken && <p className="sl-small sl-quiet-text u-faint">{t(`all.${id}.none` as 'all.cleanups.none')}</p>}
    </ExtraBox>
  );
}

function Step({ row }: { readonly row: StepRow }) {
  const t = useT();
  const found = row.found
    .map(({ key, value }) => {
      const word = `all.found.${key}`;
      return `${isMessageKey(word) ? t(word) : key} ${value}`;
    })
    .join(' · ');
  const what = `all.step.${row.name}`;
  const title = [isMessageKey(what) ? t(what) : row.name, found].filter(Boolean).join('\n');
  return (
    <li className="u-line u-gap-6 u-target u-faint" data-done={row.seq > 0 || undefined}>
      <span className="sl-tabular">{row.n}</span>
      {row.seq > 0 ? (
        <Selectable selection={{ kind: 'record', seq: row.seq }} className="sl-link sl-code" title={title}>
          {row.name}
        </Selectable>
      ) : (
        <span className="sl-code" title={title}>
          {row.name}
        </span>
      )}
      <span className="sl-found u-clip" title={found}>
        {found}
      </span>
    </li>
  );
}

/** Housekeeping: what each of its steps found last. */
export const Cleanups = memo(function Cleanups() {
  return <Steps id="cleanups" fns={['HandlePodCleanups']} columns={3} />;
});

/** The handler that took in pods last. */
export const Handling = memo(function Handling() {
  return <Steps id="handling" fns={HANDLERS} columns={2} />;
});

/** The container that was started last, between the runtime's calls. */
export const Starting = memo(function Starting() {
  return <Steps id="starting" fns={['startContainer']} columns={2} />;
});
