import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { SPEEDS, speedIndex, speedLabel } from './speeds.js';

/** How fast it runs. */
export function SpeedSlider() {
  const t = useT();
  const speed = useSession((s) => s.run.speed);
  const { text } = speedLabel(speed);
  const words =
    speed.mode === 'steps'
      ? t('transport.speed.steps', { n: speed.perSecond })
      : speed.mode === 'time'
        ? t('transport.speed.time', { n: speed.factor })
        : t('transport.speed.max');
  return (
    <label className="sl-speed" title={`${t('transport.speed')}: ${words}`}>
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
      <output className="sl-speed-text sl-tabular">{text}</output>
    </label>
  );
}
