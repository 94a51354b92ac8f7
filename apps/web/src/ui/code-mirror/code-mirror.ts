import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/**
 * Puts a CodeMirror editor into an element. It lives in an open shadow root: there its styles are adopted style sheets,
 * which a strict Content-Security-Policy allows, while it would refuse a `<style>` element. Our tokens (CSS variables)
 * pass into it, rules of our style sheets do not: looks go into `codeTheme`. Call `destroy()` of the view at the end;
 * the host may then take another one.
 *
 * @param doc the text at the start
 */
export function mountCodeMirror(host: HTMLElement, extensions: readonly Extension[], doc = ''): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  return new EditorView({ state: EditorState.create({ doc, extensions: [...extensions] }), parent: root, root });
}
