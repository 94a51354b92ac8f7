import { useEffect, useId, useState } from 'react';
import { isAvailable, runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { CommandButton } from '../../ui/command-button.js';
import { Modal } from '../../ui/modal.js';
import { useTimeline } from '../timeline/timeline-store.js';
import { type CastRange, mostFrames, PACES, stepsFrom } from './cast-plan.js';
import { drawGraph, type Picture, urlOf } from './draw.js';
import { type PictureSettings, SCALES, setPicture, usePicture } from './picture-store.js';
import './pictures.css';

/** Makes a picture of the graph: its options, and its use. */
export function PictureDialog() {
  const t = useT();
  const settings = usePicture();
  const { part, theme, caption, scale } = settings;
  const { picture, problem } = usePreview(settings);
  return (
    <Modal label={t('command.picture')} className="sl-picture-dialog">
      <h2>{t('command.picture')}</h2>
      {picture && (
        <img
          className="sl-picture-preview"
          src={urlOf(picture)}
          alt={t('picture.preview')}
          data-testid="picture-preview"
        />
      )}
      {problem !== '' && (
        <p className="sl-error u-break u-failure" role="alert">
          {problem}
        </p>
      )}
      <div className="sl-picture-form u-flex u-wrap">
        <Choice
          legend={t('picture.part')}
          value={part}
          options={{ whole: t('picture.whole'), view: t('picture.view') }}
          onChange={(next) => setPicture({ part: next })}
        />
        <Choice
          legend={t('picture.theme')}
          value={theme}
          options={{ page: t('picture.themePage'), light: t('picture.themeLight') }}
          onChange={(next) => setPicture({ theme: next })}
        />
        <fieldset>
          <legend>{t('picture.words')}</legend>
          <label>
            <input
              type="checkbox"
              checked={caption}
              onChange={(e) => setPicture({ caption: e.currentTarget.checked })}
            />
            {t('picture.caption')}
          </label>
        </fieldset>
        <Choice
          legend={t('picture.scale')}
          value={String(scale)}
          options={Object.fromEntries(
            SCALES.map((s) => [
              String(s),
              picture ? `${s}× · ${Math.round(picture.width * s)} × ${Math.round(picture.height * s)}` : `${s}×`,
            ]),
          )}
          onChange={(next) => setPicture({ scale: SCALES.find((s) => String(s) === next) ?? 2 })}
        />
      </div>
      <div className="sl-picture-do">
        <CommandButton id="picture.svg" testId="picture-svg" />
        <CommandButton id="picture.png" testId="picture-png" />
        <CommandButton id="picture.copy" testId="picture-copy" />
      </div>
      <p className="sl-small">{t('picture.svgNote')}</p>
      <Screencast />
    </Modal>
  );
}

/** Returns the picture as it would be saved, drawn again when the moment or a choice changes. */
function usePreview(settings: PictureSettings): { readonly picture: Picture | null; readonly problem: string } {
  const seq = useSession((s) => s.run.seq);
  const [made, setMade] = useState<{ picture: Picture | null; problem: string }>({ picture: null, problem: '' });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another moment is another picture
  useEffect(() => {
    // The page draws the moment first.
    const timer = setTimeout(() => {
      try {
        setMade({ picture: drawGraph(settings), problem: '' });
      } catch (error) {
        setMade({ picture: null, problem: error instanceof Error ? error.message : String(error) });
      }
    }, 60);
    return () => clearTimeout(timer);
  }, [settings, seq]);
  return made;
}

function Choice<T extends string>({
  legend,
  value,
  options,
  onChange,
}: {
  readonly legend: string;
  readonly value: T;
  readonly options: Readonly<Record<T, string>>;
  readonly onChange: (value: T) => void;
}) {
  const name = useId();
  return (
    <fieldset>
      <legend>{legend}</legend>
      {(Object.keys(options) as T[]).map((key) => (
        <label key={key}>
          <input type="radio" name={name} checked={key === value} onChange={() => onChange(key)} />
          {options[key]}
        </label>
      ))}
    </fieldset>
  );
}

function Screencast() {
  const t = useT();
  const ranged = useTimeline((s) => s.range !== null);
  const possible = useSession(() => isAvailable('picture.record'));
  const been = useSession((s) => s.run.steps > 0);
  const [range, setRange] = useState<CastRange>(ranged ? 'timeline' : 'next');
  const [typed, setTyped] = useState('20');
  const [each, setEach] = useState<number>(600);
  const steps = stepsFrom(typed, each);
  const ready = possible && (range === 'timeline' || steps !== null);
  return (
    <section className="sl-picture-cast" aria-labelledby="sl-picture-cast">
      <h3 id="sl-picture-cast">{t('picture.film')}</h3>
      <p className="sl-small">{t(possible ? 'picture.filmHow' : 'picture.filmNot')}</p>
      <div className="sl-picture-form u-flex u-wrap">
        <Choice
          legend={t('picture.filmRange')}
          value={range}
          options={
            {
              next: t('picture.filmNext'),
              ...(been && { last: t('picture.filmLast') }),
              ...(ranged && { timeline: t('picture.filmTimeline') }),
            } as Record<CastRange, string>
          }
          onChange={setRange}
        />
        {range !== 'timeline' && (
          <fieldset>
            <legend>{t('picture.filmSteps')}</legend>
            <input
              className="sl-input sl-short"
              inputMode="numeric"
              aria-label={t('picture.filmSteps')}
              aria-invalid={steps === null}
              value={typed}
              onChange={(e) => setTyped(e.currentTarget.value)}
            />
          </fieldset>
        )}
        <Choice
          legend={t('picture.filmEach')}
          value={String(each)}
          options={Object.fromEntries(PACES.map((ms) => [String(ms), `${ms / 1000} s`]))}
          onChange={(next) => setEach(Number(next))}
        />
      </div>
      <div className="sl-picture-do">
        <button
          type="button"
          className="sl-button"
          disabled={!ready}
          data-testid="picture-record"
          onClick={() => {
            // The film is of the page behind.
            useUI.setState({ dialog: null });
            runCommand('picture.record', { range, steps: steps ?? 1, each });
          }}
        >
          {t('picture.filmBegin')}
        </button>
        <span className="sl-small">
          {t('picture.filmMost', { frames: mostFrames(each), seconds: Math.round((mostFrames(each) * each) / 1000) })}
        </span>
      </div>
    </section>
  );
}
