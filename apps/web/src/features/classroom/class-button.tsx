import { keyLabel } from '../../commands/hotkeys.js';
import { commandOf, isAvailable, type PlainCommandId, runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useClass } from './class-store.js';

interface Props {
  readonly id: PlainCommandId;
  readonly children: string;
  readonly className?: string;
  readonly testId?: string;
  /** It switches something on and off, and this is its state. */
  readonly pressed?: boolean;
}

/** A button that runs one of a class's commands, with its words and its key. */
export function ClassButton({ id, children, className = '', testId, pressed }: Props) {
  const t = useT();
  const available = useClass(() => isAvailable(id));
  const key = commandOf(id).keys?.[0];
  return (
    <button
      type="button"
      className={`sl-button ${className}`}
      aria-label={children}
      title={key ? `${t(commandOf(id).title)} (${keyLabel(key)})` : t(commandOf(id).title)}
      aria-pressed={pressed}
      disabled={!available}
      data-testid={testId}
      // A click must not move the focus: Space should go on meaning run and pause.
      onMouseDown={(e) => e.preventDefault()}
      onClick={() => runCommand(id)}
    >
      {children}
      {key && <kbd className="sl-class-key">{keyLabel(key)}</kbd>}
    </button>
  );
}
