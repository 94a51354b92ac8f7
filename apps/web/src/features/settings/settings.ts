import { inLang } from '../../i18n/in-lang.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';

/** Keeps the document's language, theme and contrast as the settings say, or as the system asks. */
export function followSettings(): void {
  const asked = matchMedia('(prefers-contrast: more)');
  const apply = () => {
    const { lang, theme, contrast } = useUI.getState();
    const { documentElement: html } = document;
    html.lang = lang;
    if (contrast || asked.matches) html.dataset.contrast = 'more';
    else delete html.dataset.contrast;
    if (theme === 'system') delete html.dataset.theme;
    else html.dataset.theme = theme;
  };
  const entitle = () => {
    const { info } = useSession.getState();
    const title = info ? `${inLang(info.titles ?? info.title, useUI.getState().lang)} · syncloop` : 'syncloop';
    if (document.title !== title) document.title = title;
  };
  apply();
  useUI.subscribe(apply);
  asked.addEventListener('change', apply);
  useUI.subscribe(entitle);
  useSession.subscribe(entitle);
}
