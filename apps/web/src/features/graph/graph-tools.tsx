import { memo, type ReactNode } from 'react';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { CommandButton } from '../../ui/command-button.js';
import { LEVELS } from './geometry/geometry-levels.js';
import { useGraph } from './graph-store.js';
import { useLevel } from './graph-view.js';

const ICONS = {
  in: 'M7.2 3h1.6v4.2H13v1.6H8.8V13H7.2V8.8H3V7.2h4.2z',
  out: 'M3 7.2h10v1.6H3z',
  fit: 'M2.5 2.5h4v1.5H4v2.5H2.5zM9.5 2.5h4v4H12V4H9.5zM2.5 9.5H4V12h2.5v1.5h-4zM12 9.5h1.5v4h-4V12H12z',
  follow:
    'M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3zm0 1.6a3.4 3.4 0 1 0 0 6.8 3.4 3.400 0 0 0 0-6.8zM7.200 0.800h1.600V5H7.200zM7.200 11h1.600v4.200H7.200zM0.800 7.200H5v1.600H0.800zM11 7.200h4.200v1.600H11z',
  legend:
    'M2.500 2.700h3v3h-3zM7 3.400h6.500v1.600H7zM4 7a1.500 1.500 0 1 1 0 3 1.500 1.500 0 0 1 0-3zM7 7.700h6.500v1.600H7zM4 11l1.800 3H2.200zM7 12h6.500v1.600H7z',
  map: 'M1.500 3h13v10h-13zm1.500 1.500v7h10v-7zM4.500 6h4v3h-4z',
} as const;

function Glyph({ name }: { readonly name: keyof typeof ICONS }): ReactNode {
  return (
    <svg className="sl-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={ICONS[name]} fill="currentColor" fillRule="evenodd" />
    </svg>
  );
}

/** The settings of the graph, on the graph itself: its level, its view, its overlays. */
export const GraphTools = memo(function GraphTools() {
  const t = useT();
  const level = useLevel();
  const follow = useUI((s) => s.follow);
  const legend = useGraph((s) => s.legend);
  const minimap = useGraph((s) => s.minimap);
  return (
    <fieldset
      className="sl-graph-tools u-row u-gap-2 u-min-width-0 u-absolute u-border u-round-6 u-panel u-margin-0"
      aria-label={t('graphTools.name')}
      data-testid="graph-tools"
    >
      <fieldset className="sl-levels u-flex u-min-width-0 u-border-0" aria-label={t('level.group')}>
        {LEVELS.map((l) => (
          <CommandButton
            key={l}
            id={`view.level.${l}`}
            pressed={level === l}
            label={t(`level.${l}`)}
            className="sl-quiet sl-level"
            testId={`level-${l}`}
          >
            {t(`level.${l}`)}
          </CommandButton>
        ))}
      </fieldset>
      <CommandButton id="view.zoomOut" className="sl-quiet sl-icon-button sl-zoom">
        <Glyph name="out" />
      </CommandButton>
      <CommandButton id="view.zoomIn" className="sl-quiet sl-icon-button sl-zoom">
        <Glyph name="in" />
      </CommandButton>
      <CommandButton id="view.fit" className="sl-quiet sl-icon-button" testId="fit">
        <Glyph name="fit" />
      </CommandButton>
      <CommandButton id="view.follow" pressed={follow} className="sl-quiet sl-icon-button" testId="follow">
        <Glyph name="follow" />
      </CommandButton>
      <CommandButton id="view.legend" pressed={legend} className="sl-quiet sl-icon-button" testId="legend-toggle">
        <Glyph name="legend" />
      </CommandButton>
      <CommandButton id="view.minimap" pressed={minimap} className="sl-quiet sl-icon-button" testId="minimap-toggle">
        <Glyph name="map" />
      </CommandButton>
    </fieldset>
  );
});
