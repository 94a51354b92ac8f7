/** Shows who else looks at this page's session, and what they do to it. */
import './pages.css';
import type { Company } from '@syncloop/core/debug';
import { useEffect, useRef, useState } from 'react';
import { type MessageKey, useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { Icon } from '../../ui/icons.js';

/** The last command of another page, in words that fit "another page …" and "this page …". */
const DEEDS: Readonly<Partial<Record<NonNullable<Company['moved']>['do'], MessageKey>>> = {
  pause: 'pages.did.pause',
  resume: 'pages.did.resume',
  step: 'pages.did.step',
  go: 'pages.did.go',
  rewind: 'pages.did.go',
  switch: 'pages.did.go',
  until: 'pages.did.resume',
  load: 'pages.did.load',
  restart: 'pages.did.load',
  apply: 'pages.did.change',
  delete: 'pages.did.change',
  kill: 'pages.did.change',
  act: 'pages.did.change',
  take: 'pages.did.choose',
  pick: 'pages.did.choose',
  choose: 'pages.did.choose',
  branch: 'pages.did.choose',
  explore: 'pages.did.explore',
};
export const actionOf = ({ do: what, back }: NonNullable<Company['moved']>): MessageKey =>
  back ? 'pages.did.back' : (DEEDS[what] ?? 'pages.did.move');

/** Shows in the header, while others look, how many pages there are; opens their dialog. */
export function PagesButton() {
  const t = useT();
  const pages = useSession((s) => s.company.pages);
  const said = useSaid(pages);
  return (
    <>
      <span role="status" className="sl-visually-hidden">
        {said}
      </span>
      {pages > 1 && (
        <button
          type="button"
          className="sl-button sl-quiet sl-pages"
          title={t('pages.look', { n: pages })}
          aria-label={t('pages.look', { n: pages })}
          data-testid="pages"
          onMouseDown={(e) => e.preventDefault()}
          onClick={() => useUI.setState({ dialog: 'pages' })}
        >
          <Icon name="pages" />
          <span className="sl-tabular">{pages}</span>
          <span className="sl-pages-word">{t('pages.word')}</span>
        </button>
      )}
    </>
  );
}

/** Returns text for screen readers: when another page comes, and when the last one goes. */
function useSaid(pages: number): string {
  const t = useT();
  const before = useRef(pages);
  const [alone, setAlone] = useState(false);
  useEffect(() => {
    setAlone(pages === 1 && before.current > 1);
    before.current = pages;
  }, [pages]);
  return pages > 1 ? t('pages.look', { n: pages }) : alone ? t('pages.alone') : '';
}

/** Shown next to the sentence: another page moved the run to its present position, or is running it. */
export function MovedByOther() {
  const t = useT();
  const moved = useSession((s) => s.company.moved);
  const text = moved?.by === 'other' ? t(actionOf(moved), { page: t('pages.other') }) : '';
  return (
    <span role="status" className="sl-moved-place u-flex u-min-width-0">
      {text !== '' && (
        <button
          type="button"
          className="sl-moved u-min-width-0 u-clip u-pad-0 u-bare u-pointer u-dim u-fs-1"
          title={text}
          data-testid="moved-by-other"
          onMouseDown={(e) => e.preventDefault()}
          onClick={() => useUI.setState({ dialog: 'pages' })}
        >
          {text}
        </button>
      )}
    </span>
  );
}
