import type { Speed } from '@syncloop/core/debug';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { SPEEDS, speedIndex, speedLabel } from './speeds.js';

function wordsOf(speed: Speed, t: ReturnType<typeof useT>): string {
  switch (speed.mode) {
    case 'steps':
      return t('transport.speed.steps', { n: speed.perSecond });
    case 'time':
      return speed.factor === 1 ? t('transport.speed.real') : t('transport.speed.time', { n: speed.factor });
    case 'follow':
      return t('transport.speed.followHelp');
    case 'max':
      return t('transport.speed.max');
  }
}

/** Sets how fast the run goes. */
export function SpeedSlider() {
  const t = useT();
  const speed = useSession((s) => s.run.speed);
  const text = speedLabel(speed) ?? t('transport.speed.follow');
  const words = wordsOf(speed, t);
  return (
    <label className="sl-speed u-row u-gap-8" title={`${t('transport.speed')}: ${words}`}>
      <span className="sl-visually-hidden">{t('transport.speed')}</span>
      <input
        type="range"
        min={0}
        max={SPEEDS.length - 1}
        step={1}
        value={speedIndex(speed)}
        aria-valuetext={words}
        data-testid="speed"
        onPointerUp={(e) => e.currentTarget.blur()}
        onChange={(e) => {
          const next = SPEEDS[Number(e.currentTarget.value)];
          if (next) runCommand('transport.setSpeed', next);
        }}
      />
      <output className="sl-speed-text sl-tabular u-nowrap u-time">{text}</output>
    </label>
  );
}
