import { memo } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { wallTime } from '../../run/wall-time.js';
import { CommandButton } from '../../ui/command-button.js';
import { Die } from '../../ui/die.js';
import { Icon } from '../../ui/icons.js';
import { seconds } from '../../units/text.js';
import { useGoing } from './transport-store.js';
import './transport.css';
import { useHint } from '../narrator/use-hint.js';
import { HitNotice, KnownEnd, ToEnd } from './run-status.js';
import { SpeedSlider } from './speed.js';
import { StepsMenu } from './steps-menu.js';

/** Run, step, speed, clock; and why the run stands still. */
export function Transport() {
  const t = useT();
  const control = useSession((s) => s.info?.capabilities.control ?? false);
  const speed = useSession((s) => s.info?.capabilities.speed ?? false);
  const rewind = useSession((s) => s.info?.capabilities.rewind ?? false);
  const going = useGoing();
  const running = useSession((s) => s.run.running) || going;
  const hint = useHint();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      className="sl-transport u-row"
      role="group"
      aria-label={t('transport.title')}
      id="transport"
      data-testid="transport"
    >
      {control && (
        <div className="sl-group">
          <CommandButton id="transport.restart" className="sl-icon-button sl-wide-only">
            <Icon name="restart" />
          </CommandButton>
          {rewind && (
            <>
              <CommandButton id="transport.backIteration" className="sl-icon-button sl-mirrored sl-wide-only">
                <Icon name="iteration" />
              </CommandButton>
              <CommandButton
                id="transport.backMilestone"
                className={`sl-icon-button sl-mirrored ${hint === 'back' ? 'sl-suggested' : ''}`}
                testId="back"
              >
                <Icon name="step" />
              </CommandButton>
            </>
          )}
          <CommandButton
            id="transport.toggle"
            className="sl-icon-button sl-primary"
            label={t(running ? 'command.pause' : 'command.run')}
            testId="toggle"
          >
            <Icon name={running ? 'pause' : 'run'} />
          </CommandButton>
          <CommandButton
            id="transport.stepMilestone"
            className={`sl-icon-button ${hint === 'step' ? 'sl-suggested' : ''}`}
            testId="step"
          >
            <Icon name="step" />
          </CommandButton>
          <CommandButton id="transport.stepIteration" className="sl-icon-button" testId="step-iteration">
            <Icon name="iteration" />
          </CommandButton>
          <StepsMenu />
        </div>
      )}
      {speed && (
        <div className="sl-wide-only">
          <SpeedSlider />
        </div>
      )}
      <VirtualClock />
      {rewind && <ToEnd />}
    </div>
  );
}

const VirtualClock = memo(function VirtualClock() {
  const t = useT();
  const time = useTrace((_, c) => c.time);
  const steps = useSession((s) => s.run.steps);
  const epoch = useSession((s) => s.info?.epochMillis ?? 0);
  const virtual = useSession((s) => s.info?.virtual ?? true);
  const wall = new Date(epoch + time / 1000);
  useUI((s) => s.clock);
  const asLogged = useSession(({ info }) =>
    info?.capabilities.observed || info?.capabilities.twin ? wallTime(info, time) : '',
  );
  return (
    <div className="sl-clocks u-line u-gap-12 u-nowrap" data-testid="clock">
      <span
        className="sl-time u-weight-600 u-text-right u-time"
        title={`${t(virtual ? 'transport.clock' : 'transport.clockReal')}: ${Number.isNaN(wall.getTime()) ? '' : wall.toISOString()}`}
      >
        {t('time.s', { n: seconds(time) })}
      </span>
      <span className="sl-clock-notes u-column u-fs-1">
        {asLogged !== '' && (
          <span className="sl-tabular" data-testid="wall-time">
            {asLogged}
          </span>
        )}
        <KnownEnd />
        <span className="sl-steps u-fs-1 u-dim" title={t('transport.decisionHelp')}>
          {t('transport.decision')} <span className="sl-tabular">{steps}</span>
        </span>
      </span>
    </div>
  );
});

/** Asks which case a select takes, when the user wants to be asked. */
export function ChoicePopover() {
  const t = useT();
  const choice = useSession((s) => s.run.choice);
  const can = useSession((s) => s.info?.capabilities.choose ?? false);
  if (!choice || !can) return null;
  return (
    <div
      className="sl-choice u-absolute u-round u-raised u-shadow"
      role="dialog"
      aria-label={t(choice.kind === 'select' ? 'transport.choose' : 'transport.chooseGoroutine')}
      data-testid="choice"
    >
      <p className="u-row u-gap-8">
        <Die n={choice.options.length} />{' '}
        {t(choice.kind === 'select' ? 'transport.choose' : 'transport.chooseGoroutine')}
      </p>
      <div className="sl-group">
        {choice.options.map((option, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the position is what is chosen
          <button type="button" key={i} className="sl-button sl-code" onClick={() => runCommand('transport.choose', i)}>
            {option}
          </button>
        ))}
      </div>
    </div>
  );
}

/** Explains why the run stands still when nobody paused it, and the way out: an end, a panic, a breakpoint. */
export function StoppedBar() {
  const t = useT();
  const stopped = useSession((s) => s.run.stopped);
  if (stopped === '') return <HitNotice />;
  return (
    <div className="sl-stopped u-absolute u-round u-raised u-shadow" role="alert" data-testid="stopped">
      <p>
        {t('transport.stopped')} {stopped}
      </p>
      <div className="sl-group">
        <CommandButton id="transport.backMilestone" />
        <CommandButton id="transport.restart" />
      </div>
    </div>
  );
}
