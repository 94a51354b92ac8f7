import { Fragment, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { keyLabel } from '../commands/hotkeys.js';
import { commandOf, isAvailable, runCommand } from '../commands/index.js';
import { useT } from '../i18n/index.js';
import { useUI } from '../page/ui-store.js';
import { useSession } from '../run/session-store.js';
import { Icon } from './icons.js';
import { type MenuGroup, type MenuItem, nextItem } from './menu-logic.js';

interface Props {
  readonly groups: readonly MenuGroup[];
  readonly label: string;
  readonly children: ReactNode;
  readonly testId: string;
  readonly className?: string;
  /** The side of the button that the menu lines up with. */
  readonly align?: 'start' | 'end';
}

/**
 * A button with a menu of commands, as WAI-ARIA has it: Enter, Space or ↓ open it, arrows, Home, End and first letters
 * move in it, Escape and Tab close it, and the focus goes back to the button. A user who opened it with a pointer keeps
 * the page's keys.
 */
export function MenuButton({ groups, label, children, testId, className = '', align = 'start' }: Props) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const byPointer = useRef(false);
  /** null: closed. */
  const [open, setOpen] = useState<'first' | 'last' | null>(null);
  const items = () => [...(box.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];
  const close = (back: boolean) => {
    setOpen(null);
    if (back && !byPointer.current) box.current?.querySelector('button')?.focus();
  };
  useLayoutEffect(() => {
    if (open === null) return;
    const all = [...(box.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];
    (open === 'last' ? all.at(-1) : all[0])?.focus();
  }, [open]);
  useEffect(() => {
    if (open === null) return;
    const outside = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) setOpen(null);
    };
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, [open]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the menu, wherever within it the focus is
    <div
      ref={box}
      className="sl-menu-box u-relative"
      onKeyDown={(e) => {
        byPointer.current = false;
        if (e.ctrlKey || e.metaKey || e.altKey) return;
        if (open === null) {
          if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp') return;
          setOpen(e.key === 'ArrowUp' ? 'last' : 'first');
        } else if (e.key === 'Escape') close(true);
        else if (e.key === 'Tab') {
          setOpen(null);
          return;
        } else {
          const all = items();
          const to = nextItem(
            all.map((item) => item.textContent ?? ''),
            all.indexOf(document.activeElement as HTMLElement),
            e.key,
          );
          if (to === null) return;
          all[to]?.focus();
        }
        e.preventDefault();
        e.stopPropagation();
      }}
    >
      <button
        type="button"
        className={`sl-button ${className}`}
        aria-haspopup="menu"
        aria-expanded={open !== null}
        aria-controls={open === null ? undefined : id}
        aria-label={label}
        title={label}
        data-testid={testId}
        onMouseDown={(e) => {
          byPointer.current = true;
          e.preventDefault();
        }}
        onClick={(e) => {
          if (e.detail === 0) byPointer.current = false;
          setOpen(open === null ? 'first' : null);
        }}
      >
        {children}
      </button>
      {open !== null && (
        <div
          id={id}
          role="menu"
          aria-label={label}
          className="sl-menu u-absolute u-scroll u-border-strong u-round-6 u-raised u-shadow"
          data-align={align}
        >
          <Groups
            groups={groups}
            onDone={() => {
              if (byPointer.current) (document.activeElement as HTMLElement | null)?.blur();
              close(true);
            }}
          />
        </div>
      )}
    </div>
  );
}

function Groups({ groups, onDone }: { readonly groups: readonly MenuGroup[]; readonly onDone: () => void }) {
  const t = useT();
  // Availability depends on both stores; the menu follows their changes.
  useSession((s) => s.run);
  useUI();
  const shown = groups
    .map((group) => ({ ...group, items: group.items.filter((item) => !item.when || item.when()) }))
    .filter(({ items }) => items.length > 0);
  return shown.map((group, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: groups have no other identity
    <Fragment key={i}>
      {i > 0 && <hr className="sl-menu-line u-border-0" />}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a menu */}
      <div role="group" aria-label={group.title && t(group.title)}>
        {group.title && (
          <p className="sl-menu-title u-fs-1 u-faint" aria-hidden="true">
            {t(group.title)}
          </p>
        )}
        {group.items.map((item) => (
          <Item key={item.id} item={item} onDone={onDone} />
        ))}
      </div>
    </Fragment>
  ));
}

function Item({ item, onDone }: { readonly item: MenuItem; readonly onDone: () => void }) {
  const t = useT();
  const { title, keys, hint } = commandOf(item.id);
  const available = isAvailable(item.id);
  const why = available ? null : (hint?.() ?? null);
  const checked = item.checked?.();
  const role = checked === undefined ? 'menuitem' : item.radio ? 'menuitemradio' : 'menuitemcheckbox';
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: aria-checked is there for the roles that have it
    // biome-ignore lint/a11y/noStaticElementInteractions: its role is one of a menu's items
    <div
      role={role}
      tabIndex={-1}
      className="sl-menu-item u-row u-gap-6 u-height-28 u-pointer"
      aria-disabled={!available || undefined}
      aria-checked={checked}
      title={why === null ? undefined : t(why)}
      data-testid={`item-${item.id}`}
      onMouseMove={(e) => e.currentTarget.focus({ preventScroll: true })}
      onClick={() => {
        if (!available) return;
        onDone();
        runCommand(item.id);
      }}
      onKeyDown={(e) => {
        if (e.key === 'Enter' || e.key === ' ') {
          e.preventDefault();
          e.stopPropagation();
          e.currentTarget.click();
        }
      }}
    >
      <span className="sl-menu-check u-flex-none">{checked && <Icon name="check" />}</span>
      <span className="u-grow">{t(item.title ?? title)}</span>
      {keys?.[0] && <kbd className="u-flex-none">{keyLabel(keys[0])}</kbd>}
    </div>
  );
}
