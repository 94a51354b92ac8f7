import { useEffect, useId, useRef, useState } from 'react';
import { keyLabel } from '../../commands/hotkeys.js';
import { commandOf, isAvailable, runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { Check } from '../../ui/check/check.js';
import { CommandButton } from '../../ui/command-button.js';
import { Icon } from '../../ui/icons.js';
import { stepSubject } from './commands.js';
import { CALL_STEPS, GO_UNITS, type GoUnit, goTarget, type MenuStep, RECORD_STEPS } from './logic/stepping.js';
import { SpeedSlider } from './speed.js';
import { useTransport } from './transport-store.js';

const close = () => useTransport.setState({ menu: null });

/** The button of the other steps, with a panel that stays open, so that one can step on with it. */
export function StepsMenu() {
  const menu = useTransport((s) => s.menu);
  const box = useRef<HTMLDivElement>(null);
  const byPointer = useRef(false);
  useEffect(() => {
    if (menu === null) return;
    // A user who opened it with a key goes on in it; one who clicked keeps the page's keys.
    if (menu === 'steps' && !byPointer.current) box.current?.querySelector('input')?.focus();
    byPointer.current = false;
    const outside = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) close();
    };
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, [menu]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the panel wherever within the focus is
    <div
      className="sl-steps-menu u-relative"
      ref={box}
      onPointerDown={() => {
        byPointer.current = true;
      }}
      onKeyDown={(e) => {
        if (e.key !== 'Escape' || menu === null) return;
        e.preventDefault();
        e.stopPropagation();
        close();
        box.current?.querySelector('button')?.focus();
      }}
    >
      <CommandButton id="transport.steps" className="sl-icon-button" expanded={menu !== null} testId="other-steps">
        <Icon name="more" />
      </CommandButton>
      {menu !== null && <Panel />}
    </div>
  );
}

function Panel() {
  const t = useT();
  const rewind = useSession((s) => s.info?.capabilities.rewind ?? false);
  const choose = useSession((s) => s.info?.capabilities.choose ?? false);
  const speed = useSession((s) => s.info?.capabilities.speed ?? false);
  return (
    <section
      className="sl-steps-panel u-absolute u-scroll u-pad-10 u-border-strong u-round-6 u-raised u-shadow"
      aria-label={t('steps.title')}
      data-testid="steps-panel"
    >
      {speed && (
        <div className="sl-phone-only sl-menu-speed">
          <SpeedSlider />
        </div>
      )}
      <Limit />
      {choose && <AskMe />}
      <Steps title={t('steps.next')} units={RECORD_STEPS} decisions />
      <Steps title={t('steps.calls')} units={CALL_STEPS} />
      {rewind && <GoTo />}
    </section>
  );
}

function Limit() {
  const t = useT();
  const limited = useTransport((s) => s.limited);
  useUI((s) => s.selection);
  const name = useTrace(() => stepSubject()?.name ?? '');
  return (
    <Check checked={limited} onChange={() => runCommand('transport.limit')} testId="steps-limit">
      {name === '' ? t('steps.onlyNone') : t('steps.only', { name })}
    </Check>
  );
}

/** Lets the user decide in Go's place when several cases of a select are ready. */
function AskMe() {
  const t = useT();
  const asking = useSession((s) => s.asking);
  return (
    <Check checked={asking} onChange={() => runCommand('transport.ask')} testId="ask">
      {t('command.ask')}
    </Check>
  );
}

interface StepsProps {
  readonly title: string;
  readonly units: readonly MenuStep[];
  /** It has the scheduler's decisions, too, which are never limited to the selection. */
  readonly decisions?: boolean;
}
function Steps({ title, units, decisions = false }: StepsProps) {
  const t = useT();
  const rewind = useSession((s) => s.info?.capabilities.rewind ?? false);
  return (
    <fieldset className="sl-step-list u-pad-0 u-border-0">
      <legend className="u-pad-0 u-fs-1 u-faint">{title}</legend>
      {units.map((unit) => (
        <div key={unit} className="sl-step-row u-row u-gap-8">
          {rewind && <StepButton unit={unit} back />}
          <span className="sl-step-name u-row u-gap-8 u-grow u-text-center">{t(`steps.${unit}`)}</span>
          <StepButton unit={unit} />
        </div>
      ))}
      {decisions && (
        <div className="sl-step-row u-row u-gap-8">
          {rewind && (
            <CommandButton id="transport.backDecision" className="sl-icon-button sl-mirrored" testId="back-decision">
              <Icon name="step" />
            </CommandButton>
          )}
          <span className="sl-step-name u-row u-gap-8 u-grow u-text-center">
            {t('steps.decision')}
            <kbd>{keyLabel(commandOf('transport.stepDecision').keys?.[0] ?? '')}</kbd>
          </span>
          <CommandButton id="transport.stepDecision" className="sl-icon-button" testId="step-decision">
            <Icon name="step" />
          </CommandButton>
        </div>
      )}
    </fieldset>
  );
}

function StepButton({ unit, back = false }: { readonly unit: MenuStep; readonly back?: boolean }) {
  return (
    <CommandButton
      id={back ? `back.${unit}` : `step.${unit}`}
      className={back ? 'sl-icon-button sl-mirrored' : 'sl-icon-button'}
      testId={`${back ? 'back' : 'step'}-${unit}`}
    >
      <Icon name="step" />
    </CommandButton>
  );
}

function GoTo() {
  const t = useT();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const goShown = useTransport((s) => s.menu === 'go');
  const can = useSession(() => isAvailable('transport.go'));
  const [unit, setUnit] = useState<GoUnit>('time');
  const [text, setText] = useState('');
  const [bad, setBad] = useState(false);
  useEffect(() => {
    if (goShown) field.current?.focus();
  }, [goShown]);
  return (
    <form
      className="sl-go-to u-grid u-center u-gap-6 u-border-top"
      onSubmit={(e) => {
        e.preventDefault();
        const to = goTarget(unit, text);
        setBad(to === null);
        if (to) runCommand('transport.go', to);
        else field.current?.focus();
      }}
    >
      <label htmlFor={id}>{t('steps.goTo')}</label>
      <select
        className="sl-input u-min-width-0"
        aria-label={t('steps.goWhat')}
        value={unit}
        onChange={(e) => {
          setUnit(e.currentTarget.value as GoUnit);
          setBad(false);
        }}
      >
        {GO_UNITS.map((u) => (
          <option key={u} value={u}>
            {t(`steps.unit.${u}`)}
          </option>
        ))}
      </select>
      <input
        id={id}
        ref={field}
        className="sl-input u-min-width-0"
        inputMode={unit === 'time' ? 'text' : 'numeric'}
        placeholder={t(`steps.hint.${unit}`)}
        aria-invalid={bad}
        aria-describedby={bad ? `${id}-bad` : undefined}
        data-testid="go-to"
        value={text}
        onChange={(e) => {
          setText(e.currentTarget.value);
          setBad(false);
        }}
      />
      <button type="submit" className="sl-button" disabled={!can}>
        {t('steps.go')}
      </button>
      {bad && (
        <p id={`${id}-bad`} className="sl-small sl-bad" role="alert">
          {t(unit === 'time' ? 'steps.bad.time' : 'steps.bad.number')}
        </p>
      )}
    </form>
  );
}
