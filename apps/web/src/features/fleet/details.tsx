import { clockBasis, type FleetStory, type Lane, problemWords, timeText } from '@syncloop/observe/fleet';
import { useEffect, useRef } from 'react';
import { inLang } from '../../i18n/in-lang.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { Icon } from '../../ui/icons.js';
import { visible } from '../../units/text.js';
import { useFleet } from './fleet-store.js';
import { open } from './lanes.js';

interface Props {
  readonly lanes: readonly Lane[];
  readonly story: FleetStory;
}

/** The selected node: its clock, its incidents, and the way to its debugger. */
export function Details({ lanes, story }: Props) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const name = useFleet((s) => s.node);
  const incident = useFleet((s) => s.incident);
  const canOpen = useFleet((s) => s.served || s.files.length > 0);
  const here = useRef<HTMLLIElement>(null);
  const lane = lanes.find(({ node }) => node.name === name);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another incident is brought into sight
  useEffect(() => {
    here.current?.scrollIntoView({ block: 'nearest' });
  }, [name, incident]);
  if (!lane) return <p className="sl-fleet-details sl-small u-dim u-margin-0">{t('fleet.choose')}</p>;
  const { node, bars } = lane;
  const problem = problemWords(node);
  return (
    <section className="sl-fleet-details u-border-top" aria-label={visible(node.name)} data-testid="fleet-details">
      <div className="u-row u-wrap u-gap-8">
        <strong className="u-break">{visible(node.name)}</strong>
        <span className="sl-small u-dim">kubelet {visible(node.version)}</span>
        <button
          type="button"
          className="sl-button sl-primary u-target"
          disabled={!canOpen || node.problem !== ''}
          onClick={() => open(lane, incident)}
          data-testid="fleet-open"
        >
          {t('fleet.open', { node: visible(node.name) })}
        </button>
        <button
          type="button"
          className="sl-button sl-quiet sl-icon-button u-push u-target"
          aria-label={t('fleet.close')}
          title={t('fleet.close')}
          onClick={() => useFleet.setState({ node: null, incident: null })}
        >
          <Icon name="close" />
        </button>
      </div>
      {problem && <p className="u-failure u-margin-0 u-break">{visible(inLang({ ...problem }, lang))}</p>}
      <p className="sl-small u-dim u-margin-0">{inLang({ ...clockBasis(node) }, lang)}</p>
      <ol className="u-margin-0 u-pad-0">
        {bars.map((bar) => (
          <li
            key={bar.incident}
            ref={bar.incident === incident ? here : null}
            className="sl-fleet-incident u-row u-gap-8"
            aria-current={bar.incident === incident || undefined}
          >
            <button
              type="button"
              className="sl-button u-target u-flex-none u-tabular"
              disabled={!canOpen}
              onClick={() => open(lane, bar.incident)}
              aria-label={t('fleet.openAt', { time: timeText(bar.begin) })}
              title={t('fleet.openAt', { time: timeText(bar.begin) })}
            >
              {timeText(bar.begin)}
            </button>
            <span className="u-break">
              {bar.causes.map((cause) => (
                <span key={cause} className="sl-fleet-number" title={inLang({ ...story.causes[cause]?.text }, lang)}>
                  {cause + 1}
                </span>
              ))}{' '}
              {visible(inLang({ ...bar.text }, lang))}
              {bar.open && <span className="u-dim"> ({t('fleet.lasting')})</span>}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
