import { useEffect, useState } from 'react';
import { isAvailable, runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { inThePast, useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';

interface Runnable {
  readonly id: number;
  readonly name: string;
}
/** In the past the run is executed again for the answer: not for each of many steps in a row. */
const WAIT_MILLIS = 250;

/** The goroutines that could go next; it asks only while it is open and nothing runs. */
export function WhoGoesNext({ startsOpen = false }: { readonly startsOpen?: boolean }) {
  const t = useT();
  const [open, setOpen] = useState(startsOpen);
  const can = useSession(() => isAvailable('branch.pick'));
  if (!can) return null;
  return (
    <details className="sl-next-list sl-small-buttons" open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary className="u-pointer" data-testid="who-goes-next">
        {t('branches.next')}
      </summary>
      {open && <List />}
    </details>
  );
}

function List() {
  const t = useT();
  const running = useSession((s) => s.run.running);
  const past = useSession((s) => inThePast(s.run));
  const asked = useSession((s) => s.run.choice !== null);
  const place = useSession(({ info, run }) => `${info?.id} ${run.branch} ${run.steps} ${run.seq}`);
  const [found, setFound] = useState<{ place: string; list: readonly Runnable[]; error: string } | null>(null);
  useEffect(() => {
    if (running) return;
    let over = false;
    const timer = setTimeout(() => {
      session
        .command({ do: 'runnable' })
        .then(
          (list) => ({ place, list, error: '' }),
          (error: unknown) => ({ place, list: [], error: error instanceof Error ? error.message : String(error) }),
        )
        .then((next) => {
          if (!over) setFound(next);
        });
    }, WAIT_MILLIS);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [running, place]);
  if (running) return <p className="sl-small">{t('branches.nextRunning')}</p>;
  if (!found) return null;
  if (found.error !== '') return <p className="sl-error u-break u-failure">{found.error}</p>;
  if (found.list.length < 2) return <p className="sl-small">{t('branches.nextNone')}</p>;
  return (
    <>
      <p className="sl-small">
        {t('branches.nextHelp')} {past && t('branches.nextPast')}
      </p>
      <ol>
        {found.list.map(({ id, name }, i) => (
          <li key={id} className="sl-row">
            <button
              type="button"
              className="sl-link sl-code"
              onClick={() => runCommand('view.select', { kind: 'goroutine', id })}
            >
              {name}
            </button>
            {i === 0 ? (
              <span className="sl-small">{t('branches.nextFirst')}</span>
            ) : (
              <button
                type="button"
                className="sl-button"
                disabled={asked || found.place !== place}
                aria-label={t('branches.firstOf', { name })}
                onClick={() => runCommand('branch.pick', { id })}
              >
                {t('branches.first')}
              </button>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
