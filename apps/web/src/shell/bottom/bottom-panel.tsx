import { Suspense, useEffect, useRef } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { Icon } from '../../ui/icons.js';
import { Loading } from '../../ui/loading.js';
import { Separator } from '../../ui/separator.js';
import { PHONE, useMedia } from '../../ui/use-media.js';
import { type BottomTab, registered, tabsFor } from '../registry.js';
import { Slot } from '../slot.js';

/**
 * The panel at the bottom: a strip of tabs, and the open one's body. On a phone the strip has the left panel's tabs
 * too, and what they open lies over the graph.
 */
export function BottomPanel() {
  const t = useT();
  const open = useUI((s) => s.bottom);
  const can = useSession((s) => s.info?.capabilities);
  const tab = tabsFor(registered('bottom'), can).find((x) => x.id === open);
  return (
    <section
      id="sl-bottom"
      className="sl-bottom u-relative u-border-top"
      data-open={tab !== undefined || undefined}
      aria-label={t('region.bottom')}
    >
      {tab && <Separator side="bottom" controls="sl-bottom-body" />}
      <div className="u-row">
        <Strip />
        {tab && (
          <div className="sl-bottom-bar u-row u-gap-8">
            {tab.filter && <Filter />}
            <button
              type="button"
              className="sl-button sl-quiet sl-icon-button"
              aria-label={t('panel.close', { name: t(tab.title) })}
              onClick={() => useUI.setState({ bottom: null })}
            >
              <Icon name="close" />
            </button>
          </div>
        )}
      </div>
      {tab && (
        <section
          id="sl-bottom-body"
          className="sl-bottom-body u-hidden-overflow u-border-top"
          aria-label={t(tab.title)}
        >
          <h2 className="sl-visually-hidden">{t(tab.title)}</h2>
          <Suspense fallback={<Loading />}>
            <Body tab={tab} />
          </Suspense>
        </section>
      )}
    </section>
  );
}

function Body({ tab }: { readonly tab: BottomTab }) {
  const filter = useUI((s) => s.filter);
  return <tab.Body key={tab.id} filter={filter} />;
}

/**
 * The tabs, as buttons that open and close; if they have no room, the strip scrolls, and the open one is brought into
 * sight.
 */
function Strip() {
  const t = useT();
  const open = useUI((s) => s.bottom);
  const left = useUI((s) => s.left);
  const can = useSession((s) => s.info?.capabilities);
  const phone = useMedia(PHONE);
  const strip = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is open is what moves it
  useEffect(() => {
    strip.current?.querySelector('[aria-expanded=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [open, left]);
  return (
    <div className="sl-tabs sl-tab-strip u-row u-gap-2 u-min-width-0" ref={strip}>
      {phone && (
        <>
          {tabsFor(registered('left'), can).map((tab) => (
            <button
              key={tab.id}
              type="button"
              className="sl-tab"
              aria-expanded={left === tab.id}
              onClick={() => runCommand(tab.command)}
              data-testid={`open-${tab.id}`}
            >
              {t(tab.title)}
            </button>
          ))}
          <Slot at="rail" props={{ tab: true }} />
          <span className="sl-tab-strip-line u-flex-none" aria-hidden="true" />
        </>
      )}
      {tabsFor(registered('bottom'), can)
        .filter((tab) => tab.opener === undefined || tab.id === open)
        .map((tab) => (
          <button
            key={tab.id}
            type="button"
            className="sl-tab"
            aria-expanded={open === tab.id}
            aria-controls={open === tab.id ? 'sl-bottom-body' : undefined}
            onClick={() => runCommand(tab.command)}
            data-testid={`tab-${tab.id}`}
          >
            {t(tab.title)}
          </button>
        ))}
    </div>
  );
}

function Filter() {
  const t = useT();
  const filter = useUI((s) => s.filter);
  return (
    <label className="sl-filter u-row u-gap-6 u-dim">
      <Icon name="search" />
      <span className="sl-visually-hidden">{t('records.filter')}</span>
      <input
        id="sl-filter"
        className="sl-input"
        type="search"
        placeholder={t('records.filter')}
        value={filter}
        onChange={(e) => useUI.setState({ filter: e.currentTarget.value })}
      />
    </label>
  );
}
