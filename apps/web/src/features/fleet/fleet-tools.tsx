import { aheadOf, type FleetStory, type Lane } from '@syncloop/observe/fleet';
import { useT } from '../../i18n/index.js';
import { useFleet } from './fleet-store.js';
import { type LaneFilter, type Span, sorts, zoomed } from './logic/lanes-shown.js';

const STATES = ['all', 'wrong', 'calm', 'unread'] as const;

export const allOf = ({ from, to }: Pick<FleetStory, 'from' | 'to'>): Span => ({ from: from ?? 0, to: to ?? 1 });

/** Zooms around the selected incident, or the middle of what is shown. */
export function zoom(story: FleetStory, factor: number): void {
  const { span, node, incident } = useFleet.getState();
  const all = allOf(story);
  const now = span ?? all;
  const one = story.nodes.find(({ name }) => name === node);
  const begin = incident === null ? undefined : one?.incidents[incident]?.begin;
  const at = one && begin !== undefined ? begin - aheadOf(one) : (now.from + now.to) / 2;
  const inside = at >= now.from && at <= now.to ? at : (now.from + now.to) / 2;
  const next = zoomed(now, factor, inside, all);
  useFleet.setState({ span: next.from <= all.from && next.to >= all.to ? null : next });
}

interface Props {
  readonly lanes: readonly Lane[];
  readonly shown: number;
  readonly story: FleetStory;
}

/** Search, filter, order and zoom. */
export function FleetTools({ lanes, shown, story }: Props) {
  const t = useT();
  const { search, filter, sort, span } = useFleet();
  const wrong = lanes.filter(({ bars }) => bars.length > 0).length;
  const unread = lanes.filter(({ node }) => node.problem !== '').length;
  const counts = { all: lanes.length, wrong, calm: lanes.length - wrong - unread, unread };
  const chosen = (value: string): LaneFilter =>
    STATES.find((state) => state === value) ?? Number(value.replace('cause-', ''));
  return (
    <div className="sl-fleet-tools u-row u-wrap u-gap-8 u-border-bottom">
      <input
        type="search"
        className="sl-input"
        placeholder={t('fleet.search')}
        aria-label={t('fleet.search')}
        value={search}
        onChange={(event) => useFleet.setState({ search: event.target.value })}
        data-testid="fleet-search"
      />
      <label className="u-row u-gap-4">
        <span className="sl-small u-dim">{t('fleet.filter')}</span>
        <select
          className="sl-input"
          value={typeof filter === 'number' ? `cause-${filter}` : filter}
          onChange={(event) => useFleet.setState({ filter: chosen(event.target.value) })}
          data-testid="fleet-filter"
        >
          {STATES.map((state) => (
            <option key={state} value={state}>
              {t(`fleet.filter.${state}`, { n: counts[state] })}
            </option>
          ))}
          {story.causes.map(({ rule, key, from, nodes }, i) => (
            <option key={`${rule} ${key} ${from}`} value={`cause-${i}`}>
              {t('fleet.filter.cause', { n: i + 1 })} ({nodes.length})
            </option>
          ))}
        </select>
      </label>
      <label className="u-row u-gap-4">
        <span className="sl-small u-dim">{t('fleet.sort')}</span>
        <select
          className="sl-input"
          value={sort}
          onChange={(event) => useFleet.setState({ sort: sorts.find((one) => one === event.target.value) ?? 'name' })}
          data-testid="fleet-sort"
        >
          {sorts.map((one) => (
            <option key={one} value={one}>
              {t(`fleet.sort.${one}`)}
            </option>
          ))}
        </select>
      </label>
      <span className="u-row u-gap-4">
        <button
          type="button"
          className="sl-button u-target"
          aria-label={t('fleet.zoomIn')}
          title={t('fleet.zoomIn')}
          onClick={() => zoom(story, 0.5)}
        >
          +
        </button>
        <button
          type="button"
          className="sl-button u-target"
          aria-label={t('fleet.zoomOut')}
          title={t('fleet.zoomOut')}
          disabled={span === null}
          onClick={() => zoom(story, 2)}
        >
          −
        </button>
        <button
          type="button"
          className="sl-button u-target"
          disabled={span === null}
          onClick={() => useFleet.setState({ span: null })}
        >
          {t('fleet.zoomAll')}
        </button>
      </span>
      <span className="sl-small u-dim u-tabular" role="status" data-testid="fleet-count">
        {t('fleet.count', { n: shown, of: lanes.length })}
      </span>
    </div>
  );
}
