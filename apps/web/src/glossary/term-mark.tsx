import { useId } from 'react';
import { inLang } from '../i18n/in-lang.js';
import { useUI } from '../page/ui-store.js';
import { termNamed } from './terms.js';
import './term-mark.css';

/** A term of the glossary in a text: its sentence shows on hover and on focus. */
export function TermMark({ name }: { readonly name: string }) {
  const id = useId();
  const lang = useUI((s) => s.lang);
  const text = termNamed(name)?.text;
  return (
    <span className="sl-term">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the sentence is shown to keyboards, too */}
      <code tabIndex={0} aria-describedby={id}>
        {name}
      </code>
      <span role="tooltip" id={id} className="sl-term-tip u-fs-2 u-absolute u-panel">
        {text && inLang({ ...text }, lang)}
      </span>
    </span>
  );
}
