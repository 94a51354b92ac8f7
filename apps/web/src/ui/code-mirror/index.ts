/** CodeMirror as this page uses it. Import it lazily (`import()`, `React.lazy`): it is too much for the first load. */
export { mountCodeMirror } from './code-mirror.js';
export { codeHighlight, codeTheme } from './code-theme.js';
