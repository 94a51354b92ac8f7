import type { ReactNode } from 'react';
import { keyLabel } from '../commands/hotkeys.js';
import { commandOf, isAvailable, type PlainCommandId, runCommand } from '../commands/index.js';
import { useT } from '../i18n/index.js';
import { useUI } from '../page/ui-store.js';
import { useSession } from '../run/session-store.js';

interface Props {
  readonly id: PlainCommandId;
  readonly children?: ReactNode;
  /** A state that is on or off. */
  readonly pressed?: boolean;
  readonly expanded?: boolean;
  readonly className?: string;
  readonly label?: string;
  readonly testId?: string;
}

/** A button that runs a command: its name, its key in the tooltip, disabled while the command can do nothing. */
export function CommandButton({ id, children, pressed, expanded, className = '', label, testId }: Props) {
  const t = useT();
  // Availability may hang on either store.
  const available = useSession(() => isAvailable(id));
  useUI((s) => s.selection);
  const { title, keys } = commandOf(id);
  const full = label ?? t(title);
  // A user of voice control says the text on the button: its name has to begin with that.
  const name = typeof children !== 'string' || full.includes(children) ? full : `${children}: ${full}`;
  return (
    <button
      type="button"
      className={`sl-button ${className}`}
      aria-label={name}
      title={keys?.[0] ? `${name} (${keyLabel(keys[0])})` : name}
      aria-pressed={pressed}
      aria-expanded={expanded}
      disabled={!available}
      data-testid={testId}
      // A click must not move the focus: Space should go on meaning run and pause.
      onMouseDown={(e) => e.preventDefault()}
      onClick={() => runCommand(id)}
    >
      {children ?? name}
    </button>
  );
}
