import { inLang } from '../../i18n/in-lang.js';
import { loadLang } from '../../i18n/index.js';
import { type Lang, setLang, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';

/** Keeps the document's language and theme as the settings say. */
export function followSettings(): void {
  const apply = () => {
    const { lang, theme, contrast } = useUI.getState();
    const { documentElement: html } = document;
    html.lang = lang;
    if (contrast) html.dataset.contrast = 'more';
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
  useUI.subscribe(entitle);
  useSession.subscribe(entitle);
}

/** Whether people asked their system for less motion. */
export function reducedMotion(): boolean {
  return typeof matchMedia === 'function' && matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** Speaks another language, once its texts are there; kept as what the user chose. */
export async function chooseLang(lang: Lang): Promise<void> {
  await loadLang(lang);
  setLang(lang);
}
/** Speaks another language, for as long as the page is open. */
export async function speak(lang: Lang): Promise<void> {
  await loadLang(lang);
  useUI.setState({ lang });
}
