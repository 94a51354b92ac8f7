import { type EraVersion, eraVersions } from '@syncloop/core/kubelet';
import { useId } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { useLessons } from '../lessons/lessons-store.js';
import { eraOf, fixedBecause, hasEras } from './eras.js';
import { useEras } from './eras-store.js';
import './era-choice.css';

/** Shows, in the header or inline, the version of the kubelet that runs. */
export function EraChoice() {
  const t = useT();
  const why = useId();
  const offered = useSession(hasEras);
  const era = useSession(eraOf);
  const known = useSession((s) => s.info?.era !== undefined);
  const lesson = useLessons((s) => (s.where === 'left' ? null : s.lesson));
  const exploring = useSession((s) => s.run.exploring !== undefined);
  const choosing = useEras((s) => s.choosing);
  // The hooks above update it when its inputs change.
  const fixed = lesson || exploring || !offered ? fixedBecause() : '';
  if (!offered)
    return known ? (
      <span
        className="sl-era u-inline-flex u-center u-flex-none u-pad-tag u-border u-round u-fs-1 u-dim"
        title={fixed}
        data-testid="era-fixed"
      >
        {era}
      </span>
    ) : null;
  const help = choosing ? t('eras.choosing', { era: choosing }) : fixed || t('eras.choiceHelp');
  return (
    <span
      className="sl-era u-inline-flex u-center u-flex-none"
      title={`${t('eras.choice')}. ${help}`}
      data-busy={choosing !== null || undefined}
    >
      <select
        className="sl-input sl-era-select"
        aria-label={t('eras.choice')}
        aria-describedby={why}
        aria-busy={choosing !== null}
        value={choosing ?? era}
        disabled={fixed !== '' || choosing !== null}
        data-testid="era"
        onChange={(e) => runCommand('era.choose', e.currentTarget.value as EraVersion)}
      >
        {eraVersions.map((version) => (
          <option key={version} value={version}>
            {version}
          </option>
        ))}
      </select>
      <span id={why} className="sl-visually-hidden" role={choosing ? 'status' : undefined}>
        {help}
      </span>
    </span>
  );
}
